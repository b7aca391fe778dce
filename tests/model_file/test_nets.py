"""Nets in model files and on the command line: the same bits after a round trip, and faults that are named."""

import json
from dataclasses import fields

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_array_equal

import refrank.estimators.lambdarank as estimator
from refrank import LambdaRanker
from refrank.cli import main
from refrank.mcrank.two_layer_net import TwoLayerNet
from refrank.model_file import load_model, save_model
from tests.cli.command_line import write_letor
from tests.model_file.models import lacking_a_field, replaced


def queries(n_samples=40, n_features=3, seed=0):
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n_samples, n_features)).astype(np.float32)  # as files are read
    y = np.clip(np.rint(X[:, 0] + 1), 0, 2).astype(int)
    y[:2] = 0, 2  # the first query has two grades
    return X, y, np.arange(n_samples) // 5


HELD_OUT = dict(zip(("X_val", "y_val", "qid_val"), queries(seed=1), strict=True))


def fitted(**parameters):
    ranker = LambdaRanker(**{"hidden": 2, "n_epochs": 3, "learning_rate": 0.02, "random_state": 0} | parameters)
    return ranker.fit(*queries(), **HELD_OUT)


@given(
    shape=st.tuples(st.integers(2, 12), st.integers(1, 4)),
    hidden=st.integers(1, 5),
    objective=st.sampled_from(["ndcg", "err", "ranknet"]),
    seed=st.integers(0, 2**40),
    scale=st.sampled_from([1.0, 2.0**-90, 1e30]),
)
def test_a_round_trip_changes_no_bit(tmp_path_factory, shape, hidden, objective, seed, scale):
    X, y, _ = queries(*shape, seed=1)
    X = X.astype(np.float64) * scale
    ranker = LambdaRanker(hidden=hidden, n_epochs=2, objective=objective, random_state=seed).fit(X, y)
    path = tmp_path_factory.getbasetemp() / "net.json"
    save_model(ranker, path)
    loaded = load_model(path)
    assert type(loaded) is LambdaRanker
    assert loaded.get_params() == ranker.get_params()
    for field in fields(TwoLayerNet):
        one, other = getattr(loaded.net_, field.name), getattr(ranker.net_, field.name)
        assert (one.tobytes(), one.shape) == (other.tobytes(), other.shape)
    assert loaded.predict(X).tobytes() == ranker.predict(X).tobytes()
    for name in ("max_grade_", "best_epoch_", "n_features_in_"):
        assert getattr(loaded, name) == getattr(ranker, name)
    again = path.with_name("net-again.json")
    save_model(loaded, again)
    assert again.read_bytes() == path.read_bytes()


def test_the_best_epoch_is_what_is_kept(tmp_path):
    X, y, qid = queries()
    ranker = LambdaRanker(n_epochs=6, learning_rate=0.1, random_state=0)
    ranker.fit(X, y, qid, X_val=X, y_val=np.random.default_rng(0).permutation(y), qid_val=qid)
    assert ranker.best_epoch_ < 6  # else the last epoch would do
    save_model(ranker, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert_array_equal(loaded.predict(X), ranker.predict(X))
    with pytest.raises(ValueError, match="best epoch only"):
        next(loaded.staged_predict(X))


def test_a_scorer_that_knows_the_documentation_alone(tmp_path):
    """`refrank.model_file.nets`, word by word; 1e-14: a few roundings of numbers near 1."""
    ranker = fitted()
    save_model(ranker, tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    assert list(document) == [
        *("format", "version", "algorithm", "parameters", "n_features", "feature_names", "max_grade", "best_epoch"),
        "model",
    ]
    net = document["model"]
    X = queries()[0]
    for x, score in zip(X.tolist(), ranker.predict(X), strict=True):
        z = [(x[f] - net["feature_mean"][f]) * net["feature_scale"][f] for f in range(3)]
        told = sum(
            net["output_weights"][h]
            * np.tanh(net["hidden_bias"][h] + sum(z[f] * net["input_weights"][f][h] for f in range(3)))
            for h in range(2)
        )
        assert abs(told - score) < 1e-14


def test_names_come_back_and_the_seed_that_was_drawn(tmp_path):
    ranker = fitted(random_state=np.random.RandomState(3), n_epochs=1)
    ranker.feature_names_in_ = np.array(["a", "b", "c"], dtype=object)
    save_model(ranker, tmp_path / "m.json")
    loaded = load_model(tmp_path / "m.json")
    assert loaded.feature_names_in_.tolist() == ["a", "b", "c"]
    assert loaded.random_state == ranker.seed_
    assert "verbose" not in json.loads((tmp_path / "m.json").read_text())["parameters"]


def test_an_unfitted_ranker_is_not_written(tmp_path):
    with pytest.raises(ValueError, match="ranker is not fitted"):
        save_model(LambdaRanker(), tmp_path / "m.json")


@pytest.mark.parametrize(
    ("place", "value", "fault"),
    [
        (["parameters"], {}, '"parameters" must be an object'),
        (["n_features"], 0, '"n_features" is 0: it must be a whole number from 1'),
        (["n_features"], 2, '"model.input_weights" must be a list of 2 entries'),
        (["max_grade"], 0, '"max_grade" is 0'),
        (["parameters", "random_state"], None, "random_state is None"),
        (["best_epoch"], "1", "\"best_epoch\" is '1'"),
        (["feature_names"], ["a"], '"feature_names" must be a list of 3 entries'),
        (["model"], [], '"model" must be an object'),
        (["model", "hidden_bias"], [], '"model.hidden_bias" is empty'),
        (["model", "hidden_bias"], [0.0], r'"model.input_weights\[0\]" must be a list of 1 entries'),
        (["model", "input_weights", 1, 0], None, r'"model.input_weights\[1\]" must be a list of finite numbers'),
        (["model", "feature_scale", 0], float("inf"), '"model.feature_scale" must be a list of finite numbers'),
        (["model", "output_weights"], [1.0], '"model.output_weights" must be a list of 2 entries'),
    ],
)
def test_a_bad_field_is_named(tmp_path, place, value, fault):
    path = tmp_path / "bad.json"
    save_model(fitted(), path)
    path.write_text(json.dumps(replaced(json.loads(path.read_text()), place, value)))
    with pytest.raises(ValueError, match=f"bad.json is no refrank model: {fault}"):
        load_model(path)


def test_a_missing_field_is_named(tmp_path):
    path = tmp_path / "bad.json"
    save_model(fitted(), path)
    for place, document in lacking_a_field(json.loads(path.read_text())):
        path.write_text(json.dumps(document))
        with pytest.raises(ValueError, match=f'"{place}"'):
            load_model(path)


# --- the command line


@pytest.fixture
def files(tmp_path):
    write_letor(tmp_path / "train.txt", *queries())
    write_letor(tmp_path / "valid.txt", *queries(seed=1))
    return tmp_path


FLAGS = ["--hidden", "2", "--n-epochs", "3", "--learning-rate", "0.02", "--random-state", "0"]


def train(files, algorithm, *flags):
    return main(["train", "--algorithm", algorithm, str(files / "train.txt"), "--model", str(files / "m.json"), *flags])


@pytest.mark.parametrize(
    ("algorithm", "flags", "objective"),
    [("lambdarank", [], "ndcg"), ("lambdarank", ["--objective", "err"], "err"), ("ranknet", [], "ranknet")],
)
def test_train_writes_the_net_of_the_estimator(files, algorithm, flags, objective):
    X, y, qid = queries()
    for valid, held_out in ((["--valid", str(files / "valid.txt")], HELD_OUT), ([], {})):
        assert train(files, algorithm, *FLAGS, *flags, *valid) == 0
        expected = LambdaRanker(hidden=2, n_epochs=3, learning_rate=0.02, random_state=0, objective=objective)
        expected.fit(X, y, qid, **held_out)
        loaded = load_model(files / "m.json")
        assert loaded.get_params() == expected.get_params()
        assert loaded.predict(X).tobytes() == expected.predict(X).tobytes()


@pytest.mark.parametrize(
    ("algorithm", "flag", "value"),
    [
        ("ranknet", "--objective", "err"),
        ("lambdarank", "--n-rounds", "3"),
        ("ls", "--hidden", "3"),
        ("ls", "--valid", "v"),
    ],
)
def test_a_flag_of_another_algorithm_is_refused(files, capsys, algorithm, flag, value):
    assert train(files, algorithm, flag, value) == 2
    assert f"{flag} is no parameter of --algorithm {algorithm}" in capsys.readouterr().err


def test_an_interrupted_training_keeps_the_best_epoch_so_far(files, capsys, monkeypatch):
    whole = estimator.lambdarank

    def interrupted(*arguments, **settings):
        for epoch in whole(*arguments, **settings):
            if epoch.epoch == 3:
                raise KeyboardInterrupt
            yield epoch

    monkeypatch.setattr(estimator, "lambdarank", interrupted)
    assert train(files, "lambdarank", *FLAGS) == 130
    assert f"interrupted; {files / 'm.json'} holds the best of 2 epochs" in capsys.readouterr().err
    assert load_model(files / "m.json").best_epoch_ == 2


def test_evaluate_and_predict_read_a_net(files, capsys):
    save_model(fitted(), files / "m.json")
    assert main(["predict", str(files / "train.txt"), "--model", str(files / "m.json")]) == 0
    scores = [float(line) for line in capsys.readouterr().out.splitlines()]
    assert scores == fitted().predict(queries()[0]).tolist()
    assert main(["evaluate", str(files / "train.txt"), "--model", str(files / "m.json")]) == 0
    assert "NDCG@10" in capsys.readouterr().out

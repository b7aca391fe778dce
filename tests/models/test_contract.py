"""Every kind of model comes back from its file bit-for-bit, and the file is what its documentation says."""

import io
import json
import os
import re
import subprocess
import sys
import zipfile
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp
from sklearn.base import clone
from sklearn.ensemble import BaggingRegressor, RandomForestRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor
from sklearn.pipeline import make_pipeline
from sklearn.tree import DecisionTreeRegressor

import refrank
from refrank import COCRRanker, GBRTRanker, LambdaRanker, LSBoostRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.estimators.registry import RANKERS
from refrank.models import archive, check_savable, describe_model, load_model, save_model
from refrank.models.codec import Codec
from refrank.models.learned import LINEAR
from tests.models.kinds import HOLES, IMPORTED, KINDS, QID, SMALL, X, Y, rows_for, train

kinds = pytest.mark.parametrize("name", KINDS)
METHODS = ("predict", "predict_proba", "predict_rank", "decision_function", "staged_predict")
NOT_KEPT = {"_n_unnamed", "measure_", "oob_score_", "oob_prediction_", "epochs_"}  # of attributes


def again(estimator, folder):
    save_model(estimator, folder / "model")
    return load_model(folder / "model")


def state(estimator):
    """Everything that a file holds, to the bit."""
    writer = Codec()
    head = writer.write_estimator(estimator)
    return head, {name: (array.dtype.str, array.shape, array.tobytes()) for name, array in writer.arrays.items()}


def answers(estimator, rows):
    """Answers of an estimator on rows, to the bit, by each method that it has; of a net, the best epoch alone."""
    methods = [name for name in METHODS if hasattr(estimator, name)]
    methods = methods[:-1] if isinstance(estimator, LambdaRanker) else methods
    return {name: [np.asarray(part).tobytes() for part in getattr(estimator, name)(rows)] for name in methods}


@pytest.mark.parametrize("name", [*KINDS, *LINEAR])
def test_every_bit_comes_back(tmp_path, name):
    estimator, rows = train(name), rows_for(name)
    check_savable(clone(estimator))
    loaded = again(estimator, tmp_path)
    assert type(loaded) is type(estimator)
    assert vars(loaded).keys() == vars(estimator).keys() - NOT_KEPT
    assert state(loaded) == state(estimator)
    assert answers(loaded, rows) == answers(estimator, rows)
    assert [path.name for path in tmp_path.iterdir()] == ["model"]
    before = (tmp_path / "model").read_bytes()
    save_model(loaded, tmp_path / "model")
    assert (tmp_path / "model").read_bytes() == before


@pytest.mark.parametrize("name", [name for name in KINDS if name not in IMPORTED])
def test_parameters_come_back_and_train_the_same_model(tmp_path, name):
    estimator = train(name)
    loaded = again(estimator, tmp_path)
    parameters = clone(loaded).get_params()
    for key, value in estimator.get_params().items():
        own_table = key in ("relevance", "target", "cost") and not isinstance(value, str)
        if key == "random_state" and hasattr(estimator, "seed_"):
            assert parameters[key] == estimator.seed_
        elif not own_table and not key.endswith(("n_threads", "verbose")):
            assert repr(parameters[key]) == repr(value)
    if "forest of refrank" not in name:  # its base draws another seed in each fit
        rows = rows_for(name)
        held = HOLES if np.isnan(rows).any() else X
        assert answers(loaded.fit(held, Y), rows) == answers(clone(estimator).fit(held, Y), rows)


def test_what_belongs_to_the_reader_stays_there(tmp_path):
    ranker = SoftmaxBoostRanker(n_rounds=2, n_bins=np.int64(8), n_threads=1, verbose=1, relevance=lambda k: k**2)
    loaded = again(ranker.fit(X, Y), tmp_path)
    expected = ranker.get_params() | {"relevance": [0.0, 1.0, 4.0, 9.0], "n_threads": None, "verbose": 0}
    assert loaded.get_params() == expected
    assert state(loaded.fit(X, Y)) == state(ranker)  # by the table, as by the function
    base = again(COCRRanker(GBRTRanker(n_rounds=1, learning_rate=0.5, n_threads=1)).fit(X, Y), tmp_path).base
    assert (base.learning_rate, base.n_threads) == (0.5, None)


@pytest.mark.parametrize("kind", [RandomForestRanker, LambdaRanker])
@pytest.mark.parametrize("random_state", [np.random.RandomState(3), None, 2**31, 2**70])
def test_the_seed_that_was_used_is_what_comes_back(tmp_path, kind, random_state):
    small = {"n_trees": 2} if kind is RandomForestRanker else {"n_epochs": 1}
    ranker = kind(**small, random_state=random_state)
    check_savable(ranker)
    loaded = again(ranker.fit(X, Y), tmp_path)
    assert loaded.random_state == loaded.seed_ == ranker.seed_
    assert state(loaded.fit(X, Y)) == state(ranker)


def test_feature_names_come_back(tmp_path):
    """Set by hand as scikit-learn sets them for a table with named columns: the tests need no such library."""
    ranker = LSBoostRanker(n_rounds=1).fit(X[:, :2], Y)
    plain = ranker.predict(X[:, :2])
    ranker.feature_names_in_ = np.array(["bm25", "länge\x1b[2J"], dtype=object)
    loaded = again(ranker, tmp_path)
    assert loaded.feature_names_in_.tolist() == ["bm25", "länge\x1b[2J"]
    assert loaded.feature_names_in_.dtype == object
    with pytest.warns(UserWarning, match="feature names"):
        assert loaded.predict(X[:, :2]).tobytes() == plain.tobytes()
    with pytest.warns(UserWarning, match="names"), pytest.raises(ValueError, match=r"column 1 \(länge.* is NaN"):
        loaded.predict([[0.0, np.nan]])
    text = describe_model(tmp_path / "model")
    assert "0 bm25, 1 länge" in text
    assert "\x1b" not in text
    assert "länge\\x1b[2J" in text


def test_a_net_is_that_of_its_best_epoch(tmp_path):
    ranker = LambdaRanker(n_epochs=6, learning_rate=0.1)
    ranker.fit(X, Y, QID, X_val=X, y_val=np.random.default_rng(0).permutation(Y), qid_val=QID)
    assert ranker.best_round_ < 6  # else the last epoch would do
    loaded = again(ranker, tmp_path)
    assert loaded.predict(X).tobytes() == ranker.predict(X).tobytes()
    assert (loaded.best_round_, loaded.max_grade_) == (ranker.best_round_, ranker.max_grade_)
    with pytest.raises(ValueError, match="best epoch and the last only"):
        next(loaded.staged_predict(X))


@st.composite
def fits(draw):
    """Small fits of every ranker: features of any scale and of two types, one-sided problems, weights."""
    name = draw(st.sampled_from([*RANKERS]))
    n_samples, n_features, kind = draw(st.integers(3, 12)), draw(st.integers(2, 5)), draw(st.sampled_from(["f4", "f8"]))
    rows = X[:n_samples, :n_features].astype(kind) * draw(st.sampled_from([1.0, 2.0**-90, 1e30]))
    if name not in ("lambdarank", "cocr"):
        value = st.floats(-(2.0**90), 2.0**90, width=np.dtype(kind).itemsize * 8)
        rows = draw(hnp.arrays(kind, rows.shape, elements=value))
    y = draw(hnp.arrays(np.int64, n_samples, elements=st.integers(1, 3)))
    y[:2] = 1, 2
    weighted = name not in ("lambdarank", "lambdamart") and draw(st.booleans())
    weights = {"sample_weight": np.linspace(0.1, 3.0, n_samples)} if weighted else {}
    return RANKERS[name](**SMALL[name]).fit(rows, y, **weights), rows


@given(fits())
def test_models_of_any_data_come_back(tmp_path_factory, fit):
    ranker, rows = fit
    loaded = again(ranker, tmp_path_factory.getbasetemp())
    assert state(loaded) == state(ranker)
    assert answers(loaded, rows) == answers(ranker, rows)


# --- the bytes


SAVE_ALL = """
import sys
from tests.models.kinds import train
from refrank.models import save_model
for name in sys.argv[2:]:
    save_model(train(name), f"{sys.argv[1]}/{name}")
"""


def test_equal_models_are_equal_files_in_another_process_too(tmp_path):
    names = ["softmax", "igbrt of classes", "lambdarank", "cocr over bagged m5p", "cocr over bagged ridge"]
    other = {"cwd": Path(__file__).parents[2], "env": os.environ | {"PYTHONHASHSEED": "7", "TZ": "Asia/Tokyo"}}
    subprocess.run([sys.executable, "-W", "ignore", "-c", SAVE_ALL, str(tmp_path), *names], check=True, **other)
    for name in names:
        save_model(train(name), tmp_path / "here")
        assert (tmp_path / "here").read_bytes() == (tmp_path / name).read_bytes()


@kinds
def test_a_file_is_a_zip_of_json_and_arrays_without_pickle(tmp_path, name):
    save_model(train(name), tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as file:
        assert {info.date_time for info in file.infolist()} == {(1980, 1, 1, 0, 0, 0)}
        assert {info.compress_type for info in file.infolist()} == {zipfile.ZIP_STORED}
        assert {(info.create_system, info.external_attr) for info in file.infolist()} == {(3, 0o644 << 16)}
        assert file.namelist() == sorted(file.namelist())
        text = file.read("head.json").decode()
        head = json.loads(text, parse_constant=pytest.fail)
        for member in set(file.namelist()) - {"head.json"}:
            assert np.load(io.BytesIO(file.read(member)), allow_pickle=False).dtype.str in archive.DTYPES
    begins = '{\n "format": "refrank model",\n "version": 3,\n "model": {\n  "type": "%s",\n'
    assert text.startswith(begins % type(train(name)).__name__)
    assert "n_threads" not in head["model"]["parameters"]
    assert "verbose" not in head["model"]["parameters"]


def test_a_scorer_that_knows_the_documentation_alone(tmp_path):
    save_model(train("ls"), tmp_path / "m")
    with zipfile.ZipFile(tmp_path / "m") as file:
        model = json.loads(file.read("head.json"))["model"]["learned"]["model_"]
        held = {key: np.load(io.BytesIO(file.read(at["npy"]))) for key, at in model["rounds"].items() if "npy" in at}
    scores = []
    for x in X:
        score, first = model["initial"][0], 0
        for n_nodes in held["n_nodes"]:
            tree = {name: held[name][first : first + n_nodes] for name in ("feature", "cut", "left", "right", "value")}
            v, first = 0, first + n_nodes
            while tree["feature"][v] != -1:
                v = tree["left"][v] if x[tree["feature"][v]] < tree["cut"][v] else tree["right"][v]
            score += model["learning_rate"] * tree["value"][v]
        scores.append(score)
    assert scores == train("ls").predict(X).tolist()


# --- what is not written


@pytest.mark.filterwarnings("ignore:base .* takes no sample_weight")
@pytest.mark.parametrize(
    ("estimator", "fault"),
    [
        ({}, "estimator is {}: a model file holds estimators of refrank"),
        (LinearRegression(), "estimator is LinearRegression"),
        (make_pipeline(SoftmaxBoostRanker()), "estimator is Pipeline"),
        (type("Sub", (SoftmaxBoostRanker,), {})(), "estimator is Sub"),
        (COCRRanker(KNeighborsRegressor()), "base is KNeighborsRegressor"),
        (COCRRanker(DecisionTreeRegressor()), "base is DecisionTreeRegressor(): a model file holds"),
        (COCRRanker(RandomForestRegressor(n_estimators=1)), "base is RandomFore"),
        (COCRRanker(BaggingRegressor()), "base is BaggingRegressor()"),
        (COCRRanker(BaggingRegressor(KNeighborsRegressor())), "base.estimator is KNeighborsRegressor"),
        (COCRRanker(SoftmaxBoostRanker(relevance=np.sqrt)), "base.relevance is <ufunc 'sqrt'>: a model file cannot"),
        (COCRRanker(LinearRegression(n_jobs=-257)), "base.n_jobs is 257 in size"),
        (GBRTRanker(clip=1), "clip is 1: it must be of type"),
        (COCRRanker(RandomForestRanker(random_state=np.random.RandomState(0))), "base.random_state is RandomState"),
    ],
)
def test_what_a_file_cannot_hold_is_said_before_training(tmp_path, estimator, fault):
    with pytest.raises(ValueError, match="^" + re.escape(fault)) as raised:
        check_savable(estimator)
    assert re.search("use GBRTRanker and RandomForestRanker, or train in Python|give a number|must", str(raised.value))
    if isinstance(estimator, COCRRanker):
        estimator.fit(X, Y)
    if isinstance(estimator, GBRTRanker):  # fit refuses it, too: it is set afterwards
        estimator.set_params(clip=False).fit(X, Y).set_params(clip=1)
    with pytest.raises(ValueError, match="^" + re.escape(fault)):
        save_model(estimator, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_the_most_processes_that_a_file_may_ask_for():
    check_savable(COCRRanker(LinearRegression(n_jobs=256)))
    check_savable(COCRRanker(LinearRegression(n_jobs=-256)))


@pytest.mark.parametrize("name", RANKERS)
def test_neither_an_unfitted_nor_a_broken_model_is_written(tmp_path, name):
    ranker, broken = RANKERS[name](**SMALL[name]), LSBoostRanker(n_rounds=1).fit(X, Y)
    check_savable(ranker)
    with pytest.raises(ValueError, match="estimator is not fitted: there is no model to write"):
        save_model(ranker, tmp_path / "m")
    broken.model_.rounds[0][0].feature[0] = 99
    with pytest.raises(ValueError, match=r"model_\.feature of node 0 in tree 0 is 99"):
        save_model(broken, tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


def test_a_file_is_replaced_whole_or_not_at_all(tmp_path, monkeypatch):
    """How, tests/datasets/test_whole_file.py shows."""
    path = tmp_path / "m"
    save_model(train("ls"), path)

    def fill_disk(*_):
        raise OSError("No space left on device")

    with monkeypatch.context() as disk:
        disk.setattr(zipfile.ZipFile, "writestr", fill_disk)
        with pytest.raises(OSError, match="No space"):
            save_model(train("softmax"), path)
    assert (type(load_model(path)), [*tmp_path.iterdir()]) == (LSBoostRanker, [path])
    save_model(train("softmax"), path)
    assert type(load_model(path)) is SoftmaxBoostRanker


# --- what people read


@kinds
def test_a_description_names_what_matters(tmp_path, name):
    estimator = train(name)
    save_model(estimator, tmp_path / "m")
    lines = describe_model(tmp_path / "m").split("\n")
    described = {line.split()[0]: line.split(maxsplit=1)[-1].strip() for line in lines if line.startswith("  ")}
    size = f"{(tmp_path / 'm').stat().st_size:,} bytes"
    assert lines[0] == estimator.algorithm
    assert (described["estimator"], described["file"], described["features"]) == (type(estimator).__name__, size, "5")
    assert set(estimator.get_params(deep=False)) - {"n_threads", "warm_start", "verbose"} <= set(described)
    for word in ("classes", "rounds"):
        assert described.get(word, "None") == str(getattr(estimator, f"n_{word}_", None))


def test_a_description_begins_with_what_was_changed_and_shows_costs(tmp_path):
    save_model(train("cocr over gbrt"), tmp_path / "m")
    text = describe_model(tmp_path / "m")
    changed, same = text.index("differ from"), text.index("at their defaults")
    assert changed < text.index("base__learning_rate") < same < text.index("base__n_bins")
    assert [float(cost) for cost in text.split("true\n")[1].split("\n")[1].split()] == [1, 1, 0, 1, 2]
    assert all(part in text for part in ("0.5 (default 0.1)", "trees", "y >= 1", "always 1"))


def test_the_kinds_are_all_that_there_are():
    assert {type(estimator).__name__ for estimator in KINDS.values()} == set(refrank.estimators.registry.KINDS)

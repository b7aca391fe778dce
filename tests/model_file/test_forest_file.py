"""`refrank.model_file.forest_file`: the same bits again, and no hostile file is believed."""

import io
import json
import zipfile
from contextlib import suppress

import numpy as np
import pytest

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.cli import main
from refrank.model_file import load_model, save_model
from tests.strategies import rng_of

SMALL = {
    RandomForestRanker: {"n_trees": 3, "max_features": 2},
    GBRTRanker: {"n_rounds": 3, "initial": "mean"},
    IGBRTRanker: {"n_trees": 2, "n_rounds": 2},
}
rankers = pytest.mark.parametrize("Ranker", SMALL)


def data():
    rng = rng_of(0)
    X = rng.normal(size=(60, 5))
    y = np.clip(np.rint(X[:, 0] + X[:, 1] + 1), 0, 3).astype(np.int64)
    X[rng.random(X.shape) < 0.2] = np.nan
    return X, y


def fitted(Ranker, **changed):
    return Ranker(**{**SMALL[Ranker], "missing": "three-way", "setting": "classification", **changed}).fit(*data())


@rankers
@pytest.mark.parametrize("missing", ["three-way", "mean", "zero"])
@pytest.mark.parametrize("setting", ["regression", "classification"])
def test_every_bit_comes_back(tmp_path, Ranker, missing, setting):
    ranker = fitted(Ranker, missing=missing, setting=setting, random_state=5, n_threads=2)
    save_model(ranker, tmp_path / "m")
    again = load_model(tmp_path / "m")
    assert type(again) is Ranker
    X, y = data()
    assert again.predict(X).tobytes() == ranker.predict(X).tobytes()
    assert again.feature_importances_.tobytes() == ranker.feature_importances_.tobytes()
    assert again.n_threads is None  # the reader's own
    for one, other in zip(ranker.staged_predict(X), again.staged_predict(X), strict=True):
        assert one.tobytes() == other.tobytes()
    assert again.fit(X, y).predict(X).tobytes() == ranker.predict(X).tobytes()  # the parameters came back too
    save_model(again, tmp_path / "again")
    assert (tmp_path / "again").read_bytes()[100:200] == (tmp_path / "m").read_bytes()[100:200]
    assert sorted(path.name for path in tmp_path.iterdir()) == ["again", "m"]


def test_a_forest_of_no_trees_and_no_missing_values(tmp_path):
    X, y = np.arange(8.0)[:, np.newaxis], np.arange(8)
    ranker = IGBRTRanker(n_trees=0, n_rounds=2).fit(X, y)
    save_model(ranker, tmp_path / "m")
    assert load_model(tmp_path / "m").predict(X).tobytes() == ranker.predict(X).tobytes()


def test_a_ranker_that_is_not_fitted(tmp_path):
    with pytest.raises(ValueError, match="ranker is not fitted: there is no model to write"):
        save_model(GBRTRanker(), tmp_path / "m")
    assert list(tmp_path.iterdir()) == []


# --- hostile files ---------------------------------------------------------------------------------------------------


def rewritten(path, change, compression=zipfile.ZIP_STORED, extra=()):
    """Write the members of a file again, changed."""
    with zipfile.ZipFile(path) as file:
        members = {name: file.read(name) for name in file.namelist()}
    head = json.loads(members["head.json"])
    arrays = {
        name: np.load(io.BytesIO(members[f"{name}.npy"])) for name in (n[:-4] for n in members if n != "head.json")
    }
    change(head, arrays)
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("head.json", json.dumps(head))
        for name, array in arrays.items():
            content = io.BytesIO()
            np.save(content, array, allow_pickle=True)
            file.writestr(f"{name}.npy", content.getvalue())
        for name in extra:
            file.writestr(name, b"")
    return path


def in_head(name, value):
    return lambda head, arrays: head.update({name: value})


def in_model(name, value):
    return lambda head, arrays: head["models"][0].update({name: value})


def in_parameters(name, value):
    return lambda head, arrays: head["parameters"].update({name: value})


def in_array(name, place, value):
    def change(head, arrays):
        arrays[name][place] = value

    return change


def as_array(name, made):
    def change(head, arrays):
        arrays[name] = made(arrays[name])

    return change


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        (in_head("format", "other"), '"format" must be "refrank forest"'),
        (in_head("version", 2), '"version" is 2: this release reads version 1'),
        (in_head("algorithm", "svm"), "\"algorithm\" is 'svm': it must be one of rf, gbrt, igbrt"),
        (in_head("algorithm", ["rf"]), '"algorithm" is'),
        (in_head("n_features", 0), '"n_features" is 0'),
        (in_head("n_features", 1), "fill.npy has 5 entries"),
        (in_head("n_classes", None), '"n_classes" is None'),
        (in_head("n_classes", 7), '"models" must be a list of 6 entries'),
        (in_head("feature_names", ["a"]), '"feature_names" must be a list of 5 entries'),
        (in_head("models", []), '"models" must be a list of 3 entries'),
        (in_head("parameters", {}), '"parameters" must be an object with the fields'),
        (in_parameters("setting", "both"), "setting is 'both'"),
        (in_parameters("missing", "guess"), "missing is 'guess'"),
        (in_parameters("missing", None), "fill.npy has 5 entries"),
        (in_parameters("missing_value", "0"), '"parameters.missing_value" must be a number'),
        (in_parameters("random_state", -1), '"parameters.random_state" is -1'),
        (in_model("boosting", 0), '"models.boosting" is 0'),
        (in_model("boosting", 10**6), "n_nodes.npy ends before"),
        (in_model("forest", 1), "n_nodes.npy holds more trees than the models"),
        (in_model("initial", "0"), "\"models.initial\" is '0'"),
        (in_model("learning_rate", 0), '"models.learning_rate" is 0'),
        (in_array("feature", 0, 99), "feature.npy must lie between -1 and 4"),
        (in_array("feature", 0, -2), "feature.npy must lie between -1 and 4"),
        (in_array("left", 0, 0), "left.npy must name a later node"),
        (in_array("right", 0, 10**6), "right.npy must name a later node"),
        (in_array("left", 0, -5), "left.npy must name a later node"),
        (in_array("cut", 0, np.nan), "cut.npy must hold no NaN"),
        (in_array("value", -1, np.inf), "value.npy finite numbers"),
        (in_array("n_nodes", 0, 0), "n_nodes.npy must hold whole numbers of at least 1"),
        (in_array("n_nodes", 0, 2**40), "n_nodes.npy must hold whole numbers"),
        (in_array("n_nodes", 0, 1), "must hold"),
        (in_array("fill", 0, np.nan), "fill.npy must hold floats, none of them NaN"),
        (as_array("value", lambda value: value.astype(np.float32)), "value.npy must hold"),
        (as_array("value", lambda value: value[:-1]), "value.npy must hold"),
        (
            as_array("value", lambda value: value[:, np.newaxis]),
            "value.npy must be an array of numbers, of one dimension",
        ),
        (as_array("value", lambda value: np.array([print] * len(value))), "value.npy must be an array of numbers"),
        (as_array("fill", lambda fill: fill.astype("U3")), "fill.npy must hold floats"),
    ],
)
def test_a_damaged_field_is_named(tmp_path, change, fault):
    save_model(fitted(IGBRTRanker), tmp_path / "m")
    with pytest.raises(ValueError, match="is no refrank model") as found:
        load_model(rewritten(tmp_path / "m", change))
    assert fault in str(found.value)
    assert len(str(found.value)) < 600


def test_members_missing_doubled_added_or_compressed(tmp_path):
    path = tmp_path / "m"
    save_model(fitted(GBRTRanker), path)
    for change in (lambda path: rewritten(path, lambda head, arrays: arrays.pop("bin")), rewritten_with_more):
        save_model(fitted(GBRTRanker), path)
        with pytest.raises(ValueError, match=r"its members must be head\.json, fill\.npy"):
            load_model(change(path))
    save_model(fitted(GBRTRanker), path)
    with pytest.raises(ValueError, match="its members must be stored, not compressed"):
        load_model(rewritten(path, lambda head, arrays: None, zipfile.ZIP_DEFLATED))


def rewritten_with_more(path):
    return rewritten(path, lambda head, arrays: None, extra=("more.npy",))


def test_a_file_cut_short_anywhere(tmp_path):
    path = tmp_path / "m"
    save_model(fitted(GBRTRanker), path)
    whole = path.read_bytes()
    for length in range(4, len(whole), max(1, len(whole) // 50)):
        path.write_bytes(whole[:length])
        with pytest.raises(ValueError, match="is no refrank model"):
            load_model(path)


def test_bytes_changed_anywhere_are_noticed_or_harmless(tmp_path):
    """The zip's checksums see every change of a member; whatever is read predicts without leaving a tree."""
    path, rng = tmp_path / "m", rng_of(4)
    ranker = fitted(GBRTRanker)
    save_model(ranker, path)
    whole, (X, _) = path.read_bytes(), data()
    for at in rng.integers(4, len(whole), 300):
        path.write_bytes(whole[:at] + bytes([whole[at] ^ 1 << rng.integers(8)]) + whole[at + 1 :])
        with suppress(ValueError):  # anything else is not expected
            again = load_model(path)
            assert again.predict(X).tobytes() == ranker.predict(X).tobytes()


# --- the command line ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("algorithm", "flags", "expected"),
    [
        (
            "rf",
            ["--n-trees", "3", "--max-features", "2", "--setting", "classification", "--missing", "three-way"],
            RandomForestRanker(
                n_trees=3, max_features=2, setting="classification", missing="three-way", missing_value=0
            ),
        ),
        ("gbrt", ["--n-rounds", "2", "--clip"], GBRTRanker(n_rounds=2, missing="mean", missing_value=0, clip=True)),
        (
            "igbrt",
            ["--n-trees", "2", "--n-rounds", "2", "--max-features", "0.5", "--missing", "inf", "--random-state", "7"],
            IGBRTRanker(n_trees=2, n_rounds=2, max_features=0.5, missing="inf", missing_value=0, random_state=7),
        ),
    ],
)
def test_train_and_predict_on_the_command_line(tmp_path, capsys, algorithm, flags, expected):
    """`refrank train` is the estimator of the same parameters; 0 says missing in its files."""
    X, y = np.nan_to_num(data()[0]), data()[1]
    file, model = tmp_path / "train.txt", tmp_path / "model"
    lines = [
        f"{label} qid:{i // 10} " + " ".join(f"{f + 1}:{x!r}" for f, x in enumerate(row))
        for i, (label, row) in enumerate(zip(y.tolist(), X.astype(np.float32).tolist(), strict=True))
    ]
    file.write_text("\n".join(lines))
    missing = [] if "--missing" in flags else ["--missing", "mean"]
    train = ["train", "--algorithm", algorithm, str(file), "--model", str(model), "--verbose", "0"]
    assert main([*train, "--missing-value", "0", *flags, *missing]) == 0
    assert main(["predict", str(file), "--model", str(model)]) == 0
    printed = [float(line) for line in capsys.readouterr().out.split()]
    rows = X.astype(np.float32)
    assert printed == expected.fit(rows, y).predict(rows).tolist()
    assert main(["evaluate", str(file), "--model", str(model)]) == 0


def test_a_flag_of_another_algorithm(tmp_path, capsys):
    assert main(["train", "--algorithm", "rf", "f", "--model", "m", "--learning-rate", "0.1"]) == 2
    assert "--learning-rate is no parameter of --algorithm rf" in capsys.readouterr().err

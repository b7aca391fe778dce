"""COCR in model files and on the command line: the same bits after a round trip, and nothing unchecked."""

import json
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression
from sklearn.neighbors import KNeighborsRegressor

from refrank import COCRRanker, GBRTRanker, M5PRegressor
from refrank.cli import main
from refrank.datasets import load_letor
from refrank.model_file import load_model, save_model
from refrank.model_file.cocr import cocr_document
from tests.cli.command_line import write_letor
from tests.estimators.test_cocr_ranker import data
from tests.model_file.models import replaced

BASES = {
    "linear": LinearRegression(),
    "m5p": M5PRegressor(min_instances=8),
    "bagging-m5p": BaggingRegressor(M5PRegressor(), max_samples=0.3, n_estimators=3, random_state=0),
    "gbrt": GBRTRanker(n_rounds=3, max_depth=2, learning_rate=0.3, initial="mean"),
}


@pytest.mark.parametrize("name", BASES)
def test_a_model_is_the_same_to_the_bit_after_a_round_trip(tmp_path, name):
    X, y, _ = data(120)
    ranker = COCRRanker(BASES[name], cost="squared", n_classes=6).fit(X, y)
    save_model(ranker, tmp_path / "m.json")
    again = load_model(tmp_path / "m.json")
    other = data(50, seed=1)[0]
    assert again.decision_function(other).tobytes() == ranker.decision_function(other).tobytes()
    assert again.predict(other).tobytes() == ranker.predict(other).tobytes()
    assert again.cost_table_.tolist() == ranker.cost_table_.tolist()
    assert json.loads((tmp_path / "m.json").read_text())["base"] == name
    save_model(again, tmp_path / "again.json")
    assert (tmp_path / "again.json").read_bytes() == (tmp_path / "m.json").read_bytes()


@pytest.mark.parametrize("base", [KNeighborsRegressor(), GBRTRanker(n_rounds=1, missing="zero")])
def test_a_base_that_a_file_cannot_hold_is_named(tmp_path, base):
    X, y, _ = data()
    with pytest.raises(ValueError, match="a model file holds COCR over linear, m5p, bagging-m5p, gbrt"):
        save_model(COCRRanker(base, cost="absolute").fit(X, y), tmp_path / "m.json")
    assert list(tmp_path.iterdir()) == []
    with pytest.raises(ValueError, match="ranker is not fitted"):
        save_model(COCRRanker(LinearRegression()), tmp_path / "m.json")


def documents():
    X, y, _ = data(120)
    made = {}
    for name, base in BASES.items():
        made[name] = json.loads(json.dumps(cocr_document(COCRRanker(base).fit(X, y))))
    return made


DOCUMENTS = documents()


def places(value, path=()):
    """Every place in a document."""
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


@given(st.sampled_from(sorted(DOCUMENTS)), st.data())
def test_a_damaged_file_is_a_value_error_or_a_model_that_predicts(tmp_path_factory, name, choose):
    document = json.loads(json.dumps(DOCUMENTS[name]))
    path = choose.draw(st.sampled_from([place for place in places(document) if place]))
    inner = document
    for key in path[:-1]:
        inner = inner[key]
    if choose.draw(st.booleans()) and isinstance(inner, dict):
        del inner[path[-1]]
    else:
        inner[path[-1]] = choose.draw(st.sampled_from([None, -2, 10**6, 10**30, 0.5, "x", [], {}, True, [[1]]]))
    file = tmp_path_factory.getbasetemp() / "damaged.json"
    file.write_text(json.dumps(document))
    try:
        with np.errstate(all="ignore"):
            load_model(file).predict(np.zeros((2, 5)))
    except ValueError:
        pass  # a fault of the file, or of X where n_features was damaged


@pytest.mark.parametrize(
    ("name", "path", "value", "message"),
    [
        ("linear", ("base",), "forest", '"base" must be one of linear, m5p, bagging-m5p, gbrt'),
        ("linear", ("cost", 1, 1), 3, "cost at row 1, column 1 is 3.0"),
        ("linear", ("answers",), [], '"answers" must be a list of 3 entries'),
        ("linear", ("answers", 0, "linear", "coefficients"), [1], "must have 5 entries, one a feature"),
        ("m5p", ("answers", 0, "m5p", 0, "feature", 0), 5, '"answers[0].m5p[0].feature" must lie between -1 and 4'),
        ("gbrt", ("answers", 0, "gbrt", "learning_rate"), 2, '"answers[0].gbrt.learning_rate" is 2'),
        ("gbrt", ("answers", 0, "gbrt", "initial"), None, '"answers[0].gbrt.initial" is None: it must be a finite'),
        ("linear", ("answers", 0, "linear", "intercept"), "1", "\"answers[0].linear.intercept\" is '1': it must be a"),
        ("gbrt", ("answers", 0, "gbrt", "rounds", 0, "left", 0), 0, "rounds[0].left"),
    ],
)
def test_faults_are_named(tmp_path, name, path, value, message):
    (tmp_path / "m.json").write_text(json.dumps(replaced(DOCUMENTS[name], path, value)))
    with pytest.raises(ValueError, match=re.escape(message)):
        load_model(tmp_path / "m.json")


def test_a_model_tree_that_runs_in_a_circle_is_refused(tmp_path):
    X = np.arange(80.0)[:, None]
    y = np.where(X[:, 0] < 40, 0, np.arange(80) % 2)
    save_model(COCRRanker(M5PRegressor(), cost="squared").fit(X, y), tmp_path / "m.json")
    document = json.loads((tmp_path / "m.json").read_text())
    tree = document["answers"][0]["m5p"][0]
    assert len(tree["feature"]) >= 1
    tree.update(feature=[0, -1, -1], threshold=[1.0, None, None], left=[0, -1, -1], right=[2, -1, -1])
    tree.update(weight=[1.0] * 3, models=[tree["models"][0]] * 3)
    (tmp_path / "m.json").write_text(json.dumps(document))
    with pytest.raises(ValueError, match=re.escape('m5p[0].left" must name a later node')):
        load_model(tmp_path / "m.json")


# --- the command


@pytest.mark.parametrize(
    ("flags", "ranker"),
    [
        ([], COCRRanker(LinearRegression(), cost="oerr")),
        (["--base", "m5p", "--min-instances", "16", "--cost", "squared"], COCRRanker(M5PRegressor(16), "squared")),
        (
            ["--base", "bagging-m5p", "--n-estimators", "2", "--cost", "absolute"],
            COCRRanker(BaggingRegressor(M5PRegressor(), 2, max_samples=0.1, random_state=0), "absolute"),
        ),
        (
            ["--base", "gbrt", "--n-rounds", "4", "--max-depth", "2", "--learning-rate", "0.2"],
            COCRRanker(GBRTRanker(n_rounds=4, max_depth=2, learning_rate=0.2), "oerr"),
        ),
    ],
)
def test_train_and_predict(tmp_path, capsys, flags, ranker):
    X, y, qid = data(200)
    write_letor(tmp_path / "train.txt", X, y, qid)
    model = str(tmp_path / "m.json")
    assert main(["train", str(tmp_path / "train.txt"), "--algorithm", "cocr", "--model", model, *flags]) == 0
    assert main(["predict", str(tmp_path / "train.txt"), "--model", model]) == 0
    loaded = load_letor(tmp_path / "train.txt")
    expected = ranker.fit(loaded.X, loaded.y).predict(loaded.X)
    assert [float(line) for line in capsys.readouterr().out.split()] == expected.tolist()


def test_flags_of_another_base_are_refused(tmp_path, capsys):
    given_flags = ["train", "x", "--algorithm", "cocr", "--model", "m.json", "--max-depth", "3"]
    assert main(given_flags) == 2
    assert "--max-depth is no parameter of --algorithm cocr --base linear" in capsys.readouterr().err
    assert main([*given_flags[:-2], "--base", "gbrt", "--n-leaves", "3"]) == 2
    assert main(["train", "x", "--algorithm", "ls", "--model", "m.json", "--cost", "oerr"]) == 2
    assert "--cost is no parameter of --algorithm ls" in capsys.readouterr().err

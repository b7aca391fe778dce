"""Traces of models: what is read off them, what a port's predictor makes of them, and what is said of it."""

import json
from dataclasses import asdict

import numpy as np
import pytest

from refrank import GBRTRanker, LSBoostRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.cli import main
from refrank.models import save_model
from refrank.models.exchange import lightgbm, lightgbm_reader, xgboost_reader
from refrank.models.exchange.packing import make_portable
from tests.cli.command_line import write_letor
from tests.yardstick.trainings import DATA, X, check_size, follow, make
from yardstick.divergence.comparing import compare_traces
from yardstick.traces.models import describe_model, predict_model_sizes, read_traced_model, record_model
from yardstick.traces.reader import open_trace
from yardstick.traces.records import index_records
from yardstick.traces.stages import STAGES, Place, make_record
from yardstick.traces.writer import TraceWriter

HOLES = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
SUMS = {
    "softmax": lambda: SoftmaxBoostRanker(n_rounds=3, n_leaves=4),
    "softmax by gains": lambda: SoftmaxBoostRanker(n_rounds=2, n_leaves=4, relevance="2^k-1"),
    "ls": lambda: LSBoostRanker(n_rounds=3, n_leaves=4),
    "gbrt": lambda: GBRTRanker(n_rounds=3, max_depth=2, initial="mean"),
    "gbrt, classes": lambda: GBRTRanker(n_rounds=2, max_depth=2, setting="classification"),
    "rf": lambda: RandomForestRanker(n_trees=3),
    "holes": lambda: RandomForestRanker(n_trees=3, missing="three-way"),
    "holes filled": lambda: GBRTRanker(n_rounds=3, max_depth=2, missing="mean"),
}
UNTOLD = ("softmax by gains", "gbrt, classes")  # their predictions are not worked out again


def rows_of(name):
    return HOLES if name.startswith("holes") else X


def fitted(name):
    return SUMS[name]().fit(rows_of(name), DATA.y, DATA.qid)


def back(ranker):
    """The ranker as a model of LightGBM, imported."""
    return lightgbm_reader.read(lightgbm.write(make_portable(ranker)).decode())


def record(folder, ranker, rows=X, values="json"):
    with TraceWriter(folder, values, describe_model(ranker, rows, DATA.qid)) as writer:
        record_model(ranker, rows, DATA.y, DATA.qid, writer.keep, writer.write)
    return open_trace(folder)


def write_records(folder, records, algorithm="model"):
    """The trace of a predictor: its records, (stage, place, arrays by name)."""
    with TraceWriter(folder, "json", {"algorithm": algorithm}) as writer:
        for stage, place, arrays in records:
            writer.write(make_record(writer.keep, stage, place, **arrays))
    return open_trace(folder)


def write_sums(folder, sums, prediction):
    """The trace of a predictor that tells F after each round, and its prediction."""
    told = [("scores", Place(round=m, output=0), {"values": scores}) for m, scores in enumerate(sums, start=1)]
    return write_records(folder, [*told, ("prediction", Place(), {"values": prediction})])


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    return record(tmp_path_factory.mktemp("golden") / "trace", back(fitted("ls")))


@pytest.fixture
def compare(golden, tmp_path):
    """Compare the golden trace with that of a predictor whose fields are as `change` says."""

    def compare_changed(change):
        def list_records():
            for of in golden.records():
                arrays = {name: of.values(name) for name in STAGES[of.stage].fields if name in of.fields}
                yield of.stage, of.place, {**arrays, **change(of.stage, of.place, arrays)}

        return compare_traces(golden, write_records(tmp_path / "theirs", list_records()))

    return compare_changed


@pytest.mark.parametrize("imported", [False, True])
@pytest.mark.parametrize("name", SUMS)
def test_every_record_follows_from_those_before(name, imported, tmp_path):
    ranker, rows = fitted(name), rows_of(name)
    if imported and name == "gbrt, classes":  # LightGBM has no such model
        return
    ranker = back(ranker) if imported else ranker
    trace = record(tmp_path / "trace", ranker, rows)
    records = index_records(trace)
    highest = max(of.values("feature").max() for (stage, _), of in records.items() if stage == "tree")
    assert 0 <= highest < X.shape[1]
    assert records["prediction", Place()].values("values").tobytes() == ranker.predict(rows).tobytes()
    if name in UNTOLD and not imported:
        assert trace.manifest["parameters"]["head"] == "other"
        assert ("scores", Place(round=2, output=0)) in records
        return
    stages = [*follow(trace)]
    n_trees = sum(len(trees) for trees in ranker.model_.rounds)
    assert [stages.count(stage) for stage in ("tree", "leaves", "step", "scores")] == [n_trees] * 4
    assert stages[-3:] == ["prediction", "order", "metric"]


@pytest.mark.parametrize("name", ["cocr", "cocr over m5p", "lambdarank", "igbrt", "clipped"])
def test_other_models_tell_their_prediction(name, tmp_path):
    clipped = GBRTRanker(n_rounds=2, max_depth=2, setting="classification", clip="each-round")
    trace = record(tmp_path / "trace", (clipped if name == "clipped" else make(name)).fit(X, DATA.y, DATA.qid))
    stages = {of.stage for of in trace.records()}
    assert stages == {"data", "prediction", "order", "metric"} | ({"answers"} if "cocr" in name else set())
    assert compare_traces(trace, trace).passes


def test_a_training_is_not_compared_with_a_model(golden, tmp_path):
    training = write_records(tmp_path / "training", [], algorithm="ls")
    with pytest.raises(ValueError, match=r"algorithm of .* is ls: it must be model"):
        compare_traces(golden, training)


def test_lightgbm_agrees_tree_by_tree(tmp_path):
    """LightGBM trains and scores; refrank reads its text. Both add float64 in the same order: every bit is equal.

    Every other feature has holes, so that a rule of the model for each kind makes columns of its own.
    """
    program = pytest.importorskip("lightgbm")
    rows = np.where(np.arange(X.shape[1]) % 2 == 0, HOLES, X)
    parameters = {"objective": "regression", "num_leaves": 6, "min_data_in_leaf": 2, "verbose": -1, "num_threads": 1}
    booster = program.train(parameters, program.Dataset(rows, DATA.y), num_boost_round=8)
    ranker = lightgbm_reader.read(booster.model_to_string())
    assert len(ranker.rules_) > 1
    trace = record(tmp_path / "trace", ranker, rows)
    assert [*follow(trace)].count("tree") == 8
    features = {f for of in trace.records() if of.stage == "tree" for f in of.values("feature").tolist()}
    of_program = {line.split("=")[0] for line in booster.model_to_string().split("feature_importances:")[1].split()}
    assert {f"Column_{f}" for f in features - {-1}} == {name for name in of_program if name.startswith("Column_")}
    sums = [booster.predict(rows, raw_score=True, num_iteration=m) for m in range(1, 9)]
    comparison = compare_traces(trace, write_sums(tmp_path / "theirs", sums, booster.predict(rows)))
    assert comparison.passes
    assert (comparison.counts["scores"], comparison.counts["prediction"]) == ({"agrees": 8}, {"agrees": 1})


def test_the_margins_of_xgboost_are_float32(tmp_path):
    """XGBoost adds float32, and refrank the same leaves in float64: the first sum that is rounded is told as such."""
    program = pytest.importorskip("xgboost", reason="xgboost is not installed: pip install 'refrank[exchange]'")
    booster = program.train({"max_depth": 2, "nthread": 1}, program.DMatrix(X, DATA.y), num_boost_round=3)
    trace = record(tmp_path / "trace", xgboost_reader.read(bytes(booster.save_raw("json"))))
    assert [*follow(trace)].count("tree") == 3
    rows = program.DMatrix(X)
    sums = [booster.predict(rows, output_margin=True, iteration_range=(0, m)) for m in range(1, 4)]
    comparison = compare_traces(trace, write_sums(tmp_path / "theirs", sums, booster.predict(rows)))
    assert comparison.first.stage == "scores"
    assert "float32" in comparison.first.hint


MISTAKES = {  # the stage, its field, what a predictor makes of the field in round m, and where and how that is told
    "steps twice": ("step", "values", lambda values, m: values * 2, "leaf 0", "2 times"),
    "rows reversed": (
        *("leaves", "values", lambda values, m: values[::-1] if m == 3 else values),
        *("round 3, output 0, row", ""),
    ),
    "float32": ("scores", "values", lambda values, m: values.astype(np.float32), "round 1, output 0, row", "float32"),
    "one tree off": ("scores", "values", lambda values, m: values + (m == 2), "round 2, output 0, row 0", ""),
    "sign": ("prediction", "values", lambda values, m: -values, "row 0", ""),
    "cuts one step off": ("tree", "cut", lambda cut, m: np.nextafter(cut, np.inf), "round 1, output 0, node", ""),
}


@pytest.mark.parametrize(("stage", "field", "edit", "where", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_a_predictor_is_named_by_its_stage(compare, stage, field, edit, where, hint):
    comparison = compare(lambda at, place, arrays: {field: edit(arrays[field], place.round)} if at == stage else {})
    first = comparison.first
    assert not comparison.passes
    assert (first.stage, first.verdict) == (stage, "differs")
    assert where in first.where
    assert hint in str(first.hint)


@pytest.mark.parametrize("leaf", [-1, 100])
def test_a_leaf_that_is_not_there_makes_its_sum_unclear(compare, leaf):
    change = {"leaves": lambda values: np.full_like(values, leaf), "scores": lambda values: values + 1.0}
    comparison = compare(
        lambda stage, _, arrays: {"values": change[stage](arrays["values"])} if stage in change else {}
    )
    # the sums of the second round follow from those of the first, which the port tells
    assert comparison.counts["scores"] == {"unclear": 2, "follows": 2}


def test_what_follows_from_a_mistake_is_told_apart(compare):
    """A predictor that forgets tree 3: F of round 3 differs, and what comes after it follows."""
    last = {"F": 0.0}

    def forget(stage, place, arrays):
        last[stage] = arrays.get("values")
        if stage == "scores" and place.round != 3:
            last["F"] = last["F"] + last["step"][last["leaves"]]
        return {"values": last["F"]} if stage in ("scores", "prediction") else {}

    comparison = compare(forget)
    assert comparison.counts["scores"] == {"agrees": 2, "differs": 1, "follows": 1}
    assert comparison.counts["prediction"] == {"follows": 1}
    assert comparison.first.where.startswith("round 3, output 0, row ")


def test_a_tree_in_a_circle_is_not_followed(compare):
    def turn(stage, place, arrays):
        if stage == "tree":
            return {"left": np.zeros_like(arrays["left"])}
        return {"values": arrays["values"] * 2} if stage == "step" else {}

    comparison = compare(turn)
    assert comparison.counts["tree"] == {"agrees": 1, "differs": 3}  # the first is the start, a leaf alone
    assert comparison.counts["step"] == {"differs": 1, "unclear": 3}


@pytest.mark.parametrize("name", ["softmax", "rf", "holes"])
def test_the_size_is_said_beforehand(name, tmp_path):
    ranker = fitted(name)
    for values, size in predict_model_sizes(ranker, rows_of(name), DATA.y, DATA.qid).items():
        check_size(record(tmp_path / values, ranker, rows_of(name), values), size)


GIVEN = {"n_rounds": 3, "head": "output", "averages": False, "learning_rate": 1.0}


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"n_rounds": -1}, "parameters of m: n_rounds is -1: it must be an integer from 0"),
        ({"head": "mean"}, "head is 'mean': it must be one of 'output', 'softmax', 'other'"),
        ({"averages": 1}, "averages is 1: it must be True or False"),
        ({"learning_rate": "x"}, "learning_rate is 'x': it must be a"),
        ({"more": 1}, "parameters of m must be those of the trace of a model: n_rounds, head, averages, learning_rate"),
    ],
)
def test_other_parameters_are_refused(change, fault):
    assert asdict(read_traced_model(GIVEN, "m")) == GIVEN
    with pytest.raises(ValueError, match=fault):
        read_traced_model({**GIVEN, **change}, "m")


# ---- the command ----


@pytest.fixture
def folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    write_letor(tmp_path / "rows.txt", X, DATA.y, DATA.qid)
    save_model(back(fitted("ls")), "m.refrank")
    return tmp_path


def test_the_command_follows_a_model(folder, capsys):
    assert main(["trace", "m.refrank", "rows.txt", "--out", "golden"]) == 0
    assert "golden: about" in capsys.readouterr().err
    manifest = json.loads((folder / "golden" / "manifest.json").read_text())
    assert (manifest["algorithm"], manifest["model"], manifest["n_samples"]) == ("model", "imported", len(X))
    assert main(["conform", "diff", "golden", "golden"]) == 0
    assert "No difference in 21 records" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("words", "fault"),
    [
        ("trace sofmax --out o", "ALGORITHM is sofmax: it must be one of cocr, "),
        ("trace m.refrank --out o", "m.refrank is a model: DATA must name the rows that it is to score"),
        ("trace m.refrank rows.txt --out o --n-rounds 3", "--n-rounds does not work with a model"),
        ("trace m.refrank rows.txt --out o --n-features 3", "--n-features does not work with a model"),
        ("trace rows.txt rows.txt --out o", "rows.txt is not a refrank model"),
    ],
)
def test_what_does_not_fit_a_model_is_refused(folder, capsys, words, fault):
    assert main(words.split()) == 2
    assert fault in capsys.readouterr().err

"""Traces of models: what is read off them, what a port's predictor makes of them, and what is said of it."""

import json

import numpy as np
import pytest

from refrank import GBRTRanker, LSBoostRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.cli import main
from refrank.models import save_model
from refrank.models.exchange import lightgbm, lightgbm_reader
from refrank.models.exchange.packing import make_portable
from tests.cli.command_line import write_letor
from tests.yardstick.trainings import DATA, X, add, check_size, edit_at, follow, make, put, rewrite
from yardstick.divergence.comparing import compare_traces, judge_trace
from yardstick.traces.models import describe_model, predict_model_sizes, read_traced_model, record_model
from yardstick.traces.reader import index_records, open_trace
from yardstick.traces.stages import LabelledRows, Place
from yardstick.traces.writer import TraceWriter

HOLES = np.where(np.arange(X.size).reshape(X.shape) % 7 == 0, np.nan, X)
SUMS = {
    "softmax": SoftmaxBoostRanker(n_rounds=3, n_leaves=4),
    "ls": LSBoostRanker(n_rounds=3, n_leaves=4),
    "gbrt": GBRTRanker(n_rounds=3, max_depth=2, initial="mean"),
    "rf": RandomForestRanker(n_trees=3),
    "holes": RandomForestRanker(n_trees=3, missing="three-way"),
    "holes filled": GBRTRanker(n_rounds=3, max_depth=2, missing="mean"),
}
UNTOLD = {  # their predictions are not worked out again
    "softmax by gains": SoftmaxBoostRanker(n_rounds=2, n_leaves=4, relevance="2^k-1"),
    "gbrt, classes": GBRTRanker(n_rounds=2, max_depth=2, setting="classification"),
}
NO_SUMS = {
    **{name: make(name) for name in ("cocr", "cocr over m5p", "lambdarank", "igbrt")},
    "clipped": GBRTRanker(n_rounds=2, max_depth=2, setting="classification", clip="each-round"),
}


def rows_of(name):
    return HOLES if name.startswith("holes") else X


def fitted(name):
    return {**SUMS, **UNTOLD, **NO_SUMS}[name].fit(rows_of(name), DATA.y, DATA.qid)


def back(ranker):
    """The ranker as a model of LightGBM, imported."""
    return lightgbm_reader.read(lightgbm.write(make_portable(ranker)).decode())


def record(folder, ranker, rows=X, values="json"):
    given = LabelledRows(rows, DATA.y, DATA.qid)
    with TraceWriter(folder, values, describe_model(ranker, given)) as writer:
        record_model(ranker, given, writer.keep, writer.write)
    return open_trace(folder)


@pytest.fixture(scope="module")
def golden(tmp_path_factory):
    return record(tmp_path_factory.mktemp("golden") / "trace", back(fitted("ls")))


@pytest.mark.parametrize(
    ("name", "imported"), [*((name, False) for name in SUMS), *((name, True) for name in (*SUMS, "softmax by gains"))]
)
def test_every_record_follows_from_those_before_and_their_size_is_said_beforehand(name, imported, tmp_path):
    rows = rows_of(name)
    ranker = back(fitted(name)) if imported else fitted(name)
    trace = record(tmp_path / "trace", ranker, rows)
    records = index_records(trace)
    highest = max(of.values("feature").max() for (stage, _), of in records.items() if stage == "tree")
    assert 0 <= highest < X.shape[1]
    assert records["prediction", Place()].values("values").tobytes() == ranker.predict(rows).tobytes()
    stages = [*follow(trace)]
    n_trees = sum(len(trees) for trees in ranker.model_.rounds)
    assert [stages.count(stage) for stage in ("tree", "leaves", "step", "scores")] == [n_trees] * 4
    assert stages[-3:] == ["prediction", "order", "metric"]
    for values, size in predict_model_sizes(ranker, LabelledRows(rows, DATA.y, DATA.qid)).items():
        check_size(record(tmp_path / values, ranker, rows, values), *size)


@pytest.mark.parametrize("name", [*UNTOLD, *NO_SUMS])
def test_other_models_tell_their_prediction(name, tmp_path):
    trace = record(tmp_path / "trace", fitted(name))
    assert trace.manifest["parameters"]["head"] == "other"
    of_trees = {"start", "tree", "leaves", "step", "scores"} if name in UNTOLD else set()
    answers = {"answers"} if "cocr" in name else set()
    assert {of.stage for of in trace.records()} == {"data", "prediction", "order", "metric"} | of_trees | answers
    assert compare_traces(trace, trace).passes


MISTAKES = {  # the stage, a round, what a predictor makes of a field, and where and how that is told
    "steps twice": ("step", None, put("values", ..., lambda of: of * 2), "leaf 0", "2 times"),
    "rows reversed": ("leaves", 3, put("values", ..., np.flip), "round 3, output 0, row", ""),
    "float32": ("scores", None, put("values", ..., np.float32), "round 1, output 0, row", "float32"),
    "one tree off": ("scores", 2, add("values", ..., 1), "round 2, output 0, row 0", ""),
    "sign": ("prediction", None, put("values", ..., np.negative), "row 0", ""),
    "cuts off": ("tree", None, put("cut", ..., lambda of: np.nextafter(of, np.inf)), "round 1, output 0, node", ""),
}


@pytest.mark.parametrize(("stage", "m", "edit", "where", "hint"), MISTAKES.values(), ids=MISTAKES)
def test_a_mistake_of_a_predictor_is_named_by_its_stage(golden, compare, stage, m, edit, where, hint):
    comparison = compare(golden, edit_at(stage, m and Place(round=m, output=0), edit))
    first = comparison.first
    assert not comparison.passes
    assert (first.stage, first.verdict) == (stage, "differs")
    assert where in first.where
    assert hint in str(first.hint)


@pytest.mark.parametrize("leaf", [-1, 100])
def test_leaves_that_are_not_there_and_trees_in_a_circle_are_not_followed(golden, compare, leaf):
    """The sums of the second round follow from those of the first, which the port tells; the first tree is a leaf."""
    edits = {
        "leaves": put("values", ..., lambda of: np.full_like(of, leaf)),
        "scores": add("values", ..., 1),
        "tree": put("left", ..., np.zeros_like),
        "step": put("values", ..., lambda of: of * 2),
    }

    def compare_changed(*stages):
        def change(stage, _, arrays):
            if stage in stages:
                edits[stage](arrays)
            return arrays

        return compare(golden, change).counts

    assert compare_changed("leaves", "scores")["scores"] == {"unclear": 2, "follows": 2}
    counts = compare_changed("tree", "step")
    assert (counts["tree"], counts["step"]) == ({"agrees": 1, "differs": 3}, {"differs": 1, "unclear": 3})


REFUSED = [  # of the records of a stage: an edit, and the fault
    ("data", lambda of: of.pop("y"), "record data of .* must keep all entries of X, y, qid: a port is judged on them"),
    ("data", lambda of: of.update(X=of["X"].ravel()), r"data of .* has shapes .*: X must be \(n_samples"),
    ("data", lambda of: of.update(y=of["y"][:3]), r"record data of .* has shapes .*'y': \(3,\)"),
    (
        "start",
        lambda of: of.update(values=of["values"][:0]),
        r"values of record start of .* have shape \(0,\)",
    ),
    ("leaves", lambda of: of.update(values=of["values"][:3]), r"values of record leaves of .* have shape \(3,\)"),
    ("tree", put("left", ..., np.zeros_like), "record tree of .* at round 2, output 0: left of node 0 in tree 0 is 0"),
    ("tree", lambda of: of.update(feature=np.array(-1)), "at round 1, output 0: feature of tree 0 has shape"),
]


@pytest.mark.parametrize(("stage", "edit", "fault"), REFUSED)
def test_rows_and_trees_that_do_not_fit_are_refused_by_name(golden, tmp_path, stage, edit, fault):
    with pytest.raises(ValueError, match=fault):
        judge_trace(rewrite(tmp_path / "theirs", golden, edit_at(stage, None, edit)))


@pytest.mark.parametrize(
    ("change", "fault"),
    [
        ({"n_rounds": -1}, "n_rounds of m is -1: it must be an integer of at least 0"),
        ({"head": "mean"}, "head of m is 'mean': it must be one of 'output', 'softmax', 'other'"),
        ({"averages": 1}, "averages of m is 1: it must be true or false"),
        ({"learning_rate": "x"}, "learning_rate of m is 'x': it must be a"),
        ({"more": 1}, "parameters of m must be those of the trace of a model: n_rounds, head, averages, learning_rate"),
    ],
)
def test_other_parameters_are_refused(golden, change, fault):
    with pytest.raises(ValueError, match=fault):
        read_traced_model({**golden.manifest["parameters"], **change}, "m")


OTHER_WORDS = {
    "sofmax": "ALGORITHM is sofmax: it must be one of abc-logitboost, cocr, ",
    "m.refrank": "m.refrank is a model: DATA must name the rows that it is to score",
    "m.refrank rows.txt --n-rounds 3": "--n-rounds does not work with a model",
    "m.refrank rows.txt --n-features 3": "--n-features does not work with a model",
    "rows.txt rows.txt": "rows.txt is not a refrank model",
}


def test_the_command_follows_a_model_and_refuses_what_does_not_fit_it(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    write_letor(tmp_path / "rows.txt", X, DATA.y, DATA.qid)
    save_model(back(fitted("ls")), "m.refrank")
    for words, fault in OTHER_WORDS.items():
        assert main(["trace", *words.split(), "--out", "golden"]) == 2
        assert fault in capsys.readouterr().err
    assert main(["trace", "m.refrank", "rows.txt", "--out", "golden"]) == 0
    assert "golden: about" in capsys.readouterr().err
    manifest = json.loads((tmp_path / "golden" / "manifest.json").read_text())
    assert (manifest["algorithm"], manifest["model"], manifest["n_samples"]) == ("model", "imported", len(X))

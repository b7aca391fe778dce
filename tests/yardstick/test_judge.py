"""The judge: a port is followed in its lawful choices, whatever it tells, and judged by itself."""

from dataclasses import replace

import numpy as np
import pytest

from refrank.trees import engine, splitting
from tests.yardstick.trainings import DATA, OF_TREES, WEIGHT, add, edit_at, make, put, record, rewrite, rows_of, step_up
from yardstick.divergence.comparing import compare_traces, judge_trace
from yardstick.divergence.comparison import Mode
from yardstick.scorecard.trainings import LabelledRows
from yardstick.traces.contest import compare_cuts, make_cut
from yardstick.traces.reader import index_records, open_trace
from yardstick.traces.recording import Recorder
from yardstick.traces.stages import Place, Taker
from yardstick.traces.tracing import record_ranking, train_recorded
from yardstick.traces.writer import TraceWriter

ROUND = Place(round=1, output=0)
TOLD = {  # which stages of a tree a port tells
    "all": {"histogram", "cut", "partition", "leaf_sums", "leaf_values", "step", "scores"},
    "rows, not cuts": {"partition", "leaf_values", "scores"},
    "scores": {"scores"},
}
BITS = np.array([*np.ndindex(2, 2, 2, 2)] * 2, np.float64)
TIED = LabelledRows(BITS, BITS[:, :3].sum(axis=1).astype(np.int64), np.arange(32) // 8)  # three features are alike
BOOSTED = {"n_leaves": 3, "n_rounds": 2}
DEEP = {"max_features": 3, "min_samples_leaf": 4, "cut_at": "midpoint"}


def leave_out(stages):
    return lambda stage, place, arrays: None if stage in stages else arrays


def take_another(which):
    """Return a `best_split` that takes the last of the cuts that tie, or the second best, in place of the best."""

    def take(sums, offsets, features, min_samples_leaf, n_threads, missing=None):
        contest = compare_cuts(sums, offsets, features, min_samples_leaf, missing)
        if not contest.tied:
            return splitting.NO_SPLIT
        f, *_, b = contest.tied[-1]
        if which == "second" and contest.runner_up[0] >= 0:
            f, b = contest.runner_up
        return make_cut(sums, offsets, missing, f, b)

    return take


@pytest.mark.parametrize(
    ("name", "parameters", "rows", "told"),
    [
        *((name, BOOSTED, rows, told) for name in ("softmax", "ls") for rows in (DATA, TIED) for told in TOLD),
        ("rf", {}, DATA, "all"),
        ("rf", {"max_features": 6}, DATA._replace(weight=WEIGHT), "all"),
        ("rf", DEEP, DATA, "all"),
    ],
)
def test_a_tie_is_lawful_whatever_a_port_tells(tmp_path, monkeypatch, name, parameters, rows, told):
    """A tie is found from the cuts, from the rows of the nodes, and from the scores; a worse cut is none."""
    ranker = make(name).set_params(**parameters)
    golden = record(tmp_path / "golden", ranker, rows=rows)
    for which, verdict in (("last", "lawful"), ("second", "differs"))[: 1 if rows is TIED else 2]:
        with monkeypatch.context() as changing:
            changing.setattr(splitting, "best_split", take_another(which))
            changing.setattr(engine, "DEFAULT_SPLITTER", splitting)
            theirs = record(tmp_path / which, ranker, rows=rows)
        theirs = rewrite(tmp_path / f"{which}, told", theirs, leave_out(TOLD["all"] - TOLD[told]))
        assert judge_trace(theirs, Mode("tie")).passes == (which == "last")
        comparison = compare_traces(golden, theirs, Mode("tie"))
        assert comparison.passes == (which == "last"), (which, comparison.counts)
        if rows is TIED or name == "rf" or (name, told) == ("softmax", "all"):  # else another cut leaves the same rows
            comparison = compare_traces(golden, theirs)
            assert not comparison.passes
            assert comparison.first.verdict == verdict
            assert comparison.counts["prediction"].keys() <= {"follows", "agrees"}
            assert comparison.counts.get("tree", {}).keys() <= {"agrees", verdict}


def test_a_tie_with_the_sums_of_another_left_side_differs(golden_of, compare):
    records = index_records(golden_of("softmax"))
    runs = {key: record.values("tied") for key, record in records.items() if key[0] == "cut"}
    key, node = next((key, run[0]) for key, tied in runs.items() for run in tied if sum(tied[:, 0] == run[0]) > 1)
    last = runs[key][runs[key][:, 0] == node][-1, [1, 3]].tolist()
    offsets, sums = records["bins", Place()].values("offsets"), records["histogram", key[1]].values("sums")

    for off, verdict in ((0, "lawful"), (1, "differs")):

        def take_last(arrays, off=off):
            i = arrays["nodes"].tolist().index(node)
            f, b, _, *left = make_cut(sums[i], offsets, None, *last)
            arrays["cut"][i] = [f, b, left[0], left[1] + off, left[2]]

        comparison = compare("softmax", edit_at(*key, take_last))
        assert comparison.counts["cut"][verdict] == 1
        assert comparison.first.verdict == verdict


def test_nodes_in_another_order_are_the_same_tree(compare):
    """The second and the third cut change places, and with them the numbers of the nodes below."""
    numbers = np.array([0, 1, 2, 5, 6, 3, 4])

    def reorder(stage, place, arrays):
        if "nodes" in arrays:
            arrays["nodes"] = numbers[arrays["nodes"]]
        if stage == "partition":
            assert arrays["nodes"].tolist() == [0, 1, 2]
            arrays |= {name: arrays[name][[0, 2, 1]] for name in ("nodes", "cut", "n_left")}
        return arrays

    comparison = compare("gbrt", reorder, "tie")
    assert comparison.passes
    assert comparison.counts["partition"] == {"lawful": 3}
    assert {verdict for stage in comparison.counts.values() for verdict in stage} <= {"agrees", "lawful", "follows"}


def test_nodes_that_no_cut_improves_may_be_left_out(golden_of, compare):
    is_cut = {of.place: of.values("cut")[:, 0] >= 0 for of in golden_of("ls, few rows").records() if of.stage == "cut"}
    assert not all(map(all, is_cut.values()))

    def skip(stage, place, arrays):
        if stage not in ("histogram", "cut"):
            return arrays
        kept = is_cut[place]
        return {name: values[kept] if len(values) == len(kept) else values for name, values in arrays.items()}

    assert compare("ls, few rows", skip).passes


def test_rows_of_weight_0_may_be_carried_along(compare):
    """A port that keeps such rows tells their p and residual, 0, and the leaf that they fall into."""
    weight = rows_of("softmax, weight 0").weight
    kept = np.flatnonzero(weight > 0)

    def carry(stage, place, arrays):
        if stage == "partition":
            arrays["rows"] = np.append(kept[arrays["rows"]], np.flatnonzero(weight == 0)).astype(np.int32)
        elif stage in ("proba", "residual", "scores"):
            arrays["values"] = np.bincount(kept, arrays["values"], len(weight))
        return arrays

    comparison = compare("softmax, weight 0", carry)
    assert comparison.passes, comparison.counts


def test_rows_with_equal_scores_may_change_places(golden_of, compare):
    records = index_records(golden_of("lad"))
    rows, scores = records["order", Place()].values("rows"), records["prediction", Place()].values("values")
    at = next(i for i in range(len(rows) - 1) if scores[rows[i]] == scores[rows[i + 1]])
    for i, j, verdict in ((at, at + 1, "lawful"), (0, -1, "differs")):  # the first and the last are of two queries
        assert compare("lad", edit_at("order", Place(), put("rows", [i, j], np.flip))).counts["order"] == {verdict: 1}


@pytest.mark.parametrize("name", ["softmax", "ls", "rf", "igbrt, classes", "cocr, absolute"])
def test_a_trace_is_judged_by_itself(golden_of, tmp_path, name):
    """A changed number is the first that differs, with its place."""
    golden = golden_of(name)
    stage, place = next((stage, place) for stage, place in index_records(golden) if stage in ("scores", "tree"))
    edit = step_up("values", 3) if stage == "scores" else add("n_node_samples", 2, 1)
    first = judge_trace(rewrite(tmp_path / "theirs", golden, edit_at(stage, place, edit))).first
    assert (first.stage, first.place, first.verdict) == (stage, place, "differs")


@pytest.mark.parametrize(
    ("name", "fault"),
    [
        ("lambdarank", r"algorithm of .* is lambdarank: a judge repeats"),
        ("cocr over m5p", "is cocr over WekaLinearRegressor: a judge repeats"),
    ],
)
def test_what_cannot_be_repeated_is_refused_by_name(golden_of, name, fault):
    with pytest.raises(ValueError, match=fault):
        judge_trace(golden_of(name))


# --- an arithmetic that is stated ------------------------------------------------------------------------------------


class Single(Taker):
    """Makes the trace of a port in float32: it rounds each number, and goes on with it; it has no grid."""

    def take(self, stage, place, **arrays):
        if stage not in ("grid", "histogram", "cut"):
            super().take(stage, place, **{name: self.adopt(stage, place, name, of) for name, of in arrays.items()})

    def adopt(self, stage, place, name, values, below=None):
        is_cut = name in ("cut", "cuts")  # between the numbers of the rows, which may be neighbours in float64
        is_left = stage in ("data", "bins", "metric") or is_cut or np.asarray(values).dtype.kind != "f"
        return values if is_left else values.astype(np.float32).astype(np.float64)

    def adopt_tree(self, place, tree, n_features):
        return replace(tree, value=self.adopt("tree", place, "value", tree.value))


@pytest.mark.parametrize("name", OF_TREES)
def test_a_port_in_float32_conforms_in_float32_alone(golden_of, tmp_path, name):
    ranker, rows, golden = make(name), rows_of(name), golden_of(name)
    assert judge_trace(golden, Mode("float64")).passes
    with TraceWriter(tmp_path / "theirs", "json", golden.manifest) as writer:
        recorder = Recorder(ranker, Single(writer.keep, writer.write))
        train_recorded(recorder, rows.X, rows.y, rows.qid, rows.weight, splitting)
        record_ranking(ranker, rows.X, rows.y, rows.qid, recorder.taker)
    theirs = open_trace(tmp_path / "theirs")
    comparison = compare_traces(golden, theirs, Mode("float32"))
    assert comparison.passes, (comparison.first.where, comparison.first.expected, comparison.first.actual)
    exact = compare_traces(golden, theirs, Mode("tie")).passes  # a training all of whose numbers have 24 bits
    assert compare_traces(golden, theirs, Mode("float64")).passes == exact
    assert not exact or name.startswith(("ls", "gbrt"))


@pytest.mark.parametrize("stage", ["residual", "leaf_values", "step", "scores"])
def test_a_number_beyond_its_bound_differs(compare, stage):
    stretch = put("values", ..., lambda values: values * (1 + 2.0**-16))
    first = compare("gbrt", edit_at(stage, ROUND, stretch), "float32").first
    assert (first.stage, first.verdict) == (stage, "differs")

"""The judge: a port is followed in its lawful choices, whatever it tells, and judged by itself."""

from dataclasses import replace

import numpy as np
import pytest

from refrank.trees import engine, splitting
from refrank.trees.contest import ComparingSplitter, make_cut
from tests.yardstick.trainings import DATA, OF_TREES, WEIGHT, edit_at, make, put, record, rewrite, rows_of
from yardstick.divergence.comparing import Mode, compare_traces, judge_trace
from yardstick.divergence.replay import UNBOUNDED
from yardstick.planting import plant, read_table
from yardstick.traces.ranking import record_ranking
from yardstick.traces.reader import index_records, open_trace
from yardstick.traces.recording import Recorder
from yardstick.traces.stages import LabelledRows, Place, Taker
from yardstick.traces.tracing import train_recorded
from yardstick.traces.writer import TraceWriter

ROUND = Place(round=1, output=0)
TOLD = {  # which stages of a tree a port tells
    "all": {"histogram", "cut", "partition", "leaf_sums", "leaf_values", "step", "scores"},
    "rows, not cuts": {"partition", "leaf_values", "scores"},
    "scores": {"scores"},
}
BITS = np.array([*np.ndindex(2, 2, 2, 2)] * 2, np.float64)
TIED = LabelledRows(BITS, BITS[:, :3].sum(axis=1).astype(np.int64), np.arange(32) // 8)  # three features are alike
LAST, WORSE, BY_LEVEL = (
    next(mistake for mistake in read_table() if mistake.words.startswith(words))
    for words in (
        "a tie went to the last cut",
        "the gain is the difference of the means alone",
        "the tree is grown level",
    )
)
BOOSTED = {"n_leaves": 3, "n_rounds": 2}
IN_THREE = {"n_leaves": 4, "n_rounds": 2, "missing": "three-way"}
DEEP = {"max_features": 3, "min_samples_leaf": 4, "cut_at": "midpoint"}


@pytest.mark.parametrize(
    ("name", "parameters", "rows", "told"),
    [
        *((name, BOOSTED, rows, told) for name in ("softmax", "ls") for rows in (DATA, TIED) for told in TOLD),
        ("softmax", IN_THREE, rows_of("gbrt, three-way"), "all"),
        ("rf", {}, DATA, "all"),
        ("rf", {"max_features": 6}, DATA._replace(weight=WEIGHT), "all"),
        ("rf", DEEP, DATA, "all"),
    ],
)
def test_a_tie_is_lawful_whatever_a_port_tells(tmp_path, monkeypatch, name, parameters, rows, told):
    """A tie is found from the cuts, from the rows of the nodes, and from the scores; a worse cut is none."""
    ranker, left_out = make(name).set_params(**parameters), TOLD["all"] - TOLD[told]
    golden = record(tmp_path / "golden", ranker, rows=rows)
    monkeypatch.setattr(engine, "DEFAULT_SPLITTER", splitting)
    for which, verdict in (LAST, "lawful"), (WORSE, "differs"):
        if which is WORSE and rows is TIED:
            continue  # the best cuts are the same
        with plant(which):
            theirs = record(tmp_path / verdict, ranker, rows=rows)
        theirs = rewrite(tmp_path / f"{verdict}2", theirs, lambda of, _, arrays: None if of in left_out else arrays)
        assert judge_trace(theirs, Mode("tie")).passes == (which is LAST)
        comparison = compare_traces(golden, theirs, Mode("tie"))
        assert comparison.passes == (which is LAST), (which, comparison.counts)
        if rows is TIED or name == "rf" or (name, told) == ("softmax", "all"):  # else another cut leaves the same rows
            comparison = compare_traces(golden, theirs)
            assert not comparison.passes
            assert comparison.first.verdict == verdict
            assert comparison.counts["prediction"].keys() <= {"follows", "agrees"}
            assert comparison.counts.get("tree", {}).keys() <= {"agrees", verdict}


def test_cuts_in_three_are_made_best_first(tmp_path):
    ranker, rows = make("softmax").set_params(**IN_THREE), rows_of("gbrt, three-way")
    golden = record(tmp_path / "golden", ranker, rows=rows)
    assert judge_trace(golden, Mode("tie")).passes
    with plant(BY_LEVEL):
        theirs = record(tmp_path / "theirs", ranker, rows=rows)
    comparison = compare_traces(golden, theirs, Mode("tie"))
    assert (comparison.first.stage, comparison.first.verdict) == ("partition", "differs")


def test_a_tie_with_the_sums_of_another_left_side_differs(golden_of, compare):
    records = index_records(golden_of("softmax"))
    runs = {key: record.values("tied") for key, record in records.items() if key[0] == "cut"}
    key, node = next((key, run[0]) for key, tied in runs.items() for run in tied if sum(tied[:, 0] == run[0]) > 1)
    last = runs[key][runs[key][:, 0] == node][-1, [1, 3]].tolist()
    at, offsets = records[key].values("nodes").tolist().index(node), records["bins", Place()].values("offsets")
    f, b, _, *left = make_cut(records["histogram", key[1]].values("sums")[at], offsets, None, *last)
    for count, verdict in ((left[1], "lawful"), (left[1] + 1, "differs")):
        own = [f, b, left[0], count, left[2]]
        comparison = compare("softmax", edit_at(*key, put("cut", at, lambda _, own=own: own)))
        assert comparison.counts["cut"][verdict] == 1
        assert comparison.first.verdict == verdict


def reorder(stage, place, arrays):
    """The second and the third cut change places, and with them the nodes below; those of a forest come backwards."""
    if stage == "tree":
        order = np.array([0, *range(len(arrays["left"]) - 1, 0, -1)])
        children = {name: np.argsort(order)[arrays[name]] * (arrays["feature"] >= 0) for name in ("left", "right")}
        return {name: values[order] for name, values in (arrays | children).items()}
    if "nodes" in arrays:
        arrays["nodes"] = np.array([0, 1, 2, 5, 6, 3, 4])[arrays["nodes"]]
    if stage == "partition":
        arrays |= {name: arrays[name][[0, 2, 1]] for name in ("nodes", "cut", "n_left")}
    return arrays


def skip(stage, place, arrays):
    """Nodes that no cut improves are left out."""
    if stage not in ("histogram", "cut"):
        return arrays
    kept = np.isin(arrays["nodes"], [0, 1, 2, 6, 7])
    assert stage == "histogram" or ((arrays["cut"][:, 0] >= 0) == kept).all()
    return {name: values[kept] if len(values) == len(kept) else values for name, values in arrays.items()}


def carry(stage, place, arrays):
    """Rows of weight 0 are carried along: their p and residual are 0, and they fall into a leaf."""
    weight = rows_of("softmax, weight 0").weight
    kept = np.flatnonzero(weight > 0)
    if stage == "partition":
        arrays["rows"] = np.append(kept[arrays["rows"]], np.flatnonzero(weight == 0)).astype(np.int32)
    elif stage in ("proba", "residual", "scores"):
        arrays["values"] = np.bincount(kept, arrays["values"], len(weight))
    return arrays


OTHERWISE = [  # a training, what a port tells otherwise, and the verdict on a stage
    ("gbrt", reorder, "partition", "lawful"),
    ("rf", reorder, "tree", "agrees"),
    ("ls, few rows", skip, "cut", "agrees"),
    ("softmax, weight 0", carry, "partition", "agrees"),
]


@pytest.mark.parametrize(("name", "change", "stage", "verdict"), OTHERWISE)
def test_nodes_and_rows_are_compared_whatever_their_order_and_number(compare, name, change, stage, verdict):
    comparison = compare(name, change, "tie")
    assert comparison.passes, comparison.counts
    assert comparison.counts[stage].keys() == {verdict}
    assert {of for counts in comparison.counts.values() for of in counts} <= {"agrees", verdict, "follows"}
    assert verdict == "lawful" or compare(name, change).passes


def test_rows_with_equal_scores_may_change_places(golden_of, compare):
    records = index_records(golden_of("lad"))
    rows, scores = records["order", Place()].values("rows"), records["prediction", Place()].values("values")
    at = next(i for i in range(len(rows) - 1) if scores[rows[i]] == scores[rows[i + 1]])
    for i, j, verdict in ((at, at + 1, "lawful"), (0, -1, "differs")):  # the first and the last are of two queries
        assert compare("lad", edit_at("order", Place(), put("rows", [i, j], np.flip))).counts["order"][verdict] == 1


@pytest.mark.parametrize(
    ("name", "rule"), [("lambdarank", "lambdarank"), ("cocr over m5p", "over WekaLinearRegressor")]
)
def test_what_cannot_be_repeated_is_refused_by_name(golden_of, name, rule):
    with pytest.raises(ValueError, match=f"algorithm of .* is .*{rule}: a judge repeats"):
        judge_trace(golden_of(name))


@pytest.mark.parametrize("name", ["robust-logitboost", "abc-logitboost", "abc-logitboost, weights", "lambdamart"])
def test_a_step_of_a_successor_differs_alone(golden_of, tmp_path, name):
    golden, ranker = golden_of(name), make(name).set_params(learning_rate=0.5)
    theirs = record(tmp_path / "theirs", ranker, rows=rows_of(name))
    counts = judge_trace(replace(theirs, manifest=golden.manifest)).counts
    assert {stage for stage, verdicts in counts.items() if "differs" in verdicts} == {"step"}
    assert counts["prediction"].keys() == {"follows"}
    with pytest.raises(ValueError, match=f"is {ranker.algorithm}: float32 and float64 have no bounds for its cuts"):
        judge_trace(golden, Mode("float64"))


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


@pytest.mark.parametrize("name", [name for name, of in OF_TREES.items() if of.algorithm not in UNBOUNDED])
def test_a_port_in_float32_conforms_in_float32_alone(golden_of, tmp_path, name):
    ranker, rows, golden = make(name), rows_of(name), golden_of(name)
    assert judge_trace(golden, Mode("float64")).passes
    with TraceWriter(tmp_path / "theirs", "json", golden.manifest) as writer:
        recorder = Recorder(ranker, Single(writer.keep, writer.write))
        train_recorded(recorder, rows, ComparingSplitter(splitting))
        record_ranking(ranker, rows, recorder.taker)
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

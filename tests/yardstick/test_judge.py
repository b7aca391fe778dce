"""The judge: a port is followed in its lawful choices, whatever it tells, and judged by itself."""

from dataclasses import replace

import numpy as np
import pytest

from refrank.trees import engine, splitting
from tests.yardstick.trainings import DATA, OF_TREES, WEIGHT, add, changed, make, record, rows_of, step_up
from yardstick.divergence.comparing import compare_traces, judge_trace
from yardstick.divergence.comparison import Mode
from yardstick.scorecard.adapters import load_adapter
from yardstick.scorecard.training_rows import LabelledRows
from yardstick.traces.contest import compare_cuts, make_cut
from yardstick.traces.reader import open_trace
from yardstick.traces.recording import Recorder
from yardstick.traces.records import index_records
from yardstick.traces.stages import Place, Taker
from yardstick.traces.tracing import record_ranking, train_recorded
from yardstick.traces.writer import TraceWriter

ROUND = Place(round=1, output=0)
TOLD = {  # which stages of a tree a port tells
    "all": {"histogram", "cut", "partition", "leaf_sums", "leaf_values", "step", "scores"},
    "rows, not cuts": {"partition", "leaf_values", "scores"},
    "scores": {"scores"},
}


def leave_out(stages):
    """Return a change that leaves out the stages of trees, except these."""
    return lambda written, keep: written if written.stage not in TOLD["all"] - stages else None


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


BITS = np.array([*np.ndindex(2, 2, 2, 2)] * 2, np.float64)
TIED = LabelledRows(BITS, BITS[:, :3].sum(axis=1).astype(np.int64), np.arange(32) // 8)  # three features are alike


@pytest.mark.parametrize("rows", [DATA, TIED], ids=["runs of bins", "features"])
@pytest.mark.parametrize("name", ["softmax", "ls"])
@pytest.mark.parametrize("told", TOLD)
def test_a_tie_is_lawful_whatever_a_port_tells(tmp_path, monkeypatch, name, told, rows):
    """A tie is found from the cuts, from the rows of the nodes, and from the scores; a worse cut is none."""
    ranker = make(name).set_params(n_leaves=3, n_rounds=2)
    golden = record(tmp_path / "golden", ranker, rows=rows)
    for which in ("last", "second") if rows is DATA else ("last",):
        with monkeypatch.context() as changing:
            changing.setattr(splitting, "best_split", take_another(which))
            changing.setattr(engine, "DEFAULT_SPLITTER", splitting)
            theirs = record(tmp_path / which, ranker, change=leave_out(TOLD[told]), rows=rows)
        comparison = compare_traces(golden, theirs, Mode("tie"))
        assert comparison.passes == (which == "last"), (which, comparison.counts)
        assert judge_trace(theirs, Mode("tie")).passes == (which == "last")
        if rows is TIED or (name, told) == ("softmax", "all"):  # else another cut leaves the same rows
            assert not compare_traces(golden, theirs).passes


def test_nodes_in_another_order_are_the_same_tree(golden_of, tmp_path):
    """The second and the third cut change places, and with them the numbers of the nodes below."""
    numbers = np.array([0, 1, 2, 5, 6, 3, 4])

    def reorder(written, keep):
        arrays = {name: field.values for name, field in written.fields.items()}
        if "nodes" in arrays:
            arrays["nodes"] = numbers[arrays["nodes"]]
        if written.stage == "partition":
            for name in ("nodes", "cut", "n_left"):
                arrays[name] = arrays[name][[0, 2, 1]]
        return replace(written, fields={name: keep(values) for name, values in arrays.items()})

    golden = golden_of("gbrt")
    assert index_records(golden)["partition", ROUND].values("nodes").tolist() == [0, 1, 2]
    theirs = record(tmp_path / "theirs", make("gbrt"), change=reorder)
    comparison = compare_traces(golden, theirs, Mode("tie"))
    assert comparison.passes
    assert comparison.counts["partition"] == {"lawful": 3}
    assert {verdict for stage in comparison.counts.values() for verdict in stage} <= {"agrees", "lawful", "follows"}


def test_nodes_that_no_cut_improves_may_be_left_out(golden_of, tmp_path):
    def skip(written, keep):
        nodes = written.values("nodes")
        if written.stage not in ("histogram", "cut"):
            return written
        cut = own["cut", written.place].values("cut")[:, 0] >= 0
        fields = {
            name: keep(field.values[cut]) for name, field in written.fields.items() if len(field.values) == len(nodes)
        }
        return replace(written, fields=fields)

    golden = golden_of("ls, few rows")
    own = index_records(golden)
    assert any((own[key].values("cut")[:, 0] < 0).any() for key in own if key[0] == "cut")
    theirs = record(tmp_path / "theirs", make("ls, few rows"), change=skip, rows=rows_of("ls, few rows"))
    assert compare_traces(golden, theirs).passes


def test_rows_of_weight_0_may_be_carried_along(tmp_path):
    """A port that keeps such rows tells their p and residual, 0, and the leaf that they fall into."""
    weight = np.where(np.arange(len(DATA.y)) % 7 == 0, 0.0, WEIGHT)
    kept = np.flatnonzero(weight > 0)

    def carry(written, keep):
        arrays = {name: field.values for name, field in written.fields.items()}
        if written.stage == "partition":
            arrays["rows"] = np.append(kept[arrays["rows"]], np.flatnonzero(weight == 0)).astype(np.int32)
            arrays["n_left"] = arrays["n_left"].copy()
        elif written.stage in ("proba", "residual", "scores"):
            arrays["values"] = np.bincount(kept, arrays["values"], len(weight))
        return replace(written, fields={name: keep(values) for name, values in arrays.items()})

    golden = record(tmp_path / "golden", make("softmax"), weight=weight)
    theirs = record(tmp_path / "theirs", make("softmax"), weight=weight, change=carry)
    comparison = compare_traces(golden, theirs)
    assert comparison.passes, comparison.counts


@pytest.mark.parametrize("name", ["softmax", "ls", "rf", "igbrt, classes", "cocr, absolute"])
def test_a_trace_is_judged_by_itself(golden_of, tmp_path, name):
    """All of refrank's own trace agrees; a changed number is the first that differs, with its place."""
    rows, golden = rows_of(name), golden_of(name)
    assert judge_trace(golden).passes
    stage, place = next((stage, place) for stage, place in index_records(golden) if stage in ("scores", "tree"))
    edit = step_up("values", 3) if stage == "scores" else add("n_node_samples", 2, 1)
    theirs = changed(tmp_path / "theirs", make(name), stage, place, edit, rows=rows)
    first = judge_trace(theirs).first
    assert (first.stage, first.place, first.verdict) == (stage, place, "differs")


def test_what_cannot_be_repeated_is_refused_by_name(golden_of, tmp_path):
    with pytest.raises(ValueError, match=r"algorithm of .* is lambdarank: a judge repeats"):
        judge_trace(golden_of("lambdarank"))
    with pytest.raises(ValueError, match=r"is cocr over WekaLinearRegressor: a judge repeats|is cocr over M5P"):
        judge_trace(golden_of("cocr over m5p"))


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
def test_a_number_beyond_its_bound_differs(golden_of, tmp_path, stage):
    def stretch(arrays):
        arrays["values"] *= 1 + 2.0**-16

    theirs = changed(tmp_path / "theirs", make("gbrt"), stage, ROUND, stretch)
    first = compare_traces(golden_of("gbrt"), theirs, Mode("float32")).first
    assert (first.stage, first.verdict) == (stage, "differs")


@pytest.mark.parametrize(
    ("page", "training", "passing"),
    [
        ("gradient_boosting", "ls", {"float64", "float32"}),
        ("gradient_boosting", "softmax, simultaneous", {"float64", "float32"}),
        ("hist_gradient_boosting", "ls", {"float32"}),
        ("hist_gradient_boosting", "softmax, simultaneous", set()),
    ],
)
def test_scikit_learn_conforms_to_an_arithmetic(golden_of, tmp_path, page, training, passing):
    theirs = load_adapter(f"examples/peers/{page}.py").run(golden_of(training), tmp_path / "theirs")
    modes = ("tie", "float64", "float32")
    assert {mode for mode in modes if compare_traces(golden_of(training), theirs, Mode(mode)).passes} == passing

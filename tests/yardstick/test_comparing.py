"""Two traces: each record that is changed alone is found, told where it stands, and judged for itself."""

import json
from xml.etree import ElementTree

import numpy as np
import pytest

from refrank.metrics.significance import randomization_test
from tests.yardstick.trainings import DATA, add, edit_at, make, put, record, rewrite, step_up
from yardstick.divergence import comparing
from yardstick.divergence.comparing import Mode, bound_p_value, compare_quality, compare_traces, judge_trace
from yardstick.divergence.reporting import describe, write_json, write_junit, write_text
from yardstick.traces.stages import STAGES, LabelledRows, Place

START, ROUND = Place(), Place(round=2, output=0)
CHANGES = {
    "a bin": ("bins", START, add("codes", (3, 2), 1), "row 3, feature 2: bin"),
    "a cut of a feature": ("bins", START, step_up("cuts", 160), "feature 2, cut 3"),
    "the start": ("start", START, step_up("values", 0), "output 0"),
    "a residual": ("residual", ROUND, step_up("values", 5), "round 2, output 0, row 5"),
    "a row on the grid": ("grid", ROUND, add("integers", 7, -1), "round 2, output 0, row 7: integer on the grid"),
    "the exponent": ("grid", ROUND, add("exponent", (), 1), "round 2, output 0, exponent"),
    "a sum": ("histogram", ROUND, add("sums", (1, 4, 0), 1), "node 1, feature 0, bin 4: sum of residuals"),
    "a count": ("histogram", ROUND, add("sums", (2, 0, 1), 1), "node 2, feature 0, bin 0: count of rows"),
    "a gain": ("cut", ROUND, step_up("split_gain", 1), "node 1: split_gain"),
    "a feature": ("cut", ROUND, add("cut", (0, 0), 1), "node 0: feature"),
    "a left sum": ("cut", ROUND, add("cut", (0, 2), 1), "node 0: sum of residuals on the left"),
    "rows": ("partition", ROUND, put("rows", [0, -1], np.flip), "cut 2 of the tree: n_left"),
    "a threshold": ("partition", ROUND, step_up("cut", 0), "cut 0 of the tree: cut"),
    "a numerator": ("leaf_sums", ROUND, step_up("numerator", 1), "leaf 1 from the left: numerator"),
    "a leaf": ("leaf_values", ROUND, step_up("values", 2), "leaf 2 from the left"),
    "a step": ("step", ROUND, step_up("values", 0), "leaf 0 from the left"),
    "a score": ("scores", ROUND, step_up("values", 11), "row 11"),
    "a prediction": ("prediction", START, step_up("values", 1), "row 1"),
    "a query": ("metric", START, step_up("ndcg", 1), "query 1: ndcg"),
    "the mean": ("metric", START, step_up("mean", ()), "mean"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_record_changed_alone_is_the_first_difference(name, golden_of, tmp_path):
    """It is so for a judge without a golden trace, too: only of other rows follow other histograms."""
    stage, place, edit, where = CHANGES[name]
    theirs = rewrite(tmp_path / "theirs", golden_of("gbrt"), edit_at(stage, place, edit))
    comparison, alone = compare_traces(golden_of("gbrt"), theirs), judge_trace(theirs)
    assert (comparison.passes, alone.passes) == (False, False)
    for first in [comparison.first, *([] if name == "rows" else [alone.first])]:
        assert (first.stage, first.verdict, first.place) == (stage, "differs", place)
        assert where in first.where
    assert sum(of.get("differs", 0) for of in comparison.counts.values()) == 1
    # what came after has the golden numbers still: with the changed inputs, too, they are found to agree
    assert all(set(of) <= {"agrees", "differs"} for of in comparison.counts.values())
    if name not in ("a feature", "rows"):
        assert (describe(first)["ulps"] == 1) == (first.actual.dtype.kind == "f")
    assert STAGES[stage].title in write_text(comparison)


@pytest.mark.parametrize(("name", "ulps", "passes"), [("a leaf", 0, False), ("a leaf", 1, True), ("a bin", 100, False)])
def test_floats_alone_may_be_some_ulps_off(compare, name, ulps, passes):
    assert compare("gbrt", edit_at(*CHANGES[name][:3]), "ulp", ulps).passes is passes


@pytest.mark.parametrize("n_rounds", [2, 4])
def test_a_training_of_more_or_fewer_rounds_does_not_pass(golden_of, tmp_path, n_rounds):
    theirs = record(tmp_path / "theirs", make("gbrt").set_params(n_rounds=n_rounds))
    comparison = compare_traces(golden_of("gbrt"), theirs)
    assert not comparison.passes
    gap = "12 records of offered stages are missing, the first of residuals, round 3, output 0"
    assert comparison.besides == ((gap,) if n_rounds == 2 else ())
    assert comparison.counts["residual"].get("beyond", 0) == (n_rounds == 4)


def test_reports_for_programs(compare):
    comparison = compare("gbrt", edit_at(*CHANGES["a leaf"][:3]))
    document = json.loads(write_json(comparison))
    assert document["passes"] is False
    finding = {"stage": "leaf_values", "verdict": "differs", "index": [2], "ulps": 1, "at": {"round": 2, "output": 0}}
    assert document["findings"][0].items() >= finding.items()
    suite = ElementTree.fromstring(write_junit(comparison))
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["leaf_values"]
    assert (suite.get("failures"), suite.get("tests")) == ("1", str(len(suite)))


def test_other_algorithms_and_other_modes_are_refused(golden_of):
    with pytest.raises(ValueError, match=r"algorithm of .* is ls: it must be gbrt"):
        compare_traces(golden_of("gbrt"), golden_of("ls"))
    with pytest.raises(ValueError, match="mode is 'exact': it must be one of 'bitwise'"):
        Mode("exact")


# --- what a port leaves out ------------------------------------------------------------------------------------------


def keep_some(choose):
    """Return a change that keeps some of the fields: those of which choose(stage, name)."""
    return lambda stage, place, arrays: {name: of for name, of in arrays.items() if choose(stage, name)}


def tell_another_cut(arrays):
    arrays["cut"][0, 1] += 1
    for field in arrays.keys() - {"nodes", "cut"}:
        del arrays[field]


def drop_columns(arrays):
    arrays["sums"] = arrays["sums"][:, :, 0]


def shorten(arrays):
    arrays |= {name: values[:-1] for name, values in arrays.items()}


ONE_DIFFERS = {"agrees": 2, "differs": 1}
LEFT_OUT = {  # a change, and the verdicts on a stage
    "all but the prediction": (keep_some(lambda stage, name: stage == "prediction"), "residual", {"not offered": 3}),
    "everything": (keep_some(lambda stage, name: False), "prediction", {"not offered": 4}),
    "all that is compared": (keep_some(lambda stage, name: stage != "cut" or name == "gap"), "cut", {"unclear": 3}),
    "a gain": (edit_at("cut", ROUND, tell_another_cut), "cut", ONE_DIFFERS),
    "counts": (edit_at("histogram", ROUND, drop_columns), "histogram", ONE_DIFFERS),
    "the shapes": (lambda *record: {name: of[..., None] for name, of in record[-1].items()}, "cut", {"unclear": 3}),
    "the last leaf": (edit_at("leaf_sums", ROUND, shorten), "leaf_sums", ONE_DIFFERS),
}


@pytest.mark.parametrize("name", LEFT_OUT)
def test_what_a_port_leaves_out_has_not_agreed(compare, name):
    change, stage, counts = LEFT_OUT[name]
    comparison = compare("gbrt", change)
    assert comparison.counts[stage] == counts
    assert comparison.passes == (name == "all but the prediction")


def test_what_cannot_be_computed_again_is_compared_and_unclear_after_a_difference(tmp_path):
    rows = LabelledRows(*(np.concatenate([of, of]) for of in DATA[:3]))  # more than are kept beside their digest
    whole, digests = (record(tmp_path / of, make("lambdarank"), of, rows=rows) for of in ("json", "digests"))
    theirs = rewrite(tmp_path / "theirs", whole, edit_at("scores", None, add("values", slice(None), 1)))
    for golden in (whole, digests):
        counts = compare_traces(golden, theirs).counts
        assert (counts["scores"], counts["prediction"]) == ({"differs": 1, "unclear": 1}, {"agrees": 3})


# --- numbers that no training gives: what follows from them does not ask for the memory of the machine ----------------


@pytest.mark.parametrize(
    ("name", "stage", "field", "entry", "judged"),
    [
        ("softmax", "data", "y", np.float64(2.0**31), "prediction"),  # as many classes
        ("softmax", "data", "y", np.float64(-1.0), "proba"),
        ("gbrt", "data", "y", np.float64(5.0), "metric"),  # beyond the grades of ERR
        ("gbrt", "bins", "offsets", np.int64(2**62), "histogram"),  # as many bins
        ("gbrt", "bins", "offsets", np.int64(-5), "cut"),
        ("gbrt", "residual", "values", np.float32(np.inf), "grid"),
        ("rf", "draws", "counts", np.int64(2**62), "tree"),
    ],
)
def test_numbers_that_ask_for_the_machine_are_differences(compare, name, stage, field, entry, judged):
    def change(at, place, arrays):
        if at == stage:
            arrays[field] = arrays[field].astype(entry.dtype)
            arrays[field].flat[-1] = entry
        elif at == judged:
            arrays[[*STAGES[judged].fields][judged == "metric"]].flat[-1] += 1  # err, of a metric
        return arrays

    comparison = compare(name, change)
    assert comparison.counts[judged].keys() <= {"differs", "unclear"}
    assert write_text(comparison)


# --- the ranking alone -----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("n", [1, 2, 7, 8, 13, 40])
def test_eight_queries_that_differ_tell_rankings_apart_or_not(n):
    ours = np.append(np.linspace(0.5, 1.0, n), [0.25, np.nan])  # two queries do not differ
    theirs = ours - np.append(np.linspace(0.1, 0.4, n), [0.0, 0.0])
    by_chance = ours + np.append(0.1 * (-1) ** np.arange(n), [0.0, 0.0])
    assert bound_p_value(n) == pytest.approx(randomization_test(ours, theirs).p_value)
    for other, verdict in (theirs, "told apart"), (by_chance, "not told apart"):
        tested = compare_quality(ours, other)
        assert tested[1:] == (bound_p_value(n), n, 8, verdict if n >= 8 else "too few queries")
        assert (tested.p_value is None) == (n < 8)
    assert compare_quality(ours, ours) == (None, 1.0, 0, 8, "equal")
    assert str(compare_quality(ours, ours)) == "equal"


def test_a_p_value_at_the_threshold_tells_nothing_apart(monkeypatch):
    monkeypatch.setattr(comparing, "SIGNIFICANT", 2.0**-7)
    theirs = np.append(np.linspace(0.1, 0.4, 8), -0.05)  # 4 of 2**9 swaps differ by as much
    tested = compare_quality(np.zeros(9), theirs)
    assert (tested.p_value, tested.verdict) == (2.0**-7, "not told apart")


def test_statistical_mode_asks_for_the_ranking_alone(golden_of, tmp_path, compare):
    rows = DATA._replace(qid=np.arange(len(DATA.y)) // 10)
    golden = record(tmp_path / "golden", make("gbrt"), rows=rows)
    theirs = record(tmp_path / "theirs", make("gbrt").set_params(learning_rate=0.9), rows=rows)
    comparison = compare_traces(golden, theirs, Mode("statistical"))
    assert comparison.quality.p_value > 0.01
    assert comparison.passes
    assert compare_traces(golden, golden, Mode("statistical")).passes
    assert f"not told apart by a randomization test, p = {comparison.quality.p_value:.3g}" in write_text(comparison)
    few = record(tmp_path / "few", make("gbrt").set_params(n_rounds=1))
    comparison = compare_traces(golden_of("gbrt"), few, Mode("statistical"))
    assert not comparison.passes
    words = "3 queries differ, which give no p below 0.25: it takes 8 that differ to tell rankings apart"
    assert words in write_text(comparison)
    comparison = compare("gbrt", keep_some(lambda stage, name: stage != "metric" or name == "mean"), "statistical")
    assert (comparison.quality, comparison.passes) == (None, False)

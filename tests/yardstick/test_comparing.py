"""Two traces: each record that is changed alone is found, told where it stands, and judged for itself."""

import json
from dataclasses import replace
from xml.etree import ElementTree

import numpy as np
import pytest

from tests.yardstick.trainings import DATA, add, changed, make, record, step_up, swap
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Mode
from yardstick.divergence.reporting import write_json, write_junit, write_text
from yardstick.scorecard.training_rows import LabelledRows
from yardstick.traces.stages import STAGES, Place

ROUND = Place(round=2, output=0)


@pytest.fixture
def golden(golden_of):
    return golden_of("gbrt")


def changed_alone(tmp_path, *change):
    return changed(tmp_path / "theirs", make("gbrt"), *change)


CHANGES = {
    "a bin": ("bins", Place(), add("codes", (3, 2), 1), "row 3, feature 2: bin"),
    "a cut of a feature": ("bins", Place(), step_up("cuts", 0), "feature 0, cut 0"),
    "the start": ("start", Place(), step_up("values", 0), "output 0"),
    "a residual": ("residual", ROUND, step_up("values", 5), "round 2, output 0, row 5"),
    "a row on the grid": ("grid", ROUND, add("integers", 7, -1), "round 2, output 0, row 7: integer on the grid"),
    "the exponent": ("grid", ROUND, add("exponent", (), 1), "round 2, output 0, exponent"),
    "a sum": ("histogram", ROUND, add("sums", (1, 4, 0), 1), "node 1, feature 0, bin 4: sum of residuals"),
    "a count": ("histogram", ROUND, add("sums", (2, 0, 1), 1), "node 2, feature 0, bin 0: count of rows"),
    "a gain": ("cut", ROUND, step_up("split_gain", 1), "node 1: split_gain"),
    "a feature": ("cut", ROUND, add("cut", (0, 0), 1), "node 0: feature"),
    "a left sum": ("cut", ROUND, add("cut", (0, 2), 1), "node 0: sum of residuals on the left"),
    "rows": ("partition", ROUND, swap("rows", 0, -1), "cut 2 of the tree: n_left"),
    "a threshold": ("partition", ROUND, step_up("cut", 0), "cut 0 of the tree: cut"),
    "a numerator": ("leaf_sums", ROUND, step_up("numerator", 1), "leaf 1 from the left: numerator"),
    "a leaf": ("leaf_values", ROUND, step_up("values", 2), "leaf 2 from the left"),
    "a step": ("step", ROUND, step_up("values", 0), "leaf 0 from the left"),
    "a score": ("scores", ROUND, step_up("values", 11), "row 11"),
    "a prediction": ("prediction", Place(), step_up("values", 1), "row 1"),
    "a query": ("metric", Place(), step_up("ndcg", 1), "query 1: ndcg"),
    "the mean": ("metric", Place(), step_up("mean", ()), "mean"),
}


@pytest.mark.parametrize("name", CHANGES)
def test_a_record_changed_alone_is_the_first_difference(name, golden, tmp_path):
    stage, place, edit, where = CHANGES[name]
    comparison = compare_traces(golden, changed_alone(tmp_path, stage, place, edit))
    assert not comparison.passes
    first = comparison.first
    assert (first.stage, first.verdict, first.place) == (stage, "differs", place)
    assert where in first.where
    assert sum(of.get("differs", 0) for of in comparison.counts.values()) == 1
    # what came after has the golden numbers still: with the changed inputs, too, they are found to agree
    assert all(set(of) <= {"agrees", "differs"} for of in comparison.counts.values())
    if name not in ("a feature", "rows"):
        one_step = first.ulps == 1
        assert one_step == (edit.__qualname__.startswith("step_up"))
    assert STAGES[stage].title in write_text(comparison)


@pytest.mark.parametrize(("name", "ulps", "passes"), [("a leaf", 0, False), ("a leaf", 1, True), ("a bin", 100, False)])
def test_floats_alone_may_be_some_ulps_off(golden, tmp_path, name, ulps, passes):
    assert compare_traces(golden, changed_alone(tmp_path, *CHANGES[name][:3]), Mode("ulp", ulps)).passes is passes


@pytest.mark.parametrize("n_rounds", [2, 4])
def test_a_training_of_more_or_fewer_rounds_does_not_pass(golden, tmp_path, n_rounds):
    comparison = compare_traces(golden, record(tmp_path / "theirs", make("gbrt").set_params(n_rounds=n_rounds)))
    assert not comparison.passes
    gap = "9 records of offered stages are missing, the first of residuals, round 3, output 0"
    assert comparison.besides == ((gap,) if n_rounds == 2 else ())
    assert comparison.counts["residual"].get("beyond", 0) == (n_rounds == 4)


# --- what a port leaves out ------------------------------------------------------------------------------------------


@pytest.fixture
def leave_out(golden, tmp_path):
    """Compares a port that tells some fields of each stage, or none."""

    def compare(choose, mode="bitwise"):
        def change(written, keep):
            fields = {name: field for name, field in written.fields.items() if choose(written.stage, name)}
            return replace(written, fields=fields) if fields else None

        return compare_traces(golden, record(tmp_path / "theirs", make("gbrt"), change=change), Mode(mode))

    return compare


@pytest.mark.parametrize("told", ["prediction", "nothing"])
def test_stages_that_are_not_offered_are_said(leave_out, told):
    comparison = leave_out(lambda stage, name: stage == told)
    assert comparison.passes == (told == "prediction")
    assert comparison.counts["residual"] == {"not offered": 3}
    assert comparison.counts["prediction"] == {"agrees" if comparison.passes else "not offered": 1}


def test_a_record_that_tells_nothing_has_not_agreed(leave_out, golden, tmp_path):
    """Fields beside the compared ones alone, and sums of another shape."""
    comparison = leave_out(lambda stage, name: stage != "cut" or name == "gap")
    assert comparison.counts["cut"] == {"unclear": 3}
    assert not comparison.passes

    def flatten(arrays):
        arrays["sums"] = arrays["sums"][:, :, 0]

    comparison = compare_traces(golden, changed(tmp_path / "flat", make("gbrt"), "histogram", ROUND, flatten))
    assert comparison.counts["histogram"] == {"agrees": 2, "differs": 1}


def test_a_cut_that_is_told_without_its_gain_differs(golden, tmp_path):
    def edit(arrays):
        arrays["cut"][0, 1] += 1
        for field in arrays.keys() - {"nodes", "cut"}:
            del arrays[field]

    first = compare_traces(golden, changed_alone(tmp_path, "cut", ROUND, edit)).first
    assert (first.stage, first.place, first.verdict) == ("cut", ROUND, "differs")


def test_what_cannot_be_computed_again_is_compared_and_unclear_after_a_difference(tmp_path):
    def shift(written, keep):
        return (
            replace(written, fields={"values": keep(written.values("values") + 1)})
            if written.stage == "scores"
            else written
        )

    rows = LabelledRows(*(np.concatenate([of, of]) for of in DATA[:3]))  # more than are kept beside their digest
    for values in ("json", "digests"):
        golden = record(tmp_path / f"golden {values}", make("lambdarank"), values, rows=rows)
        theirs = record(tmp_path / f"theirs {values}", make("lambdarank"), rows=rows, change=shift)
        counts = compare_traces(golden, theirs).counts
        assert (counts["scores"], counts["prediction"]) == ({"differs": 1, "unclear": 1}, {"agrees": 1})


# --- the ranking alone -----------------------------------------------------------------------------------------------


def test_statistical_mode_asks_for_the_ranking_alone(tmp_path):
    rows = DATA._replace(qid=np.arange(len(DATA.y)) // 10)
    golden = record(tmp_path / "golden", make("gbrt"), rows=rows)
    theirs = record(tmp_path / "theirs", make("gbrt").set_params(learning_rate=0.9), rows=rows)
    comparison = compare_traces(golden, theirs, Mode("statistical"))
    assert comparison.quality.p_value > 0.01
    assert comparison.passes
    assert f"not told apart by a randomization test, p = {comparison.quality.p_value:.3g}" in write_text(comparison)


def test_three_queries_and_a_ranking_that_is_not_told_tell_nothing_apart(golden, tmp_path, leave_out):
    theirs = record(tmp_path / "few", make("gbrt").set_params(n_rounds=1))
    comparison = compare_traces(golden, theirs, Mode("statistical"))
    assert not comparison.passes
    few = "3 queries differ, which give no p below 0.25: it takes 8 that differ to tell rankings apart"
    assert few in write_text(comparison)
    comparison = leave_out(lambda stage, name: stage != "metric" or name == "mean", "statistical")
    assert comparison.quality is None
    assert not comparison.passes


# --- reports ---------------------------------------------------------------------------------------------------------


def test_reports_for_programs(golden, tmp_path):
    comparison = compare_traces(golden, changed_alone(tmp_path, *CHANGES["a leaf"][:3]))
    document = json.loads(write_json(comparison))
    assert document["passes"] is False
    found = {"stage": "leaf_values", "verdict": "differs", "index": [2], "ulps": 1, "at": {"round": 2, "output": 0}}
    assert {name: document["findings"][0][name] for name in found} == found
    suite = ElementTree.fromstring(write_junit(comparison))
    assert [case.get("name") for case in suite if case.find("failure") is not None] == ["leaf_values"]
    assert (suite.get("failures"), suite.get("tests")) == ("1", str(len(suite)))


def test_other_algorithms_and_other_modes_are_refused(golden, tmp_path):
    theirs = record(tmp_path / "theirs", make("ls"))
    with pytest.raises(ValueError, match=r"algorithm of .* is ls: it must be gbrt"):
        compare_traces(golden, theirs)
    with pytest.raises(ValueError, match="mode is 'exact': it must be one of 'bitwise'"):
        Mode("exact")

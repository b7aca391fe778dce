"""Losses: every loss of the registry is judged by its own record."""

import pytest

from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.registry import RANKERS
from tests.yardstick.trainings import DATA, WEIGHT, add, edit_at, record
from yardstick.divergence.comparing import Mode, compare_traces
from yardstick.traces.stages import Place

LOSSES = {name: Ranker for name, Ranker in RANKERS.items() if issubclass(Ranker, LossBoostRanker)}


@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
@pytest.mark.parametrize("Ranker", LOSSES.values(), ids=LOSSES)
def test_what_follows_from_other_steps_is_judged_and_nothing_is_unclear(tmp_path, compare, Ranker, weight):
    golden, theirs = (
        record(tmp_path / str(rate), Ranker(n_rounds=3, learning_rate=rate), rows=DATA._replace(weight=weight))
        for rate in (0.05, 0.5)
    )
    comparison = compare_traces(golden, theirs, Mode("tie"))
    counts = comparison.counts
    assert not comparison.passes
    assert {stage for stage, verdicts in counts.items() if "differs" in verdicts} == {"step"}
    assert all(verdicts.keys() <= {"agrees", "follows", "differs"} for verdicts in counts.values())
    assert "follows" in counts["residual"]
    assert "follows" in counts["leaf_values"]
    for stage, place in ("start", Place()), ("residual", Place(round=2, output=0)), ("leaf_values", Place(2, None, 0)):
        first = compare(golden, edit_at(stage, place, add("values", 0, 0.25))).first
        assert (first.stage, first.place, first.verdict) == (stage, place, "differs")

"""Losses: every loss of the registry is judged by its own record."""

import pytest

from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.registry import RANKERS
from tests.yardstick.trainings import WEIGHT, add, changed, record
from yardstick.divergence.comparing import compare_traces
from yardstick.divergence.comparison import Mode
from yardstick.traces.stages import Place

LOSSES = {name: Ranker for name, Ranker in RANKERS.items() if issubclass(Ranker, LossBoostRanker)}
losses = pytest.mark.parametrize("Ranker", LOSSES.values(), ids=LOSSES)


@losses
@pytest.mark.parametrize("weight", [None, WEIGHT], ids=["plain", "weighted"])
def test_what_follows_from_other_steps_is_judged_and_nothing_is_unclear(tmp_path, Ranker, weight):
    golden, theirs = (
        record(tmp_path / str(rate), Ranker(n_rounds=3, learning_rate=rate), weight=weight) for rate in (0.05, 0.5)
    )
    comparison = compare_traces(golden, theirs, Mode("tie"))
    counts = comparison.counts
    assert not comparison.passes
    assert {stage for stage, verdicts in counts.items() if "differs" in verdicts} == {"step"}
    assert all(verdicts.keys() <= {"agrees", "follows", "differs"} for verdicts in counts.values())
    assert "follows" in counts["residual"]
    assert "follows" in counts["leaf_values"]


@losses
@pytest.mark.parametrize(("stage", "number"), [("start", None), ("residual", 2), ("leaf_values", 2)])
def test_one_changed_number_of_a_loss_is_the_first_difference(tmp_path, Ranker, stage, number):
    place = Place() if number is None else Place(round=number, output=0)
    golden = record(tmp_path / "golden", Ranker(n_rounds=2))
    theirs = changed(tmp_path / "theirs", Ranker(n_rounds=2), stage, place, add("values", 0, 0.25))
    first = compare_traces(golden, theirs).first
    assert (first.stage, first.place, first.verdict) == (stage, place, "differs")

"""Losses at any time: the model is that of one machine, or its finished turns are kept."""

import warnings
from collections import Counter

import numpy as np
import pytest
from hypothesis import settings

from refrank.cluster import ClusterError
from refrank.models import save_model
from tests.cluster.schedules import draw_case, draw_schedule
from tests.cluster.threads import use_threads


def save_bytes(ranker, path):
    save_model(ranker.set_params(warm_start=False), path)
    return path.read_bytes()


def run_schedule(seed, path):
    """Train with the faults of a schedule, and compare; return how it ended."""
    rng = np.random.default_rng(seed)
    case, n_shards = draw_case(rng), int(rng.integers(1, 5))
    schedule = draw_schedule(rng, n_shards)
    most_losses = 9 if case.end_at or rng.random() < 0.6 else int(rng.integers(0, 2))
    expected = save_bytes(case.fit(case.make(), on=0), path)
    ranker, ended = case.make(), "ended"
    try:
        with use_threads(schedule.start, limit=20.0, most_losses=most_losses):
            case.fit(ranker, on=n_shards)
    except ClusterError:
        assert most_losses < 9
        ended = "continued" if hasattr(ranker, "n_queries_") else "begun again"
        ranker.set_params(warm_start=True)
        with use_threads():
            case.fit(ranker, on=int(rng.integers(0, 4)))
    if ended == "ended" and schedule.happened:
        ended = "healed"
    assert save_bytes(ranker, path) == expected, f"seed {seed}: {case.name}, {schedule}"
    return [ended, *schedule.happened]


@pytest.mark.parametrize("half", [0, 1])
def test_no_fault_changes_a_bit(half, tmp_path):
    """20 schedules in the fast lane, 120 in the full run, and 4,000 with --deep."""
    counts = Counter()
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        for seed in range(half, 2 * settings.default.max_examples, 2):
            counts.update(run_schedule(seed, tmp_path / "model"))
    assert counts["healed"] > 0

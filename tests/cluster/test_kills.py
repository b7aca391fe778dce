"""Real ends of processes, at random moments of a training on `local:3`: the file is that of one machine."""

import os
import signal
from threading import Timer

import numpy as np
import pytest
from hypothesis import settings

from refrank import LSBoostRanker
from refrank.cluster.engines import SteppedCluster, use_cluster
from refrank.cluster.local import Process
from refrank.models import save_model
from tests.cluster.programs import add_turns, expect_sums, nap, run_on
from tests.cluster.threads import deal

N_CASES = max(1, settings.default.max_examples // 60)  # 1 in the full run, 33 with --deep


class Blows:
    """One or two processes are sent a signal, each so many seconds after it began."""

    def __init__(self, number, blows):
        self.number, self.blows, self.struck = number, dict(blows), []
        self.pids = []

    def start(self, place, *given):
        line = Process(place, *given, environment={"REFRANK_NUM_THREADS": "1"})
        self.pids.append(line.process.pid)
        if place in self.blows:
            Timer(self.blows.pop(place), self.strike, [line.process]).start()
        return line

    def strike(self, process):
        if process.poll() is None:
            self.struck.append(process.pid)
            os.kill(process.pid, self.number)


def draw_blows(rng, number):
    """Draw one or two moments."""
    places = rng.choice(3, rng.integers(1, 3), replace=False)
    return Blows(number, zip(places.tolist(), rng.uniform(0, 3.0, len(places)).tolist(), strict=True))


@pytest.mark.parametrize("seed", range(N_CASES))
def test_a_killed_process_changes_no_bit(seed, tmp_path):
    rng = np.random.default_rng(seed)
    X, y = rng.normal(size=(300, 4)), rng.integers(0, 3, 300)
    save_model(LSBoostRanker(n_rounds=150).fit(X, y), tmp_path / "whole")
    blows = draw_blows(rng, signal.SIGKILL)
    with use_cluster(SteppedCluster(blows.start, 3, limit=60.0, most_losses=2)):
        cut = LSBoostRanker(n_rounds=150).fit_shards(deal([X, y], rng.integers(0, 3, 300), 3))
    save_model(cut, tmp_path / "cut")
    assert (tmp_path / "cut").read_bytes() == (tmp_path / "whole").read_bytes()
    assert len(blows.pids) == 3 or blows.struck


@pytest.mark.parametrize("seed", range(2 * N_CASES))
def test_a_stopped_process_changes_no_bit(seed):
    blows = draw_blows(np.random.default_rng(seed), signal.SIGSTOP)
    result = run_on(blows.start, add_turns, [(1, nap), 2, 3], limit=2.5, most_losses=2)
    assert result == [expect_sums(1, 2, 3)] * 3
    assert len(blows.pids) == 3 or blows.struck

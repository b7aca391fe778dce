"""Costs of a trace, in counts that no other program disturbs; seconds are in benchmarks/speed/tracing.py."""

import sys

import numpy as np
import pytest

from refrank.estimators.registry import RANKERS
from yardstick.traces import writer as writing
from yardstick.traces.tracing import describe_training, record_training
from yardstick.traces.writer import TraceWriter

N_ROUNDS = 6
MOST_CALLS = 1300  # beyond those of the fit, for a tree of 10 leaves, whose trace has 9 records with 21 fields


def draw():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(600, 8))
    return X, np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 2), 0, 4), np.arange(600) // 20


def write(folder, n_rounds):
    ranker, (X, y, qid) = RANKERS["ls"](n_rounds=n_rounds, n_threads=1), draw()
    with TraceWriter(folder, "digests", describe_training(ranker, X, qid)) as writer:
        record_training(ranker, X, y, qid, writer.keep, writer.write)


def fit(n_rounds):
    RANKERS["ls"](n_rounds=n_rounds, n_threads=1).fit(*draw())


def count_calls(call):
    """Count the functions that are called, of Python and of C."""
    n_calls = 0

    def note(frame, event, argument):
        nonlocal n_calls
        n_calls += event in ("call", "c_call")

    before = sys.getprofile()
    sys.setprofile(note)
    try:
        call()
    finally:
        sys.setprofile(before)
    return n_calls


@pytest.mark.kernel
def test_a_tree_is_recorded_in_few_calls(kernel, tmp_path):
    """Calls of a tree: of many rounds, less those of few."""
    write(tmp_path / "warm", 1)
    traced = count_calls(lambda: write(tmp_path / "many", 2 * N_ROUNDS)) - count_calls(
        lambda: write(tmp_path / "few", N_ROUNDS)
    )
    fitted = count_calls(lambda: fit(2 * N_ROUNDS)) - count_calls(lambda: fit(N_ROUNDS))
    assert 0 < fitted < traced
    assert (traced - fitted) / N_ROUNDS <= MOST_CALLS


def test_every_array_is_digested_once(tmp_path, monkeypatch):
    """Entries that are digested for a tree: four arrays of all rows, the histograms, and fields of a few numbers."""
    sizes, digest = [], writing.digest
    monkeypatch.setattr(writing, "digest", lambda values: (sizes.append(values.size), digest(values))[1])
    totals = []
    for n_rounds in (N_ROUNDS, 2 * N_ROUNDS):
        write(tmp_path / str(n_rounds), n_rounds)
        totals.append(sum(sizes))
        sizes.clear()
    n_looked, n_slots = 2 * RANKERS["ls"]().n_leaves - 1, 8 * 256
    of_rows = 4 * 600  # residual, integers, rows, scores
    assert (totals[1] - totals[0]) / N_ROUNDS <= of_rows + n_looked * (2 * n_slots + 20)

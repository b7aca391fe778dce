"""Rivals of a cut: the kernel, the specification, and every cut tried by itself in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from tests.strategies import THREADS
from tests.strategies.splitting import cases
from yardstick.traces.contest import compare_cuts, rank_cuts


def histograms(drawn):
    case, integers, weight = drawn
    return splitting.histogram(case.codes, case.offsets, case.rows, integers, weight, 1), case.offsets


@pytest.mark.kernel
@given(cases(), st.integers(1, 4), THREADS)
def test_kernel_and_specification_agree_on_the_contest(kernel, drawn, min_samples_leaf, n_threads):
    sums, offsets = histograms(drawn)
    every = np.arange(len(offsets) - 1, dtype=np.int32)
    split, contest = rank_cuts(sums, offsets, every, min_samples_leaf, n_threads)
    assert split == splitting.best_split(sums, offsets, every, min_samples_leaf, 1)
    other = compare_cuts(sums, offsets, every, min_samples_leaf, split.split_gain)
    assert contest == other


def test_threads_change_no_bit_of_a_large_contest():
    rng = np.random.default_rng(3)
    sums = np.column_stack([rng.integers(-3, 4, 200_000), rng.integers(0, 3, 200_000)])
    offsets = np.arange(0, 200_001, 50_000)
    every = np.arange(4, dtype=np.int32)
    serial, *others = (rank_cuts(sums, offsets, every, 1, n_threads) for n_threads in (1, 2, 3))
    assert others == [serial, serial]


@pytest.mark.kernel
@pytest.mark.parametrize("n_runs", [63, 64, 65, 300])
def test_more_runs_of_ties_than_are_expected(kernel, n_runs):
    """Features that part the rows alike: each has a run of its own, the first of two bins."""
    sums = np.array([[3, 1], [0, 0], [-3, 1]] * n_runs)
    offsets, every = 3 * np.arange(n_runs + 1), np.arange(n_runs, dtype=np.int32)
    split, contest = rank_cuts(sums, offsets, every, 1)
    assert (split.feature, split.bin) == (0, 0)
    assert contest.tied == [(f, 0, 1) for f in range(n_runs)]
    assert contest.runner_up == (-1, -1)


SMALL = st.lists(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=5), min_size=1, max_size=3
)


@given(SMALL, st.integers(1, 2))
def test_contest_lists_every_cut_that_ties(features, least):
    """Where gains are exact in floats, the ties are those of fractions; all features have the sums of one node."""
    sums = np.array([line for feature in features for line in feature])
    offsets = np.array([0, *np.cumsum([len(feature) for feature in features])])
    gains = {}
    for f, feature in enumerate(features):
        for b in range(len(feature) - 1):
            left, right = np.sum(feature[: b + 1], axis=0), np.sum(feature[b + 1 :], axis=0)
            if min(left[1], right[1]) >= least:
                d = Fraction(int(left[0]), int(left[1])) - Fraction(int(right[0]), int(right[1]))
                gains[f, b] = d * d * int(left[1]) * int(right[1]) / int(left[1] + right[1])
    every = np.arange(len(features), dtype=np.int32)
    split, contest = rank_cuts(sums, offsets, every, least)
    best = max(gains.values(), default=0)
    if best == 0:
        assert split.feature == -1
        assert contest.tied == []
        return
    tied = {(f, b) for f, first, last in contest.tied for b in range(first, last + 1)}
    wanted = {at for at, gain in gains.items() if gain == best}
    assert tied <= wanted  # equal fractions may round to different floats, different ones this small never to the same
    assert (split.feature, split.bin) in tied
    assert min(tied) == (split.feature, split.bin)
    if contest.runner_up != (-1, -1):
        assert contest.gap > 0
        assert contest.runner_up not in tied
        assert contest.holds(*contest.runner_up) is False
    for f, b in gains:
        assert contest.holds(f, b) == ((f, b) in tied)


def test_cuts_three_ways_are_compared_as_they_are_made():
    rng = np.random.default_rng(0)
    for _ in range(200):
        n_bins = int(rng.integers(2, 6))
        sums = np.column_stack([rng.integers(-3, 4, n_bins), rng.integers(1, 3, n_bins)])
        offsets, every = np.array([0, n_bins]), np.zeros(1, np.int32)
        for flag in (1, 2):
            missing = np.array([flag], np.int8)
            split, contest = rank_cuts(sums, offsets, every, 1, 1, missing)
            if split.feature >= 0 and split.split_gain > 0:
                assert contest.holds(split.feature, split.bin)
                assert contest.tied[0][1] == split.bin  # the lowest of those that tie


def test_a_cut_among_the_present_that_gains_nothing_is_not_made():
    """Rows of equal values, and others that are missing: parting the two gains, and no cut beside it does."""
    sums, offsets, every = np.array([[2, 1], [2, 1], [8, 1]]), np.array([0, 3]), np.zeros(1, np.int32)
    split, contest = rank_cuts(sums, offsets, every, 1, 1, np.array([1], np.int8))
    assert (split.bin, split.split_gain) == (1, 24.0)
    assert contest.tied == [(0, 1, 1)]
    assert contest[1:] == ((-1, -1), 24.0)


def test_parting_the_missing_alone_is_no_cut_where_it_needs_one():
    sums, offsets, every = np.array([[2, 1], [-2, 1], [8, 1]]), np.array([0, 3]), np.zeros(1, np.int32)
    for flag, runner_up in ((1, (0, 1)), (2, (-1, -1))):
        split, contest = rank_cuts(sums, offsets, every, 1, 1, np.array([flag], np.int8))
        assert (split.bin, contest.tied, contest.runner_up) == (0, [(0, 0, 0)], runner_up)
        assert contest.gap == (8.0 if flag == 1 else split.split_gain)

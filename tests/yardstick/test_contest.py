"""Rivals of a cut: beside the specification, and beside every cut tried by itself in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from tests.strategies.splitting import cases
from yardstick.traces.contest import compare_cuts, rank_cuts


def check_first(sums, offsets, features, min_samples_leaf, missing=None):
    """The first of the ties is the cut that is made."""
    split = splitting.best_split(sums, offsets, features, min_samples_leaf, 1, missing)
    tied = compare_cuts(sums, offsets, features, min_samples_leaf, missing).tied
    assert (tied[0][:2] if tied else (-1, -1)) == split[:2]


@pytest.mark.kernel
@given(cases(), st.integers(1, 4))
def test_kernel_and_specification_agree_on_the_contest(kernel, drawn, min_samples_leaf):
    case, integers, weight = drawn
    sums = splitting.histogram(case.codes, case.offsets, case.rows, integers, weight, 1)
    node = sums, case.offsets, np.arange(len(case.offsets) - 1, dtype=np.int32), min_samples_leaf
    assert rank_cuts(*node) == compare_cuts(*node)
    check_first(*node)


@pytest.mark.parametrize("flags", [(1, 1), (2, 2), (0, 1), (1, 0)])
def test_the_first_of_the_ties_is_made_where_cuts_go_three_ways(flags):
    rng = np.random.default_rng(0)
    for _ in range(200):
        n_bins = int(rng.integers(2, 6))
        sums = np.column_stack([rng.integers(-3, 4, n_bins), rng.integers(1, 3, n_bins)])
        offsets = np.array([0, n_bins, 2 * n_bins])
        check_first(np.tile(sums, (2, 1)), offsets, np.arange(2, dtype=np.int32), 1, np.array(flags, np.int8))


@pytest.mark.kernel
@pytest.mark.parametrize("n_runs", [1, 300])
def test_each_feature_has_a_run_of_its_own(kernel, n_runs):
    """Features that part the rows alike: each has a run of its own, the first of two bins."""
    sums = np.array([[3, 1], [0, 0], [-3, 1]] * n_runs)
    offsets, every = 3 * np.arange(n_runs + 1), np.arange(n_runs, dtype=np.int32)
    contest = rank_cuts(sums, offsets, every, 1)
    assert contest == compare_cuts(sums, offsets, every, 1)
    assert contest.tied == [(f, 0, 1) for f in range(n_runs)]
    assert contest.runner_up == (-1, -1)


SMALL = st.lists(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=5), min_size=1, max_size=3
)


@given(SMALL, st.integers(1, 2))
def test_contest_lists_every_cut_that_ties(features, least):
    """The ties are those of fractions; the last bin of a feature holds what is left of the sums of one node."""
    features = [[(total * (count > 0), count) for total, count in feature] for feature in features]
    features = [[*f, (7 - sum(line[0] for line in f), 12 - sum(line[1] for line in f))] for f in features]
    sums = np.array([line for feature in features for line in feature])
    offsets = np.array([0, *np.cumsum([len(feature) for feature in features])])
    gains = {}
    for f, feature in enumerate(features):
        for b in range(len(feature) - 1):
            left, right = np.sum(feature[: b + 1], axis=0), np.sum(feature[b + 1 :], axis=0)
            if min(left[1], right[1]) >= least:
                d = Fraction(int(left[0]), int(left[1])) - Fraction(int(right[0]), int(right[1]))
                gains[f, b] = d * d * int(left[1]) * int(right[1]) / int(left[1] + right[1])
    node = sums, offsets, np.arange(len(features), dtype=np.int32), least
    check_first(*node)
    contest = compare_cuts(*node)
    best = max(gains.values(), default=0)
    tied = {(f, b) for f, first, last in contest.tied for b in range(first, last + 1)}
    assert tied == {at for at, gain in gains.items() if gain == best > 0}
    less = {at: gain for at, gain in gains.items() if 0 < gain < best}
    second = max(less.values(), default=0)
    assert contest.runner_up == next((at for at, gain in less.items() if gain == second), (-1, -1))
    assert contest.gap == pytest.approx(float(best - second))  # differences of floats; the ties are those of fractions
    for f, b in gains:
        assert contest.holds(f, b) == ((f, b) in tied)


@pytest.mark.parametrize(
    ("slots", "flag", "contest"),
    [
        # rows of equal values, and others that are missing: parting the two gains, and no cut beside it does
        ([[2, 1], [2, 1], [8, 1]], 1, ([(0, 1, 1)], (-1, -1), 24.0)),
        # parting the missing alone does not count where a cut is needed
        ([[2, 1], [-2, 1], [8, 1]], 1, ([(0, 0, 0)], (0, 1), 8.0)),
        ([[2, 1], [-2, 1], [8, 1]], 2, ([(0, 0, 0)], (-1, -1), 50.666666666666664)),
    ],
)
def test_cuts_three_ways(slots, flag, contest):
    node = np.array(slots), np.array([0, 3]), np.zeros(1, np.int32), 1, np.array([flag], np.int8)
    assert compare_cuts(*node) == contest


@pytest.mark.parametrize(("flag", "bin"), [(1, 2), (2, 0)])
def test_a_cut_among_the_present_whose_gain_is_lost_in_rounding_is_not_made(flag, bin):
    sums, offsets, every = np.array([[0, 1], [1, 1], [0, 1], [2**41, 3]]), np.array([0, 4]), np.zeros(1, np.int32)
    missing = np.array([flag], np.int8)
    assert compare_cuts(sums, offsets, every, 1, missing).tied[0][:2] == (0, bin)
    check_first(sums, offsets, every, 1, missing)

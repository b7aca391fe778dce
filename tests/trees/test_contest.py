"""Rivals of a cut: beside the specification, and beside every cut tried by itself in fractions."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.kernel import KERNEL
from refrank.trees import splitting
from refrank.trees.contest import ComparingSplitter, compare_cuts, rank_cuts
from tests.strategies.splitting import cases


def make_node(slots, n_features=1, least=1, flags=None):
    """A node whose features have the same slots, and whose `missing` is `flags`."""
    sums, offsets = np.array([*slots] * n_features), len(slots) * np.arange(n_features + 1)
    node = sums, offsets, np.arange(n_features, dtype=np.int32), least
    return node if flags is None else (*node, np.array(flags, np.int8))


def check_first(*node):
    """The first of the ties is the cut that is made."""
    split = splitting.best_split(*node[:4], 1, *node[4:])
    tied = compare_cuts(*node).tied
    assert (tied[0][:2] if tied else (-1, -1)) == split[:2]


@pytest.mark.kernel
@given(cases(), st.integers(1, 4))
def test_kernel_and_specification_agree_on_the_contest(kernel, drawn, min_samples_leaf):
    case, integers, weight = drawn
    sums = splitting.histogram(case.codes, case.offsets, case.rows, integers, weight, 1)
    node = sums, case.offsets, np.arange(len(case.offsets) - 1, dtype=np.int32), min_samples_leaf
    assert rank_cuts(*node) == compare_cuts(*node)
    check_first(*node)


@pytest.mark.kernel
def test_each_of_many_features_has_a_run_of_its_own(kernel):
    node = make_node([[3, 1], [0, 0], [-3, 1]], 300)
    assert rank_cuts(*node) == compare_cuts(*node) == ([(f, 0, 1) for f in range(300)], (-1, -1), 18.0)


@pytest.mark.kernel
@pytest.mark.parametrize("flags", [None, (1, 1)])
def test_a_splitter_compares_the_cuts_of_the_node_that_is_asked_for(kernel, flags):
    nodes = [make_node(slots, 2, flags=flags) for slots in ([[3, 1], [0, 1], [-3, 2]], [[1, 1], [5, 2], [-3, 2]])]
    for splitter in ComparingSplitter(kernel), ComparingSplitter(splitting):
        for sums, offsets, features, least, *missing in nodes:
            node = sums, offsets, features, least, 1, *(missing or [None])
            assert splitter.best_split(*node) == splitting.best_split(*node)
            is_compared = splitter.splitter is KERNEL and flags is None  # while the node was searched
            for other in nodes:
                contest = splitter.rank_cuts(*other)
                assert contest == compare_cuts(*other)
                assert (contest is splitter.last[1]) is (is_compared and other[0] is sums)
        assert splitter.exp is splitter.splitter.exp


SMALL = st.lists(
    st.lists(st.tuples(st.integers(-3, 3), st.integers(0, 2)), min_size=1, max_size=5), min_size=1, max_size=3
)


@given(SMALL, st.integers(1, 2))
def test_contest_lists_every_cut_that_ties(features, least):
    """The ties are those of fractions; the last bin of a feature holds what is left of the sums of one node."""
    features = [[(total * (count > 0), count) for total, count in feature] for feature in features]
    features = [np.array([*f, np.subtract((7, 12), np.sum(f, axis=0))]) for f in features]
    gains = {}
    for f, slots in enumerate(features):
        for b in range(len(slots) - 1):
            left, right = slots[: b + 1].sum(axis=0).tolist(), slots[b + 1 :].sum(axis=0).tolist()
            if min(left[1], right[1]) >= least:
                d = Fraction(*left) - Fraction(*right)
                gains[f, b] = d * d * left[1] * right[1] / (left[1] + right[1])
    offsets = np.array([0, *np.cumsum([*map(len, features)])])
    node = np.concatenate(features), offsets, np.arange(len(features), dtype=np.int32), least
    check_first(*node)
    contest = compare_cuts(*node)
    best = max(gains.values(), default=0)
    less = {at: gain for at, gain in gains.items() if 0 < gain < best}
    second = max(less.values(), default=0)
    assert {at for at in gains if contest.holds(*at)} == {at for at, gain in gains.items() if gain == best > 0}
    assert sum(last - first + 1 for _, first, last in contest.tied) == sum(contest.holds(*at) for at in gains)
    assert contest.runner_up == next((at for at, gain in less.items() if gain == second), (-1, -1))
    assert contest.gap == pytest.approx(float(best - second))  # differences of floats; the ties are those of fractions


@pytest.mark.parametrize("flags", [(1, 1), (2, 2), (0, 1), (1, 0)])
def test_the_first_of_the_ties_is_made_where_cuts_go_three_ways(flags):
    rng = np.random.default_rng(0)
    for n_bins in rng.integers(2, 6, 200).tolist():
        slots = np.column_stack([rng.integers(-3, 4, n_bins), rng.integers(1, 3, n_bins)])
        check_first(*make_node(slots, 2, flags=flags))


@pytest.mark.parametrize(
    ("slots", "flag", "contest"),
    [
        # rows of equal values, and others that are missing: parting the two gains, and no cut beside it does
        ([[2, 1], [2, 1], [8, 1]], 1, ([(0, 1, 1)], (-1, -1), 24.0)),
        # parting the missing alone does not count where a cut is needed
        ([[2, 1], [-2, 1], [8, 1]], 1, ([(0, 0, 0)], (0, 1), 8.0)),
        ([[2, 1], [-2, 1], [8, 1]], 2, ([(0, 0, 0)], (-1, -1), 50.666666666666664)),
        # a cut among the present whose gain is lost in rounding is not made
        ([[0, 1], [1, 1], [0, 1], [2**41, 3]], 1, ([(0, 2, 2)], (-1, -1), 8.059505464090196e23)),
        ([[0, 1], [1, 1], [0, 1], [2**41, 3]], 2, ([(0, 0, 1)], (-1, -1), 8.059505464090196e23)),
    ],
)
def test_cuts_three_ways(slots, flag, contest):
    node = make_node(slots, flags=[flag])
    assert compare_cuts(*node) == contest
    check_first(*node)

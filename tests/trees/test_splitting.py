"""`refrank.trees.splitting`, or its kernel: equal to the definition."""

from fractions import Fraction
from itertools import pairwise, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.exact_tree import RowSet, best_cut, cuts
from refrank.trees import splitting
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.numbers.grid import to_grid
from tests.oracles import trees as naive
from tests.strategies import THREADS, columns_of
from tests.strategies.splitting import cases, feature_subsets, forests, leaf_cases, same

pytestmark = pytest.mark.kernel


def histogram_of(drawn, rows=None):
    """The histogram of a node, or of some rows of it."""
    case, integers, weight = drawn
    rows = case.rows if rows is None else rows
    return DEFAULT_SPLITTER.histogram(case.codes, case.offsets, rows, integers, weight, 1)


def split_of(sums, offsets, features=None, min_samples_leaf=1):
    """The best cut of a node, on all features by default."""
    features = np.arange(len(offsets) - 1, dtype=np.int32) if features is None else features
    return DEFAULT_SPLITTER.best_split(sums, offsets, features, min_samples_leaf, 1)


def in_plain_numbers(drawn, n_rows):
    """The first rows of a node; what the oracles take: labels row by row, residuals and weights on their grids."""
    case, integers, weight = drawn
    X = list(zip(*columns_of(case), strict=True))
    return case.rows[:n_rows], X, (integers.tolist(), [1] * case.n_samples if weight is None else weight.tolist())


# --- the definition --------------------------------------------------------------------------------------------------


@pytest.mark.paper("McRank App. I", at="histogram")
@given(cases())
def test_histogram_equals_the_definition(drawn):
    case, integers, weight = drawn
    expected = np.zeros((case.offsets[-1], 2 if weight is None else 3), np.int64)
    for f, column in enumerate(columns_of(case)):
        for i in case.rows.tolist():
            slot = case.offsets[f] + column[i]
            expected[slot, :2] += integers[i], 1
            if weight is not None:
                expected[slot, 2] += weight[i]
    same(histogram_of(drawn), expected)


@given(cases(), st.integers(1, 4), st.data())
def test_best_split_equals_the_definition(drawn, min_samples_leaf, data):
    case, _, _ = drawn
    rows, X, units = in_plain_numbers(drawn, 40)
    some = data.draw(feature_subsets(case.n_features))
    split = split_of(histogram_of(drawn, rows), case.offsets, some, min_samples_leaf)
    node, scores = (
        (tuple(rows.tolist()), min_samples_leaf, tuple(some.tolist())),
        (naive.split_gain, naive.error_reduction),
    )
    cut = best_cut(X, *units, *node, *scores)
    if cut is None:
        assert split == NO_CUT
        return
    left_sum, left_weight = (sum(quantity[i] for i in cut.sides[0]) for quantity in units)
    assert split == (cut.feature, cut.bin, cut.gain, left_sum, len(cut.sides[0]), left_weight)
    assert all(type(number) is int for number in (*split[:2], *split[3:]))


@pytest.mark.paper("iGBRT Eq. 1", at="compute_gains")
@pytest.mark.paper("McRank App. I", at="best_two_way")
@given(cases(), st.integers(1, 4))
def test_no_cut_reduces_the_squared_error_more(drawn, min_samples_leaf):
    """From the definition of squared error, in exact fractions: the gain is the reduction, and the largest."""
    rows, X, units = in_plain_numbers(drawn, 12)
    feature, bin, gain, *_ = split_of(histogram_of(drawn, rows), drawn[0].offsets, None, min_samples_leaf)
    largest = made = Fraction(0)
    for cut in cuts(X, *units, tuple(rows.tolist()), min_samples_leaf, gain=naive.error_reduction):
        slack = rounding_of_gain(*units, *cut.sides)
        largest = max(largest, cut.gain)
        assert 0 <= cut.gain <= gain + slack
        if (cut.feature, cut.bin) == (feature, bin):
            assert abs(gain - cut.gain) <= slack
            made = cut.gain
    if feature >= 0:
        assert made == largest
    if largest == 0:  # equal means are equal quotients, whose difference is 0
        assert feature == -1


def test_of_all_small_nodes_rounding_decides_none():
    """Every node of four rows with grades 0..4 and a feature for each partition: the first of the largest fractions."""
    lefts = np.array(list(product([1, 0], repeat=3))[:-1])  # (7, 3): whether a row goes left; the last goes right
    n_rounded = 0
    for y in product(range(5), repeat=4):
        left = np.column_stack([lefts @ y[:3], lefts.sum(axis=1)])  # (7, 2)
        sides = np.stack([left, np.array([sum(y), 4]) - left], axis=1)  # (7, 2 sides, 2)
        gains = [(Fraction(s, n) - Fraction(t, m)) ** 2 * n * m / 4 for (s, n), (t, m) in sides.tolist()]
        split = split_of(np.ascontiguousarray(sides.reshape(-1, 2)), np.arange(0, 15, 2))
        assert split[0] == (gains.index(max(gains)) if max(gains) else -1)
        n_rounded += int(splitting.compute_gains(sides[:, 0], sides[:, 1]).argmax()) != gains.index(max(gains))
    assert n_rounded == 18  # of 625, where the largest float64 is another cut's


def rounding_of_gain(product: list[int], weight: list[int], left: RowSet, right: RowSet) -> Fraction:
    """Bound the rounding of split_gain: it stands in the difference d of two means, which may be much larger than d.

    Each mean rounds by 2**-53 of itself, d by as much again: 2**-51 of both covers them. The few operations that follow
    round by 2**-53 each: 2**-50 of the gain covers those.
    """
    n_left, n_right = (sum(weight[i] for i in side) for side in (left, right))
    if min(n_left, n_right) == 0:
        return Fraction(0)
    mean_left, mean_right = (
        Fraction(sum(product[i] for i in left), n_left),
        Fraction(sum(product[i] for i in right), n_right),
    )
    d, error = abs(mean_left - mean_right), (abs(mean_left) + abs(mean_right)) / 2**51
    return Fraction(n_left * n_right, n_left + n_right) * (2 * d * error + error**2 + (d + error) ** 2 / 2**50)


@given(cases(), st.data())
def test_partition_equals_the_definition(drawn, data):
    case, *_ = drawn
    feature = data.draw(st.integers(0, case.n_features - 1))
    column = columns_of(case)[feature]
    bin = data.draw(st.sampled_from([column[i] for i in case.rows]) | st.just(0))
    rows = case.rows.copy()
    n_left = DEFAULT_SPLITTER.partition(case.codes, rows, feature, bin, 1)
    left = [i for i in case.rows.tolist() if column[i] <= bin]
    right = [i for i in case.rows.tolist() if column[i] > bin]
    assert (n_left, rows.tolist()) == (len(left), left + right)


@given(leaf_cases(), THREADS)
def test_leaf_sums_and_values_equal_the_definition(drawn, n_threads):
    rows, starts, value = drawn
    gridded = to_grid(value)
    leaves = [rows[a:b].tolist() for a, b in pairwise(starts)]
    sums = DEFAULT_SPLITTER.leaf_sums(value, gridded.exponent, rows, starts, n_threads)
    assert sums.dtype == np.int64
    assert sums.tolist() == [sum(int(gridded.integers[i]) for i in leaf) for leaf in leaves]

    scores, values = value[::-1].copy(), np.arange(1.0, len(leaves) + 1) / 3
    expected = scores.tolist()
    for leaf, added in zip(leaves, values.tolist(), strict=True):
        for i in leaf:
            expected[i] += added
    DEFAULT_SPLITTER.add_to_leaves(scores, rows, starts, values, n_threads)
    assert scores.tolist() == expected


def reached_values(X, roots, feature, cut, left, right, value) -> np.ndarray:
    """The value of the leaf that each row falls into in each tree, (n_samples, n_trees)."""
    reached = np.empty((len(X), len(roots)))
    for i in range(len(X)):
        for t, root in enumerate(roots.tolist()):
            node = root
            while feature[node] != -1:
                node = root + (left[node] if float(X[i, feature[node]]) < cut[node] else right[node])
            reached[i, t] = value[node]
    return reached


@given(forests(), st.none() | st.integers(250, 600), st.none() | st.integers(30, 70), THREADS)
def test_add_trees_equals_the_definition(forest, n_samples, n_trees, n_threads):
    """A few rows and trees, or those again and again: the kernel prepares many trees, and takes rows in blocks."""
    X, roots, *fields = forest
    n_nodes, n_trees, reached = len(fields[0]), n_trees or len(roots), reached_values(*forest)
    rows = slice(None) if n_samples is None else np.arange(n_samples) % len(X)
    scores = np.linspace(-1.0, 1.0, len(X[rows]))
    expected = scores.copy()
    for t in range(n_trees):
        expected += reached[rows, t % len(roots)]
    n_copies = -(-n_trees // len(roots))
    many_roots = np.add.outer(np.arange(n_copies) * n_nodes, roots).ravel()
    ends = np.append(many_roots, n_copies * n_nodes)[n_trees]
    many = [np.tile(field, n_copies)[:ends] for field in fields]
    DEFAULT_SPLITTER.add_trees(X[rows], many_roots[:n_trees], *many, scores, n_threads)
    assert scores.tolist() == expected.tolist()


# --- by hand ---------------------------------------------------------------------------------------------------------

NO_CUT = (-1, -1, 0.0, 0, 0, 0)


def test_both_sides_of_a_cut_hold_some_weight():
    """Rows whose weight is 0, or rounds to 0 on the grid, at both ends: they go with their neighbours."""
    offsets, sums = np.array([0, 4]), np.array([[3, 1, 0], [-1, 1, 1], [1, 1, 1], [-3, 1, 0]])
    assert split_of(sums, offsets) == (0, 1, 8.0, 2, 2, 1)
    for lone in (1, 2):  # all weight in one bin: no cut
        sums[lone, 2] = 0
        assert split_of(sums, offsets) == NO_CUT
        sums[lone, 2] = 1


def test_a_node_without_rows_has_a_histogram_of_zeros():
    codes = np.zeros((1, 3, 8), np.uint8)
    args = codes, np.array([0, 2]), np.zeros(0, np.int32), np.ones(3, np.int64)
    assert DEFAULT_SPLITTER.histogram(*args, None, 1).tolist() == [[0, 0], [0, 0]]
    assert DEFAULT_SPLITTER.partition(codes, np.zeros(0, np.int32), 0, 0, 1) == 0

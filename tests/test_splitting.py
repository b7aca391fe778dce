"""`refrank.splitting` and its kernel: equal to the definition, and to each other in every bit."""

from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank import splitting
from refrank.config import DEFAULT_SPLITTER
from refrank.grid import to_grid
from tests import naive
from tests.strategies import (
    SEEDS,
    THREADS,
    BinnedCase,
    binned_case,
    binned_cases,
    columns_of,
    features,
    residuals,
    rng_of,
    weights,
)

pytestmark = pytest.mark.kernel


@st.composite
def cases(draw, residual_kinds=("zeros", "equal", "dyadic", "normal", "one large", "all scales")):
    """A node: bin labels and rows, gridded residuals, gridded weights or None."""
    case = draw(binned_cases())
    integers = to_grid(draw(residuals(case.n_samples, residual_kinds))).integers
    weight = draw(weights(case.n_samples))
    return case, integers, None if weight is None else to_grid(weight).integers


@st.composite
def feature_subsets(draw, n_features):
    """Some features, at least one, ascending."""
    some = draw(st.sets(st.integers(0, n_features - 1), min_size=1))
    return np.array(sorted(some), np.int32)


def same(ours: object, theirs: object) -> None:
    """Equal, with the same types."""
    np.testing.assert_array_equal(ours, theirs, strict=True)


# --- the definition --------------------------------------------------------------------------------------------------


@given(cases())
def test_histogram_equals_the_definition(drawn):
    case, integers, weight = drawn
    sums = DEFAULT_SPLITTER.histogram(case.codes, case.offsets, case.rows, integers, weight, 1)
    expected = np.zeros((case.offsets[-1], 2 if weight is None else 3), np.int64)
    for f, column in enumerate(columns_of(case)):
        for i in case.rows.tolist():
            slot = case.offsets[f] + column[i]
            expected[slot, :2] += integers[i], 1
            if weight is not None:
                expected[slot, 2] += weight[i]
    same(sums, expected)


@given(cases(), st.integers(1, 4), st.data())
def test_best_split_equals_the_definition(drawn, min_samples_leaf, data):
    case, integers, weight = drawn
    rows, columns = case.rows[:40], columns_of(case)
    some = data.draw(feature_subsets(case.n_features))
    sums = DEFAULT_SPLITTER.histogram(case.codes, case.offsets, rows, integers, weight, 1)
    found = DEFAULT_SPLITTER.best_split(sums, case.offsets, some, min_samples_leaf, 1)

    product, weigh = integers.tolist(), ([1] * case.n_samples if weight is None else weight.tolist())
    expected = naive.best_cut(columns, rows.tolist(), some.tolist(), min_samples_leaf, product, weigh)
    if expected is None:
        assert found == (-1, -1, 0.0, 0, 0, 0)
        return
    gain, cut = expected
    left_sum, left_weight = (sum(quantity[i] for i in cut.left) for quantity in (product, weigh))
    assert found == (cut.feature, cut.bin, gain, left_sum, len(cut.left), left_weight)
    assert all(type(number) is int for number in (*found[:2], *found[3:]))


@given(cases(), st.integers(1, 4))
def test_no_cut_reduces_the_squared_error_more(drawn, min_samples_leaf):
    """From the definition of squared error, in exact fractions: the gain is the reduction, and the largest."""
    case, integers, weight = drawn
    rows, columns = case.rows[:12], columns_of(case)[:3]
    offsets = case.offsets[: len(columns) + 1]
    sums = DEFAULT_SPLITTER.histogram(case.codes, offsets, rows, integers, weight, 1)
    some = np.arange(len(columns), dtype=np.int32)
    feature, bin, gain, *_ = DEFAULT_SPLITTER.best_split(sums, offsets, some, min_samples_leaf, 1)

    product, weigh = integers.tolist(), ([1] * case.n_samples if weight is None else weight.tolist())
    largest = Fraction(0)
    for cut in naive.all_cuts(columns, rows.tolist(), some.tolist(), min_samples_leaf):
        if sum(weigh[i] for i in cut.left) > 0 and sum(weigh[i] for i in cut.right) > 0:
            exact, slack = naive.error_reduction(cut, product, weigh), rounding_of_gain(cut, product, weigh)
            largest = max(largest, exact)
            assert exact >= 0
            assert exact <= gain + slack
            if (cut.feature, cut.bin) == (feature, bin):
                assert abs(gain - exact) <= slack
    if largest == 0:  # equal means are equal quotients, whose difference is 0
        assert feature == -1


def rounding_of_gain(cut: naive.Cut, product: list[int], weight: list[int]) -> Fraction:
    """Bound the rounding of split_gain: it stands in the difference d of two means, which may be much larger than d.

    Each mean rounds by 2**-53 of itself, d by as much again: 2**-51 of both covers them. The few operations that follow
    round by 2**-53 each: 2**-50 of the gain covers those.
    """
    mean_left, mean_right = (
        Fraction(sum(product[i] for i in side), sum(weight[i] for i in side)) for side in (cut.left, cut.right)
    )
    n_left, n_right = (sum(weight[i] for i in side) for side in (cut.left, cut.right))
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


@st.composite
def leaf_cases(draw):
    """Rows parted into leaves, none of them empty; the numbers of a row, gridded."""
    n = draw(st.integers(1, 60))
    rng = rng_of(draw(SEEDS))
    n_rows = draw(st.integers(1, n))
    inner = sorted(draw(st.sets(st.integers(1, n_rows - 1), max_size=9))) if n_rows > 1 else []
    starts = np.array([0, *inner, n_rows], np.int64)
    return rng.permutation(n)[:n_rows].astype(np.int32), starts, draw(residuals(n))


@given(leaf_cases())
def test_leaf_sums_and_values_equal_the_definition(drawn):
    rows, starts, value = drawn
    integers = to_grid(value).integers
    leaves = [rows[a:b].tolist() for a, b in pairwise(starts)]
    sums = DEFAULT_SPLITTER.leaf_sums(integers, rows, starts, 1)
    assert sums.tolist() == [sum(int(integers[i]) for i in leaf) for leaf in leaves]

    scores, values = value[::-1].copy(), np.arange(1.0, len(leaves) + 1) / 3
    expected = scores.tolist()
    for leaf, added in zip(leaves, values.tolist(), strict=True):
        for i in leaf:
            expected[i] += added
    DEFAULT_SPLITTER.add_to_leaves(scores, rows, starts, values, 1)
    assert scores.tolist() == expected


@st.composite
def forests(draw):
    """Random trees over a few features, some of them a single leaf, with cuts at the values of X themselves."""
    X = draw(features(n_features=st.integers(1, 9)))
    rng, n_trees = rng_of(draw(SEEDS)), draw(st.integers(1, 5))
    roots, nodes = [], []
    for _ in range(n_trees):
        roots.append(len(nodes))
        tree = [[-1, 0.0, 0, 0, rng.normal()]]
        for _ in range(rng.integers(0, 7)):
            leaf = rng.choice([number for number, node in enumerate(tree) if node[0] == -1])
            f = rng.integers(X.shape[1])
            tree[leaf] = [f, float(X[rng.integers(len(X)), f]), len(tree), len(tree) + 1, 0.0]
            tree += [[-1, 0.0, 0, 0, rng.normal()] for _ in range(2)]
        nodes += tree
    columns = zip(*nodes, strict=True)
    types = (np.int32, np.float64, np.int32, np.int32, np.float64)
    return X, np.array(roots, np.int64), *(np.array(c, t) for c, t in zip(columns, types, strict=True))


@given(forests())
def test_add_trees_equals_the_definition(forest):
    X, roots, feature, cut, left, right, value = forest
    scores = np.linspace(-1.0, 1.0, len(X))
    expected = scores.tolist()
    for i in range(len(X)):
        for root in roots.tolist():
            node = root
            while feature[node] != -1:
                node = root + (left[node] if float(X[i, feature[node]]) < cut[node] else right[node])
            expected[i] += value[node]
    DEFAULT_SPLITTER.add_trees(*forest, scores, 1)
    assert scores.tolist() == expected


# --- what does not change the numbers --------------------------------------------------------------------------------


@given(cases(), SEEDS)
def test_histograms_of_any_blocks_of_rows_add_up(drawn, seed):
    case, integers, weight = drawn
    whole = DEFAULT_SPLITTER.histogram(case.codes, case.offsets, case.rows, integers, weight, 1)
    rng = rng_of(seed)
    shuffled = rng.permutation(case.rows)
    parts = np.split(shuffled, sorted(rng.integers(0, len(shuffled) + 1, 3)))  # some of them empty
    sums = [DEFAULT_SPLITTER.histogram(case.codes, case.offsets, part, integers, weight, 1)
            for part in parts if len(part)]  # fmt: skip
    same(sum(sums), whole)


@given(cases())
def test_the_gain_is_the_same_when_left_and_right_swap(drawn):
    case, integers, weight = drawn
    sums = DEFAULT_SPLITTER.histogram(case.codes, case.offsets, case.rows, integers, weight, 1)
    mirrored = np.concatenate([sums[a:b][::-1] for a, b in pairwise(case.offsets)])
    every = np.arange(case.n_features, dtype=np.int32)
    gains = [
        DEFAULT_SPLITTER.best_split(s, case.offsets, every, 1, 1)[2] for s in (sums, np.ascontiguousarray(mirrored))
    ]
    assert gains[0] == gains[1]


@given(cases())
def test_turning_the_sign_of_residuals_changes_no_cut(drawn):
    case, integers, weight = drawn
    every = np.arange(case.n_features, dtype=np.int32)
    one, other = (
        DEFAULT_SPLITTER.best_split(
            DEFAULT_SPLITTER.histogram(case.codes, case.offsets, case.rows, signed, weight, 1),
            case.offsets,
            every,
            1,
            1,
        )
        for signed in (integers, -integers)
    )
    assert one == (*other[:3], -other[3], *other[4:])


@given(cases(), st.integers(1, 5))
def test_weights_of_one_find_the_cut_of_no_weights(drawn, min_samples_leaf):
    case, integers, _ = drawn
    every = np.arange(case.n_features, dtype=np.int32)
    one = to_grid(np.ones(case.n_samples))
    bare, weighed = (
        DEFAULT_SPLITTER.best_split(
            DEFAULT_SPLITTER.histogram(case.codes, case.offsets, case.rows, integers, weight, 1),
            case.offsets, every, min_samples_leaf, 1,
        )
        for weight in (None, one.integers)
    )  # fmt: skip
    assert bare[:2] == weighed[:2]
    assert bare[2] == np.ldexp(weighed[2], one.exponent)
    assert bare[3:5] == weighed[3:5]
    assert weighed[5] == bare[5] << one.exponent


def test_ties_go_to_the_lowest_feature_then_the_lowest_bin():
    codes = np.zeros((1, 4, 8), np.uint8)
    codes[0, :, 1] = codes[0, :, 2] = [0, 0, 3, 3]  # bins 1 and 2 are empty: the cuts after 0, 1 and 2 are one
    offsets, rows = np.array([0, 1, 5, 9]), np.arange(4, dtype=np.int32)
    sums = DEFAULT_SPLITTER.histogram(codes, offsets, rows, np.array([-1, -1, 1, 1]), None, 1)
    assert DEFAULT_SPLITTER.best_split(sums, offsets, np.arange(3, dtype=np.int32), 1, 1) == (1, 0, 4.0, -2, 2, 2)
    assert DEFAULT_SPLITTER.best_split(sums, offsets, np.array([2], np.int32), 1, 1) == (2, 0, 4.0, -2, 2, 2)


def test_equal_means_are_no_cut():
    codes = np.arange(16, dtype=np.uint8).reshape(1, 2, 8) // 8
    offsets = np.array([0, 2])
    sums = DEFAULT_SPLITTER.histogram(codes, offsets, np.arange(2, dtype=np.int32), np.array([3, 3]), None, 1)
    assert DEFAULT_SPLITTER.best_split(sums, offsets, np.array([0], np.int32), 1, 1) == (-1, -1, 0.0, 0, 0, 0)


# --- the kernel and the specification --------------------------------------------------------------------------------


def agree(kernel, case: BinnedCase, integers, weight, some, min_samples_leaf: int, n_threads: int) -> None:
    """Histogram, best split and partition, in every bit."""
    ours, theirs = (
        s.histogram(case.codes, case.offsets, case.rows, integers, weight, n_threads) for s in (splitting, kernel)
    )
    same(theirs, ours)
    one, other = (s.best_split(ours, case.offsets, some, min_samples_leaf, n_threads) for s in (splitting, kernel))
    assert one == other
    assert list(map(type, one)) == list(map(type, other))
    feature, bin = max(one[0], 0), max(one[1], 0)
    our_rows, their_rows = case.rows.copy(), case.rows.copy()
    assert splitting.partition(case.codes, our_rows, feature, bin, n_threads) == kernel.partition(
        case.codes, their_rows, feature, bin, n_threads
    )
    same(their_rows, our_rows)


@given(cases(), st.integers(1, 4), THREADS, st.data())
def test_kernel_and_specification_agree_on_a_node(kernel, drawn, min_samples_leaf, n_threads, data):
    case, integers, weight = drawn
    agree(kernel, case, integers, weight, data.draw(feature_subsets(case.n_features)), min_samples_leaf, n_threads)


@given(leaf_cases(), THREADS)
def test_kernel_and_specification_agree_on_leaves(kernel, drawn, n_threads):
    rows, starts, value = drawn
    integers = to_grid(value).integers
    same(kernel.leaf_sums(integers, rows, starts, n_threads), splitting.leaf_sums(integers, rows, starts, n_threads))
    ours, theirs = value.copy(), value.copy()
    splitting.add_to_leaves(ours, rows, starts, value[: len(starts) - 1], n_threads)
    kernel.add_to_leaves(theirs, rows, starts, value[: len(starts) - 1], n_threads)
    same(theirs, ours)


@given(forests(), THREADS)
def test_kernel_and_specification_agree_on_trees(kernel, forest, n_threads):
    ours = np.zeros(len(forest[0]))
    theirs = ours.copy()
    splitting.add_trees(*forest, ours, n_threads)
    kernel.add_trees(*forest, theirs, n_threads)
    same(theirs, ours)


LARGE = 130_001  # the kernel wakes threads above 100,000 steps; odd, so that parts of the rows differ in length


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
@pytest.mark.parametrize("weighted", [False, True])
def test_kernel_threads_change_no_bit_of_a_large_node(kernel, dtype, weighted):
    rng = rng_of(7)
    # 11 features, two groups; enough slots for best_split to wake threads where labels have two bytes
    n_bins = [256, 2, 1, 256, 37, 256, 256, 3, 256, 255, 1]
    if dtype is np.uint16:
        n_bins[3] = 65536
    case = binned_case(rng, LARGE, LARGE - 2, n_bins, dtype)
    integers = to_grid(rng.normal(size=LARGE)).integers
    weight = to_grid(rng.integers(0, 3, LARGE).astype(float)).integers if weighted else None
    every = np.arange(len(n_bins), dtype=np.int32)
    for n_threads in (1, 2, 3):
        agree(kernel, case, integers, weight, every, 1, n_threads)


def test_kernel_threads_change_no_bit_of_large_leaves(kernel):
    rng = rng_of(8)
    rows = rng.permutation(LARGE).astype(np.int32)
    integers = to_grid(rng.normal(size=LARGE)).integers
    starts = np.array([0, 1, 900, LARGE - 700, LARGE])
    sums = [kernel.leaf_sums(integers, rows, starts, n_threads) for n_threads in (1, 2, 3)]
    for found in sums:
        same(found, splitting.leaf_sums(integers, rows, starts, 1))
    expected = np.zeros(LARGE)
    splitting.add_to_leaves(expected, rows, starts, np.array([0.1, -0.2, 0.3, -0.4]), 1)
    for n_threads in (1, 2, 3):
        scores = np.zeros(LARGE)
        kernel.add_to_leaves(scores, rows, starts, np.array([0.1, -0.2, 0.3, -0.4]), n_threads)
        same(scores, expected)


@pytest.mark.parametrize("n_samples", [129, 1000, 4097, 70_000])
@pytest.mark.parametrize("sign", [1, -1, 0])
@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_the_kernel_flushes_before_a_packed_sum_is_full(kernel, n_samples, sign, dtype):
    """All rows in one bin, each residual as large as the grid has it: 2**(53 - L)."""
    largest = 2 ** (53 - (n_samples - 1).bit_length())
    signs = np.full(n_samples, sign) if sign else np.where(np.arange(n_samples) % 3 == 0, -1, 1)
    integers = signs * largest
    codes = np.zeros((1, n_samples, 8), dtype)
    codes[0, :, 0] = 255
    rows, offsets = np.arange(n_samples, dtype=np.int32), np.array([0, 256, 257])
    sums = kernel.histogram(codes, offsets, rows, integers, np.full(n_samples, largest), 1)
    assert sums[255].tolist() == sums[256].tolist() == [int(integers.sum()), n_samples, largest * n_samples]
    assert not sums[:255].any()


@pytest.mark.parametrize("integer", [2**53, -(2**53), 2**53 - 1, 1, 0, -1])
def test_the_kernel_takes_the_largest_and_smallest_integers(kernel, integer):
    codes = np.zeros((1, 1, 8), np.uint8)
    args = codes, np.array([0, 1]), np.zeros(1, np.int32), np.array([integer])
    assert kernel.histogram(*args, None, 1).tolist() == [[integer, 1]]
    assert splitting.histogram(*args, None, 1).tolist() == [[integer, 1]]


def test_a_node_without_rows_has_a_histogram_of_zeros():
    codes = np.zeros((1, 3, 8), np.uint8)
    args = codes, np.array([0, 2]), np.zeros(0, np.int32), np.ones(3, np.int64)
    assert DEFAULT_SPLITTER.histogram(*args, None, 1).tolist() == [[0, 0], [0, 0]]
    assert DEFAULT_SPLITTER.partition(codes, np.zeros(0, np.int32), 0, 0, 1) == 0

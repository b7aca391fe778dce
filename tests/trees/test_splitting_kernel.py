"""The kernel and its specification, `refrank.trees.splitting`: equal in every bit, on any number of threads."""

import tracemalloc
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.numbers.grid import to_grid
from tests.strategies import THREADS, BinnedCase, binned_case, rng_of
from tests.strategies.splitting import cases, feature_subsets, same

pytestmark = pytest.mark.kernel


def agree(kernel, case: BinnedCase, integers, weight, some, min_samples_leaf: int, n_threads: int) -> None:
    """Histogram, best split and partition, in every bit."""
    ours, theirs = (
        s.histogram(case.codes, case.offsets, case.rows, integers, weight, n_threads) for s in (splitting, kernel)
    )
    same(theirs, ours)
    split, other = (s.best_split(ours, case.offsets, some, min_samples_leaf, n_threads) for s in (splitting, kernel))
    assert split == other
    assert list(map(type, split)) == list(map(type, other))
    missing = np.arange(case.n_features, dtype=np.int8) % 2
    args = ours, case.offsets, some, min_samples_leaf
    assert splitting.best_split(*args, 1, missing) == kernel.best_split(*args, n_threads, missing)
    feature, bin = max(split[0], 0), max(split[1], 0)
    our_rows, their_rows = case.rows.copy(), case.rows.copy()
    assert splitting.partition(case.codes, our_rows, feature, bin, n_threads) == kernel.partition(
        case.codes, their_rows, feature, bin, n_threads
    )
    same(their_rows, our_rows)


@given(cases(), st.integers(1, 4), THREADS, st.data())
def test_kernel_and_specification_agree_on_a_node(kernel, drawn, min_samples_leaf, n_threads, data):
    case, integers, weight = drawn
    agree(kernel, case, integers, weight, data.draw(feature_subsets(case.n_features)), min_samples_leaf, n_threads)


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


def same_split(kernel, sums, offsets, min_samples_leaf=1, missing=None):
    """The best cut of all features, which is the specification's for any number of threads."""
    features = np.arange(len(offsets) - 1, dtype=np.int32)
    expected = splitting.best_split(sums, offsets, features, min_samples_leaf, 1, missing)
    for n_threads in (1, 2, 3):
        assert kernel.best_split(sums, offsets, features, min_samples_leaf, n_threads, missing) == expected
    return expected


def random_slots(rng, n_slots: int, weighted: bool, empty: float):
    """A histogram, some of whose bins hold no rows; some rows weigh nothing."""
    count = rng.integers(1, 50, n_slots) * (rng.random(n_slots) >= empty)
    weight = count * rng.integers(0, 3, n_slots)
    residual = rng.integers(-(2**30), 2**30, n_slots) * (weight > 0 if weighted else count > 0)
    return np.column_stack([residual, count, weight] if weighted else [residual, count])


# Features of all these, one after another: 40,000 slots and more wake threads.
N_BINS = [*range(1, 20), 31, 32, 33, 255, 256, 257, 513]


@pytest.mark.parametrize("n_bins", [N_BINS, N_BINS[::-1], [65_536], [3, 65_536, 40_000]])
@pytest.mark.parametrize("weighted", [False, True])
@pytest.mark.parametrize("empty", [0.0, 0.5, 0.97])
def test_kernel_cuts_features_of_any_number_of_bins(kernel, n_bins, weighted, empty):
    """Each feature alone, and all together; rows that miss a feature among them."""
    rng = rng_of(len(n_bins))
    offsets = np.array([0, *np.cumsum(n_bins)])
    sums = random_slots(rng, offsets[-1], weighted, empty)
    missing = rng.integers(0, 3, len(n_bins)).astype(np.int8)
    for least in (1, 40, 300, int(sums[:, 1].sum())):
        same_split(kernel, sums, offsets, least)
        same_split(kernel, sums, offsets, least, missing)
        for first, end in pairwise(offsets.tolist()):
            for may_miss in (None, np.ones(1, np.int8), np.full(1, 2, np.int8)):
                same_split(kernel, sums[first:end], np.array([0, end - first]), least, may_miss)


@pytest.mark.parametrize("n_bins", [5, 8, 9, 255, 256, 257, 513, 65_536])
def test_of_equal_cuts_the_kernel_makes_the_first(kernel, n_bins):
    """Equal gains at both ends of a feature, beside bins without rows, and in other features."""
    sums = np.tile([0, 1], (n_bins, 1))
    sums[[0, -1], 0] = 5  # gains are the same when left and right swap
    sums[[1, -2]] = 0
    assert same_split(kernel, sums, np.array([0, n_bins]))[1] == 0
    assert same_split(kernel, np.tile(sums, (3, 1)), np.arange(4) * n_bins)[:2] == (0, 0)
    for missing in np.vstack([np.eye(3, dtype=np.int8), 2 * np.eye(3, dtype=np.int8)]):
        same_split(kernel, np.tile(sums, (3, 1)), np.arange(4) * n_bins, 1, missing)


@pytest.mark.parametrize("total", [1000, -(2**40) + 1, 2**53 - 1, -(2**53)])
@pytest.mark.parametrize("spread", [1, 4, 100])
def test_the_kernel_finds_the_best_of_gains_that_are_mostly_rounding(kernel, total, spread):
    """Means that are large beside their difference."""
    rng = rng_of(spread)
    for n_rows in rng.integers(60, 1000, 20).tolist():
        n_left = rng.integers(1, n_rows, 50)
        left_sum = [total * n // n_rows for n in n_left.tolist()] + rng.integers(-spread, spread + 1, 50)
        left = np.column_stack([left_sum, n_left])
        sums = np.stack([left, [total, n_rows] - left], axis=1).reshape(-1, 2)  # 50 features of two bins
        same_split(kernel, sums, np.arange(51) * 2)


@given(cases(), st.integers(1, 9), THREADS)
def test_kernel_and_specification_agree_on_roots(kernel, drawn, n_quantities, n_threads):
    case, integers, _ = drawn
    quantities = [np.roll(integers, shift) // (shift + 1) for shift in range(n_quantities)]  # sums stay on the grid
    sums = kernel.root_sums(case.codes, case.offsets, quantities, n_threads)
    same(sums, splitting.root_sums(case.codes, case.offsets, quantities, 1))
    every_row = np.arange(case.codes.shape[1], dtype=np.int32)
    same(sums[-1], splitting.histogram(case.codes, case.offsets, every_row, quantities[-1], None, 1)[:, 0].copy())


@pytest.mark.parametrize("dtype", [np.uint8, np.uint16])
def test_kernel_threads_change_no_bit_of_large_roots(kernel, dtype):
    """Rows beyond one block, shared out in parts of different lengths; features beyond the last four."""
    rng = rng_of(11)
    case = binned_case(rng, LARGE, LARGE, [256, 2, 1, 256, 37, 256, 3, 255, 9, 4, 5], dtype)
    quantities = [to_grid(rng.normal(size=LARGE)).integers for _ in range(6)]
    for n_quantities in (1, 5, 6):
        expected = splitting.root_sums(case.codes, case.offsets, quantities[:n_quantities], 1)
        for n_threads in (1, 2, 3):
            same(kernel.root_sums(case.codes, case.offsets, quantities[:n_quantities], n_threads), expected)


def test_roots_of_many_slots_are_summed_some_groups_at_a_time(kernel):
    """2**20 slots at most: of eight features each, and a group alone where it has more; the last group has one."""
    wide, narrow = 2**17, 2**16
    sizes = [*[wide] * 8, *[wide + 1] * 8, *[narrow] * 8, *[narrow] * 8, 3]
    rng, n = rng_of(2), 5
    codes = np.zeros((5, n, 8), np.uint16)
    for f, size in enumerate(sizes):
        codes[f // 8, :, f % 8] = rng.integers(0, min(size, narrow), n)
    offsets = np.array([0, *np.cumsum(sizes)])
    quantities = [rng.integers(-9, 9, n) for _ in range(3)]
    for n_quantities in (1, 3):
        args = codes, offsets, quantities[:n_quantities]
        same(kernel.root_sums(*args, 2), splitting.root_sums(*args, 1))


def test_roots_of_many_slots_take_little_memory_beside_their_sums(kernel):
    """The kernel works on 2**20 slots at a time; here there are 2**23."""
    codes, offsets = np.zeros((8, 3, 8), np.uint16), 2**17 * np.arange(65)
    tracemalloc.start()
    kernel.root_sums(codes, offsets, [np.ones(3, np.int64)], 1)
    peak = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert peak < 8 * (2**23 + 4 * 2**20)


def test_many_threads_share_out_the_rows_of_few_groups_in_fewer_parts(kernel):
    """81 groups and 82 threads: all groups are left over, in 50 parts each."""
    rng, n = rng_of(3), 33_000
    case = binned_case(rng, n, n, [3] * 641, np.uint8)
    integers = rng.integers(-99, 99, n)
    alone, many = (
        kernel.histogram(case.codes, case.offsets, case.rows, integers, None, n_threads) for n_threads in (1, 82)
    )
    same(many, alone)


@pytest.mark.parametrize("scale", [1.0, 1e-300, 1e300, 5e-324])
def test_kernel_threads_change_no_bit_of_a_large_grid(kernel, scale):
    """Among them zeros, subnormals, and a largest value that is negative and stands in the last part."""
    value = rng_of(9).normal(size=LARGE) * scale
    value[:3], value[-2] = (0.0, -0.0, 5e-324), -8.0 * scale
    largest = splitting.largest_magnitude(value, 1)
    for n_threads in (1, 2, 3):
        assert kernel.largest_magnitude(value, n_threads) == largest == 8.0 * scale
        for exponent in (to_grid(value).exponent, to_grid(value).exponent - 40, -1080):
            same(kernel.round_to_grid(value, exponent, n_threads), splitting.round_to_grid(value, exponent, 1))
    for odd in (np.nan, -np.nan, np.inf, -np.inf):
        value[LARGE // 2] = odd
        assert not np.isfinite(kernel.largest_magnitude(value, 3))


def test_kernel_threads_change_no_bit_of_large_leaves(kernel):
    rng = rng_of(8)
    rows = rng.permutation(LARGE).astype(np.int32)
    value = rng.normal(size=LARGE)
    starts, values = np.array([0, 1, 900, LARGE - 700, LARGE]), np.array([0.1, -0.2, 0.3, -0.4])
    for n_threads in (1, 2, 3):
        for scale in (1.0, 1e-300):  # on the second grid, 2**exponent is no float64
            exponent = to_grid(value * scale).exponent
            same(*(s.leaf_sums(value * scale, exponent, rows, starts, n_threads) for s in (kernel, splitting)))
        ours, theirs = np.zeros(LARGE), np.zeros(LARGE)
        splitting.add_to_leaves(ours, rows, starts, values, n_threads)
        kernel.add_to_leaves(theirs, rows, starts, values, n_threads)
        same(theirs, ours)


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


def random_trees(rng, sizes: list[int], cuts) -> tuple:
    """Trees of so many leaves each: what add_trees takes after X. `cuts`: what each feature is cut at."""
    roots, nodes = [], []
    for n_leaves in sizes:
        roots.append(len(nodes))
        tree = [[-1, 0.0, 0, 0, rng.normal()]]
        while len(tree) < 2 * n_leaves - 1:
            leaves = [number for number, node in enumerate(tree) if node[0] == -1]
            f = int(rng.integers(len(cuts)))
            tree[rng.choice(leaves)] = [f, rng.choice(cuts[f]), len(tree), len(tree) + 1, 0.0]
            tree += [[-1, 0.0, 0, 0, rng.normal()] for _ in range(2)]
        nodes += tree
    columns, types = zip(*nodes, strict=True), (np.int32, np.float64, np.int32, np.int32, np.float64)
    return np.array(roots), *(np.array(c, t) for c, t in zip(columns, types, strict=True))


SPECIAL = np.array([-np.inf, np.inf, 0.0, -0.0, np.nan, 5e-324, 1e30])


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize(("n_cuts", "sizes"), [
    (9, [10] * 40),
    (255, [1, 2, 3, 10, 64, 1, 128, 129] * 6),  # codes of one byte, and trees that are too large for it
    (900, [3, 64, 128, 200] * 20),  # codes of more
    (20, [200] * 33),  # no small tree
    (20, [1] * 33),
    (20, [128] * 31),  # few trees
])  # fmt: skip
def test_the_kernel_adds_small_and_large_trees_in_one_order(kernel, dtype, n_cuts, sizes):
    rng = rng_of(9)
    values = np.arange(-n_cuts, n_cuts) / 2  # cuts, and values of X between and beyond them
    cuts = [values[:n_cuts], np.array([-0.0, 0.0, np.inf, -np.inf]), values[:1] + 1e-9]
    trees = random_trees(rng, sizes, cuts)
    pool = np.concatenate([values, SPECIAL, cuts[2]])
    for n_samples in (1, 255, 256, 257, 1000):
        X = rng.choice(pool, (n_samples, 4))[:, 1:].astype(dtype)  # not contiguous
        expected = np.zeros(n_samples)
        splitting.add_trees(X, *trees, expected, 1)
        for n_threads in (1, 2, 3):
            scores = np.zeros(n_samples)
            kernel.add_trees(X, *trees, scores, n_threads)
            same(scores, expected)


@pytest.mark.parametrize("n_cuts", [255, 256])  # the most for codes of one byte, and one more
def test_the_kernel_tells_every_cut_of_a_feature_from_the_next(kernel, n_cuts):
    n_nodes = 3 * n_cuts
    feature, cut, value = np.full(n_nodes, -1, np.int32), np.zeros(n_nodes), np.zeros(n_nodes)
    left, right = np.zeros(n_nodes, np.int32), np.zeros(n_nodes, np.int32)
    feature[::3], left[::3], right[::3] = 0, 1, 2  # a tree of two leaves for each cut
    cut[::3], value[2::3] = rng_of(11).permutation(n_cuts), 1.0
    X, scores = np.arange(-1.0, n_cuts + 1)[:, None], np.zeros(n_cuts + 2)
    kernel.add_trees(X, np.arange(0, n_nodes, 3), feature, cut, left, right, value, scores, 2)
    assert scores.tolist() == [0.0, *range(1, n_cuts + 1), n_cuts]


def test_a_cut_that_is_nan_sends_every_row_to_the_right(kernel):
    trees = random_trees(rng_of(10), [4] * 40, [np.array([0.0, np.nan, 1.0])])
    X = np.linspace(-1.0, 2.0, 300)[:, None]
    scores, expected = np.zeros(300), np.zeros(300)
    splitting.add_trees(X, *trees, expected, 1)
    kernel.add_trees(X, *trees, scores, 2)
    same(scores, expected)


def test_the_kernel_quantizes_nan_as_the_specification_does(kernel):
    X, codes = np.array([[np.nan], [1.0], [np.inf]]), [np.zeros((1, 3, 8), np.uint8) for _ in range(2)]
    for s, written in zip((splitting, kernel), codes, strict=True):
        s.quantize(X, np.array([0.0, 1.0, 2.0]), np.array([0, 4]), written, 1)
    same(*codes)
    assert codes[0][0, :, 0].tolist() == [3, 2, 3]


@pytest.mark.parametrize(("flag", "expected"), [(splitting.PARTED, (2, 1, 3)), (splitting.NEEDS_CUT, (0, 0, 1))])
def test_a_cut_whose_gain_is_lost_in_that_of_the_parting_is_made_only_where_it_is_needed(kernel, flag, expected):
    """About 2**79 and 1/6: rounding takes their sum to the larger one."""
    sums = np.array([[0, 1], [1, 1], [0, 1], [2**41, 3]])  # the last bin: rows that miss the feature
    split = same_split(kernel, sums, np.array([0, 4]), missing=np.array([flag], np.int8))
    assert (split.bin, split.left_sum, split.left_count) == expected


def test_estimates_of_equal_gains_do_not_decide(kernel):
    """Each of two cuts has on its left what the other has on its right: rounding makes their estimates differ."""
    rng = rng_of(0)
    offsets, features = np.array([0, 3]), np.zeros(1, np.int32)
    for side, middle in rng.integers(2**40, 2**50, (500, 2)).tolist():
        sums = np.array([[side, 3], [middle, 1], [side, 3]])
        expected = splitting.best_split(sums, offsets, features, 1, 1)
        assert expected.bin == 0
        assert kernel.best_split(sums, offsets, features, 1, 1) == expected

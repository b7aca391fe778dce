"""`refrank.trees.coarse` and `best_split_inside`: bounds over coarse bins leave the best cut of all bins as it is."""

from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.coarse import CoarseBins, coarsen, end_beside_missing, end_coarse
from refrank.trees.grid import to_grid
from tests.strategies import SEEDS, THREADS, BinnedCase, pack, places, rng_of
from tests.strategies.splitting import cases, feature_subsets

pytestmark = pytest.mark.kernel


def count_bins(case: BinnedCase):
    """Number of rows in each bin, of all rows."""
    every = [np.ones(case.n_samples, np.int64)]
    return splitting.root_sums(case.codes, case.offsets, every, 1)[0]


def join(case: BinnedCase, ends: list) -> CoarseBins:
    """Coarse bins that end at these bins of each feature."""
    codes = np.zeros(case.codes.shape, np.uint8)
    for f, last in enumerate(ends):
        codes[f // 8, :, f % 8] = np.searchsorted(last, case.codes[f // 8, :, f % 8])
    offsets = np.cumsum([0, *map(len, ends)])
    return CoarseBins(codes, offsets, np.concatenate(ends).astype(np.int64), np.zeros(offsets[-1], np.int64))


def random_ends(rng, n_bins: int, missed: int = 0):
    """Up to 256 ends, the last bin among them, and the last but one where the last holds the rows that miss it."""
    some = rng.choice(n_bins, min(int(rng.integers(1, 255)), n_bins), replace=False)
    return np.unique([*some, n_bins - 1, max(n_bins - 2, 0) if missed else n_bins - 1])


def finds_the_best(
    kernel, case: BinnedCase, coarse: CoarseBins, integers, weights, features, least: int, threads, missing=None
):
    """The kernel's cut is that of the specification, which looks at every bin; return it."""
    node = case.rows, integers, weights
    over = splitting.histogram(coarse.codes, coarse.offsets, *node, 1)
    positive = splitting.histogram(coarse.codes, coarse.offsets, case.rows, np.maximum(integers, 0), None, 1)[:, 0]
    over = np.column_stack([over, positive])
    args = case.column_codes, case.offsets, coarse.offsets, coarse.ends, over, *node, features, least
    expected = splitting.best_split_inside(*args, 1, missing)
    for n_threads in threads:
        found = kernel.best_split_inside(*args, n_threads, missing)
        assert found == expected
        assert list(map(type, found)) == list(map(type, expected))
    return expected


@given(cases(), st.integers(1, 4), THREADS, SEEDS, st.booleans(), st.data())
def test_any_coarse_bins_leave_the_best_cut_as_it_is(kernel, drawn, least, n_threads, seed, three_way, data):
    case, integers, weights = drawn
    rng = rng_of(seed)
    missing = rng.integers(0, 3, case.n_features).astype(np.int8) if three_way else None
    missed = np.zeros(case.n_features) if missing is None else missing
    coarse = join(case, [random_ends(rng, *args) for args in zip(np.diff(case.offsets), missed, strict=True)])
    features = data.draw(feature_subsets(case.n_features))
    finds_the_best(kernel, case, coarse, integers, weights, features, least, [n_threads], missing)


@given(cases(), st.integers(1, 4), SEEDS, st.data())
def test_weights_of_all_sizes_leave_the_best_cut_as_it_is(kernel, drawn, least, seed, data):
    """Weights from 1e-12 to 1e12 in one node; on their grid, the lightest are 0, but not always what they weigh."""
    case, integers, _ = drawn
    weight = 10.0 ** (data.draw(places(case.n_samples)) % 25 - 12.0)
    gridded = to_grid(weight * integers).integers if data.draw(st.booleans()) else integers
    rng = rng_of(seed)
    coarse = join(case, [random_ends(rng, n_bins) for n_bins in np.diff(case.offsets)])
    every = np.arange(case.n_features, dtype=np.int32)
    finds_the_best(kernel, case, coarse, gridded, to_grid(weight).integers, every, least, [1])


@pytest.mark.parametrize("weight", [None, 1, 2**40])
def test_a_cut_inside_a_coarse_bin_that_ties_with_one_between_them_is_found(kernel, weight):
    """The best cut is inside a coarse bin of the first feature, and equal ones are between those of both features.

    The coarse bin's rows are all above the mean, and with them the left side is the heavier one: but for the room that
    it leaves for rounding, the bound is the gain.
    """
    case = pack([np.array([0, 1, 2, 3, 4, 5, 10, 11]), np.arange(8)], np.arange(8), [12, 8], np.uint16)
    coarse, integers = join(case, [np.array([3, 8, 11]), np.array([5, 7])]), np.array([1, 1, 1, 1, 1, 1, -3, -3])
    weights, features = None if weight is None else np.full(8, weight), np.arange(2, dtype=np.int32)
    best = finds_the_best(kernel, case, coarse, integers, weights, features, 1, (1, 2))
    assert (best.feature, best.bin) == (0, 5)


def test_a_cut_near_either_end_of_a_coarse_bin_is_found(kernel):
    """One row of nine tenths of a bin's positive residuals; the other feature cuts off that row and one more."""
    integers = np.array([9, -2, -2, -2, 0, -2, *[0] * 13, -1])
    first, other = np.minimum(np.arange(20), 6), np.where(np.isin(np.arange(20), [0, 4]), 0, 1)
    for labels in ([first, other], [6 - first, 1 - other]):
        case = pack(labels, np.arange(20), [7, 2], np.uint16)
        ends = [np.array([5, 6] if labels[0] is first else [0, 6]), np.array([0, 1])]
        for weights in (None, np.full(20, 3)):
            best = finds_the_best(
                kernel, case, join(case, ends), integers, weights, np.arange(2, dtype=np.int32), 1, [1]
            )
            assert (best.feature, best.bin) == (0, 0 if labels[0] is first else 5)


@pytest.mark.parametrize("sign", [1, -1])
@pytest.mark.parametrize("at", [0, 14_999, 15_000, 29_999])
def test_the_row_that_is_farthest_from_the_mean_is_seen_in_every_threads_part(kernel, at, sign):
    """It is alone in its bin, beside a hundred rows that take it back; the other feature parts it with three more."""
    far = np.arange(30_000) == at
    near = np.isin(np.arange(30_000), np.arange(20_000, 20_103))
    labels = [np.where(far, 0, np.where(near, 1, 2)), np.where(far | np.isin(np.arange(30_000), [5, 6, 7]), 0, 1)]
    integers = sign * np.where(far, 1000, np.where(near, -9, 0))
    case, ends = pack(labels, np.arange(30_000), [3, 2], np.uint16), [np.array([1, 2]), np.array([0, 1])]
    best = finds_the_best(kernel, case, join(case, ends), integers, None, np.arange(2, dtype=np.int32), 1, (1, 2))
    assert (best.feature, best.bin) == (0, 0)


def test_rows_whose_weight_is_0_on_its_grid_still_move_a_cut(kernel):
    """Ten of them, at the end of a feature, beside one of weight 1: none of them is near the mean."""
    integers, weights = np.array([100] * 10 + [0, 0] + [-50] * 20), np.array([0] * 10 + [1, 1] + [150] * 20)
    case = pack([np.array([0] * 10 + [1, 2] + [3] * 20)], np.arange(32), [4], np.uint16)
    coarse, features = join(case, [np.array([2, 3])]), np.zeros(1, np.int32)
    assert finds_the_best(kernel, case, coarse, integers, weights, features, 1, [1]).bin == 1


@pytest.mark.parametrize(
    ("integers", "weights"),
    [
        (
            [1649174712220994, 1427629562541257, 1899157580963896, 674407276803800],
            [1832416346912216, 1586255069490286, 2110175089959885, 749341418670889],
        ),
        (
            [926628882251326, 792498094640121, 938891806550607, 1364999126743690],
            [1323755546073323, 1132140135200173, 1341274009358010, 1949998752490986],
        ),
    ],
)
def test_gains_of_rounding_alone_are_found(kernel, integers, weights):
    """Rounded, no row differs from the mean, but the means of two sides differ in the last bit."""
    integers, weights = np.array(integers), np.array(weights)
    case = pack([np.arange(4)], np.arange(4), [4], np.uint16)
    best = finds_the_best(
        kernel, case, join(case, [np.array([1, 3])]), integers, weights, np.zeros(1, np.int32), 1, [1]
    )
    assert best.bin == 2


FLAGS = np.arange(10, dtype=np.int8) % 3  # which features a cut goes three ways in


RESIDUALS = {
    "noise": lambda rng, x: rng.normal(size=len(x)),
    "signal": lambda rng, x: np.sin(5 * x) + rng.normal(size=len(x)),
    "step": lambda rng, x: (x > 0.37) + 0.0,
    "classes": lambda rng, x: (rng.random(len(x)) < 0.1) - 0.1,
    "heavy tail": lambda rng, x: rng.normal(size=len(x)) ** 9,
    "far from 0": lambda rng, x: 1e6 + rng.normal(size=len(x)),
    "far below 0": lambda rng, x: -1e12 + rng.normal(size=len(x)),
    "one large": lambda rng, x: np.where(np.arange(len(x)) == 7, 1e9, rng.normal(size=len(x))),
    "few values": lambda rng, x: rng.integers(-1, 2, len(x)) + 0.0,
    "at one end": lambda rng, x: rng.normal(size=len(x)) + 9 * (x < 3 / len(x)) - 9 * (x > 1 - 2 / len(x)),
    "equal": lambda rng, x: np.ones(len(x)),
}


WEIGHTS = {
    "few values": lambda rng, x: rng.choice([0.5, 1.0, 3.0], len(x)),
    "log-normal": lambda rng, x: 10 ** rng.normal(0, 2, len(x)),
    "from 1e-12 to 1e12": lambda rng, x: 10 ** rng.uniform(-12, 12, len(x)),  # most are 0 on their grid
    "one heavy": lambda rng, x: np.where(np.arange(len(x)) == 7, 1e9, rng.random(len(x)) + 0.1),
    "light ends": lambda rng, x: 1e-8 + (x > 0.1) * (x < 0.9),
    "heavy ends": lambda rng, x: 1e-6 + (x < 4 / len(x)) + (x > 1 - 4 / len(x)),
    "with zeros": lambda rng, x: rng.integers(0, 3, len(x)) + 0.0,
    "all but two are zero": lambda rng, x: (x > np.sort(x)[-3]) + 0.0,
}


@cache
def many_bins(n_rows: int, holed: bool = False) -> tuple[np.ndarray, BinnedCase, CoarseBins]:
    """Features of even and of uneven bins, one that decides, copies of it that tie, and some of a few bins.

    With holes, two rows of five miss a feature, and the last bins of those with `FLAGS` hold them.
    """
    rng = rng_of(n_rows)
    x = rng.random(20_000)
    even, uneven = (x * 65_536).astype(int), (x**8 * 65_536).astype(int)
    labels = [
        rng.integers(0, 65_536, len(x)),
        even,
        uneven,
        even,
        rng.integers(0, 3, len(x)),
        rng.integers(0, 999, len(x)),
    ]
    labels += [np.where(x < 0.9, 5, even), *rng.integers(0, 40_000, (3, len(x)))]
    n_bins = [65_536, 65_536, 65_536, 65_536, 3, 1000, 65_536, 40_000, 40_000, 40_001]
    if holed:
        labels = [np.where(rng.random(len(x)) < 0.4, n - 1, label) for label, n in zip(labels, n_bins, strict=True)]
    case = pack(labels, np.sort(rng.permutation(len(x))[:n_rows]), n_bins, np.uint16)
    return x, case, coarsen(case.codes, case.offsets, count_bins(case), FLAGS if holed else None)


@pytest.mark.parametrize("kind", RESIDUALS)
@pytest.mark.parametrize("n_rows", [2, 300, 20_000])
def test_the_best_cut_of_many_bins_is_found(kernel, kind, n_rows):
    x, case, coarse = many_bins(n_rows)
    integers = to_grid(RESIDUALS[kind](rng_of(n_rows), x)).integers
    every = np.arange(case.n_features, dtype=np.int32)
    for least in (1, n_rows // 2, n_rows // 2 + 1):
        finds_the_best(kernel, case, coarse, integers, None, every, least, (1, 2, 3))
    finds_the_best(kernel, case, coarse, integers, None, every[4:], 1, (1, 2, 3))


@pytest.mark.parametrize("kind", ["noise", "step", "heavy tail", "far from 0", "at one end"])
@pytest.mark.parametrize("weighing", WEIGHTS)
@pytest.mark.parametrize("n_rows", [300, 20_000])
def test_the_best_cut_of_weighted_rows_is_found(kernel, kind, weighing, n_rows):
    x, case, coarse = many_bins(n_rows)
    rng = rng_of(n_rows)
    weight = WEIGHTS[weighing](rng, x)
    integers, weights = to_grid(weight * RESIDUALS[kind](rng, x)).integers, to_grid(weight).integers
    every = np.arange(case.n_features, dtype=np.int32)
    least = 1 if n_rows == 300 else int(rng.integers(1, n_rows // 2))
    finds_the_best(kernel, case, coarse, integers, weights, every, least, (1, 2))


# --- cuts three ways -------------------------------------------------------------------------------------------------


def three_ways(labels: list, missed: list, n_bins: list[int], ends: list) -> tuple[BinnedCase, CoarseBins]:
    """Put the rows that miss a feature into a last bin, a coarse bin alone; return both."""
    labels = [np.where(holes, n, label) for label, holes, n in zip(labels, missed, n_bins, strict=True)]
    case = pack(labels, np.arange(len(labels[0])), [n + 1 for n in n_bins], np.uint16)
    return case, join(case, [np.append(last, n) for last, n in zip(ends, n_bins, strict=True)])


@pytest.mark.parametrize("weight", [None, 3])
@pytest.mark.parametrize("flag", [splitting.PARTED, splitting.NEEDS_CUT])
def test_what_parting_gains_counts_with_a_cut_inside_a_coarse_bin(kernel, weight, flag):
    """Residuals 9, 9, 1, 3, 5, 7: parting the first two, and 1, 3 from 5, 7, which no cut between coarse bins does."""
    integers, holes = np.array([9, 9, 1, 3, 5, 7]), np.arange(6) < 2
    case, coarse = three_ways([np.array([0, 0, 0, 1, 2, 3])], [holes], [4], [np.array([3])])
    weights = None if weight is None else np.full(6, weight)
    args = integers, weights, np.zeros(1, np.int32), 1, [1]
    best = finds_the_best(kernel, case, coarse, *args, np.array([flag], np.int8))
    # three means, 9, 2 and 6, where the node's is 34 / 6
    assert best.split_gain * (weight or 1) == pytest.approx(2 * 81 + 2 * 4 + 2 * 36 - 34**2 / 6, rel=1e-14)
    assert (best.bin, best.left_sum, best.left_count) == (1, 4, 2)


@pytest.mark.parametrize(("flag", "bin"), [(splitting.PARTED, 2), (splitting.NEEDS_CUT, 0)])
def test_a_cut_inside_whose_gain_rounding_swallows(kernel, flag, bin):
    """Parting gains 2**79 times as much: PARTED makes no other cut, NEEDS_CUT makes it though the gain is the same."""
    integers, holes = np.array([2**40, 2**40, -1, 0, 1]), np.arange(5) < 2
    case, coarse = three_ways([np.array([0, 0, 0, 0, 2])], [holes], [3], [np.array([2])])
    args = integers, None, np.zeros(1, np.int32), 1, (1, 2)
    best = finds_the_best(kernel, case, coarse, *args, np.array([flag], np.int8))
    assert (best.feature, best.bin) == (0, bin)


@pytest.mark.parametrize("flag", [splitting.PARTED, splitting.NEEDS_CUT])
def test_a_feature_that_no_row_of_the_node_misses_is_cut_in_two(kernel, flag):
    case, coarse = three_ways([np.arange(4)], [np.zeros(4, bool)], [4], [np.array([1, 3])])
    args = np.array([1, 1, -3, 1]), None, np.zeros(1, np.int32), 1, [1]
    assert finds_the_best(kernel, case, coarse, *args, np.array([flag], np.int8)).bin == 1


@pytest.mark.parametrize("flag", [splitting.PARTED, splitting.NEEDS_CUT])
@pytest.mark.parametrize("of_no_weight", [[0, 1], [2, 3, 4, 5]])
def test_rows_of_no_weight_are_not_parted(kernel, flag, of_no_weight):
    """Those that miss the first feature, or those that have it; the second one is cut."""
    weights = np.where(np.isin(np.arange(6), of_no_weight), 0, 3)
    labels, holes = [np.array([0, 0, 0, 1, 2, 3]), np.array([0, 1, 0, 1, 0, 1])], [np.arange(6) < 2, np.zeros(6, bool)]
    case, coarse = three_ways(labels, holes, [4, 2], [np.array([3]), np.array([1])])
    args = np.array([9, 8, 1, 3, 5, 7]), weights, np.arange(2, dtype=np.int32), 1, [1]
    assert finds_the_best(kernel, case, coarse, *args, np.array([flag, flag], np.int8)).feature == 1


@pytest.mark.parametrize(("flag", "feature"), [(splitting.PARTED, 0), (splitting.NEEDS_CUT, 1)])
def test_parting_alone_holds_back_another_feature_only_where_it_is_a_cut(kernel, flag, feature):
    """The rows that have the first feature have one value of it; no bound of the other's cuts is what parting gains."""
    integers, holes = np.array([9, 9, 0, 0, 0, 1]), np.arange(6) < 2
    labels, ends = [np.zeros(6, int), np.array([0, 3, 1, 2, 2, 3])], [np.array([0]), np.arange(4)]
    case, coarse = three_ways(labels, [holes, np.zeros(6, bool)], [1, 4], ends)
    args = integers, None, np.arange(2, dtype=np.int32), 1, [1]
    assert finds_the_best(kernel, case, coarse, *args, np.array([flag, 0], np.int8)).feature == feature


@pytest.mark.parametrize("flag", [splitting.PARTED, splitting.NEEDS_CUT])
@pytest.mark.parametrize("least", [1, 2])
def test_sides_three_ways_are_large_enough(kernel, flag, least):
    """One row misses the first feature, and one has the second: with sides of two rows, neither is cut."""
    integers, holes = np.array([8, 0, 1, 2, 3]), np.eye(5, dtype=bool)[0]
    labels, ends = [np.arange(5), np.arange(5), np.arange(5) // 4], [np.array([4]), np.array([4]), np.array([0, 1])]
    case, coarse = three_ways(labels, [holes, ~holes, np.zeros(5, bool)], [5, 5, 2], ends)
    args = integers, None, np.arange(3, dtype=np.int32), least, [1]
    assert finds_the_best(kernel, case, coarse, *args, np.full(3, flag, np.int8)).feature == (0 if least == 1 else -1)


@pytest.mark.parametrize("kind", RESIDUALS)
@pytest.mark.parametrize("weighing", [None, *WEIGHTS])
@pytest.mark.parametrize("n_rows", [2, 300, 20_000])
def test_the_best_cut_three_ways_of_many_bins_is_found(kernel, kind, weighing, n_rows):
    x, case, coarse = many_bins(n_rows, holed=True)
    rng = rng_of(n_rows)
    weight = np.ones(len(x)) if weighing is None else WEIGHTS[weighing](rng, x)
    integers = to_grid(weight * RESIDUALS[kind](rng, x)).integers
    weights = None if weighing is None else to_grid(weight).integers
    every = np.arange(case.n_features, dtype=np.int32)
    for least in {1, n_rows // 9 + 1}:
        finds_the_best(kernel, case, coarse, integers, weights, every, least, (1, 2), FLAGS)


# --- the coarse bins themselves -------------------------------------------------------------------------------------


@given(cases(), SEEDS, st.booleans())
def test_coarse_bins_are_runs_of_bins(drawn, seed, three_way):
    case, _, _ = drawn
    counts = count_bins(case)
    missing = rng_of(seed).integers(0, 3, case.n_features).astype(np.int8) if three_way else None
    coarse = coarsen(case.codes, case.offsets, counts, missing)
    ends = np.split(coarse.ends, coarse.offsets[1:-1])
    missed = np.zeros(case.n_features) if missing is None else missing
    for last, n_bins, flag in zip(ends, np.diff(case.offsets), missed, strict=True):
        assert last[-1] == n_bins - 1
        if flag and n_bins > 1:
            assert last[-2] == n_bins - 2
        assert 1 <= len(last) <= 256
        assert np.all(np.diff(last, prepend=-1) > 0)
    np.testing.assert_array_equal(coarse.codes, join(case, ends).codes, strict=True)
    every = [np.ones(case.n_samples, np.int64)]
    expected = splitting.root_sums(coarse.codes, coarse.offsets, every, 1)[0]
    np.testing.assert_array_equal(coarse.bin_counts, expected, strict=True)


def test_a_bin_of_many_rows_is_a_coarse_bin_alone():
    counts = np.ones(65_536, np.int64)
    counts[[0, 700, 701, 65_535]] = 100_000
    last = end_coarse(counts).tolist()
    assert {0, 699, 700, 701, 65_534, 65_535} <= {*last}
    assert len(last) <= 256


@pytest.mark.parametrize("n_bins", [1, 2, 255, 256, 257, 65_536])
@pytest.mark.parametrize("heavy", [0, 1, 100, 255])
def test_coarse_bins_fit_in_one_byte(n_bins, heavy):
    rng = rng_of(heavy)
    counts = rng.integers(0, 3, n_bins)
    counts[rng.integers(0, n_bins, heavy)] += rng.integers(1, 100_000, heavy)
    counts[0] += 1
    for last in (end_coarse(counts), end_beside_missing(counts)):
        assert len(last) <= 256
        assert last[-1] == n_bins - 1

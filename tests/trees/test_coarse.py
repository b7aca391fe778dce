"""Coarse bins and `best_split_inside`: bounds over coarse bins leave the best cut of all bins as it is."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees import splitting
from refrank.trees.bins.coarse import coarsen, end_beside_missing, end_coarse
from refrank.trees.numbers.grid import to_grid
from tests.strategies import SEEDS, THREADS, pack, places, rng_of
from tests.strategies.splitting import cases, feature_subsets
from tests.trees.coarse_cases import RESIDUALS, WEIGHTS, count_bins, finds_the_best, join, many_bins, random_ends

pytestmark = pytest.mark.kernel


@given(cases(), st.integers(1, 4), THREADS, SEEDS, st.booleans(), st.data())
def test_any_coarse_bins_leave_the_best_cut_as_it_is(kernel, drawn, least, n_threads, seed, three_way, data):
    case, integers, weights = drawn
    rng = rng_of(seed)
    missing = rng.integers(0, 3, case.n_features).astype(np.int8) if three_way else None
    missed = np.zeros(case.n_features) if missing is None else missing
    coarse = join(case, [random_ends(rng, *args) for args in zip(np.diff(case.offsets), missed, strict=True)])
    limits = {"features": data.draw(feature_subsets(case.n_features)), "least": least, "missing": missing}
    finds_the_best(kernel, case, coarse, integers, weights, **limits, threads=[n_threads])


@given(cases(), st.integers(1, 4), SEEDS, st.data())
def test_weights_of_all_sizes_leave_the_best_cut_as_it_is(kernel, drawn, least, seed, data):
    """Weights from 1e-12 to 1e12 in one node; on their grid, the lightest are 0, but not always what they weigh."""
    case, integers, _ = drawn
    weight = 10.0 ** (data.draw(places(case.n_samples)) % 25 - 12.0)
    gridded = to_grid(weight * integers).integers if data.draw(st.booleans()) else integers
    rng = rng_of(seed)
    coarse = join(case, [random_ends(rng, n_bins) for n_bins in np.diff(case.offsets)])
    finds_the_best(kernel, case, coarse, gridded, to_grid(weight).integers, least=least, threads=[1])


@pytest.mark.parametrize("weight", [None, 1, 2**40])
def test_a_cut_inside_a_coarse_bin_that_ties_with_one_between_them_is_found(kernel, weight):
    """The best cut is inside a coarse bin of the first feature, and equal ones are between those of both features.

    The coarse bin's rows are all above the mean, and with them the left side is the heavier one: but for the room that
    it leaves for rounding, the bound is the gain.
    """
    case = pack([np.array([0, 1, 2, 3, 4, 5, 10, 11]), np.arange(8)], np.arange(8), [12, 8], np.uint16)
    coarse, integers = join(case, [np.array([3, 8, 11]), np.array([5, 7])]), np.array([1, 1, 1, 1, 1, 1, -3, -3])
    best = finds_the_best(kernel, case, coarse, integers, None if weight is None else np.full(8, weight))
    assert (best.feature, best.bin) == (0, 5)


def test_a_cut_near_either_end_of_a_coarse_bin_is_found(kernel):
    """One row of nine tenths of a bin's positive residuals; the other feature cuts off that row and one more."""
    integers = np.array([9, -2, -2, -2, 0, -2, *[0] * 13, -1])
    first, other = np.minimum(np.arange(20), 6), np.where(np.isin(np.arange(20), [0, 4]), 0, 1)
    for labels in ([first, other], [6 - first, 1 - other]):
        case = pack(labels, np.arange(20), [7, 2], np.uint16)
        ends = [np.array([5, 6] if labels[0] is first else [0, 6]), np.array([0, 1])]
        for weights in (None, np.full(20, 3)):
            best = finds_the_best(kernel, case, join(case, ends), integers, weights)
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
    best = finds_the_best(kernel, case, join(case, ends), integers)
    assert (best.feature, best.bin) == (0, 0)


def test_rows_whose_weight_is_0_on_its_grid_still_move_a_cut(kernel):
    """Ten of them, at the end of a feature, beside one of weight 1: none of them is near the mean."""
    integers, weights = np.array([100] * 10 + [0, 0] + [-50] * 20), np.array([0] * 10 + [1, 1] + [150] * 20)
    case = pack([np.array([0] * 10 + [1, 2] + [3] * 20)], np.arange(32), [4], np.uint16)
    assert finds_the_best(kernel, case, join(case, [np.array([2, 3])]), integers, weights).bin == 1


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
    case = pack([np.arange(4)], np.arange(4), [4], np.uint16)
    coarse = join(case, [np.array([1, 3])])
    assert finds_the_best(kernel, case, coarse, np.array(integers), np.array(weights)).bin == 2


@pytest.mark.parametrize("kind", RESIDUALS)
@pytest.mark.parametrize("n_rows", [2, 300, 20_000])
def test_the_best_cut_of_many_bins_is_found(kernel, kind, n_rows):
    x, case, coarse = many_bins(n_rows)
    integers = to_grid(RESIDUALS[kind](rng_of(n_rows), x)).integers
    for least in (1, n_rows // 2, n_rows // 2 + 1):
        finds_the_best(kernel, case, coarse, integers, least=least, threads=(1, 2, 3))
    some = np.arange(4, case.n_features, dtype=np.int32)
    finds_the_best(kernel, case, coarse, integers, features=some, threads=(1, 2, 3))


@pytest.mark.parametrize("kind", ["noise", "step", "heavy tail", "far from 0", "at one end"])
@pytest.mark.parametrize("weighing", WEIGHTS)
@pytest.mark.parametrize("n_rows", [300, 20_000])
def test_the_best_cut_of_weighted_rows_is_found(kernel, kind, weighing, n_rows):
    x, case, coarse = many_bins(n_rows)
    rng = rng_of(n_rows)
    weight = WEIGHTS[weighing](rng, x)
    integers, weights = to_grid(weight * RESIDUALS[kind](rng, x)).integers, to_grid(weight).integers
    least = 1 if n_rows == 300 else int(rng.integers(1, n_rows // 2))
    finds_the_best(kernel, case, coarse, integers, weights, least=least)


@pytest.mark.parametrize("missed", [0, 300])
@pytest.mark.parametrize("weight", [None, 3])
@pytest.mark.parametrize("outlier", [0, 100])
def test_a_cut_anywhere_in_a_piece_of_a_coarse_bin_is_found(kernel, missed, weight, outlier):
    """A coarse bin of 2,000 bins has 16 pieces of 125; two outliers lie far from the mean, which bounds less."""
    x, bin_missed = rng_of(missed).permutation(6_000), 6_000
    holes = np.arange(len(x)) < missed
    labels = np.where(holes, bin_missed, x)
    case = pack([labels // 2, labels], np.arange(len(x)), [3_001, 6_001], np.uint16)
    coarse = join(case, [np.array([999, 1_999, 2_999, 3_000]), np.array([1_999, 3_999, 5_999, 6_000])])
    weights, missing = None if weight is None else np.full(len(x), weight), np.array([1, 2], np.int8)
    for at in (2_000, 2_001, 2_123, 2_124, 2_125, 2_126, 2_900, 3_873, 3_874, 3_875, 3_998):
        integers = np.where(x <= at, 2, -1) + rng_of(at).integers(-1, 2, len(x))
        integers += outlier * (x == 5) - outlier * (x == 5_995)
        best = finds_the_best(kernel, case, coarse, integers, weights, missing=missing, threads=[1])
        assert abs(best.bin * (2 - best.feature) - at) < 20


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


def test_many_even_bins_have_about_as_many_coarse_bins_as_fit_in_one_byte():
    counts = np.ones(65_536, np.int64)
    for last in (end_coarse(counts), end_beside_missing(counts)):
        assert 240 < len(last) <= 256


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

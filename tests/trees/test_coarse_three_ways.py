"""Coarse bins where features are missing: parting and cutting, found as over all bins."""

from itertools import product

import numpy as np
import pytest

from refrank.trees import splitting
from refrank.trees.bins.coarse import CoarseBins
from refrank.trees.numbers.grid import to_grid
from tests.strategies import BinnedCase, pack, rng_of
from tests.trees.coarse_cases import FLAGS, RESIDUALS, WEIGHTS, finds_the_best, join, many_bins

pytestmark = pytest.mark.kernel


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
    best = finds_the_best(kernel, case, coarse, integers, weights, missing=np.array([flag], np.int8))
    # three means, 9, 2 and 6, where the node's is 34 / 6
    assert best.split_gain * (weight or 1) == pytest.approx(2 * 81 + 2 * 4 + 2 * 36 - 34**2 / 6, rel=1e-14)
    assert (best.bin, best.left_sum, best.left_count) == (1, 4, 2)


@pytest.mark.parametrize(("flag", "bin"), [(splitting.PARTED, 2), (splitting.NEEDS_CUT, 0)])
def test_a_cut_inside_whose_gain_rounding_swallows(kernel, flag, bin):
    """Parting gains 2**79 times as much: PARTED makes no other cut, NEEDS_CUT makes it though the gain is the same."""
    integers, holes = np.array([2**40, 2**40, -1, 0, 1]), np.arange(5) < 2
    case, coarse = three_ways([np.array([0, 0, 0, 0, 2])], [holes], [3], [np.array([2])])
    best = finds_the_best(kernel, case, coarse, integers, missing=np.array([flag], np.int8))
    assert (best.feature, best.bin) == (0, bin)


@pytest.mark.parametrize("flag", [splitting.PARTED, splitting.NEEDS_CUT])
def test_a_feature_that_no_row_of_the_node_misses_is_cut_in_two(kernel, flag):
    case, coarse = three_ways([np.arange(4)], [np.zeros(4, bool)], [4], [np.array([1, 3])])
    integers, missing = np.array([1, 1, -3, 1]), np.array([flag], np.int8)
    assert finds_the_best(kernel, case, coarse, integers, missing=missing).bin == 1


@pytest.mark.parametrize("flag", [splitting.PARTED, splitting.NEEDS_CUT])
@pytest.mark.parametrize("of_no_weight", [[0, 1], [2, 3, 4, 5]])
def test_rows_of_no_weight_are_not_parted(kernel, flag, of_no_weight):
    """Those that miss the first feature, or those that have it; the second one is cut."""
    weights = np.where(np.isin(np.arange(6), of_no_weight), 0, 3)
    labels, holes = [np.array([0, 0, 0, 1, 2, 3]), np.array([0, 1, 0, 1, 0, 1])], [np.arange(6) < 2, np.zeros(6, bool)]
    case, coarse = three_ways(labels, holes, [4, 2], [np.array([3]), np.array([1])])
    integers, missing = np.array([9, 8, 1, 3, 5, 7]), np.array([flag, flag], np.int8)
    assert finds_the_best(kernel, case, coarse, integers, weights, missing=missing).feature == 1


@pytest.mark.parametrize(("flag", "feature"), [(splitting.PARTED, 0), (splitting.NEEDS_CUT, 1)])
def test_parting_alone_holds_back_another_feature_only_where_it_is_a_cut(kernel, flag, feature):
    """The rows that have the first feature have one value of it; no bound of the other's cuts is what parting gains."""
    integers, holes = np.array([9, 9, 0, 0, 0, 1]), np.arange(6) < 2
    labels, ends = [np.zeros(6, int), np.array([0, 3, 1, 2, 2, 3])], [np.array([0]), np.arange(4)]
    case, coarse = three_ways(labels, [holes, np.zeros(6, bool)], [1, 4], ends)
    missing = np.array([flag, 0], np.int8)
    assert finds_the_best(kernel, case, coarse, integers, missing=missing).feature == feature


@pytest.mark.parametrize("flag", [splitting.PARTED, splitting.NEEDS_CUT])
@pytest.mark.parametrize("least", [1, 2])
def test_sides_three_ways_are_large_enough(kernel, flag, least):
    """One row misses the first feature, and one has the second: with sides of two rows, neither is cut."""
    integers, holes = np.array([8, 0, 1, 2, 3]), np.eye(5, dtype=bool)[0]
    labels, ends = [np.arange(5), np.arange(5), np.arange(5) // 4], [np.array([4]), np.array([4]), np.array([0, 1])]
    case, coarse = three_ways(labels, [holes, ~holes, np.zeros(5, bool)], [5, 5, 2], ends)
    best = finds_the_best(kernel, case, coarse, integers, least=least, missing=np.full(3, flag, np.int8))
    assert best.feature == (0 if least == 1 else -1)


PAIRS = product(enumerate(RESIDUALS), enumerate([None, *WEIGHTS]))


@pytest.mark.parametrize(
    ("kind", "weighing", "n_rows"),
    [(kind, weighing, (2, 300, 20_000)[(i + j) % 3]) for (i, kind), (j, weighing) in PAIRS],
)
def test_the_best_cut_three_ways_of_many_bins_is_found(kernel, kind, weighing, n_rows):
    """Every two of a kind, a weighing and a size meet."""
    x, case, coarse = many_bins(n_rows, holed=True)
    rng = rng_of(n_rows)
    weight = np.ones(len(x)) if weighing is None else WEIGHTS[weighing](rng, x)
    integers = to_grid(weight * RESIDUALS[kind](rng, x)).integers
    weights = None if weighing is None else to_grid(weight).integers
    for least in {1, n_rows // 9 + 1}:
        finds_the_best(kernel, case, coarse, integers, weights, least=least, missing=FLAGS)

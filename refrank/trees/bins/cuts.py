"""Where the bins of one feature end: McRank App. I's bins of equal length, quantiles, or a bin per value.

    "We start with a very small initial bin length, e.g., 1e-8. [...] we only bin the data where there are indeed data.
     [...] If the bin length is so small that we need more than B bins, we simply increment the bin length and re-do
     the quantization."

A bin of App. I is [start, start + length). Its start is the lowest value that no earlier bin covers, and always belongs
to it. These bins depend only on the set of distinct values. The initial length of 1e-8 is absolute, as in the paper: it
merges the values of a feature whose whole scale is smaller. Rescale such a feature before binning it.

Quantiles divide the rows instead of the range: however heavy the tails of a feature are, its bins hold about equal
weight. These bins depend on how much the rows of each value weigh, and not at all on the scale of the feature.

A bin per value loses no cut between two values. A feature with more than B values has quantiles of the values instead.

None of these depends on the order of the rows. A value that training did not see, in a gap between two bins, belongs
to the nearer one (from the middle of the gap on, to the right one), and a value beyond all bins to the outermost. A
trained model therefore needs only one cut between neighbouring bins:

    bin b holds x  where  cuts[b - 1] <= x < cuts[b]

    symbol       in code    shape
    B            n_bins     int, the largest number of bins
    n            -          int, the number of values
    v            values     (n,) float32 or float64, ascending, with repeats
    w            weights    (n,) int64, the weight of each on its grid (`refrank.trees.numbers.grid`), or None: 1 each
    W            -          int, the total weight
    -            cuts       (number of bins - 1,) float64
"""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.checks import check_number
from refrank.trees.engine import Splitter

INITIAL_LENGTH = 1e-8  # McRank App. I: "e.g., 10^-8"
LOWEST = float(np.finfo(np.float64).min)  # no finite value is below it
SLOWEST_GROWTH = 1.001  # keeps the number of lengths to try within reason

# Takes finite values, not all equal, n_bins, a splitter, and the weights of the values.
PlaceCuts = Callable[[Matrix, int, Splitter, Ints | None], Floats]


def find_cuts(
    values: Matrix, n_bins: int, place_cuts: PlaceCuts, splitter: Splitter, weights: Ints | None = None
) -> Floats:
    """Find the cuts between the bins of one feature.

    The values are finite, except for -inf, which has the first bin to itself, and +inf, which has the last.
    `place_cuts` places the cuts between the finite ones.

    Examples
    --------
    >>> from refrank.trees import splitting
    >>> find_cuts(np.array([1.0, 2.0, 4.0, np.inf]), 3, quantiles, splitting)
    array([ 3., inf])
    """
    if values[0] == values[-1]:
        return np.empty(0)
    if values[0] == -np.inf:  # below all others: it stands for a missing value
        n_missing = values.searchsorted(-np.inf, side="right")
        present, theirs = values[n_missing:], None if weights is None else weights[n_missing:]
        return np.append(LOWEST, find_cuts(present, n_bins - 1, place_cuts, splitter, theirs))
    if values[-1] == np.inf:  # above all others: so does it
        n_present = values.searchsorted(np.inf)
        present, theirs = values[:n_present], None if weights is None else weights[:n_present]
        return np.append(find_cuts(present, n_bins - 1, place_cuts, splitter, theirs), np.inf)
    return place_cuts(values, n_bins, splitter, weights)


def equal_lengths(growth: float = 2.0) -> PlaceCuts:
    """Cut bins of the shortest length for which B bins suffice (McRank App. I).

    Weights have no effect: these bins depend on the set of values alone.

    `growth`, at least 1.001, is the factor by which the length grows while more than B bins are needed; a ValueError
    refuses another.

    Examples
    --------
    >>> from refrank.trees import splitting
    >>> equal_lengths()(np.array([0.0, 0.25, 1.0, 1.5]), 2, splitting)  # the length is 1e-8 * 2**26 = 0.671
    array([0.83554432])
    """
    check_number("growth", growth, at_least=SLOWEST_GROWTH)

    def place_cuts(values: Matrix, n_bins: int, splitter: Splitter, weights: Ints | None = None) -> Floats:
        # McRank App. I: "we simply increment the bin length and re-do the quantization"
        lengths, lowest, highest = [INITIAL_LENGTH], float(values[0]), float(values[-1])
        while lowest + lengths[-1] <= highest:
            # Paper is silent: by how much the length grows. Here by a factor.
            lengths.append(lengths[-1] * growth)

        def suffices(length: float) -> bool:
            return len(splitter.bin_starts(values, length, n_bins)) > 0

        # Longer bins are never more numerous, so bisection finds the first length that suffices.
        length = lengths[bisect_left(lengths, True, key=suffices)]
        starts = splitter.bin_starts(values, length, n_bins)
        # Paper is silent: where a value in a gap goes. The gap is from the bin's end to the next start.
        start, below = values[starts].astype(np.float64), values[starts[1:] - 1]
        return halve_gaps(start[:-1] + length, below, start[1:])

    return place_cuts


APP_I = equal_lengths()  # with doubled lengths, the default of `bin_features`


def quantiles(values: Matrix, n_bins: int, splitter: Splitter, weights: Ints | None = None) -> Floats:
    """Cut above each of the B - 1 quantiles that is below the highest value.

    The b-th quantile, b = 1 .. B - 1, is the lowest value v for which the rows up to and including v weigh at least
    b W / B; where all rows weigh the same, ceil(b n / B) rows are at or below it, and more only where values are equal.
    A weight of k counts as k rows, and a common factor of all weights has no effect.

    The cut is the middle between the quantile and the next higher value, and equal cuts are one. With at most B
    distinct values, each has a bin of its own. The rows of a bin beside those of its highest value weigh less than
    W / B: if the lowest value has a share of 1 / B of the rows, such as the zeros of sparse features, it is alone.

    LightGBM and scikit-learn, too, give each of a few distinct values a bin, and otherwise place cuts between values by
    counts of rows; their counts are those of a sample, and each weighs repeated values in its own way.

    The splitter finds the distinct values where they are few. Weights are at least 0, with a sum of at most 2**53.

    Examples
    --------
    >>> from refrank.trees import splitting
    >>> quantiles(np.array([1.0, 2.0, 3.0, 4.0, 10.0, 1000.0]), 3, splitting)
    array([2.5, 7. ])
    >>> quantiles(np.array([1.0, 1.0, 1.0, 1.0, 4.0, 1000.0]), 3, splitting)
    array([  2.5, 502. ])
    >>> quantiles(np.array([1.0, 2.0, 3.0, 4.0]), 2, splitting, weights=np.array([3, 1, 1, 1]))  # as 1, 1, 1, 2, 3, 4
    array([1.5])
    """
    starts = splitter.bin_starts(values, 0.0, n_bins)  # a bin of length 0 holds one distinct value
    if len(starts) == 0:
        total = len(values) if weights is None else int(weights.sum())  # W
        share, rest = divmod(total, n_bins)
        b = np.arange(1, n_bins)
        least = b * share - b * -rest // n_bins  # b W / B, rounded up; int64 holds each product
        places = least - 1 if weights is None else weights.cumsum().searchsorted(least)
        following = values.searchsorted(values[places], side="right")
        starts = np.unique(np.append(0, following[following < len(values)]))
    # A sort may put either of two equal zeros first: adding 0.0 makes both 0.0.
    start, below = values[starts[1:]].astype(np.float64) + 0.0, values[starts[1:] - 1].astype(np.float64)
    return halve_gaps(below, below, start)


def exact(values: Matrix, n_bins: int, splitter: Splitter, weights: Ints | None = None) -> Floats:
    """Cut midway between every two neighbouring distinct values.

    Where there are more than B distinct values, cut at their B - 1 quantiles, each value counted once. Weights have no
    effect: these bins depend on the set of values alone.

    >>> from refrank.trees import splitting
    >>> exact(np.array([1.0, 1.0, 1.0, 4.0, 1000.0]), 256, splitting)
    array([  2.5, 502. ])
    """
    return quantiles(values[find_starts(values)], n_bins, splitter)


def halve_gaps(ends: Floats, highest: Matrix, following: Floats) -> Floats:
    """Place each cut in the middle of a gap, from the end of a bin to the next start.

    The cut is the next start itself where the gap is too small for float64 to hold a value between that start and the
    highest value below.
    """
    middle = ends / 2 + following / 2
    return np.where(middle > highest, middle, following)


def find_starts(ascending: Matrix) -> Ints:
    """Find the place of the first of each run of equal values, which ascend.

    >>> find_starts(np.array([1.0, 1.0, 2.0]))
    array([0, 2])
    """
    return np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1])[: len(ascending)])

"""Where the bins of one feature end: McRank App. I's bins of equal length, or quantiles.

    "We start with a very small initial bin length, e.g., 1e-8. [...] we only bin the data where there are indeed data.
     [...] If the bin length is so small that we need more than B bins, we simply increment the bin length and re-do
     the quantization."

A bin of App. I is [start, start + length). Its start is the lowest value that no earlier bin covers, and always belongs
to it. These bins depend only on the set of distinct values. The initial length of 1e-8 is absolute, as in the paper: it
merges the values of a feature whose whole scale is smaller. Rescale such a feature before binning it.

Quantiles part the rows instead of the range: however heavy the tails of a feature are, its bins hold about equally many
rows. These bins depend on how often each value occurs, and not at all on the scale of the feature.

Neither depends on the order of the rows. A value that training did not see, in a gap between two bins, belongs to the
nearer one (from the middle of the gap on, to the right one), and a value beyond all bins to the outermost. A trained
model therefore needs only one cut between neighbouring bins:

    bin b holds x  where  cuts[b - 1] <= x < cuts[b]

    symbol       in code    shape
    B            n_bins     int, the largest number of bins
    n            -          int, the number of values
    v            values     (n,) float32 or float64, ascending, with repeats
    -            cuts       (number of bins - 1,) float64
"""

from bisect import bisect_left
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from refrank.checks import check_number
from refrank.trees.engine import Splitter
from refrank.trees.splitting import Floats

INITIAL_LENGTH = 1e-8  # McRank App. I: "e.g., 10^-8"
LOWEST = float(np.finfo(np.float64).min)  # no finite value is below it
SLOWEST_GROWTH = 1.001  # keeps the number of lengths to try within reason

PlaceCuts = Callable[[NDArray[np.floating], int, Splitter], Floats]  # of finite values, not all equal, and n_bins


def find_cuts(values: NDArray[np.floating], n_bins: int, place_cuts: PlaceCuts, splitter: Splitter) -> Floats:
    """Find the cuts between the bins of one feature, (number of bins - 1,), given its values, ascending."""
    if values[0] == values[-1]:
        return np.empty(0)
    if values[0] == -np.inf:  # below all others: it stands for a missing value
        present = values[values.searchsorted(-np.inf, side="right") :]
        return np.append(LOWEST, find_cuts(present, n_bins - 1, place_cuts, splitter))
    if values[-1] == np.inf:  # above all others: so does it
        return np.append(find_cuts(values[: values.searchsorted(np.inf)], n_bins - 1, place_cuts, splitter), np.inf)
    return place_cuts(values, n_bins, splitter)


def equal_lengths(growth: float = 2.0) -> PlaceCuts:
    """Cut bins of the shortest length of which B suffice (McRank App. I).

    Parameters
    ----------
    growth : float, default 2.0
        Factor of at least 1.001 by which the length grows while more than B bins are needed.

    Returns
    -------
    PlaceCuts

    Raises
    ------
    ValueError
        If growth is out of range.

    Examples
    --------
    >>> from refrank.trees import splitting
    >>> equal_lengths()(np.array([0.0, 0.25, 1.0, 1.5]), 2, splitting)  # the length is 1e-8 * 2**26 = 0.671
    array([0.83554432])
    """
    check_number("growth", growth, at_least=SLOWEST_GROWTH)

    def place_cuts(values: NDArray[np.floating], n_bins: int, splitter: Splitter) -> Floats:
        # McRank App. I: "we simply increment the bin length and re-do the quantization"
        lengths = [INITIAL_LENGTH]
        while float(values[0]) + lengths[-1] <= values[-1]:
            # Paper is silent: by how much the length grows. Here by a factor.
            lengths.append(lengths[-1] * growth)

        def suffices(length: float) -> bool:
            return len(splitter.bin_starts(values, length, n_bins)) > 0

        # Longer bins never need to be more, so bisection finds the first length that suffices.
        length = lengths[bisect_left(lengths, True, key=suffices)]
        starts = splitter.bin_starts(values, length, n_bins)
        # Paper is silent: where a value in a gap goes. The gap is from the bin's end to the next start.
        start, highest = values[starts].astype(np.float64), values[starts[1:] - 1]
        return halve_gaps(start[:-1] + length, highest, start[1:])

    return place_cuts


APP_I = equal_lengths()  # with doubled lengths, the default of `bin_features`


def quantiles(values: NDArray[np.floating], n_bins: int, splitter: Splitter) -> Floats:
    """Cut below each of the B - 1 quantiles v[ceil(b n / B)], b = 1 .. B - 1, that is above the lowest value.

    The cut is the middle between the quantile and the next lower value, and equal cuts are one. With at most B distinct
    values, each has a bin of its own. A bin holds at most ceil(n / B) - 1 rows beside those of its lowest value.

    LightGBM and scikit-learn, too, give each of a few distinct values a bin, and else place cuts between values by
    counts of rows; their counts are those of a sample, and each weighs repeated values in its own way.

    Parameters
    ----------
    values : float32 or float64 array of shape (n,)
        Finite, ascending, not all equal.
    n_bins : int
        B.
    splitter : Splitter
        Finds the distinct values where they are few.

    Returns
    -------
    float64 array of shape (number of bins - 1,)

    Examples
    --------
    >>> from refrank.trees import splitting
    >>> quantiles(np.array([1.0, 2.0, 3.0, 4.0, 10.0, 1000.0]), 3, splitting)
    array([2.5, 7. ])
    >>> quantiles(np.array([1.0, 1.0, 1.0, 1.0, 4.0, 1000.0]), 3, splitting)
    array([  2.5, 502. ])
    """
    starts = splitter.bin_starts(values, 0.0, n_bins)  # a bin of length 0 holds one distinct value
    if len(starts) == 0:
        bn = np.arange(n_bins, dtype=np.int64) * len(values)  # (B,), b from 0: the lowest value, then the quantiles
        places = -(-bn // n_bins)  # rounded up
        starts = np.unique(values.searchsorted(values[places]))  # the first place of each
    # A sort may put either of two equal zeros first: adding 0.0 makes both 0.0.
    quantile, below = values[starts[1:]].astype(np.float64) + 0.0, values[starts[1:] - 1].astype(np.float64)
    return halve_gaps(below, below, quantile)


def halve_gaps(ends: Floats, highest: NDArray[np.floating], following: Floats) -> Floats:
    """Place each cut in the middle of a gap, from the end of a bin to the next start.

    The cut is the next start itself where the gap is too small for float64 to hold a value between that start and the
    highest value below.
    """
    middle = ends / 2 + following / 2
    return np.where(middle > highest, middle, following)

"""Oracles of bins: McRank App. I's, of one length that makes them few enough, from the paper's words; and quantiles."""

from collections.abc import Sequence
from fractions import Fraction
from itertools import accumulate


def bins_of_length(values: Sequence[float], length: float) -> list[list[float]]:
    """Cover the sorted data with bins [start, start + length): "we only bin the data where there are indeed data"."""
    bins: list[list[float]] = []
    for x in sorted(set(values)):
        if not bins or not (x < bins[-1][0] + length or x == bins[-1][0]):
            bins.append([])  # the lowest value not covered starts a bin, and belongs to it
        bins[-1].append(x)
    return bins


def adaptive_bins(values: Sequence[float], n_bins: int, growth: float) -> tuple[list[list[float]], float]:
    """Return bins and their length: "We start with a very small initial bin length, e.g., 1e-8. [...] If the bin length
    is so small that we need more than B bins, we simply increment the bin length and re-do the quantization."
    """
    length = 1e-8
    while len(bins := bins_of_length(values, length)) > n_bins:
        length = length * growth
    return bins, length


def bin_of(x: float, bins: Sequence[Sequence[float]], length: float) -> int:
    """The bin that covers x; in a gap, the nearer (from the middle on, the right one); beyond all, the outermost."""
    for b, members in enumerate(bins):
        start, end = members[0], members[0] + length
        if x < start:  # so b is 0, or x lies in the gap before bin b
            if b == 0:
                return 0
            gap_begins = Fraction(bins[b - 1][0] + length)
            return b if 2 * Fraction(x) >= gap_begins + Fraction(start) else b - 1
        if x < end or x == start:
            return b
    return len(bins) - 1


def quantile_bins(values: Sequence[float], n_bins: int, weights: Sequence[float] | None = None) -> list[list[float]]:
    """The finite values, with repeats, in the order of size and bin by bin, without any arithmetic on the values.

    A bin ends with each quantile: the b-th is the lowest value such that the rows up to and including it weigh b/B of
    all, or more.
    """
    w = [Fraction(1)] * len(values) if weights is None else [Fraction(weight) for weight in weights]
    at = {x: Fraction(0) for x in sorted(values)}
    for x, weight in zip(values, w, strict=True):
        at[x] += weight
    ends = set(at)
    if len(at) > n_bins:
        up_to = list(zip(at, accumulate(at.values()), strict=True))
        ends = {next(x for x, passed in up_to if passed * n_bins >= b * sum(w)) for b in range(1, n_bins)}
    v = sorted(values)
    bins: list[list[float]] = [[]]
    for i, x in enumerate(v):
        if i > 0 and v[i - 1] in ends and x > v[i - 1]:
            bins.append([])
        bins[-1].append(x)
    return bins


def middle_cut(highest: float, start: float) -> float:
    """The middle between two neighbouring values, rounded once; the upper value where that is the lower one."""
    middle = float((Fraction(highest) + Fraction(start)) / 2)
    return middle if middle > highest else start

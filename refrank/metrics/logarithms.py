"""Correctly rounded logarithms of integers: the float64 nearest to each, whatever the C library and the CPU.

Each logarithm follows from the one before, in integers that count units of 2^-bits:

    ln(n + 1) = ln(n) + 2 (z + z^3/3 + z^5/5 + ...),  z = 1/(2n + 1).

Every division rounds down, so the sum is a lower bound, and `_bound_logarithms` counts how far it may fall short. If
both ends of the interval round to one float64, then so does the logarithm; if they do not, all are computed again with
twice the bits (Ziv's method). The method ends, because no logarithm is halfway between two float64: ln(n) is
irrational, and log2(n) is irrational or an integer.
"""

from collections.abc import Iterator
from itertools import islice
from math import ldexp
from typing import Literal

Base = Literal["2", "e"]
BITS = 128  # decides all n up to a million at the first try


def round_logarithms(highest: int, base: Base, bits: int = BITS) -> list[float]:
    """Return the logarithms of 2, 3, ..., highest, each rounded once.

    >>> round_logarithms(5, "2")
    [1.0, 1.584962500721156, 2.0, 2.321928094887362]
    """
    low_of_2, high_of_2 = next(_bound_logarithms(bits))
    rounded = []
    for low, high in islice(_bound_logarithms(bits), max(highest - 1, 0)):
        # Python rounds an integer, and the quotient of two integers, to the nearest float64. 2^-bits scales exactly.
        if base == "2":
            below, above = low / high_of_2, high / low_of_2
        else:
            below, above = ldexp(float(low), -bits), ldexp(float(high), -bits)
        if below != above:
            return round_logarithms(highest, base, 2 * bits)
        rounded.append(below)
    return rounded


def _bound_logarithms(bits: int) -> Iterator[tuple[int, int]]:
    """Yield integers low <= ln(n) 2^bits <= high for n = 2, 3, ...

    `power` is z^k 2^(bits+1) rounded down (dividing twice and rounding down each time rounds no further than doing it
    once), so a term loses less than 1 unit. After the last term, power < 1 and k >= 3: the rest of the series is below
    (1/3)(1 + 1/9 + 1/81 + ...) < 1 unit.
    """
    n, low, slack = 1, 0, 0
    while True:
        odd = 2 * n + 1
        square, k, power = odd * odd, 1, (2 << bits) // odd
        while power:
            low += power // k
            slack += 1
            power //= square
            k += 2
        n, slack = n + 1, slack + 1
        yield low, low + slack

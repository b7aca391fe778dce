"""Distances between numbers, in units in the last place, and numbers as text."""

import math
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Bools, Floats, Ints


def count_ulps(expected: float, actual: float) -> int | None:
    """Count the float64 numbers from one float to another; -0.0 and 0.0 are one apart.

    None for integers, and where one of the numbers is not finite.

    >>> count_ulps(1.0, 1.0000000000000002), count_ulps(-5e-324, 5e-324), count_ulps(1.0, math.nan)
    (1, 3, None)
    """
    if not isinstance(expected, float) or not math.isfinite(expected) or not math.isfinite(actual):
        return None
    first, second = place(np.array([expected, actual], np.float64)).tolist()
    return abs(first - second)


def place(values: Floats) -> Ints:
    """Number the floats in ascending order: neighbours have neighbouring numbers."""
    bits = values.view(np.int64)
    return np.where(bits < 0, ~(bits & np.int64(2**63 - 1)), bits)


def write_number(value: Any) -> str:
    """Write a number in decimal; a finite float in hexadecimal, too.

    >>> write_number(np.float64(0.1)), write_number(np.int64(3)), write_number(math.inf)
    ('0.1 (0x1.999999999999ap-4)', '3', 'inf')
    """
    number = value.item() if isinstance(value, np.generic) else value
    return f"{number!r} ({number.hex()})" if isinstance(number, float) and math.isfinite(number) else repr(number)


def find_different(expected: NDArray[Any], actual: NDArray[Any], ulps: int = 0) -> Bools:
    """Mark the entries, of arrays of one shape, that differ: integers by any amount, floats by more than some ulps.

    All NaN count as equal.
    """
    if expected.dtype.kind != "f" or actual.dtype.kind != "f":
        return np.asarray(expected != actual)
    expected, actual = expected.astype(np.float64), actual.astype(np.float64)
    both_nan = np.isnan(expected) & np.isnan(actual)
    if ulps == 0:
        return np.asarray((expected.view(np.int64) != actual.view(np.int64)) & ~both_nan)
    a, b = place(expected), place(actual)
    steps = np.where(a > b, a, b).view(np.uint64) - np.where(a > b, b, a).view(np.uint64)  # exact: below 2**64
    return np.asarray(((steps > ulps) | (np.isnan(expected) ^ np.isnan(actual))) & ~both_nan)

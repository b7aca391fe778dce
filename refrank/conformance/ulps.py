"""How far apart two numbers are: in units in the last place, and as the same bits."""

from typing import Any

import numpy as np
from numpy.typing import NDArray


def count_ulps(expected: float, found: float, dtype: str = "float64") -> int:
    """Count the floats from one number to another; -0.0 and 0.0 are one step apart.

    NaN is as far from any number as there are floats.

    >>> count_ulps(1.0, 1.0000000000000002), count_ulps(-0.0, 0.0), count_ulps(1.0, 2.0)
    (1, 1, 4503599627370496)
    """
    return int(abs(int(place(np.array(found, dtype))) - int(place(np.array(expected, dtype)))))


def place(values: NDArray[Any]) -> NDArray[np.int64]:
    """Number the floats in ascending order: neighbours have neighbouring numbers."""
    bits = values.view(np.int64 if values.dtype.itemsize == 8 else np.int32).astype(np.int64)
    magnitude = np.int64(2**63 - 1) if values.dtype.itemsize == 8 else np.int64(2**31 - 1)
    return np.where(bits < 0, ~(bits & magnitude), bits)


def find_different(expected: NDArray[Any], found: NDArray[Any], ulps: int = 0) -> NDArray[np.bool_]:
    """Mark the entries, of arrays of one shape, that differ: integers at all, floats by more than some ulps.

    All NaN are one number.
    """
    if expected.dtype.kind != "f" or found.dtype.kind != "f":
        return np.asarray(expected != found)
    expected, found = expected.astype(np.float64), found.astype(np.float64)
    both_nan = np.isnan(expected) & np.isnan(found)
    if ulps == 0:
        return np.asarray((expected.view(np.int64) != found.view(np.int64)) & ~both_nan)
    steps = np.abs(place(expected).astype(np.float64) - place(found).astype(np.float64))  # to within rounding
    return np.asarray(((steps > ulps) | (np.isnan(expected) ^ np.isnan(found))) & ~both_nan)

"""Patterns of the numbers that differ: a factor, off by one, fewer bits, the round before."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstick.divergence.judging import Judgement

COUNTED = ("draws", "order", "bins", "histogram", "cut", "partition", "tree", "leaves")
FEWEST_BITS = 16  # that agree in numbers that are called alike


@np.errstate(all="ignore")
def find_pattern(judgement: Judgement, before: NDArray[Any] | None) -> str | None:
    """Describe how the numbers found are like the expected ones, or those of the round before; None if they are not."""
    expected, actual, is_counted = judgement.expected, judgement.actual, judgement.stage in COUNTED
    if expected is None or actual is None:
        return None
    if expected.shape != actual.shape:
        absent = {*expected.ravel().tolist()} - {*actual.ravel().tolist()}
        return f"of node {min(absent)} there is nothing" if judgement.field == "nodes" and absent else None
    if not is_counted and before is not None and np.array_equal(before, actual):
        return "these are the numbers of the round before: they were not renewed"
    if judgement.field == "sums" and not np.array_equal(expected[..., 1], actual[..., 1]):
        return None
    numbers, others = (values.astype(np.float64).ravel() for values in (expected, actual))
    off, used = others - numbers, numbers != 0
    if is_counted and expected.dtype.kind in "iu" and judgement.field != "sums":
        steps = {*off[off != 0].tolist()}
        return f"numbers are 1 too {'high' if 1 in steps else 'low'}: off by one" if steps in ({1}, {-1}) else None
    if not np.isfinite(off).all() or not used.any():
        return None
    ratio = float(np.median(others[used] / numbers[used]))
    is_scaled = np.allclose(others, numbers * ratio, rtol=1e-9, atol=0.0)
    if not is_counted and is_scaled and abs(ratio - 1.0) >= 2.0**-FEWEST_BITS:
        return f"all values are {ratio:.6g} times the expected ones{': the sign is wrong' * (ratio == -1.0)}"
    if np.array_equal(numbers.astype(np.float32), others):
        return "the expected values, rounded to float32"
    share = np.abs(off).max() / np.abs(numbers).max()
    if not 0 < share <= 2.0**-FEWEST_BITS:
        return None
    is_single = np.array_equal(others.astype(np.float32), others)
    return f"the numbers agree to about {int(-np.log2(share))} bits{': float32' * is_single}"

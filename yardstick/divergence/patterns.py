"""Patterns of the numbers that differ: a factor, a shift, fewer bits, the round before."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats
from yardstick.divergence.judging import Judgement

COUNTED = ("draws", "order", "bins", "histogram", "cut", "partition", "tree", "leaves")
FEWEST_BITS = 16  # that agree in numbers that are called alike


@np.errstate(all="ignore")
def find_pattern(judgement: Judgement, before: NDArray[Any] | None) -> str | None:
    """Describe how the numbers found are like the expected ones, or those of the round before; None if they are not."""
    expected, actual, stage = judgement.expected, judgement.actual, judgement.stage
    if expected is None or actual is None:
        return None
    if expected.shape != actual.shape:
        absent = {*expected.ravel().tolist()} - {*actual.ravel().tolist()}
        return f"of node {min(absent)} there is nothing" if judgement.field == "nodes" and absent else None
    if stage not in COUNTED and before is not None and np.array_equal(before, actual):
        return "these are the numbers of the round before: they were not renewed"
    numbers, others = (values.astype(np.float64).ravel() for values in (expected, actual))
    if stage in COUNTED and expected.dtype.kind in "iu" and judgement.field != "sums":
        return find_shift(numbers, others)
    if judgement.field == "sums" and not np.array_equal(expected[..., 1], actual[..., 1]):
        return None
    return (None if stage in COUNTED else find_factor(numbers, others)) or find_rounding(numbers, others)


def find_shift(expected: Floats, actual: Floats) -> str | None:
    """Find numbers that are off by one, or one place further."""
    off = (actual - expected)[actual != expected]
    if len(expected) > 1 and np.abs(off).max(initial=0) == 1 and (off == off[0]).all():
        share = "all" if len(off) == len(expected) else f"{len(off)} of {len(expected)}"
        return f"{share} numbers are 1 too {'high' if off[0] > 0 else 'low'}: off by one"
    if len(expected) > 1 and (np.array_equal(expected[:-1], actual[1:]) or np.array_equal(expected[1:], actual[:-1])):
        return "the expected numbers, one place further: off by one"
    return None


def find_factor(expected: Floats, actual: Floats) -> str | None:
    """Find the factor by which all numbers are off."""
    used = expected != 0
    if not used.any() or not np.isfinite(expected).all() or actual[~used].any():
        return None
    quotients = actual[used] / expected[used]
    ratio = float(np.median(quotients))
    if not abs(ratio - 1.0) >= 2.0**-FEWEST_BITS or not np.allclose(quotients, ratio, rtol=1e-9, atol=0.0):
        return None
    return f"all values are {ratio:.6g} times the expected ones{': the sign is wrong' * (ratio == -1.0)}"


def find_rounding(expected: Floats, actual: Floats) -> str | None:
    """Find numbers that are rounded otherwise."""
    if np.array_equal(expected.astype(np.float32), actual):
        return "the expected values, rounded to float32"
    off = np.abs(actual - expected).max(initial=0.0) / np.abs(expected).max(initial=0.0)
    if not 0 < off <= 2.0**-FEWEST_BITS:
        return None
    is_single = np.array_equal(actual.astype(np.float32), actual)
    return f"the numbers agree to about {int(-np.log2(off))} bits{': float32' * is_single}"

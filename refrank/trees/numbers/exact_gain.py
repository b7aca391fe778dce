"""Gains of cuts as fractions of integers: of two that float64 cannot tell apart, which is larger, and whether they tie.

A gain of float64 is at most `bound_rounding` from its fraction (docs/reference/numerics.md, rule 3, has the proof). So
only gains that are nearly equal need fractions; the kernel compares theirs in refrank/kernel/fractions.h.

    symbol         in code       shape
    gain           split_gain    float, or (n_cuts,)
    s, w           -             sum and weight of the rows on a side, integers in units of their grids
"""

from fractions import Fraction
from typing import Any

import numpy as np

from refrank.arrays import Ints

TINY = 1 / 2**25


def bound_rounding(split_gain: Any, total: Any, n_node: Any) -> Any:
    """Bound how far gains are from their fractions, given the sum and the weight of the node's rows, as floats.

    docs/reference/numerics.md, rule 3, has the proof.
    """
    return TINY * split_gain + TINY * TINY * TINY * (total * total / n_node)


def find_first_best(left: Ints, right: Ints) -> int:
    """Find the first of the cuts of a node whose gain is largest as a fraction, given the sums of both sides."""
    pairs = zip(left[:, [0, -1]].tolist(), right[:, [0, -1]].tolist(), strict=True)
    sides = [tuple(sorted(map(tuple, pair))) for pair in pairs]  # most ties are the same sides, perhaps exchanged
    if len(set(sides)) == 1:
        return 0
    gains = {pair: compute_exact_gain(*pair) for pair in set(sides)}
    return max(range(len(sides)), key=lambda i: gains[sides[i]])


def compute_exact_gain(*sides: tuple[int, int]) -> Fraction:
    """Compute the gain of a cut, given the sum and the weight of the rows on each of its sides.

    >>> compute_exact_gain((2, 1), (0, 3))  # of one row against three
    Fraction(3, 1)
    """
    total, weight = map(sum, zip(*sides, strict=True))
    return sum((Fraction(s * s, w) for s, w in sides), Fraction(-total * total, weight))


def list_sides(slots: Ints, bin: int, is_parted: bool) -> list[tuple[int, int]]:
    """List the sum and the weight of the rows on each side of a cut, given the slots of its feature.

    `is_parted`: the rows of the last slot lack the feature, and are a side of their own.
    """
    sides = np.split(slots[:, [0, -1]], [bin + 1, len(slots) - 1] if is_parted else [bin + 1])
    return [(total, weight) for total, weight in (side.sum(axis=0).tolist() for side in sides) if weight]

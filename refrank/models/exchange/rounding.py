"""How far a sum of trees that is added up in floats may be from the exact sum: half a unit of the last place per step.

    symbol    in code       meaning
    v_t       value         what a row gets from tree t, one of the values of its leaves
    a_t       -             the largest |v_t|
    A_t       -             a_0 + ... + a_t, with a_0 the start of the sum
    h(x)      half_ulp      half the distance from x to the next float: the error of rounding to a float near x

Every partial sum is at most A_t, and off by some e_t: adding tree t rounds once more, by at most h(A_t + e_(t-1)). So
e_t = e_(t-1) + h(A_t + e_(t-1)), in the order of the trees. In another order, each partial sum is still at most A_n,
the last. Leaves that are rounded first add the largest rounding of each tree; that one is computed.
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from refrank.trees.model.tree import LEAF, Tree

Float = type[np.float32] | type[np.float64]


def half_ulp(largest: float, kind: Float = np.float64) -> float:
    """Bound the error of rounding a number of at most this magnitude to a float.

    >>> half_ulp(1.0) == 2.0**-53, half_ulp(1.0, np.float32) == 2.0**-24
    (True, True)
    """
    return float(np.spacing(kind(largest))) / 2


def bound_additions(start: float, trees: Sequence[Tree], kind: Float = np.float64, in_order: bool = True) -> float:
    """Bound how far a sum of trees, added one by one to an exact start, is from the exact sum.

    Sums are rounded to `kind`; with float32, leaf values are rounded to it first, and the start with them. Where not
    `in_order`, the trees may be added in any order, partial sums of partial sums included.

    >>> tree = Tree(*([np.array([-1])] * 7), np.array([1.0]))
    >>> round(bound_additions(0.0, [tree, tree]) * 2**53, 6)  # of 0 + 1, and of 1 + 1
    3.0
    """
    terms = [np.array([start]), *map(leaf_values, trees)]
    error = sum(float(np.abs(values - values.astype(kind)).max()) for values in terms)
    largest = [float(np.abs(values.astype(kind)).max()) for values in terms]
    totals = np.cumsum(largest)[1:] if in_order else np.full(len(trees), sum(largest))
    for total in totals.tolist():
        error += half_ulp(total * (1 + 2**-40) + error, kind)  # the factor: of the rounding of these very sums
    return error * (1 + 2**-40)


def bound_output(trees: Sequence[Tree], divisor: int = 1, in_order: bool = True) -> float:
    """Bound the rounding of an output in float64: a sum of trees, divided by the size of a forest if that is not 1."""
    bound = bound_additions(0.0, trees, in_order=in_order) / divisor
    return bound if divisor == 1 else bound + half_ulp(2 * sum(map(largest_leaf, trees)) / divisor)


def largest_leaf(tree: Tree) -> float:
    """Return the largest magnitude of a leaf's value."""
    return float(np.abs(leaf_values(tree)).max())


def leaf_values(tree: Tree) -> Any:
    """List the values of the leaves of a tree, float64 array of shape (n_leaves,)."""
    return tree.value[tree.feature == LEAF]

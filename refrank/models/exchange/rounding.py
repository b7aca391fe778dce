"""Bounds on the error of a float sum of trees: half a unit in the last place per addition.

    symbol    in code       meaning
    v_t       value         the value of tree t for a row, one of those of its leaves
    a_t       -             the largest |v_t|
    A_t       -             a_0 + ... + a_t, with a_0 the start of the sum
    h(x)      half_ulp      half the distance from x to the next float: the error of rounding to a float near x

Every partial sum is at most A_t, with an error of at most e_t. Adding tree t rounds by at most h(A_t + e_(t-1)), so
e_t = e_(t-1) + h(A_t + e_(t-1)), in the order of the trees. In another order, each partial sum is still at most A_n,
the last. If leaves are rounded first, the largest rounding of each tree is computed and added.
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
    """Bound the distance between the exact sum and a sum of trees added one by one to an exact start.

    Sums are rounded to `kind`; with float32, the leaf values and the start are first rounded to it. Unless
    `in_order`, the trees may be added in any order, including partial sums of partial sums.

    >>> tree = Tree(*([np.array([-1])] * 7), np.array([1.0]))
    >>> round(bound_additions(0.0, [tree, tree]) * 2**53, 6)  # of 0 + 1, and of 1 + 1
    3.0
    """
    terms = [np.array([start]), *map(list_leaf_values, trees)]
    error = sum(float(np.abs(values - values.astype(kind)).max()) for values in terms)
    largest = [float(np.abs(values.astype(kind)).max()) for values in terms]
    totals = np.cumsum(largest)[1:] if in_order else np.full(len(trees), sum(largest))
    for total in totals.tolist():
        error += half_ulp(total * (1 + 2**-40) + error, kind)  # the factor: of the rounding of these very sums
    return error * (1 + 2**-40)


def bound_output(trees: Sequence[Tree], divisor: int = 1, in_order: bool = True) -> float:
    """Bound the rounding of an output in float64: a sum of trees, divided by the size of a forest if that is not 1."""
    bound = bound_additions(0.0, trees, in_order=in_order) / divisor
    return bound if divisor == 1 else bound + half_ulp(2 * sum(map(find_largest_leaf, trees)) / divisor)


def find_largest_leaf(tree: Tree) -> float:
    """Return the largest magnitude of a leaf's value."""
    return float(np.abs(list_leaf_values(tree)).max())


def list_leaf_values(tree: Tree) -> Any:
    """List the values of the leaves of a tree, float64 array of shape (n_leaves,)."""
    return tree.value[tree.feature == LEAF]

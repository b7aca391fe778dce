"""Costs of one's own for COCR (Sec. 3.1): a name, a table or a function becomes a checked table, one row a true grade.

    symbol      in code     shape
    c_n[k]      table       (n_classes, n_classes): row y_n, column k; every document of one grade has one cost vector

Sec. 3.1 asks for c[y] = 0 and says that costs grow with the distance from y (V-shaped). The reduction bounds the cost
by the weighted errors of arbitrary hard answers only where the cost is convex (docs/errata.md, COCR Sec. 3.1).
"""

import warnings
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.cocr.costs import absolute, is_convex, is_v_shaped, oerr, squared, table_of_costs

CostFunction = Callable[[NDArray[np.int64], int], ArrayLike]
COSTS: dict[str, CostFunction] = {"absolute": absolute, "squared": squared, "oerr": oerr}


@dataclass(frozen=True)
class CostShape:
    """What the theory of the reduction says of a cost table."""

    v_shaped: tuple[bool, ...]  # one a true grade
    convex: tuple[bool, ...]

    @property
    def covers(self) -> str:
        """For which answers the weighted errors are no less than the cost."""
        return "any hard answers" if all(self.convex) else "rank-monotone hard answers"


def cost_table(cost: str | CostFunction | ArrayLike, n_classes: int) -> NDArray[Any]:
    """Make the table of a cost and check it.

    Parameters
    ----------
    cost : "absolute", "squared", "oerr", function or array
        A function is called as the three are, `cost(grades, max_grade)` with the grades 0..max_grade. It returns, as an
        array is, a table of shape (n_classes, n_classes): row y, column k is the cost of predicting k where y is true.
    n_classes : int
        Two or more.

    Returns
    -------
    ndarray of shape (n_classes, n_classes), int64 or float64

    Raises
    ------
    ValueError
        If the name is unknown, the shape is another, an entry is negative or not finite, or c[y] is not 0.

    Warns
    -----
    UserWarning
        If a row is not V-shaped: the paper's premise does not hold for it.

    Examples
    --------
    >>> cost_table("squared", 3)
    array([[0, 1, 4],
           [1, 0, 1],
           [4, 1, 0]])
    >>> cost_table([[0, 1], [9, 0]], 2)
    array([[0, 1],
           [9, 0]])
    >>> cost_table([[0, 1], [9, 1]], 2)
    Traceback (most recent call last):
    ValueError: cost at row 1, column 1 is 1: the cost of the true grade must be 0
    """
    grades = np.arange(n_classes)
    if isinstance(cost, str):
        if cost not in COSTS:
            raise ValueError(f"cost is {cost!r}: it must be one of {', '.join(COSTS)}, a table or a function")
        cost = COSTS[cost]
    if callable(cost):
        cost = cost(grades, n_classes - 1)
    try:
        given = np.asarray(cost)
    except ValueError as reason:
        raise ValueError(f"cost is {cost!r}: it must be a table of numbers, a row for each true grade") from reason
    if given.shape != (n_classes, n_classes):
        raise ValueError(
            f"cost has shape {given.shape}: it must be (n_classes, n_classes) = ({n_classes}, {n_classes}), a row for "
            "each true grade"
        )
    table = table_of_costs(given)
    for wrong, rule in (
        (table < 0, "costs must not be negative"),
        ((table != 0) & np.eye(n_classes, dtype=bool), "the cost of the true grade must be 0"),
    ):
        if wrong.any():
            row, column = np.argwhere(wrong)[0].tolist()
            raise ValueError(f"cost at row {row}, column {column} is {table[row, column]}: {rule}")
    rows = [y for y, shaped in enumerate(cost_shape(table).v_shaped) if not shaped]
    if rows:
        warnings.warn(
            f"cost is not V-shaped in row(s) {', '.join(map(str, rows))}: COCR Sec. 3.1 asks for costs that do not "
            "fall on the way out from the true grade; the weights |c[k] - c[k-1]| then charge more than the cost",
            UserWarning,
            stacklevel=2,
        )
    return table


def cost_shape(table: ArrayLike) -> CostShape:
    """Tell for each true grade whether its row of a table is V-shaped, and whether it is convex.

    Examples
    --------
    >>> shape = cost_shape(cost_table("oerr", 5))
    >>> shape.v_shaped, shape.convex
    ((True, True, True, True, True), (True, True, True, False, False))
    >>> shape.covers
    'rank-monotone hard answers'
    """
    costs = np.asarray(table)
    return CostShape(tuple(is_v_shaped(costs, np.arange(len(costs))).tolist()), tuple(is_convex(costs).tolist()))

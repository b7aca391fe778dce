"""User costs for COCR (Sec. 3.1): turn a name, a table or a function into a checked table, one row per true grade.

    symbol    in code    shape
    c_n[k]    table      (n_classes, n_classes): row y_n, column k; all documents of a grade share one cost vector

Sec. 3.1 requires c[y] = 0; `refrank.cocr.costs` explains the shapes, V-shaped and convex.
"""

import warnings
from dataclasses import dataclass
from reprlib import repr as short
from typing import Any, Literal

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.checks import MOST_STATED_CLASSES, check_choice, check_entries, check_integer, check_shape
from refrank.cocr.costs import COSTS, CostFunction, check_costs, is_convex, is_v_shaped


@dataclass(frozen=True)
class CostShape:
    """The shape of a cost table, on which the reduction's theory depends: (n_classes,), one flag per true grade."""

    v_shaped: tuple[bool, ...]
    convex: tuple[bool, ...]

    @property
    def covers(self) -> str:
        """The answers whose weighted errors are at least the cost."""
        return "any hard answers" if all(self.convex) else "rank-monotone hard answers"


def cost_table(cost: Literal["absolute", "squared", "oerr"] | CostFunction | ArrayLike, n_classes: int) -> NDArray[Any]:
    """Make the table of a cost and check it: (n_classes, n_classes), int64 or float64.

    Row y, column k is the cost of predicting k if y is true: not negative, and 0 if k is y. A function is called as the
    named costs are, `cost(grades, max_grade)` with the grades 0..max_grade, and returns the table. A row that
    is not V-shaped causes a UserWarning: the paper's premise does not hold for it.
    """
    grades = np.arange(check_integer("n_classes", n_classes, 2, MOST_STATED_CLASSES))
    if isinstance(cost, str):
        cost = COSTS[check_choice("cost", cost, COSTS)]
    if callable(cost):
        cost = cost(grades, n_classes - 1)
    try:
        given = np.asarray(cost)
    except ValueError as reason:
        raise ValueError(f"cost is {short(cost)}: it must be a table of numbers, one row per true grade") from reason
    check_shape("cost", given, (n_classes, n_classes), "(n_classes, n_classes), one row per true grade")
    table = check_costs(given, "cost")
    check_entries("cost", table, table < 0, "costs must not be negative")
    check_entries("cost", table, (table != 0) & np.eye(n_classes, dtype=bool), "the cost of the true grade must be 0")
    rows = [str(y) for y, v_shaped in enumerate(cost_shape(table).v_shaped) if not v_shaped]
    if rows:
        premise = "COCR Sec. 3.1 asks for costs that do not fall on the way out from the true grade"
        effect = "the weights |c[k] - c[k-1]| then charge more than the cost"
        warnings.warn(f"cost is not V-shaped in row(s) {', '.join(rows)}: {premise}; {effect}", stacklevel=2)
    return table


def cost_shape(table: ArrayLike) -> CostShape:
    """Return for each true grade whether its row of a table is V-shaped, and whether it is convex."""
    costs = np.asarray(table)
    return CostShape(tuple(is_v_shaped(costs, np.arange(len(costs))).tolist()), tuple(is_convex(costs).tolist()))

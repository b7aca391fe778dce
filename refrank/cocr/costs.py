"""COCR's cost vectors (Eq. 3 and 4, Sec. 3.1; Eq. 13, Sec. 4.3), and the shapes that the reduction requires.

    symbol     in code        shape
    K          max_grade      int; n_classes = max_grade + 1
    y_n        y              (n_samples,), integers 0..max_grade
    c_n[k]     costs[n, k]    (n_samples, n_classes), int64: the cost of predicting grade k for document n
    b_n^(k)    answer         (n_samples, max_grade), the right answer to question k

A cost vector is V-shaped if it never rises before the true grade and never falls after it. It is
convex if its steps c[k] - c[k-1] never fall. The reduction of Sec. 3.1 bounds the cost of rank-monotone answers for
every V-shaped cost, and of arbitrary answers for every convex cost (docs/reference/errata.md, COCR Sec. 3.1). Eq. 13 is
V-shaped for every y, and convex only for y <= 2.
"""

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.arrays import Bools, Ints
from refrank.checks import check_entries, check_integer, check_labels, check_shape

LARGEST_MAX_GRADE = 31  # the largest oERR cost is (2^K - 1)^2, which int64 holds up to K = 31
CostFunction = Callable[[Ints, int], ArrayLike]


def absolute(y: ArrayLike, max_grade: int) -> Ints:
    """Compute absolute cost vectors, COCR Eq. 3: c_n[k] = |y_n - k|, (n_samples, max_grade + 1).

    Examples
    --------
    >>> absolute([3], max_grade=4)
    array([[3, 2, 1, 0, 1]])
    """
    grades, predicted = _lay_out(y, max_grade)
    # COCR Eq. 3
    return np.abs(grades - predicted)


def squared(y: ArrayLike, max_grade: int) -> Ints:
    """Compute squared cost vectors, COCR Eq. 4: c_n[k] = (y_n - k)^2, (n_samples, max_grade + 1).

    Examples
    --------
    >>> squared([3], max_grade=4)
    array([[9, 4, 1, 0, 1]])
    """
    grades, predicted = _lay_out(y, max_grade)
    # COCR Eq. 4
    return (grades - predicted) ** 2


def oerr(y: ArrayLike, max_grade: int) -> Ints:
    """Compute optimistic ERR cost vectors, COCR Eq. 13: c_n[k] = (2^y_n - 2^k)^2, (n_samples, max_grade + 1).

    If predicted grades y_hat rank the K_n documents of a query, ERR falls short of its best value by at most
    (K_n / 2^K) sqrt(sum_n c_n[y_hat_n]): `new.err_oerr` in docs/prove/bounds.md. The bound needs no optimism.

    Examples
    --------
    >>> oerr([3], max_grade=4)
    array([[49, 36, 16,  0, 64]])
    """
    grades, predicted = _lay_out(y, max_grade)
    # COCR Eq. 13
    # Departs from COCR Sec. 4.3: its way to this cost asks for optimism. The sum of these costs over a query bounds the
    # ERR error without any: docs/prove/bounds.md, new.err_oerr.
    return (2**grades - 2**predicted) ** 2


COSTS: dict[str, CostFunction] = {"absolute": absolute, "squared": squared, "oerr": oerr}  # by the values of `cost`


def is_v_shaped(costs: ArrayLike, y: ArrayLike) -> Bools:
    """Return whether costs on each side are at least as large "when k is further away from y" (Sec. 3.1)."""
    table = check_costs(costs)
    steps = np.diff(table, axis=1)  # (n_samples, n_classes - 1); column k - 1 holds c[k] - c[k - 1]
    return np.all(np.where(encode_answers(y, table), steps <= 0, steps >= 0), axis=1)


def is_convex(costs: ArrayLike) -> Bools:
    """Return whether the steps of each cost vector never fall: c[k+1] - c[k] >= c[k] - c[k-1]."""
    steps = np.diff(check_costs(costs), axis=1)  # (n_samples, n_classes - 1)
    return np.all(steps[:, 1:] >= steps[:, :-1], axis=1)


def encode_answers(y: ArrayLike, costs: ArrayLike) -> Bools:
    """Compute the right answers to the questions k = 1..K, COCR Eq. 1: b_n^(k) = [y_n >= k], (n_samples, max_grade).

    The grades must fit the costs, whose shape alone is read. Column k - 1 belongs to question k.
    """
    n_samples, n_classes = np.shape(costs)
    grades, predicted = _lay_out(y, n_classes - 1)
    check_shape("y", grades[:, 0], (n_samples,), "(n_samples,), one grade per row of costs")
    return grades >= predicted[:, 1:]


def check_costs(costs: ArrayLike, name: str = "costs") -> NDArray[Any]:
    """Return a finite table of costs, with a column for each of at least two grades, as int64 or float64."""
    table = np.asarray(costs)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"{name} has shape {table.shape}: it must have shape (n_samples, n_classes), n_classes >= 2")
    if table.dtype.kind not in "iuf":
        raise ValueError(f"{name} has type {table.dtype}: costs must be numbers")
    check_entries(name, table, ~np.isfinite(table), "costs must be finite")
    if table.dtype.kind == "f":
        return table.astype(np.float64)
    check_entries(name, table, table > np.iinfo(np.int64).max, "costs that are integers must be below 2^63")
    return table.astype(np.int64)


def _lay_out(y: ArrayLike, max_grade: int) -> tuple[Ints, Ints]:
    """Check both arguments; return the true grades, (n_samples, 1), and the predictions 0..K, (1, max_grade + 1)."""
    highest = check_integer("max_grade", max_grade, 1, LARGEST_MAX_GRADE)
    given = np.asarray(y)
    if given.dtype.kind == "b":
        raise ValueError(f"y has type bool: labels must be integers from 0 to {highest}")
    grades = given if given.shape == (0,) else check_labels(given, highest)
    return grades.astype(np.int64)[:, np.newaxis], np.arange(highest + 1)[np.newaxis]

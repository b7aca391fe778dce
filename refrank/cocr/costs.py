r"""COCR's cost vectors: Eq. 3 and 4 (Sec. 3.1), Eq. 13 (Sec. 4.3), and the shapes the reduction asks for.

=================  ==================  ========================================================
paper              here                shape
=================  ==================  ========================================================
:math:`y_n`        `y`                 (n_samples,), integers 0..max_grade
:math:`K`          `max_grade`         int; n_classes = max_grade + 1
:math:`c_n[k]`     `costs[n, k]`       (n_samples, max_grade + 1), int64, in units of the cost
=================  ==================  ========================================================

A cost vector is V-shaped when it never rises on the way to the true grade and never falls on the way from
it; it is convex when its steps :math:`c[k] - c[k-1]` never fall. The reduction of Sec. 3.1 bounds the cost of
rank-monotone answers for every V-shaped cost, and of arbitrary answers for every convex one
(docs/errata.md, COCR Sec. 3.1). Eq. 13 is V-shaped for every y, and convex only for y <= 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

LARGEST_MAX_GRADE = 31  # the largest oERR cost is (2^K - 1)^2, which int64 holds up to K = 31
LARGEST_INTEGER = np.iinfo(np.int64).max


def absolute(y: ArrayLike, max_grade: int) -> NDArray[np.int64]:
    r"""Absolute cost vectors, COCR Eq. 3: :math:`c_n[k] = |y_n - k|`.

    Parameters
    ----------
    y : array_like, shape (n_samples,)
        True grades, integers in 0..max_grade.
    max_grade : int
        The highest grade K, in 1..31.

    Returns
    -------
    ndarray of int64, shape (n_samples, max_grade + 1)
        Entry [n, k] is the cost of predicting grade k for document n.

    Raises
    ------
    ValueError
        If `y` is not one-dimensional or holds something else than integers in 0..max_grade, or if
        `max_grade` is out of range.

    Examples
    --------
    >>> absolute([3], max_grade=4)
    array([[3, 2, 1, 0, 1]])
    """
    grades, predicted = _grades_and_predictions(y, max_grade)
    # COCR Eq. 3
    return np.abs(grades - predicted)


def squared(y: ArrayLike, max_grade: int) -> NDArray[np.int64]:
    r"""Squared cost vectors, COCR Eq. 4: :math:`c_n[k] = (y_n - k)^2`.

    Parameters and errors as in `absolute`.

    Examples
    --------
    >>> squared([3], max_grade=4)
    array([[9, 4, 1, 0, 1]])
    """
    grades, predicted = _grades_and_predictions(y, max_grade)
    # COCR Eq. 4
    return (grades - predicted) ** 2


def oerr(y: ArrayLike, max_grade: int) -> NDArray[np.int64]:
    r"""Optimistic ERR cost vectors, COCR Eq. 13: :math:`c_n[k] = (2^{y_n} - 2^k)^2`.

    For every ranking of a query by predicted grades,
    :math:`ERR_g - ERR_\pi \le (K_n / 2^K) (\sum_n c_n[\hat y_n])^{1/2}` (`new.err_oerr` in docs/bounds.md): the cost
    needs no optimism.

    Parameters and errors as in `absolute`.

    Examples
    --------
    >>> oerr([3], max_grade=4)
    array([[49, 36, 16,  0, 64]])
    """
    grades, predicted = _grades_and_predictions(y, max_grade)
    # COCR Eq. 13
    # Departs from COCR Sec. 4.3: its way to this cost asks for optimism. The sum of these costs over a query bounds the
    # ERR error without any: docs/bounds.md, new.err_oerr.
    return (2**grades - 2**predicted) ** 2


def is_v_shaped(costs: ArrayLike, y: ArrayLike) -> NDArray[np.bool_]:
    r"""Whether each cost vector is "larger when k is further away from y" (Sec. 3.1) on either side of y.

    Parameters
    ----------
    costs : array_like, shape (n_samples, n_classes)
        Entry [n, k] is the cost of predicting grade k for document n; two classes or more.
    y : array_like, shape (n_samples,)
        True grades, integers in 0..n_classes - 1.

    Returns
    -------
    ndarray of bool, shape (n_samples,)
        True where :math:`c[k] \le c[k-1]` for k <= y and :math:`c[k] \ge c[k-1]` for k > y; equal
        neighbours are allowed.

    Raises
    ------
    ValueError
        If `costs` is not a finite table of two columns or more, or `y` does not fit it.

    Examples
    --------
    >>> is_v_shaped([[1, 0, 4], [1, 4, 0]], [1, 2])
    array([ True, False])
    """
    table = table_of_costs(costs)
    grades, answers = _grades_and_predictions(y, table.shape[1] - 1)
    if len(grades) != len(table):
        raise ValueError(
            f"y has {len(grades)} grades, costs has {len(table)} rows: there must be one grade for each row"
        )
    steps = np.diff(table, axis=1)  # (n_samples, n_classes - 1); column k - 1 holds c[k] - c[k - 1]
    before = answers[:, 1:] <= grades
    return np.all(np.where(before, steps <= 0, steps >= 0), axis=1)


def is_convex(costs: ArrayLike) -> NDArray[np.bool_]:
    r"""Whether the steps of each cost vector never fall: :math:`c[k+1] - c[k] \ge c[k] - c[k-1]`.

    Parameters
    ----------
    costs : array_like, shape (n_samples, n_classes)
        Entry [n, k] is the cost of predicting grade k for document n; two classes or more.

    Returns
    -------
    ndarray of bool, shape (n_samples,)

    Raises
    ------
    ValueError
        If `costs` is not a finite table of two columns or more.

    Examples
    --------
    The step from 49 to 36 is -13, the next one -20:

    >>> is_convex(oerr([2, 3], max_grade=4))
    array([ True, False])
    """
    steps = np.diff(table_of_costs(costs), axis=1)  # (n_samples, n_classes - 1)
    return np.all(steps[:, 1:] >= steps[:, :-1], axis=1)


def answers_to(y: ArrayLike, max_grade: int) -> NDArray[np.bool_]:
    r"""Right answers to the questions k = 1..K, COCR Eq. 1: :math:`b_n^{(k)} = [y_n \ge k]`.

    Parameters and errors as in `absolute`.

    Returns
    -------
    ndarray of bool, shape (n_samples, max_grade)
        Column k - 1 belongs to question k.

    Examples
    --------
    >>> answers_to([0, 2], max_grade=3).astype(int)
    array([[0, 0, 0],
           [1, 1, 0]])
    """
    grades, predicted = _grades_and_predictions(y, max_grade)
    return grades >= predicted[:, 1:]


def _grades_and_predictions(y: ArrayLike, max_grade: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Check both arguments; return the true grades as a column and the possible predictions 0..K as a row."""
    if isinstance(max_grade, bool) or not isinstance(max_grade, int | np.integer):
        raise ValueError(f"max_grade is {max_grade!r}: it must be an integer, the highest grade K")
    if not 1 <= max_grade <= LARGEST_MAX_GRADE:
        raise ValueError(f"max_grade is {max_grade}: it must be in 1..{LARGEST_MAX_GRADE}")
    given = np.asarray(y)
    if given.ndim != 1:
        raise ValueError(f"y has shape {given.shape}: it must be one-dimensional, one grade for each document")
    if given.dtype.kind not in "iuf" and given.size:
        raise ValueError(f"y has dtype {given.dtype}: grades must be integers in 0..{max_grade}")
    lawful = (given >= 0) & (given <= max_grade) & (given == np.floor(given)) if given.size else np.ones(0, bool)
    if not lawful.all():
        place = int(np.argmin(lawful))
        raise ValueError(f"y[{place}] is {given[place]}: grades must be integers in 0..{max_grade} (max_grade)")
    grades = given.astype(np.int64)[:, np.newaxis]  # (n_samples, 1)
    predicted = np.arange(max_grade + 1, dtype=np.int64)[np.newaxis]  # (1, max_grade + 1)
    return grades, predicted


def table_of_costs(costs: ArrayLike) -> NDArray[Any]:
    """Check that the costs are a finite table with a column for each of two grades or more; return int64 or float64."""
    table = np.asarray(costs)
    if table.ndim != 2 or table.shape[1] < 2:
        raise ValueError(f"costs has shape {table.shape}: it must be (n_samples, n_classes) with two classes or more")
    if table.dtype.kind not in "iuf":
        raise ValueError(f"costs has dtype {table.dtype}: costs must be numbers")
    if not np.isfinite(table).all():
        row, column = np.argwhere(~np.isfinite(table))[0]
        raise ValueError(f"costs[{row}, {column}] is {table[row, column]}: costs must be finite")
    if table.dtype.kind == "u" and table.size and table.max() > LARGEST_INTEGER:
        row, column = np.argwhere(table > LARGEST_INTEGER)[0]
        raise ValueError(f"costs[{row}, {column}] is {table[row, column]}: costs that are integers must be below 2^63")
    return table.astype(np.int64 if table.dtype.kind in "iu" else np.float64)

"""Bounds of ERR_g - ERR_pi of one query, and the largest that the labels allow.

Notation as in `refrank.bounds`; R(y) = (2^y - 1)/2^K, K = max_grade.
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.bounds.checks import check_grades, norm
from refrank.bounds.dcg_error import dcg_threshold, min_pairing
from refrank.metrics.reciprocal_rank import stop_probability


def igbrt_theorem1(n_errors: int, max_grade: int = 4) -> float:
    r"""Mohan et al., Theorem 1: :math:`15 \pi / (16 \sqrt 6) \sqrt{n_{errors}}`, vacuous.

    Parameters
    ----------
    n_errors : int
        Documents with another predicted grade than their label.
    max_grade : int
        Highest grade; 15/16 is (2^4 - 1)/2^4.

    Returns
    -------
    float

    Examples
    --------
    >>> round(igbrt_theorem1(1), 6)
    1.20239
    """
    # iGBRT Theorem 1
    return float(stop_probability(max_grade)[-1] * np.pi / np.sqrt(6.0) * np.sqrt(n_errors))


def err_by_errors(n: int, n_errors: int, max_grade: int = 4) -> float:
    r"""The same with the least constant: :math:`(15/16)(1 - 1/n) \sqrt{n_{errors}}`.

    `igbrt.theorem1.variant-sharp`, attained by one perfect document that is predicted 0 and ranked last.

    Parameters
    ----------
    n : int
        Documents of the query.
    n_errors : int
        As in `igbrt_theorem1`.
    max_grade : int
        Highest grade; above 4, (2^max_grade - 1)/2^max_grade stands for 15/16. Below 4, 15/16 remains true.

    Returns
    -------
    float

    Examples
    --------
    >>> err_by_errors(10, 1)
    0.84375
    """
    return float(stop_probability(max(max_grade, 4))[-1] * (1.0 - 1.0 / n) * np.sqrt(n_errors))


def err_rr_dcg(y: ArrayLike, max_grade: int = 4) -> float:
    r"""The error of a DCG with discount 1/i and gain R (`new.err_below_rr_dcg`).

    :math:`\sum_i (1/g_i - 1/\pi_i) R(y_i)`.

    Parameters
    ----------
    y : array_like of shape (n,)
        Labels 0..max_grade in the order of the ranking.
    max_grade : int
        Highest grade.

    Returns
    -------
    float

    Examples
    --------
    >>> err_rr_dcg([0, 4])  # (1 - 1/2) 15/16
    0.46875
    """
    (labels,) = check_grades(max_grade, y=y)
    stop = stop_probability(max_grade)[labels]
    return float(((-np.sort(-stop) - stop) / places(len(stop))).sum())


def err_oerr(y: ArrayLike, y_hat: ArrayLike, max_grade: int = 4) -> float:
    r"""The root of COCR's oERR cost (`new.err_oerr`), with no optimism.

    :math:`(K_n / 2^K) (\sum_i (2^{y_i} - 2^{\hat y_i})^2)^{1/2}`, :math:`K_n^2 = \sum_i (1/i - 1/(n+1-i))^2`.

    Parameters
    ----------
    y, y_hat : array_like of shape (n,)
        Labels and predicted grades, in one order.
    max_grade : int
        Highest grade K.

    Returns
    -------
    float

    Examples
    --------
    >>> round(err_oerr([0, 4], [3, 3]), 6)  # the error is 15/32 = 0.46875
    0.469791
    """
    labels, grades = check_grades(max_grade, y=y, y_hat=y_hat)
    return min_pairing(1.0 / places(len(labels)), labels, grades) / 2.0**max_grade


def err_threshold(y: ArrayLike, y_hat: ArrayLike, max_grade: int = 4) -> float:
    r"""`dcg_threshold` with discount 1/i, over 2^K (`new.dcg_threshold.variant-err`).

    Parameters and return value as in `err_oerr`.

    Examples
    --------
    >>> err_threshold([0, 4], [3, 3])
    0.46875
    """
    labels, grades = check_grades(max_grade, y=y, y_hat=y_hat)
    return dcg_threshold(1.0 / places(len(labels)), labels, grades) / 2.0**max_grade


def cocr_theorem2(y: ArrayLike, y_hat: ArrayLike, max_grade: int = 4) -> float:
    r"""COCR Theorem 2 as intended (`cocr.theorem2.variant-intended`).

    :math:`(\sum_i (1/\rho_i - 1/\pi_i)^2)^{1/2} (\sum_i (F_i(\rho, y) - F_i(\pi, \hat y))^2)^{1/2}`,
    rho sorting by y and keeping the ranking's order among equal labels.

    Parameters
    ----------
    y, y_hat : array_like of shape (n,)
        Labels and predicted grades in the order of the ranking.
    max_grade : int
        Highest grade K.

    Returns
    -------
    float

    Examples
    --------
    >>> round(cocr_theorem2([0, 4], [4, 0]), 6)  # sqrt(1/2) sqrt(2) 15/16; the error is 15/32
    0.9375
    """
    labels, grades = check_grades(max_grade, y=y, y_hat=y_hat)
    by_label = np.argsort(-labels, kind="stable")
    place = places(len(labels))
    rho = np.empty(len(labels))
    rho[by_label] = place
    ideal = np.empty(len(labels))  # F_i(rho, y)
    ideal[by_label] = stops(labels[by_label], max_grade)
    # COCR Theorem 2
    apart = ideal - stops(grades, max_grade)
    return norm(1.0 / rho - 1.0 / place, 2) * norm(apart, 2)


def largest_err_error(y: ArrayLike, max_grade: int = 4) -> float:
    """ERR of the best ranking of these labels less that of the worst, the reverse (`igbrt.perfect_ranker`).

    Examples
    --------
    >>> largest_err_error([4, 0])
    0.46875
    """
    (labels,) = check_grades(max_grade, y=y)
    worst = np.sort(labels)
    place = places(len(worst))
    return float(((stops(worst[::-1], max_grade) - stops(worst, max_grade)) / place).sum())


def stops(y: np.ndarray, max_grade: int) -> np.ndarray:
    """Probability that the user stops at each place of the order, (n,)."""
    stop = stop_probability(max_grade)[y]
    looking = np.append(1.0, np.multiply.accumulate(1.0 - stop[:-1]))
    return looking * stop


def places(n: int) -> np.ndarray:
    """Return 1..n as floats."""
    return np.arange(1.0, n + 1.0)

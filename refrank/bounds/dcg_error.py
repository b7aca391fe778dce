r"""Bounds on DCG_g - DCG_pi of one query, and the largest error that its labels allow: McRank Sec. 3.

    symbol    in code             shape
    y         y                   (n,), labels 0..max_grade in the order of the ranking
    \hat y    y_hat               (n,), predicted grades in that order, non-increasing
    c_[i]     discount            (n,), non-increasing, of any sign unless a bound needs >= 0
    z, f      gain, prediction    (n,) each, gains, and the real-valued predictions by which the ranking sorts
    p         p                   exponent from 1 to infinity, 1/p + 1/q = 1

Every bound is in units of gain.
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats
from refrank.bounds.checks import (
    PER_DISCOUNT,
    check_discount,
    check_grades,
    check_predictions,
    check_ranked,
    multiply_norms,
)
from refrank.checks import check_shape


def mcrank_lemma1(discount: ArrayLike, n_errors: int, max_grade: int = 4) -> float:
    r"""Compute the bound of McRank Lemma 1 (Eq. 4): the root of the number of misclassified documents.

    :math:`15 \sqrt 2 (\sum_i c_{[i]}^2 - n \prod_i c_{[i]}^{2/n})^{1/2} \sqrt{n_{errors}}`, for discounts >= 0; 15 is
    2^max_grade - 2^0. `n_errors` is the number of documents whose predicted grade is not their label.

    Examples
    --------
    >>> round(mcrank_lemma1([1.0, 0.0], n_errors=1), 6)  # 15 sqrt(2)
    21.213203
    """
    c = check_discount(discount, may_be_negative=False)
    # McRank Eq. 4
    squares = float((c**2).sum())
    # n prod c^(2/n) in logarithms: a product of many c_i < 1 underflows to 0
    product = len(c) * np.exp(2.0 / len(c) * np.log(c).sum()) if c[-1] > 0 else 0.0
    return (2.0**max_grade - 1.0) * float(np.sqrt(2.0 * max(squares - product, 0.0) * n_errors))


def dcg_by_errors(discount: ArrayLike, n_errors: int, max_grade: int = 4) -> float:
    r"""Compute the least bound by the number of misclassified documents (`mcrank.lemma1.variant-sharp`).

    :math:`15 S(n_{errors})`, S(m) the sum of :math:`c_i - c_{n+1-i}` for i <= min(m, n/2); 15 is 2^max_grade - 2^0.
    The bound is attained for every number of errors.

    Examples
    --------
    >>> dcg_by_errors([1.0, 0.0], n_errors=1)
    15.0
    """
    gains = _tabulate_swap_gains(check_discount(discount))
    return (2.0**max_grade - 1.0) * float(gains[min(n_errors, len(gains) - 1)])


def min_pairing(discount: ArrayLike, y: ArrayLike, y_hat: ArrayLike) -> float:
    r"""Compute Lemma 1 with the exact minimal pairing and the gain differences (`new.min_pairing`).

    :math:`(\sum_i (c_i - c_{n+1-i})^2)^{1/2} (\sum_i (2^{y_i} - 2^{\hat y_i})^2)^{1/2}`, never above
    `mcrank_lemma1`.

    Examples
    --------
    >>> round(min_pairing([1.0, 0.0], [0, 4], [3, 3]), 6)  # sqrt(2) sqrt(7^2 + 8^2), the error is 15
    15.033296
    """
    c, (labels, grades) = check_discount(discount), check_grades(y, y_hat)
    check_shape("y", labels, c.shape, PER_DISCOUNT)
    return regression_error(c, np.ldexp(1.0, labels), np.ldexp(1.0, grades))


def dcg_threshold(discount: ArrayLike, y: ArrayLike, y_hat: ArrayLike) -> float:
    r"""Compute the bound from under- and over-rated documents at each threshold (`new.dcg_threshold`).

    :math:`\sum_t 2^{t-1} S(\max(U_t, O_t))`, S(m) the sum of :math:`c_i - c_{n+1-i}` for i <= min(m, n/2);
    attained by grades 0 and max_grade exchanged between the two ends.

    Examples
    --------
    >>> dcg_threshold([1.0, 0.0], [0, 4], [3, 3])
    15.0
    """
    c, (labels, grades) = check_discount(discount), check_grades(y, y_hat)
    check_shape("y", labels, c.shape, PER_DISCOUNT)
    gains = _tabulate_swap_gains(c)
    total = 0.0
    for t in range(1, int(max(labels.max(), grades.max())) + 1):
        under = int(np.count_nonzero((labels >= t) & (grades < t)))
        over = int(np.count_nonzero((labels < t) & (grades >= t)))
        total += 2.0 ** (t - 1) * float(gains[min(max(under, over), len(gains) - 1)])
    return float(total)


def cossock_zhang_theorem2(discount: ArrayLike, gain: ArrayLike, prediction: ArrayLike, p: float = 2) -> float:
    r"""Compute the bound of Cossock and Zhang 2006, Theorem 2: regression error times the p-norm of the discounts.

    :math:`(2 \sum_i c_i^p)^{1/p} (\sum_i |z_i - f_i|^q)^{1/q}`, for discounts >= 0.

    Examples
    --------
    >>> round(cossock_zhang_theorem2([1.0, 0.0], [0.0, 15.0], [7.5, 7.5]), 6)  # sqrt(2) sqrt(2) 7.5
    15.0
    """
    c = check_discount(discount, may_be_negative=False)
    z, f = check_predictions(c, gain, prediction)
    return multiply_norms(np.concatenate([c, c]), z - f, p)


def regression_error(discount: ArrayLike, gain: ArrayLike, prediction: ArrayLike, p: float = 2) -> float:
    r"""Compute Theorem 2 of Cossock and Zhang with the least factor (`cossock_zhang.thm2.variant-sharp`).

    :math:`(\sum_i |c_i - c_{n+1-i}|^p)^{1/p} (\sum_i |z_i - f_i|^q)^{1/q}`: the least factor for real gains.

    Examples
    --------
    >>> regression_error([1.0, 0.5, 0.0], [0.0, 3.0, 15.0], [7.5, 7.5, 7.5], p=1)
    15.0
    """
    c = check_discount(discount)
    z, f = check_predictions(c, gain, prediction)
    return multiply_norms(c - c[::-1], z - f, p)


def largest_dcg_error(discount: ArrayLike, y: ArrayLike) -> float:
    """Compute the DCG of the best ranking of these labels minus that of the worst.

    Examples
    --------
    >>> largest_dcg_error([1.0, 0.0], [4, 0])
    15.0
    """
    c, labels = check_ranked(discount, y)
    gain = np.sort(np.ldexp(1.0, labels) - 1.0)
    return float((c * (gain[::-1] - gain)).sum())


def _tabulate_swap_gains(c: Floats) -> Floats:
    """Return S(0), .., S(n/2), the largest gains of m swaps, (n // 2 + 1,)."""
    return np.append(0.0, np.cumsum((c - c[::-1])[: len(c) // 2]))

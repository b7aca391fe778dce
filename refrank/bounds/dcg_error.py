"""Bounds of DCG_g - DCG_pi of one query, and the largest that the labels allow.

Notation as in `refrank.bounds`.
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.bounds.checks import check_discount, check_exponent, check_grades, check_lengths, conjugate, norm


def mcrank_lemma1(discount: ArrayLike, n_errors: int, max_grade: int = 4) -> float:
    r"""McRank Lemma 1 (Eq. 4): the root of the number of misclassified documents.

    :math:`15 \sqrt 2 (\sum_i c_{[i]}^2 - n \prod_i c_{[i]}^{2/n})^{1/2} \sqrt{n_{errors}}`.

    Parameters
    ----------
    discount : array_like of shape (n,)
        Non-increasing, >= 0.
    n_errors : int
        Documents with another predicted grade than their label.
    max_grade : int
        Highest grade; 15 is 2^4 - 2^0.

    Returns
    -------
    float
        In units of gain.

    Raises
    ------
    ValueError
        If the discount rises, is negative or not finite.

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


def min_pairing(discount: ArrayLike, y: ArrayLike, y_hat: ArrayLike) -> float:
    r"""Lemma 1 with the exact minimal pairing and the gain differences (`new.min_pairing`).

    :math:`(\sum_i (c_i - c_{n+1-i})^2)^{1/2} (\sum_i (2^{y_i} - 2^{\hat y_i})^2)^{1/2}`.

    Parameters
    ----------
    discount : array_like of shape (n,)
        Non-increasing, of any sign.
    y, y_hat : array_like of shape (n,)
        Labels and predicted grades, in one order.

    Returns
    -------
    float
        In units of gain; never above `mcrank_lemma1`.

    Raises
    ------
    ValueError
        If the discount rises or is not finite, or lengths differ.

    Examples
    --------
    >>> round(min_pairing([1.0, 0.0], [0, 4], [3, 3]), 6)  # sqrt(2) sqrt(7^2 + 8^2), the error is 15
    15.033296
    """
    labels, grades = check_grades(y=y, y_hat=y_hat)
    return regression_error(discount, np.exp2(labels), np.exp2(grades))


def dcg_threshold(discount: ArrayLike, y: ArrayLike, y_hat: ArrayLike) -> float:
    r"""Under- and over-rated documents at each threshold (`new.dcg_threshold`).

    :math:`\sum_t 2^{t-1} S(\max(U_t, O_t))`, S(m) the sum of :math:`c_i - c_{n+1-i}` for i <= min(m, n/2).

    Parameters and errors as in `min_pairing`.

    Returns
    -------
    float
        In units of gain; attained by grades 0 and max_grade exchanged between the two ends.

    Examples
    --------
    >>> dcg_threshold([1.0, 0.0], [0, 4], [3, 3])
    15.0
    """
    c = check_discount(discount)
    labels, grades = check_grades(y=y, y_hat=y_hat)
    check_lengths(discount=c, y=labels)
    half = len(c) // 2
    swap_gain = np.append(0.0, np.cumsum((c - c[::-1])[:half]))
    total = 0.0
    for t in range(1, int(max(labels.max(), grades.max())) + 1):
        under = int(np.count_nonzero((labels >= t) & (grades < t)))
        over = int(np.count_nonzero((labels < t) & (grades >= t)))
        total += 2.0 ** (t - 1) * float(swap_gain[min(max(under, over), half)])
    return float(total)


def cossock_zhang_theorem2(
    discount: ArrayLike, gain: ArrayLike, prediction: ArrayLike, p: float = 2
) -> float:
    r"""Cossock and Zhang 2006, Theorem 2: the regression error, p-norm of the discounts.

    :math:`(2 \sum_i c_i^p)^{1/p} (\sum_i |z_i - f_i|^q)^{1/q}`, 1/p + 1/q = 1.

    Parameters
    ----------
    discount : array_like of shape (n,)
        Non-increasing, >= 0.
    gain, prediction : array_like of shape (n,)
        The ranking sorts by the prediction, real-valued.
    p : float
        From 1 to infinity.

    Returns
    -------
    float
        In units of gain.

    Raises
    ------
    ValueError
        If the discount rises, is negative or not finite, p < 1, or lengths differ.

    Examples
    --------
    >>> round(cossock_zhang_theorem2([1.0, 0.0], [0.0, 15.0], [7.5, 7.5]), 6)  # sqrt(2) sqrt(2) 7.5
    15.0
    """
    c, z, f = check_discount(discount, may_be_negative=False), np.asarray(gain), np.asarray(prediction)
    check_lengths(discount=c, gain=z, prediction=f)
    return norm(np.concatenate([c, c]), check_exponent(p)) * norm(z - f, conjugate(p))


def regression_error(discount: ArrayLike, gain: ArrayLike, prediction: ArrayLike, p: float = 2) -> float:
    r"""Theorem 2 of Cossock and Zhang with the least factor (`cossock_zhang.thm2.variant-sharp`).

    :math:`(\sum_i |c_i - c_{n+1-i}|^p)^{1/p} (\sum_i |z_i - f_i|^q)^{1/q}`: the least factor
    for real gains.

    Parameters and errors as in `cossock_zhang_theorem2`; the discount may have any sign.

    Returns
    -------
    float
        In units of gain.

    Examples
    --------
    >>> regression_error([1.0, 0.5, 0.0], [0.0, 3.0, 15.0], [7.5, 7.5, 7.5], p=1)
    15.0
    """
    c, z, f = check_discount(discount), np.asarray(gain), np.asarray(prediction)
    check_lengths(discount=c, gain=z, prediction=f)
    return norm(c - c[::-1], check_exponent(p)) * norm(z - f, conjugate(p))


def largest_dcg_error(discount: ArrayLike, y: ArrayLike) -> float:
    """DCG of the best ranking of these labels less that of the worst.

    Examples
    --------
    >>> largest_dcg_error([1.0, 0.0], [4, 0])
    15.0
    """
    c, (labels,) = check_discount(discount), check_grades(y=y)
    check_lengths(discount=c, y=labels)
    gain = np.sort(np.exp2(labels) - 1.0)
    return float((c * (gain[::-1] - gain)).sum())

r"""Bounds on ERR_g - ERR_pi of one query, and the largest error that its labels allow.

They include iGBRT Theorem 1 and COCR Theorem 2, and their corrected forms. Positions i = 1..n are those of the ranking.

    symbol                  in code        shape
    y                       y              (n,), labels 0..max_grade in the order of the ranking
    \hat y                  y_hat          (n,), predicted grades in that order, non-increasing
    R(y) = (2^y - 1)/2^K    stop           (n,)
    F_i                     stops_here     (n,), probability that the user stops at position i
    K                       max_grade      the highest grade
    n_errors                n_errors       number of documents whose predicted grade is not their label
"""

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.bounds.checks import check_grades, multiply_norms
from refrank.bounds.dcg_error import dcg_threshold, min_pairing
from refrank.bounds.regret import err_regret
from refrank.checks import check_entries, check_labels
from refrank.metrics.reciprocal_rank import compute_examination_probability, tabulate_stop_probability


def igbrt_theorem1(n_errors: int, max_grade: int = 4) -> float:
    r"""Compute the bound of Mohan et al., Theorem 1: :math:`15 \pi / (16 \sqrt 6) \sqrt{n_{errors}}`; it is vacuous.

    15/16 is (2^K - 1)/2^K for K = 4.

    Examples
    --------
    >>> round(igbrt_theorem1(1), 6)
    1.20239
    """
    # iGBRT Theorem 1
    return float(tabulate_stop_probability(max_grade)[-1] * np.pi / np.sqrt(6.0) * np.sqrt(n_errors))


def err_by_errors(n: int, n_errors: int, max_grade: int = 4) -> float:
    r"""Compute the bound of iGBRT Theorem 1 with the least constant: :math:`(15/16)(1 - 1/n) \sqrt{n_{errors}}`.

    This is `igbrt.theorem1.variant-sharp`, for n documents. One perfect document with prediction 0 and the last rank
    attains it. 15/16 is (2^K - 1)/2^K for K = 4.

    Examples
    --------
    >>> err_by_errors(10, 1)
    0.84375
    """
    return float(tabulate_stop_probability(max_grade)[-1] * (1.0 - 1.0 / n) * np.sqrt(n_errors))


def err_rr_dcg(y: ArrayLike, max_grade: int = 4) -> float:
    r"""Compute the error of a DCG with discount 1/i and gain R (`new.err_below_rr_dcg`).

    :math:`\sum_i (1/g_i - 1/\pi_i) R(y_i)`, for labels in the order of the ranking, (n,).

    Examples
    --------
    >>> err_rr_dcg([0, 4])  # (1 - 1/2) 15/16
    0.46875
    """
    labels = check_labels(y, max_grade)
    return err_regret(tabulate_stop_probability(max_grade)[labels])


def err_oerr(y: ArrayLike, y_hat: ArrayLike, max_grade: int = 4) -> float:
    r"""Compute the root of COCR's oERR cost (`new.err_oerr`), without optimism.

    :math:`(K_n / 2^K) (\sum_i (2^{y_i} - 2^{\hat y_i})^2)^{1/2}`, :math:`K_n^2 = \sum_i (1/i - 1/(n+1-i))^2`.

    Examples
    --------
    >>> round(err_oerr([0, 4], [3, 3]), 6)  # the error is 15/32 = 0.46875
    0.469791
    """
    labels, grades = check_grades(y, y_hat, max_grade)
    return min_pairing(1.0 / np.arange(1.0, len(labels) + 1.0), labels, grades) / 2.0**max_grade


def err_threshold(y: ArrayLike, y_hat: ArrayLike, max_grade: int = 4) -> float:
    r"""Compute `dcg_threshold` with discount 1/i, over 2^K (`new.dcg_threshold.variant-err`).

    Examples
    --------
    >>> err_threshold([0, 4], [3, 3])
    0.46875
    """
    labels, grades = check_grades(y, y_hat, max_grade)
    return dcg_threshold(1.0 / np.arange(1.0, len(labels) + 1.0), labels, grades) / 2.0**max_grade


def cocr_theorem2(y: ArrayLike, y_hat: ArrayLike, max_grade: int = 4) -> float:
    r"""Compute the bound of COCR Theorem 2 as intended (`cocr.theorem2.variant-intended`).

    :math:`(\sum_i (1/\rho_i - 1/\pi_i)^2)^{1/2} (\sum_i (F_i(\rho, y) - F_i(\pi, \hat y))^2)^{1/2}`,
    where rho sorts by y and keeps the ranking's order among equal labels.

    Examples
    --------
    >>> round(cocr_theorem2([0, 4], [4, 0]), 6)  # sqrt(1/2) sqrt(2) 15/16; the error is 15/32
    0.9375
    """
    labels, grades = check_grades(y, y_hat, max_grade)
    rising = np.diff(grades, prepend=grades[:1]) > 0
    check_entries("y_hat", grades, rising, "predicted grades must not increase, in the order of the ranking")
    by_label = np.argsort(-labels, kind="stable")
    position = np.arange(1.0, len(labels) + 1.0)
    # COCR Eq. 9: by document, at its position
    rho = np.empty(len(labels))
    rho[by_label] = position
    ideal = np.empty(len(labels))  # F_i(rho, y)
    ideal[by_label] = compute_stops(labels[by_label], max_grade)
    # COCR Theorem 2
    return multiply_norms(1.0 / rho - 1.0 / position, ideal - compute_stops(grades, max_grade), 2)


def largest_err_error(y: ArrayLike, max_grade: int = 4) -> float:
    """Compute the ERR of the best ranking of these labels minus that of the reverse (`igbrt.perfect_ranker`).

    Examples
    --------
    >>> largest_err_error([4, 0])
    0.46875
    """
    labels = check_labels(y, max_grade)
    # iGBRT Definition 1: a perfect ranker sorts by the labels
    worst = np.sort(labels)
    # COCR Eq. 10: ERR = sum_i beta[i] F_i, beta[i] = 1/i
    position = np.arange(1.0, len(worst) + 1.0)
    return float(((compute_stops(worst[::-1], max_grade) - compute_stops(worst, max_grade)) / position).sum())


def compute_stops(y: Ints, max_grade: int) -> Floats:
    """Return the probability that the user stops at each position, (n,); `y` is in the order of the ranking."""
    stop = tabulate_stop_probability(max_grade)[y]
    return compute_examination_probability(stop) * stop

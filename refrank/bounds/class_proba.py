r"""Bounds on the error of McRank's ranking by expected gain or relevance, from its class probabilities.

The error is DCG_g - DCG_pi or ERR_g - ERR_pi of one query. proofs_check/losses/class_proba.py settles the bounds;
docs/prove/losses.md, Class probabilities, has the proofs.

    symbol         in code       shape
    y_i            y             (n,), labels 0..K, in any order
    p_{ik}         proba         (n, K + 1), class probabilities
    c_[i]          discount      (n,), non-increasing, of any sign
    1 - p_{i,y}    left_over     (n,), the probability of the wrong classes

A bound is 0 if each document has its label with probability 1, or if all discounts are equal, and only then.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.bounds.checks import check_discount
from refrank.checks import check_entries, check_labels, check_numbers, check_shape

ROUNDING = 1e-9  # allowed error of probabilities at 0, 1 and the sum 1: they are quotients of float sums


def dcg_class_proba(discount: ArrayLike, y: ArrayLike, proba: ArrayLike) -> float:
    r"""Compute the bound for the ranking by expected gain (`losses.class_proba`).

    :math:`(2^K - 1) (c_1 - c_n) \sum_i (1 - p_{i,y_i})`; pi sorts by :math:`\sum_k p_{ik} (2^k - 1)`. It is at most
    :math:`(2^K - 1) (c_1 - c_n)` times the loss of McRank Eq. 7, and no smaller factor holds for every n.

    Examples
    --------
    >>> dcg_class_proba([1.0, 0.5], [1, 0], [[0.25, 0.75], [0.75, 0.25]])
    0.25
    """
    c, left_over, max_grade = _check(discount, y, proba)
    return (2.0**max_grade - 1.0) * float(c[0] - c[-1]) * math.fsum(left_over)


def dcg_class_proba_l2(discount: ArrayLike, y: ArrayLike, proba: ArrayLike) -> float:
    r"""Compute the bound by squares for the ranking by expected gain (`losses.class_proba.variant-l2`).

    :math:`(2^K - 1) (\sum_i (c_i - c_{n+1-i})^2)^{1/2} (\sum_i (1 - p_{i,y_i})^2)^{1/2}`.

    Examples
    --------
    >>> round(dcg_class_proba_l2([1.0, 0.5], [1, 0], [[0.25, 0.75], [0.75, 0.25]]), 6)
    0.25
    """
    c, left_over, max_grade = _check(discount, y, proba)
    return (2.0**max_grade - 1.0) * float(np.linalg.norm(c - c[::-1]) * np.linalg.norm(left_over))


def dcg_brier(discount: ArrayLike, y: ArrayLike, proba: ArrayLike) -> float:
    r"""Compute the bound by the Brier score for the ranking by expected gain (`losses.class_proba.variant-brier`).

    :math:`(\sum_i (c_i - c_{n+1-i})^2)^{1/2} (S_K \sum_{ik} (p_{ik} - [y_i = k])^2)^{1/2}`, S_K the sum of the squared
    distances of :math:`2^0, ..., 2^K` from their mean: 148.8 for K = 4.

    Examples
    --------
    >>> round(dcg_brier([1.0, 0.5], [1, 0], [[0.25, 0.75], [0.75, 0.25]]), 6)
    0.25
    """
    c, labels, p = _check_probabilities(discount, y, proba)
    powers = np.exp2(np.arange(p.shape[1]))
    off = p - (labels[:, np.newaxis] == np.arange(p.shape[1]))
    return float(np.linalg.norm(c - c[::-1]) * np.linalg.norm(powers - powers.mean()) * np.linalg.norm(off))


def dcg_expected_relevance(discount: ArrayLike, y: ArrayLike, proba: ArrayLike) -> float:
    r"""Compute the bound for the ranking by expected relevance (`losses.class_proba.variant-expected-relevance`).

    :math:`K 2^{K-1} (c_1 - c_n) \sum_i (1 - p_{i,y_i})`; pi sorts by :math:`\sum_k k p_{ik}`, as McRank does (Eq. 5).
    For K = 4 the factor is 32, against 15 for the ranking by expected gain. No smaller factor holds for every n.

    Examples
    --------
    >>> dcg_expected_relevance([1.0, 0.5], [3, 4], [[0, 0, 0, 1, 0], [0.25, 0, 0, 0, 0.75]])  # a tie, broken wrong
    4.0
    """
    c, left_over, max_grade = _check(discount, y, proba)
    # pi sorts by the expected relevance, Eq. 5
    return max_grade * 2.0 ** (max_grade - 1) * float(c[0] - c[-1]) * math.fsum(left_over)


def err_class_proba(y: ArrayLike, proba: ArrayLike) -> float:
    r"""Compute the bound on the ERR error of the ranking by expected gain (`losses.class_proba.variant-err`).

    :math:`(1 - 2^{-K}) (1 - 1/n) \sum_i (1 - p_{i,y_i})`.

    Examples
    --------
    >>> err_class_proba([1, 0], [[0.25, 0.75], [0.75, 0.25]])
    0.125
    """
    n = len(np.asarray(y))
    return dcg_class_proba(1.0 / np.arange(1.0, n + 1.0), y, proba) / 2.0 ** (np.shape(proba)[1] - 1)


def _check(discount: ArrayLike, y: ArrayLike, proba: ArrayLike) -> tuple[Floats, Floats, int]:
    """Return c, (n,), 1 - p_{i,y_i}, (n,), and K."""
    c, labels, p = _check_probabilities(discount, y, proba)
    return c, np.maximum(1.0 - p[np.arange(len(p)), labels], 0.0), p.shape[1] - 1


def _check_probabilities(discount: ArrayLike, y: ArrayLike, proba: ArrayLike) -> tuple[Floats, Ints, Floats]:
    """Return c, (n,), labels, (n,), and probabilities, (n, K + 1)."""
    c, p = check_discount(discount), check_numbers("proba", proba, "probabilities must be from 0 to 1")
    if p.ndim != 2 or p.shape[1] < 2:
        raise ValueError(f"proba has shape {p.shape}: it must have shape (n, max_grade + 1), two grades or more")
    labels = check_labels(y, highest=p.shape[1] - 1)
    check_shape("y", labels, p.shape[:1], "(n,), one label per row of proba")
    check_shape("discount", c, p.shape[:1], "(n,), one discount per row of proba")
    check_entries("proba", p, ~((p >= -ROUNDING) & (p <= 1.0 + ROUNDING)), "probabilities must be from 0 to 1")
    wrong = np.zeros(p.shape, dtype=bool)
    wrong[:, 0] = abs(p.sum(axis=1) - 1.0) > ROUNDING
    check_entries("proba", p, wrong, "the probabilities of a row must add up to 1")
    return c, labels, p

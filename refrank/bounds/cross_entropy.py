r"""The softmax cross entropy as a bound on -log NDCG and on -log(ERR / its best value): Bruch et al. 2019.

proofs_check/ndcg/cross_entropy.py settles the bounds; docs/prove/ndcg_bounds.md, Softmax cross entropy, has the proofs.

    symbol       in code    shape
    y            y          (n,), labels of one query, in any order; at least one is positive
    s            score      (n,), by which the ranking sorts, ties in any order
    log rho_i    log_rho    (n,), s_i - log sum_j e^{s_j}
    w            weight     (n,), of each document, adding up to 1
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.bounds.err_error import compute_stops
from refrank.checks import check_labels, check_scores


def ndcg_cross_entropy(y: ArrayLike, score: ArrayLike) -> float:
    r"""Compute the softmax cross entropy with the gains as weights (`ndcg.cross_entropy.variant-graded`).

    :math:`-\sum_i w_i \log \rho_i`, :math:`w_i = (2^{y_i} - 1) / \sum_j (2^{y_j} - 1)`: at least -log NDCG of all
    documents, with discount 1/log2(1+i).

    Examples
    --------
    >>> round(ndcg_cross_entropy([0, 1], [0.0, 0.0]), 6)  # log 2; -log NDCG of the wrong order is 0.46
    0.693147
    """
    labels, log_rho = _check(y, score)
    gain = np.ldexp(1.0, labels) - 1.0
    return -math.fsum(gain * log_rho) / float(gain.sum())


def ndcg_log_rank(y: ArrayLike, score: ArrayLike) -> float:
    r"""Compute the sharper bound on -log NDCG that uses the logarithm of the discount (`.variant-sharp`).

    :math:`\sum_i w_i \log \log_2(1 + 1/\rho_i)`, never above `ndcg_cross_entropy`.

    Examples
    --------
    >>> round(ndcg_log_rank([0, 1], [0.0, 0.0]), 6)  # attained: log log2(3)
    0.460561
    """
    labels, log_rho = _check(y, score)
    gain = np.ldexp(1.0, labels) - 1.0
    place = np.logaddexp(0.0, -log_rho) / math.log(2.0)  # log2(1 + 1/rho)
    return math.fsum(gain * np.log(place)) / float(gain.sum())


def err_cross_entropy(y: ArrayLike, score: ArrayLike, max_grade: int = 4) -> float:
    r"""Compute the cross entropy with the stops as weights (`ndcg.cross_entropy.variant-err`).

    :math:`-\sum_i w_i \log \rho_i`, w_i proportional to the probability that the user stops at document i in the best
    ranking, ties in the order of the rows, and max_grade the highest grade: at least -log(ERR_pi / ERR_g).

    Examples
    --------
    >>> round(err_cross_entropy([0, 1], [0.0, 0.0]), 6)  # attained: ERR is halved
    0.693147
    """
    labels, log_rho = _check(y, score, max_grade)
    best = np.argsort(-labels, kind="stable")
    stops = compute_stops(labels[best], max_grade)
    return -math.fsum(stops * log_rho[best]) / float(stops.sum())


def _check(y: ArrayLike, score: ArrayLike, highest: int | None = None) -> tuple[Ints, Floats]:
    """Return labels, one of them positive, and log rho, (n,) each."""
    labels = check_labels(y, highest)
    if not labels.any():
        rule = "it must have one, or NDCG and ERR are not defined relative to the best"
        raise ValueError(f"y has no positive label: {rule}")
    s = check_scores(score, len(labels))
    return labels, np.asarray(s - np.logaddexp.reduce(s))

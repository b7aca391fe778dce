r"""The softmax cross entropy as a bound on NDCG, NDCG@k and ERR: Bruch et al. 2019, Bruch 2021.

proofs_check/ndcg/ settles the bounds; docs/prove/ndcg_bounds.md has the proofs: Softmax cross entropy, XE-NDCG, At a
cut-off.

    symbol       in code    shape
    y            y          (n,), labels of one query, in any order; at least one is positive
    s            score      (n,), by which the ranking sorts, ties in any order
    log rho_i    log_rho    (n,), s_i - log sum_j e^{s_j}
    w            weight     (n,), of each document, adding up to 1
    kappa        KAPPA      log2 log2 3, the least factor of the cross entropy above -log NDCG
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.bounds.checks import check_loss_scores
from refrank.bounds.err_error import compute_stops
from refrank.checks import (
    check_column,
    check_entries,
    check_integer,
    check_labels,
    check_numbers,
    check_shape,
)

KAPPA = 0.6644487074538893  # log2 log2 3


def ndcg_cross_entropy(y: ArrayLike, score: ArrayLike) -> float:
    r"""Compute the softmax cross entropy with the gains as weights (`ndcg.cross_entropy.variant-graded`).

    :math:`-\sum_i w_i \log \rho_i`, :math:`w_i = (2^{y_i} - 1) / \sum_j (2^{y_j} - 1)`: at least -log NDCG of all
    documents, with discount 1/log2(1+i), divided by kappa: see `ndcg_least_cross_entropy`.

    Examples
    --------
    >>> round(ndcg_cross_entropy([0, 1], [0.0, 0.0]), 6)  # log 2; -log NDCG of the wrong order is 0.46
    0.693147
    """
    labels, log_rho = _check(y, score)
    return _average(np.ldexp(1.0, labels) - 1.0, -log_rho)


def ndcg_least_cross_entropy(y: ArrayLike, score: ArrayLike) -> float:
    r"""Compute the cross entropy times the least factor (`ndcg.cross_entropy.variant-constant`).

    :math:`-\kappa \sum_i w_i \log \rho_i` with the weights of `ndcg_cross_entropy` and :math:`\kappa = \log_2 \log_2
    3 = 0.6645`: at least -log NDCG.

    Examples
    --------
    >>> round(ndcg_least_cross_entropy([0, 1], [0.0, 0.0]), 6)  # attained: log log2(3)
    0.460561
    """
    return KAPPA * ndcg_cross_entropy(y, score)


def ndcg_shifted_cross_entropy(y: ArrayLike, score: ArrayLike, gamma: ArrayLike) -> float:
    r"""Compute Bruch's XE-NDCG times the least factor (`ndcg.xe_ndcg.variant-constant`).

    :math:`-\kappa \sum_i \phi_i \log \rho_i`, :math:`\phi_i = (2^{y_i} - \gamma_i) / \sum_j (2^{y_j} - \gamma_j)`,
    gamma from 0 to 1, (n,): at least -log NDCG with the gains :math:`2^{y_i} - \gamma_i`.

    Examples
    --------
    >>> round(ndcg_shifted_cross_entropy([0, 1], [0.0, 0.0], [1.0, 1.0]), 6)  # the gains 2^y - 1
    0.460561
    """
    labels, log_rho = _check(y, score)
    shift = check_numbers("gamma", check_column("gamma", gamma), "gamma must hold numbers")
    check_shape("gamma", shift, labels.shape, "(n,), one entry per label")
    check_entries("gamma", shift, ~((shift >= 0.0) & (shift <= 1.0)), "gamma must be from 0 to 1")
    return KAPPA * _average(np.ldexp(1.0, labels) - shift, -log_rho)


def ndcg_log_rank(y: ArrayLike, score: ArrayLike) -> float:
    r"""Compute the sharper bound on -log NDCG that uses the logarithm of the discount (`.variant-sharp`).

    :math:`\sum_i w_i \log \log_2(1 + 1/\rho_i)`, never above :math:`1 / (2 \log 2)` times `ndcg_cross_entropy`.

    Examples
    --------
    >>> round(ndcg_log_rank([0, 1], [0.0, 0.0]), 6)  # attained: log log2(3)
    0.460561
    """
    labels, log_rho = _check(y, score)
    place = np.logaddexp(0.0, -log_rho) / math.log(2.0)  # log2(1 + 1/rho)
    return _average(np.ldexp(1.0, labels) - 1.0, np.log(place))


def ndcg_error_cross_entropy(y: ArrayLike, score: ArrayLike, k: int | None = 10) -> float:
    r"""Compute the bound on 1 - NDCG@k by the cross entropy (`ndcg.at_cutoff.variant-cross-entropy`).

    :math:`-a_k \sum_i w_i \log \rho_i` with the weights of `ndcg_cross_entropy`; :math:`a_k = 1/\log(k+1)` for k <= 5
    and :math:`(1 - 1/\log_2 3) / \log 2 = 0.5325` for larger k. k is the number of places that count, None: all.

    Examples
    --------
    >>> round(ndcg_error_cross_entropy([0, 1], [0.0, 0.0], k=10), 6)  # attained: 1 - 1/log2(3)
    0.36907
    """
    places = _check_cutoff(k)
    factor = 1.0 / math.log1p(places) if places <= 5 else (1.0 - 1.0 / math.log2(3.0)) / math.log(2.0)
    return factor * ndcg_cross_entropy(y, score)


def ndcg_error_log_rank(y: ArrayLike, score: ArrayLike, k: int | None = 10) -> float:
    r"""Compute the bound on 1 - NDCG@k by the discount of 1/rho (`ndcg.at_cutoff.variant-log-places`).

    :math:`\sum_i w_i b_k(1/\rho_i)` with :math:`b_k(x) = 1 - 1/\log_2(1 + x)` for x < k + 1, and 1 otherwise: never
    above 1. k is the number of places that count, None: all.

    Examples
    --------
    >>> round(ndcg_error_log_rank([0, 1], [0.0, 0.0], k=10), 6)
    0.36907
    >>> ndcg_error_log_rank([0, 1], [0.0, 0.0], k=1)
    1.0
    """
    (labels, log_rho), places = _check(y, score), _check_cutoff(k)
    lost = 1.0 - math.log(2.0) / np.logaddexp(0.0, -log_rho)
    # so close to place k + 1 that rounding may decide, a document counts as cut off
    lost[np.exp(-log_rho) >= (places + 1.0) * (1.0 - 2.0**-40)] = 1.0
    return _average(np.ldexp(1.0, labels) - 1.0, lost)


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
    return _average(stops, -log_rho[best])


def _average(weight: Floats, cost: Floats) -> float:
    """Return the mean of the cost of each document, (n,), by weights of any sum, (n,)."""
    return math.fsum(weight * cost) / float(weight.sum())


def _check_cutoff(k: int | None) -> float:
    """Return the number of places that count."""
    return math.inf if k is None else float(check_integer("k", k, at_least=1))


def _check(y: ArrayLike, score: ArrayLike, highest: int | None = None) -> tuple[Ints, Floats]:
    """Return labels, one of them positive, and log rho, (n,) each."""
    labels = check_labels(y, highest)
    if not labels.any():
        rule = "it must have one, or NDCG and ERR are not defined relative to the best"
        raise ValueError(f"y has no positive label: {rule}")
    s = check_loss_scores(score, len(labels))
    return labels, np.asarray(s - np.logaddexp.reduce(s))

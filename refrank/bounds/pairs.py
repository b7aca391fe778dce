r"""Bounds over pairs of documents, or over the documents that remain at each place: LambdaRank and Chen et al.

The labels of one query are in the order of the ranking, (n,). proofs_check/losses/lambdarank.py and
proofs_check/ndcg/essential_loss.py settle the bounds; docs/prove/ndcg_bounds.md has the proofs. A bound in units of
DCG, divided by the ideal DCG, bounds 1 - NDCG.

    symbol    in code     shape
    y         y           (n,), labels 0..max_grade in the order of the ranking
    c_[i]     discount    (n,), non-increasing
    s_i       score       (n,), by which the ranking sorts
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Bools, Floats, Ints
from refrank.bounds.checks import check_ranked
from refrank.bounds.err_error import compute_stops
from refrank.checks import check_entries, check_labels, check_scores
from refrank.metrics.reciprocal_rank import tabulate_stop_probability


def dcg_swaps(discount: ArrayLike, y: ArrayLike) -> float:
    r"""Sum the gains in DCG from exchanging each wrongly ordered pair (`losses.lambdarank`).

    :math:`\sum_{i < j, y_i < y_j} (c_i - c_j) (2^{y_j} - 2^{y_i})`: at least the DCG error, and at most n - 1 times it.

    Examples
    --------
    >>> dcg_swaps([1.0, 0.5, 0.25], [0, 2, 1])  # (1 - 1/2) 3 + (1 - 1/4) 1; the error is 1.75
    2.25
    """
    c, labels = check_ranked(discount, y)
    return float((_weigh_pairs(c, labels) * _find_wrong_pairs(labels)).sum())


def lambda_loss(discount: ArrayLike, y: ArrayLike, score: ArrayLike) -> float:
    r"""Compute LambdaRank's loss for DCG (`losses.lambdarank.step4`).

    :math:`\sum_{y_i > y_j} |c_i - c_j| (2^{y_i} - 2^{y_j}) \log_2(1 + e^{-(s_i - s_j)})`, at least `dcg_swaps`; the
    scores must not increase.

    Examples
    --------
    >>> lambda_loss([1.0, 0.5], [0, 1], [0.0, 0.0])
    0.5
    """
    c, labels = check_ranked(discount, y)
    s = check_scores(score, len(labels))
    check_entries("score", s, np.diff(s, prepend=s[:1]) > 0, "scores must not increase, in the order of the ranking")
    margin = s[:, np.newaxis] - s  # s_i - s_j of the pairs i < j
    loss = _weigh_pairs(c, labels) * np.logaddexp(0.0, np.where(_find_wrong_pairs(labels), margin, -margin))
    return math.fsum(loss.ravel()) / math.log(2.0)


def err_swaps(y: ArrayLike, max_grade: int = 4) -> float:
    r"""Sum the gains in ERR from exchanging each wrongly ordered pair (`losses.lambdarank.variant-err`).

    The exchange of places i < j adds :math:`P_i (R_j - R_i) (1/i - E[1/T])`, P_i the probability that the user reaches
    place i, and T the place of the next stop after i, at most j. The sum is at least the ERR error.

    Examples
    --------
    >>> err_swaps([0, 4])
    0.46875
    """
    stop = tabulate_stop_probability(max_grade)[check_labels(y, max_grade)]
    n, total = len(stop), []
    for i in range(n):
        # E[1/i - 1/T] = sum_{i <= m < j} (1/m - 1/(m+1)) Pr(T > m)
        reached = np.concatenate([[1.0], np.cumprod(1.0 - stop[i + 1 :])])[: n - 1 - i]
        places = np.arange(i + 1.0, n)
        saved = np.cumsum(reached * (1.0 / places - 1.0 / (places + 1.0)))
        total += (np.prod(1.0 - stop[:i]) * np.maximum(stop[i + 1 :] - stop[i], 0.0) * saved).tolist()
    return math.fsum(total)


def essential_loss(discount: ArrayLike, y: ArrayLike) -> float:
    r"""Compute the essential loss of Chen et al. 2009 for DCG (`ndcg.essential_loss.variant-sharp`).

    :math:`\sum_{s < n} z_s (c_s - c_n) W_s`: z_s is the s-th largest gain. W_s = 1 if, among the documents at places
    s, ..., n of the best ranking, the ranking puts one with a lower label before the s-th. The best ranking keeps the
    ranking's order of ties.

    Examples
    --------
    >>> essential_loss([1.0, 0.5, 0.0], [0, 2, 1])  # both tasks are wrong: 3 + 1/2
    3.5
    """
    c, labels = check_ranked(discount, y)
    gain = np.ldexp(1.0, -np.sort(-labels)) - 1.0
    return float((gain * (c - c[-1]) * _find_wrong_tasks(labels)).sum())


def err_essential_loss(y: ArrayLike, max_grade: int = 4) -> float:
    r"""Compute the essential loss for ERR (`ndcg.essential_loss.variant-err`).

    :math:`\sum_{s < n} F_s (1/s - 1/n) W_s`, F_s the probability that the user stops at place s of the best ranking.

    Examples
    --------
    >>> err_essential_loss([0, 4])
    0.46875
    """
    labels = check_labels(y, max_grade)
    reciprocal = 1.0 / np.arange(1.0, len(labels) + 1.0)
    stops = compute_stops(-np.sort(-labels), max_grade)
    return float((stops * (reciprocal - reciprocal[-1]) * _find_wrong_tasks(labels)).sum())


def _weigh_pairs(c: Floats, labels: Ints) -> Floats:
    """Return (c_i - c_j) |z_i - z_j| for the pairs i < j of places, (n, n); 0 elsewhere."""
    gain = np.ldexp(1.0, labels)
    return np.triu((c[:, np.newaxis] - c) * abs(gain - gain[:, np.newaxis]))


def _find_wrong_pairs(labels: Ints) -> Bools:
    """Return which places i < j hold labels with y_i < y_j, (n, n); other entries have no meaning."""
    return np.asarray(labels[:, np.newaxis] < labels)


def _find_wrong_tasks(labels: Ints) -> Ints:
    """Return W_s, (n,)."""
    place = np.argsort(-labels, kind="stable")  # place in the ranking of the s-th document of the best one
    later = np.triu(np.ones((len(labels), len(labels)), dtype=bool), 1)
    ahead = (place < place[:, np.newaxis]) & (labels[place] < labels[place][:, np.newaxis])
    return np.asarray((later & ahead).any(axis=1), dtype=np.int64)

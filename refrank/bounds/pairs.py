r"""Bounds over pairs of documents, or over those that remain at each place: LambdaRank, LambdaLoss, Chen et al.

The labels of one query are in the order of the ranking, (n,). proofs_check/losses/lambdarank.py, and lambda_loss.py and
essential_loss.py in proofs_check/ndcg/, settle the bounds; docs/prove/ndcg_bounds.md has the proofs. A bound in units
of DCG, divided by the ideal DCG, bounds 1 - NDCG.

    symbol    in code     shape
    y         y           (n,), labels 0..max_grade in the order of the ranking
    c_[i]     discount    (n,), non-increasing
    s_i       score       (n,), by which the ranking sorts
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Bools, Floats, Ints
from refrank.bounds.checks import check_loss_scores, check_ranked
from refrank.bounds.err_error import compute_stops
from refrank.checks import check_entries, check_labels
from refrank.metrics.reciprocal_rank import tabulate_stop_probability

RISE = 2.0**-50  # relative to c_1: differences of rounded discounts, such as 1/log2(1+i), rise by less


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
    return _sum_logistic(_weigh_pairs(c, labels), labels, score)


def dcg_distance_swaps(discount: ArrayLike, y: ArrayLike) -> float:
    r"""Sum the gain differences of wrongly ordered pairs, weighed by their distance (`ndcg.lambda_loss`).

    :math:`\sum_{i < j, y_i < y_j} \delta_{j-i} (2^{y_j} - 2^{y_i})`, :math:`\delta_r = c_r - c_{r+1}`, the weights of
    LambdaLoss: at least the DCG error. The steps of the discount must not rise, so it cannot be one with a cut-off.

    Examples
    --------
    >>> dcg_distance_swaps([1.0, 0.5, 0.25], [0, 2, 1])  # (1 - 1/2) 3 + (1/2 - 1/4) 1: the error
    1.75
    """
    c, labels = check_ranked(discount, y)
    return float((_weigh_distances(c, labels) * _find_wrong_pairs(labels)).sum())


def dcg_distance_loss(discount: ArrayLike, y: ArrayLike, score: ArrayLike) -> float:
    r"""Compute NDCG-Loss2 of LambdaLoss for DCG (`ndcg.lambda_loss.step3`).

    :math:`\sum_{y_i > y_j} \delta_{|i-j|} (2^{y_i} - 2^{y_j}) \log_2(1 + e^{-(s_i - s_j)})`: at least
    `dcg_distance_swaps`. The scores must not increase.

    Examples
    --------
    >>> dcg_distance_loss([1.0, 0.5], [0, 1], [0.0, 0.0])
    0.5
    """
    c, labels = check_ranked(discount, y)
    return _sum_logistic(_weigh_distances(c, labels), labels, score)


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


def _weigh_distances(c: Floats, labels: Ints) -> Floats:
    """Return delta_{j-i} |z_i - z_j| for the pairs i < j of places, (n, n); 0 elsewhere."""
    step, gain, place = np.append(0.0, c[:-1] - c[1:]), np.ldexp(1.0, labels), np.arange(len(c))
    rises = np.zeros(len(c), dtype=bool)
    rises[2:] = step[2:] > step[1:-1] + RISE * abs(c[0])
    check_entries("discount", c, rises, "the steps c_r - c_(r+1) must not rise")
    return np.triu(step[abs(place[:, np.newaxis] - place)] * abs(gain - gain[:, np.newaxis]))


def _sum_logistic(weight: Floats, labels: Ints, score: ArrayLike) -> float:
    """Return the sum of weight log2(1 + e^-margin) over the pairs i < j of places; the weights are (n, n)."""
    s = check_loss_scores(score, len(labels))
    check_entries("score", s, np.diff(s, prepend=s[:1]) > 0, "scores must not increase, in the order of the ranking")
    margin = s[:, np.newaxis] - s  # s_i - s_j of the pairs i < j
    loss = weight * np.logaddexp(0.0, np.where(_find_wrong_pairs(labels), margin, -margin))
    return math.fsum(loss.ravel()) / math.log(2.0)


def _find_wrong_pairs(labels: Ints) -> Bools:
    """Return which places i < j hold labels with y_i < y_j, (n, n); other entries have no meaning."""
    return np.asarray(labels[:, np.newaxis] < labels)


def _find_wrong_tasks(labels: Ints) -> Ints:
    """Return W_s, (n,)."""
    place = np.argsort(-labels, kind="stable")  # place in the ranking of the s-th document of the best one
    later = np.triu(np.ones((len(labels), len(labels)), dtype=bool), 1)
    ahead = (place < place[:, np.newaxis]) & (labels[place] < labels[place][:, np.newaxis])
    return np.asarray((later & ahead).any(axis=1), dtype=np.int64)

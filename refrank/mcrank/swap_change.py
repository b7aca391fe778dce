"""How much NDCG or ERR changes when two documents of a ranked query swap places: LambdaRank's pair weights.

NDCG is that of McRank Eq. 1 to 3, ERR that of COCR Eq. 8. `refrank.metrics` evaluates the measures; here
stands their change alone, a few operations a pair.

Notation
--------
============  ==============  =======================================================================
symbol        code            meaning, shape
============  ==============  =======================================================================
pairs         better, worse   indices of the two documents of each pair, (n_pairs,) each
c_r           discount        1/log2(1 + r) at the places r <= L, else 0, (n_samples,)
L             truncation      NDCG counts the first L places
DCG_g         ideal           the highest DCG the query can have
R_r           stop            ERR: probability that the user at place r stops there, (n_samples,)
T_r           reach           ERR: probability that the user gets to place r, (n_samples,)
C_r           err_until       ERR: sum of its first r terms, (n_samples,)
============  ==============  =======================================================================
"""

import numpy as np
from numpy.typing import NDArray

from refrank.checks import check_entries, check_integer
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.reciprocal_rank import compute_examination_probability, tabulate_stop_probability

Floats = NDArray[np.float64]
Integers = NDArray[np.intp]


def ndcg_swap_change(scores: Floats, y: Integers, better: Integers, worse: Integers, truncation: int) -> Floats:
    """Absolute change of NDCG at `truncation` when documents ``better[p]`` and ``worse[p]`` swap places.

    Delta NDCG_ij = |(2^y_i - 2^y_j) (c_a - c_b)| / DCG_g for documents at the places a and b, with
    c_r = 1/log2(1 + r) for r <= L and 0 below (McRank Eq. 1 to 3; the base of the logarithm cancels).

    Parameters
    ----------
    scores, y : arrays of shape (n_samples,)
        Scores and grades of one query; equal scores keep the order of the documents.
    better, worse : integer arrays of shape (n_pairs,)
        The pairs, as indices into `scores`; at least one document needs a grade above 0.
    truncation : int
        L, at least 1.

    Returns
    -------
    array of shape (n_pairs,)
        Changes, each at least 0.

    Raises
    ------
    ValueError
        If `truncation` is below 1.

    Examples
    --------
    >>> pair = np.array([0]), np.array([1])
    >>> ndcg_swap_change(np.array([2.0, 1.0]), np.array([1, 0]), *pair, truncation=1)
    array([1.])
    """
    check_integer("truncation", truncation, at_least=1)
    # McRank Eq. 2: c_r, by place
    discount = tabulate_discounts(scores.size, truncation)
    relevance_gain = np.exp2(y) - 1
    # McRank Eq. 3: DCG_g, the documents sorted by grade
    ideal = float(np.sort(relevance_gain)[::-1] @ discount)
    at_place = np.empty(scores.size)
    at_place[ranking(scores)] = discount  # (n_samples,): c at the place where the scores put each document
    # McRank Eq. 1: only the pair's two terms of DCG change
    gain_change = relevance_gain[better] - relevance_gain[worse]
    return np.abs(gain_change * (at_place[better] - at_place[worse])) / ideal


def err_swap_change(scores: Floats, y: Integers, better: Integers, worse: Integers, max_grade: int) -> Floats:
    """Absolute change of ERR when documents ``better[p]`` and ``worse[p]`` swap places.

    ERR = sum_r T_r R_r / r, with R = (2^y - 1)/2^max_grade and T_r = prod_(k<r) (1 - R_k). Let the pair stand
    at the places a < b. Nothing changes above a, nor below b, where the product has both 1 - R_a and 1 - R_b.
    Place a gains T_a (R_b - R_a)/a. Each place r between gains its T_r R_r/r times (1 - R_b)/(1 - R_a) - 1.
    Place b gains T_b/(1 - R_a) * ((1 - R_b) R_a - (1 - R_a) R_b)/b. In sum, with C_r = sum_(k<=r) T_k R_k/k,

        change = (R_b - R_a) * (T_a/a - (C_(b-1) - C_a + T_b/b)/(1 - R_a)),

    a few operations a pair after one pass over the places. The second factor is T_a times (1/a less the mean
    of 1/place for a user who goes on below a and stops at b at the latest): it is positive, so moving the
    better document up always raises ERR.

    Parameters
    ----------
    scores, y : arrays of shape (n_samples,)
        Scores and grades of one query; equal scores keep the order of the documents.
    better, worse : integer arrays of shape (n_pairs,)
        The pairs, as indices into `scores`.
    max_grade : int
        Highest grade of the scale; 1 - R is at least 2^-max_grade.

    Returns
    -------
    array of shape (n_pairs,)
        Changes; rounding of C may be multiplied by up to 2^max_grade.

    Raises
    ------
    ValueError
        If a grade is above `max_grade`.

    Examples
    --------
    >>> pair = np.array([1]), np.array([0])
    >>> err_swap_change(np.array([2.0, 1.0]), np.array([0, 1]), *pair, max_grade=1)  # 1/2 - 1/4
    array([0.25])
    """
    check_entries("y", y, y > max_grade, f"labels must be integers from 0 to {max_grade}")
    order = ranking(scores)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)  # 0-based place of each document
    a = np.minimum(place[better], place[worse])  # (n_pairs,)
    b = np.maximum(place[better], place[worse])
    position = np.arange(1, order.size + 1)
    # COCR Eq. 8: R, T and the sum up to each place, all by place
    stop = tabulate_stop_probability(max_grade)[y[order]]
    reach = compute_examination_probability(stop)
    err_until = np.cumsum(reach * stop / position)
    sure_stop = reach / position  # what ERR would gain at place r if every user who gets there stopped
    below = (err_until[b - 1] - err_until[a] + sure_stop[b]) / (1 - stop[a])  # (n_pairs,)
    return np.abs((stop[b] - stop[a]) * (sure_stop[a] - below))


def ranking(scores: Floats) -> Integers:
    """Documents from the highest score to the lowest; equal scores keep their order."""
    return np.argsort(-scores, kind="stable")

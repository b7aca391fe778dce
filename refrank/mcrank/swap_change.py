"""The change of NDCG or ERR when two documents of a ranked query swap positions: LambdaRank's pair weights.

NDCG is that of McRank Eq. 1 to 3, ERR that of COCR Eq. 8. `refrank.metrics` evaluates the measures; this module only
computes their change, with a few operations per pair.

    symbol    in code          shape
    pairs     better, worse    (n_pairs,) each: indices of the two documents
    c_r       discount         (n_samples,): 1/log2(1 + r) at the positions r <= L, else 0
    L         truncation       int: NDCG counts the first L positions
    DCG_g     ideal            float: the highest DCG that the query can have
    R_r       stop             (n_samples,): probability that the user at position r stops there
    T_r       reach            (n_samples,): probability that the user reaches position r
    C_r       err_until        (n_samples,): the sum of the first r terms of ERR
"""

import numpy as np

from refrank.arrays import Floats
from refrank.checks import check_entries, check_integer
from refrank.mcrank.pairwise_gradients import Places
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.reciprocal_rank import compute_examination_probability, tabulate_stop_probability


def ndcg_swap_change(scores: Floats, y: Places, better: Places, worse: Places, truncation: int) -> Floats:
    """Compute the absolute change of NDCG, (n_pairs,), when documents better[p] and worse[p] swap positions.

    Delta NDCG_ij = |(2^y_i - 2^y_j) (c_a - c_b)| / DCG_g for documents at the positions a and b, with
    c_r = 1/log2(1 + r) for r <= L and 0 below (McRank Eq. 1 to 3; the base of the logarithm cancels). Equal scores keep
    the order of the documents. At least one grade is above 0, and L, `truncation`, is at least 1.

    >>> ndcg_swap_change(np.array([2.0, 1.0]), np.array([1, 0]), np.array([0]), np.array([1]), truncation=1)
    array([1.])
    """
    check_integer("truncation", truncation, at_least=1)
    # McRank Eq. 2: c_r, by position
    discount = tabulate_discounts(scores.size, truncation)
    relevance_gain = np.ldexp(1.0, y) - 1
    # McRank Eq. 3: DCG_g, the documents sorted by grade
    ideal = float(np.sort(relevance_gain)[::-1] @ discount)
    at_place = np.empty(scores.size)
    at_place[rank(scores)] = discount  # (n_samples,): c at the position of each document
    # McRank Eq. 1: only the pair's two terms of DCG change
    gain_change = relevance_gain[better] - relevance_gain[worse]
    return np.abs(gain_change * (at_place[better] - at_place[worse])) / ideal


def err_swap_change(scores: Floats, y: Places, better: Places, worse: Places, max_grade: int) -> Floats:
    """Compute the absolute change of ERR, (n_pairs,), when documents better[p] and worse[p] swap positions.

    ERR = sum_r T_r R_r / r, with R = (2^y - 1)/2^max_grade and T_r = prod_(k<r) (1 - R_k). For a pair at the positions
    a < b, with C_r = sum_(k<=r) T_k R_k/k,

        change = (R_b - R_a) * (T_a/a - (C_(b-1) - C_a + T_b/b)/(1 - R_a)),

    term by term in docs/learn/lambdarank.md. The second factor is positive, so moving the better document up always
    raises ERR. Since 1 - R is at least 2^-max_grade, the rounding of C is multiplied by up to 2^max_grade. Grades go
    from 0 to `max_grade`.

    >>> err_swap_change(np.array([2.0, 1.0]), np.array([0, 1]), np.array([1]), np.array([0]), max_grade=1)  # 1/2 - 1/4
    array([0.25])
    """
    check_entries("y", y, y > max_grade, f"labels must be integers from 0 to {max_grade}")
    order = rank(scores)
    place = np.empty_like(order)
    place[order] = np.arange(order.size)  # 0-based position of each document
    a = np.minimum(place[better], place[worse])  # (n_pairs,)
    b = np.maximum(place[better], place[worse])
    position = np.arange(1, order.size + 1)
    # COCR Eq. 8: R, T and the sum up to each position, all by position
    stop = tabulate_stop_probability(max_grade)[y[order]]
    reach = compute_examination_probability(stop)
    err_until = np.cumsum(reach * stop / position)
    sure_stop = reach / position  # the term of position r if every user who reaches it stopped
    below = (err_until[b - 1] - err_until[a] + sure_stop[b]) / (1 - stop[a])  # (n_pairs,)
    return np.abs((stop[b] - stop[a]) * (sure_stop[a] - below))


def rank(scores: Floats) -> Places:
    """Order the documents from the highest score to the lowest; equal scores keep their order."""
    return np.argsort(-scores, kind="stable")

"""The gradients of RankNet and LambdaRank with respect to the scores of one query.

McRank Sec. 1 names both: RankNet has "a cross-entropy type of loss function", LambdaRank "a gradient based on
NDCG smoothed by the RankNet loss". The formulas are those of RankNet (Burges et al. 2005) and LambdaRank
(Burges, Ragno and Le 2006) as collected in Burges, "From RankNet to LambdaRank to LambdaMART: An Overview",
MSR-TR-2010-82, here "Burges 2010".

    symbol         in code             shape
    s_i            scores              (n_samples,): the documents of one query
    (i, j) in I    better, worse       (n_pairs,) each: indices of all pairs with y_i > y_j
    s_i - s_j      margin              (n_pairs,)
    Delta Z_ij     swap_change(...)    (n_pairs,): absolute change of a measure Z when i and j swap positions
    lambda_ij      pair_lambda         (n_pairs,): derivative of the pair's cost by s_i, at most 0
    lambda_i       lambdas             (n_samples,): derivative of the query's cost by s_i

A gradient is a function (scores, y) -> (cost, lambdas); the training loop receives it as an argument. Pairs are listed
a block at a time, so that memory grows with the documents of a query and not with its pairs. A query of up to 1,024
documents is one block.
"""

from collections.abc import Callable

import numpy as np

from refrank.arrays import Floats, Places

Gradient = Callable[[Floats, Places], tuple[float, Floats]]
SwapChange = Callable[[Floats, Places, Places, Places], Floats]
MOST_PAIRS = 2**20  # processed together


def ranknet_gradient(scores: Floats, y: Places) -> tuple[float, Floats]:
    """Compute the cross-entropy of the pairs of one query, and its derivative with respect to each score, (n_samples,).

    With P_ij = 1 / (1 + exp(-(s_i - s_j))) as the probability that i belongs before j, the cost is
    C = sum over y_i > y_j of -log P_ij, in nats, and lambda_i = dC/ds_i. The lambdas add up to 0, to within rounding.
    Cost and lambdas are 0 where the query has only one grade.

    Examples
    --------
    >>> cost, lambdas = ranknet_gradient(np.array([0.0, 0.0]), np.array([0, 1]))
    >>> round(cost, 4), lambdas
    (0.6931, array([ 0.5, -0.5]))
    """
    return smooth_pairs(scores, y, lambda better, worse: np.ones(better.size))


def lambdarank_gradient(scores: Floats, y: Places, swap_change: SwapChange) -> tuple[float, Floats]:
    """Compute LambdaRank's gradient: RankNet's slope of each pair times the measure's change if the pair swapped.

    lambda_ij = -Delta Z_ij / (1 + exp(s_i - s_j))    (Burges 2010 Sec. 4, with sigma = 1)

    `swap_change`, (scores, y, better, worse) -> Delta Z, (n_pairs,), is a function of `refrank.mcrank.swap_change` with
    its last argument bound. LambdaRank defines only the gradient: it is the derivative of the cost that is returned,
    the sum over y_i > y_j of -Delta Z_ij log P_ij, as long as no two documents swap positions.

    Examples
    --------
    >>> from functools import partial
    >>> from refrank.mcrank.swap_change import ndcg_swap_change
    >>> swap_change = partial(ndcg_swap_change, truncation=10)
    >>> cost, lambdas = lambdarank_gradient(np.array([0.0, 0.0]), np.array([0, 1]), swap_change)
    >>> lambdas  # half of the difference between 1, the NDCG with the relevant document first, and .6309
    array([ 0.18453512, -0.18453512])
    """
    return smooth_pairs(scores, y, lambda better, worse: swap_change(scores, y, better, worse))


def list_preferred_pairs(y: Places | Floats, first: int = 0, stop: int | None = None) -> tuple[Places, Places]:
    """List all pairs (i, j) with y_i > y_j, the set I of Burges 2010 Sec. 2.1, sorted, as two index arrays.

    With `first` and `stop`, those with first <= i < stop.
    """
    better, worse = np.nonzero(y[first:stop, None] > y[None, :])
    if first > 0:
        better += first
    return better, worse


def smooth_pairs(scores: Floats, y: Places, weigh: Callable[[Places, Places], Floats]) -> tuple[float, Floats]:
    """Compute the cross-entropy of the pairs, and its gradient, (n_samples,); `weigh` gives their fixed weights."""
    cost, plus, minus = 0.0, np.zeros(y.size), np.zeros(y.size)
    n_together = MOST_PAIRS // max(1, y.size) or 1
    for first in range(0, y.size, n_together):
        better, worse = list_preferred_pairs(y, first, first + n_together)
        weight = weigh(better, worse)  # (n_pairs,)
        margin = scores[better] - scores[worse]
        odds = np.exp(-np.abs(margin))  # in (0, 1]: cannot overflow
        # Burges 2010 Sec. 2: C_ij = log(1 + exp(-(s_i - s_j))) for a pair with y_i > y_j
        cost += float(weight @ (np.log1p(odds) + np.maximum(-margin, 0.0)))
        # Burges 2010 Sec. 4: lambda_ij = -Delta Z_ij / (1 + exp(s_i - s_j)); in RankNet every Delta Z_ij is 1
        pair_lambda = -weight * np.where(margin < 0, 1.0, odds) / (1 + odds)
        # Burges 2010 Sec. 2.1: lambda_i = sum over (i, j) in I of lambda_ij - sum over (j, i) in I of lambda_ji
        for total, document in ((plus, better), (minus, worse)):
            np.add.at(total, document, pair_lambda)  # one after the other, so blocks change no bit
    return cost, plus - minus

"""LambdaLoss (Wang, Li, Golbandi, Bendersky and Najork 2018): weights of pairs that depend on their distance alone.

Documents stand in the order of pi, which sorts by real scores s, ties in any order; z_i = 2^y_i - 1. NDCG-Loss2 of
LambdaLoss (restated) weighs a pair at places i < j by delta_{j-i} |z_i - z_j|, delta_r = c_r - c_{r+1}. If c is
non-increasing and convex, so that delta_r >= 0 does not rise, as for 1/log2(1+i) and 1/i,

    DCG_g - DCG_pi <= sum_{i < j, y_i < y_j} delta_{j-i} (z_j - z_i)
                   <= sum_{y_i > y_j} delta_{|i-j|} (z_i - z_j) log2(1 + e^-(s_i - s_j)),

and both sides, divided by DCG_g, bound 1 - NDCG.

Proof, with the cost sum_i z_i (c_1 - c_i), which is c_1 sum z - DCG_pi:

    1  c_1 - c_j = sum_{r < j} delta_r, so the cost is sum_{i < j} delta_{j-i} z_j, over all pairs
    2  z_j = min(z_i, z_j) + max(z_j - z_i, 0): the cost is M_pi plus the sum over the wrong pairs, with
       M_pi = sum_{i < j} delta_{j-i} min(z_i, z_j)
    3  M_pi <= M_g. min(z_i, z_j) = sum_t 2^(t-1) [y_i >= t] [y_j >= t], so it is enough to look at labels 0 and 1. The
       k-th and the l-th one are at least |k - l| places apart, and exactly so in g; delta does not rise
    4  the cost of g is M_g, so DCG_g - DCG_pi = cost(pi) - cost(g) = M_pi - M_g + sum_{wrong} <= sum_{wrong}
    5  a wrong pair has s_i >= s_j although y_i < y_j, and log2(1 + e^x) >= 1 for x >= 0

The loss leaves M_pi out, although it depends on pi; line 3 is what makes the rest a bound. One relevant document
attains the first inequality at every place. Convexity is needed: c cut off at k has delta_k = c_k, and with relevant
documents of gain z at the places 1 and 3 of three, k = 2, the error is z c_2 where the sum is z (c_1 - c_2)
(variant-cut-off, for 1/log2(1+i)). At a cut-off, LambdaRank's weights give a bound (ndcg.at_cutoff).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import logarithmic, name, reciprocal, truncated
from proofs_check.engine.exact import UNIT, dcg_error, ideal, relevance_gain
from proofs_check.engine.instances import Rankings, dtype_at, in_order_of_pi
from proofs_check.engine.records import CITED, OURS, Line, table
from proofs_check.engine.search import settle


def convex_discounts(n: int) -> list[np.ndarray]:
    """List max(L - i, 0) for L = 2, ..., n, of which each such c is a sum with weights >= 0 up to c_n, and 1/i."""
    places = np.arange(1, n + 1).astype(dtype_at(n))
    return [*(np.maximum(level - places, 0) for level in range(2, n + 1)), reciprocal(n)]


def wrong_pairs(gain: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Compute sum delta_{j-i} max(z_j - z_i, 0) over the pairs of places i < j, (m,)."""
    total = np.zeros_like(gain[:, 0] * c[0])
    for i, j in combinations(range(len(c)), 2):
        total = total + (c[j - i - 1] - c[j - i]) * np.maximum(gain[:, j] - gain[:, i], 0)
    return total


def lower_gains(gain: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Compute M = sum delta_{j-i} min(z_i, z_j) over the pairs of places i < j, (m,)."""
    total = np.zeros_like(gain[:, 0] * c[0])
    for i, j in combinations(range(len(c)), 2):
        total = total + (c[j - i - 1] - c[j - i]) * np.minimum(gain[:, i], gain[:, j])
    return total


def bound(r: Rankings) -> Iterator[Comparison]:
    for c in convex_discounts(r.n):
        yield Comparison(dcg_error(r.y, c), wrong_pairs(relevance_gain(r.y), c), label=name(c))


def cost_of_pairs(r: Rankings) -> Iterator[Comparison]:
    """Compare the cost with lines 1 and 2."""
    z = relevance_gain(r.y)
    for c in convex_discounts(r.n):
        cost = (z * (c[0] - c)).sum(axis=1)
        yield Comparison(cost, lower_gains(z, c) + wrong_pairs(z, c), "==", label=name(c))


def lower_gains_are_largest_in_g(r: Rankings) -> Iterator[Comparison]:
    z, best = relevance_gain(r.y), relevance_gain(ideal(r.y))
    for c in convex_discounts(r.n):
        yield Comparison(lower_gains(z, c), lower_gains(best, c), label=name(c))


def logistic(r: Rankings) -> Comparison:
    """Claim line 5 with c_i = 1/log2(1+i) and s = yhat, in floats."""
    c, gain, s = logarithmic(r.n), relevance_gain(r.y).astype(float), r.y_hat.astype(float)
    right = np.zeros(r.m)
    for i, j in combinations(range(r.n), 2):
        # the more relevant document of the pair should have the higher score
        margin = np.where(gain[:, i] > gain[:, j], s[:, i] - s[:, j], s[:, j] - s[:, i])
        right += (c[j - i - 1] - c[j - i]) * abs(gain[:, j] - gain[:, i]) * np.logaddexp(0, -margin) / np.log(2)
    # sums of n^2 / 2 products, each of four factors that carry at most 3 roundings
    return Comparison(wrong_pairs(gain, c), right, slack=r.n**2 * 12 * UNIT * right)


def cut_off(r: Rankings) -> Iterator[Comparison]:
    """Claim the first inequality with c_i = 1/log2(1+i) for i <= k, in floats."""
    gain = relevance_gain(r.y).astype(float)
    for k in range(1, r.n + 1):
        c = truncated(logarithmic(r.n), k)
        right = wrong_pairs(gain, c)
        yield Comparison(dcg_error(r.y, c), right, slack=r.n**2 * 16 * UNIT * (1 + right), label=f"k={k}")


def one_relevant(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield one document of the highest grade at each place."""
    for group in in_order_of_pi(n, max_grade):
        yield group.take(np.flatnonzero((group.y > 0).sum(axis=1) == 1))


def attained(r: Rankings) -> Iterator[Comparison]:
    for comparison in bound(r):
        yield Comparison(comparison.left, comparison.right, "==", label=comparison.label)


PROOF = "docs/prove/ndcg_bounds.md, LambdaLoss"
WORDS = (
    'Wang et al. 2018, Abstract: "metric-driven loss functions that have clear connection to different ranking metrics"'
)
ROWS = table("ndcg.lambda_loss", "Wang et al.",
    Line("", "DCG_g - DCG_pi <= sum_{i < j, y_i < y_j} delta_{j-i} (z_j - z_i), delta_r = c_r - c_{r+1} not rising",
     "", settle(bound, instances=in_order_of_pi)),
    Line("step1", "sum z_i (c_1 - c_i) = M_pi + sum_{i < j, y_i < y_j} delta_{j-i} (z_j - z_i)", "lines 1 and 2",
     settle(cost_of_pairs, instances=in_order_of_pi)),
    Line("step2", "M_pi <= M_g, M = sum_{i < j} delta_{j-i} min(z_i, z_j)", "line 3",
     settle(lower_gains_are_largest_in_g, instances=in_order_of_pi), OURS),
    Line("step3", "the sum <= sum_{y_i > y_j} delta_{|i-j|} (z_i - z_j) log2(1 + e^-(s_i - s_j)), pi sorting by s",
     "line 5", settle(logistic)),
    Line("variant-attained", "attained by one relevant document at any place", "tightness",
     settle(attained, instances=one_relevant, climbing=False)),
    Line("variant-cut-off", "the statement with c_i = 1/log2(1+i) for i <= k, 0 behind it", "delta_k = c_k",
     settle(cut_off, instances=in_order_of_pi)),
    source=CITED, where=WORDS, proof=PROOF,
)  # fmt: skip

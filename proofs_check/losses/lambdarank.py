"""LambdaRank: the DCG error is at most the sum of the gains from exchanging each wrongly ordered pair.

Documents stand in the order of pi, which sorts by real scores s, ties in any order. A pair i < j of positions is
wrongly ordered if y_i < y_j, and D_ij is the increase of the DCG from exchanging only these two documents:
the weight of the pair in LambdaRank. Then

    DCG_g - DCG_pi <= sum_{wrong} D_ij <= (n - 1) (DCG_g - DCG_pi),
    sum_{wrong} D_ij <= sum_{y_i > y_j} |D_ij| log2(1 + e^-(s_i - s_j)),

for any non-increasing c; the right side of the second line is LambdaRank's loss in its usual form, one term per
pair of different labels.

Proof:

    1  D_ij = (c_i - c_j) (2^y_j - 2^y_i)                                          the two terms of DCG that change
    2  2^y_j - 2^y_i = sum_t 2^(t-1) ([y_j >= t] - [y_i >= t]), and no term is negative if y_i <= y_j. So D_ij is the
       sum over t of 2^(t-1) times the same for the labels [y >= t], and all pairs that are wrong at some t are wrong
    3  at one t, and for the steps c = [i <= L], of which each c is a sum with weights >= 0, let u zeros be among the
       first L places and v ones below. The sum of D is u v, and the DCG error is min(u, v); min(u, v) <= u v <=
       max(u, v) min(u, v); and max(u, v) <= n - 1, since u <= L and v <= n - L
    4  a wrongly ordered pair has s_i >= s_j although y_i < y_j: its term is log2(1 + e^(s_i - s_j)) >= 1

Both are attained: the first by one wrong pair, the second by one relevant document at the end and c_1 = ... = c_(n-1).

For ERR, let D_ij be the exchange's increase of ERR. Again ERR_g - ERR_pi <= sum_{wrong} D_ij (variant-err), for all
relevances in [0, 1]. Proof: let T be the place between i and j at which the user stops, or j without a stop. Then

    5  D_ij = P_i (R_j - R_i) (1/i - E[1/T])                                                       variant-err-swap
    6  move the most relevant document b, at place j, to the front, by exchanges with its neighbours at k = j - 1, ...,
       1. Each gains P_k (R_b - R_k) (1/k - 1/(k+1)), which is at most D_kj, as T >= k + 1
    7  no D of the other pairs is larger after it: a pair before j moves one place further back, where differences
       of 1/i are smaller, and comes into view if b does not stop the user; of a pair around j, the user whom b stopped
       in between now never comes to it; a pair behind j is as before. Continue with the others, from place 2

The other direction fails for ERR: the sum can exceed (n - 1) times the error (variant-err-reverse). With two documents
of R = 0 before five of R = 1 it is 25/6, and 6 times the error is 4. `lambdarank_reverse.py` has the factors that do.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import combinations

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import logarithmic, name, reciprocal, steps
from proofs_check.engine.exact import UNIT, dcg_error, err, err_error, looks, relevance_gain, unit
from proofs_check.engine.instances import Rankings, batch, grade_vectors, in_order_of_pi
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle, settle_cases

# ---- DCG ----


def swaps(r: Rankings) -> Iterator[Comparison]:
    """Claim DCG_g - DCG_pi <= sum D_ij, for the step discounts."""
    for c in steps(r.n):
        yield Comparison(dcg_error(r.y, c), sum_of_swaps(r, c), label=name(c))


def reverse(r: Rankings) -> Iterator[Comparison]:
    """Claim sum D_ij <= (n - 1) (DCG_g - DCG_pi)."""
    for c in steps(r.n):
        yield Comparison(sum_of_swaps(r, c), (r.n - 1) * dcg_error(r.y, c), label=name(c))


def sum_of_swaps(r: Rankings, c: np.ndarray) -> np.ndarray:
    """Compute the sum of D_ij over the wrongly ordered pairs, (m,)."""
    gain = relevance_gain(r.y)
    total = np.zeros_like(gain[:, 0])
    for i, j in combinations(range(r.n), 2):
        # c does not increase: a correctly ordered pair has D_ij <= 0
        total = total + (c[i] - c[j]) * np.maximum(gain[:, j] - gain[:, i], 0)
    return total


def swap_identity(r: Rankings) -> Iterator[Comparison]:
    """Compare D_ij, from the DCG of the exchanged ranking, with line 1."""
    gain = relevance_gain(r.y)
    for c in steps(r.n):
        for i, j in combinations(range(r.n), 2):
            change = (relevance_gain(with_exchanged(r.y, i, j)) * c).sum(axis=1) - (gain * c).sum(axis=1)
            yield Comparison(change, (c[i] - c[j]) * (gain[:, j] - gain[:, i]), "==", label=name(c))


def with_exchanged(y: np.ndarray, i: int, j: int) -> np.ndarray:
    """Exchange the documents at positions i and j, counted from 0, (m, n)."""
    order = np.arange(y.shape[1])
    order[[i, j]] = j, i
    return y[:, order]


def thresholds(r: Rankings) -> Iterator[Comparison]:
    """Compare the sum of D_ij with line 2: that of the labels [y >= t], times 2^(t-1)."""
    for c in steps(r.n):
        parts = [
            2 ** (t - 1) * sum_of_swaps(batch((r.y >= t).astype(int), 0 * r.y, max_grade=1), c)
            for t in range(1, r.max_grade + 1)
        ]
        yield Comparison(sum_of_swaps(r, c), sum(parts), "==", label=name(c))


def one_threshold(r: Rankings) -> Iterator[Comparison]:
    """Compare both sides with u v and min(u, v), line 3; labels 0 and 1."""
    for level, c in enumerate(steps(r.n), start=1):
        u, v = level - r.y[:, :level].sum(axis=1), r.y[:, level:].sum(axis=1)
        yield Comparison(sum_of_swaps(r, c), u * v, "==", label=name(c))
        yield Comparison(dcg_error(r.y, c), np.minimum(u, v), "==", label=name(c))


def binary(n: int, max_grade: int = 1) -> Iterator[Rankings]:
    """Yield all labels 0 and 1, in the order of pi."""
    yield from in_order_of_pi(n, 1)


# ---- LambdaRank's loss, in floats ----


def logistic(r: Rankings) -> Comparison:
    """Claim sum_{wrong} D_ij <= sum |D_ij| log2(1 + e^-(s_i - s_j)) with c_i = 1/log2(1+i) and s = yhat."""
    c, gain, s = logarithmic(r.n), relevance_gain(r.y).astype(float), r.y_hat.astype(float)
    right = np.zeros(r.m)
    for i, j in combinations(range(r.n), 2):
        # the more relevant document of the pair should have the higher score
        margin = np.where(gain[:, i] > gain[:, j], s[:, i] - s[:, j], s[:, j] - s[:, i])
        right += (c[i] - c[j]) * abs(gain[:, j] - gain[:, i]) * np.logaddexp(0, -margin) / np.log(2)
    left = sum_of_swaps(r, c).astype(float)
    # sums of n^2 / 2 products, each of four factors that carry at most 3 roundings
    return Comparison(left, right, slack=r.n**2 * 12 * UNIT * right)


# ---- ERR ----


def err_swaps(r: Rankings) -> Comparison:
    """Claim ERR_g - ERR_pi <= sum D_ij."""
    return Comparison(err_error(r.y, r.scale), sum_of_err_swaps(r), unit=unit(r.n, r.scale))


def err_reverse(r: Rankings) -> Comparison:
    """Claim sum D_ij <= (n - 1) (ERR_g - ERR_pi)."""
    return Comparison(sum_of_err_swaps(r), (r.n - 1) * err_error(r.y, r.scale), unit=unit(r.n, r.scale))


def sum_of_err_swaps(r: Rankings) -> np.ndarray:
    """Compute the sum of D_ij of ERR over the wrongly ordered pairs, times unit(n, one), (m,)."""
    total = np.zeros_like(r.y[:, 0])
    for i, j in combinations(range(r.n), 2):
        total = total + np.where(r.y[:, i] < r.y[:, j], swap_change(r, i, j), 0)
    return total


def swap_change(r: Rankings, i: int, j: int) -> np.ndarray:
    """Compute D_ij of ERR from the exchanged ranking, times unit(n, one), (m,)."""
    return err(with_exchanged(r.y, i, j), r.scale) - err(r.y, r.scale)


def err_swap_identity(r: Rankings) -> Iterator[Comparison]:
    """Compare D_ij with line 5: E[1/T] is a sum over the places between i and j, and j."""
    gain, p, c = relevance_gain(r.y), looks(r.y, r.scale), reciprocal(r.n)
    for i, j in combinations(range(r.n), 2):
        # P_i (1/i - E[1/T]), with P_i (1 - R_i) = P_{i+1}: sum_m (1/m - 1/(m+1)) P_i prod_{i < l <= m} (1 - R_l)
        stays, expected = p[:, i], 0 * p[:, i]
        for m in range(i, j):
            expected = expected + (c[m] - c[m + 1]) * stays
            stays = stays * (r.scale - gain[:, m + 1]) // r.scale
        yield Comparison(swap_change(r, i, j), (gain[:, j] - gain[:, i]) * expected, "==", unit=unit(r.n, r.scale))


def highest_grade_last(n: int) -> Iterator[Rankings]:
    """Yield documents of grade 0, then of grade 4."""
    y = np.sort(4 * grade_vectors(n, 1), axis=1)
    yield batch(np.unique(y, axis=0), np.zeros((n + 1, n), dtype=int))


# ---- the table ----

over_orders = partial(settle, instances=in_order_of_pi)
PROOF = "docs/prove/ndcg_bounds.md, LambdaRank"

ROWS = table("losses.lambdarank", "new",
    Line("", "DCG_g - DCG_pi <= sum over wrongly ordered pairs of D_ij, any non-increasing c", "", over_orders(swaps)),
    Line("step1", "D_ij = (c_i - c_j) (2^y_j - 2^y_i)", "one exchange", over_orders(swap_identity)),
    Line("step2", "sum D_ij = sum_t 2^(t-1) (sum D_ij for the labels [y >= t])", "thresholds", over_orders(thresholds)),
    Line("step3", "for labels 0, 1 and c = [i <= L]: sum D_ij = u v, and the DCG error is min(u, v)",
     "one threshold", settle_cases(one_threshold, binary, 10)),
    Line("step4", "sum D_ij <= sum_{y_i > y_j} |D_ij| log2(1 + e^-(s_i - s_j)), pi sorting by s",
     "a wrong pair costs 1 or more", settle(logistic)),
    Line("variant-reverse", "sum D_ij <= (n - 1) (DCG_g - DCG_pi)", "the other direction", over_orders(reverse)),
    Line("variant-err", "ERR_g - ERR_pi <= sum over wrongly ordered pairs of what the exchange adds to ERR",
     "ERR", over_orders(err_swaps)),
    Line("variant-err-swap", "an exchange adds P_i (R_j - R_i) (1/i - E[1/T]) to ERR", "ERR, one exchange",
     over_orders(err_swap_identity)),
    Line("variant-err-reverse", "sum D_ij <= (n - 1) (ERR_g - ERR_pi)", "ERR, the other direction",
     settle_cases(err_reverse, highest_grade_last, 9)),
    source=OURS, proof=PROOF,
)  # fmt: skip

"""Bruch, Wang, Bendersky and Najork 2019: the softmax cross entropy bounds -log NDCG.

pi sorts by scores s, ties in any order; rho_i = e^(s_i) / sum_j e^(s_j); c_i = 1/log2(1+i). For labels 0 and 1, P of
them 1 (restated; the abstract: "we show that the loss bounds Mean Reciprocal Rank and Normalized Discounted Cumulative
Gain"),

    -log NDCG <= -(1/P) sum_{y_i = 1} log rho_i,       -log RR <= the same,     RR = 1 / the place of the first y_i = 1.

Proof, for any gains z_i >= 0 with the sum Z > 0, and the weights w_i = z_i / Z:

    1  pi_i <= #{j : s_j >= s_i} <= sum_j e^(s_j - s_i) = 1 / rho_i
    2  log2(1 + x) <= x for x >= 1
    3  DCG_g <= Z, as c <= 1
    4  NDCG >= DCG_pi / Z = sum w_i / log2(1 + pi_i) >= sum w_i rho_i                                         1, 2, 3
    5  -log sum w_i rho_i <= -sum w_i log rho_i                                                              Jensen

Graded labels need the weights (2^y_i - 1) / Z instead of 1/P (variant-graded). Without line 2 the bound is sharper
and as easy to compute: sum w_i log log2(1 + 1/rho_i) (variant-sharp).

Line 2 loses a constant. f(u) = log log2(1 + e^u) is concave for u >= 0: f' = sigma / log(1 + e^u) with sigma = e^u / (1
+ e^u), and log f' falls, as log(1 + e^u) < e^u. f(0) = 0, so f(u) <= u f'(0) = u / (2 log 2), and f(u) / u falls. Hence

    6  sum w_i log log2(1 + 1/rho_i) <= -(1 / (2 log 2)) sum w_i log rho_i                           variant-sharp-below
    7  places are integers: f(log pi_i) <= kappa log pi_i, kappa = f(log 2) / log 2 = log2 log2 3; 0 at place 1
    8  -log NDCG <= sum w_i f(log pi_i) <= -kappa sum w_i log rho_i                                     variant-constant

1 / (2 log 2) = 0.7213 is the least constant in line 6, approached as rho goes to 1, and gives variant-2ln2. kappa =
0.6645 is the least constant for NDCG: two documents that tie attain it.

For ERR, let F_i be the probability of a stop at document i in the order of g, Q their sum, and w_i = F_i / Q: weights
that depend on the labels alone. Then ERR_pi >= sum_i F_i / pi_i (COCR Eq. 12, summed) >= Q sum w_i rho_i, and ERR_g <=
Q, so -log(ERR_pi / ERR_g) <= -sum w_i log rho_i (variant-err).

How it is checked. In floats, with a slack; s = 2 yhat, so that neighbouring scores are 0, 2, ... apart.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import logarithmic
from proofs_check.engine.exact import UNIT, err, ideal, relevance_gain, stops, unit
from proofs_check.engine.instances import Rankings, rankings, stable_g
from proofs_check.engine.records import CITED, Line, table
from proofs_check.engine.search import settle

APART = 2.0  # between scores of neighbouring yhat
TANGENT = 1 / (2 * math.log(2))  # f'(0)
KAPPA = math.log2(math.log2(3))  # f(log 2) / log 2


def log_proba(r: Rankings) -> np.ndarray:
    """Compute log rho_i = -log(1 + sum_{j != i} e^(s_j - s_i)), (m, n): to the last bits also where rho is near 1."""
    s = APART * r.y_hat.astype(float)
    others = [np.exp(np.delete(s, i, axis=1) - s[:, i : i + 1]).sum(axis=1) for i in range(r.n)]
    return -np.log1p(np.stack(others, axis=1))


def gains(r: Rankings) -> np.ndarray:
    return relevance_gain(r.y).astype(float)


def stops_along_g(r: Rankings) -> np.ndarray:
    """Compute F_i of each document in the order of g, times scale^n, (m, n); ties of g in the order of pi."""
    in_order = stops(ideal(r.y), r.scale).astype(float)
    return np.take_along_axis(in_order, stable_g(r.y) - 1, axis=1)


def cross_entropy(weight: np.ndarray, r: Rankings) -> np.ndarray:
    """Compute -sum w_i log rho_i for weights that need not add up to 1, (m,); 0 if all are 0."""
    total = np.maximum(weight.sum(axis=1), 1e-300)
    return np.asarray(-(weight * log_proba(r)).sum(axis=1) / total)


def compare(left: np.ndarray, right: np.ndarray, r: Rankings) -> Comparison:
    """Compare if a label is positive, up to a few roundings per document of numbers of the size of the scores."""
    slack = 16 * r.n * UNIT * (1 + APART * r.max_grade + right)
    return Comparison(left, right, slack=slack).keep_only((r.y > 0).any(axis=1))


def minus_log_ndcg(r: Rankings) -> np.ndarray:
    c = logarithmic(r.n)
    best = (relevance_gain(ideal(r.y)).astype(float) * c).sum(axis=1)
    return minus_log((gains(r) * c).sum(axis=1), best)


def minus_log(value: np.ndarray, best: np.ndarray) -> np.ndarray:
    """Compute -log(value / best), (m,); 0 if both are 0."""
    defined = best > 0
    return np.asarray(-np.log(np.divide(value, best, out=np.ones(len(best)), where=defined)))


def ndcg_bound(r: Rankings) -> Comparison:
    return compare(minus_log_ndcg(r), cross_entropy(gains(r), r), r)


def sharp(r: Rankings) -> Comparison:
    z = gains(r)
    # log2(1 + e^u) = 1 + log2(1 + (e^u - 1) / 2), to the last bits also where u is near 0
    inner = np.log1p(np.log1p(np.expm1(-log_proba(r)) / 2) / math.log(2))
    right = (z * inner).sum(axis=1) / np.maximum(z.sum(axis=1), 1e-300)
    return compare(minus_log_ndcg(r), right, r)


def sharp_is_below(r: Rankings) -> Comparison:
    return compare(sharp(r).right, TANGENT * cross_entropy(gains(r), r), r)


def with_constant(constant: float, r: Rankings) -> Comparison:
    """Claim -log NDCG <= constant times the cross entropy."""
    return compare(minus_log_ndcg(r), constant * cross_entropy(gains(r), r), r)


def reciprocal_rank(r: Rankings) -> Comparison:
    """Claim log(place of the first relevant document) <= the cross entropy, labels 0 and 1."""
    first = (r.y > 0).argmax(axis=1) + 1.0
    return compare(np.log(first), cross_entropy(gains(r), r), r)


def places(r: Rankings) -> Iterator[Comparison]:
    """Claim pi_i <= 1 / rho_i, document by document."""
    right = np.exp(-log_proba(r))
    for i in range(r.n):
        slack = 16 * UNIT * right[:, i] * (1 + APART * r.max_grade)
        yield Comparison(np.full(r.m, i + 1.0), right[:, i], slack=slack, label=f"place {i + 1}")


def err_bound(r: Rankings) -> Comparison:
    whole = float(unit(r.n, r.scale))
    value, best = err(r.y, r.scale).astype(float) / whole, err(ideal(r.y), r.scale).astype(float) / whole
    return compare(minus_log(value, best), cross_entropy(stops_along_g(r), r), r)


def binary(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield labels 0 and 1 with predictions 0..K."""
    for group in rankings(n, max_grade):
        rows = np.flatnonzero((group.y <= 1).all(axis=1))
        yield group.take(rows)


def of_binary(claim: Callable[[Rankings], Comparison]) -> Callable[[Rankings], Comparison]:
    """Build the claim for the instances whose labels are 0 and 1; climbs also visit others."""
    return lambda r: claim(r).keep_only((r.y <= 1).all(axis=1) & (r.y > 0).any(axis=1))


PROOF = "docs/prove/ndcg_bounds.md, Softmax cross entropy"
WORDS = 'Bruch et al. 2019, Abstract: "we show that the loss bounds Mean Reciprocal Rank and Normalized Discounted ..."'
ROWS = table("ndcg.cross_entropy", "Bruch et al.",
    Line("", "-log NDCG <= -(1/P) sum_{y_i = 1} log rho_i for labels 0 and 1, rho = softmax(s), pi sorting by s",
     "", settle(of_binary(ndcg_bound), instances=binary)),
    Line("step1", "pi_i <= 1 / rho_i", "one document", settle(places)),
    Line("variant-mrr", "-log RR <= -(1/P) sum_{y_i = 1} log rho_i for labels 0 and 1", "reciprocal rank",
     settle(of_binary(reciprocal_rank), instances=binary), CITED, WORDS),
    Line("variant-graded", "-log NDCG <= -sum w_i log rho_i, w_i = (2^y_i - 1) / sum (2^y - 1)", "any gains",
     settle(ndcg_bound)),
    Line("variant-sharp", "-log NDCG <= sum w_i log log2(1 + 1/rho_i)", "without line 2", settle(sharp)),
    Line("variant-sharp-below", "sum w_i log log2(1 + 1/rho_i) <= -sum w_i log rho_i / (2 log 2)", "line 6",
     settle(sharp_is_below)),
    Line("variant-2ln2", "-log NDCG <= -sum w_i log rho_i / (2 log 2)", "line 6",
     settle(partial(with_constant, TANGENT))),
    Line("variant-constant", "-log NDCG <= -kappa sum w_i log rho_i, kappa = log2 log2 3 = 0.6645", "line 8",
     settle(partial(with_constant, KAPPA))),
    Line("variant-err", "-log(ERR_pi / ERR_g) <= -sum w_i log rho_i, w_i = F_i(g) / sum F(g)", "ERR",
     settle(err_bound)),
    source=CITED, where=WORDS, proof=PROOF,
)  # fmt: skip

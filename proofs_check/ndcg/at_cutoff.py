"""NDCG@k: the bounds at a cut-off, where a document behind place k counts nothing.

NDCG@k = DCG_pi@k / DCG_g@k is NDCG with the discounts c_i = 0 for i > k, which are non-increasing and not negative. So
every bound of the DCG error that holds for all such c holds here, divided by DCG_g@k (ndcg.by_ideal); the rows below
name them for c_i = 1/i, i <= k, at every k. Some become simpler:

    McRank's Lemma 1, k < n          15 (2 sum_{i <= k} c_i^2 errors)^(1/2), as its product has a factor 0
    thresholds, k <= n/2             S(m) = c_1 + ... + c_min(m,k)
    essential loss                   the tasks s <= k alone

The cross entropy (ndcg.cross_entropy) bounds -log NDCG, and not -log NDCG@k, which is infinite if all relevant
documents are behind place k (variant-minus-log). It bounds 1 - NDCG@k: with c_i = 1/log2(1+i), w_i = (2^y_i - 1) /
sum (2^y - 1) and rho the softmax of the scores,

    1 - NDCG@k <= sum w_i b_k(1/rho_i),     b_k(x) = 1 - 1/log2(1 + x) for x < k + 1, and 1 otherwise
    1 - NDCG@k <= -a_k sum w_i log rho_i,   a_k = 1/log(k+1) for k <= 5, and (1 - 1/log2 3) / log 2 = 0.5325 for k >= 6

Proof:

    1  DCG_g@k <= sum z, as c <= 1, so 1 - NDCG@k <= sum w_i (1 - c_{pi_i}) = sum w_i b_k(pi_i)
    2  b_k does not fall, and pi_i <= 1 / rho_i
    3  h(u) = 1 - log 2 / log(1 + e^u) is concave for u >= 0: log h' = log sigma - 2 log log(1 + e^u) + const falls, as
       log(1 + e^u) < 2 e^u. h(0) = 0, so h(u) / u falls: of the places 2, ..., k, the first has the largest b_k(p) /
       log p, (1 - 1/log2 3) / log 2; of those behind k, place k + 1 has it, 1/log(k+1)
    4  places are integers, so b_k(pi_i) <= a_k log pi_i <= -a_k log rho_i

a_k is the least constant, for every k: k + 1 documents that tie attain it for k <= 5, with the only relevant one last,
and two such documents for k >= 6 (variant-attained).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import logarithmic, reciprocal, swap_gain, truncated
from proofs_check.engine.exact import UNIT, dcg_error, gain_difference, ideal, relevance_gain
from proofs_check.engine.instances import Rankings, batch, in_order_of_pi
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle
from proofs_check.losses.lambdarank import sum_of_swaps
from proofs_check.ndcg.by_ideal import divided
from proofs_check.ndcg.cross_entropy import APART, cross_entropy, gains, log_proba
from proofs_check.ndcg.essential_loss import wrong_tasks
from proofs_check.new.dcg_threshold import crossings, thresholds, weighted
from proofs_check.new.isotonic import distance
from proofs_check.new.min_pairing import pairing

LARGEST_A = (1 - 1 / math.log2(3)) / math.log(2)


def cutoffs(n: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield each k and the discounts 1/i for i <= k, 0 behind it, as integers; above n = 6, at a few k such as 10."""
    for k in range(1, n + 1) if n <= 6 else sorted({1, 2, n // 2, min(n, 10), n}):
        yield k, truncated(reciprocal(n), k)


def label(k: int) -> str:
    return f"k={k}"


# ---- bounds of DCG@k, divided by the ideal: both sides are integers, or squares of them ----


def identity(r: Rankings) -> Iterator[Comparison]:
    """Compare (1 - NDCG@k) DCG_g@k, from the first k places alone, with the DCG error of the cut-off discounts."""
    for k, c in cutoffs(r.n):
        first = (relevance_gain(part[:, :k]) * c[:k] for part in (ideal(r.y), r.y))
        best, dcg = (part.sum(axis=1) for part in first)
        yield Comparison(best - dcg, dcg_error(r.y, c), "==", label=label(k))


def by_lemma1(r: Rankings) -> Iterator[Comparison]:
    """Claim McRank's Lemma 1 without its product, squared, for k < n."""
    for k, c in cutoffs(r.n):
        if k < r.n:
            right = 2 * (r.scale - 1) ** 2 * r.errors * (c**2).sum()
            yield Comparison(dcg_error(r.y, c) ** 2, right, squared=True, label=label(k))


def by_errors(r: Rankings) -> Iterator[Comparison]:
    for k, c in cutoffs(r.n):
        yield Comparison(dcg_error(r.y, c), (r.scale - 1) * swap_gain(c, r.errors), label=label(k))


def by_thresholds(r: Rankings) -> Iterator[Comparison]:
    """Claim sum_t 2^(t-1) S(max(U_t, O_t)), S(m) the sum of c_1, ..., c_min(m,k) for k <= n/2."""
    for k, c in cutoffs(r.n):
        right = weighted([swap_gain(c, crossings(r, t)) for t in thresholds(r)])
        yield Comparison(dcg_error(r.y, c), right, label=label(k))


def swaps_of_the_first(r: Rankings) -> Iterator[Comparison]:
    """Compare S(m) with c_1 + ... + c_min(m,k), m the number of errors, for k <= n/2."""
    for k, c in cutoffs(r.n):
        if 2 * k <= r.n:
            sums = np.concatenate([[0], np.cumsum(c)])
            m = np.minimum(r.errors, r.n // 2).astype(np.int64)
            yield Comparison(swap_gain(c, r.errors), sums[np.minimum(m, k)], "==", label=label(k))


def by_gains(r: Rankings) -> Iterator[Comparison]:
    for k, c in cutoffs(r.n):
        right = pairing(c) * (gain_difference(r) ** 2).sum(axis=1)
        yield Comparison(dcg_error(r.y, c) ** 2, right, squared=True, label=label(k))


def by_isotonic(r: Rankings) -> Iterator[Comparison]:
    parts = math.lcm(*range(1, r.n + 1))
    for k, c in cutoffs(r.n):
        left = parts * dcg_error(r.y, c).astype(object) ** 2
        yield Comparison(left, pairing(c) * distance(r), squared=True, label=label(k))


def by_tasks(r: Rankings) -> Iterator[Comparison]:
    """Claim the essential loss with the tasks s <= k alone."""
    weighted_tasks = relevance_gain(ideal(r.y)) * wrong_tasks(r)
    for k, c in cutoffs(r.n):
        yield Comparison(dcg_error(r.y, c), (weighted_tasks[:, :k] * c[:k]).sum(axis=1), label=label(k))


def by_swaps(r: Rankings) -> Iterator[Comparison]:
    for k, c in cutoffs(r.n):
        yield Comparison(dcg_error(r.y, c), sum_of_swaps(r, c), label=label(k))


# ---- the cross entropy, in floats: c_i = 1/log2(1+i) ----


def least_constant(k: int) -> float:
    """Compute a_k, the largest b_k(p) / log p over the places p >= 2."""
    return max(1 / math.log(k + 1), LARGEST_A if k >= 2 else 0.0)


def missed(r: Rankings, k: int) -> np.ndarray:
    """Compute 1 - NDCG@k, (m,); 0 without a positive label."""
    c, z = truncated(logarithmic(r.n), k), gains(r)
    best = (relevance_gain(ideal(r.y)).astype(float) * c).sum(axis=1)
    return 1 - np.divide((z * c).sum(axis=1), best, out=np.ones(r.m), where=best > 0)


def log_loss(r: Rankings) -> Iterator[Comparison]:
    """Claim 1 - NDCG@k <= a_k times the cross entropy, at every k up to n, and at k = 10."""
    loss = cross_entropy(gains(r), r)
    for k in (*range(1, r.n + 1), 10):
        yield rounded(missed(r, k), least_constant(k) * loss, r, label(k))


def log_places(r: Rankings) -> Iterator[Comparison]:
    """Claim 1 - NDCG@k <= sum w_i b_k(1/rho_i)."""
    z, most = gains(r), np.exp(-log_proba(r))
    total = np.maximum(z.sum(axis=1), 1e-300)
    for k in range(1, r.n + 1):
        # 1/rho_i at place k + 1 may round to less than k + 1, where b_k is smaller: so close to it, b_k is 1
        lost = np.where(most < (k + 1) * (1 - 64 * UNIT * r.n), 1 - 1 / np.log2(1 + most), 1.0)
        yield rounded(missed(r, k), (z * lost).sum(axis=1) / total, r, label(k))


def minus_log(r: Rankings) -> Iterator[Comparison]:
    """Claim -log NDCG@k <= the cross entropy, as exp(-cross entropy) <= NDCG@k."""
    for k in range(1, r.n + 1):
        yield rounded(np.exp(-cross_entropy(gains(r), r)), 1 - missed(r, k), r, label(k))


def rounded(left: np.ndarray, right: np.ndarray, r: Rankings, what: str) -> Comparison:
    """Compare if a label is positive, up to a few roundings per document."""
    slack = 16 * r.n * UNIT * (1 + APART * r.max_grade + right)
    return Comparison(left, right, slack=slack, label=what).keep_only((r.y > 0).any(axis=1))


def attained(r: Rankings) -> Iterator[Comparison]:
    """Claim an equality at the k of which n - 1 documents of label 0 are the worst case."""
    for k in range(1, 6) if r.n > 2 else range(1, 13):
        if r.n == (k + 1 if k <= 5 else 2):
            loss = least_constant(k) * cross_entropy(gains(r), r)
            yield Comparison(missed(r, k), loss, "==", slack=64 * UNIT * r.n, label=label(k))


def last_of_ties(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield n documents that tie, the last of which is relevant."""
    y = np.zeros((1, n), dtype=np.int64)
    y[0, -1] = max_grade
    yield batch(y, 0 * y, max_grade=max_grade)


PROOF = "docs/prove/ndcg_bounds.md, At a cut-off"
ROWS = table("ndcg.at_cutoff", "new",
    Line("", "1 - NDCG@k = (DCG_g - DCG_pi) / DCG_g with c_i = 0 for i > k", "",
     divided(identity, instances=in_order_of_pi)),
    Line("variant-lemma1", "1 - NDCG@k <= 15 (2 sum_{i <= k} c_i^2 errors)^(1/2) / DCG_g@k, k < n", "number of errors",
     divided(by_lemma1, smallest=2)),
    Line("variant-lemma1-sharp", "1 - NDCG@k <= 15 S(min(errors, n/2)) / DCG_g@k", "number of errors",
     divided(by_errors)),
    Line("variant-min-pairing", "1 - NDCG@k <= (sum (c_i - c_{n+1-i})^2 sum (2^y - 2^yhat)^2)^(1/2) / DCG_g@k",
     "gain differences", divided(by_gains)),
    Line("variant-thresholds", "1 - NDCG@k <= sum_t 2^(t-1) S(max(U_t, O_t)) / DCG_g@k", "thresholds",
     divided(by_thresholds)),
    Line("variant-swaps-of-k", "S(m) = c_1 + ... + c_min(m,k) for k <= n/2", "few places",
     settle(swaps_of_the_first, smallest=2)),
    Line("variant-isotonic", "1 - NDCG@k <= (sum (c_i - c_{n+1-i})^2)^(1/2) |z - pava(z)| / DCG_g@k",
     "the ranking itself", divided(by_isotonic, instances=in_order_of_pi)),
    Line("variant-essential-loss", "1 - NDCG@k <= sum_{s <= k} z_s c_s W_s / DCG_g@k", "tasks",
     divided(by_tasks, instances=in_order_of_pi)),
    Line("variant-lambdarank", "1 - NDCG@k <= sum over wrongly ordered pairs of what the exchange adds to NDCG@k",
     "pairs", divided(by_swaps, instances=in_order_of_pi)),
    Line("variant-cross-entropy", "1 - NDCG@k <= -a_k sum w_i log rho_i; a_k = 0.5325 for k >= 6, 1/log(k+1) below",
     "any scores", settle(log_loss)),
    Line("variant-attained", "k + 1 documents that tie attain it for k <= 5, two for k >= 6", "tightness",
     settle(attained, instances=last_of_ties, climbing=False, smallest=2, largest=6)),
    Line("variant-log-places", "1 - NDCG@k <= sum w_i b_k(1/rho_i)", "any scores", settle(log_places)),
    Line("variant-minus-log", "NDCG@k >= exp(sum w_i log rho_i)", "the bound of -log NDCG", settle(minus_log)),
    source=OURS, proof=PROOF,
)  # fmt: skip

"""New: the ERR error is at most the error of a DCG with discount 1/i and gain R.

For documents of relevance R_i in [0, 1], g any ordering by non-increasing R, and pi any ordering,

    0 <= ERR_g - ERR_pi <= sum_i (1/g_i - 1/pi_i) R_i.

The right side is RR_g - RR_pi for RR_pi = sum_i R_i / pi_i: ERR without its stopping. So everything that bounds the
error of a DCG (McRank Lemma 1, Cossock and Zhang) bounds that of ERR, with c_i = 1/i and gain (2^y - 1)/16. The
argument needs neither C_pi of Mohan et al. nor F_i of COCR.

Proof, by exchanging neighbours:

    1  let a be at position k of an ordering, b at k + 1. Exchanging them changes RR by
       (R_b - R_a) (1/k - 1/(k+1)), and ERR by that times P = prod_{j < k} (1 - R of the document at j)
    2  as 0 <= P <= 1, an exchange with R_a < R_b raises ERR by at least 0, and by at most as much as RR
    3  from pi, bubble sort reaches an ordering by non-increasing R through such exchanges only; add them up.
       All such orderings have the same ERR and the same RR, as they differ by exchanges with R_a = R_b.

Line 1: the two terms of ERR are P (R_a/k + (1 - R_a) R_b/(k+1)) before and P (R_b/k + (1 - R_b) R_a/(k+1)) after, the
products R_a R_b cancel, and nothing after k + 1 changes because (1 - R_a)(1 - R_b) does not.

Any non-increasing c can replace 1/i (variant-any-discount). Between two orderings of which neither is perfect the
inequality fails (variant-any-pair).

How it is checked. Labels 0..4 in every order; relevances in fourths, including 0 and 1 (variant-any-relevance).
Integers over the common denominators. The predictions yhat do not matter and are listed as 0.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import permutations

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import at, discount_difference, reciprocal, steps
from proofs_check.engine.exact import (
    by_document,
    err,
    err_at,
    err_error,
    exchanged,
    ideal,
    looks,
    relevance_gain,
    stops,
    stops_by_relevance,
    unit,
)
from proofs_check.engine.instances import Rankings, grade_vectors, in_order_of_pi
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle

FOURTHS = 4


def pairs_of_orders(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield all labels in the order of pi, and any ordering in place of g."""
    y = grade_vectors(n, max_grade)
    for position in permutations(range(1, n + 1)):
        yield Rankings(y, np.zeros_like(y), np.broadcast_to(np.array(position), y.shape), max_grade)


# ---- the statement ----


def err_below_rr(r: Rankings) -> Comparison:
    return Comparison(err_error(r.y, r.scale), rr_error(r), unit=unit(r.n, r.scale))


def not_negative(r: Rankings) -> Comparison:
    return Comparison(np.zeros_like(r.y[:, 0]), err_error(r.y, r.scale), unit=unit(r.n, r.scale))


def rr_error(r: Rankings) -> np.ndarray:
    """Compute sum_i (1/g_i - 1/pi_i) R(y_i), times `unit`, (m,)."""
    c = reciprocal(r.n)
    return r.scale ** (r.n - 1) * (discount_difference(c, r) * relevance_gain(r.y)).sum(axis=1)


# ---- the proof ----


def step1(r: Rankings) -> Iterator[Comparison]:
    """Exchange positions k and k + 1."""
    gain, c, p = relevance_gain(r.y), reciprocal(r.n), looks(r.y, r.scale)
    for k in range(r.n - 1):
        raised = (gain[:, k + 1] - gain[:, k]) * (c[k] - c[k + 1])
        yield Comparison(
            err(exchanged(r.y, k), r.scale) - err(r.y, r.scale), raised * p[:, k], "==", unit=unit(r.n, r.scale)
        )


def step2(r: Rankings) -> Iterator[Comparison]:
    """Bound an exchange that puts the more relevant document first, from both sides."""
    gain, c = relevance_gain(r.y), reciprocal(r.n)
    for k in range(r.n - 1):
        ascending = gain[:, k] < gain[:, k + 1]
        err_raised = err(exchanged(r.y, k), r.scale) - err(r.y, r.scale)
        rr_raised = (gain[:, k + 1] - gain[:, k]) * (c[k] - c[k + 1]) * r.scale ** (r.n - 1)
        yield Comparison(err_raised, rr_raised, unit=unit(r.n, r.scale)).keep_only(ascending)
        yield Comparison(np.zeros_like(err_raised), err_raised, unit=unit(r.n, r.scale)).keep_only(ascending)


def step3(r: Rankings) -> Comparison:
    """Add up the exchanges of bubble sort, which only uses ascending neighbours and ends at ERR_g."""
    y, raised = r.y, np.zeros_like(r.y[:, 0])
    for last in range(r.n - 1, 0, -1):
        for k in range(last):
            after = np.where(y[:, k : k + 1] < y[:, k + 1 : k + 2], exchanged(y, k), y)
            y, raised = after, raised + err(after, r.scale) - err(y, r.scale)
    return Comparison(raised, err_error(r.y, r.scale), "==", unit=unit(r.n, r.scale))


# ---- other premises ----


def any_relevance(r: Rankings) -> Comparison:
    """Check the statement with R = y/4 for the "labels" 0..4: relevances in fourths, including 0 and 1."""
    c = reciprocal(r.n)
    left = (c * (stops_by_relevance(ideal(r.y), FOURTHS) - stops_by_relevance(r.y, FOURTHS))).sum(axis=1)
    right = FOURTHS ** (r.n - 1) * (discount_difference(c, r) * r.y).sum(axis=1)
    return Comparison(left, right, unit=FOURTHS**r.n * int(c[0]))


def any_discount(r: Rankings) -> Iterator[Comparison]:
    """Replace 1/i by c: both sides are linear in c, so the step discounts settle every admissible c."""
    perfect = by_document(stops, r.y, r.g, r.scale)
    for c in steps(r.n).astype(r.y.dtype):
        left = (at(c, r.g) * perfect - c * stops(r.y, r.scale)).sum(axis=1)
        right = r.scale ** (r.n - 1) * (discount_difference(c, r) * relevance_gain(r.y)).sum(axis=1)
        yield Comparison(left, right, unit=r.scale**r.n, label=f"c={tuple(c.tolist())}")


def any_pair(r: Rankings) -> Comparison:
    """Check any ordering in place of g."""
    return Comparison(err_at(r.y, r.g, r.scale) - err(r.y, r.scale), rr_error(r), unit=unit(r.n, r.scale))


over_orders = partial(settle, instances=in_order_of_pi)
PROOF = "docs/prove/bounds.md, ERR below reciprocal-rank DCG"

ROWS = table("new.err_below_rr_dcg", "new",
    Line("", "ERR_g - ERR_pi <= sum (1/g_i - 1/pi_i) R(y_i)", "", over_orders(err_below_rr)),
    Line("step1", "exchanging neighbours k, k+1 raises ERR by (1/k - 1/(k+1)) (R_b - R_a) prod_{j<k} (1 - R_j)",
     "exchange", over_orders(step1)),
    Line("step2", "for R_a < R_b this is between 0 and (1/k - 1/(k+1)) (R_b - R_a)",
     "0 <= prod <= 1", over_orders(step2)),
    Line("step3", "the exchanges of bubble sort add up to ERR_g - ERR_pi", "sum", over_orders(step3)),
    Line("variant-not-negative", "0 <= ERR_g - ERR_pi", "left side", over_orders(not_negative)),
    Line("variant-any-relevance", "the statement for R in fourths, including 0 and 1",
     "any R in [0, 1]", over_orders(any_relevance, every_grade=False)),
    Line("variant-any-discount", "the statement with any non-increasing c >= 0 instead of 1/i",
     "any discount", over_orders(any_discount)),
    Line("variant-any-pair", "the statement with any ordering instead of g",
     "g need not be perfect", settle(any_pair, instances=pairs_of_orders, climbing=False)),
    source=OURS, proof=PROOF,
)  # fmt: skip

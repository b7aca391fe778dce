"""New: the ERR error is at most the error of a DCG with discount 1/i and gain R.

For documents of relevance R_i in [0, 1], g any ordering by non-increasing R, and pi any ordering,

    0 <= ERR_g - ERR_pi <= sum_i (1/g_i - 1/pi_i) R_i.

The right side is RR_g - RR_pi for RR_pi = sum_i R_i / pi_i: ERR without its stopping. So everything that
bounds the error of a DCG (McRank Lemma 1, Cossock and Zhang) bounds that of ERR, with c_i = 1/i and gain
(2^y - 1)/16, and the argument needs no C_pi of Mohan et al. and no F_i of COCR.

Proof, by exchanging neighbours:

    1  let a stand at position k of an ordering, b at k + 1. Exchanging them changes RR by
       (R_b - R_a) (1/k - 1/(k+1)), and ERR by that times P = prod_{j < k} (1 - R of the document at j)
    2  as 0 <= P <= 1, an exchange with R_a < R_b raises ERR by at least 0 and at most by what it raises RR
    3  from pi, bubble sort reaches an ordering by non-increasing R through such exchanges alone; sum them up.
       All such orderings have the same ERR and the same RR, as they differ by exchanges with R_a = R_b.

Line 1: the two terms of ERR are P (R_a/k + (1 - R_a) R_b/(k+1)) before and P (R_b/k + (1 - R_b) R_a/(k+1))
after, the products R_a R_b cancel, and nothing behind k + 1 changes because (1 - R_a)(1 - R_b) does not.

Any non-increasing c in the place of 1/i will do (variant-any-discount). Between two orderings of which
neither is perfect the inequality fails (variant-any-pair).

How it is checked. Labels 0..4 in every order; relevances in fourths, 0 and 1 included (variant-any-
relevance). Integers over the common denominators. The predictions yhat do not matter and are listed as 0.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations

import numpy as np

from proofs_check.cocr_theorem2 import by_document, stops, stops_by_relevance, unit
from proofs_check.exact import at, err_error, reciprocal, relevance_gain, steps
from proofs_check.instances import Rankings, grade_vectors, stable_g
from proofs_check.records import Comparison, Row
from proofs_check.search import settle

PAPER = "new"
FOURTHS = 4


def orders(n: int) -> Iterator[Rankings]:
    """All labels in the order of pi."""
    y = grade_vectors(n)
    yield Rankings(y, np.zeros_like(y), stable_g(y))


def pairs_of_orders(n: int) -> Iterator[Rankings]:
    """All labels in the order of pi, and any ordering in the place of g."""
    y = grade_vectors(n)
    for position in permutations(range(1, n + 1)):
        yield Rankings(y, np.zeros_like(y), np.broadcast_to(np.array(position), y.shape))


# ---- the statement ----


def err_below_rr(r: Rankings) -> Comparison:
    return Comparison(err_error(r.y), rr_error(r), unit=unit(r.n))


def not_negative(r: Rankings) -> Comparison:
    return Comparison(np.zeros_like(r.y[:, 0]), err_error(r.y), unit=unit(r.n))


def rr_error(r: Rankings) -> np.ndarray:
    """sum_i (1/g_i - 1/pi_i) R(y_i), times `unit`, (m,)."""
    c = reciprocal(r.n)
    return 16 ** (r.n - 1) * ((at(c, r.g) - c) * relevance_gain(r.y)).sum(axis=1)


# ---- the proof ----


def step1(r: Rankings) -> Iterator[Comparison]:
    """Exchange positions k and k + 1."""
    gain, c = relevance_gain(r.y), reciprocal(r.n)
    not_stopped = np.ones_like(gain[:, 0])  # prod_{j < k} (16 - gain_j), in units of 16^(1 - k)
    for k in range(r.n - 1):
        exchanged = r.y.copy()
        exchanged[:, [k, k + 1]] = r.y[:, [k + 1, k]]
        left = (c * (stops(exchanged) - stops(r.y))).sum(axis=1)
        raised = (gain[:, k + 1] - gain[:, k]) * (c[k] - c[k + 1])
        yield Comparison(left, raised * not_stopped * 16 ** (r.n - 1 - k), "==", unit=unit(r.n))
        not_stopped = not_stopped * (16 - gain[:, k])


def step2(r: Rankings) -> Iterator[Comparison]:
    """Both bounds of an exchange that puts the more relevant document first."""
    gain, c = relevance_gain(r.y), reciprocal(r.n)
    for k in range(r.n - 1):
        exchanged = r.y.copy()
        exchanged[:, [k, k + 1]] = r.y[:, [k + 1, k]]
        ascending = gain[:, k] < gain[:, k + 1]
        err_raised = np.where(ascending, (c * (stops(exchanged) - stops(r.y))).sum(axis=1), 0)
        rr_raised = (gain[:, k + 1] - gain[:, k]) * (c[k] - c[k + 1]) * 16 ** (r.n - 1)
        yield Comparison(err_raised, np.where(ascending, rr_raised, 0), unit=unit(r.n))
        yield Comparison(np.zeros_like(err_raised), err_raised, unit=unit(r.n))


def step3(r: Rankings) -> Comparison:
    """Bubble sort, exchange by exchange: it only uses ascending neighbours and ends at ERR_g."""
    y, c = r.y.copy(), reciprocal(r.n)
    raised = np.zeros_like(y[:, 0])
    for last in range(r.n - 1, 0, -1):
        for k in range(last):
            before = (c * stops(y)).sum(axis=1)
            pair = y[:, [k, k + 1]]
            y[:, [k, k + 1]] = np.where(pair[:, :1] < pair[:, 1:], pair[:, ::-1], pair)
            raised = raised + (c * stops(y)).sum(axis=1) - before
    return Comparison(raised, err_error(r.y), "==", unit=unit(r.n))


# ---- other premises ----


def any_relevance(r: Rankings) -> Comparison:
    """The statement with R = y/4 for the "labels" 0..4: relevances in fourths, 0 and 1 included."""
    c = reciprocal(r.n)
    ideal = -np.sort(-r.y, axis=1)
    left = (c * (stops_by_relevance(ideal, FOURTHS) - stops_by_relevance(r.y, FOURTHS))).sum(axis=1)
    right = FOURTHS ** (r.n - 1) * ((at(c, r.g) - c) * r.y).sum(axis=1)
    return Comparison(left, right, unit=FOURTHS**r.n * int(c[0]))


def any_discount(r: Rankings) -> Iterator[Comparison]:
    """1/i replaced by c: both sides are linear in c, so the step discounts settle every lawful c."""
    perfect = by_document(stops, r.y, r.g)
    for c in steps(r.n).astype(r.y.dtype):
        left = (at(c, r.g) * perfect - c * stops(r.y)).sum(axis=1)
        right = 16 ** (r.n - 1) * ((at(c, r.g) - c) * relevance_gain(r.y)).sum(axis=1)
        yield Comparison(left, right, unit=16**r.n, label=f"c={tuple(c.tolist())}")


def any_pair(r: Rankings) -> Comparison:
    """Any ordering in the place of g."""
    c = reciprocal(r.n)
    left = (at(c, r.g) * by_document(stops, r.y, r.g) - c * stops(r.y)).sum(axis=1)
    return Comparison(left, rr_error(r), unit=unit(r.n))


over_orders: Callable = partial(settle, instances=orders)
PROOF = "docs/bounds.md, ERR below reciprocal-rank DCG"

ROWS = [
    Row("new.err_below_rr_dcg", PAPER, "ERR_g - ERR_pi <= sum (1/g_i - 1/pi_i) R(y_i)", "",
        over_orders(err_below_rr), PROOF),
    Row("new.err_below_rr_dcg.step1", PAPER, "exchanging neighbours k, k+1 raises ERR by "
        "(1/k - 1/(k+1)) (R_b - R_a) prod_{j<k} (1 - R_j)", "exchange", over_orders(step1), PROOF),
    Row("new.err_below_rr_dcg.step2", PAPER, "for R_a < R_b that is between 0 and "
        "(1/k - 1/(k+1)) (R_b - R_a)",         "0 <= prod <= 1", over_orders(step2), PROOF),
    Row("new.err_below_rr_dcg.step3", PAPER, "the exchanges of bubble sort add up to ERR_g - ERR_pi", "sum",
        over_orders(step3), PROOF),
    Row("new.err_below_rr_dcg.variant-not-negative", PAPER, "0 <= ERR_g - ERR_pi", "left side",
        over_orders(not_negative), PROOF),
    Row("new.err_below_rr_dcg.variant-any-relevance", PAPER, "the same for R in fourths, 0 and 1 included",
        "any R in [0, 1]", over_orders(any_relevance), PROOF),
    Row("new.err_below_rr_dcg.variant-any-discount", PAPER,
        "the same with any non-increasing c >= 0 for 1/i", "any discount", over_orders(any_discount), PROOF),
    Row("new.err_below_rr_dcg.variant-any-pair", PAPER, "the same with any ordering for g",
        "g need not be perfect", settle(any_pair, instances=pairs_of_orders, climb=False)),
]  # fmt: skip

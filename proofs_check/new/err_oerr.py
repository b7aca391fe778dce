"""New: the ERR error is bounded by the root of COCR's oERR cost (Eq. 13), without optimism.

Documents 1..n have labels y_i in 0..4, pi orders them by yhat, g by y, with ties in any order. Then

    ERR_g - ERR_pi <= (K_n / 16) (sum_i (2^y_i - 2^yhat_i)^2)^(1/2),
    K_n^2 = max_tau sum_i (1/i - 1/tau_i)^2 = 2 sum_i 1/i^2 - 4 H_n / (n + 1),   H_n = 1 + 1/2 + ... + 1/n,

tau any permutation. K_2 = 0.707, K_5 = 1.185, K_10 = 1.426; K_n rises to pi/sqrt(3) = 1.814.

Proof:

    1  ERR_g - ERR_pi <= sum (1/g_i - 1/pi_i) R(y_i)                               new.err_below_rr_dcg
    2  0 <= sum (1/pi_i - 1/g_i) R(yhat_i)                                         rearrangement
    3  ERR_g - ERR_pi <= (1/16) sum (1/g_i - 1/pi_i) (2^y_i - 2^yhat_i)            1, 2
    4  ... <= (1/16) (sum (1/g_i - 1/pi_i)^2)^(1/2) (sum (2^y_i - 2^yhat_i)^2)^(1/2)   Cauchy-Schwarz
    5  sum (1/g_i - 1/pi_i)^2 <= K_n^2, attained by the reversal                   rearrangement

In COCR, Theorem 2 leaves the stopping probabilities F_i on the right, and Sec. 4.3 removes them by assuming a strong
ranker; they do not appear here. With 15 sqrt(errors) instead of the costs, as in Mohan et al., Theorem 1, the bound is
true and vacuous (variant-errors).

Line 2 only requires that pi sort by yhat. So any real numbers that sort the documents can replace 2^yhat_i, in or out
of range (variant-real-valued). As sum (1/g_i - 1/pi_i) = 0, the mean of the differences can be subtracted
(variant-centred), and then the bound is attained at n = 2.

How it is checked. Integers: both sides are squared and brought to the unit of ERR; K_n^2 is exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from itertools import count, permutations
from math import log, sqrt

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import at, discount_difference, reciprocal
from proofs_check.engine.exact import err_error, gain_difference, relevance_gain, unit
from proofs_check.engine.instances import Cases, Rankings, batch, grade_vectors, sorted_grades, stable_g
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle, settle_cases, settle_tied
from proofs_check.new.err_below_rr_dcg import rr_error
from proofs_check.new.min_pairing import pairing

# predicted 2^yhat, in halves: between, at and beyond those of the grades
HALVES = (96, 64, 32, 17, 10, 5, 3, 2, 1, 0, -8)


def pairing_squared(n: int) -> int:
    """Compute K_n^2 times lcm(1..n)^2."""
    return int(pairing(reciprocal(n)))


# ---- the statement ----


def err_oerr(r: Rankings) -> Comparison:
    return below_root_of((gain_difference(r) ** 2).sum(axis=1), r)


def below_root_of(costs: np.ndarray, r: Rankings, parts: int = 1, p: int = 1, q: int = 1) -> Comparison:
    """Claim p (ERR_g - ERR_pi)^2 <= q (K_n/2^K)^2 costs/parts, in Python integers, as they exceed int64.

    Parameters
    ----------
    costs : integer array of shape (m,)
        Sum of the costs of each instance, in units of 1/parts.
    r : Rankings
        The instances.
    parts, p, q : int, default 1
        The constants.
    """
    left = p * parts**2 * err_error(r.y, r.scale).astype(object) ** 2
    right = q * parts * pairing_squared(r.n) * r.scale ** (2 * r.n - 2) * costs.astype(object)
    return Comparison(left, right, squared=True, unit=parts * unit(r.n, r.scale))


# ---- the proof ----


def step1(r: Rankings) -> Comparison:
    return Comparison(err_error(r.y, r.scale), rr_error(r), unit=unit(r.n, r.scale))


def step2(r: Rankings) -> Comparison:
    right = (-discount_difference(reciprocal(r.n), r) * relevance_gain(r.y_hat)).sum(axis=1)
    return Comparison(np.zeros_like(right), right)


def step3(r: Rankings) -> Comparison:
    return Comparison(err_error(r.y, r.scale), r.scale ** (r.n - 1) * inner_product(r), unit=unit(r.n, r.scale))


def step4(r: Rankings) -> Comparison:
    c, inner = reciprocal(r.n), inner_product(r)
    squares = (discount_difference(c, r) ** 2).sum(axis=1) * (gain_difference(r) ** 2).sum(axis=1)
    return Comparison(inner * abs(inner), squares, squared=True)


def permutations_of(n: int) -> Iterator[Cases]:
    """Yield every tau."""
    yield Cases({"tau": 1 + np.array(list(permutations(range(n))))})


def step5(case: Cases) -> Comparison:
    tau = case.columns["tau"]
    c = reciprocal(tau.shape[1])
    left = ((c - at(c, tau)) ** 2).sum(axis=1)
    return Comparison(left, np.array(pairing_squared(len(c))), squared=True, unit=int(c[0]))


def reversal(case: Cases) -> Comparison:
    """Claim that line 5 is attained, by the closed form above: times lcm(1..n)^2 (n + 1)."""
    n = case.columns["tau"].shape[1]
    parts = int(reciprocal(n)[0])
    squares = sum(Fraction(1, i * i) for i in range(1, n + 1))
    closed = 2 * squares - 4 * sum(Fraction(1, i) for i in range(1, n + 1)) / (n + 1)
    left = (n + 1) * np.array([pairing_squared(n)], dtype=object)
    return Comparison(left, np.array([(n + 1) * closed * parts**2], dtype=object), "==")


def inner_product(r: Rankings) -> np.ndarray:
    """Compute sum (1/g_i - 1/pi_i) (2^y_i - 2^yhat_i), times lcm(1..n), (m,)."""
    return (discount_difference(reciprocal(r.n), r) * gain_difference(r)).sum(axis=1)


# ---- sharper, wider, and the form of Mohan et al. ----


def centred(r: Rankings) -> Comparison:
    """Claim the bound with sum d^2 - (sum d)^2 / n instead of sum d^2."""
    d = gain_difference(r)
    spread = r.n * (d**2).sum(axis=1) - d.sum(axis=1) ** 2
    return below_root_of(spread, r, parts=r.n)


def real_valued(r: Rankings) -> Comparison:
    """Claim the bound; `y_hat` holds the predicted 2^yhat in halves (instances: `real_predictions`)."""
    halves = 2 * (relevance_gain(r.y) + 1) - r.y_hat
    return below_root_of((halves**2).sum(axis=1), r, parts=4)


def real_predictions(n: int) -> Iterator[Rankings]:
    """Yield all labels along pi, and all non-increasing predictions out of HALVES."""
    y = grade_vectors(n)
    for values in sorted_grades(n, HALVES):
        yield Rankings(y, np.broadcast_to(values, y.shape), stable_g(y))


def errors_only(r: Rankings) -> Comparison:
    """Claim the bound with (15 K_n / 16) sqrt(errors)."""
    return below_root_of((r.scale - 1) ** 2 * r.errors.astype(object), r)


def errors_say_nothing(max_grade: int) -> bool:
    """Return whether the right side with one error, R K_n, R = (2^K - 1)/2^K, exceeds every ERR error of n >= 2 labels.

    K_n rises with n, and from some n on R K_n exceeds every ERR, sum_i R (1 - R)^(i-1) / i = R/(1-R) log(1/R).
    Below it, labels 0 and K make the largest error: ERR_g is the largest ERR of all orders, and an ERR is linear in the
    relevance of each document, so the error is convex in it.
    """
    best = 1 - 0.5**max_grade
    for n in count(2):
        right = best * sqrt(pairing_squared(n)) / int(reciprocal(n)[0])
        if right > best / (1 - best) * log(1 / best):
            return True
        y = max_grade * grade_vectors(n, 1)
        largest = err_error(batch(y, 0 * y, max_grade=max_grade).y, 2**max_grade).max()
        if right <= int(largest) / unit(n, 2**max_grade):
            return False
    raise AssertionError("K_n rises beyond every ERR")


PROOF = "docs/prove/bounds.md, ERR below the root of oERR"

ROWS = table("new.err_oerr", "new",
    Line("", "ERR_g - ERR_pi <= (K_n/16) (sum (2^y - 2^yhat)^2)^(1/2), K_n^2 = 2 sum 1/i^2 - 4 H_n/(n+1)",
     "", settle(err_oerr)),
    Line("step1", "ERR_g - ERR_pi <= sum (1/g - 1/pi) R(y)", "new.err_below_rr_dcg", settle(step1)),
    Line("step2", "0 <= sum (1/pi - 1/g) R(yhat)", "rearrangement", settle_tied(step2)),
    Line("step3", "ERR_g - ERR_pi <= (1/16) sum (1/g - 1/pi) (2^y - 2^yhat)", "1, 2", settle_tied(step3)),
    Line("step4", "sum (1/g - 1/pi) (2^y - 2^yhat) <= (sum (1/g - 1/pi)^2)^(1/2) (sum (2^y - 2^yhat)^2)^(1/2)",
     "Cauchy-Schwarz", settle_tied(step4)),
    Line("step5", "sum (1/i - 1/tau_i)^2 <= K_n^2 for every permutation tau",
     "pairing", settle_cases(step5, permutations_of, 8)),
    Line("variant-reversal", "tau = reversal gives K_n^2 = 2 sum 1/i^2 - 4 H_n/(n+1)",
     "attained", settle_cases(reversal, permutations_of, 8)),
    Line("variant-centred", "ERR_g - ERR_pi <= (K_n/16) (sum d^2 - (sum d)^2/n)^(1/2), d = 2^y - 2^yhat",
     "sharper", settle(centred)),
    Line("variant-real-valued", "the same bound with any real v_i that sort the documents instead of 2^yhat_i",
     "wider", settle_cases(real_valued, real_predictions, 4)),
    Line("variant-errors", "ERR_g - ERR_pi <= (15 K_n/16) errors^(1/2)",
     "the form of Mohan et al.", settle(errors_only, vacuous=errors_say_nothing)),
    source=OURS, proof=PROOF,
)  # fmt: skip

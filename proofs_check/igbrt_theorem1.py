"""Mohan et al., Theorem 1 (Sec. 6, App. A): the ERR error is bounded by the root of the classification error.

As printed. Labels y_i and predictions yhat_i in {0..4}; pi ranks by yhat, ties in any order; g is a
perfect ranker (by y, ties in any order); R(y) = (2^y - 1)/16; C_pi(i) = (1/i) prod_{j<i} (1 - R(y at
position j of pi)); then

    ERR_g - ERR_pi <= 15 pi / (16 sqrt(6)) (sum_i 1[y_i != yhat_i])^(1/2).

The proof, line by line, with D_i = C_pi(pi_i) - C_g(g_i) and E_i = 2^y_i - 2^yhat_i:

    1   ERR_pi = sum C_pi(pi_i) (2^yhat_i - 1)/16 + sum C_pi(pi_i) E_i/16                       Eq. 6
    2   sum C_pi(pi_i) (2^yhat_i - 1)/16 >= sum C_g(g_i) (2^yhat_i - 1)/16                      Eq. 7
    3   ERR_pi >= sum C_g(g_i) (2^yhat_i - 1)/16 + sum C_pi(pi_i) E_i/16                        6 and 7
    4   sum C_g(g_i) (2^yhat_i - 1) = sum C_g(g_i) (2^y_i - 1) - sum C_g(g_i) E_i
    5   ERR_pi >= ERR_g + sum D_i E_i/16
    6   ERR_g - ERR_pi <= (1/16) sum D_i E_i                                                    "Consequently"
    7   ERR_g - ERR_pi <= (1/16) (sum D_i^2)^(1/2) (sum E_i^2)^(1/2)                            Cauchy-Schwarz
    8   sum D_i^2 <= sum 1/i^2
    9   sum 1/i^2 <= pi^2/6
    10  (sum D_i^2)^(1/2) (sum E_i^2)^(1/2) <= (pi/sqrt(6)) 15 errors^(1/2)                     last line

Where it slips. Eq. 7 is true, but not by the inequality it cites, which permutes one sequence: C_pi and
C_g are two (variant-rearrangement), since each multiplies up the labels in its own order. It follows by
adjacent swaps (variant-swap). "Consequently" prints D with the wrong sign. Line 8 drops half of (a - b)^2
<= a^2 + b^2: twice the sum is what holds and what large n comes arbitrarily close to, so sqrt(6) in the
last line should be sqrt(3). The theorem is true all the same, and for a reason that has nothing to do
with its proof: its right side exceeds 1 from the first error on, and no ERR exceeds 1.

What mends it: `igbrt_theorem1_mended`.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import pi, sqrt

import numpy as np

from proofs_check.exact import err, err_error, err_unit, relevance_gain, stopping, stopping_of_document
from proofs_check.instances import Rankings, with_ties
from proofs_check.mcrank_lemma1 import gain_difference
from proofs_check.records import Comparison, Row
from proofs_check.search import settle

PAPER = "iGBRT"
ZETA_2 = 16449340668482264  # pi^2/6 in units of 10^-16, rounded down: what holds for it holds for pi^2/6


# ---- the theorem ----


def theorem1(r: Rankings) -> Comparison:
    """Both sides squared, in units of (16 err_unit)^2."""
    unit = err_unit(r.n)
    allowed = [225 * errors * unit**2 * ZETA_2 // 10**16 for errors in range(r.n + 1)]
    return Comparison(err_error(r.y) ** 2, lookup(allowed, r), squared=True, unit=16 * unit, floored=True)


def says_nothing(six: int) -> bool:
    """Whether 15 pi/(16 sqrt(six)), the right side with one error, exceeds every ERR error.

    The stops are disjoint events, so ERR = sum P(stop at i)/i <= 1 and no error exceeds 1, whatever n is.
    """
    return 15 * pi / (16 * sqrt(six)) > 1


def lookup(allowed: list[int], r: Rankings) -> np.ndarray:
    """allowed[number of errors], (m,)."""
    return np.array(allowed, dtype=r.y.dtype)[r.errors.astype(int)]


# ---- the printed proof; sums are in units of 16 err_unit, squares of D in units of err_unit^2 ----


def step1(r: Rankings) -> Iterator[Comparison]:
    c = stopping(r.y)
    split = (c * relevance_gain(r.y_hat)).sum(axis=1) + (c * gain_difference(r)).sum(axis=1)
    yield Comparison(err(r.y), split, "==", unit=16 * err_unit(r.n))
    c_g = stopping_of_document(r.y, r.g)  # Eq. 4: by place and by document
    yield Comparison((c_g * relevance_gain(r.y)).sum(axis=1), err(-np.sort(-r.y, axis=1)), "==")


def step2(r: Rankings) -> Comparison:
    predicted = relevance_gain(r.y_hat)
    by_g = (stopping_of_document(r.y, r.g) * predicted).sum(axis=1)
    return Comparison(by_g, (stopping(r.y) * predicted).sum(axis=1), unit=16 * err_unit(r.n))


def step3(r: Rankings) -> Comparison:
    right = stopping_of_document(r.y, r.g) * relevance_gain(r.y_hat) + stopping(r.y) * gain_difference(r)
    return Comparison(right.sum(axis=1), err(r.y), unit=16 * err_unit(r.n))


def step4(r: Rankings) -> Comparison:
    c_g = stopping_of_document(r.y, r.g)
    right = (c_g * relevance_gain(r.y)).sum(axis=1) - (c_g * gain_difference(r)).sum(axis=1)
    return Comparison((c_g * relevance_gain(r.y_hat)).sum(axis=1), right, "==")


def step5(r: Rankings) -> Comparison:
    ideal = err(-np.sort(-r.y, axis=1))
    return Comparison(ideal + (d(r) * gain_difference(r)).sum(axis=1), err(r.y), unit=16 * err_unit(r.n))


def step6(r: Rankings) -> Comparison:
    return Comparison(err_error(r.y), (d(r) * gain_difference(r)).sum(axis=1), unit=16 * err_unit(r.n))


def step7(r: Rankings) -> Comparison:
    squares = unsigned((d(r) ** 2).sum(axis=1)) * unsigned((gain_difference(r) ** 2).sum(axis=1))
    return Comparison(unsigned(err_error(r.y) ** 2), squares, squared=True, unit=16 * err_unit(r.n))


def step8(r: Rankings) -> Comparison:
    return Comparison((d(r) ** 2).sum(axis=1), sum_of_squares(r), squared=True, unit=err_unit(r.n))


def step9(r: Rankings) -> Comparison:
    right = np.array(err_unit(r.n) ** 2 * ZETA_2 // 10**16, dtype=r.y.dtype)
    return Comparison(sum_of_squares(r)[:1], right, squared=True, unit=err_unit(r.n))


def step10(r: Rankings) -> Comparison:
    allowed = [225 * errors * err_unit(r.n) ** 2 * ZETA_2 // 10**16 for errors in range(r.n + 1)]
    squares = unsigned((d(r) ** 2).sum(axis=1)) * unsigned((gain_difference(r) ** 2).sum(axis=1))
    return Comparison(
        squares, unsigned(lookup(allowed, r)), squared=True, unit=16 * err_unit(r.n), floored=True
    )


def d(r: Rankings) -> np.ndarray:
    """D_i = C_pi(pi_i) - C_g(g_i), times err_unit, (m, n)."""
    return stopping(r.y) - stopping_of_document(r.y, r.g)


def sum_of_squares(r: Rankings) -> np.ndarray:
    """Of 1/i, times err_unit^2, (m,)."""
    return np.full(r.m, sum((err_unit(r.n) // i) ** 2 for i in range(1, r.n + 1)), dtype=r.y.dtype)


def unsigned(squares: np.ndarray) -> np.ndarray:
    """Non-negative int64 as uint64.

    At n = 6 sum D^2 sum E^2 needs 64 bits: D^2 <= a^2 + b^2 gives sum D^2 <= 2 sum 1/i^2 err_unit^2 <
    1.19e16, and sum E^2 <=
    6 * 225, so the product stays below 1.6e19 < 2^64.
    """
    return squares if squares.dtype == object else squares.astype(np.uint64)


# ---- the table ----

ERRATA = "docs/errata.md, iGBRT Theorem 1"
ROWS = [
    Row("igbrt.theorem1", PAPER, "ERR_g - ERR_pi <= 15 pi/(16 sqrt 6) errors^(1/2)", "",
        settle(theorem1, vacuous=partial(says_nothing, 6)), ERRATA),
    Row("igbrt.theorem1.step1", PAPER, "ERR_pi = sum C_pi(pi_i)(2^yhat-1)/16 + sum C_pi(pi_i)(2^y-2^yhat)/16",
        "Eq. 6", settle(step1, instances=with_ties)),
    Row("igbrt.theorem1.step2", PAPER, "sum C_pi(pi_i)(2^yhat-1)/16 >= sum C_g(g_i)(2^yhat-1)/16",
        "Eq. 7", settle(step2, instances=with_ties), ERRATA),
    Row("igbrt.theorem1.step3", PAPER, "ERR_pi >= sum C_g(g_i)(2^yhat-1)/16 + sum C_pi(pi_i)(2^y-2^yhat)/16",
        "chain, line 1", settle(step3, instances=with_ties), ERRATA),
    Row("igbrt.theorem1.step4", PAPER,
        "sum C_g(g_i)(2^yhat-1) = sum C_g(g_i)(2^y-1) - sum C_g(g_i)(2^y-2^yhat)",
        "chain, line 2", settle(step4, instances=with_ties)),
    Row("igbrt.theorem1.step5", PAPER, "ERR_pi >= ERR_g + sum (C_pi(pi_i)-C_g(g_i))(2^y-2^yhat)/16",
        "chain, line 3", settle(step5, instances=with_ties), ERRATA),
    Row("igbrt.theorem1.step6", PAPER, "ERR_g - ERR_pi <= (1/16) sum (C_pi(pi_i)-C_g(g_i))(2^y-2^yhat)",
        "Consequently", settle(step6, instances=with_ties), ERRATA),
    Row("igbrt.theorem1.step7", PAPER,
        "ERR_g - ERR_pi <= (1/16)(sum (C_pi-C_g)^2)^(1/2) (sum (2^y-2^yhat)^2)^(1/2)",
        "Cauchy-Schwarz", settle(step7, instances=with_ties), ERRATA),
    Row("igbrt.theorem1.step8", PAPER, "sum (C_pi(pi_i)-C_g(g_i))^2 <= sum 1/i^2", "the fact used",
        settle(step8, instances=with_ties), ERRATA),
    Row("igbrt.theorem1.step9", PAPER, "sum 1/i^2 <= pi^2/6", "the fact used", settle(step9)),
    Row("igbrt.theorem1.step10", PAPER,
        "(sum (C_pi-C_g)^2 sum (2^y-2^yhat)^2)^(1/2) <= (15 pi/sqrt 6) errors^(1/2)",
        "final constant", settle(step10, instances=with_ties), ERRATA),
]  # fmt: skip

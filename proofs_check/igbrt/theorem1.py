"""Mohan et al., Theorem 1 (Sec. 6, App. A): the ERR error is bounded by the root of the classification error.

As printed. Labels y_i and predictions yhat_i in {0..4}; pi ranks by yhat, with ties in any order; g is a perfect ranker
(by y, with ties in any order); R(y) = (2^y - 1)/16; C_pi(i) = (1/i) prod_{j<i} (1 - R(y at position j of pi)); then

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

The slips. Eq. 7 is true, but not by the inequality that it cites, which permutes one sequence: C_pi and C_g are two
sequences, since each multiplies the labels in its own order (variant-rearrangement). Eq. 7 follows by adjacent swaps
(variant-swap). "Consequently" prints D with the wrong sign. Line 8 drops half of (a - b)^2 <= a^2 + b^2: the true bound
is twice the sum, and large n come arbitrarily close to it, so sqrt(6) in the last line should be sqrt(3). The theorem
is true nevertheless, for a reason unrelated to its proof: its right side exceeds 1 from the first error
on, and no ERR exceeds 1.

`theorem1_mended` has the repairs.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from math import log, pi, sqrt

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact import (
    by_document,
    discounted_looks,
    err,
    err_error,
    err_unit,
    gain_difference,
    ideal,
    relevance_gain,
    unit,
)
from proofs_check.engine.instances import Rankings
from proofs_check.engine.records import Line, table
from proofs_check.engine.search import settle, settle_tied

ZETA_2 = 16449340668482264  # pi^2/6 in units of 10^-16, rounded down: a bound by it is a bound by pi^2/6


# ---- the theorem ----


def theorem1(r: Rankings) -> Comparison:
    """Compare both sides, squared, in units of unit(n)^2."""
    return Comparison(
        err_error(r.y, r.scale) ** 2,
        zeta_bound(r, (r.scale - 1) ** 2),
        squared=True,
        unit=unit(r.n, r.scale),
        floored=True,
    )


def zeta_bound(r: Rankings, times: int) -> np.ndarray:
    """Compute times errors pi^2/6 err_unit^2, rounded down, (m,)."""
    return lookup([times * errors * err_unit(r.n, r.scale) ** 2 * ZETA_2 // 10**16 for errors in range(r.n + 1)], r)


def says_nothing(six: int, max_grade: int) -> bool:
    """Return whether the right side with one error, R pi/sqrt(six), exceeds every ERR, R = (2^K - 1)/2^K.

    No ERR exceeds that of infinitely many documents of grade K, sum_i R (1 - R)^(i-1) / i = R/(1 - R) log(1/R).
    For K = 1 and six = 6 it is larger: log 2 = .69 against .64.
    """
    best = 1 - 0.5**max_grade
    return best * pi / sqrt(six) > best / (1 - best) * log(1 / best)


def lookup(allowed: list[int], r: Rankings) -> np.ndarray:
    """Look up allowed[number of errors], (m,)."""
    return np.array(allowed, dtype=r.y.dtype)[r.errors.astype(int)]


# ---- the printed proof; sums in units of unit(n), squares of D in units of err_unit^2 ----


def step1(r: Rankings) -> Iterator[Comparison]:
    # iGBRT Eq. 6
    c = discounted_looks(r.y, r.scale)
    split = (c * relevance_gain(r.y_hat)).sum(axis=1) + (c * gain_difference(r)).sum(axis=1)
    yield Comparison(err(r.y, r.scale), split, "==", unit=unit(r.n, r.scale))
    c_g = looks_along_g(r)  # Eq. 4: by position and by document
    yield Comparison((c_g * relevance_gain(r.y)).sum(axis=1), err(ideal(r.y), r.scale), "==")


def step2(r: Rankings) -> Comparison:
    # iGBRT Eq. 7
    predicted = relevance_gain(r.y_hat)
    by_g = (looks_along_g(r) * predicted).sum(axis=1)
    return Comparison(by_g, (discounted_looks(r.y, r.scale) * predicted).sum(axis=1), unit=unit(r.n, r.scale))


def step3(r: Rankings) -> Comparison:
    right = looks_along_g(r) * relevance_gain(r.y_hat) + discounted_looks(r.y, r.scale) * gain_difference(r)
    return Comparison(right.sum(axis=1), err(r.y, r.scale), unit=unit(r.n, r.scale))


def step4(r: Rankings) -> Comparison:
    c_g = looks_along_g(r)
    right = (c_g * relevance_gain(r.y)).sum(axis=1) - (c_g * gain_difference(r)).sum(axis=1)
    return Comparison((c_g * relevance_gain(r.y_hat)).sum(axis=1), right, "==")


def step5(r: Rankings) -> Comparison:
    right = err(ideal(r.y), r.scale) + (d(r) * gain_difference(r)).sum(axis=1)
    return Comparison(right, err(r.y, r.scale), unit=unit(r.n, r.scale))


def step6(r: Rankings) -> Comparison:
    return Comparison(err_error(r.y, r.scale), (d(r) * gain_difference(r)).sum(axis=1), unit=unit(r.n, r.scale))


def step7(r: Rankings) -> Comparison:
    return Comparison(
        unsigned(err_error(r.y, r.scale) ** 2), product_of_squares(r), squared=True, unit=unit(r.n, r.scale)
    )


def step8(r: Rankings) -> Comparison:
    return Comparison((d(r) ** 2).sum(axis=1), sum_of_squares(r), squared=True, unit=err_unit(r.n, r.scale))


def step9(r: Rankings) -> Comparison:
    right = np.array(err_unit(r.n, r.scale) ** 2 * ZETA_2 // 10**16, dtype=r.y.dtype)
    return Comparison(sum_of_squares(r)[:1], right, squared=True, unit=err_unit(r.n, r.scale))


def step10(r: Rankings) -> Comparison:
    right = unsigned(zeta_bound(r, (r.scale - 1) ** 2))
    return Comparison(product_of_squares(r), right, squared=True, unit=unit(r.n, r.scale), floored=True)


def d(r: Rankings) -> np.ndarray:
    """Compute D_i = C_pi(pi_i) - C_g(g_i), times err_unit, (m, n)."""
    return discounted_looks(r.y, r.scale) - looks_along_g(r)


def looks_along_g(r: Rankings) -> np.ndarray:
    """Compute C_g(g_i), times err_unit, (m, n)."""
    return by_document(discounted_looks, r.y, r.g, r.scale)


def product_of_squares(r: Rankings) -> np.ndarray:
    """Compute sum D_i^2 sum E_i^2, times err_unit^2, (m,)."""
    return unsigned((d(r) ** 2).sum(axis=1)) * unsigned((gain_difference(r) ** 2).sum(axis=1))


def sum_of_squares(r: Rankings) -> np.ndarray:
    """Compute sum 1/i^2, times err_unit^2, (m,)."""
    return np.full(r.m, sum((err_unit(r.n, r.scale) // i) ** 2 for i in range(1, r.n + 1)), dtype=r.y.dtype)


def unsigned(squares: np.ndarray) -> np.ndarray:
    """Convert non-negative int64 to uint64.

    At n = 6, sum D^2 sum E^2 needs 64 bits: D^2 <= a^2 + b^2 gives sum D^2 <= 2 sum 1/i^2 err_unit^2 < 1.19e16, and
    sum E^2 <= 6 * 225, so the product stays below 1.6e19 < 2^64.
    """
    return squares if squares.dtype == object else squares.astype(np.uint64)


# ---- the table ----

ERRATA = "docs/reference/errata.md, iGBRT Theorem 1"
LAST = 'App. A: "where we use the fact that sum (C_pi(pi_i) - C_g(g_i))^2 <= sum 1/i^2 <= pi^2/6, and 2^4 - 2^0 = 15"'
ROWS = table("igbrt.theorem1", "iGBRT",
    Line("", "ERR_g - ERR_pi <= 15 pi/(16 sqrt 6) errors^(1/2)", "", settle(theorem1, vacuous=partial(says_nothing, 6)),
     where='App. A: "Theorem 1 states that the ERR error can be bounded by the classification error of the documents"'),
    Line("step1", "ERR_pi = sum C_pi(pi_i)(2^yhat-1)/16 + sum C_pi(pi_i)(2^y-2^yhat)/16", "Eq. 6", settle_tied(step1),
     where='App. A, Eq. 6: "By the definition of ERR we have"'),
    Line("step2", "sum C_pi(pi_i)(2^yhat-1)/16 >= sum C_g(g_i)(2^yhat-1)/16", "Eq. 7", settle_tied(step2),
     where='App. A, Eq. 7: "According to the rearrangement inequality"'),
    Line("step3", "ERR_pi >= sum C_g(g_i)(2^yhat-1)/16 + sum C_pi(pi_i)(2^y-2^yhat)/16",
     "chain, line 1", settle_tied(step3), where='App. A: "Combining (6) and (7) leads to", line 1'),
    Line("step4", "sum C_g(g_i)(2^yhat-1) = sum C_g(g_i)(2^y-1) - sum C_g(g_i)(2^y-2^yhat)",
     "chain, line 2", settle_tied(step4), where='App. A: "Combining (6) and (7) leads to", line 2'),
    Line("step5", "ERR_pi >= ERR_g + sum (C_pi(pi_i)-C_g(g_i))(2^y-2^yhat)/16",
     "chain, line 3", settle_tied(step5), where='App. A: "Combining (6) and (7) leads to", line 3'),
    Line("step6", "ERR_g - ERR_pi <= (1/16) sum (C_pi(pi_i)-C_g(g_i))(2^y-2^yhat)",
     "Consequently", settle_tied(step6), where='App. A: "Consequently we obtain"'),
    Line("step7", "ERR_g - ERR_pi <= (1/16)(sum (C_pi-C_g)^2)^(1/2) (sum (2^y-2^yhat)^2)^(1/2)",
     "Cauchy-Schwarz", settle_tied(step7), where='App. A: "Applying Cauchy-Schwarz inequality leads to", line 1'),
    Line("step8", "sum (C_pi(pi_i)-C_g(g_i))^2 <= sum 1/i^2", "the fact used", settle_tied(step8), where=LAST),
    Line("step9", "sum 1/i^2 <= pi^2/6", "the fact used", settle(step9), where=LAST),
    Line("step10", "(sum (C_pi-C_g)^2 sum (2^y-2^yhat)^2)^(1/2) <= (15 pi/sqrt 6) errors^(1/2)",
     "final constant", settle_tied(step10), where='App. A: "Applying Cauchy-Schwarz inequality leads to", line 2'),
    proof=ERRATA,
)  # fmt: skip

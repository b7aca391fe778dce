"""McRank, Lemma 1 (Eq. 4): the DCG error is bounded by the root of the classification error.

As printed. Documents 1..n have labels y_i in {0..4}; a classifier assigns yhat_i in {0..4}; pi ranks by yhat, with
ties in any order; g ranks by y, with ties in any order; c_[i] is a non-increasing function of i. Then

    DCG_g - DCG_pi <= 15 sqrt(2) (sum_i c_[i]^2 - n prod_i c_[i]^(2/n))^(1/2) (sum_i 1[y_i != yhat_i])^(1/2).

The proof, line by line:

    1  DCG_pi = sum c_[pi_i] (2^yhat_i - 1) + sum c_[pi_i] (2^y_i - 2^yhat_i)
    2  sum c_[pi_i] (2^yhat_i - 1) >= sum c_[g_i] (2^yhat_i - 1)                               rearrangement
    3  the right side then is DCG_g + sum (c_[pi_i] - c_[g_i]) (2^y_i - 2^yhat_i)
    4  DCG_g - DCG_pi <= sum (c_[g_i] - c_[pi_i]) (2^y_i - 2^yhat_i)                           1, 2, 3
    5  ... <= (sum (c_[g_i] - c_[pi_i])^2)^(1/2) (sum (2^y_i - 2^yhat_i)^2)^(1/2)              Cauchy-Schwarz
    6  sum (c_[g_i] - c_[pi_i])^2 <= 2 sum c_[i]^2 - 2 n prod c_[i]^(2/n)                      AM-GM
    7  sum (2^y_i - 2^yhat_i)^2 <= 15^2 sum 1[y_i != yhat_i]                                   2^4 - 2^0 = 15

The paper does not say that c must also be non-negative (variant-negative), as it is in Eq. 2.

How it is checked. Lines 1 to 4 are linear in c, so the n step discounts (1,..,1,0,..,0) settle them for every c, in
integers. Lines 5, 6 and the lemma are checked for these, for c_i = 1/i and for its truncations, all scaled to
integers; the root of the product is compared by an integer n-th root, so these checks are exact, too. c_i =
1/log(1+i) is irrational: it is checked in floats, with a slack.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from itertools import combinations_with_replacement
from math import prod

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import (
    at,
    discount_difference,
    integer_discounts,
    logarithmic,
    name,
    steps,
    swap_gain,
    truncated,
)
from proofs_check.engine.exact import UNIT, dcg_error, floor_minus_root, gain_difference, relevance_gain
from proofs_check.engine.instances import Rankings, batch, permuted
from proofs_check.engine.records import IMPLIED, Line, table
from proofs_check.engine.search import settle, settle_tied

# ---- the lemma ----


def lemma1(discounts_of: Callable[[int], list[np.ndarray]], r: Rankings) -> Iterator[Comparison]:
    """Compare both sides of Eq. 4, squared, for every integer discount of `discounts_of(n)`: exact."""
    for c in discounts_of(r.n):
        allowed = [floored_spread(c, 2 * (r.scale - 1) ** 2 * errors) for errors in range(r.n + 1)]
        right = np.array(allowed, dtype=r.y.dtype)[r.errors.astype(int)]
        yield Comparison(dcg_error(r.y, c) ** 2, right, squared=True, label=name(c), floored=bool(abs(c.prod()) > 1))


def floored_spread(c: np.ndarray, times: int) -> int:
    """Find the largest integer not above times (sum c^2 - n prod c^(2/n)), for integers c."""
    squares, product = sum(int(v) ** 2 for v in c), prod(int(v) ** 2 for v in c)
    return floor_minus_root(times * squares, times * len(c), product, len(c))


def lemma1_logarithmic(level_of: Callable[[int], Iterable[int]], r: Rankings) -> Iterator[Comparison]:
    """Compare both sides of Eq. 4, squared, with c_i = 1/log2(1+i), i <= L, in floats up to `slack`."""
    for level in level_of(r.n):
        c = truncated(logarithmic(r.n), level)
        right = 2 * (r.scale - 1.0) ** 2 * r.errors.astype(float) * spread(c)
        left, room = dcg_error(r.y.astype(int), c) ** 2, slack(c, r.scale - 1)
        yield Comparison(left, right, slack=room, squared=True, label=name(c))


def spread(c: np.ndarray) -> float:
    """Compute sum c^2 - n prod c^(2/n), the product in logarithms: n small factors would underflow to 0."""
    n = len(c)
    if c[-1] == 0:
        return float((c**2).sum())
    return max(float((c**2).sum() - n * np.exp(2 / n * np.log(c).sum())), 0.0)


def slack(c: np.ndarray, top: int = 15) -> float:
    """Bound the rounding of both squared sides of Eq. 4; `top` is 2^K - 2^0.

    Each c_i carries a relative error of 3 UNIT (log, division). The left side is a sum of n terms, at most top sum(c)
    in absolute value, so the error of its square is at most 2 (n + 6) UNIT (top sum c)^2. On the right, sum c^2 and
    n prod c^(2/n) are each at most sum c^2 <= (sum c)^2, with an error of (n + 8) UNIT (1 + max|log c|) of that, times
    2 top^2 errors <= 2 top^2 n.
    """
    n, scale = len(c), float(c.sum()) ** 2
    logs = 1 + float(abs(np.log(c[c > 0])).max())
    return UNIT * scale * 2.0 * top**2 * ((n + 6) + n * 2 * (n + 8) * logs)


def informative(discount_of: Callable[[int], np.ndarray], sizes: range) -> list[int]:
    """List the n at which the right side with one error is at most the largest DCG error of n documents.

    That largest error is 15 sum_{i <= n/2} (c_i - c_{n+1-i}): half of the documents are relevant (4) and ranked last,
    the others have grade 0. For other grades 2^K - 1 takes the place of 15 on both sides, so the n are the same.
    """
    kept = []
    for n in sizes:
        c = discount_of(n)
        largest = 15 * float((c - c[::-1])[: n // 2].sum())
        if np.sqrt(450 * spread(c)) <= largest:
            kept.append(n)
    return kept


# ---- the printed proof ----


def step1(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        predicted = (relevance_gain(r.y_hat) * c).sum(axis=1)
        difference = (gain_difference(r) * c).sum(axis=1)
        yield Comparison((relevance_gain(r.y) * c).sum(axis=1), predicted + difference, "==")


def step2(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        predicted = relevance_gain(r.y_hat)
        yield Comparison((predicted * at(c, r.g)).sum(axis=1), (predicted * c).sum(axis=1))


def step3(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        left = (relevance_gain(r.y_hat) * at(c, r.g) + gain_difference(r) * c).sum(axis=1)
        ideal = (relevance_gain(r.y) * at(c, r.g)).sum(axis=1)
        yield Comparison(left, ideal + (discount_difference(c, r) * -gain_difference(r)).sum(axis=1), "==")


def step4(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        yield Comparison(dcg_error(r.y, c), (discount_difference(c, r) * gain_difference(r)).sum(axis=1))


def step5(r: Rankings) -> Iterator[Comparison]:
    for c in integer_discounts(r.n):
        inner = (discount_difference(c, r) * gain_difference(r)).sum(axis=1)
        squares = (discount_difference(c, r) ** 2).sum(axis=1) * (gain_difference(r) ** 2).sum(axis=1)
        yield Comparison(inner * abs(inner), squares, squared=True)


def step6(r: Rankings) -> Iterator[Comparison]:
    for c in integer_discounts(r.n):
        right = np.array(floored_spread(c, 2), dtype=c.dtype)
        yield Comparison((discount_difference(c, r) ** 2).sum(axis=1), right)


def step7(r: Rankings) -> Comparison:
    return Comparison((gain_difference(r) ** 2).sum(axis=1), (r.scale - 1) ** 2 * r.errors, squared=True)


def step8(r: Rankings) -> Iterator[Comparison]:
    for c in integer_discounts(r.n):
        ones = np.ones(r.m, dtype=c.dtype)
        yield Comparison((at(c, r.g) ** 2).sum(axis=1), ones * (c**2).sum(), "==")
        yield Comparison(at(c, r.g).prod(axis=1), ones * c.prod(), "==")


# ---- a weaker premise ----


def signed_discounts(n: int) -> list[np.ndarray]:
    """List the non-increasing c of -1, 0, 1 with some c_i < 0 whose product is not negative."""
    every = combinations_with_replacement((1, 0, -1), n)
    return [np.array(c) for c in every if min(c) < 0 and prod(c) >= 0]


# ---- the least constant ----


def by_errors(r: Rankings) -> Iterator[Comparison]:
    """Claim DCG_g - DCG_pi <= (2^K - 1) S(min(errors, n/2)); linear in c."""
    for c in steps(r.n):
        right = (r.scale - 1) * swap_gain(c, r.errors).astype(r.y.dtype)
        yield Comparison(dcg_error(r.y, c), right, label=name(c))


def by_errors_attained(r: Rankings) -> Iterator[Comparison]:
    for comparison in by_errors(r):
        yield replace(comparison, relation="==")


def worst_of_each_count(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield, for each number of errors, documents of grade K predicted 0 and last; from n/2 on, also others of grade 0.

    The others are predicted 1 and first.
    """
    for errors in range(n + 1):
        missed = min(errors, n // 2)
        y = np.array([[0] * (n - missed) + [max_grade] * missed])
        yield batch(y, np.array([[1] * (errors - missed) + [0] * (n - errors + missed)]), max_grade=max_grade)


# ---- the table ----


def vacuous_untruncated(max_grade: int) -> bool:
    """Return whether Eq. 4 with 1/log(1+i) is vacuous at every n up to 400; the highest grade does not matter."""
    return not informative(logarithmic, range(2, 401))


def vacuous_at(level: int, max_grade: int) -> bool:
    """Return whether Eq. 4 is vacuous with c_i = 0 for i > level."""
    return not informative(lambda n: truncated(logarithmic(n), level), range(2, 401))


def log_up_to(level: int) -> Line:
    """Build the line of the table for one L."""
    check = settle(partial(lemma1_logarithmic, lambda n: (level,)), vacuous=partial(vacuous_at, level))
    return Line(
        f"variant-L{level}", f"Eq. 4 with c_i = 1/log(1+i) for i <= L = {level}", "Eq. 2", check, IMPLIED, TRUNCATED
    )


PAGE = "Sec. 3.1, Lemma 1"
SECOND = f'{PAGE}, proof: "Therefore, DCG_g - DCG_pi <= ..."'
NOTE = f'{PAGE}, proof: "Note that sum c_[pi_i]^2 = sum c_[g_i]^2 = sum c_[i]^2, ... and 2^4 - 2^0 = 15"'
TRUNCATED = "Sec. 2, Eq. 2: \"where L is the 'truncation level' and is typically set to be L = 10\""
ROWS = table("mcrank.lemma1", "McRank",
    Line("", "DCG_g - DCG_pi <= 15 sqrt(2) (sum c^2 - n prod c^(2/n))^(1/2) errors^(1/2), c non-increasing, c >= 0",
     "", settle(partial(lemma1, integer_discounts), vacuous=vacuous_untruncated),
     where=f'{PAGE}: "The corresponding DCG error is bounded by the square root of the classification error" (4)'),
    Line("step1", "DCG_pi = sum c_pi (2^yhat-1) + sum c_pi (2^y-2^yhat)", "split", settle(step1),
     where=f'{PAGE}, proof: "DCG_pi = sum c_[pi_i] (2^y_i - 1) = ..."'),
    Line("step2", "sum c_pi (2^yhat-1) >= sum c_g (2^yhat-1)", "rearrangement", settle_tied(step2),
     where=f'{PAGE}, proof: "Note that sum c_[pi_i] (2^yhat_i - 1) >= sum c_[g_i] (2^yhat_i - 1)"'),
    Line("step3", "sum c_g (2^yhat-1) + sum c_pi (2^y-2^yhat) = DCG_g + sum (c_pi-c_g)(2^y-2^yhat)",
     "sum identity", settle_tied(step3),
     where=f'{PAGE}, proof: "= DCG_g + sum (c_[pi_i] - c_[g_i]) (2^y_i - 2^yhat_i)"'),
    Line("step4", "DCG_g - DCG_pi <= sum (c_g-c_pi)(2^y-2^yhat)", "therefore", settle_tied(step4), where=SECOND),
    Line("step5", "sum (c_g-c_pi)(2^y-2^yhat) <= (sum (c_g-c_pi)^2)^(1/2) (sum (2^y-2^yhat)^2)^(1/2)",
     "Cauchy-Schwarz", settle_tied(step5), where=SECOND),
    Line("step6", "sum (c_g-c_pi)^2 <= 2 sum c^2 - 2n prod c^(2/n)", "AM-GM",
     settle(step6, instances=permuted, every_grade=False), where=SECOND),
    Line("step7", "sum (2^y-2^yhat)^2 <= 15^2 errors", "the constant 15", settle(step7), where=NOTE),
    Line("step8", "sum c_pi^2 = sum c_g^2 = sum c^2, prod c_pi = prod c_g = prod c",
     "note", settle(step8, instances=permuted, every_grade=False), where=NOTE),
    Line("variant-log", "Eq. 4 with c_i = 1/log(1+i)", "Eq. 2 without L",
     settle(partial(lemma1_logarithmic, lambda n: (n,)), vacuous=vacuous_untruncated), IMPLIED, TRUNCATED),
    Line("variant-truncated", "Eq. 4 with c_i = 1/log(1+i) for i <= L, every L", "Eq. 2",
     settle(partial(lemma1_logarithmic, lambda n: range(1, n + 1))), IMPLIED, TRUNCATED),
    *(log_up_to(level) for level in (1, 2, 3, 10)),
    Line("variant-negative", "Eq. 4 for c non-increasing, of any sign",
     "without c >= 0", settle(partial(lemma1, signed_discounts), climbing=False)),
    Line("variant-sharp", "DCG_g - DCG_pi <= 15 S(min(errors, n/2)), S(m) = sum_{i <= m} (c_i - c_{n+1-i})",
     "least constant", settle(by_errors), proof="docs/prove/bounds.md, Number of errors"),
    Line("variant-sharp-attained", "attained for every n, every number of errors, and all c at once", "tightness",
     settle(by_errors_attained, instances=worst_of_each_count, climbing=False),
     proof="docs/prove/bounds.md, Number of errors"),
)  # fmt: skip

"""LambdaRank for ERR, the other direction: the sum of all exchanges below a multiple of the error.

D_ij is the increase of ERR from exchanging a wrongly ordered pair, R_i in [0, 1] are any relevances. For n documents,

    sum_{wrong} D_ij <= L_n (ERR_g - ERR_pi),    L_n = n - 1 for n <= 6, and L_7 = 25/4,

and no smaller factor will do: u documents of R = 0 in front of n - u documents of R = 1 have

    1  sum D_ij = (n - u) (H_u - u/(u+1)) and ERR_g - ERR_pi = u/(u+1), with H_u = 1 + 1/2 + ... + 1/u. Their quotient
       (n - u) ((u+1) H_u / u - 1) is n - 1 at u = 1, and (5/4) (n - 2) at u = 2, which is more from n = 7 on

Proof that L_n is enough for n <= 7. Number the documents by falling relevance, and let pi be any of the n! orders. Both
sides are polynomials of degree 1 in each R_i. Every chain 1 >= R_1 >= ... >= R_n >= 0 is R_i = u_1 u_2 ... u_i for some
u in [0, 1]^n, where u_k occurs to the power n + 1 - k at most. So both sides are sums of the products of
C(d, j) u_k^j (1 - u_k)^(d - j), d = n + 1 - k, which are not negative, with coefficients that the power basis gives:

    2  u^e = sum_{j >= e} C(j, e) / C(d, e) times C(d, j) u^j (1 - u)^(d - j)
    3  for every order of the documents, each coefficient of the left side is at most that of the right side

Line 3 is a comparison of integers, over a common denominator: 5,040 for each of the 720 orders of six documents. QED

How it is checked. Line 3 is computed for every order. The row shows, for each order, the coefficient with the largest
quotient. `proofs_check/tests/test_losses_lambdarank.py` compares the coefficients with ERR at rational points.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import cache
from itertools import combinations, permutations
from math import comb, lcm

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle_cases

Order = tuple[int, ...]  # of the documents, which are numbered by falling relevance


def leading_factor(n: int) -> Fraction:
    """Return the largest quotient of line 1 for n documents.

    >>> [str(leading_factor(n)) for n in (2, 6, 7)]
    ['1', '5', '25/4']
    """
    harmonic = [sum(Fraction(1, i) for i in range(1, u + 1)) for u in range(n)]
    return max((n - u) * (Fraction(u + 1, u) * harmonic[u] - 1) for u in range(1, n))


# ---- polynomials of degree 1 in each relevance: coefficients by the set of relevances, a number of n bits ----


@cache
def expand_err(order: Order) -> np.ndarray:
    """Expand ERR of an order of the documents, times lcm(1, ..., n), (2^n,)."""
    n = len(order)
    subsets = np.arange(2**n)
    total, look = np.zeros(2**n, dtype=np.int64), (subsets == 0).astype(np.int64)
    for place, document in enumerate(order, start=1):
        stop = np.where(subsets >> document & 1, look[subsets & ~(1 << document)], 0)
        total, look = total + lcm(*range(1, n + 1)) // place * stop, look - stop
    return total


def expand_exchanges(order: Order) -> np.ndarray:
    """Expand the sum of D_ij over the wrongly ordered pairs, (2^n,)."""
    total = np.zeros(2 ** len(order), dtype=np.int64)
    for i, j in combinations(range(len(order)), 2):
        if order[i] > order[j]:
            exchanged = [*order]
            exchanged[i], exchanged[j] = order[j], order[i]
            total += expand_err(tuple(exchanged)) - expand_err(order)
    return total


@cache
def tabulate_products(n: int) -> np.ndarray:
    """Tabulate line 2: the coefficients of every product of relevances, times a common denominator, (m, 2^n)."""
    degrees = [n - k for k in range(n)]  # of u_1, ..., u_n
    columns = []
    for subset in range(2**n):
        powers = [(subset >> k).bit_count() for k in range(n)]
        column = np.ones(1, dtype=np.int64)
        for d, e in zip(degrees, powers, strict=True):
            scale = lcm(*(comb(d, i) for i in range(d + 1)))
            column = np.outer(column, [scale // comb(d, e) * comb(j, e) for j in range(d + 1)]).ravel()
        columns.append(column)
    return np.stack(columns, axis=1)


def list_orders(n: int) -> Iterator[Cases]:
    """Yield every order of n documents, by the first of them."""
    for first in range(n):
        others = [document for document in range(n) if document != first]
        yield Cases({"order": np.array([(first, *rest) for rest in permutations(others)])})


def compare_coefficients(case: Cases) -> Comparison:
    """Compare line 3 at the coefficient with the largest quotient."""
    orders = [tuple(order) for order in case.columns["order"].tolist()]
    n = len(orders[0])
    factor = leading_factor(n) if n > 1 else Fraction(1)
    error = np.stack([expand_err(tuple(range(n))) - expand_err(order) for order in orders], axis=1)
    exchanges = np.stack([expand_exchanges(order) for order in orders], axis=1)
    sides = factor.denominator * exchanges, factor.numerator * error
    products = tabulate_products(n).astype(float)
    # integers below 2^53, and so are their sums: floats add them exactly
    assert max((products @ abs(side).astype(float)).max() for side in sides) < 2**53
    left, right = (products @ side for side in sides)
    quotient = np.divide(left, right, out=np.where(left > 0, np.inf, 0.0), where=right > 0)
    largest = quotient.argmax(axis=0), np.arange(len(orders))
    return Comparison(left[largest].astype(np.int64), right[largest].astype(np.int64))


# ---- attained ----


def zeros_in_front(n: int) -> Iterator[Cases]:
    """Yield u documents of R = 0 in front of n - u of R = 1."""
    yield Cases({"n": np.full(n - 1, n), "u": np.arange(1, n)})


def compare_attained(case: Cases) -> Iterator[Comparison]:
    """Compare both sides of line 1, over the denominator lcm(1, ..., n)."""
    n = int(case.columns["n"][0])
    denominator, expected, sides = lcm(*range(1, n + 1)), [], []
    for u in case.columns["u"].tolist():
        order = (*range(n - u, n), *range(n - u))
        relevant = np.arange(2**n) < 2 ** (n - u)  # products of relevances that are all 1
        polynomials = expand_exchanges(order), expand_err(tuple(range(n))) - expand_err(order)
        sides.append([int(polynomial[relevant].sum()) for polynomial in polynomials])
        harmonic = sum(Fraction(1, i) for i in range(1, u + 1))
        expected.append(
            [int(denominator * side) for side in ((n - u) * (harmonic - Fraction(u, u + 1)), Fraction(u, u + 1))]
        )
    for side, value in zip(np.array(sides).T, np.array(expected).T, strict=True):
        yield Comparison(side, value, "==", unit=denominator)


# ---- the table ----

PROOF = f"docstring of {__name__}"

ROWS = table("losses.lambdarank", "new",
    Line("variant-err-reverse-up-to-6", "n <= 6: sum D_ij <= (n - 1) (ERR_g - ERR_pi), any R in [0, 1]",
     "ERR, the other direction", settle_cases(compare_coefficients, list_orders, 6)),
    Line("variant-err-reverse-7", "n = 7: sum D_ij <= 25/4 (ERR_g - ERR_pi), any R in [0, 1]",
     "ERR, the other direction", settle_cases(compare_coefficients, list_orders, 7, smallest=7)),
    Line("variant-err-reverse-attained",
     "u of R = 0 before n - u of R = 1: the quotient is (n - u) ((u+1) H_u / u - 1)", "no smaller factor",
     settle_cases(compare_attained, zeros_in_front, 9, smallest=2)),
    source=OURS, proof=PROOF,
)  # fmt: skip

"""Lemma 1 with the exact minimal pairing in place of AM-GM, and with the gain differences in place of 15.

New statement. With the premises of McRank's Lemma 1, for any non-increasing c (no sign needed):

    DCG_g - DCG_pi <= (sum_i (c_i - c_{n+1-i})^2)^(1/2) (sum_i (2^y_i - 2^yhat_i)^2)^(1/2).

Proof. Lines 1 to 5 of Lemma 1 give |c_g - c_pi| |2^y - 2^yhat| (Euclidean norms). And sum (c_{g_i} -
c_{pi_i})^2 = 2 sum c_i^2 - 2 sum c_{g_i} c_{pi_i}, where the last sum pairs the sequence c with itself:
by the rearrangement inequality it is least when the largest is paired with the smallest, sum c_i
c_{n+1-i} (step 1); that is 2 sum c^2 - 2 sum c_i c_{n+1-i} = sum (c_i - c_{n+1-i})^2. AM-GM would bound
the same pairing from below by n prod c_i^(2/n) (step 2), with equality only if all products c_i c_{n+1-i}
agree, and by 0 as soon as one c_i is 0.

How tight. The first factor is attained by g = 1..n, pi = n..1. With gains that may be any real number the
whole bound is attained (`cossock_zhang.thm2`); with grades it comes within 0.2% already at n = 2: y = (0,
4), yhat = (3, 3).
"""

from __future__ import annotations

from collections.abc import Iterator
from math import prod

import numpy as np

from proofs_check.exact import UNIT, dcg_error, floor_minus_root, logarithmic, truncated
from proofs_check.instances import Rankings, permuted
from proofs_check.mcrank_lemma1 import discount_difference, gain_difference, integer_discounts, name
from proofs_check.records import Comparison, Row
from proofs_check.search import settle

PAPER = "new"


def pairing(c: np.ndarray) -> int | float:
    """The sum of (c_i - c_{n+1-i})^2."""
    return ((c - c[::-1]) ** 2).sum()


def bound(r: Rankings) -> Iterator[Comparison]:
    """Both sides squared."""
    for c in integer_discounts(r.n):
        right = pairing(c) * (gain_difference(r) ** 2).sum(axis=1)
        yield Comparison(dcg_error(r.y, c) ** 2, right, squared=True, label=name(c))


def bound_logarithmic(r: Rankings) -> Iterator[Comparison]:
    """The same for 1/log2(1+i), i <= L, every L, in floats.

    Slack: the left side is off by at most 2 (n + 6) UNIT (15 sum c)^2, the right, a sum of squares of
    differences of numbers at most c_1 with relative errors of 3 UNIT, by (n + 8) UNIT 4 c_1^2 n times 225
    n.
    """
    n = r.n
    for level in range(1, n + 1):
        c = truncated(logarithmic(n), level)
        right = pairing(c) * (gain_difference(r) ** 2).sum(axis=1).astype(float)
        slack = UNIT * (450 * (n + 6) * float(c.sum()) ** 2 + 900 * (n + 8) * n**2)
        yield Comparison(
            dcg_error(r.y.astype(int), c) ** 2, right, slack=slack, squared=True, label=f"L={level}"
        )


def with_errors(r: Rankings) -> Iterator[Comparison]:
    """With 15^2 errors for the gain differences: Lemma 1 with only AM-GM replaced."""
    for c in integer_discounts(r.n):
        yield Comparison(dcg_error(r.y, c) ** 2, pairing(c) * 225 * r.errors, squared=True, label=name(c))


def step1(r: Rankings) -> Iterator[Comparison]:
    for c in integer_discounts(r.n):
        left = (discount_difference(c, r) ** 2).sum(axis=1)
        yield Comparison(left, np.array(pairing(c), dtype=c.dtype), squared=True, label=name(c))


def step2(r: Rankings) -> Iterator[Comparison]:
    for c in integer_discounts(r.n):
        squares, product = sum(int(v) ** 2 for v in c), prod(int(v) ** 2 for v in c)
        right = floor_minus_root(2 * squares, 2 * r.n, product, r.n)
        one = np.array([pairing(c)], dtype=c.dtype)
        yield Comparison(one, np.array([right], dtype=c.dtype), squared=True, label=name(c))


def one_per_size(n: int) -> Iterator[Rankings]:
    """A single instance: step 2 speaks of c alone."""
    zeros = np.zeros((1, n), dtype=np.int64)
    yield Rankings(zeros, zeros, np.arange(1, n + 1)[None, :])


PROOF = "docs/bounds.md, minimal pairing"
ROWS = [
    Row("new.min_pairing", PAPER,
        "DCG_g - DCG_pi <= (sum (c_i - c_{n+1-i})^2)^(1/2) (sum (2^y - 2^yhat)^2)^(1/2)",
        "", settle(bound), PROOF),
    Row("new.min_pairing.step1", PAPER, "sum (c_g - c_pi)^2 <= sum (c_i - c_{n+1-i})^2", "rearrangement",
        settle(step1, instances=permuted), PROOF),
    Row("new.min_pairing.step2", PAPER, "sum (c_i - c_{n+1-i})^2 <= 2 sum c^2 - 2n prod c^(2/n)",
        "below Lemma 1's",
        settle(step2, instances=one_per_size, climb=False), PROOF),
    Row("new.min_pairing.variant-errors", PAPER,
        "DCG_g - DCG_pi <= 15 (sum (c_i - c_{n+1-i})^2 errors)^(1/2)",
        "with the constant 15", settle(with_errors), PROOF),
    Row("new.min_pairing.variant-log", PAPER, "the statement with c_i = 1/log(1+i) for i <= L, every L",
        "Eq. 2",
        settle(bound_logarithmic), PROOF),
]  # fmt: skip

"""New: Lemma 1 with the exact minimal pairing instead of AM-GM, and with the gain differences instead of 15.

With the premises of McRank's Lemma 1, for any non-increasing c (of any sign):

    DCG_g - DCG_pi <= (sum_i (c_i - c_{n+1-i})^2)^(1/2) (sum_i (2^y_i - 2^yhat_i)^2)^(1/2).

Proof. Lines 1 to 5 of Lemma 1 give |c_g - c_pi| |2^y - 2^yhat| (Euclidean norms). And sum (c_{g_i} - c_{pi_i})^2 =
2 sum c_i^2 - 2 sum c_{g_i} c_{pi_i}, where the last sum pairs the sequence c with itself. By the rearrangement
inequality it is least if the largest is paired with the smallest, sum c_i c_{n+1-i} (step 1); that gives 2 sum c^2 -
2 sum c_i c_{n+1-i} = sum (c_i - c_{n+1-i})^2. AM-GM would bound the same pairing from below by n prod c_i^(2/n)
(step 2), with equality only if all products c_i c_{n+1-i} agree, and by 0 as soon as one c_i is 0.

Tightness. The first factor is attained by g = 1..n, pi = n..1. With any real gains the whole bound is attained
(`cossock_zhang.thm2`); with grades it comes within 0.2% at n = 2 already: y = (0, 4), yhat = (3, 3).
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import discount_difference, integer_discounts, logarithmic, name, truncated
from proofs_check.engine.exact import UNIT, dcg_error, gain_difference
from proofs_check.engine.instances import Rankings, batch, permuted
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle
from proofs_check.mcrank.lemma1 import floored_spread


def pairing(c: np.ndarray) -> int | float:
    """Compute the sum of (c_i - c_{n+1-i})^2."""
    return ((c - c[::-1]) ** 2).sum()


def bound(r: Rankings) -> Iterator[Comparison]:
    """Compare both sides, squared."""
    for c in integer_discounts(r.n):
        right = pairing(c) * (gain_difference(r) ** 2).sum(axis=1)
        yield Comparison(dcg_error(r.y, c) ** 2, right, squared=True, label=name(c))


def bound_logarithmic(r: Rankings) -> Iterator[Comparison]:
    """Compare both sides for 1/log2(1+i), i <= L, every L, in floats.

    Slack: the error of the left side is at most 2 (n + 6) UNIT (15 sum c)^2. The right side is a sum of squares of
    differences of numbers at most c_1 with relative errors of 3 UNIT: its error is at most (n + 8) UNIT 4 c_1^2 n times
    15^2 n; for other grades 2^K - 1 takes the place of 15.
    """
    n, top = r.n, r.scale - 1
    for level in range(1, n + 1):
        c = truncated(logarithmic(n), level)
        right = pairing(c) * (gain_difference(r) ** 2).sum(axis=1).astype(float)
        slack = UNIT * top**2 * (2 * (n + 6) * float(c.sum()) ** 2 + 4 * (n + 8) * n**2)
        yield Comparison(dcg_error(r.y.astype(int), c) ** 2, right, slack=slack, squared=True, label=f"L={level}")


def with_errors(r: Rankings) -> Iterator[Comparison]:
    """Compare both sides with 15^2 errors for the gain differences: Lemma 1 with only AM-GM replaced."""
    for c in integer_discounts(r.n):
        yield Comparison(
            dcg_error(r.y, c) ** 2, (r.scale - 1) ** 2 * r.errors * pairing(c), squared=True, label=name(c)
        )


def step1(r: Rankings) -> Iterator[Comparison]:
    for c in integer_discounts(r.n):
        left = (discount_difference(c, r) ** 2).sum(axis=1)
        yield Comparison(left, np.array(pairing(c), dtype=c.dtype), squared=True, label=name(c))


def step2(r: Rankings) -> Iterator[Comparison]:
    for c in integer_discounts(r.n):
        left, right = (np.array([side], dtype=c.dtype) for side in (pairing(c), floored_spread(c, 2)))
        yield Comparison(left, right, squared=True, label=name(c))


def one_per_size(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield a single instance: step 2 depends on c alone."""
    yield batch(np.zeros(n, dtype=np.int64), np.zeros(n, dtype=np.int64))


PROOF = "docs/prove/bounds.md, Minimal pairing"
ROWS = table("new.min_pairing", "new",
    Line("", "DCG_g - DCG_pi <= (sum (c_i - c_{n+1-i})^2)^(1/2) (sum (2^y - 2^yhat)^2)^(1/2)", "", settle(bound)),
    Line("step1", "sum (c_g - c_pi)^2 <= sum (c_i - c_{n+1-i})^2", "rearrangement",
     settle(step1, instances=permuted, every_grade=False)),
    Line("step2", "sum (c_i - c_{n+1-i})^2 <= 2 sum c^2 - 2n prod c^(2/n)",
     "below Lemma 1's",
     settle(step2, instances=one_per_size, climbing=False, every_grade=False)),
    Line("variant-errors", "DCG_g - DCG_pi <= 15 (sum (c_i - c_{n+1-i})^2 errors)^(1/2)",
     "with the constant 15", settle(with_errors)),
    Line("variant-log", "the statement with c_i = 1/log(1+i) for i <= L, every L", "Eq. 2", settle(bound_logarithmic)),
    source=OURS, proof=PROOF,
)  # fmt: skip

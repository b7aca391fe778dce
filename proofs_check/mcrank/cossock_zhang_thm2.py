"""Cossock and Zhang 2006, Theorem 2: the DCG error is bounded by the regression error.

McRank's Lemma 1 follows it, and cites it ("the DCG errors are bounded by regression errors"). z_i is the gain of
document i, f_i a real-valued prediction of it, pi ranks by f, with ties in any order, g by z; 1/p + 1/q = 1, p, q in
[1, oo]. Then

    DCG_g - DCG_pi <= (2 sum_i c_i^p)^(1/p) (sum_i |z_i - f_i|^q)^(1/q)

for non-increasing c >= 0. Proof: sum c_pi f >= sum c_g f (step 1), so DCG_g - DCG_pi <= sum (c_g - c_pi)(z - f)
(step 2); Hoelder (step 3); |a - b|^p <= a^p + b^p for a, b >= 0 (step 4).

The sharpest form: the first factor becomes (sum_i |c_i - c_{n+1-i}|^p)^(1/p), because |a - b|^p is convex in a - b, and
sums of such terms over pairings of a sequence with itself are largest for the reversed one (variant-sharp,
variant-pairing; c may have any sign). No smaller factor is possible for real gains, for any p: with f = 0,
pi = n..1 and z_i - f_i = s_i |c_i - c_{n+1-i}|^(p-1), s_i the sign of the difference, Hoelder is an equality and z is
non-increasing (variant-attained).

How all real-valued f are covered exactly. For given z and pi, the f by which pi can rank are the non-increasing
sequences along pi; the right side is smallest at the one closest to z. p = 2: this is isotonic regression, by pooling
adjacent violators in fractions. p = oo, q = 1: some closest sequence takes only values of z, so the gains of grades
suffice. p = 1, q = oo: the distance is half of max_{i<j} (z_j - z_i) over places i < j. So the labels 0..4 are settled
for every real f, not for a sample.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from math import lcm

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import at, discount_difference, integer_discounts, name, steps
from proofs_check.engine.exact import dcg_error, gain_difference, relevance_gain
from proofs_check.engine.instances import Cases, Rankings, in_order_of_pi, permuted, with_ties
from proofs_check.engine.records import CITED, Effort, Finding, Line, table
from proofs_check.engine.search import settle, settle_cases, settle_tied

ONE, TWO, INFINITY = 1, 2, 0  # the exponents p that stay rational if both sides are squared
EXPONENTS = {ONE: "p=1", TWO: "p=2", INFINITY: "p=oo"}


# ---- every real-valued prediction of graded documents ----


def real_predictions(sharp: bool, r: Rankings) -> Iterator[Comparison]:
    """Claim left <= factor * (least |z - f|_q over all real f by which pi can rank), squared, for p = 1, 2, oo."""
    z = relevance_gain(r.y)
    unit = lcm(*range(1, r.n + 1))
    largest = np.array([largest_drop(row) for row in z], dtype=z.dtype)
    pooled = np.array([isotonic_distance(row, unit) for row in z], dtype=z.dtype)
    absolute = absolute_distance(z, relevance_gain(np.arange(r.max_grade + 1)))
    for c in integer_discounts(r.n):
        left = dcg_error(r.y, c) ** 2
        for p, distance, scale in ((ONE, largest**2, 4), (TWO, pooled, unit), (INFINITY, absolute**2, 1)):
            right = factor_squared(c, p, sharp) * distance
            yield Comparison(scale * left, right, squared=True, label=f"{EXPONENTS[p]}, {name(c)}")


def factor_squared(c: np.ndarray, p: int, sharp: bool) -> int:
    """Compute the square of (2 sum c^p)^(1/p), or of (sum |c_i - c_{n+1-i}|^p)^(1/p)."""
    apart = abs(c - c[::-1])
    if p == INFINITY:
        return int(apart.max() if sharp else c.max()) ** 2
    if p == ONE:
        return int(apart.sum() if sharp else 2 * c.sum()) ** 2
    return int((apart**2).sum() if sharp else 2 * (c**2).sum())


def largest_drop(z: np.ndarray) -> int:
    """Compute max over places i < j of z_j - z_i, at least 0: twice the distance of z from non-increasing, q = oo."""
    return max(0, int((z - np.minimum.accumulate(z)).max()))


def isotonic_distance(z: np.ndarray, unit: int) -> int:
    """Compute min over non-increasing f of sum (z_i - f_i)^2, times unit = lcm(1..n): pool adjacent violators."""
    blocks: list[tuple[int, int]] = []  # sum, count; means non-increasing
    for value in z:
        total, count = int(value), 1
        while blocks and blocks[-1][0] * count < total * blocks[-1][1]:
            total, count = total + blocks[-1][0], count + blocks[-1][1]
            blocks.pop()
        blocks.append((total, count))
    return unit * int((z**2).sum()) - sum(total * total * (unit // count) for total, count in blocks)


def absolute_distance(z: np.ndarray, values: np.ndarray) -> np.ndarray:
    """Compute min over non-increasing f of sum |z_i - f_i|, (m,): some minimiser takes only `values`, those of z."""
    cost = np.zeros((len(z), len(values)), dtype=z.dtype)  # of the best f so far that ends at each value
    for i in range(z.shape[1]):
        from_above = np.minimum.accumulate(cost[:, ::-1], axis=1)[:, ::-1]
        cost = from_above + abs(z[:, i : i + 1] - values)
    return cost.min(axis=1)


# ---- the proof ----


def two_grades(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield gains and predictions 0 and 1.

    Lines 1 and 2 are linear in f, in z and in c. A non-increasing f is a constant, which drops out, plus a sum of 0-1
    steps with weights >= 0, and so is z along g: these instances settle all real f, z and all c.
    """
    return with_ties(n, 1)


def step1(r: Rankings) -> Iterator[Comparison]:
    f = relevance_gain(r.y_hat)
    for c in steps(r.n):
        yield Comparison((f * at(c, r.g)).sum(axis=1), (f * c).sum(axis=1))


def step2(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        yield Comparison(dcg_error(r.y, c), (discount_difference(c, r) * gain_difference(r)).sum(axis=1))


def step3(r: Rankings) -> Iterator[Comparison]:
    """Check Hoelder for p = 1, 2, oo."""
    for c in integer_discounts(r.n):
        u, v = abs(discount_difference(c, r)), abs(gain_difference(r))
        inner = (discount_difference(c, r) * gain_difference(r)).sum(axis=1)
        yield Comparison(inner, u.sum(axis=1) * v.max(axis=1))
        yield Comparison(inner * abs(inner), (u**2).sum(axis=1) * (v**2).sum(axis=1), squared=True)
        yield Comparison(inner, u.max(axis=1) * v.sum(axis=1))


def step4(r: Rankings) -> Iterator[Comparison]:
    """Bound the norm of c_g - c_pi, p = 1, 2, 3, 4: sum |a - b|^p <= sum a^p + sum b^p."""
    for c in integer_discounts(r.n):
        for p in (1, 2, 3, 4):
            left = (abs(discount_difference(c, r)) ** p).sum(axis=1)
            yield Comparison(left, np.array(2 * (c**p).sum(), dtype=c.dtype), label=f"p={p}, {name(c)}")


def pairing(r: Rankings) -> Iterator[Comparison]:
    """Claim that the same norm is largest for the reversed ranking, p = 1, 2, 3, 4."""
    for c in integer_discounts(r.n):
        for p in (1, 2, 3, 4):
            left = (abs(discount_difference(c, r)) ** p).sum(axis=1)
            right = np.array((abs(c - c[::-1]) ** p).sum(), dtype=c.dtype)
            yield Comparison(left, right, label=f"p={p}, {name(c)}")


# ---- real gains: the factor cannot be smaller ----


def extremal(n: int) -> Iterator[Cases]:
    """Yield, for c = 1/i and each integer p, gains z with f = 0, in the order of g; pi is the reverse."""
    c = integer_discounts(n)[-1]
    apart = c - c[::-1]
    exponents = (1, 2, 3, 4)
    z = np.stack([np.sign(apart) * abs(apart) ** (p - 1) for p in exponents])
    yield Cases({"z": z, "c": np.tile(c, (len(exponents), 1)), "p": np.array(exponents)})


def attained(cases: Cases) -> Iterator[Comparison]:
    """Claim that sum (c_g - c_pi) z, to the power p, equals sum |c_i - c_{n+1-i}|^p (sum |z|^q)^(p/q), and g sorts z.

    |z|^q = |c_i - c_{n+1-i}|^p, so the right side is (sum |c_i - c_{n+1-i}|^p)^p; for p = 1, |z|_oo = 1 or 0.
    """
    z, c, p = cases.columns["z"], cases.columns["c"], cases.columns["p"]
    left = ((c - c[:, ::-1]) * z).sum(axis=1)
    yield Comparison(left, np.array([(abs(a - a[::-1]) ** k).sum() for a, k in zip(c, p, strict=True)]), "==")
    ordered = (z[:, :-1] >= z[:, 1:]).all(axis=1).astype(np.int64)
    yield Comparison(ordered, np.ones(cases.m, dtype=np.int64), "==")


def real_valued(sharp: bool) -> Callable[[Effort], Finding]:
    """Build the check over all labels in the order of pi; the claim finds the predictions."""
    return settle(partial(real_predictions, sharp), instances=in_order_of_pi, climbing=False)


once = partial(settle, every_grade=False)  # claims on discounts, or linear in the gains
PROOF = "docs/prove/bounds.md, Regression error"
CITING = 'McRank Sec. 3: "showed that the DCG errors are bounded by regression errors"'
ROWS = table("cossock_zhang.thm2", "Cossock-Zhang",
    Line("", "DCG_g - DCG_pi <= (2 sum c^p)^(1/p) (sum |z - f|^q)^(1/q), real-valued f, c >= 0; p = 1, 2, oo",
     "", real_valued(sharp=False)),
    Line("step1", "sum c_pi f >= sum c_g f", "rearrangement", once(step1, instances=two_grades)),
    Line("step2", "DCG_g - DCG_pi <= sum (c_g - c_pi)(z - f)", "therefore", once(step2, instances=two_grades)),
    Line("step3", "sum (c_g - c_pi)(z - f) <= |c_g - c_pi|_p |z - f|_q, p = 1, 2, oo",
     "Hoelder", settle_tied(step3)),
    Line("step4", "sum |c_g - c_pi|^p <= 2 sum c^p, p = 1, 2, 3, 4", "c >= 0", once(step4, instances=permuted)),
    Line("variant-pairing", "sum |c_g - c_pi|^p <= sum |c_i - c_{n+1-i}|^p, p = 1, 2, 3, 4",
     "step 4 made exact", once(pairing, instances=permuted)),
    Line("variant-sharp", "DCG_g - DCG_pi <= (sum |c_i - c_{n+1-i}|^p)^(1/p) (sum |z - f|^q)^(1/q), real-valued f; p = "
     "1, 2, oo", "as sharp as it can be", real_valued(sharp=True)),
    Line("variant-attained", "variant-sharp is an equality for some real gains z at every n, c = 1/i, p = 1, 2, 3, 4",
     "no smaller factor", settle_cases(attained, extremal)),
    source=CITED, where=CITING, proof=PROOF,
)  # fmt: skip

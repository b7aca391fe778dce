"""New: the DCG error bounded threshold by threshold, by the numbers of under- and over-rated documents.

U_t = #{i: y_i >= t > yhat_i}, O_t = #{i: yhat_i >= t > y_i}, and S(m) = sum_{i <= m} (c_i - c_{n+1-i}) for m <= n/2,
S(n/2) beyond: the largest gain of m swaps. For any non-increasing c and pi sorted by yhat, with ties in any order,

    DCG_g - DCG_pi <= sum_{t=1..K} 2^(t-1) S(max(U_t, O_t)).

Proof. 2^y - 1 = sum_{t=1..y} 2^(t-1), so the DCG error is the sum over t of 2^(t-1) times the DCG error of the labels
b_i = 1[y_i >= t], and g sorts those, too (step 1). Fix t; let P be the number of b_i = 1, and w the number of b_i = 0
among the first P positions of pi. Then w ones are below, and the error at t is the sum of c over the w former positions
minus that over the w latter, at most S(w) (step 2). The first P positions: if at least P documents have yhat >= t,
these positions hold only such documents, and the zeros among them are over-rated: w <= O_t. If fewer do, all positions
below P have yhat < t, and the ones there are under-rated: w <= U_t. So w <= max(U_t, O_t) (step 3), and S does not
fall.

Tightness. At one threshold S(max(U, O)) is attained for every U, O with max(U, O) <= n/2: P = n - O or U positions, the
wrong documents at the two ends. With grades 0 and K all thresholds coincide, so the whole bound is attained for
every n and every U = O = m <= n/2 (variant-attained). Profiles that differ between thresholds can conflict
(variant-attained-always fails).

All sides are linear in c, so the n step discounts settle every c, in integers. An instance attains the bound for a
strictly decreasing c exactly if it attains it for all n of them.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import name, reciprocal, steps, swap_gain
from proofs_check.engine.exact import dcg_error, err_error, err_unit, unit
from proofs_check.engine.instances import MAX_GRADE, Cases, Rankings, batch, rankings
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle, settle_cases


def bound(r: Rankings) -> Iterator[Comparison]:
    crossed = [crossings(r, t) for t in thresholds(r)]
    for c in steps(r.n):
        right = weighted([swap_gain(c, m) for m in crossed])
        yield Comparison(dcg_error(r.y, c), right, label=name(c))


def step1(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        right = weighted([binary_error(r.y >= t, c) for t in thresholds(r)])
        yield Comparison(dcg_error(r.y, c), right, "==", label=name(c))


def step2(r: Rankings) -> Iterator[Comparison]:
    for c in steps(r.n):
        for t in thresholds(r):
            yield Comparison(binary_error(r.y >= t, c), swap_gain(c, misplaced(r.y >= t)), label=f"t={t}, {name(c)}")


def step3(r: Rankings) -> Iterator[Comparison]:
    for t in thresholds(r):
        yield Comparison(misplaced(r.y >= t), crossings(r, t), label=f"t={t}")


def with_labels(r: Rankings) -> Iterator[Comparison]:
    """Check the bound for given y: w is at most the number of ones, P_t, and the number of zeros."""
    ones = [(r.y >= t).sum(axis=1) for t in thresholds(r)]
    swaps = [np.minimum(crossings(r, t), np.minimum(p, r.n - p)) for t, p in zip(thresholds(r), ones, strict=True)]
    for c in steps(r.n):
        yield Comparison(dcg_error(r.y, c), weighted([swap_gain(c, m) for m in swaps]), label=name(c))


def err_bound(r: Rankings) -> Comparison:
    """Claim that the bound for c = 1/i holds for ERR, R = (2^y - 1)/2^K, by new.err_below_rr_dcg."""
    n = r.n
    scale = err_unit(n, r.scale) // int(reciprocal(n)[0])  # 1/i is scaled by lcm(1..n)
    right = weighted([swap_gain(reciprocal(n), crossings(r, t)) for t in thresholds(r)])
    return Comparison(err_error(r.y, r.scale), right.astype(r.y.dtype) * scale, unit=unit(n, r.scale))


def thresholds(r: Rankings) -> range:
    """List t = 1..K."""
    return range(1, r.max_grade + 1)


def weighted(values: list[np.ndarray]) -> np.ndarray:
    """Compute sum_t 2^(t-1) value_t, t = 1..K, (m,)."""
    return sum((2**t * value for t, value in enumerate(values)), np.zeros_like(values[0]))


def crossings(r: Rankings, t: int) -> np.ndarray:
    """Compute max(U_t, O_t), (m,)."""
    return np.maximum(underrated(r, t), overrated(r, t))


def underrated(r: Rankings, t: int) -> np.ndarray:
    """Count U_t, (m,)."""
    return ((r.y >= t) & (r.y_hat < t)).sum(axis=1)


def overrated(r: Rankings, t: int) -> np.ndarray:
    """Count O_t, (m,)."""
    return ((r.y < t) & (r.y_hat >= t)).sum(axis=1)


def binary_error(relevant: np.ndarray, c: np.ndarray) -> np.ndarray:
    """Compute the DCG error of labels 0 and 1 in the order of pi, (m,)."""
    ones = relevant.astype(np.int64)
    return ((-np.sort(-ones, axis=1) - ones) * c).sum(axis=1)


def misplaced(relevant: np.ndarray) -> np.ndarray:
    """Count w: zeros among the first P positions, P the number of ones, (m,)."""
    ones = relevant.astype(np.int64)
    first = np.arange(relevant.shape[1]) < ones.sum(axis=1, keepdims=True)
    return (first & ~relevant).sum(axis=1)


# ---- is it attained? ----


def ends_exchanged(n: int, max_grade: int) -> Iterator[Rankings]:
    """Yield, for every m <= n/2, m documents of grade 0 predicted K first, and m of grade K predicted 0 last.

    All documents between them have grade 0, or all have grade K.
    """
    for m in range(n // 2 + 1):
        for between in (0, max_grade):
            y = np.array([[0] * m + [between] * (n - 2 * m) + [max_grade] * m])
            y_hat = np.array([[max_grade] * m + [between] * (n - 2 * m) + [0] * m])
            yield batch(y, y_hat, max_grade=max_grade)


def attained(r: Rankings) -> Iterator[Comparison]:
    for comparison in bound(r):
        yield replace(comparison, relation="==")


def profiles(max_grade: int, n: int) -> Iterator[Cases]:
    """Yield every possible vector (U_1, .., U_K, O_1, .., O_K) of n documents, and its least gap right - left.

    The gap is summed over the step discounts: it is 0 exactly if an instance attains the bound for every c.
    """
    least: dict[tuple[int, ...], int] = {}
    for r in rankings(n, max_grade):
        columns = [count(r, t) for count in (underrated, overrated) for t in thresholds(r)]
        gap = sum(comparison.right - comparison.left for comparison in bound(r))
        keys, inverse = np.unique(np.stack(columns, axis=1), axis=0, return_inverse=True)
        smallest = np.full(len(keys), np.iinfo(np.int64).max)
        np.minimum.at(smallest, inverse.ravel(), gap)
        for key, value in zip(map(tuple, keys.tolist()), smallest.tolist(), strict=True):
            least[key] = min(least.get(key, value), value)
    small = [key for key in least if max(key) <= n // 2]
    u_o, gaps = np.array(small), np.array([least[key] for key in small])
    u, o = np.split(u_o, 2, axis=1)
    yield Cases({"U": u, "O": o, "n": np.full(len(small), n), "gap": gaps})


def attained_always(cases: Cases) -> Comparison:
    return Comparison(cases.columns["gap"], np.zeros(cases.m, dtype=np.int64), "==")


PROOF = "docs/prove/bounds.md, Thresholds"
ROWS = table("new.dcg_threshold", "new",
    Line("", "DCG_g - DCG_pi <= sum_t 2^(t-1) S(max(U_t, O_t)), c non-increasing", "", settle(bound)),
    Line("step1", "DCG_g - DCG_pi = sum_t 2^(t-1) (DCG error of labels 1[y >= t])", "thresholds", settle(step1)),
    Line("step2", "error at t <= S(w), w misplaced documents", "w swaps", settle(step2)),
    Line("step3", "w <= max(U_t, O_t)", "who is misplaced", settle(step3)),
    Line("variant-attained", "attained for all n, all U_t = O_t = m <= n/2, all c",
     "tightness", settle(attained, instances=ends_exchanged, climbing=False)),
    Line("variant-attained-always", "attained for every U_t, O_t <= n/2 that occur together, for all c at once",
     "tightness", settle_cases(attained_always, partial(profiles, MAX_GRADE))),
    Line("variant-attained-at-one", "attained for every U_1, O_1 <= n/2 when only grades 0 and 1 occur, for all c "
     "at once", "tightness", settle_cases(attained_always, partial(profiles, 1))),
    Line("variant-labels", "DCG_g - DCG_pi <= sum_t 2^(t-1) S(min(max(U_t, O_t), P_t, n - P_t)), P_t = #{y_i >= t}",
     "when the labels are known", settle(with_labels)),
    Line("variant-err", "ERR_g - ERR_pi <= (1/16) sum_t 2^(t-1) S(max(U_t, O_t)), S for c = 1/i",
     "with new.err_below_rr_dcg", settle(err_bound)),
    source=OURS, proof=PROOF,
)  # fmt: skip

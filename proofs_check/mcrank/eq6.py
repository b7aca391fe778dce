"""McRank, Eq. 6 (Sec. 3.3): which changes of T keep the ranking by S_i = sum_k p_ik T(k).

As printed: "any monotone transformation on S_i (e.g., 2^{S_i} - 1) will not change the ranking results. Consequently,
the ranking results are not affected by any affine transformation on T(k), aT(k) + b (a > 0), because

    sum_k p_ik (a T(k) + b) = a (sum_k p_ik T(k)) + b,   since sum_k p_ik = 1."                          (6)

Both are true: the first for strictly monotone transformations (a flat one makes ties, variant-flat), the second only
if the probabilities of each document sum to one; otherwise b times the sum differs between documents (variant-sum).

A non-linear T changes rankings as soon as K > 2 (variant-nonlinear: T(k) = 2^k against T(k) = k). For K = 2 every
increasing T is affine, so all give the same ranking (variant-two-classes); for K > 2 every T that is not affine in k
changes the order of some pair (variant-only-affine). Proof: scale T to T(0) = 0, T(K-1) = K-1. If T(k) != k, compare a
document certain to be of class k with one that is of class K-1 with probability q and of class 0 otherwise, q
between k/(K-1) and T(k)/(K-1).

The best T for DCG: if labels are drawn from p, the expected DCG of a ranking is sum_i c_[pi_i] E[2^y_i - 1]. So sorting
by the expected gain, T(k) = 2^k - 1, maximises it (variant-expected-gain), and sorting by the expected relevance does
not (variant-expected-relevance). The paper found the expected relevance slightly better on estimated probabilities:
that is an empirical matter.

Instances: pairs of documents, probabilities in fifths; "n" is the number of classes K.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.evidence import Claim
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import PRINTED, Effort, Finding, Line, table
from proofs_check.engine.search import settle_cases

FIFTHS = 5


def distributions(n_classes: int, unit: int = FIFTHS) -> np.ndarray:
    """List all probability vectors over K classes, in units of 1/unit, (m, K)."""
    every = product(range(unit + 1), repeat=n_classes)
    return np.array([p for p in every if sum(p) == unit], dtype=np.int64)


def pairs(vectors: np.ndarray, unit: int, **more: np.ndarray) -> Cases:
    """List every pair of documents; `more` are constants of all cases, such as T."""
    i, j = (index.ravel() for index in np.indices((len(vectors), len(vectors))))
    constants = {name: np.tile(value, (len(i),) + (1,) * np.ndim(value)) for name, value in more.items()}
    return Cases({"p": vectors[i], "r": vectors[j], **constants}, {"p": unit, "r": unit})


def score(probabilities: np.ndarray, t: np.ndarray) -> np.ndarray:
    """Compute Eq. 5, (m,)."""
    return (probabilities * t).sum(axis=1)


def order(cases: Cases, t: np.ndarray) -> np.ndarray:
    """Compute 1 if the first document is ranked higher, -1 if it is ranked lower, 0 for ties, (m,)."""
    return np.sign(score(cases.columns["p"], t) - score(cases.columns["r"], t))


def reversed_pairs(cases: Cases, t: np.ndarray, u: np.ndarray) -> Comparison:
    """Claim that no pair is strictly reversed between T and U: the product of the two orders is never -1."""
    return Comparison(-order(cases, t) * order(cases, u), np.zeros(cases.m, dtype=np.int64))


# ---- as printed ----


def with_affine(n_classes: int) -> Iterator[Cases]:
    """Yield T(k) = k, k^2 and 2^k with a few a > 0 and b of either sign."""
    vectors = distributions(n_classes)
    k = np.arange(n_classes)
    for t, a, b in product((k, k**2, 2**k), (1, 3), (-2, 0, 5)):
        yield pairs(vectors, FIFTHS, T=t, a=np.array([a]), b=np.array([b]))


def affine(cases: Cases) -> Comparison:
    t, a, b = (cases.columns[name] for name in "Tab")
    return Comparison(order(cases, a * t + b), order(cases, t), "==")


def step1(cases: Cases) -> Comparison:
    """Compare both sides of Eq. 6, times the unit of the probabilities."""
    t, a, b = (cases.columns[name] for name in "Tab")
    p = cases.columns["p"]
    return Comparison(score(p, a * t + b), a[:, 0] * score(p, t) + b[:, 0] * FIFTHS, "==")


def monotone(cases: Cases) -> Comparison:
    """Compare orders before and after the strictly increasing 2^(S in fifths) - 1."""
    s, t = (score(cases.columns[name], np.arange(cases.columns["p"].shape[1])) for name in "pr")
    return Comparison(np.sign((1 << s) - (1 << t)), np.sign(s - t), "==")


# ---- weaker premises ----


def flat(cases: Cases) -> Comparison:
    """Compare orders before and after min(S, 1), which is monotone but not strictly monotone."""
    s, t = (score(cases.columns[name], np.arange(cases.columns["p"].shape[1])) for name in "pr")
    return Comparison(np.sign(np.minimum(s, FIFTHS) - np.minimum(t, FIFTHS)), np.sign(s - t), "==")


def plain(n_classes: int) -> Iterator[Cases]:
    yield pairs(distributions(n_classes), FIFTHS)


def any_sum(n_classes: int) -> Iterator[Cases]:
    """Yield vectors of halves in [0, 1] of any sum, with T(k) = k + 1."""
    if n_classes <= 3:
        yield pairs(np.array(list(product(range(3), repeat=n_classes))), 2)


def shifted(cases: Cases) -> Comparison:
    k = np.arange(cases.columns["p"].shape[1])
    return Comparison(order(cases, k + 1), order(cases, k), "==")


# ---- a non-linear T ----


def nonlinear(cases: Cases) -> Comparison:
    k = np.arange(cases.columns["p"].shape[1])
    return reversed_pairs(cases, 2**k, k)


def two_classes(n_classes: int) -> Iterator[Cases]:
    """Yield K = 2 at ever finer probabilities, with every increasing T with values up to 6."""
    for t in combinations(range(7), 2):
        yield pairs(distributions(2, n_classes * 2), n_classes * 2, T=np.array(t))


def same_as_k(cases: Cases) -> Comparison:
    k = np.arange(cases.columns["p"].shape[1])
    return Comparison(order(cases, cases.columns["T"]), order(cases, k), "==")


def transforms(n_classes: int) -> Iterator[Cases]:
    """Yield every increasing T with T(0) = 0 and values up to 6: whether it is affine, how many orders it changes."""
    unit = 2 * 6 * (n_classes - 1)
    sure = np.eye(n_classes, dtype=np.int64) * unit
    ends = np.arange(unit + 1)[:, None] * np.eye(n_classes, dtype=np.int64)[n_classes - 1]
    ends = ends + (unit - np.arange(unit + 1))[:, None] * np.eye(n_classes, dtype=np.int64)[0]
    cases = pairs(np.concatenate([sure, ends]), unit)
    rows = [(0, *t) for t in combinations(range(1, 7), n_classes - 1)]
    k = np.arange(n_classes)
    changed = [int(reversed_pairs(cases, np.array(t), k).find_violations().sum()) for t in rows]
    is_affine = [int(len(set(np.diff(t))) == 1) for t in rows]
    yield Cases({"T": np.array(rows), "affine": np.array(is_affine), "changed": np.array(changed)})


def only_affine(cases: Cases) -> Comparison:
    """Claim that no order changes exactly if T is affine."""
    none_changed = (cases.columns["changed"] == 0).astype(np.int64)
    return Comparison(none_changed, cases.columns["affine"], "==")


# ---- the best T for DCG ----


def expected_dcg_loss(t_of: Callable[[np.ndarray], np.ndarray], cases: Cases) -> Comparison:
    """Claim that the order by S has the larger expected DCG of the two orders; c = (1, 0), outcomes enumerated."""
    p, r = cases.columns["p"], cases.columns["r"]
    n_classes = p.shape[1]
    first, second = np.zeros(cases.m, dtype=np.int64), np.zeros(cases.m, dtype=np.int64)
    for y1, y2 in product(range(n_classes), repeat=2):
        chance = p[:, y1] * r[:, y2]
        first += chance * (2**y1 - 1)
        second += chance * (2**y2 - 1)
    by_score = order(cases, t_of(np.arange(n_classes)))
    worse_of_ties = np.where(by_score > 0, first, np.where(by_score < 0, second, np.minimum(first, second)))
    return Comparison(np.maximum(first, second), worse_of_ties, unit=FIFTHS**2)


def expected_gain(cases: Cases) -> Comparison:
    return expected_dcg_loss(lambda k: 2**k - 1, cases)


def expected_relevance(cases: Cases) -> Comparison:
    return expected_dcg_loss(lambda k: k, cases)


def over(instances: Callable[[int], Iterator[Cases]], claim: Claim, smallest: int = 2) -> Callable[[Effort], Finding]:
    """Build the check of a claim on these instances."""
    return settle_cases(claim, instances, smallest=smallest)


MONOTONE = 'Sec. 3.3: "any monotone transformation on S_i (e.g., 2^S_i - 1) will not change the ranking results"'
ROWS = table("mcrank.eq6", "McRank",
    Line("", "the ranking by sum p T(k) is that by sum p (a T(k) + b), a > 0", "", over(with_affine, affine),
     where='Sec. 3.3: "the ranking results are not affected by any affine transformation on T(k)"'),
    Line("step1", "sum p (a T(k) + b) = a sum p T(k) + b, as sum p = 1", "Eq. 6", over(with_affine, step1),
     where="Sec. 3.3, Eq. 6"),
    Line("step2", "a strictly monotone transformation of S keeps the ranking", "as meant", over(plain, monotone),
     where=MONOTONE),
    Line("variant-flat", "a monotone transformation of S keeps the ranking, min(S, 1)", "not strictly",
     over(plain, flat), PRINTED, MONOTONE),
    Line("variant-sum", "the ranking by T(k) + 1 is that by T(k) for vectors p of any sum",
     "without sum p = 1", over(any_sum, shifted)),
    Line("variant-nonlinear", "T(k) = 2^k reverses no pair against T(k) = k", "a non-linear T",
     over(plain, nonlinear)),
    Line("variant-two-classes", "K = 2: every increasing T gives the same ranking", "K = 2",
     over(two_classes, same_as_k)),
    Line("variant-only-affine", "K > 2: T reverses no pair against T(k) = k exactly if it is affine",
     "K > 2", over(transforms, only_affine, 3)),
    Line("variant-expected-gain", "sorting by the expected gain, T(k) = 2^k - 1, maximises the expected DCG",
     "the best T for DCG", over(plain, expected_gain)),
    Line("variant-expected-relevance", "so does sorting by the expected relevance, T(k) = k",
     "the best T for DCG", over(plain, expected_relevance)),
    proof="docs/reference/errata.md, McRank Eq. 6 and Eq. 8",
)  # fmt: skip

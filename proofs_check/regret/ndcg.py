"""Expected NDCG is largest when documents are ranked by E[z_i / DCG_g], and not by E[z_i].

The gains z of n documents are random, with any dependence; DCG_g is the ideal DCG of the gains, and random too;
some gain is positive. As Ravikumar, Tewari and Yang 2011 observe (restated; the abstract: "several commonly used
surrogates are NDCG inconsistent"), with q_i = E[z_i / DCG_g],

    E NDCG_pi = sum_i c_{pi_i} q_i,

so E NDCG is a DCG with the gains q, and largest for the rankings that sort by q. Proof: NDCG is linear in z / DCG_g.
Every bound of a DCG error with real gains bounds the regret: for any real f by which pi sorts,

    max_tau E NDCG_tau - E NDCG_pi <= (sum_i (c_i - c_{n+1-i})^2)^(1/2) (sum_i (q_i - f_i)^2)^(1/2)      variant-regret

Sorting by E z, the target of least squares on 2^y - 1, maximises E DCG (variant-dcg) and not E NDCG (variant-by-gain):
two documents suffice if c_1 > c_2. With the labels (2, 0) with probability 1/3 and (0, 1) otherwise, E z = (1, 2/3),
and c_1 q = (1/3, 2/3), as the query with the smaller ideal counts as much as the other.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import permutations, product

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import integer_discounts, name
from proofs_check.engine.exact import ideal, relevance_gain
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import CITED, OURS, Line, table
from proofs_check.engine.search import settle_cases
from proofs_check.new.min_pairing import pairing

PARTS = 6
Target = Callable[[Cases, np.ndarray], tuple[np.ndarray, np.ndarray]]  # sort key, (m, n); its unit, (m,)


def two_labels(n: int) -> Iterator[Cases]:
    """Yield pairs of label vectors, in the order of pi, and the probability of the first in sixths."""
    for max_grade in (1, 2, 4) if n <= 2 else (1, 2):
        labels = np.array([y for y in product(range(max_grade + 1), repeat=n) if max(y) > 0])
        every = np.arange(len(labels))
        a, b, p = (part.ravel() for part in np.meshgrid(every, every, range(1, PARTS)))
        yield Cases({"y": labels[a], "x": labels[b], "p": p}, {"p": PARTS})


def gains(case: Cases) -> tuple[np.ndarray, np.ndarray]:
    """Compute both gains, (m, n) each, as Python integers: products of two ideals are large."""
    return relevance_gain(case.columns["y"]).astype(object), relevance_gain(case.columns["x"]).astype(object)


def ideals(case: Cases, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute both ideal DCGs, (m,) each."""
    first, second = ((relevance_gain(ideal(case.columns[name])) * c).sum(axis=1).astype(object) for name in ("y", "x"))
    return first, second


def normalised(case: Cases, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute q_i = E[z_i / DCG_g], (m, n), and its unit: sixths of the product of both ideals, (m,)."""
    (z, w), (best_z, best_w), p = gains(case), ideals(case, c), case.columns["p"].astype(object)
    q = (p * best_w)[:, np.newaxis] * z + ((PARTS - p) * best_z)[:, np.newaxis] * w
    return q, PARTS * best_z * best_w


def expected_gain(case: Cases, c: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Compute E z_i, (m, n), in sixths; c does not matter."""
    (z, w), p = gains(case), case.columns["p"].astype(object)[:, np.newaxis]
    return p * z + (PARTS - p) * w, np.full(len(z), PARTS, dtype=object)


def expected_dcg(case: Cases, c: np.ndarray, over: tuple[np.ndarray, np.ndarray], order: list[int]) -> np.ndarray:
    """Compute E[DCG / over] of the ranking with the documents in this order, in sixths of both products, (m,).

    `over`, (m,) each, are the divisors of the DCG of the first and the second labels.
    """
    p = case.columns["p"].astype(object)
    z, w = ((gain[:, order] * c).sum(axis=1) for gain in gains(case))
    return np.asarray(p * z * over[1] + (PARTS - p) * w * over[0])


def identity(case: Cases) -> Iterator[Comparison]:
    n = case.columns["y"].shape[1]
    for c in integer_discounts(n):
        q, _ = normalised(case, c)
        left = expected_dcg(case, c, ideals(case, c), list(range(n)))
        yield Comparison(left, (q * c).sum(axis=1), "==", label=name(c))


def best_of(target: Target, is_ndcg: bool, case: Cases) -> Iterator[Comparison]:
    """Claim that no ranking has a larger E NDCG, or E DCG, than pi if pi sorts by the target."""
    n = case.columns["y"].shape[1]
    for c in integer_discounts(n):
        numbers, _ = target(case, c)
        sorts = np.asarray((numbers[:, :-1] >= numbers[:, 1:]).all(axis=1), dtype=bool)
        ones = np.ones(case.m, dtype=object)
        over = ideals(case, c) if is_ndcg else (ones, ones)
        every = [expected_dcg(case, c, over, list(order)) for order in permutations(range(n))]
        yield Comparison(np.max(every, axis=0), every[0], label=name(c)).keep_only(sorts)


def regret_bound(case: Cases) -> Iterator[Comparison]:
    """Claim the bound, squared, for f the running minimum of q along pi, by which pi sorts, times 2/3, 1 or 4/3."""
    n = case.columns["y"].shape[1]
    for c in integer_discounts(n):
        q, _ = normalised(case, c)
        every = [(q[:, list(order)] * c).sum(axis=1) for order in permutations(range(n))]
        left = np.max(every, axis=0) - every[0]
        for share in (2, 3, 4):
            squares = ((3 * q - share * np.minimum.accumulate(q, axis=1)) ** 2).sum(axis=1)
            yield Comparison(9 * left**2, pairing(c) * squares, squared=True, label=name(c))


PROOF = "docs/prove/regret.md, Expected NDCG"
WORDS = 'Ravikumar et al. 2011, Abstract: "several commonly used surrogates are NDCG inconsistent"'
ROWS = table("regret.ndcg", "Ravikumar et al.",
    Line("", "E NDCG is largest when documents are ranked by E[z_i / DCG_g], for any joint labels", "",
     settle_cases(partial(best_of, normalised, True), two_labels, 3)),
    Line("step1", "E NDCG_pi = sum c_pi E[z_i / DCG_g]", "linear", settle_cases(identity, two_labels, 3), OURS),
    Line("variant-regret", "max_tau E NDCG_tau - E NDCG_pi <= (sum (c_i - c_{n+1-i})^2)^(1/2) |q - f|, pi sorting by f",
     "a DCG with the gains q", settle_cases(regret_bound, two_labels, 3)),
    Line("variant-dcg", "E DCG is largest when documents are ranked by E z_i", "DCG",
     settle_cases(partial(best_of, expected_gain, False), two_labels, 3)),
    Line("variant-by-gain", "E NDCG is largest when documents are ranked by E z_i", "the gains, not divided",
     settle_cases(partial(best_of, expected_gain, True), two_labels, 3)),
    source=CITED, where=WORDS, proof=PROOF,
)  # fmt: skip

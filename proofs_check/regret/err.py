"""ERR of noisy labels: bounds of the ERR error are regret bounds if the labels are independent, and fail otherwise.

The labels of the documents are random; pi does not see them. R_i = (2^y_i - 1)/2^K, and g sorts by E R_i.

    labels independent:     E ERR_pi = ERR_pi(E R_1, ..., E R_n),
                            0 <= max_tau E ERR_tau - E ERR_pi <= sum_i (1/g_i - 1/pi_i) E R_i.

Proof: ERR is a sum of products of different R_i or 1 - R_i, and the expectation of a product of independent factors is
the product of the expectations. new.err_below_rr_dcg holds for any relevances in [0, 1], such as the E R_i, and so do
its consequences, with E R_i for (2^y_i - 1)/2^K: the root of oERR as (K_n / 2^K) |2^K E R - v| for any real v_i
that sort the documents (variant-oerr).

If the labels depend on each other, sorting by E R need not be best. Three documents with the labels (4, 4, 0) with
probability 3/5, and (0, 0, 4) otherwise, have E R = (9, 9, 6)/16. The second document is relevant exactly when the
first is, so the third should be second: the ranking by E R has a positive regret, where the right side is 0
(variant-dependent-regret). Two documents are not enough: however the labels depend on each other, the ranking by E R
has no regret, and the other one has half of the difference of the E R_i (variant-dependent-two).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import at, reciprocal
from proofs_check.engine.exact import err, relevance_gain, stops_by_relevance
from proofs_check.engine.instances import Cases, stable_g
from proofs_check.engine.probabilities import distributions
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.search import settle_cases
from proofs_check.new.err_oerr import pairing_squared

# number of documents -> (K, parts of the probabilities)
GRIDS = {1: ((1, 4), (2, 4), (4, 2)), 2: ((1, 4), (2, 3), (4, 2)), 3: ((1, 3), (2, 2)), 4: ((1, 2),)}


# ---- independent labels ----


def independent(n: int) -> Iterator[Cases]:
    """Yield the probabilities p, (m, n, K + 1), of the labels of n documents, in the order of pi."""
    for max_grade, parts in GRIDS[n]:
        p = distributions(max_grade + 1, parts)
        which = np.indices((len(p),) * n).reshape(n, -1).T
        yield Cases({"p": p[which]}, {"p": parts})


def expected_relevance(case: Cases) -> tuple[np.ndarray, int]:
    """Compute E R_i, (m, n), and its unit."""
    p, parts = case.columns["p"], case.scale["p"]
    grades = np.arange(p.shape[2])
    return p @ relevance_gain(grades), parts * 2 ** int(grades[-1])


def expected_err(case: Cases) -> np.ndarray:
    """Compute E ERR_pi from its definition, over all labels, times unit^n lcm(1..n), (m,)."""
    p = case.columns["p"]
    _, n, n_classes = p.shape
    total = np.zeros(len(p), dtype=np.int64)
    for labels in product(range(n_classes), repeat=n):
        chance = np.prod([p[:, i, label] for i, label in enumerate(labels)], axis=0)
        total += chance * int(err(np.array([labels]), 2 ** (n_classes - 1))[0])
    return total


def err_of(relevance: np.ndarray, scale: int) -> np.ndarray:
    """Compute ERR of relevances in the order of a ranking, times scale^n lcm(1..n), (m,)."""
    return (reciprocal(relevance.shape[1]) * stops_by_relevance(relevance, scale)).sum(axis=1)


def identity(case: Cases) -> Comparison:
    relevance, scale = expected_relevance(case)
    return Comparison(expected_err(case), err_of(relevance, scale), "==", unit=err_unit_of(relevance, scale))


def err_unit_of(relevance: np.ndarray, scale: int) -> int:
    n = relevance.shape[1]
    return int(scale**n * reciprocal(n)[0])


def regret(relevance: np.ndarray, scale: int) -> np.ndarray:
    """Compute max_tau ERR_tau - ERR_pi of relevances in the order of pi, over all rankings tau, (m,)."""
    orders = [err_of(relevance[:, list(order)], scale) for order in permutations(range(relevance.shape[1]))]
    return np.max(orders, axis=0) - err_of(relevance, scale)


def right_side(relevance: np.ndarray, scale: int) -> np.ndarray:
    """Compute sum (1/g_i - 1/pi_i) E R_i, times scale^n lcm(1..n), (m,)."""
    n = relevance.shape[1]
    c, g = reciprocal(n), stable_g(relevance)
    return scale ** (n - 1) * ((at(c, g) - c) * relevance).sum(axis=1)


def regret_bound(case: Cases) -> Comparison:
    relevance, scale = expected_relevance(case)
    return Comparison(regret(relevance, scale), right_side(relevance, scale), unit=err_unit_of(relevance, scale))


def root_of_oerr(case: Cases) -> Iterator[Comparison]:
    """Claim the bound by squares for v the running minimum or maximum of 2^K E R along pi, by which pi sorts."""
    relevance, scale = expected_relevance(case)
    n = relevance.shape[1]
    least = np.minimum.accumulate(relevance, axis=1)
    most = np.maximum.accumulate(relevance[:, ::-1], axis=1)[:, ::-1]
    for v in (least, most, (least + most) // 2):
        squares = ((relevance - v) ** 2).sum(axis=1).astype(object)
        right = pairing_squared(n) * scale ** (2 * n - 2) * squares
        left = regret(relevance, scale).astype(object) ** 2
        yield Comparison(left, right, squared=True, unit=err_unit_of(relevance, scale))


# ---- labels that depend on each other: the first labels with probability p, the second otherwise ----


def dependent(n: int) -> Iterator[Cases]:
    """Yield pairs of label vectors of n documents, in the order of pi, and the probability of the first in fifths."""
    for max_grade in (1, 2, 4) if n <= 2 else (1, 4):
        grades = range(max_grade + 1) if n <= 2 else (0, max_grade)
        labels = np.array(list(product(grades, repeat=n)))
        a, b, p = (part.ravel() for part in np.meshgrid(np.arange(len(labels)), np.arange(len(labels)), range(1, 5)))
        yield Cases({"y": labels[a], "x": labels[b], "p": p, "K": np.full(len(p), max_grade)}, {"p": 5})


def mixed(case: Cases, quantity: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Compute the expectation of a quantity with one value with probability p and another otherwise, in fifths."""
    p = case.columns["p"].reshape((-1,) + (1,) * (quantity.ndim - 1))
    return np.asarray(p * quantity + (5 - p) * other)


def mean_relevance(case: Cases) -> tuple[np.ndarray, int]:
    """Compute E R_i, (m, n), and its unit."""
    scale = 2 ** int(case.columns["K"][0])
    return mixed(case, relevance_gain(case.columns["y"]), relevance_gain(case.columns["x"])), 5 * scale


def mean_err(case: Cases, order: list[int]) -> np.ndarray:
    """Compute E ERR of the ranking with the documents in this order, times (5 2^K)^n lcm(1..n), (m,)."""
    scale, n = 2 ** int(case.columns["K"][0]), len(order)
    y, x = (err(case.columns[name][:, order], scale) for name in ("y", "x"))
    return mixed(case, y, x) * 5 ** (n - 1)


def dependent_identity(case: Cases) -> Comparison:
    relevance, scale = mean_relevance(case)
    n = relevance.shape[1]
    left = mean_err(case, list(range(n)))
    return Comparison(left, err_of(relevance, scale), "==", unit=err_unit_of(relevance, scale))


def dependent_regret(case: Cases) -> Comparison:
    relevance, scale = mean_relevance(case)
    n = relevance.shape[1]
    every = [mean_err(case, list(order)) for order in permutations(range(n))]
    left = np.max(every, axis=0) - every[0]
    return Comparison(left, right_side(relevance, scale), unit=err_unit_of(relevance, scale))


def of_two(case: Cases) -> Comparison:
    """Claim that the regret of two documents is the right side."""
    bound = dependent_regret(case)
    return Comparison(bound.left, bound.right, "==", unit=bound.unit)


PROOF = "docs/prove/regret.md, ERR of noisy labels"
ROWS = table("regret.err", "new",
    Line("", "labels independent: max_tau E ERR_tau - E ERR_pi <= sum (1/g_i - 1/pi_i) E R_i, g sorting by E R", "",
     settle_cases(regret_bound, independent, 4)),
    Line("step1", "labels independent: E ERR_pi = ERR_pi(E R)", "each R_i occurs once in a product",
     settle_cases(identity, independent, 4)),
    Line("variant-oerr", "labels independent: max_tau E ERR_tau - E ERR_pi <= (K_n / 2^K) |2^K E R - v|, pi sorting by "
     "v", "root of oERR", settle_cases(root_of_oerr, independent, 4)),
    Line("variant-dependent", "any labels: E ERR_pi = ERR_pi(E R)", "without independence",
     settle_cases(dependent_identity, dependent, 3)),
    Line("variant-dependent-regret", "any labels: max_tau E ERR_tau - E ERR_pi <= sum (1/g_i - 1/pi_i) E R_i",
     "without independence", settle_cases(dependent_regret, dependent, 3)),
    Line("variant-dependent-two", "any labels of two documents: an equality", "n = 2",
     settle_cases(of_two, dependent, 2, smallest=2)),
    source=OURS, proof=PROOF,
)  # fmt: skip

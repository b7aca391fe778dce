"""McRank, Eq. 8 (Sec. 4): class probabilities from cumulative ones that were learned separately.

As printed: Pr(y <= k), k = 0..3, are learned one by one, and "we then infer the class probabilities p_k = Pr(y <= k) -
Pr(y <= k - 1)". For one distribution this is an identity. For separately learned Q_0..Q_{K-2}, with Q_{-1} = 0 and
Q_{K-1} = 1:

    p_k < 0 exactly if Q_k < Q_{k-1} (variant-separate); the p_k sum to 1 in any case (variant-sum).

The expected relevance does not suffer. By Abel summation

    sum_k k p_k = sum_{k < K-1} (1 - Q_k)                                                      (variant-abel)

which lies in [0, K-1] and falls in each Q_k, whether they cross or not. For any T: sum_k T(k) p_k = T(K-1) - sum
(T(k+1) - T(k)) Q_k.

Repairs do change rankings: clipping negative p_k to 0, with or without dividing by the new sum (variant-clip,
variant-clip-normalise), and the running maximum of Q (variant-running-maximum). Sorting each document's Q makes all
p_k >= 0 and keeps every expected relevance, hence every ranking (variant-sort): sum (1 - Q_k) does not depend on the
order of the Q_k.

Instances: single documents or pairs; "n" is the number of classes K. Q is in sevenths for K <= 3, since no coarser grid
shows the effect of clipping and normalising on three classes, and in quarters above.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial
from itertools import product

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import IMPLIED, Line, table
from proofs_check.mcrank.eq6 import distributions, over

Repair = Callable[[np.ndarray], tuple[np.ndarray, np.ndarray]]


def unit_of(n_classes: int) -> int:
    """Choose the denominator of the probabilities."""
    return 7 if n_classes <= 3 else 4


def one_of(q: np.ndarray) -> int:
    """Return the denominator of Q_0..Q_{K-2}, (m, K-1)."""
    return unit_of(q.shape[1] + 1)


def class_probabilities(q: np.ndarray) -> np.ndarray:
    """Compute Eq. 8, in the unit of q, (m, K)."""
    edge = np.zeros((len(q), 1), dtype=np.int64)
    return np.diff(np.concatenate([edge, q, edge + one_of(q)], axis=1), axis=1)


def relevance(p: np.ndarray) -> np.ndarray:
    """Compute the expected relevance, (m,)."""
    return (p * np.arange(p.shape[1])).sum(axis=1)


# ---- one document ----


def one_distribution(n_classes: int) -> Iterator[Cases]:
    unit = unit_of(n_classes)
    yield Cases({"p": distributions(n_classes, unit)}, {"p": unit})


def identity(cases: Cases) -> Iterator[Comparison]:
    p = cases.columns["p"]
    recovered = class_probabilities(np.cumsum(p, axis=1)[:, :-1])
    for k in range(p.shape[1]):
        yield Comparison(recovered[:, k], p[:, k], "==", unit=unit_of(p.shape[1]))


def separately_learned(n_classes: int) -> Iterator[Cases]:
    """Yield all Q_0..Q_{K-2}."""
    yield Cases({"Q": every_q(n_classes)}, {"Q": unit_of(n_classes)})


def every_q(n_classes: int) -> np.ndarray:
    """List all vectors of n_classes - 1 probabilities, (m, K-1)."""
    return np.array(list(product(range(unit_of(n_classes) + 1), repeat=n_classes - 1)), dtype=np.int64)


def not_negative(cases: Cases) -> Iterator[Comparison]:
    p = class_probabilities(cases.columns["Q"])
    for k in range(p.shape[1]):
        yield Comparison(np.zeros(cases.m, dtype=np.int64), p[:, k], unit=unit_of(p.shape[1]), label=f"0 <= p_{k}")


def crossed(cases: Cases) -> Comparison:
    q = cases.columns["Q"]
    falls = (q[:, 1:] < q[:, :-1]).any(axis=1)
    return Comparison((class_probabilities(q) < 0).any(axis=1).astype(int), falls.astype(int), "==")


def sums_to_one(cases: Cases) -> Comparison:
    q = cases.columns["Q"]
    return Comparison(class_probabilities(q).sum(axis=1), np.full(cases.m, one_of(q)), "==")


def abel(cases: Cases) -> Iterator[Comparison]:
    q = cases.columns["Q"]
    p, unit = class_probabilities(q), one_of(q)
    yield Comparison(relevance(p), (unit - q).sum(axis=1), "==", unit=unit)
    for t in (2 ** np.arange(p.shape[1]), np.arange(p.shape[1]) ** 2):
        yield Comparison((p * t).sum(axis=1), t[-1] * unit - (np.diff(t) * q).sum(axis=1), "==", unit=unit)


def bounded(cases: Cases) -> Iterator[Comparison]:
    p = class_probabilities(cases.columns["Q"])
    unit = unit_of(p.shape[1])
    highest = np.full(cases.m, unit * (p.shape[1] - 1))
    yield Comparison(relevance(p), highest, unit=unit)
    yield Comparison(highest - relevance(p), highest, unit=unit)


# ---- repairs, on pairs of documents; a score is (numerator, denominator) ----


def pairs(n_classes: int) -> Iterator[Cases]:
    """Yield every pair of separately learned vectors, in batches."""
    q, unit = every_q(n_classes), unit_of(n_classes)
    for first in q:
        yield Cases({"Q": np.broadcast_to(first, q.shape), "R": q}, {"Q": unit, "R": unit})


def orders(repaired: Repair, cases: Cases) -> tuple[np.ndarray, np.ndarray]:
    """Compute the order of each pair before and after the repair: 1, 0, -1."""
    q, r = cases.columns["Q"], cases.columns["R"]
    (a, over_a), (b, over_b) = repaired(q), repaired(r)
    before = relevance(class_probabilities(q)) - relevance(class_probabilities(r))
    return np.sign(before), np.sign(a * over_b - b * over_a)


def reverses_none(repaired: Repair, cases: Cases) -> Comparison:
    before, after = orders(repaired, cases)
    return Comparison(-before * after, np.zeros(cases.m, dtype=np.int64))


def changes_none(repaired: Repair, cases: Cases) -> Comparison:
    before, after = orders(repaired, cases)
    return Comparison(after, before, "==")


def clipped(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p = np.maximum(class_probabilities(q), 0)
    return relevance(p), np.full(len(q), one_of(q))


def clipped_normalised(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    p = np.maximum(class_probabilities(q), 0)
    return relevance(p), p.sum(axis=1)


def running_maximum(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return relevance(class_probabilities(np.maximum.accumulate(q, axis=1))), np.full(len(q), one_of(q))


def sorted_q(q: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    return relevance(class_probabilities(np.sort(q, axis=1))), np.full(len(q), one_of(q))


def sorted_is_lawful(cases: Cases) -> Iterator[Comparison]:
    return not_negative(Cases({"Q": np.sort(cases.columns["Q"], axis=1)}, cases.scale))


INFER = 'Sec. 4, Eq. 8: "learn Pr(y_i <= 2), ..., separately. We then infer the class probabilities"'
ROWS = table("mcrank.eq8", "McRank",
    Line("", "p_k = Pr(y <= k) - Pr(y <= k-1) for one distribution", "", over(one_distribution, identity),
     where=INFER),
    Line("variant-separate", "p_k >= 0 for separately learned Q_k",
     "learned separately", over(separately_learned, not_negative), IMPLIED, INFER),
    Line("variant-crossed", "some p_k < 0 exactly where the Q_k cross",
     "learned separately", over(separately_learned, crossed)),
    Line("variant-sum", "sum p_k = 1 for any Q_k", "learned separately", over(separately_learned, sums_to_one)),
    Line("variant-abel", "sum k p_k = sum (1 - Q_k), for any Q_k; similarly for any T",
     "expected relevance", over(separately_learned, abel)),
    Line("variant-bounded", "0 <= sum k p_k <= K-1, for any Q_k", "expected relevance",
     over(separately_learned, bounded)),
    Line("variant-clip", "clipping p_k at 0 reverses no pair", "repair", over(pairs, partial(reverses_none, clipped))),
    Line("variant-clip-normalise", "clipping and dividing by the sum reverses no pair",
     "repair", over(pairs, partial(reverses_none, clipped_normalised))),
    Line("variant-running-maximum", "Q_k := max(Q_0..Q_k) reverses no pair",
     "repair", over(pairs, partial(reverses_none, running_maximum))),
    Line("variant-sort", "sorting each document's Q_k keeps all rankings, ties included",
     "repair", over(pairs, partial(changes_none, sorted_q))),
    Line("variant-sort-lawful", "sorting makes all p_k >= 0", "repair", over(separately_learned, sorted_is_lawful)),
    proof="docs/reference/errata.md, McRank Eq. 6 and Eq. 8",
)  # fmt: skip

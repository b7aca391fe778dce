"""COCR, Sec. 3.1 and 4.3: the shape of the three costs, and the example with y = 3.

As printed. c[k] is "larger when k is further away from y"; for K = 4 and y = 3 the costs are (3, 2, 1, 0, 1),
(9, 4, 1, 0, 1) and (49, 36, 16, 0, 64); "when normalized by the largest component in the cost, the oERR vector
penalizes for mis-ranking errors more than the squared cost".

All three are V-shaped. Eq. 3 and 4 are convex, Eq. 13 is not: for y = 3 its steps are -13, -20, -16, ... This matters
for answers g that are not rank-monotone (lin_li.reduction). The sentence on the normalised costs fails in the example
itself, at k = 0: 49/64 < 9/9. For y = 0, 1 and 2 it fails at every k except y and K.

How it is checked. Every entry of every cost vector for K up to 12, in integers. The size n is K.
"""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import IMPLIED, PRINTED, Line, table
from proofs_check.engine.search import settle_cases
from refrank.cocr.costs import absolute, oerr, squared

TABLES = {"absolute": absolute, "squared": squared, "oERR": oerr}


def every_entry(names: tuple[str, ...], max_grade: int) -> Iterator[Cases]:
    """Yield one case for each named cost, grade y and prediction k."""
    for name in names:
        y, k = np.divmod(np.arange((max_grade + 1) ** 2), max_grade + 1)
        yield Cases({"y": y, name: TABLES[name](y, max_grade), "k": k})


def cost_of(case: Cases) -> np.ndarray:
    """Return the cost vectors, (m, K + 1)."""
    return case.columns[list(case.columns)[1]]


def at_k(costs: np.ndarray, k: np.ndarray) -> np.ndarray:
    """Look up c[k], taking c[0] below 0 and c[K] above K, (m,)."""
    return costs[np.arange(len(costs)), np.clip(k, 0, costs.shape[1] - 1)]


def v_shaped(case: Cases) -> Comparison:
    """Claim that c[k] is at least its neighbour on the side of y."""
    y, k, cost = case.columns["y"], case.columns["k"], cost_of(case)
    return Comparison(at_k(cost, k + np.sign(y - k)), at_k(cost, k))


def convex(case: Cases) -> Comparison:
    """Claim c[k] - c[k-1] <= c[k+1] - c[k] for 0 < k < K."""
    k, cost = case.columns["k"], cost_of(case)
    inside = (k > 0) & (k < cost.shape[1] - 1)
    return Comparison(at_k(cost, k) - at_k(cost, k - 1), at_k(cost, k + 1) - at_k(cost, k)).keep_only(inside)


def normalised(case: Cases) -> Comparison:
    """Claim squared / its maximum <= oERR / its maximum."""
    y, k, ours = case.columns["y"], case.columns["k"], cost_of(case)
    theirs = squared(y, ours.shape[1] - 1)
    left, right = at_k(theirs, k) * ours.max(axis=1), at_k(ours, k) * theirs.max(axis=1)
    return Comparison(left, right, label="times both maxima")


def papers_example(max_grade: int) -> Iterator[Cases]:
    """Yield the cases of y = 3."""
    (case,) = every_entry(("oERR",), max_grade)
    yield case.take(np.flatnonzero(case.columns["y"] == 3))


def example(case: Cases) -> Iterator[Comparison]:
    """Compare the vectors with those printed for K = 4, y = 3."""
    k = case.columns["k"]
    vectors = {"absolute": (3, 2, 1, 0, 1), "squared": (9, 4, 1, 0, 1), "oERR": (49, 36, 16, 0, 64)}
    for name, printed in vectors.items():
        yield Comparison(at_k(TABLES[name](case.columns["y"], 4), k), np.array(printed)[k], "==", label=name)


NORMALISED = 'Sec. 4.3: "when normalized by the largest component in the cost, the oERR vector penalizes ... more"'
ROWS = table("cocr.oerr", "COCR",
    Line("variant-example", "y = 3, K = 4: the three printed vectors", "Sec. 3.1, 4.3",
     settle_cases(example, papers_example, 4, smallest=4), PRINTED,
     'Sec. 4.3: "with y_n = 3, the squared cost is (9, 4, 1, 0, 1) and the oERR cost is (49, 36, 16, 0, 64)"'),
    Line("variant-v-shaped", "Eq. 3, 4, 13: c[k] is larger when k is further away from y", "n = K",
     settle_cases(v_shaped, partial(every_entry, tuple(TABLES)), 12), PRINTED,
     'Sec. 3.1: "the cost c_n[k] is assumed to be larger when k is further away from y_n"'),
    Line("variant-convex-absolute-squared", "Eq. 3 and 4 are convex in k",
     "n = K", settle_cases(convex, partial(every_entry, ("absolute", "squared")), 12)),
    Line("variant-convex", "Eq. 13 is convex in k", "n = K",
     settle_cases(convex, partial(every_entry, ("oERR",)), 12)),
    Line("variant-normalised", "normalised by the largest entry, oERR >= squared at every k, K = 4, y = 3",
     "the example", settle_cases(normalised, papers_example, 4, smallest=4), PRINTED, NORMALISED),
    Line("variant-normalised-every-grade", "the statement for every K and y",
     "n = K", settle_cases(normalised, partial(every_entry, ("oERR",)), 12), IMPLIED, NORMALISED),
)  # fmt: skip

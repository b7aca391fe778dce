"""COCR, Eq. 3, 4, 13 and 5: the three costs, by the weights that they give to the binary problems.

    absolute   c[k] = |y - k|            w_k = 1
    squared    c[k] = (y - k)^2          w_k = |2 (y - k) + 1|
    oERR       c[k] = (2^y - 2^k)^2      w_k = 2^(k-1) |2^(y+1) - 3 * 2^(k-1)|

As c[y] = 0 and each cost is V-shaped, the weights between y and k add up to c[k]: they determine the cost.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, PRINTED, Line, table
from proofs_check.engine.search import settle_cases
from refrank.cocr.costs import absolute, oerr, squared
from refrank.cocr.reduction import weights

Weight = Callable[[np.ndarray, np.ndarray], np.ndarray]
COSTS = {"absolute": absolute, "squared": squared, "oERR": oerr}
WEIGHTS: dict[str, Weight] = {
    "absolute": lambda y, k: np.ones_like(y + k),
    "squared": lambda y, k: abs(2 * (y - k) + 1),
    "oERR": lambda y, k: 2 ** (k - 1) * abs(2 ** (y + 1) - 3 * 2 ** (k - 1)),
}


def every_grade(max_grade: int) -> Iterator[Cases]:
    """Yield one case per grade."""
    yield Cases({"y": np.arange(max_grade + 1), "K": np.full(max_grade + 1, max_grade)})


def telescoped(case: Cases) -> Iterator[Comparison]:
    """Compare each cost with the sum of the weights between y and k."""
    y, max_grade = case.columns["y"], int(case.columns["K"][0])
    for name, cost in COSTS.items():
        costs = cost(y, max_grade)
        w = np.pad(np.cumsum(weights(costs), axis=1), ((0, 0), (1, 0)))  # (K + 1, K + 1)
        between = abs(w - np.take_along_axis(w, y[:, np.newaxis], axis=1))
        for k in range(max_grade + 1):
            yield Comparison(between[:, k], costs[:, k], "==", label=f"{name}, k={k}")


def by_formula(name: str, case: Cases) -> Iterator[Comparison]:
    y, max_grade = case.columns["y"], int(case.columns["K"][0])
    computed = weights(COSTS[name](y, max_grade))
    for k in range(1, max_grade + 1):
        yield Comparison(computed[:, k - 1], WEIGHTS[name](y, np.array(k)), "==", label=f"k={k}")


def of(name: str) -> Callable:
    """Settle the weights of a cost, K = 1 to 12."""
    return settle_cases(partial(by_formula, name), every_grade, 12)


EQUAL = 'Sec. 3.1: "the absolute cost simply results in w_n^(k) = 1 (equal weights)"'
ROWS = table("cocr.costs", "COCR",
    Line("", "the weights of Eq. 5 between y and k add up to c[k], Eq. 3, 4, 13", "n = K",
     settle_cases(telescoped, every_grade, 12)),
    Line("variant-absolute", "the weights of Eq. 3 are 1", "n = K", of("absolute"), PRINTED, EQUAL),
    Line("variant-squared", "the weights of Eq. 4 are |2 (y - k) + 1|", "n = K", of("squared")),
    Line("variant-oerr", "the weights of Eq. 13 are 2^(k-1) |2^(y+1) - 3 * 2^(k-1)|", "n = K", of("oERR")),
    source=OURS,
)  # fmt: skip

"""Lin and Li's reduction as COCR uses it (Sec. 3.1): the cost of the counting ranker and the binary errors.

One document of grade y, costs c[0..K] with c[y] = 0, answers g_k in {0, 1} to "is the grade k or higher?",

    b_k = [y >= k]  (Eq. 1),   r_g = sum_{k=1..K} g_k  (Eq. 2),   w_k = |c[k] - c[k-1]|  (Eq. 5).

COCR learns each g_k by itself, requires the cost to be "larger when k is further away from y" (V-shaped), and says that
r_g predicts well when the g_k answer well. As a statement:

    c[r_g] <= sum_k w_k [b_k != g_k],     for Eq. 3, Eq. 4, Eq. 13, any g.

Eq. 3 and 4 satisfy it. Eq. 13 does not: for y = 3, g = (0, 1, 1) counts to 2, which costs 16, and the one wrong answer
has the weight c[0] - c[1] = 13. The true statements:

    rank-monotone g (g_1 >= g_2 >= ...), V-shaped c    equality                        variant-rank-monotone
    any g, convex c                                    holds                           variant-convex
    any g, Eq. 13, K = 4                               29 c <= 64 sum, attained        variant-oerr-constant

Soft answers h_k in [0, 1], r_h = sum h_k (Eq. 6), have the errors sum_k w_k |h_k - b_k|. A rank-monotone h is the
distribution P(R >= k) = h_k of a random grade R with mean r_h, and the errors are its expected cost E c[R]. By Jensen
c(r_h) is not above them for a convex c. So

    any real h, Eq. 3; any h in [0, 1], Eq. 4          hold                            variant-soft-...
    rank-monotone h, Eq. 13, K = 4, r_h an integer     25 c <= 32 sum, attained        variant-soft-oerr-constant

Eq. 13 fails for soft answers from K = 2 on: y = 2, h = (1/2, 0) costs (4 - sqrt 2)^2 = 6.69, and the errors are 5/2 + 4
(variant-soft-oerr).

The proofs are in docs/reference/errata.md, COCR Sec. 3.1.

How it is checked. All grades and all answers; costs and weights are integers, soft answers are fourths. The size n is
K.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import partial
from itertools import product

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact import UNIT
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import CITED, OURS, Line, table
from proofs_check.engine.search import settle_cases
from refrank.cocr.costs import absolute, is_convex, oerr, squared

FOURTHS = 4

Costs = Callable[[int], Iterable[tuple[int, np.ndarray]]]  # K -> (y, c[0..K])
Answers = Callable[[int], np.ndarray]  # K -> (m, K), in fourths


# ---- enumerated costs and answers ----


def costs_of(*equations: Callable[[np.ndarray, int], np.ndarray]) -> Costs:
    """Build the costs of these equations for every grade."""

    def costs(max_grade: int) -> Iterator[tuple[int, np.ndarray]]:
        for equation in equations:
            yield from enumerate(equation(np.arange(max_grade + 1), max_grade))

    return costs


def v_shaped(max_grade: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield every V-shaped cost whose weights |c[k] - c[k-1]| are 0 to 3."""
    for y in range(max_grade + 1):
        for weights in product(range(4), repeat=max_grade):
            fall, rise = weights[:y], weights[y:]
            yield y, np.array([*np.cumsum(fall[::-1])[::-1], 0, *np.cumsum(rise)])


def convex(max_grade: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield the convex ones among these costs."""
    return ((y, cost) for y, cost in v_shaped(max_grade) if is_convex([cost])[0])


def any_cost(max_grade: int) -> Iterator[tuple[int, np.ndarray]]:
    """Yield every cost of 0 to 3 with c[y] = 0, of any shape."""
    for y in range(max_grade + 1):
        for cost in product(range(4), repeat=max_grade + 1):
            if cost[y] == 0:
                yield y, np.array(cost)


def hard(max_grade: int) -> np.ndarray:
    """List all answers g."""
    return FOURTHS * np.array(list(product((0, 1), repeat=max_grade)))


def soft(max_grade: int) -> np.ndarray:
    """List all h in [0, 1]."""
    return np.array(list(product(range(FOURTHS + 1), repeat=max_grade)))


def beyond(max_grade: int) -> np.ndarray:
    """List all h from -1/2 to 3/2."""
    return np.array(list(product(range(-2, 7), repeat=max_grade)))


def monotone(answers_of: Answers) -> Answers:
    """Keep the answers with g_1 >= g_2 >= ..."""

    def answers(max_grade: int) -> np.ndarray:
        every = answers_of(max_grade)
        return every[(np.diff(every, axis=1) <= 0).all(axis=1)]

    return answers


def each(costs: Costs, answers_of: Answers) -> Callable[[int], Iterator[Cases]]:
    """Combine every cost with all answers: columns y, c, the error of each answer, and the answers."""

    def instances(max_grade: int) -> Iterator[Cases]:
        answers = answers_of(max_grade)
        k = np.arange(1, max_grade + 1)
        for y, cost in costs(max_grade):
            b = FOURTHS * (y >= k)  # Eq. 1
            columns = {
                "y": np.full(len(answers), y),
                "c": np.broadcast_to(cost, (len(answers), max_grade + 1)),
                "off": abs(answers - b),
                "g": answers,
            }
            yield Cases(columns, {"off": FOURTHS, "g": FOURTHS})

    return instances


# ---- both sides ----


def binary_errors(case: Cases) -> np.ndarray:
    """Compute sum_k w_k |h_k - b_k|, in fourths, (m,)."""
    w = abs(np.diff(case.columns["c"], axis=1))  # Eq. 5
    return (w * case.columns["off"]).sum(axis=1)


def reduction(case: Cases, p: int = 1, q: int = 1, relation: str = "<=") -> Comparison:
    """Claim p c[r] <= q sum if the count of the answers is a grade 0..K; both sides are 0 otherwise."""
    counted, rest = np.divmod(case.columns["g"].sum(axis=1), FOURTHS)  # Eq. 2, Eq. 6
    left = FOURTHS * p * np.take_along_axis(case.columns["c"], counted[:, np.newaxis], axis=1)[:, 0]
    right = q * binary_errors(case)
    return Comparison(left, right, relation, unit=FOURTHS).keep_only(rest == 0)


def soft_absolute(case: Cases) -> Comparison:
    """Compare both sides for Eq. 3 at any real r_h."""
    left = abs(FOURTHS * case.columns["y"] - case.columns["g"].sum(axis=1))
    return Comparison(left, binary_errors(case), unit=FOURTHS)


def soft_oerr(case: Cases) -> Comparison:
    """Compare both sides for Eq. 13 at any real r_h, in floats: 2^r_h is irrational.

    Slack: 2^r_h <= 2^K and the square of 2^y - 2^r_h <= 4^K carry at most 8 roundings; the right side is exact.
    """
    max_grade = case.columns["c"].shape[1] - 1
    left = (2.0 ** case.columns["y"] - 2.0 ** (case.columns["g"].sum(axis=1) / FOURTHS)) ** 2
    return Comparison(left, binary_errors(case) / FOURTHS, slack=8 * UNIT * 4.0**max_grade)


def soft_squared(case: Cases) -> Comparison:
    """Compare both sides for Eq. 4 at any real r_h, in sixteenths."""
    left = (FOURTHS * case.columns["y"] - case.columns["g"].sum(axis=1)) ** 2
    return Comparison(left, FOURTHS * binary_errors(case), unit=FOURTHS**2)


# ---- the table ----

EVERY, OERR = costs_of(absolute, squared, oerr), costs_of(oerr)
BOUND = "c[r_g] <= sum_k w_k [b_k != g_k]"
SOFT = "c(r_h) <= sum_k w_k |h_k - b_k|"
JUSTIFIED = 'COCR Sec. 3.1: "The theoretical justification for using the weights is shown by Lin and Li (2012)"'

ROWS = table("lin_li.reduction", "Lin-Li",
    Line("", f"{BOUND} for Eq. 3, 4 and 13, any g", "n = K", settle_cases(reduction, each(EVERY, hard), 6)),
    Line("variant-absolute", f"{BOUND} for Eq. 3, any g",
     "absolute; n = K", settle_cases(reduction, each(costs_of(absolute), hard), 6)),
    Line("variant-squared", f"{BOUND} for Eq. 4, any g",
     "squared; n = K", settle_cases(reduction, each(costs_of(squared), hard), 6)),
    Line("variant-oerr", f"{BOUND} for Eq. 13, any g", "oERR; n = K", settle_cases(reduction, each(OERR, hard), 6)),
    Line("variant-oerr-constant", "29 c[r_g] <= 64 sum_k w_k [b_k != g_k] for Eq. 13, any g, K <= 4",
     "sharp at K = 4; n = K", settle_cases(partial(reduction, p=29, q=64), each(OERR, hard), 4)),
    Line("variant-rank-monotone", "c[r_g] = sum_k w_k [b_k != g_k] for any V-shaped c, rank-monotone g",
     "telescoping; n = K", settle_cases(partial(reduction, relation="=="), each(v_shaped, monotone(hard)), 4),
     CITED, JUSTIFIED),
    Line("variant-any-cost", f"{BOUND} for any c, rank-monotone g",
     "triangle inequality; n = K", settle_cases(reduction, each(any_cost, monotone(hard)), 4), CITED, JUSTIFIED),
    Line("variant-v-shaped", f"{BOUND} for any V-shaped c, any g",
     "premise of Sec. 3.1; n = K", settle_cases(reduction, each(v_shaped, hard), 4)),
    Line("variant-convex", f"{BOUND} for any convex c, any g",
     "premise that suffices; n = K", settle_cases(reduction, each(convex, hard), 4)),
    Line("variant-soft-absolute", f"{SOFT} for Eq. 3, any real h",
     "absolute; n = K", settle_cases(soft_absolute, each(costs_of(absolute), beyond), 4)),
    Line("variant-soft-squared", f"{SOFT} for Eq. 4, h in [0, 1]",
     "squared; n = K", settle_cases(soft_squared, each(costs_of(squared), soft), 4)),
    Line("variant-soft-squared-outside", f"{SOFT} for Eq. 4, any real h",
     "squared, h as in Theorem 1; n = K", settle_cases(soft_squared, each(costs_of(squared), beyond), 4)),
    Line("variant-soft-oerr", f"{SOFT} for Eq. 13, rank-monotone h in [0, 1]",
     "oERR; n = K", settle_cases(soft_oerr, each(OERR, monotone(soft)), 4)),
    Line("variant-soft-oerr-constant", "25 c(r_h) <= 32 sum_k w_k |h_k - b_k| for Eq. 13, rank-monotone h in [0, 1], "
     "r_h an integer, K <= 4",
     "sharp at K = 4; n = K", settle_cases(partial(reduction, p=25, q=32), each(OERR, monotone(soft)), 4)),
    Line("variant-soft-convex", f"{SOFT} for any convex c, h in [0, 1], r_h an integer",
     "convex; n = K", settle_cases(reduction, each(convex, soft), 4)),
    source=OURS, proof="docs/reference/errata.md, COCR Sec. 3.1",
)  # fmt: skip

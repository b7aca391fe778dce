"""Class probabilities of McRank, and COCR's costs with real answers; the size is n, or K for one document."""

from __future__ import annotations

from collections.abc import Iterator
from functools import partial
from itertools import pairwise, product
from typing import Any

import numpy as np
import z3

from proofs_check.smt.dcg import size
from proofs_check.smt.err import Reals, falling, reals, total
from proofs_check.smt.scores import distribution
from proofs_check.smt.solve import Goal, Obligation
from refrank.cocr.costs import absolute, oerr

GRADES = 4  # K of the class probabilities


# ---- documents with labels and probabilities, in the order of a score ----


def class_proba(constant: int, score: tuple[int, ...], n: int) -> Iterator[Obligation]:
    """Claim DCG_g - DCG_pi <= constant (c_1 - c_n) sum (1 - p_y) for the steps c = [i <= L]; pi by the score."""
    drawn = [distribution(f"p{i}", GRADES + 1) for i in range(1, n + 1)]
    premises = [premise for _, conditions in drawn for premise in conditions]
    premises += falling([total([v * weight for v, weight in zip(p, score, strict=True)]) for p, _ in drawn])
    for y in product(range(GRADES + 1), repeat=n):
        left_over = total([1 - p[label] for (p, _), label in zip(drawn, y, strict=True)])
        gain = [2**label - 1 for label in y]
        best = sorted(gain, reverse=True)
        for level in range(1, n):
            error = sum(best[:level]) - sum(gain[:level])
            if error:
                yield Obligation(f"y = {y}, c = [i <= {level}]", premises, z3.RealVal(error), constant * left_over)


def by_expected_gain(n: int) -> Iterator[Obligation]:
    return class_proba(15, (0, 1, 3, 7, 15), n)


def by_expected_relevance(n: int) -> Iterator[Obligation]:
    return class_proba(32, (0, 1, 2, 3, 4), n)


# ---- COCR: one document of grade y, costs c, answers h to "k or higher?" ----


def weighted_errors(costs: list[Any], y: int, h: Reals) -> Any:
    """Compute sum_k w_k |h_k - b_k|."""
    weights = [size(b - a) for a, b in pairwise(costs)]
    return total([w * size(h_k - (1 if y >= k else 0)) for k, (w, h_k) in enumerate(zip(weights, h, strict=True), 1)])


def within(h: Reals) -> list[Any]:
    return [z3.And(value >= 0, value <= 1) for value in h]


def oerr_constant(least: int, most: int, monotone: bool, max_grade: int) -> Iterator[Obligation]:
    """Claim least c[r] <= most sum_k w_k |h_k - b_k| for Eq. 13, h in [0, 1] that add up to an integer r."""
    h = reals("h", max_grade)
    premises = [*within(h), *(falling(h) if monotone else [])]
    for y, r in product(range(max_grade + 1), repeat=2):
        costs = [int(c) for c in oerr(np.array([y]), max_grade)[0]]
        right = most * weighted_errors(costs, y, h)
        yield Obligation(f"y = {y}, r = {r}", [*premises, total(h) == r], z3.RealVal(least * costs[r]), right)


def soft_absolute(max_grade: int) -> Iterator[Obligation]:
    h = reals("h", max_grade)
    for y in range(max_grade + 1):
        costs = [int(c) for c in absolute(np.array([y]), max_grade)[0]]
        yield Obligation(f"y = {y}", [], size(total(h) - y), weighted_errors(costs, y, h))


def soft_squared(max_grade: int) -> Iterator[Obligation]:
    h = reals("h", max_grade)
    for y in range(max_grade + 1):
        costs = [(y - k) ** 2 for k in range(max_grade + 1)]
        apart = total(h) - y
        yield Obligation(f"y = {y}", within(h), apart * apart, weighted_errors(costs, y, h))


def soft_convex(max_grade: int) -> Iterator[Obligation]:
    """Claim c[r] <= sum_k w_k |h_k - b_k| for any real convex costs with c[y] = 0, V-shaped; h add up to r."""
    h, c = reals("h", max_grade), reals("c", max_grade + 1)
    steps = [b - a for a, b in pairwise(c)]
    convex = [a <= b for a, b in pairwise(steps)]
    for y, r in product(range(max_grade + 1), repeat=2):
        shaped = [step <= 0 if k < y else step >= 0 for k, step in enumerate(steps)]
        premises = [c[y] == 0, *shaped, *convex, *within(h), total(h) == r]
        yield Obligation(f"y = {y}, r = {r}", premises, c[r], weighted_errors(c, y, h))


def hard(max_grade: int, *, monotone: bool, convex: bool) -> Iterator[Obligation]:
    """Claim c[r] <= sum_k w_k [g_k != b_k] for any real costs with c[y] = 0."""
    c = reals("c", max_grade + 1)
    steps = [b - a for a, b in pairwise(c)]
    for y in range(max_grade + 1):
        premises = [c[y] == 0, *([a <= b for a, b in pairwise(steps)] if convex else [])]
        if convex:
            premises += [step <= 0 if k < y else step >= 0 for k, step in enumerate(steps)]
        for g in product((0, 1), repeat=max_grade):
            if not monotone or list(g) == sorted(g, reverse=True):
                right = weighted_errors(c, y, [z3.RealVal(value) for value in g])
                yield Obligation(f"y = {y}, g = {g}", premises, c[sum(g)], right)


def any_cost(max_grade: int) -> Iterator[Obligation]:
    return hard(max_grade, monotone=True, convex=False)


def any_convex(max_grade: int) -> Iterator[Obligation]:
    return hard(max_grade, monotone=False, convex=True)


def regret(max_grade: int, *, monotone: bool) -> Iterator[Obligation]:
    """Claim C[r] - C[k] <= the sum of the weighted regrets, oERR cost, any noise and any rank k."""
    p, premises = distribution("p", max_grade + 1)
    table = oerr(np.arange(max_grade + 1), max_grade)
    expected = [total([v * int(c) for v, c in zip(p, column, strict=True)]) for column in table.T]
    steps = [b - a for a, b in pairwise(expected)]
    for g in product((0, 1), repeat=max_grade):
        if monotone and list(g) != sorted(g, reverse=True):
            continue
        excess = [z3.If((step > 0) == bool(answer), size(step), 0) for step, answer in zip(steps, g, strict=True)]
        for k in range(max_grade + 1):
            yield Obligation(f"g = {g}, k = {k}", premises, expected[sum(g)] - expected[k], total(excess))


def theorem1(max_grade: int) -> Iterator[Obligation]:
    """Claim (sum h_k - sum P_k)^2 <= K sum (h_k - P_k)^2; the differences are any reals."""
    d = reals("d", max_grade)
    yield Obligation("d = h - P", [], total(d) * total(d), max_grade * total([value * value for value in d]))


GOALS = (
    Goal("losses.class_proba", (2, 3), by_expected_gain),
    Goal("losses.class_proba.variant-expected-relevance", (2, 3), by_expected_relevance),
    Goal("lin_li.reduction.variant-any-cost", (1, 2, 3, 4), any_cost),
    Goal("lin_li.reduction.variant-convex", (1, 2, 3, 4), any_convex),
    Goal("lin_li.reduction.variant-soft-absolute", (1, 2, 3, 4), soft_absolute),
    Goal("lin_li.reduction.variant-soft-squared", (1, 2, 3, 4), soft_squared),
    Goal("lin_li.reduction.variant-soft-convex", (1, 2, 3, 4), soft_convex),
    Goal("lin_li.reduction.variant-oerr-constant", (1, 2, 3, 4), partial(oerr_constant, 29, 64, False)),
    Goal("lin_li.reduction.variant-soft-oerr-constant", (1, 2, 3, 4), partial(oerr_constant, 25, 32, True)),
    Goal("cocr.theorem1", (1, 2, 3, 4), theorem1),
    Goal("regret.lin_li", (1, 2, 3, 4), partial(regret, monotone=True)),
    Goal("regret.lin_li.variant-any", (1, 2), partial(regret, monotone=False), fails_at=3),
)

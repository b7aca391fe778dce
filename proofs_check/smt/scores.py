"""McRank's scores for any class probabilities (Eq. 5, 6 and 8); the size is K + 1, the number of classes."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise, permutations
from typing import Any

import z3

from proofs_check.smt.err import Reals, falling, number, reals, total
from proofs_check.smt.solve import Goal, Obligation


def distribution(name: str, n_classes: int) -> tuple[Reals, list[Any]]:
    """Build unknown class probabilities, and the premises that make them probabilities."""
    p = reals(name, n_classes)
    return p, [*(value >= 0 for value in p), total(p) == 1]


def score(p: Reals, weights: Reals) -> Any:
    return total([a * b for a, b in zip(p, weights, strict=True)])


def affine(n_classes: int) -> Iterator[Obligation]:
    """Claim sum p (a T + b) = a sum p T + b, for any T, a and b."""
    p, premises = distribution("p", n_classes)
    t, (a, b) = reals("T", n_classes), z3.Reals("a b")
    yield Obligation("any T", premises, score(p, [a * value + b for value in t]), a * score(p, t) + b, "==")


def same_ranking(n_classes: int) -> Iterator[Obligation]:
    """Claim that T and a T + b, a > 0, rank two documents alike: their difference is multiplied by a."""
    (p, ps), (r, rs) = distribution("p", n_classes), distribution("r", n_classes)
    t, (a, b) = reals("T", n_classes), z3.Reals("a b")
    moved = [a * value + b for value in t]
    apart = score(p, moved) - score(r, moved)
    yield Obligation("any T", [*ps, *rs, a > 0], apart, a * (score(p, t) - score(r, t)), "==")


def of_cumulative(q: Reals) -> Reals:
    """Compute p by Eq. 8."""
    return [high - low for low, high in pairwise([number(0), *q, number(1)])]


def abel(n_classes: int) -> Iterator[Obligation]:
    """Claim sum k p_k = sum (1 - Q_k) for any real Q_k, crossed or not."""
    q = reals("Q", n_classes - 1)
    p = of_cumulative(q)
    yield Obligation("any Q", [], total([k * v for k, v in enumerate(p)]), total([1 - v for v in q]), "==")


def adds_up(n_classes: int) -> Iterator[Obligation]:
    yield Obligation("any Q", [], total(of_cumulative(reals("Q", n_classes - 1))), number(1), "==")


def bounded(n_classes: int) -> Iterator[Obligation]:
    q = reals("Q", n_classes - 1)
    premises = [z3.And(value >= 0, value <= 1) for value in q]
    score = total([k * v for k, v in enumerate(of_cumulative(q))])
    yield Obligation("from below", premises, number(0), score)
    yield Obligation("from above", premises, score, number(n_classes - 1))


def sorting(n_classes: int) -> Iterator[Obligation]:
    """Claim that sorting the Q_k keeps the score, and makes every p_k >= 0; each order is a case."""
    q = reals("Q", n_classes - 1)
    within = [z3.And(value >= 0, value <= 1) for value in q]
    before = total([k * v for k, v in enumerate(of_cumulative(q))])
    for order in permutations(range(n_classes - 1)):
        ordered = [q[i] for i in order]
        p = of_cumulative(ordered)
        premises = [*within, *falling(ordered[::-1])]
        yield Obligation(f"order {order}, the score", premises, before, total([k * v for k, v in enumerate(p)]), "==")
        for k, value in enumerate(p):
            yield Obligation(f"order {order}, p_{k}", premises, number(0), value)


def expected_dcg(n: int) -> Iterator[Obligation]:
    """Claim that no order has a larger expected DCG than the one by expected gain v, for any discounts."""
    v, c = reals("v", n), reals("c", n)
    for order in permutations(range(n)):
        left = total([a * v[i] for a, i in zip(c, order, strict=True)])
        yield Obligation(f"tau = {order}", [*falling(v), *falling(c)], left, score(c, v))


GOALS = (
    Goal("mcrank.eq6.step1", (2, 3, 4, 5), affine),
    Goal("mcrank.eq6", (2, 3, 4, 5), same_ranking),
    Goal("mcrank.eq6.variant-expected-gain", (2, 3, 4), expected_dcg),
    Goal("mcrank.eq8.variant-sum", (2, 3, 4, 5), adds_up),
    Goal("mcrank.eq8.variant-abel", (2, 3, 4, 5), abel),
    Goal("mcrank.eq8.variant-bounded", (2, 3, 4, 5), bounded),
    Goal("mcrank.eq8.variant-sort", (2, 3, 4, 5), sorting),
    Goal("mcrank.eq8.variant-sort-lawful", (2, 3, 4, 5), sorting),
)

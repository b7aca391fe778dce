"""DCG for any gains z, predictions f and discounts c: documents are in the order of pi; each order of g is a case."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import combinations, pairwise, permutations
from typing import Any

import z3

from proofs_check.smt.err import Reals, falling, named, reals, total
from proofs_check.smt.solve import Goal, Obligation


def orders(n: int) -> Iterator[tuple[Reals, Reals, Any, list[Any], tuple[int, ...]]]:
    """Yield z, c, the DCG error, the premises, and the documents along g, for each order that g can have."""
    z, c = reals("z", n), reals("c", n)
    for order in permutations(range(n)):
        best = [z[i] for i in order]
        error = total([c[i] * (best[i] - z[i]) for i in range(n)])
        yield z, c, error, [*falling(c), *falling(best)], order


def size(value: Any) -> Any:
    return z3.If(value >= 0, value, -value)


def positive(value: Any) -> Any:
    return z3.If(value >= 0, value, 0)


def largest(values: Reals) -> Any:
    greatest = values[0]
    for value in values[1:]:
        greatest = z3.If(value > greatest, value, greatest)
    return greatest


def rearranged(n: int) -> Iterator[Obligation]:
    """Claim DCG_g - DCG_pi <= sum (c_g - c_pi) (z - f)."""
    f = reals("f", n)
    for z, c, error, premises, order in orders(n):
        right = total([(c[at] - c[i]) * (z[i] - f[i]) for at, i in enumerate(order)])
        yield Obligation(named(order), [*premises, *falling(f)], error, right)


def regression(n: int) -> Iterator[Obligation]:
    """Claim the bound by the regression error for p = 1, 2 (squared) and infinity."""
    f = reals("f", n)
    for z, c, error, premises, order in orders(n):
        lawful = [*premises, *falling(f)]
        apart, miss = [c[i] - c[n - 1 - i] for i in range(n)], [z[i] - f[i] for i in range(n)]
        sizes, misses = [size(value) for value in apart], [size(value) for value in miss]
        yield Obligation(f"p = 1, {named(order)}", lawful, error, total(sizes) * largest(misses))
        yield Obligation(f"p = oo, {named(order)}", lawful, error, largest(sizes) * total(misses))
        squares = total([value * value for value in apart]) * total([value * value for value in miss])
        yield Obligation(f"p = 2, squares, {named(order)}", lawful, error * error, squares)


def one_sided(n: int) -> Iterator[Obligation]:
    f = reals("f", n)
    for z, c, error, premises, order in orders(n):
        right = total([
            (c[0] - c[i]) * positive(z[i] - f[i]) + (c[i] - c[-1]) * positive(f[i] - z[i]) for i in range(n)
        ])  # fmt: skip
        yield Obligation(named(order), [*premises, *falling(f)], error, right)


def swaps(n: int) -> Iterator[Obligation]:
    for z, c, error, premises, order in orders(n):
        right = total([(c[i] - c[j]) * positive(z[j] - z[i]) for i, j in combinations(range(n), 2)])
        yield Obligation(named(order), premises, error, right)


def swaps_reverse(n: int) -> Iterator[Obligation]:
    for obligation in swaps(n):
        yield Obligation(obligation.what, obligation.premises, obligation.right, (n - 1) * obligation.left)


def distances(n: int) -> Iterator[Obligation]:
    """Claim the bound by the pairs weighed by their distance, for c with steps that do not rise."""
    for z, c, error, premises, order in orders(n):
        step = [high - low for high, low in pairwise(c)]
        right = total([step[j - i - 1] * positive(z[j] - z[i]) for i, j in combinations(range(n), 2)])
        yield Obligation(named(order), [*premises, *falling(step)], error, right)


def one_exchange(n: int) -> Iterator[Obligation]:
    """Exchange two documents: A is the DCG of all others."""
    c, d, y, z, rest = z3.Reals("c_i c_j z_i z_j A")
    yield Obligation("any n", [], rest + c * z + d * y - (rest + c * y + d * z), (c - d) * (z - y), "==")


GOALS = (
    Goal("mcrank.dcg.variant-exchange", (2,), one_exchange, every_size=True),
    Goal("losses.lambdarank.step1", (2,), one_exchange, every_size=True),
    Goal("cossock_zhang.thm2.step2", (2, 3, 4), rearranged),
    Goal("cossock_zhang.thm2.variant-sharp", (2,), regression, slow=(3,)),
    Goal("new.one_sided.variant-real", (2, 3, 4), one_sided),
    Goal("losses.lambdarank", (2, 3, 4), swaps),
    Goal("losses.lambdarank.variant-reverse", (2, 3, 4), swaps_reverse),
    Goal("ndcg.lambda_loss", (2, 3, 4), distances),
    Goal("regret.pairwise.variant-places", (2, 3, 4), swaps),
)

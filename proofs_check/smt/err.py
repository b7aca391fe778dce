"""ERR for any relevances R_i in [0, 1]: documents are in the order of pi; each order of g is a case."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from itertools import accumulate, combinations, pairwise, permutations
from typing import Any

import z3

from proofs_check.smt.solve import Goal, Obligation

Reals = list[Any]


def reals(name: str, n: int) -> Reals:
    """Build n unknowns, name_1 to name_n."""
    return [z3.Real(f"{name}_{i}") for i in range(1, n + 1)]


def number(value: Fraction | int) -> Any:
    return z3.RealVal(str(value))


def relevances(n: int) -> tuple[Reals, list[Any]]:
    r = reals("R", n)
    return r, [z3.And(value >= 0, value <= 1) for value in r]


def falling(values: Sequence[Any]) -> list[Any]:
    """Claim that a sequence does not increase."""
    return [a >= b for a, b in pairwise(values)]


def total(values: Sequence[Any]) -> Any:
    return z3.Sum([number(0), *values])


def looks(r: Sequence[Any]) -> Reals:
    """Compute the probability of a look at each place, of relevances in the order of a ranking."""
    return list(accumulate(r[:-1], lambda reached, value: reached * (1 - value), initial=number(1)))


def stops(r: Sequence[Any]) -> Reals:
    """Compute the probability of a stop at each place."""
    return [reached * value for reached, value in zip(looks(r), r, strict=True)]


def err(r: Sequence[Any]) -> Any:
    return total([number(Fraction(1, i)) * f for i, f in enumerate(stops(r), start=1)])


def rr(r: Sequence[Any]) -> Any:
    """Compute the DCG of relevances with discount 1/i."""
    return total([number(Fraction(1, i)) * value for i, value in enumerate(r, start=1)])


def orders(n: int) -> Iterator[tuple[Reals, Reals, list[Any], tuple[int, ...]]]:
    """Yield R in the order of pi and of g, the premises, and the documents along g, for each order that g can have."""
    r, premises = relevances(n)
    for order in permutations(range(n)):
        along_g = [r[i] for i in order]
        yield r, along_g, [*premises, *falling(along_g)], order


def named(order: tuple[int, ...], ranking: str = "g") -> str:
    """Name an order of documents, which count from 1."""
    return f"{ranking} = {tuple(i + 1 for i in order)}"


# ---- goals ----


def below_rr(n: int) -> Iterator[Obligation]:
    for r, best, premises, order in orders(n):
        yield Obligation(named(order), premises, err(best) - err(r), rr(best) - rr(r))


def not_negative(n: int) -> Iterator[Obligation]:
    for r, best, premises, order in orders(n):
        yield Obligation(named(order), premises, err(r), err(best))


def any_pair(n: int) -> Iterator[Obligation]:
    """Take any ordering in place of g."""
    r, premises = relevances(n)
    for order in permutations(range(n)):
        other = [r[i] for i in order]
        yield Obligation(named(order, "tau"), premises, err(other) - err(r), rr(other) - rr(r))


def with_exchanged(r: Reals, i: int, j: int) -> Reals:
    exchanged = list(r)
    exchanged[i], exchanged[j] = r[j], r[i]
    return exchanged


def swaps(n: int) -> Iterator[Obligation]:
    for r, best, premises, order in orders(n):
        added = [z3.If(r[i] < r[j], err(with_exchanged(r, i, j)) - err(r), 0) for i, j in combinations(range(n), 2)]
        yield Obligation(named(order), premises, err(best) - err(r), total(added))


def swaps_reverse(n: int) -> Iterator[Obligation]:
    for obligation in swaps(n):
        yield Obligation(obligation.what, obligation.premises, obligation.right, (n - 1) * obligation.left)


def one_exchange(n: int) -> Iterator[Obligation]:
    """Exchange neighbours a, b at places k, k + 1: P is the probability of reaching k, V the value behind."""
    a, b, p, v, k = z3.Reals("R_a R_b P V k")
    first, second = 1 / k, 1 / (k + 1)

    def worth(near: Any, far: Any) -> Any:
        return p * (near * first + (1 - near) * far * second + (1 - near) * (1 - far) * v)

    yield Obligation("any k", [k >= 1], worth(b, a) - worth(a, b), p * (first - second) * (b - a), "==")


def eq7(n: int) -> Iterator[Obligation]:
    """Claim iGBRT Eq. 7 for predicted gains z >= 0 that fall along pi, C_g in the order of g."""
    z = reals("z", n)
    for r, best, premises, order in orders(n):
        left = total([c * z[i] for c, i in zip(looks_over_places(best), order, strict=True)])
        right = total([c * value for c, value in zip(looks_over_places(r), z, strict=True)])
        yield Obligation(named(order), [*premises, *falling(z), z[-1] >= 0], left, right)


def looks_over_places(r: Reals) -> Reals:
    """Compute C_i = (1/i) prod_{j < i} (1 - R_j)."""
    return [number(Fraction(1, i)) * reached for i, reached in enumerate(looks(r), start=1)]


def chain(n: int) -> Iterator[Obligation]:
    """Claim ERR(rho) - ERR(pi) <= sum (beta[rho] - beta[pi]) (F(rho,y) - F(pi,yhat)) for real predictions.

    Split it into two easier claims: F(pi,yhat) falls along pi; the rest holds for any falling sequence in its place.
    """
    predicted = reals("P", n)
    for i, (a, b) in enumerate(pairwise(stops(predicted)), start=1):
        yield Obligation(f"F falls from {i} to {i + 1}", [*falling(predicted), predicted[0] <= 1], b, a)
    of_pi = reals("F", n)
    for r, best, premises, order in orders(n):
        # document i is at place `at` of rho, and at place i of pi
        apart = [
            number(Fraction(1, at + 1) - Fraction(1, i + 1)) * (f - of_pi[i])
            for at, (i, f) in enumerate(zip(order, stops(best), strict=True))
        ]
        yield Obligation(named(order), [*premises, *falling(of_pi)], err(best) - err(r), total(apart))


def root_of_squares(n: int) -> Iterator[Obligation]:
    """Claim (ERR_g - ERR_pi)^2 <= K_n^2 sum (R_i - v_i)^2 for any real v that fall along pi."""
    v = reals("v", n)
    factor = sum((Fraction(1, i) - Fraction(1, n + 1 - i)) ** 2 for i in range(1, n + 1))
    for r, best, premises, order in orders(n):
        error = err(best) - err(r)
        squares = total([(a - b) * (a - b) for a, b in zip(r, v, strict=True)])
        yield Obligation(named(order), [*premises, *falling(v)], error * error, number(factor) * squares)


def overshoot(n: int) -> Iterator[Obligation]:
    """Claim that F falls along pi for predicted relevances that fall and are not negative, however large."""
    predicted = reals("P", n)
    for i, (a, b) in enumerate(pairwise(stops(predicted)), start=1):
        yield Obligation(f"F falls from {i} to {i + 1}", [*falling(predicted), predicted[-1] >= 0], b, a)


def dependent(n: int) -> Iterator[Obligation]:
    """Claim the regret bound for two documents whose relevances are M and N with probability q, R and S otherwise."""
    q, (m, k), (r, s) = z3.Real("q"), reals("M", n), reals("R", n)
    premises = [z3.And(value >= 0, value <= 1) for value in (q, m, k, r, s)]

    def mean(likely: Any, otherwise: Any) -> Any:
        return q * likely + (1 - q) * otherwise

    first, second = mean(m, r), mean(k, s)
    gained = mean(err([k, m]), err([s, r])) - mean(err([m, k]), err([r, s]))
    yield Obligation("g = (1, 2)", [*premises, first >= second], gained, number(0))
    yield Obligation("g = (2, 1)", [*premises, second >= first], gained, rr([second, first]) - rr([first, second]))


GOALS = (
    Goal("new.err_below_rr_dcg.step1", (1,), one_exchange, every_size=True),
    Goal("new.err_below_rr_dcg.variant-any-relevance", (2, 3, 4), below_rr),
    Goal("new.err_below_rr_dcg.variant-not-negative", (2, 3, 4), not_negative),
    Goal("new.err_below_rr_dcg.variant-any-pair", (2,), any_pair, fails_at=3),
    Goal("igbrt.perfect_ranker.variant-any-R", (2, 3, 4), not_negative),
    Goal("igbrt.theorem1.step2", (2, 3), eq7, slow=(4,)),
    Goal("cocr.theorem2.variant-chain", (2, 3, 4), chain),
    Goal("cocr.theorem2.variant-overshoot", (2,), overshoot, fails_at=3),
    Goal("new.err_oerr.variant-real-valued", (2,), root_of_squares, slow=(3,)),
    Goal("losses.lambdarank.variant-err", (2, 3, 4), swaps),
    Goal("losses.lambdarank.variant-err-reverse", (2, 3, 4), swaps_reverse, fails_at=7),
    Goal("regret.err.variant-dependent-regret", (2,), dependent, fails_at=3),
)

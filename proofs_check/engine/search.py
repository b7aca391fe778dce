"""From instances to findings: exhaust the small sizes, then climb at larger ones.

`examine` computes the verdict of a row: `refuted` if any instance violates the claim; otherwise `identity` for
"==", and for "<=" `holds`, or `holds, vacuous` if the statement's own `vacuous` function returns true.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from proofs_check.engine.instances import GRADES, Cases, Rankings, batch, rankings, with_ties
from proofs_check.engine.records import HOLDS, IDENTITY, REFUTED, VACUOUS, Comparison, Effort, Finding

Group = Rankings | Cases
Claim = Callable[[Any], "Comparison | Iterable[Comparison]"]


def examine(
    claim: Claim,
    effort: Effort,
    *,
    instances: Callable[[int], Iterator[Group]] = rankings,
    vacuous: Callable[[], bool] | None = None,
    smallest: int = 1,
    climb: bool = True,
) -> Finding:
    """Settle one claim.

    Parameters
    ----------
    claim : function
        Takes Rankings (or Cases, with climb=False) and returns one Comparison, or several that must all hold.
    effort : Effort
        The extent of the search.
    instances : function, default rankings
        Takes n and yields every instance of size n, up to symmetry, in batches.
    vacuous : function, optional
        Tells, when the claim holds, whether its bound is vacuous.
    smallest : int, default 1
        The first n.
    climb : bool, default True
        Whether to climb at effort.climb_sizes when no counterexample has been found.

    Raises
    ------
    ValueError
        If there is no instance to check.
    """
    best, best_at, seen, relation = -np.inf, "", 0, "<="
    for n in range(smallest, effort.n_max + 1):
        bad: list[Group] = []
        for group in instances(n):
            seen += group.m
            violated = np.zeros(group.m, dtype=bool)
            for comparison in comparisons(claim(group)):
                violated |= comparison.violated()
                relation = comparison.relation
                ratios = comparison.ratios()
                if len(ratios) and ratios.max() > best:
                    best, best_at = float(ratios.max()), group.describe(int(ratios.argmax()))
                    best_at += f", {comparison.label}" if comparison.label else ""
            if violated.any():
                bad.append(group.take(np.flatnonzero(violated)))
        if bad:
            text = smallest_counterexample(claim, bad)
            return Finding(REFUTED, text, best, best_at, n, seen)
    if seen == 0:
        raise ValueError(f"instances gave nothing for n = {smallest}..{effort.n_max}: nothing was checked")
    if climb and relation == "<=":
        for group, ratio, violated_here in climbs(claim, effort):
            if violated_here:
                return Finding(REFUTED, smallest_counterexample(claim, [group]), ratio, "", effort.n_max, seen)
            if ratio > best:
                best, best_at = ratio, group.describe(0)
    verdict = IDENTITY if relation == "==" else HOLDS
    if verdict == HOLDS and vacuous is not None and vacuous():
        verdict = VACUOUS
    if relation == "==" or not best_at:
        return Finding(verdict, exhaustive_n=effort.n_max, instances=seen)
    return Finding(verdict, None, best, best_at, effort.n_max, seen)


def settle(claim: Claim, **options: Any) -> Callable[[Effort], Finding]:
    """Build a row's `check`: `examine` with the claim and its options bound."""
    return lambda effort: examine(claim, effort, **options)


settle_tied = partial(settle, instances=with_ties)  # the orders of ties of g, too


def settle_up_to(
    largest: int, claim: Claim, instances: Callable[[int], Iterator[Group]], *, smallest: int = 1
) -> Callable[[Effort], Finding]:
    """Build a row's `check` with sizes of its own, such as the number of thresholds K: smallest..largest."""

    def check(effort: Effort) -> Finding:
        return examine(claim, replace(effort, n_max=largest), instances=instances, smallest=smallest, climb=False)

    return check


def comparisons(result: Comparison | Iterable[Comparison]) -> Iterable[Comparison]:
    return (result,) if isinstance(result, Comparison) else result


def smallest_counterexample(claim: Claim, bad: list[Group]) -> str:
    """Show the violating instance with the fewest errors, then the lowest grades, in whatever order they were found."""
    candidates = []
    for group in bad:
        keys = group.size()
        row = int(np.lexsort(keys.T[::-1])[0])
        candidates.append((tuple(keys[row].tolist()), group.take(np.array([row]))))
    _, point = min(candidates, key=lambda candidate: candidate[0])
    broken = next(c for c in comparisons(claim(point)) if c.violated()[0])
    return f"{point.describe(0)}: {broken.sides(0)}"


def climbs(claim: Claim, effort: Effort) -> Iterator[tuple[Rankings, float, bool]]:
    """Climb on left/right, and yield (end point, its ratio, whether it violates the claim) per climb."""
    rng = np.random.default_rng(effort.seed)
    for n in effort.climb_sizes:
        for _ in range(effort.climbs):
            point = random_start(n, rng)
            ratio, violated = judge(claim, point)
            while not violated.any():
                group = neighbours(point)
                ratios, violated = judge(claim, group)
                row = int(violated.argmax() if violated.any() else ratios.argmax())
                if not violated.any() and ratios[row] <= ratio[0]:
                    break
                point, ratio = group.take(np.array([row])), ratios[row : row + 1]
            yield point, float(ratio[0]), bool(violated.any())


def judge(claim: Claim, group: Group) -> tuple[np.ndarray, np.ndarray]:
    """Find the largest ratio and whether any comparison is violated, per instance, each (m,)."""
    ratios, violated = np.full(group.m, -np.inf), np.zeros(group.m, dtype=bool)
    for comparison in comparisons(claim(group)):
        ratios = np.maximum(ratios, comparison.ratios())
        violated |= comparison.violated()
    return ratios, violated


def random_start(n: int, rng: np.random.Generator) -> Rankings:
    y = rng.choice(GRADES, size=(1, n))
    y_hat = np.where(rng.random((1, n)) < 0.5, y, rng.choice(GRADES, size=(1, n)))
    order = np.argsort(-y_hat, axis=1, kind="stable")
    return batch(np.take_along_axis(y, order, axis=1), np.take_along_axis(y_hat, order, axis=1))


def neighbours(point: Rankings) -> Rankings:
    """List every instance that is one label, one prediction or one exchange of labels away; g is stable."""
    y, y_hat = point.y[0].astype(np.int64), point.y_hat[0].astype(np.int64)
    moved = []
    for i in range(point.n):
        for grade in GRADES:
            label, predicted = y.copy(), y_hat.copy()
            label[i] = grade
            moved.append((label, y_hat))
            predicted[i] = grade
            order = np.argsort(-predicted, kind="stable")
            moved.append((y[order], predicted[order]))
        for j in range(i):
            label = y.copy()
            label[[i, j]] = label[[j, i]]
            moved.append((label, y_hat))
    return batch(np.array([a for a, _ in moved]), np.array([b for _, b in moved]))

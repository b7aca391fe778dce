"""Hill climbs on left/right, for larger n and higher grades than can be enumerated.

All climbs of one size go in step. In each turn every climb looks at the neighbours of one document: its label or its
prediction changed, or its label exchanged with another's. A climb ends when no document in turn has offered it a better
neighbour: no single change then raises its ratio. Labels and predictions come from `random.Random`, whose draws are the
same in every version of Python.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import cycle
from random import Random

import numpy as np

from proofs_check.engine.evidence import Claim, ClaimEvidence, Group, list_comparisons
from proofs_check.engine.instances import Rankings, batch, dtype_at

Point = tuple[tuple[int, ...], tuple[int, ...]]  # y, y_hat in the order of pi
TIE = 1e-12  # relative: the last bits of floats decide nothing, so that every machine climbs alike
LOW = 4  # up to this grade every other grade is a neighbour


@dataclass(frozen=True)
class Climber:
    """One climb: its point, the ratio there, and the number of turns without a better one."""

    point: Point
    ratio: float
    idle: int = 0

    def step(self, points: Sequence[Point], ratios: np.ndarray) -> Climber:
        """Go to the best of these points if it is better, the first of those that tie up to rounding."""
        best = float(ratios.max())
        if best > self.ratio + TIE * abs(self.ratio):
            return Climber(points[int((ratios >= best - TIE * abs(best)).argmax())], best)
        return replace(self, idle=self.idle + 1)


def climb(claim: Claim, evidence: ClaimEvidence, n: int, count: int, max_grade: int, seed: int) -> None:
    """Run `count` climbs of size n, and add their ends, or the violations that they find, to the evidence.

    An equality has no ratio to climb on: it is checked where the climbs start.
    """
    random = Random(f"{seed}, {n}, {max_grade}")
    starts = sorted({draw_start(random, n, max_grade) for _ in range(count)})
    ratios, violated = judge(claim, as_rankings(starts, max_grade))
    if violated.any() or evidence.relation == "==":
        evidence.look_at(as_rankings(starts, max_grade))
        return
    climbers = [Climber(point, ratio) for point, ratio in zip(starts, ratios.tolist(), strict=True)]
    ends: list[Point] = []
    for turn in cycle(range(n)):
        moves = [list_neighbours(climber.point, turn, max_grade) for climber in climbers]
        group = as_rankings([point for move in moves for point in move], max_grade)
        ratios, violated = judge(claim, group)
        if violated.any():
            evidence.look_at(group.take(np.flatnonzero(violated)))
            return
        each = np.split(ratios, np.cumsum([len(move) for move in moves])[:-1])
        moved = [climber.step(*offer) for climber, *offer in zip(climbers, moves, each, strict=True)]
        # climbs that meet go on as one
        distinct = {climber.point: climber for climber in sorted(moved, key=lambda climber: climber.idle)}
        ends += [point for point, climber in distinct.items() if climber.idle == n]
        climbers = [climber for climber in distinct.values() if climber.idle < n]
        if not climbers:
            break
    evidence.look_at(as_rankings(ends, max_grade))


def judge(claim: Claim, group: Group) -> tuple[np.ndarray, np.ndarray]:
    """Find the largest ratio and whether any comparison is violated, per instance, each (m,)."""
    ratios, violated = np.full(group.m, -np.inf), np.zeros(group.m, dtype=bool)
    for comparison in list_comparisons(claim(group)):
        ratios = np.maximum(ratios, comparison.compute_ratios())
        violated |= comparison.find_violations()
    return ratios, violated


def as_rankings(points: Sequence[Point], max_grade: int) -> Rankings:
    dtype = dtype_at(len(points[0][0]), max_grade)
    y, y_hat = (np.array([point[part] for point in points], dtype=dtype) for part in (0, 1))
    return batch(y, y_hat, max_grade=max_grade)


def draw_start(random: Random, n: int, max_grade: int) -> Point:
    """Draw labels, and predictions of which half copy the label."""
    y = [random.randint(0, max_grade) for _ in range(n)]
    return in_order(y, [label if random.random() < 0.5 else random.randint(0, max_grade) for label in y])


def in_order(y: Sequence[int], y_hat: Sequence[int]) -> Point:
    """Order documents by their predictions, and keep the order of ties."""
    order = sorted(range(len(y)), key=lambda i: -y_hat[i])
    return tuple(y[i] for i in order), tuple(y_hat[i] for i in order)


def list_neighbours(point: Point, i: int, max_grade: int) -> list[Point]:
    """List the instances that are one change of document i away."""
    y, y_hat = list(point[0]), list(point[1])
    points = []
    for grade in sorted(list_grades(y[i], y_hat[i], max_grade)):
        points.append((tuple([*y[:i], grade, *y[i + 1 :]]), point[1]))
        points.append(in_order(y, [*y_hat[:i], grade, *y_hat[i + 1 :]]))
    for j in range(len(y)):
        exchanged = y.copy()
        exchanged[i], exchanged[j] = y[j], y[i]
        points.append((tuple(exchanged), point[1]))
    return list(dict.fromkeys(points))


def list_grades(label: int, predicted: int, max_grade: int) -> set[int]:
    """List the grades to try: all if there are few, else the ends and the neighbours of the document's own grades."""
    if max_grade <= LOW:
        return set(range(max_grade + 1))
    near = {0, 1, max_grade - 1, max_grade} | {grade + step for grade in (label, predicted) for step in (-1, 0, 1)}
    return {grade for grade in near if 0 <= grade <= max_grade}

"""iGBRT Section 6: ranking by classification, as one binary problem "is this less relevant than c?" per c.

    symbol        in code             shape
    b^c           binary_target       (n_samples,), 1 where y < c, else 0; c = 1..max_grade
    T^c           cumulative_proba    (n_samples, max_grade), column c - 1: P(rel < c) = P(rel <= c - 1)
    P(rel = r)    class_proba         (n_samples, max_grade + 1): McRank's Eq. 8

The trees of a forest predict means of labels 0 and 1, which lie in [0, 1]; a boosted sum can leave this range (footnote
2). Since the problems are learned separately, T^c can fall as c rises: then a class probability is negative.
`count_violations` counts both; clipping T^c to [0, 1] repairs only the first. The authors' program clips after every
round, so that the next round learns from clipped values; the sum of trees is then clipped as often (`staged_proba`).
"""

from collections.abc import Iterator
from itertools import islice
from typing import NamedTuple

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.mcrank.ordinal_boosting import class_proba
from refrank.trees.engine import Engine
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree, add_predictions
from refrank.trees.numbers.draws import draw


class Violations(NamedTuple):
    """Violations of the probability assumptions."""

    outside: int  # number of values of T^c outside [0, 1]
    negative: int  # number of negative class probabilities


def binary_target(y: Ints, c: int) -> Floats:
    """Label one binary problem, b^c = [y < c]."""
    # iGBRT Sec. 6: "predicts if the document is less relevant than c"
    return (y < c).astype(np.float64)


def problem_seeds(seed: int, n_problems: int) -> list[int]:
    """Return the seed of each problem's forest; that of the first problem is the seed itself."""
    # Paper is silent: whether the forests of the problems share their bootstraps. Here each draws its own.
    return [seed, *(draw(seed, c) >> 1 for c in range(1, n_problems))]


def hold_proba(target: Floats, residual: Floats) -> None:
    """Clip T^c = target - residual, (n_samples,), to [0, 1], by changing the residual in place.

    >>> target, residual = np.array([1.0, 1.0, 0.0]), np.array([-0.25, 0.25, 0.5])
    >>> hold_proba(target, residual)
    >>> residual.tolist()
    [0.0, 0.25, 0.0]
    """
    np.clip(residual, target - 1.0, target, out=residual)


def staged_proba(
    ensemble: Ensemble,
    start: Floats,
    X: Matrix,
    engine: Engine,
    every: int,
    rounds: Iterator[tuple[Tree, ...]] | None = None,
) -> Iterator[Floats]:
    """Yield T^c, (n_samples, max_grade), after every `every` rounds and the last; clip it to [0, 1] after each round.

    `start`, (n_samples, max_grade), is T^c before the first round; the ensemble has one output per problem. All yields
    are the same array. Other `rounds` than the ensemble's can be given one by one, while they are trained.
    """
    proba = np.array(start, order="F")
    if rounds is None and not ensemble.rounds:
        yield proba
    rounds = iter(ensemble.rounds) if rounds is None else rounds
    while some := [*islice(rounds, every)]:
        for trees in some:
            for c, tree in enumerate(trees):
                add_predictions([tree], X, ensemble.learning_rate, proba[:, c], engine)
            np.clip(proba, 0.0, 1.0, out=proba)
        yield proba


def count_violations(cumulative_proba: Floats) -> Violations:
    """Count what footnote 2 calls "small violations of the probability assumptions".

    >>> count_violations(np.array([[0.25, 1.25], [0.75, 0.5]]))
    Violations(outside=1, negative=2)
    """
    outside = (cumulative_proba < 0) | (cumulative_proba > 1)
    return Violations(int(outside.sum()), int((class_proba(cumulative_proba) < 0).sum()))

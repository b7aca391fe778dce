"""Differences between the boosters: where F starts, p, the residual, the values of the leaves, the step.

algorithm         outputs                       F, where `scores` keeps something else
softmax           one per class                 -
ordinal           two per problem, or one       -
any `Loss`        one                           -
gbrt              one, or one per problem       y - F
igbrt             the same; F starts from the forest
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np

from refrank.arrays import Floats
from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.tree_ranker import has_classes
from refrank.igbrt.classification import binary_target, hold_proba
from refrank.mcrank.expected_relevance import transform_table
from refrank.mcrank.ordinal_boosting import find_one_sided_constants
from refrank.mcrank.softmax_boosting import proba_of_class
from refrank.trees.engine import SPECIFICATION
from refrank.trees.model.tree import Leaves, quotient
from refrank.trees.numbers.grid import exact_mean
from yardstick.divergence.consequences.evidence import Evidence
from yardstick.divergence.consequences.forest import average_forest
from yardstick.divergence.consequences.growth import find_ranges
from yardstick.traces.stages import Place


@dataclass(frozen=True)
class StagedLoss:
    """A booster in terms of the stages; m is the round, from 1, and k the output."""

    initial: tuple[float, ...]  # F before the first round
    proba: Callable[[int, int], Floats] | None  # (m, k) -> (n_samples,)
    residual: Callable[[int, int], Floats]  # before it is multiplied by the weights
    before: Callable[[int, int], Floats]  # what `scores` holds before the step
    values: Callable[[int, int, Floats, Floats], Floats]  # (m, k, numerator, denominator) -> (n_leaves,)
    factor: float  # of the values in the step
    by_curvature: bool  # whether denominators are sums of p (1 - p)


def choose_loss(evidence: Evidence) -> StagedLoss:
    """Choose the loss of the trained algorithm."""
    choice = make_record_loss if isinstance(evidence.ranker, LossBoostRanker) else CHOICES[evidence.ranker.algorithm]
    return choice(evidence)


def read_before(evidence: Evidence, initial: tuple[float, ...], m: int, k: int) -> Floats:
    """Return F of output k before round m, (n_samples,)."""
    if m == 1:
        return np.full(len(evidence.data("y")), read_start(evidence, initial, k))
    return evidence.array("scores", Place(round=m - 1, output=k), "values")


def read_start(evidence: Evidence, initial: tuple[float, ...], k: int) -> float:
    """Return the port's F of output k before the first round; `initial` is the expected one."""
    start = evidence.array("start", Place(), "values")
    return float(start[k]) if start.shape == (len(initial),) else initial[k]


def newton(n_classes: int, numerator: Floats, denominator: Floats) -> Floats:
    """Compute beta of each leaf (McRank Alg. 1, line 6)."""
    return quotient((n_classes - 1) / n_classes * numerator, denominator)


def make_softmax_loss(evidence: Evidence) -> StagedLoss:
    """McRank Alg. 1."""
    ranker: Any = evidence.ranker
    y = evidence.labels
    n_classes = ranker.n_classes or int(y.max()) + 1
    initial = (0.0,) * n_classes
    renewed = ranker.update == "sequential"

    def proba(m: int, k: int) -> Floats:
        rounds = [m + 1 if renewed and j < k else m for j in range(n_classes)]
        return proba_of_class(np.column_stack([read_before(evidence, initial, m, j) for j, m in enumerate(rounds)]), k)

    return StagedLoss(
        initial,
        proba,
        lambda m, k: (y == k) - evidence.array("proba", Place(round=m, output=k), "values"),
        lambda m, k: read_before(evidence, initial, m, k),
        lambda m, k, numerator, denominator: newton(n_classes, numerator, denominator),
        float(ranker.learning_rate),
        by_curvature=True,
    )


def make_ordinal_loss(evidence: Evidence) -> StagedLoss:
    """McRank Sec. 4: Alg. 1 with two classes, for each cumulative problem."""
    ranker: Any = evidence.ranker
    y = evidence.labels
    constants = find_one_sided_constants(y, ranker.n_classes or int(y.max()) + 1)
    problems = [k for k, constant in enumerate(constants) if constant is None]
    mirrored = ranker.update == "simultaneous"
    n_trees = 1 if mirrored else 2  # per problem and round
    initial = (0.0,) * n_trees * len(problems)

    def proba(m: int, output: int) -> Floats:
        if mirrored:
            F_0 = read_before(evidence, initial, m, output)
            return proba_of_class(np.column_stack([F_0, -F_0]), 0)
        first, own = output - output % 2, output % 2
        F_0 = read_before(evidence, initial, m + own, first)  # the second tree sees the first
        return proba_of_class(np.column_stack([F_0, read_before(evidence, initial, m, first + 1)]), own)

    def residual(m: int, output: int) -> Floats:
        above = y > problems[output // n_trees]
        return (above == output % n_trees) - evidence.array("proba", Place(round=m, output=output), "values")

    return StagedLoss(
        initial,
        proba,
        residual,
        lambda m, k: read_before(evidence, initial, m, k),
        lambda m, k, numerator, denominator: newton(2, numerator, denominator),
        float(ranker.learning_rate),
        by_curvature=True,
    )


def make_record_loss(evidence: Evidence) -> StagedLoss:
    """Friedman 2001 Alg. 1, for any loss record: McRank Alg. 2, and all others with one score."""
    ranker: Any = evidence.ranker
    loss, y = ranker.choose_loss(), evidence.labels
    target = transform_table(ranker.target, ranker.n_classes or int(y.max()) + 1, "target")[y]
    initial = (loss.start(target, evidence.weight),)

    def residual(m: int, k: int) -> Floats:
        return target - read_before(evidence, initial, m, k)

    def values(m: int, k: int, numerator: Floats, denominator: Floats) -> Floats:
        place = Place(round=m, output=k)
        rows, starts = evidence.array("partition", place, "rows"), np.array(find_starts(evidence, place))
        nodes = evidence.array("leaf_sums", place, "nodes")
        leaves = Leaves(nodes, rows, starts, numerator, denominator, SPECIFICATION)
        return loss.step(leaves, residual(m, k), evidence.weight)

    return StagedLoss(
        initial,
        None,
        lambda m, k: loss.fitted(residual(m, k), evidence.weight),
        lambda m, k: read_before(evidence, initial, m, k),
        values,
        float(ranker.learning_rate),
        by_curvature=False,
    )


def find_starts(evidence: Evidence, place: Place) -> list[int]:
    """Find where the rows of each leaf begin, (n_leaves + 1,)."""
    nodes, n_left = (evidence.array("partition", place, name).tolist() for name in ("nodes", "n_left"))
    ranges = find_ranges(nodes, n_left, len(evidence.data("y")))
    return [*sorted(start for node, (start, _) in enumerate(ranges) if node not in nodes), len(evidence.data("y"))]


def make_gbrt_loss(evidence: Evidence) -> StagedLoss:
    """IGBRT Alg. 2, and Alg. 3, which starts from a forest."""
    ranker: Any = evidence.ranker
    y, weight = evidence.data("y"), evidence.weight
    targets = [y]
    if has_classes(ranker):
        n_classes = ranker.n_classes or int(y.max()) + 1
        targets = [binary_target(evidence.labels, c) for c in range(1, n_classes)]
    from_mean = getattr(ranker, "initial", "zero") == "mean"
    initial = tuple(exact_mean(target, weight) if from_mean else 0.0 for target in targets)
    each_round = has_classes(ranker) and ranker.clip == "each-round"

    def before(m: int, k: int) -> Floats:
        if m == 1:
            if ranker.algorithm == "igbrt":
                return targets[k] - average_forest(evidence, k)
            return targets[k] - read_start(evidence, initial, k)
        residual = evidence.array("scores", Place(round=m - 1, output=k), "values").copy()
        if each_round:
            hold_proba(targets[k], residual)
        return residual

    return StagedLoss(
        initial,
        None,
        before,
        before,
        lambda m, k, numerator, denominator: quotient(numerator, denominator),
        -float(ranker.learning_rate),
        by_curvature=False,
    )


CHOICES: dict[str, Callable[[Evidence], StagedLoss]] = {
    "softmax": make_softmax_loss,
    "ordinal": make_ordinal_loss,
    "gbrt": make_gbrt_loss,
    "igbrt": make_gbrt_loss,
}

"""Bounds at the end of a training of honest float arithmetic: the ranking scores, the order, and the metrics."""

from typing import Any

import numpy as np

from refrank.arrays import Bools
from refrank.estimators import COCRRanker
from refrank.estimators.mcrank import BoostRanker, ClassBoostRanker
from refrank.estimators.tree_ranker import TreeRanker, has_classes
from refrank.mcrank.softmax_boosting import softmax
from yardstick.divergence.honest import HonestLockstep
from yardstick.numbers.arithmetic import Near
from yardstick.traces.stages import Place

POSITIONS = 10  # that NDCG@10 counts


def bound_ranking(lockstep: HonestLockstep, kept: Bools) -> None:
    """Bound the ranking scores of the rows, and the metrics of their order; `kept`, (n_samples,), are trained on."""
    judge, arithmetic, error = lockstep.taker, lockstep.arithmetic, np.zeros(len(kept))
    bounds = {BoostRanker: bound_outputs, TreeRanker: bound_sums_of_trees, COCRRanker: bound_answers}
    error[kept] = next(bound(lockstep) for kind, bound in bounds.items() if isinstance(lockstep.ranker, kind))
    error[~kept] = error.max()
    judge.errors["prediction", Place()] = {"values": error}
    judge.errors["metric", Place()] = {
        "ndcg": lambda values: arithmetic.bound_metric(values, POSITIONS),
        "err": lambda values: arithmetic.bound_metric(values, len(kept)),
        "mean": lambda value: arithmetic.bound_metric(value, POSITIONS + len(kept)),
    }


def bound_outputs(lockstep: HonestLockstep) -> Any:
    """Bound the scores of a ranker of McRank, (n_samples,), from its last F."""
    ranker, arithmetic = lockstep.ranker, lockstep.arithmetic
    last, starts = ranker.n_rounds_, ranker.model_.initial
    errors = np.empty(len(starts))
    for k, start in enumerate(starts):  # a port may add up its steps once more
        size = abs(start) + sum(float(np.abs(values).max()) for *_, values in lockstep.steps[k])
        moved = float(np.max(lockstep.find("scores", Place(round=last, output=k))))
        errors[k] = arithmetic.bound_result(size, moved, 2 * (last + 1))
    if not isinstance(ranker, ClassBoostRanker):
        return errors[0]
    F, relevance = np.column_stack([lockstep.scores[k] for k in range(len(errors))]), arithmetic.read(ranker.relevance_)
    if ranker.algorithm == "softmax":
        proba = Near(softmax(F), arithmetic.bound_proba(Near(F, errors)))
        return arithmetic.add_up(arithmetic.multiply(proba, relevance)).error
    n_trees = 2 if ranker.update == "sequential" else 1  # of a problem
    moved = 0.0
    for k in range(0, F.shape[1], n_trees):
        other = F[:, k + 1] if n_trees == 2 else -F[:, k]
        both = Near(np.column_stack([F[:, k], other]), errors[[k, k + n_trees - 1]])
        moved = moved + 2 * np.abs(relevance.value).max() * arithmetic.bound_proba(both)[:, 0]
    n_classes = len(ranker.relevance_)
    return arithmetic.bound_result(2 * n_classes * np.abs(relevance.value).max(), moved, 3 * n_classes)


def bound_sums_of_trees(lockstep: HonestLockstep) -> Any:
    """Bound the scores of a ranker of iGBRT from its steps and its forest."""
    errors = [
        bound_sum(lockstep, k, float(np.abs(target.value).max()), lockstep.forest[k])
        for k, target in enumerate(lockstep.targets)
    ]
    n_classes = len(errors) + 1
    if has_classes(lockstep.ranker):
        return lockstep.arithmetic.bound_result(2.0 * n_classes**2, 2 * n_classes * sum(errors), 3 * n_classes)
    return errors[0]


def bound_answers(lockstep: HonestLockstep) -> Any:
    """Have the judge allow errors of the answers to COCR's problems; return how far their sum may be."""
    n_problems, moved = len(lockstep.steps) + 1, 0.0
    for k in lockstep.steps:
        lockstep.bound("answers", Place(output=k), "values", bound_sum(lockstep, k, 1.0, 0.0))
        moved += float(lockstep.find("answers", Place(output=k)))
    return lockstep.arithmetic.bound_result(float(n_problems), moved, n_problems)


def bound_sum(lockstep: HonestLockstep, k: int | None, size: float, moved: float) -> float:
    """Bound a sum of the steps of an output; a port may add them up once more, after its training."""
    steps = lockstep.steps.get(k, [])
    size += sum(float(np.abs(values).max()) for *_, values in steps)
    moved += float(np.max(lockstep.find("start", Place())))
    moved += sum(float(np.max(lockstep.find("step", Place(round=m, output=k)))) for m in range(1, len(steps) + 1))
    return float(lockstep.arithmetic.bound_result(size, moved, 2 * len(steps) + 3))

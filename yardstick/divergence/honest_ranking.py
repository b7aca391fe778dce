"""Bounds at the end of a training of honest float arithmetic: the ranking scores, the order, and the metrics."""

from functools import partial
from typing import Any

import numpy as np

from refrank.arrays import Bools
from refrank.estimators import COCRRanker
from refrank.estimators.mcrank import BoostRanker, ClassBoostRanker
from refrank.estimators.tree_ranker import has_classes
from refrank.mcrank.softmax_boosting import softmax
from yardstick.divergence.honest import HonestLockstep
from yardstick.numbers.arithmetic import Near
from yardstick.traces.stages import Place

POSITIONS = 10  # that NDCG@10 counts


def bound_ranking(lockstep: HonestLockstep, kept: Bools) -> None:
    """Bound the ranking scores of the rows, and the metrics of their order; `kept`, (n_samples,), are trained on."""
    bound, error = partial(lockstep.bound, place=Place()), np.zeros(len(kept))
    error[kept] = bound_outputs(lockstep) if isinstance(lockstep.ranker, BoostRanker) else bound_sums(lockstep)
    error[~kept] = error.max()
    bound("prediction", name="values", error=error)
    for name, n_positions in ("ndcg", POSITIONS), ("err", len(kept)), ("mean", POSITIONS + len(kept)):
        bound("metric", name=name, error=partial(lockstep.arithmetic.bound_metric, n_positions=n_positions))


def bound_outputs(lockstep: HonestLockstep) -> Any:
    """Bound the scores of a ranker of McRank, (n_samples,), from its last F."""
    ranker, arithmetic = lockstep.ranker, lockstep.arithmetic
    errors = np.empty(len(ranker.model_.initial))
    for k, start in enumerate(ranker.model_.initial):
        moved = np.max(lockstep.find("scores", Place(round=ranker.n_rounds_, output=k)))
        errors[k] = bound_sum(lockstep, k, abs(start), moved, 2)
    if not isinstance(ranker, ClassBoostRanker):
        return errors[0]
    F, relevance = np.column_stack([lockstep.scores[k] for k in range(len(errors))]), arithmetic.read(ranker.relevance_)
    if ranker.algorithm == "softmax":
        proba = Near(softmax(F), arithmetic.bound_proba(Near(F, errors)))
        return arithmetic.add_up(arithmetic.multiply(proba, relevance)).error
    n_trees = 2 if ranker.update == "sequential" else 1  # of a problem
    moved, n_classes, most = np.zeros(len(F)), len(ranker.relevance_), np.abs(relevance.value).max()
    for k in range(0, F.shape[1], n_trees):
        other = F[:, k + 1] if n_trees == 2 else -F[:, k]
        both = Near(np.column_stack([F[:, k], other]), errors[[k, k + n_trees - 1]])
        moved += 2 * most * arithmetic.bound_proba(both)[:, 0]
    return arithmetic.bound_result(2 * n_classes * most, moved, 3 * n_classes)


def bound_sums(lockstep: HonestLockstep) -> Any:
    """Bound the scores of a ranker of iGBRT from its steps and its forest, or of COCR from its answers."""
    errors, bound_result, is_cocr = [], lockstep.arithmetic.bound_result, isinstance(lockstep.ranker, COCRRanker)
    for k in lockstep.steps if is_cocr else range(len(lockstep.targets)):
        size, moved = (1.0, 0.0) if is_cocr else (np.abs(lockstep.targets[k or 0].value).max(), lockstep.forest[k or 0])
        moved += np.max(lockstep.find("start", Place()))
        for m in range(1, len(lockstep.steps.get(k, [])) + 1):
            moved += np.max(lockstep.find("step", Place(round=m, output=k)))
        errors.append(bound_sum(lockstep, k, size, moved, 3))
        if is_cocr:
            lockstep.bound("answers", Place(output=k), "values", errors[-1])
            errors[-1] = lockstep.find("answers", Place(output=k))
    n = len(errors) + 1
    if is_cocr:
        return bound_result(float(n), sum(errors), n)
    return bound_result(2.0 * n**2, 2 * n * sum(errors), 3 * n) if has_classes(lockstep.ranker) else errors[0]


def bound_sum(lockstep: HonestLockstep, k: int | None, size: float, moved: float, n_more: int) -> float:
    """Bound a sum of the steps of an output; a port may add them up once more, after its training."""
    steps = lockstep.steps.get(k, [])
    size += sum(float(np.abs(values).max()) for *_, values in steps)
    return float(lockstep.arithmetic.bound_result(size, moved, 2 * len(steps) + n_more))

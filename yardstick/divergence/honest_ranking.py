"""Bounds at the end of a training of honest float arithmetic: the ranking scores, the order, and the metrics."""

from collections.abc import Sequence
from typing import Any

import numpy as np

from refrank.arrays import Bools, Floats
from refrank.estimators.mcrank import BoostRanker, ClassBoostRanker
from refrank.estimators.tree_ranker import TreeRanker, has_classes
from refrank.mcrank.softmax_boosting import softmax
from yardstick.divergence.honest import HonestLockstep
from yardstick.divergence.lockstep import Step
from yardstick.numbers.arithmetic import Near
from yardstick.traces.stages import Place

POSITIONS = 10  # that NDCG@10 counts


def bound_ranking(lockstep: HonestLockstep, kept: Bools) -> None:
    """Bound the ranking scores of the rows, and the metrics of their order; `kept`, (n_samples,), are trained on."""
    judge, ranker, arithmetic = lockstep.taker, lockstep.ranker, lockstep.arithmetic
    n_kept, error = int(kept.sum()), np.zeros(len(kept))
    if isinstance(ranker, BoostRanker | TreeRanker):
        bound = bound_outputs if isinstance(ranker, BoostRanker) else bound_sums_of_trees
        error[kept] = bound(lockstep, n_kept)
        error[~kept] = error.max()
    judge.errors["prediction", Place()] = {"values": error}
    judge.errors["metric", Place()] = {
        "ndcg": lambda values: arithmetic.bound_metric(values, POSITIONS),
        "err": lambda values: arithmetic.bound_metric(values, len(kept)),
        "mean": lambda value: arithmetic.bound_metric(value, POSITIONS + len(kept)),
    }


def bound_outputs(lockstep: HonestLockstep, n_samples: int) -> Floats:
    """Bound the scores of a ranker of McRank, (n_samples,), from its last F."""
    ranker: Any = lockstep.ranker
    last = ranker.n_rounds_
    errors = []
    for k, start in enumerate(ranker.model_.initial):  # a port may add up its steps once more
        size = abs(start) + sum_sizes(lockstep.steps[k], n_samples)
        error = lockstep.find("scores", Place(round=last, output=k))
        errors.append(lockstep.arithmetic.bound_result(size, error, 2 * (last + 1)))
    outputs = np.column_stack(errors)
    if not isinstance(ranker, ClassBoostRanker):
        return outputs[:, 0]
    arithmetic, F = lockstep.arithmetic, np.column_stack([lockstep.scores[k] for k in range(outputs.shape[1])])
    relevance = arithmetic.read(ranker.relevance_)
    if ranker.algorithm == "softmax":
        proba = Near(softmax(F), arithmetic.bound_proba(Near(F, outputs)))
        return arithmetic.add_up(arithmetic.multiply(proba, relevance)).error
    n_trees = 2 if ranker.update == "sequential" else 1  # of a problem
    moved = np.zeros(n_samples)
    for k in range(0, F.shape[1], n_trees):
        other = F[:, k + 1] if n_trees == 2 else -F[:, k]
        both = Near(np.column_stack([F[:, k], other]), outputs[:, [k, k + n_trees - 1]])
        moved += 2 * np.abs(relevance.value).max() * arithmetic.bound_proba(both)[:, 0]
    n_classes = len(ranker.relevance_)
    return arithmetic.bound_result(2 * n_classes * np.abs(relevance.value).max(), moved, 3 * n_classes)


def bound_sums_of_trees(lockstep: HonestLockstep, n_samples: int) -> Floats:
    """Bound the scores of a ranker of iGBRT, (n_samples,), from its steps and its forest."""
    ranker, arithmetic = lockstep.ranker, lockstep.arithmetic
    errors = []
    for k in range(len(lockstep.targets)):
        moved = np.full(n_samples, float(np.max(lockstep.find("start", Place()))))
        for m, (rows, starts, values) in enumerate(lockstep.steps.get(k, []), start=1):
            error = np.broadcast_to(lockstep.find("step", Place(round=m, output=k)), len(values))
            moved[rows] += error.repeat(np.diff(starts))
        size = sum_sizes(lockstep.steps.get(k, []), n_samples)
        n_terms = len(lockstep.steps.get(k, [])) + 3
        size += np.abs(lockstep.targets[k].value).max()
        errors.append(arithmetic.bound_result(size, moved + lockstep.forest[k], n_terms))
    if not has_classes(ranker):
        return errors[0]
    n_classes = len(errors) + 1
    return arithmetic.bound_result(2.0 * n_classes**2, 2 * n_classes * np.sum(errors, axis=0), 3 * n_classes)


def sum_sizes(steps: Sequence[Step], n_samples: int) -> Floats:
    """Add up the sizes of the steps of each row, (n_samples,)."""
    size = np.zeros(n_samples)
    for rows, starts, values in steps:
        size[rows] += np.abs(values).repeat(np.diff(starts))
    return size

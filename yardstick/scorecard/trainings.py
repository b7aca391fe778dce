"""Small trainings of every algorithm that boosts or grows trees, for comparing whole ports.

Each parameter that can show in a record takes two values at least, next to others that it interacts with. The first
word of a name is the algorithm; training_rows.py has the rows.
"""

from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

from refrank.estimators import GBRTRanker
from refrank.estimators.registry import RANKERS
from yardstick.scorecard.training_rows import (
    LabelledRows,
    make_close_rows,
    make_few_rows,
    make_high_rows,
    make_irrelevant_rows,
    make_many_rows,
    make_missing_rows,
    make_rows,
    make_weight_zero_rows,
    make_weighted_rows,
)
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.tracing import describe_training, record_training
from yardstick.traces.writer import TraceWriter

MakeRows = Callable[[], LabelledRows]


class ScoredTraining(NamedTuple):
    """A training, and its rows."""

    algorithm: str  # of refrank.estimators.registry.RANKERS
    parameters: Mapping[str, Any]  # those that differ from the defaults
    rows: MakeRows = make_rows


POWER, ABOVE_POWER = partial(make_rows, 64), partial(make_rows, 65)  # 2^L rows, and one more
HELD: Mapping[str, Any] = MappingProxyType({"setting": "classification", "clip": "each-round"})

TABLE: Mapping[str, tuple[Mapping[str, Any], MakeRows]] = {
    "softmax": ({"n_rounds": 2, "n_leaves": 4}, make_rows),
    "softmax, simultaneous": ({"n_rounds": 2, "n_leaves": 4, "update": "simultaneous"}, make_rows),
    "softmax, two bytes": ({"n_rounds": 1, "n_leaves": 5, "n_bins": 300}, make_many_rows),
    "softmax, few rows": ({"n_rounds": 2, "n_leaves": 10}, make_few_rows),
    "softmax, weights": (
        {"n_rounds": 3, "n_leaves": 5, "learning_rate": 0.3, "relevance": "2^k-1", "min_samples_leaf": 4},
        make_weighted_rows,
    ),
    "softmax, weight 0": (
        {"n_rounds": 3, "relevance": (-1.0, 0.0, 2.5, 9.0, 9.5, 70.0), "n_classes": 6, "update": "simultaneous"},
        make_weight_zero_rows,
    ),
    "softmax, 2^L rows": ({"n_rounds": 3, "binning": "app-i", "n_bins": 9, "growth": 1.5}, POWER),
    "ordinal": ({"n_rounds": 2, "n_leaves": 4}, make_rows),
    "ordinal, simultaneous": ({"n_rounds": 2, "update": "simultaneous", "min_samples_leaf": 4}, make_rows),
    "ordinal, few rows": ({"n_rounds": 3, "n_classes": 6, "learning_rate": 0.5, "relevance": "2^k"}, make_few_rows),
    "ordinal, weights": ({"n_rounds": 3, "n_bins": 12, "relevance": "2^k-1"}, make_weighted_rows),
    "ordinal, weight 0": ({"n_rounds": 3, "binning": "app-i", "growth": 3.0, "n_leaves": 6}, make_weight_zero_rows),
    "ls": ({"n_rounds": 3, "n_bins": 8}, make_rows),
    "ls, app-i": ({"n_rounds": 2, "binning": "app-i", "learning_rate": 1}, make_rows),
    "ls, few rows": ({"n_rounds": 2, "n_leaves": 10}, make_few_rows),
    "ls, weights": ({"n_rounds": 4, "learning_rate": 0.3, "target": "k", "min_samples_leaf": 6}, make_weighted_rows),
    "ls, weight 0": ({"n_rounds": 3, "n_leaves": 6, "min_samples_leaf": 3}, make_weight_zero_rows),
    "ls, close rows": ({"n_rounds": 3, "binning": "exact", "learning_rate": 0.5, "n_leaves": 16}, make_close_rows),
    "ls, 2^L rows": ({"n_rounds": 3, "target": (0.1, 0.7, 1e9, 3e9, 2.0**53 - 1)}, POWER),
    "ls, 2^L + 1 rows": ({"n_rounds": 3, "n_classes": 6, "binning": "app-i", "growth": 1.7, "n_bins": 7}, ABOVE_POWER),
    "lad": ({"n_rounds": 3}, make_rows),
    "lad, weights": (
        {"n_rounds": 4, "learning_rate": 0.4, "target": "k", "min_samples_leaf": 3, "n_leaves": 5},
        make_weighted_rows,
    ),
    "lad, weight 0": (
        {"n_rounds": 3, "binning": "app-i", "growth": 1.7, "n_bins": 7, "n_classes": 6},
        make_weight_zero_rows,
    ),
    "huber": ({"n_rounds": 3}, make_rows),
    "huber, weights": (
        {"n_rounds": 4, "share": 0.6, "learning_rate": 0.4, "target": "k", "min_samples_leaf": 3, "n_leaves": 5},
        make_weighted_rows,
    ),
    "huber, weight 0": (
        {"n_rounds": 3, "binning": "app-i", "growth": 1.7, "n_bins": 7, "n_classes": 6},
        make_weight_zero_rows,
    ),
    "gbrt": ({"n_rounds": 3, "max_depth": 2}, make_rows),
    "gbrt, midpoint": ({"n_rounds": 2, "max_depth": 2, "initial": "mean", "cut_at": "midpoint"}, make_rows),
    "gbrt, classes": ({"n_rounds": 2, "max_depth": 2, **HELD}, make_rows),
    "gbrt, nothing to learn": ({"n_rounds": 1}, make_irrelevant_rows),
    "gbrt, few classes": (
        {
            **{"n_rounds": 3, "max_depth": 2, "learning_rate": 1.0},
            **{"setting": "classification", "clip": True, "n_classes": 5},
        },
        make_few_rows,
    ),
    "gbrt, weights": ({"n_rounds": 4, "learning_rate": 0.3, "min_samples_leaf": 6}, make_weighted_rows),
    "gbrt, weight 0": (
        {"n_rounds": 3, "max_depth": 3, "min_samples_leaf": 3, "initial": "mean", "learning_rate": 1.0, **HELD},
        make_weight_zero_rows,
    ),
    "gbrt, close rows": ({"n_rounds": 3, "binning": "exact", "cut_at": "midpoint"}, make_close_rows),
    "gbrt, high labels": ({"n_rounds": 3, "max_depth": 3, "n_bins": 16}, make_high_rows),
    "gbrt, mean": ({"n_rounds": 3, "missing": "mean", "initial": "mean"}, make_missing_rows),
    "gbrt, infinity": (
        {"n_rounds": 2, "missing": "inf", "missing_value": 0.5, "cut_at": "midpoint"},
        partial(make_missing_rows, 0.5),
    ),
    "gbrt, three-way": (
        {"n_rounds": 3, "missing": "three-way", "max_depth": 3},
        partial(make_missing_rows, lacks_more=True),
    ),
    "gbrt, three-way rt-rank": (
        {"n_rounds": 2, "missing": "three-way", "three_way": "rt-rank", "max_depth": 2, "missing_value": 0},
        partial(make_missing_rows, 0.0, lacks_more=True),
    ),
    "rf": ({"n_trees": 2}, make_rows),
    "rf, classes": (
        {"n_trees": 2, "setting": "classification", "cut_at": "midpoint", "min_samples_leaf": 5},
        make_rows,
    ),
    "rf, few rows": ({"n_trees": 3, "max_features": 2}, make_few_rows),
    "rf, few classes": (
        {"n_trees": 3, "setting": "classification", "clip": True, "n_classes": 5, "random_state": 11},
        make_few_rows,
    ),
    "rf, 2^L rows": ({"n_trees": 3, "max_features": 4, "random_state": 2**40 + 3}, POWER),
    "rf, 2^L + 1 rows": ({"n_trees": 3, "max_features": 0.45, "min_samples_leaf": 3, "n_bins": 8}, ABOVE_POWER),
    "rf, weights": ({"n_trees": 3, "max_features": 5, "min_samples_leaf": 2}, make_weighted_rows),
    "rf, weight 0": (
        {"n_trees": 2, "max_features": 3, "setting": "classification", "clip": "each-round", "random_state": 7},
        make_weight_zero_rows,
    ),
    "rf, close rows": ({"n_trees": 2, "max_features": 3, "binning": "exact", "cut_at": "midpoint"}, make_close_rows),
    "rf, zero": ({"n_trees": 2, "max_features": 3, "missing": "zero"}, make_missing_rows),
    "rf, median": (
        {"n_trees": 2, "max_features": 3, "missing": "median", "missing_value": 0},
        partial(make_missing_rows, 0.0),
    ),
    "rf, three-way": (
        {"n_trees": 3, "max_features": 4, "missing": "three-way", "three_way": "rt-rank", "min_samples_leaf": 2},
        make_missing_rows,
    ),
    "igbrt": ({"n_trees": 2, "n_rounds": 2, "max_depth": 2}, make_rows),
    "igbrt, classes": ({"n_trees": 1, "n_rounds": 1, **HELD}, make_rows),
    "igbrt, few classes": (
        {"n_trees": 2, "n_rounds": 3, "max_depth": 2, "n_classes": 5, "learning_rate": 1.0, "random_state": 3, **HELD},
        make_few_rows,
    ),
    "igbrt, weights": (
        {"n_trees": 2, "n_rounds": 3, "max_features": 3, "learning_rate": 0.3, "min_samples_leaf": 4, "n_bins": 16},
        make_weighted_rows,
    ),
    "igbrt, infinity below": (
        {"n_trees": 2, "n_rounds": 3, "missing": "-inf", "missing_value": 0, "max_features": 4, "binning": "exact"},
        partial(make_missing_rows, 0.0),
    ),
    "igbrt, three-way": (
        {
            **{"n_trees": 2, "n_rounds": 2, "missing": "three-way", "three_way": "rt-rank", "max_features": 0.75},
            **{"cut_at": "midpoint", "random_state": 5},
        },
        make_missing_rows,
    ),
    "cocr": ({"base": GBRTRanker(n_rounds=3, max_depth=2)}, make_rows),
    "cocr, absolute": ({"base": GBRTRanker(n_rounds=3, max_depth=3), "cost": "absolute"}, POWER),
    "cocr, squared": (
        {"base": GBRTRanker(n_rounds=3, initial="mean", learning_rate=0.5), "cost": "squared"},
        make_weighted_rows,
    ),
    "cocr, weight 0": ({"base": GBRTRanker(n_rounds=3, min_samples_leaf=3), "n_classes": 6}, make_weight_zero_rows),
    "cocr, few rows": (
        {
            "base": GBRTRanker(n_rounds=3, max_depth=2),
            "cost": ((0, 1, 4, 4), (2, 0, 1, 4), (4, 1, 0, 3), (9, 5, 0.5, 0)),  # a step of 0 leaves rows out
        },
        make_few_rows,
    ),
}
TRAININGS: Mapping[str, ScoredTraining] = MappingProxyType(
    {name: ScoredTraining(name.partition(",")[0], *of_name) for name, of_name in TABLE.items()}
)


def train_golden(training: ScoredTraining, folder: Path) -> Trace:
    """Write the golden trace of a training to a new folder, with all its entries."""
    ranker, rows = RANKERS[training.algorithm](**training.parameters), training.rows()
    with TraceWriter(folder, "json", describe_training(ranker, rows.X, rows.qid)) as writer:
        record_training(ranker, rows.X, rows.y, rows.qid, writer.keep, writer.write, rows.weight)
    return open_trace(folder)

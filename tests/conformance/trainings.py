"""Small trainings of every kind, and traces of them."""

from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np

from refrank.conformance.stages import Record
from refrank.conformance.trace_reader import Trace, open_trace
from refrank.conformance.trace_writer import TraceWriter, Values
from refrank.conformance.tracing import describe_training, record_training
from refrank.datasets import cubic_polynomial
from refrank.estimators import COCRRanker, GBRTRanker, M5PRegressor
from refrank.registry import RANKERS

DATA = cubic_polynomial(3, random_state=4)
X = DATA.X[:, :6].astype(np.float64)
X[:, 1] = np.round(4 * X[:, 1]) - 1.0  # few values, and many ties
X[::2, 1] = np.where(X[::2, 1] == 0.0, -0.0, X[::2, 1])
X[:, 3] = np.where(X[:, 3] > 0, np.nextafter(0.5, 1), 0.5)  # a row on the cut between them
X[::9, 3] = 2.0
X[:, 5] = 7.0  # no cut
WEIGHT = np.random.default_rng(0).integers(1, 4, len(X)) / 2.0

TRAININGS: dict[str, tuple[str, dict[str, Any]]] = {
    "softmax": ("softmax", {"n_rounds": 2, "n_leaves": 4}),
    "softmax, simultaneous": ("softmax", {"n_rounds": 2, "n_leaves": 4, "update": "simultaneous"}),
    "softmax, two bytes": ("softmax", {"n_rounds": 1, "n_leaves": 5, "n_bins": 300}),
    "ordinal": ("ordinal", {"n_rounds": 2, "n_leaves": 4}),
    "ordinal, simultaneous": ("ordinal", {"n_rounds": 2, "update": "simultaneous", "min_samples_leaf": 4}),
    "ls": ("ls", {"n_rounds": 3, "n_bins": 8}),
    "ls, app-i": ("ls", {"n_rounds": 2, "binning": "app-i", "learning_rate": 1}),
    "lad": ("lad", {"n_rounds": 3}),
    "gbrt": ("gbrt", {"n_rounds": 3, "max_depth": 2}),
    "gbrt, midpoint": ("gbrt", {"n_rounds": 2, "max_depth": 2, "initial": "mean", "cut_at": "midpoint"}),
    "gbrt, classes": ("gbrt", {"n_rounds": 2, "max_depth": 2, "setting": "classification", "clip": "each-round"}),
    "rf": ("rf", {"n_trees": 2}),
    "rf, classes": ("rf", {"n_trees": 2, "setting": "classification", "cut_at": "midpoint", "min_samples_leaf": 5}),
    "igbrt": ("igbrt", {"n_trees": 2, "n_rounds": 2, "max_depth": 2}),
    "igbrt, classes": ("igbrt", {"n_trees": 1, "n_rounds": 1, "setting": "classification", "clip": "each-round"}),
    "lambdarank": ("lambdarank", {"n_epochs": 2}),
}
WITHOUT_WEIGHTS = ("lambdarank",)
OVER_OTHERS = {
    "cocr over gbrt": lambda: COCRRanker(GBRTRanker(n_rounds=2, max_depth=2)),
    "cocr over m5p": lambda: COCRRanker(M5PRegressor()),
}


def make(name: str) -> Any:
    """Make the ranker of a training."""
    if name in OVER_OTHERS:
        return OVER_OTHERS[name]()
    algorithm, parameters = TRAININGS[name]
    return RANKERS[algorithm](**parameters)


def record(
    folder: Path,
    ranker: Any,
    values: Values = "json",
    weight: Any = None,
    change: Callable[[Record, Any], Record] = lambda record, keep: record,
) -> Trace:
    """Write the trace of a training, each record changed, and open it."""
    with TraceWriter(folder, values, describe_training(ranker, X, DATA.qid)) as writer:
        record_training(
            ranker,
            X,
            DATA.y,
            DATA.qid,
            writer.keep,
            lambda one: writer.write(change(one, writer.keep)),
            sample_weight=weight,
        )
    return open_trace(folder)

"""Small trainings of every algorithm that boosts or grows trees, for comparing whole ports.

The rows hold edge cases: values one unit in the last place apart with a cut between them, few values and many ties,
zeros of both signs, a constant feature. `make_few_rows` has empty classes, fewer rows than leaves, equal rows with two
labels, a query of one row and one without a relevant document; `make_irrelevant_rows` has nothing to learn.
"""

from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.datasets import cubic_polynomial
from refrank.estimators.registry import RANKERS
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.tracing import describe_training, record_training
from yardstick.traces.writer import TraceWriter


class LabelledRows(NamedTuple):
    """Rows to train on."""

    X: Floats  # (n_samples, n_features)
    y: Ints  # (n_samples,)
    qid: Ints  # (n_samples,), ascending


def make_rows() -> LabelledRows:
    """Make the rows shared by most trainings.

    >>> rows = make_rows()
    >>> rows.X.shape, sorted(set(rows.y.tolist())), sorted(set(rows.qid.tolist()))
    ((150, 6), [0, 1, 2, 3, 4], [0, 1, 2])
    """
    data = cubic_polynomial(3, random_state=4)
    X = data.X[:, :6].astype(np.float64)
    X[:, 1] = np.round(4 * X[:, 1]) - 1.0  # few values, and many ties
    X[::2, 1] = np.where(X[::2, 1] == 0.0, -0.0, X[::2, 1])
    X[:, 3] = np.where(X[:, 3] > 0, np.nextafter(0.5, 1), 0.5)  # a row on the cut between them
    X[::9, 3] = 2.0
    X[:, 5] = 7.0  # no cut
    return LabelledRows(X, data.y, data.qid)


def make_few_rows() -> LabelledRows:
    """Make nine rows, of which the last two differ only in their labels."""
    X = np.array([[0.0, 1.0], [0.5, 1.0], [0.5, -0.0], [3.0, 0.0], [1.0, 5e-324], [1.0, 2.0], [-2.0, 2.0], [9.0, 9.0]])
    X = np.vstack([X, X[-1:]])
    return LabelledRows(X, np.array([0, 3, 0, 3, 0, 0, 0, 3, 0]), np.array([0, 0, 0, 0, 1, 1, 1, 2, 3]))


def make_irrelevant_rows() -> LabelledRows:
    """Make the same rows, all of grade 0."""
    few = make_few_rows()
    return few._replace(y=np.zeros_like(few.y))


class ScoredTraining(NamedTuple):
    """A training, and its rows."""

    algorithm: str  # of refrank.estimators.registry.RANKERS
    parameters: Mapping[str, Any]  # those that differ from the defaults
    rows: Callable[[], LabelledRows] = make_rows


TRAININGS: Mapping[str, ScoredTraining] = MappingProxyType(
    {
        "softmax": ScoredTraining("softmax", {"n_rounds": 2, "n_leaves": 4}),
        "softmax, simultaneous": ScoredTraining("softmax", {"n_rounds": 2, "n_leaves": 4, "update": "simultaneous"}),
        "softmax, two bytes": ScoredTraining("softmax", {"n_rounds": 1, "n_leaves": 5, "n_bins": 300}),
        "ordinal": ScoredTraining("ordinal", {"n_rounds": 2, "n_leaves": 4}),
        "ordinal, simultaneous": ScoredTraining(
            "ordinal", {"n_rounds": 2, "update": "simultaneous", "min_samples_leaf": 4}
        ),
        "ls": ScoredTraining("ls", {"n_rounds": 3, "n_bins": 8}),
        "ls, app-i": ScoredTraining("ls", {"n_rounds": 2, "binning": "app-i", "learning_rate": 1}),
        "lad": ScoredTraining("lad", {"n_rounds": 3}),
        "gbrt": ScoredTraining("gbrt", {"n_rounds": 3, "max_depth": 2}),
        "gbrt, midpoint": ScoredTraining(
            "gbrt", {"n_rounds": 2, "max_depth": 2, "initial": "mean", "cut_at": "midpoint"}
        ),
        "gbrt, classes": ScoredTraining(
            "gbrt", {"n_rounds": 2, "max_depth": 2, "setting": "classification", "clip": "each-round"}
        ),
        "rf": ScoredTraining("rf", {"n_trees": 2}),
        "rf, classes": ScoredTraining(
            "rf", {"n_trees": 2, "setting": "classification", "cut_at": "midpoint", "min_samples_leaf": 5}
        ),
        "igbrt": ScoredTraining("igbrt", {"n_trees": 2, "n_rounds": 2, "max_depth": 2}),
        "igbrt, classes": ScoredTraining(
            "igbrt", {"n_trees": 1, "n_rounds": 1, "setting": "classification", "clip": "each-round"}
        ),
        "softmax, few rows": ScoredTraining("softmax", {"n_rounds": 2, "n_leaves": 10}, make_few_rows),
        "ls, few rows": ScoredTraining("ls", {"n_rounds": 2, "n_leaves": 10}, make_few_rows),
        "rf, few rows": ScoredTraining("rf", {"n_trees": 3, "max_features": 2}, make_few_rows),
        "gbrt, nothing to learn": ScoredTraining("gbrt", {"n_rounds": 1}, make_irrelevant_rows),
    }
)


def train_golden(name: str, folder: Path) -> Trace:
    """Write the golden trace of a training to a new folder, with all its entries."""
    training = TRAININGS[name]
    ranker, rows = RANKERS[training.algorithm](**training.parameters), training.rows()
    with TraceWriter(folder, "json", describe_training(ranker, rows.X, rows.qid)) as writer:
        record_training(ranker, *rows, writer.keep, writer.write)
    return open_trace(folder)

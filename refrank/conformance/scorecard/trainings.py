"""Small trainings of every algorithm that boosts or grows trees, with which whole ports are compared.

The rows are few, and hold the edges: values one unit in the last place apart with a cut between them, few values and
many ties, zeros of both signs, a constant feature.
"""

from collections.abc import Mapping
from pathlib import Path
from types import MappingProxyType
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.conformance.traces.reader import Trace, open_trace
from refrank.conformance.traces.tracing import describe_training, record_training
from refrank.conformance.traces.writer import TraceWriter
from refrank.datasets import cubic_polynomial
from refrank.registry import RANKERS


class Rows(NamedTuple):
    """Rows to train on."""

    X: NDArray[np.float64]  # (150, 6)
    y: NDArray[np.int64]  # (150,), 0..4
    qid: NDArray[np.int64]  # (150,), three queries


TRAININGS: Mapping[str, tuple[str, dict[str, Any]]] = MappingProxyType(
    {
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
    }
)


def make_rows() -> Rows:
    """Make the rows that all trainings share.

    >>> rows = make_rows()
    >>> rows.X.shape, sorted(set(rows.y.tolist()))
    ((150, 6), [0, 1, 2, 3, 4])
    """
    data = cubic_polynomial(3, random_state=4)
    X = data.X[:, :6].astype(np.float64)
    X[:, 1] = np.round(4 * X[:, 1]) - 1.0  # few values, and many ties
    X[::2, 1] = np.where(X[::2, 1] == 0.0, -0.0, X[::2, 1])
    X[:, 3] = np.where(X[:, 3] > 0, np.nextafter(0.5, 1), 0.5)  # a row on the cut between them
    X[::9, 3] = 2.0
    X[:, 5] = 7.0  # no cut
    return Rows(X, data.y, data.qid)


def train_golden(name: str, folder: Path) -> Trace:
    """Write the golden trace of a training to a new folder, with all its entries."""
    algorithm, parameters = TRAININGS[name]
    ranker, rows = RANKERS[algorithm](**parameters), make_rows()
    with TraceWriter(folder, "json", describe_training(ranker, rows.X, rows.qid)) as writer:
        record_training(ranker, *rows, writer.keep, writer.write)
    return open_trace(folder)

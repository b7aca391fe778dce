"""A training as a document: its manifest and its records, as far as a page of one query shows them.

Rows are those of the query; sums, trees and leaves are of all rows that are trained on. Features are those that a cut,
a runner-up or a tie names, and numbered anew. Numbers are those of the training, bit by bit.
"""

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Ints

Arrays = Mapping[str, NDArray[Any]]
BY_ROW = {"data": ("X", "y", "qid", "weight"), "bins": ("codes",), "draws": ("counts",), "grid": ("integers",)}
BY_ROW |= dict.fromkeys(("proba", "residual", "scores", "prediction", "answers"), ("values",))
BY_QUERY = "ndcg", "err"
FEATURES: Mapping[str, Any] = {  # the fields that hold features, and where
    "cut": {"cut": (..., 0), "tied": (..., 1), "runner_up": (..., 0)},
    "tree": {"feature": ...},
}


class TrainingRecord(NamedTuple):
    """A record of a training."""

    stage: str
    at: Mapping[str, int]  # round, tree and output, as far as they apply
    arrays: Arrays


def keep_rows(step: TrainingRecord, shown: Ints, query: int) -> TrainingRecord:
    """Keep the rows of a query: `shown`, (n_shown,), ascending; queries are numbered from 0 by first occurrence."""
    arrays = {name: values for name, values in step.arrays.items() if name != "digests"}
    arrays |= {name: arrays[name][shown] for name in BY_ROW.get(step.stage, ()) if name in arrays}
    if step.stage == "metric":
        arrays |= {name: arrays[name][query : query + 1] for name in BY_QUERY if name in arrays}
    elif "rows" in arrays:
        rows = arrays["rows"]
        is_shown = np.isin(rows, shown)
        if step.stage == "partition":
            arrays["n_left"] = count_left(arrays["nodes"], arrays["n_left"], is_shown)
        arrays["rows"] = np.searchsorted(shown, rows[is_shown])
    return step._replace(arrays=arrays)


def count_left(nodes: Ints, n_left: Ints, is_shown: NDArray[np.bool_]) -> Ints:
    """Count the shown rows that go left in each cut; rows are marked leaf after leaf, (n_samples,).

    >>> count_left(np.array([0, 2]), np.array([1, 1]), np.array([True, False, True]))
    array([1, 0])
    """
    before, ranges = np.concatenate([[0], np.cumsum(is_shown)]), [(0, len(is_shown))]
    counts = []
    for node, count in zip(nodes.tolist(), n_left.tolist(), strict=True):
        start, stop = ranges[node]
        ranges += [(start, start + count), (start + count, stop)]
        counts.append(before[start + count] - before[start])
    return np.array(counts, np.int64)


def list_named_features(steps: Iterable[TrainingRecord]) -> Ints:
    """List the features that cuts, their rivals and trees name, ascending; the first feature if none does."""
    named = [step.arrays[name][at] for step in steps for name, at in FEATURES.get(step.stage, {}).items()]
    features = np.unique(np.concatenate([np.ravel(values) for values in named] or [np.zeros(1, np.int64)]))
    return features[features >= 0] if (features >= 0).any() else np.zeros(1, np.int64)


def keep_features(step: TrainingRecord, kept: Ints, offsets: Ints | None) -> TrainingRecord:
    """Keep some features, numbered anew; `offsets`, (n_features + 1,), are those of the bins of all, if any."""
    arrays = dict(step.arrays)
    if step.stage == "data":
        arrays["X"] = arrays["X"][:, kept]
    elif step.stage == "bins":
        own = arrays["offsets"]
        cuts = [np.arange(own[f] - f, own[f + 1] - f - 1) for f in kept]
        arrays["cuts"], arrays["codes"] = arrays["cuts"][np.concatenate(cuts)], arrays["codes"][:, kept]
        arrays["offsets"] = np.concatenate([[0], np.cumsum(np.diff(own)[kept])])
    elif offsets is not None and step.stage == "histogram":
        arrays["sums"] = arrays["sums"][:, np.concatenate([np.arange(offsets[f], offsets[f + 1]) for f in kept])]
    for name, at in FEATURES.get(step.stage, {}).items():
        values = arrays[name].copy()
        values[at] = np.where(values[at] < 0, values[at], np.searchsorted(kept, values[at]))
        arrays[name] = values
    return step._replace(arrays=arrays)


def make_document(manifest: Mapping[str, Any], steps: Iterable[TrainingRecord]) -> dict[str, Any]:
    """Make a document, which JSON can hold: interfaces of both sources, the port's and this one, are equal.

    >>> make_document({}, [TrainingRecord("start", {}, {"values": np.array([-0.0, np.inf])})])["records"]
    [{'stage': 'start', 'at': {}, 'fields': {'values': {'shape': [2], 'values': [-0.0, 'inf']}}}]
    """
    records = [
        {
            "stage": step.stage,
            "at": dict(step.at),
            "fields": {name: write_field(values) for name, values in step.arrays.items() if name != "digests"},
        }
        for step in steps
    ]
    return {"manifest": dict(manifest), "records": records}


def write_field(values: NDArray[Any]) -> dict[str, Any]:
    """Write an array; what JSON has no number for is a text."""
    entries = np.ravel(values).tolist()
    if values.dtype.kind == "f" and not np.isfinite(values).all():
        entries = [entry if np.isfinite(entry) else str(entry) for entry in entries]
    return {"shape": list(values.shape), "values": entries}

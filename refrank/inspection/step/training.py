"""A training step by step: it is recorded, and a page shows what it does to the documents of one query."""

from collections.abc import Callable, Sequence
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Ints, Matrix
from refrank.checks import check_choice, print_text
from refrank.inspection.step.document import (
    TrainingRecord,
    keep_features,
    keep_rows,
    list_named_features,
    make_document,
)
from refrank.metrics.queries import group_rows

SHOWN = "softmax", "ordinal", "ls", "gbrt", "rf", "igbrt", "cocr"  # the algorithms whose lines the page has
MANY = 5  # ids of queries that an error names
Tell = Callable[[str, dict[str, int], dict[str, NDArray[Any]]], None]  # (stage, place, arrays)
Recorder = Callable[[Any, Matrix, NDArray[Any], NDArray[Any] | None, Tell], dict[str, Any]]


def record_query(
    ranker: Any, X: Matrix, y: NDArray[Any], qid: NDArray[Any] | None, query: object, names: Sequence[str] = ()
) -> dict[str, Any]:
    """Train a ranker on rows, and make the document of one query of theirs.

    X is (n_samples, n_features), y and qid (n_samples,); `names` are those of the features. All rows are trained on;
    the document shows those of the query. A ValueError says that there is no such query, or that the page has no lines
    of the algorithm.
    """
    check_choice("algorithm", ranker.algorithm, SHOWN)
    shown, number, name = find_query(qid, len(X), query)
    steps: list[TrainingRecord] = []

    def tell(stage: str, at: dict[str, int], arrays: dict[str, NDArray[Any]]) -> None:
        steps.append(keep_rows(TrainingRecord(stage, at, arrays), shown, number))

    manifest = find_recorder()(ranker, X, y, qid, tell)
    names = names or [f"x{f}" for f in range(X.shape[1])]
    kept = list_named_features(steps)
    offsets = next((step.arrays["offsets"] for step in steps if step.stage == "bins"), None)
    manifest |= {
        "query": name,
        "documents": [str(i) for i in range(1, len(shown) + 1)],
        "features": [str(names[f]) for f in kept],
        "classes": int(getattr(ranker, "n_classes_", 0)) or None,
    }
    return make_document(manifest, (keep_features(step, kept, offsets) for step in steps))


def find_query(qid: NDArray[Any] | None, n_samples: int, query: object) -> tuple[Ints, int, str]:
    """Find the rows of a query, ascending, its number by first occurrence, and its id as text.

    >>> find_query(np.array([7, 7, 3]), 3, "3")
    (array([2]), 1, '3')
    """
    queries = group_rows(qid, n_samples)
    rows = [np.sort(of) for of in np.split(queries.rows, queries.starts[1:])]
    ids = [""] if qid is None else [str(qid[of[0]]) for of in rows]
    if query is None and len(ids) == 1:
        return rows[0], 0, ids[0]
    if str(query) not in ids:
        some = ", ".join(ids[:MANY]) + (f" and {len(ids) - MANY} more" if len(ids) > MANY else "")
        raise ValueError(f"query is {print_text(str(query), 40)}: it must be the id of a query, such as {some}")
    number = ids.index(str(query))
    return rows[number], number, ids[number]


def find_recorder() -> Recorder:
    """Find what records a training: the entry point `refrank.recorder` of an installed package."""
    for entry in metadata.entry_points(group="refrank.recorder"):
        recorder: Recorder = entry.load()
        return recorder
    raise ValueError("no installed package records trainings: one must offer the entry point refrank.recorder")

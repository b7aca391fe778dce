"""Query ids of the rows that a ranker gets: an argument, or the column "qid" of a table; `score` needs them.

A table is a DataFrame of pandas or polars, which are not imported: it has `columns`, and is indexed by their names.
"""

import warnings
from collections.abc import Sequence
from itertools import chain, pairwise
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.arrays import Bools
from refrank.cluster.communicator import find_shards
from refrank.metrics.one_query import warn_of_many_rows
from refrank.metrics.queries import group_rows

COLUMN = "qid"
RECIPE = (
    "In cross-validation and searches, X may be a DataFrame with a column qid, or route it: "
    "sklearn.set_config(enable_metadata_routing=True), ranker.set_fit_request(qid=True).set_score_request(qid=True), "
    "folds by GroupKFold (docs/use/model_selection.md)"
)
NEEDS_QID = "score needs qid: fit saw {} queries, and without qid all rows would be ranked as one. " + RECIPE


def take_query_ids(X: Any, qid: ArrayLike | None = None, name: str = "qid") -> tuple[Any, ArrayLike | None]:
    """Return the features, and the query of each row, (n_samples,): of the column "qid" of a table, or as given.

    X is an array or a table with n_samples rows. Raises a ValueError if a table has such a column and `qid`, which
    messages call `name`, is given, too.

    >>> take_query_ids([[1.0], [2.0]], [7, 7])
    ([[1.0], [2.0]], [7, 7])
    """
    columns = getattr(X, "columns", None)
    if columns is None or COLUMN not in [*columns]:
        return X, qid
    if qid is not None:
        raise ValueError(f"{name} is given twice: as an argument, and as the column {COLUMN!r} of X; give one of them")
    return X[[column for column in columns if column != COLUMN]], np.asarray(X[COLUMN])


def fill_scored_queries(qid: ArrayLike | None, n_queries: int, n_samples: int, n_unnamed: int = 0) -> ArrayLike:
    """Return the query of each row, (n_samples,): as given, or one for all rows, with a warning if they are many.

    The warning also comes if `n_unnamed`, the rows of a fit without ids, are many: its rows are of the same kind.

    Raises a ValueError without ids after a fit on several queries.

    >>> fill_scored_queries(None, n_queries=3, n_samples=9)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: score needs qid: fit saw 3 queries, and without qid all rows would be ranked as one...
    """
    if qid is None and n_queries > 1:
        raise ValueError(NEEDS_QID.format(n_queries))
    warn_of_many_rows(qid, max(n_samples, n_unnamed), "score got no qid, and fit saw one query", "score", RECIPE)
    return np.zeros(n_samples) if qid is None else qid


def fill_ranked_queries(qid: ArrayLike | None, n_samples: int, name: str = "qid") -> ArrayLike:
    """Do so for a fit that compares the documents of each query; messages call the ids `name`.

    >>> fill_ranked_queries(None, n_samples=2)
    array([0., 0.])
    """
    warn_of_many_rows(qid, n_samples, f"fit got no {name}, and compares documents of a query", "model", RECIPE)
    return np.zeros(n_samples) if qid is None else qid


def count_queries(qid: ArrayLike | None, kept: Bools) -> int:
    """Check the ids of the queries, and count the queries of the rows that are kept, (n_samples,); 1 without ids."""
    if qid is None:
        return 1
    own: list[Any] = []  # a shard may have no rows
    if len(kept) or np.shape(qid) != (0,):
        queries = group_rows(qid, len(kept))
        is_kept = np.logical_or.reduceat(kept[queries.rows], queries.starts)
        first = queries.rows[queries.starts[is_kept]]  # a row of each
        own = [qid[row] for row in first] if isinstance(qid, list | tuple) else np.asarray(qid)[first].tolist()
    return len(set(chain(*find_shards().gather(own))))  # a query may have rows on several shards


def warn_of_swap(y: Any, qid: Any) -> None:
    """Warn if y, (n_samples,), looks like query ids, and qid like labels: the call has them in the wrong order.

    They do if qid has at most 32 values, integers from 0 to 31; if y has 8 or more and at least twice as many; if each
    value of y stands in one run of rows, as the ids of a file do; and if qid changes from row to row more often than y.
    Labels of a ranking are in scattered rows, and a target of regression has no runs. Rows of shards follow each other.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as warned:
    ...     warnings.simplefilter("always")
    ...     warn_of_swap(np.repeat(np.arange(8), 3), [0, 2, 1] * 8)
    >>> len(warned)
    1
    """
    if qid is None:
        return
    ids, labels = np.asarray(y), np.asarray(qid)
    are_numbers = ids.dtype.kind in "iuf" and labels.dtype.kind in "iuf"
    comparable = are_numbers and ids.shape == labels.shape and ids.ndim == 1
    joined = find_shards().gather((len(ids), count_changes(ids), count_changes(labels)) if comparable else None)
    if None in joined:
        return
    lengths, of_ids, of_labels = zip(*joined, strict=True)
    n_runs = 1 + add_changes(of_ids)
    if 2 * n_runs > sum(lengths) or add_changes(of_labels) < n_runs:
        return
    n_ids, grades = len(join_values(ids)), join_values(labels)
    if n_ids == n_runs >= max(8, 2 * len(grades)) and np.isin(grades, np.arange(32)).all():
        shown = ", ".join(f"{grade:g}" for grade in grades[:5]) + ", ..." * (len(grades) > 5)
        about = f"y looks like query ids ({n_ids} values, each in one run of rows) and qid like labels ({shown})"
        warnings.warn(f"{about}: fit takes X, y, qid, in this order", UserWarning, stacklevel=3)


def count_changes(values: NDArray[Any]) -> tuple[int, list[Any]]:
    """Count the rows of a shard whose value differs from that of the row before; return its first value and its last.

    >>> count_changes(np.array([1, 1, 0, 2]))
    (2, [1, 2])
    """
    return int(np.count_nonzero(values[1:] != values[:-1])), values[[0, -1] if len(values) else []].tolist()


def add_changes(of_shards: Sequence[tuple[int, list[Any]]]) -> int:
    """Add up the changes within shards, and those from one to the next.

    >>> add_changes([(2, [1, 2]), (0, []), (1, [2, 0]), (0, [1, 1])])
    4
    """
    ends = [own for _, own in of_shards if own]
    return sum(n for n, _ in of_shards) + sum(before[1] != after[0] for before, after in pairwise(ends))


def join_values(values: NDArray[Any]) -> NDArray[Any]:
    """List the distinct values of all rows, ascending."""
    return np.unique(np.concatenate(find_shards().gather(np.unique(values))))

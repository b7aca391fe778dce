"""Query ids of the rows that a ranker gets: an argument, or the column "qid" of a table; `score` needs them.

A table is a DataFrame of pandas or polars, which are not imported: it has `columns`, and is indexed by their names.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Bools
from refrank.cluster.communicator import find_shards, is_alone
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
    if is_alone():
        queries = group_rows(qid, len(kept))
        return int(np.count_nonzero(np.logical_or.reduceat(kept[queries.rows], queries.starts)))
    if qid is None:
        return 1
    ids = np.asarray(qid)
    if len(ids):
        group_rows(ids, len(kept))  # it checks them
    of_shards = find_shards().gather(np.unique(ids[kept]))  # a query may have rows on several
    return len(np.unique(np.concatenate([own for own in of_shards if len(own)])))


def warn_of_swap(y: Any, qid: Any) -> None:
    """Warn if y, (n_samples,), looks like query ids, and qid like labels: the call has them in the wrong order.

    They do if qid has at most 32 values, integers from 0 to 31; if y has 8 or more and at least twice as many; if each
    value of y stands in one run of rows, as the ids of a file do; and if qid changes from row to row more often than y.
    Labels of a ranking are in scattered rows, and a target of regression has no runs.

    >>> import warnings
    >>> with warnings.catch_warnings(record=True) as warned:
    ...     warnings.simplefilter("always")
    ...     warn_of_swap(np.repeat(np.arange(8), 3), [0, 2, 1] * 8)
    >>> len(warned)
    1
    """
    ids, labels = np.asarray(y), np.asarray(qid)
    if ids.shape != labels.shape or ids.ndim != 1 or ids.dtype.kind not in "iuf" or labels.dtype.kind not in "iuf":
        return
    n_runs = 1 + np.count_nonzero(ids[1:] != ids[:-1])
    if 2 * n_runs > len(ids) or np.count_nonzero(labels[1:] != labels[:-1]) < n_runs:
        return
    n_ids, grades = len(np.unique(ids)), np.unique(labels)
    if n_ids == n_runs >= max(8, 2 * len(grades)) and np.isin(grades, np.arange(32)).all():
        shown = ", ".join(f"{grade:g}" for grade in grades[:5]) + ", ..." * (len(grades) > 5)
        about = f"y looks like query ids ({n_ids} values, each in one run of rows) and qid like labels ({shown})"
        warnings.warn(f"{about}: fit takes X, y, qid, in this order", UserWarning, stacklevel=3)

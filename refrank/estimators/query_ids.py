"""Query ids of the rows that a ranker gets: an argument, or the column "qid" of a table; `score` needs them.

A table is a DataFrame of pandas or polars, which are not imported: it has `columns`, and is indexed by their names.
"""

from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Bools
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
    queries = group_rows(qid, len(kept))
    return int(np.count_nonzero(np.logical_or.reduceat(kept[queries.rows], queries.starts)))

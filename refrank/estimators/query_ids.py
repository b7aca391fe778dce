"""Query ids of the rows that a ranker gets: an argument, or the column "qid" of a table; `score` needs them.

A table is a DataFrame of pandas or polars, which are not imported: it has `columns`, and is indexed by their names.
"""

import warnings
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from refrank.estimators.run import Training
from refrank.metrics.queries import group_rows

COLUMN = "qid"
MOST_ROWS = 200  # more than these are rarely one query
RECIPE = (
    "In cross-validation and searches, X may be a DataFrame with a column qid, or route it: "
    "sklearn.set_config(enable_metadata_routing=True), ranker.set_fit_request(qid=True).set_score_request(qid=True), "
    "folds by GroupKFold (docs/use/model_selection.md)"
)
NEEDS_QID = "score needs qid: fit saw {} queries, and without qid all rows would be ranked as one. " + RECIPE
ONE_QUERY = (
    f"{{}}: more than {MOST_ROWS} rows are ranked as one. If they are several queries, this {{}} is wrong. {RECIPE}. "
    "If they are one query, pass qid=np.zeros(len(y))"
)
SHOWN: set[str] = set()  # messages that were shown in this process


class OneQueryWarning(UserWarning):
    """Many rows are ranked as one query, because no ids were given."""


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


def check_scored_queries(qid: ArrayLike | None, n_queries: int, n_samples: int) -> None:
    """Refuse to rank n_samples rows without ids, (n_samples,), after a fit on several queries; warn of many rows.

    >>> check_scored_queries(None, n_queries=3, n_samples=9)  # doctest: +ELLIPSIS
    Traceback (most recent call last):
    ValueError: score needs qid: fit saw 3 queries, and without qid all rows would be ranked as one...
    """
    if qid is not None:
        return
    if n_queries > 1:
        raise ValueError(NEEDS_QID.format(n_queries))
    if n_samples > MOST_ROWS:
        warn_once(ONE_QUERY.format("score got no qid, and fit saw one query", "score"), OneQueryWarning)


def check_ranked_queries(qid: ArrayLike | None, n_samples: int) -> None:
    """Warn of a fit that compares the documents of each query, and takes many rows without ids as one.

    >>> check_ranked_queries(None, n_samples=200)
    """
    if qid is None and n_samples > MOST_ROWS:
        warn_once(ONE_QUERY.format("fit got no qid, and learns from pairs of a query", "model"), OneQueryWarning)


def warn_once(message: str, category: type[Warning]) -> None:
    """Warn the caller of the public function: once per process, unless a filter asks for an error or for every time.

    Python forgets what it has shown when filters change, as they do in scikit-learn for each fold.
    """
    filters = (action for action, _, of, *_ in warnings.filters if issubclass(category, of))
    if next(filters, "default") in ("always", "all", "error") or message not in SHOWN:
        SHOWN.add(message)
        warnings.warn(message, category, stacklevel=4)


def count_queries(qid: ArrayLike | None, data: Training) -> int:
    """Check the ids of the queries, and count the queries of the rows that are kept; 1 without ids."""
    queries = group_rows(qid, len(data.kept))
    return int(np.count_nonzero(np.logical_or.reduceat(data.kept[queries.rows], queries.starts)))

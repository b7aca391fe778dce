"""Input of every metric: checked in this one place, and grouped by query.

The rows of a query may be scattered; queries are numbered by the first row in which each appears.
"""

import math
from collections.abc import Hashable, Sequence
from dataclasses import dataclass
from numbers import Integral
from reprlib import repr as short

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.arrays import Bools, Floats, Ints
from refrank.checks import (
    check_entries,
    check_integer,
    check_label_column,
    check_numbers,
    check_scores,
    check_shape,
    check_unmasked,
    check_weights,
)
from refrank.metrics.one_query import warn_of_many_rows
from refrank.metrics.spec import HIGHEST_LABEL, MetricSpec

NUMBERS = "scores must be numbers"
NO_PLACE = "below documents without a rank there is no place"
ID_RULE = "a query id must be hashable and not NaN"


@dataclass(frozen=True)
class QueryRows:
    """Rows of each query: query q has `rows[starts[q] : starts[q] + lengths[q]]`, in the order of the input."""

    order: Ints | None  # (n_samples,) row numbers, query after query; None: the rows stand in this order
    starts: Ints  # (n_queries,)
    lengths: Ints  # (n_queries,)

    @property
    def rows(self) -> Ints:
        """Row numbers, query after query, (n_samples,)."""
        return np.arange(self.starts[-1] + self.lengths[-1]) if self.order is None else self.order


@dataclass(frozen=True)
class Documents:
    """Checked input of a metric."""

    labels: NDArray[np.int8]  # (n_samples,), one byte per document: blocks are read many times
    scores: Floats  # (n_samples,)
    document: Ints | None  # (n_samples,) place of each id in ascending order; None: the tie rule does not read it
    queries: QueryRows
    unranked: Bools | None = None  # (n_samples,) whether the ranking leaves a document out; None: it has all

    def count_by_query(self, marked: Bools) -> Ints:
        """Count the marked documents of each query, (n_queries,), among all documents, (n_samples,)."""
        return np.add.reduceat(marked[self.queries.rows], self.queries.starts, dtype=np.int64)

    @property
    def n_ranked(self) -> Ints:
        """Number of ranked documents of each query, (n_queries,)."""
        return self.queries.lengths if self.unranked is None else self.count_by_query(~self.unranked)


def check_documents(
    y: ArrayLike, score: ArrayLike, qid: ArrayLike | None, doc_id: ArrayLike | None, spec: MetricSpec
) -> Documents:
    """Check labels 0..53, scores, query ids, and document ids if the tie rule reads them, (n_samples,) each."""
    labels = check_label_column(y, HIGHEST_LABEL).astype(np.int8)
    n_samples = len(labels)
    unranked = None if spec.unranked == "error" else np.isnan(check_numbers("score", score, NUMBERS))
    if unranked is None or unranked.shape != (n_samples,) or not unranked.any():
        scores, unranked = check_scores(score, n_samples), None
    else:
        scores = np.where(unranked, -np.inf, check_numbers("score", score, NUMBERS))
        check_entries("score", scores, (scores == -np.inf) & ~unranked, NO_PLACE)
    document = None
    if spec.ties == "document id descending":
        check_unmasked("doc_id", doc_id)
        ids = np.arange(n_samples) if doc_id is None else np.asarray(doc_id)
        check_shape("doc_id", ids, (n_samples,), "(n_samples,), one document id per row")
        document = np.unique(ids, return_inverse=True)[1]
    warn_of_many_rows(qid, n_samples)
    return Documents(labels, scores, document, group_rows(qid, n_samples), unranked)


def check_cutoff(k: int | None) -> int | None:
    """Return k as an integer of at least 1, or None for all documents."""
    if k is None:
        return None
    try:
        return check_integer("k", k, at_least=1)
    except ValueError as fault:
        raise ValueError(f"{fault}, or None for all documents") from None


def group_rows(qid: ArrayLike | None, n_samples: int) -> QueryRows:
    """Group rows by query, (n_samples,): NumPy numbers, strings or dates, or any hashable objects; None: one query."""
    if qid is None:
        return QueryRows(None, np.array([0]), np.array([n_samples]))
    check_unmasked("qid", qid)
    ids = qid if isinstance(qid, list | tuple) else np.asarray(qid)
    shape = ids.shape if isinstance(ids, np.ndarray) else (len(ids),)
    if shape != (n_samples,):
        fault = f"qid has shape {shape}: it must have shape (n_samples,), one query id per row, here ({n_samples},)"
        if len(shape) == 1 and all(isinstance(query_id, Integral) for query_id in ids) and sum(ids) == n_samples:
            fault += "; these look like group sizes: to get ids, pass np.repeat(np.arange(len(sizes)), sizes)"
        raise ValueError(fault)
    if isinstance(ids, np.ndarray) and ids.dtype.kind != "O":
        if ids.dtype.kind in "fcmM":
            check_entries("qid", ids, ids != ids, ID_RULE)
    else:
        ids = _number_objects(ids)
    first = np.append(0, np.flatnonzero(ids[1:] != ids[:-1]) + 1)  # where a run of one query begins
    _, appearance, inverse = np.unique(ids[first], return_index=True, return_inverse=True)
    query = np.argsort(np.argsort(appearance))[inverse]  # of each run
    run_length = np.diff(first, append=n_samples)
    if len(query) == query.max() + 1:  # one run per query
        return QueryRows(None, first, run_length)
    order = np.argsort(np.repeat(query, run_length), kind="stable")
    lengths = np.bincount(query, weights=run_length).astype(np.int64)
    return QueryRows(order, np.cumsum(lengths) - lengths, lengths)


def number_queries(qid: ArrayLike | None, n_samples: int) -> Ints:
    """Number the query of each row from 0 in order of first occurrence, (n_samples,).

    >>> number_queries(["b", "a", "b"], 3)
    array([0, 1, 0])
    """
    queries, numbers = group_rows(qid, n_samples), np.empty(n_samples, np.int64)
    numbers[queries.rows] = np.repeat(np.arange(len(queries.starts)), queries.lengths)
    return numbers


def mean_weight_per_query(sample_weight: ArrayLike | None, qid: ArrayLike | None, n_samples: int) -> Floats | None:
    """Return the mean weight of the rows of each query in qid, (n_queries,), by first appearance; None without weights.

    The sample_weight of each row, (n_samples,), is finite and not negative; `math.fsum` makes each sum exact.

    >>> mean_weight_per_query([1.0, 4.0, 2.0], ["b", "a", "b"], 3)
    array([1.5, 4. ])
    """
    weight = check_weights(sample_weight, n_samples)
    if weight is None:
        return None
    queries = group_rows(qid, n_samples)
    by_query = np.split(weight[queries.rows], queries.starts[1:])
    return np.array([math.fsum(weights.tolist()) / len(weights) for weights in by_query])


def _number_objects(ids: Sequence[Hashable] | NDArray) -> Ints:
    seen: dict[Hashable, int] = {}
    numbers = np.empty(len(ids), dtype=np.int64)
    for row, query_id in enumerate(ids):
        try:
            numbers[row] = seen.setdefault(query_id, len(seen))
            lawful = bool(query_id == query_id)
        except TypeError:  # not hashable
            lawful = False
        if not lawful:
            raise ValueError(f"qid at row {row} is {short(query_id)}: {ID_RULE}")
    return numbers

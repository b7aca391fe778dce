"""Input of every metric: checked in this one place, and laid out as blocks of queries of similar length.

    idea                                     in code      shape
    the documents of a query, in row order   QueryRows    rows (n_samples,), starts and lengths (n_queries,)
    some queries side by side                Block        rows and present (n_block, width)

Rows of a query may be scattered; queries are numbered by the first row each appears in. A block holds queries
next to each other in length, so little of it is padding and a metric is a few array operations a block.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics.spec import HIGHEST_LABEL

BLOCK_ENTRIES = 1 << 17  # one megabyte a float64 array: a block stays in the cache


@dataclass(frozen=True)
class QueryRows:
    """Query q has the rows `rows[starts[q] : starts[q] + lengths[q]]`, in their order in the file."""

    rows: np.ndarray  # (n_samples,) row numbers, query after query
    starts: np.ndarray  # (n_queries,)
    lengths: np.ndarray  # (n_queries,)


@dataclass(frozen=True)
class Block:
    """Queries side by side, one a line; entries where `present` is False are padding at the end of a line."""

    query: np.ndarray  # (n_block,) query numbers
    rows: np.ndarray  # (n_block, width) row numbers; padding repeats some row
    present: np.ndarray  # (n_block, width)


def check_labels(y: ArrayLike) -> np.ndarray:
    """Return the labels as int8, shape (n_samples,).

    Raises
    ------
    ValueError
        If there is no label, or one is not an integer from 0 to 53.

    Examples
    --------
    >>> check_labels([2.0, 0.0, 4.0])
    array([2, 0, 4], dtype=int8)
    """
    labels = np.asarray(y)
    _check_shape("y", labels)
    if labels.dtype.kind not in "biuf":
        raise ValueError(f"y has type {labels.dtype}: labels must be numbers")
    bad = ~((labels >= 0) & (labels <= HIGHEST_LABEL))
    if labels.dtype.kind == "f" and not bad.any():
        bad = labels != np.rint(labels)
    _refuse("y", labels, bad, f"labels must be integers from 0 to {HIGHEST_LABEL}")
    return labels.astype(np.int8)


def check_scores(score: ArrayLike, n_samples: int) -> np.ndarray:
    """Return the scores as float64, shape (n_samples,).

    Raises
    ------
    ValueError
        If the length is not `n_samples`, or a score is NaN.

    Examples
    --------
    >>> check_scores([1, 2], 2)
    array([1., 2.])
    """
    scores = np.asarray(score, dtype=np.float64)
    _check_shape("score", scores)
    if len(scores) != n_samples:
        raise ValueError(
            f"score has {len(scores)} entries, y has {n_samples}: they must be one a document each"
        )
    _refuse("score", scores, np.isnan(scores), "a document without a score has no place in a ranking")
    return scores


def check_cutoff(k: int | None) -> int | None:
    """Return k as an int, or None for all documents.

    Raises
    ------
    ValueError
        If k is neither None nor a positive integer.

    Examples
    --------
    >>> check_cutoff(10)
    10
    """
    if k is None:
        return None
    if isinstance(k, bool) or not isinstance(k, int | np.integer) or k < 1:
        raise ValueError(f"k={k!r}: must be a positive integer, or None for all documents")
    return int(k)


def document_order(doc_id: ArrayLike | None, n_samples: int) -> np.ndarray:
    """Return the place of each document's id among all ids in ascending order, shape (n_samples,).

    Without ids, the row number is the id.

    Raises
    ------
    ValueError
        If the length is not `n_samples`.

    Examples
    --------
    >>> document_order(["b", "c", "a"], 3)
    array([1, 2, 0])
    """
    if doc_id is None:
        return np.arange(n_samples)
    ids = np.asarray(doc_id)
    _check_shape("doc_id", ids)
    if len(ids) != n_samples:
        raise ValueError(
            f"doc_id has {len(ids)} entries, y has {n_samples}: they must be one a document each"
        )
    return np.unique(ids, return_inverse=True)[1]


def group_rows(qid: ArrayLike | None, n_samples: int) -> QueryRows:
    """Return which rows belong to which query; queries are numbered by first appearance.

    Parameters
    ----------
    qid : array-like of shape (n_samples,) or None
        Query of each row: NumPy numbers, strings or dates, or a list of any hashable objects. None: one
        query.
    n_samples : int
        Number of documents.

    Raises
    ------
    ValueError
        If the length is not `n_samples`, or an id is NaN.

    Examples
    --------
    >>> group_rows(["b", "a", "b"], 3)
    QueryRows(rows=array([0, 2, 1]), starts=array([0, 2]), lengths=array([2, 1]))
    """
    if qid is None:
        return QueryRows(np.arange(n_samples), np.array([0]), np.array([n_samples]))
    ids = qid if isinstance(qid, list | tuple) else np.asarray(qid)
    if isinstance(ids, np.ndarray):
        _check_shape("qid", ids)
    if len(ids) != n_samples:
        raise ValueError(f"qid has {len(ids)} entries, y has {n_samples}: {_explain_length(ids, n_samples)}")
    if isinstance(ids, np.ndarray) and ids.dtype.kind != "O":
        _refuse("qid", ids, ids != ids, "a query id must equal itself")
        first = np.flatnonzero(np.append(True, ids[1:] != ids[:-1]))  # where a run of one query begins
        query = _number_by_appearance(ids[first])
    else:
        seen: dict[object, int] = {}
        numbers = np.array([seen.setdefault(one, len(seen)) for one in ids])
        first = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
        query = numbers[first]
    run_length = np.diff(first, append=n_samples)
    if len(query) == query.max() + 1:  # one run a query
        return QueryRows(np.arange(n_samples), first, run_length)
    rows = np.argsort(np.repeat(query, run_length), kind="stable")
    lengths = np.bincount(query, weights=run_length).astype(np.int64)
    return QueryRows(rows, np.cumsum(lengths) - lengths, lengths)


def blocks(queries: QueryRows) -> Iterator[Block]:
    """Yield all queries, a block of similar lengths at a time, short ones first.

    Examples
    --------
    >>> [block.rows.tolist() for block in blocks(group_rows(["b", "a", "b"], 3))]
    [[[1, 1], [0, 2]]]
    """
    by_length = np.argsort(queries.lengths, kind="stable")
    lengths = queries.lengths[by_length]
    first = 0
    while first < len(lengths):
        # As many queries as fit; lengths ascend, so the last one taken is the width of the block.
        size = np.arange(1, len(lengths) - first + 1) * lengths[first:]
        last = first + max(1, int(np.searchsorted(size, BLOCK_ENTRIES, side="right")))
        query = by_length[first:last]
        column = np.arange(lengths[last - 1])
        present = column < queries.lengths[query, None]
        place = queries.starts[query, None] + np.where(present, column, 0)
        yield Block(query, queries.rows[place], present)
        first = last


def _number_by_appearance(ids: np.ndarray) -> np.ndarray:
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]


def _check_shape(name: str, values: np.ndarray) -> None:
    if values.ndim != 1:
        raise ValueError(f"{name} has shape {values.shape}: it must have one dimension, (n_samples,)")
    if len(values) == 0:
        raise ValueError(f"{name} is empty: there must be at least one document")


def _refuse(name: str, values: np.ndarray, bad: np.ndarray, rule: str) -> None:
    if bad.any():
        row = int(np.argmax(bad))
        raise ValueError(f"{name}[{row}] is {values[row].item()!r}: {rule}")


def _explain_length(ids: object, n_samples: int) -> str:
    sizes = np.asarray(ids)
    if sizes.dtype.kind in "iu" and sizes.sum() == n_samples:
        return (
            "its entries add up to the number of documents, so they look like group sizes; qid is one id a "
            "document: np.repeat(np.arange(len(sizes)), sizes)"
        )
    return "qid must be one id a document"

"""Input of every metric: checked in this one place, and laid out as blocks of queries of similar length.

    idea                                      in code      shape
    the documents of a query, in row order    QueryRows    rows (n_samples,), starts and lengths (n_queries,)
    queries side by side                      Block        rows and present (n_block, width)

The rows of a query may be scattered; queries are numbered by the first row in which each appears. A block holds
queries of similar length, so little of it is padding, and a metric is a few array operations per block.
"""

import math
from collections.abc import Hashable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from numbers import Integral
from reprlib import repr as short

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.checks import check_entries, check_integer, check_labels, check_scores, check_shape, check_weights
from refrank.metrics.spec import HIGHEST_LABEL, MetricSpec

BLOCK_ENTRIES = 1 << 17  # one megabyte per float64 array: a block stays in the cache
ID_RULE = "a query id must be hashable and not NaN"


@dataclass(frozen=True)
class QueryRows:
    """Rows of each query: query q has `rows[starts[q] : starts[q] + lengths[q]]`, in the order of the input.

    Parameters
    ----------
    rows : int64 array of shape (n_samples,)
        Row numbers, query after query.
    starts : int64 array of shape (n_queries,)
    lengths : int64 array of shape (n_queries,)
    """

    rows: NDArray[np.int64]
    starts: NDArray[np.int64]
    lengths: NDArray[np.int64]


@dataclass(frozen=True)
class Documents:
    """Checked input of a metric.

    Parameters
    ----------
    labels : int8 array of shape (n_samples,)
    scores : float64 array of shape (n_samples,)
    document : int64 array of shape (n_samples,) or None
        Place of each document id in ascending order; None: the tie rule does not read it.
    queries : QueryRows
    """

    labels: NDArray[np.int8]
    scores: NDArray[np.float64]
    document: NDArray[np.int64] | None
    queries: QueryRows


@dataclass(frozen=True)
class Block:
    """Queries side by side, one per line, with padding at the end of the shorter lines.

    Parameters
    ----------
    query : int64 array of shape (n_block,)
        Query numbers.
    rows : int64 array of shape (n_block, width)
        Row numbers; padding repeats some row.
    present : bool array of shape (n_block, width)
        False in the padding.
    """

    query: NDArray[np.int64]
    rows: NDArray[np.int64]
    present: NDArray[np.bool_]


def check_documents(
    y: ArrayLike, score: ArrayLike, qid: ArrayLike | None, doc_id: ArrayLike | None, spec: MetricSpec
) -> Documents:
    """Check the input of a metric.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels, integers from 0 to 53.
    score : array-like of shape (n_samples,)
        Scores.
    qid : array-like of shape (n_samples,) or None
        Query of each row; None: one query.
    doc_id : array-like of shape (n_samples,) or None
        Document ids, read for the tie rule "document id descending" only; None: the row numbers.
    spec : MetricSpec
        The convention.

    Returns
    -------
    Documents

    Raises
    ------
    ValueError
        If an argument has the wrong shape or an entry that breaks its rule.
    """
    labels = check_labels(y, HIGHEST_LABEL).astype(np.int8)  # one byte per document: blocks are read many times
    n_samples = len(labels)
    scores = check_scores(score, n_samples)
    document = rank_document_ids(doc_id, n_samples) if spec.ties == "document id descending" else None
    return Documents(labels, scores, document, group_rows(qid, n_samples))


def check_cutoff(k: int | None) -> int | None:
    """Return k as an int, or None for all documents.

    Examples
    --------
    >>> check_cutoff(0)
    Traceback (most recent call last):
    ValueError: k is 0: it must be an integer of at least 1, or None for all documents
    """
    if k is None:
        return None
    try:
        return check_integer("k", k, at_least=1)
    except ValueError as fault:
        raise ValueError(f"{fault}, or None for all documents") from None


def rank_document_ids(doc_id: ArrayLike | None, n_samples: int) -> NDArray[np.int64]:
    """Return the place of each document's id among all ids in ascending order; without ids, the row number.

    Examples
    --------
    >>> rank_document_ids(["b", "c", "a"], 3)
    array([1, 2, 0])
    """
    if doc_id is None:
        return np.arange(n_samples)
    ids = np.asarray(doc_id)
    check_shape("doc_id", ids, (n_samples,), "(n_samples,), one document id per row")
    return np.unique(ids, return_inverse=True)[1]


def group_rows(qid: ArrayLike | None, n_samples: int) -> QueryRows:
    """Group rows by query; queries are numbered by first appearance.

    Parameters
    ----------
    qid : array-like of shape (n_samples,) or None
        Query of each row: NumPy numbers, strings or dates, or a list of any hashable objects. None: one query.
    n_samples : int
        Number of documents.

    Returns
    -------
    QueryRows

    Raises
    ------
    ValueError
        If the shape is not (n_samples,), or an id is NaN or cannot be hashed.

    Examples
    --------
    >>> group_rows(["b", "a", "b"], 3)
    QueryRows(rows=array([0, 2, 1]), starts=array([0, 2]), lengths=array([2, 1]))
    """
    if qid is None:
        return QueryRows(np.arange(n_samples), np.array([0]), np.array([n_samples]))
    ids = qid if isinstance(qid, list | tuple) else np.asarray(qid)
    _check_one_id_per_row(ids, n_samples)
    if isinstance(ids, np.ndarray) and ids.dtype.kind != "O":
        if ids.dtype.kind in "fcmM":
            check_entries("qid", ids, ids != ids, ID_RULE)
        first = np.flatnonzero(np.append(True, ids[1:] != ids[:-1]))  # where a run of one query begins
        query = _number_by_appearance(ids[first])
    else:
        numbers = _number_objects(ids)
        first = np.flatnonzero(np.append(True, numbers[1:] != numbers[:-1]))
        query = numbers[first]
    run_length = np.diff(first, append=n_samples)
    if len(query) == query.max() + 1:  # one run per query
        return QueryRows(np.arange(n_samples), first, run_length)
    rows = np.argsort(np.repeat(query, run_length), kind="stable")
    lengths = np.bincount(query, weights=run_length).astype(np.int64)
    return QueryRows(rows, np.cumsum(lengths) - lengths, lengths)


def mean_weight_per_query(
    sample_weight: ArrayLike | None, qid: ArrayLike | None, n_samples: int
) -> NDArray[np.float64] | None:
    """Return the mean of the rows' weights of each query; `math.fsum` makes each sum exact.

    Parameters
    ----------
    sample_weight : array-like of shape (n_samples,) or None
        Weight of each row, finite and not negative. None: no weights.
    qid : array-like of shape (n_samples,) or None
        Query of each row, in any order; None: one query.
    n_samples : int
        Number of documents.

    Returns
    -------
    float64 array of shape (n_queries,) or None
        Queries in the order in which they first appear in `qid`; None without weights.

    Raises
    ------
    ValueError
        If a weight or a query id breaks its rule, or all weights are 0.

    Examples
    --------
    >>> mean_weight_per_query([1.0, 4.0, 2.0], ["b", "a", "b"], 3)
    array([1.5, 4. ])
    """
    weight = check_weights(sample_weight, n_samples)
    if weight is None:
        return None
    queries = group_rows(qid, n_samples)
    by_query = np.split(weight[queries.rows], queries.starts[1:])
    return np.array([math.fsum(weights.tolist()) / len(weights) for weights in by_query])


def lay_out_blocks(queries: QueryRows) -> Iterator[Block]:
    """Yield all queries, in blocks of similar lengths, short queries first.

    Examples
    --------
    >>> [block.rows.tolist() for block in lay_out_blocks(group_rows(["b", "a", "b"], 3))]
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


def _check_one_id_per_row(ids: NDArray | Sequence[Hashable], n_samples: int) -> None:
    shape = ids.shape if isinstance(ids, np.ndarray) else (len(ids),)
    if shape == (n_samples,):
        return
    fault = f"qid has shape {shape}: it must have shape (n_samples,), one query id per row, here ({n_samples},)"
    if len(shape) == 1 and all(isinstance(one, Integral) for one in ids) and sum(ids) == n_samples:
        fault += "; these look like group sizes: to get ids, pass np.repeat(np.arange(len(sizes)), sizes)"
    raise ValueError(fault)


def _number_by_appearance(ids: NDArray) -> NDArray[np.int64]:
    _, first, inverse = np.unique(ids, return_index=True, return_inverse=True)
    number = np.empty(len(first), dtype=np.int64)
    number[np.argsort(first)] = np.arange(len(first))
    return number[inverse]


def _number_objects(ids: Iterable[Hashable]) -> NDArray[np.int64]:
    seen: dict[Hashable, int] = {}
    try:
        numbers = np.array([seen.setdefault(one, len(seen)) for one in ids])
        lawful = all(one == one for one in seen)
    except TypeError:
        lawful = False
    if not lawful:
        row, one = next((row, one) for row, one in enumerate(ids) if not _is_lawful_id(one))
        raise ValueError(f"qid at row {row} is {short(one)}: {ID_RULE}")
    return numbers


def _is_lawful_id(one: Hashable) -> bool:
    try:
        hash(one)
    except TypeError:
        return False
    return one == one

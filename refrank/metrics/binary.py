"""Metrics of binary relevance: MAP, MRR, precision and recall, of documents that are relevant or not.

A document is relevant if its label is at least `spec.relevant`. None of the papers defines these metrics.

    symbol    in code       shape
    rel_i     relevant      (n_block, width), whether the document at position i = 1, 2, ... is relevant
    R         n_relevant    (n_queries,), relevant documents of a query, ranked or not
    m, h      size, hits    (n_block, width), documents and relevant ones in the tied group that holds the position
    j         place         (n_block, width), place of the position in its group, from 1

With averaged ties, a value is the mean over all orders of tied documents. Sums over positions start at position 1, so a
plain loop gives bit-for-bit identical values.
"""

from collections.abc import Callable
from typing import Literal, Protocol, cast, overload

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Bools, Floats, Ints
from refrank.metrics.averaging import evaluate_queries
from refrank.metrics.cumulative_gain import gather_gains
from refrank.metrics.ordering import RankedBlock
from refrank.metrics.presets import resolve_spec
from refrank.metrics.queries import Documents, check_cutoff, check_documents
from refrank.metrics.reciprocal_rank import compute_examination_probability
from refrank.metrics.spec import HIGHEST_LABEL, MetricSpec


class Metric(Protocol):
    """A metric for type checkers: a number, or with `per_query` one of each query."""

    @overload
    def __call__(
        self,
        y: ArrayLike,
        score: ArrayLike,
        qid: ArrayLike | None = ...,
        k: int | None = ...,
        spec: str | MetricSpec = ...,
        per_query: Literal[False] = ...,
        doc_id: ArrayLike | None = ...,
    ) -> float: ...
    @overload
    def __call__(
        self,
        y: ArrayLike,
        score: ArrayLike,
        qid: ArrayLike | None = ...,
        k: int | None = ...,
        spec: str | MetricSpec = ...,
        *,
        per_query: Literal[True],
        doc_id: ArrayLike | None = ...,
    ) -> Floats: ...


def as_metric(function: Callable[..., float | Floats]) -> Metric:
    """Return the function, with the types of a metric."""
    return cast(Metric, function)


@as_metric
def mean_average_precision(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = None,
    spec: str | MetricSpec = "paper",
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | Floats:
    """Compute MAP: of each query, the average over its relevant documents of the precision at the document's position.

    AP = 1/R sum_{i <= k} rel_i P@i, where P@i is the share of relevant documents among the first i.

    Parameters
    ----------
    y, score, qid, spec, per_query, doc_id : as in `ndcg`
    k : int or None, default None
        Number of positions that add to the sum; None: all documents. `spec.map_divisor` decides whether R, or at most
        k, divides it.

    Returns
    -------
    float or float64 array of shape (n_queries,)
        The mean over queries, from 0 to 1, or the value of each query.

    Examples
    --------
    >>> mean_average_precision([1, 0, 2, 0], [4.0, 3.0, 2.0, 1.0])  # (1/1 + 2/3) / 2
    0.8333333333333333
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    n_relevant = count_relevant(documents, spec)
    divisor = n_relevant if k is None or spec.map_divisor == "relevant" else np.minimum(n_relevant, k)
    empty = spec.no_relevant if spec.map_no_relevant is None else spec.map_no_relevant

    def value_of(block: RankedBlock) -> tuple[Floats, Bools]:
        relevant = block.labels >= spec.relevant
        size, hits, place = describe_groups(block, relevant)
        before: Ints = (
            np.cumsum(relevant, axis=1) - relevant
        )  # (n_block, width), relevant documents before each position
        first = np.arange(relevant.shape[1]) - (place - 1)  # (n_block, width), of the group
        # The document at place j is relevant with probability h/m; then h - 1 of the m - 1 others are, and j - 1 of
        # these stand before it.
        others = (place - 1) * (hits - 1) / np.maximum(size - 1, 1)
        seen = np.take_along_axis(before, first, axis=1) + 1 + others
        precision_here = hits / size * seen / np.arange(1, relevant.shape[1] + 1)
        total = np.add.accumulate(precision_here[:, :k], axis=1)[:, -1]
        return divide_or_fill(total, divisor[block.query], empty), n_relevant[block.query] > 0

    return evaluate_queries(documents, k, spec, per_query, value_of)


@as_metric
def mean_reciprocal_rank(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = None,
    spec: str | MetricSpec = "paper",
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | Floats:
    """Compute MRR: of each query, 1 divided by the position of its first relevant document.

    Parameters
    ----------
    y, score, qid, spec, per_query, doc_id : as in `ndcg`
    k : int or None, default None
        Number of positions that are searched; None: all documents.

    Returns
    -------
    float or float64 array of shape (n_queries,)
        The mean over queries, from 0 to 1, or the value of each query: 0 without a relevant document at these
        positions, unless the spec skips or refuses the query.

    Examples
    --------
    >>> mean_reciprocal_rank([0, 1, 2], [3.0, 2.0, 1.0])
    0.5
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    n_relevant = count_relevant(documents, spec)

    def value_of(block: RankedBlock) -> tuple[Floats, Bools]:
        size, hits, place = describe_groups(block, block.labels >= spec.relevant)
        # If none of the j - 1 before it is relevant, the document at place j is with probability h/(m - j + 1).
        first = np.minimum(hits / (size - place + 1), 1.0)
        chance = compute_examination_probability(first) * first
        position = np.arange(1.0, chance.shape[1] + 1.0)
        running = np.add.accumulate(chance[:, :k] / position[:k], axis=1)
        return running[:, -1], n_relevant[block.query] > 0

    return evaluate_queries(documents, k, spec, per_query, value_of)


@as_metric
def precision(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = 10,
    spec: str | MetricSpec = "paper",
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | Floats:
    """Compute precision at k: the share of relevant documents among the first k.

    Parameters
    ----------
    y, score, qid, spec, per_query, doc_id : as in `ndcg`
    k : int or None, default 10
        None: all ranked documents. Where fewer are ranked, `spec.precision_divisor` decides whether k divides.

    Returns
    -------
    float or float64 array of shape (n_queries,)
        The mean over queries, from 0 to 1, or the value of each query.

    Examples
    --------
    >>> precision([1, 0, 2], [3.0, 2.0, 1.0], k=4), precision([1, 0, 2], [3.0, 2.0, 1.0], k=4, spec="ranklib")
    (0.5, 0.6666666666666666)
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    n_relevant, divisor = count_relevant(documents, spec), documents.n_ranked
    if k is not None:
        divisor = np.minimum(divisor, k) if spec.precision_divisor == "at most documents" else np.full_like(divisor, k)

    def value_of(block: RankedBlock) -> tuple[Floats, Bools]:
        hits = count_first(block, k, spec)
        return divide_or_fill(hits, divisor[block.query], 0.0), n_relevant[block.query] > 0

    return evaluate_queries(documents, k, spec, per_query, value_of)


@as_metric
def recall(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = 10,
    spec: str | MetricSpec = "paper",
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | Floats:
    """Compute recall at k: the share of the relevant documents that are among the first k.

    Parameters
    ----------
    y, score, qid, spec, per_query, doc_id : as in `ndcg`
    k : int or None, default 10
        None: all ranked documents.

    Returns
    -------
    float or float64 array of shape (n_queries,)
        The mean over queries, from 0 to 1, or the value of each query.

    Examples
    --------
    >>> recall([1, 0, 2], [3.0, 2.0, 1.0], k=2)
    0.5
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    n_relevant = count_relevant(documents, spec)

    def value_of(block: RankedBlock) -> tuple[Floats, Bools]:
        count = n_relevant[block.query]
        return divide_or_fill(count_first(block, k, spec), count, spec.no_relevant), count > 0

    return evaluate_queries(documents, k, spec, per_query, value_of)


def count_relevant(documents: Documents, spec: MetricSpec) -> Ints:
    """Count the relevant documents of each query, ranked or not, (n_queries,)."""
    return documents.count_by_query(documents.labels >= spec.relevant)


def count_first(block: RankedBlock, k: int | None, spec: MetricSpec) -> Floats:
    """Count the relevant documents among the first k of each query, (n_block,): the mean over all orders of ties."""
    relevant_of = (np.arange(HIGHEST_LABEL + 1) >= spec.relevant).astype(np.float64)
    relevant = gather_gains(block, relevant_of, block.labels.shape[1])
    return np.add.accumulate(relevant[:, :k], axis=1)[:, -1]


def divide_or_fill(total: Floats, divisor: Ints, empty: float | str) -> Floats:
    """Divide, (n_block,); a divisor of 0 gives the number `empty`, or NaN where that is a rule for skipping."""
    fill = np.full(len(total), np.nan if isinstance(empty, str) else empty)
    return np.divide(total, divisor, out=fill, where=divisor > 0)


def describe_groups(block: RankedBlock, relevant: Bools) -> tuple[Ints, Ints, Ints]:
    """Return m, h and j of each position, (n_block, width) each: a document that ties with no other is a group."""
    if block.tied is None:
        return np.ones(relevant.shape, np.int64), relevant.astype(np.int64), np.ones(relevant.shape, np.int64)
    starts = np.flatnonzero(~block.tied)
    sizes = np.diff(starts, append=relevant.size)
    hits = np.add.reduceat(relevant.ravel(), starts, dtype=np.int64)
    place = np.arange(relevant.size) - np.repeat(starts, sizes) + 1
    columns = np.repeat(sizes, sizes), np.repeat(hits, sizes), place
    size, hit, place = (column.reshape(relevant.shape) for column in columns)
    return size, hit, place

"""DCG and NDCG: McRank Sec. 2, Eq. 1-3.

    symbol     in code      shape
    2^y - 1    gains        (n_block, n_positions), in ranked order
    c_[i]      discount     (n_positions,), as many positions as count
    L          k
    DCG_g      ideal        (n_block,), the largest possible DCG
    N_Q        n_queries

Sums over positions start at position 1, so a plain loop gives bit-for-bit identical values.
"""

import math
from dataclasses import replace
from functools import partial
from typing import Literal, overload

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Bools, Floats
from refrank.metrics.averaging import evaluate_queries
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.ordering import RankedBlock
from refrank.metrics.presets import resolve_spec
from refrank.metrics.queries import check_cutoff, check_documents
from refrank.metrics.spec import MetricSpec, tabulate_gains


@overload
def ndcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = ...,
    k: int | None = ...,
    spec: str | MetricSpec = ...,
    per_query: Literal[False] = ...,
    doc_id: ArrayLike | None = ...,
) -> float: ...
@overload
def ndcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = ...,
    k: int | None = ...,
    spec: str | MetricSpec = ...,
    *,
    per_query: Literal[True],
    doc_id: ArrayLike | None = ...,
) -> Floats: ...
def ndcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = 10,
    spec: str | MetricSpec = "paper",
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | Floats:
    """Compute the normalized discounted cumulative gain at k, McRank Eq. 3.

    Parameters
    ----------
    y, score : array-like of shape (n_samples,)
        Labels: integers from 0 to 53, or floats without a fraction. Scores; the highest is ranked first.
    qid : array-like of shape (n_samples,), optional
        Query of each row, in any order: NumPy numbers or strings, or a list of hashable objects. None: one query,
        with a warning, once, if it has more than 200 rows.
    k : int or None, default 10
        Truncation level; None: all documents.
    spec : str or MetricSpec, default "paper"
        The convention: the name of a preset, or a record. Where it skips every query, there is no mean to return.
    per_query : bool, default False
        Return one value per query, in order of first appearance in `qid`; NaN for a query that the spec skips.
    doc_id : array-like of shape (n_samples,), optional
        Document ids, used only by the tie rule "document id descending". None: the row numbers.

    Returns
    -------
    float or float64 array of shape (n_queries,)
        The mean over queries, from 0 to 1 (its sum is exact, by `math.fsum`), or the value of each query.

    Examples
    --------
    >>> ndcg([1, 2, 0], [3.0, 2.0, 1.0], k=3)
    0.7967075809905066
    >>> ndcg([1, 2, 0, 0, 0], [3, 2, 1, 2, 1], qid=["a", "a", "a", "b", "b"], k=3, per_query=True)
    array([0.79670758, 0.        ])
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    gain_of = tabulate_gains(spec, int(documents.labels.max()))

    # McRank Eq. 3: NDCG_F = 1/N_Q sum_j NDCG_j
    return evaluate_queries(documents, k, spec, per_query, partial(compute_ndcg, gain_of=gain_of, k=k, spec=spec))


@overload
def dcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = ...,
    k: int | None = ...,
    spec: str | MetricSpec = ...,
    per_query: Literal[False] = ...,
    doc_id: ArrayLike | None = ...,
) -> float: ...
@overload
def dcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = ...,
    k: int | None = ...,
    spec: str | MetricSpec = ...,
    *,
    per_query: Literal[True],
    doc_id: ArrayLike | None = ...,
) -> Floats: ...
def dcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = 10,
    spec: str | MetricSpec = "paper",
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | Floats:
    """Compute the discounted cumulative gain at k, McRank Eq. 1 and 2.

    Parameters
    ----------
    y, score, qid, k, spec, per_query, doc_id : as in `ndcg`

    Returns
    -------
    float or float64 array of shape (n_queries,)
        The mean over queries, in units of gain, or the value of each query: 0 without a relevant document, unless the
        spec skips or refuses it.

    Examples
    --------
    >>> dcg([2, 1, 0], [3.0, 2.0, 1.0], k=3)  # 3/log2(2) + 1/log2(3)
    3.6309297535714578
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    gain_of = tabulate_gains(spec, int(documents.labels.max()))

    def value_of(block: RankedBlock) -> tuple[Floats, Bools]:
        # McRank Eq. 1: DCG = sum_i c_[i] (2^{y_sigma_i} - 1)
        return accumulate_gains(block, gain_of, k, spec)[:, -1], gain_of[block.best[:, 0]] > 0

    return evaluate_queries(documents, k, spec, per_query, value_of)


def compute_ndcg(block: RankedBlock, gain_of: Floats, k: int | None, spec: MetricSpec) -> tuple[Floats, Bools]:
    """Return the NDCG of each query, and whether it has a relevant document, (n_block,) each."""
    best = replace(block, labels=block.best, tied=None)
    reached, ideal = (accumulate_gains(ranked, gain_of, k, spec)[:, -1] for ranked in (block, best))
    # Paper is silent: with no relevant document Eq. 3 is 0/0.
    empty = math.nan if isinstance(spec.no_relevant, str) else spec.no_relevant
    # McRank Eq. 3: NDCG_j = DCG_j / DCG_{j,g}
    return np.divide(reached, ideal, out=np.full(len(ideal), empty), where=ideal > 0), ideal > 0


def accumulate_gains(block: RankedBlock, gain_of: Floats, k: int | None, spec: MetricSpec) -> Floats:
    """Return the DCG of each query up to each position that counts, (n_block, n_positions)."""
    discount = tabulate_discounts(block.labels.shape[1], k, spec.discount)[:k]
    return np.add.accumulate(gather_gains(block, gain_of, len(discount)) * discount, axis=1)


def gather_gains(block: RankedBlock, gain_of: Floats, n_positions: int) -> Floats:
    """Gather the gains at the first positions, (n_block, n_positions); `gain_of` holds one gain per label.

    With averaged ties, a position holds each document of its tied group equally often over all orders, so its
    expected gain is the group's mean gain.
    """
    if block.tied is None:
        return gain_of.take(block.labels[:, :n_positions])
    gains = gain_of.take(block.labels)  # (n_block, width): a tied group may reach beyond the truncation level
    group = np.cumsum(~block.tied.ravel()) - 1
    mean = np.bincount(group, weights=gains.ravel()) / np.bincount(group)
    return mean[group].reshape(gains.shape)[:, :n_positions]

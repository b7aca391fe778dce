"""DCG and NDCG: McRank Sec. 2, Eq. 1-3.

    symbol       in code     shape
    2^y - 1      gains       (n_block, width), ranked
    c_[i]        weights     (width,), zero beyond the truncation level
    L            k
    DCG_g        ideal       (n_block,), the largest DCG there can be
    N_Q          n_queries

Sums over positions run from position 1 on, so a plain loop gives the same bits.
"""

import math

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics.averaging import finish, query_values
from refrank.metrics.ordering import RankedBlock, check_documents
from refrank.metrics.presets import resolve_spec
from refrank.metrics.queries import check_cutoff
from refrank.metrics.spec import MetricSpec, relevance_gain


def ndcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = 10,
    spec: str | MetricSpec = "paper",
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | np.ndarray:
    """Return the normalized discounted cumulative gain at k, McRank Eq. 3.

    Parameters
    ----------
    y : array-like of shape (n_samples,)
        Labels 0, 1, 2, ... (integers, or floats that are integers).
    score : array-like of shape (n_samples,)
        Scores; the highest is ranked first.
    qid : array-like of shape (n_samples,), optional
        Query of each row, in any order; NumPy numbers or strings, or a list of hashable objects. None: one
        query.
    k : int or None
        Truncation level; None: all documents.
    spec : str or MetricSpec
        The convention: the name of a preset, or a record.
    per_query : bool
        Return one value a query, in the order in which the queries first appear in `qid`; a query that the
        spec skips is NaN.
    doc_id : array-like of shape (n_samples,), optional
        Document ids, for the tie rule "document id descending" only; None: the row numbers.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        Values from 0 to 1: their mean over queries (by `math.fsum`), or all of them.

    Raises
    ------
    ValueError
        On a NaN score, a label that is no integer from 0 to 53 or beyond the spec's table, empty input,
        lengths that differ, k < 1, an unknown spec, a query that the spec refuses, or a mean over no query at
        all.

    Examples
    --------
    >>> ndcg([1, 2, 0], [3.0, 2.0, 1.0], k=3)
    0.7967075809905066
    >>> ndcg([1, 2, 0, 0, 0], [3, 2, 1, 2, 1], qid=["a", "a", "a", "b", "b"], k=3, per_query=True)
    array([0.79670758, 0.        ])
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    gain_of = relevance_gain(spec, int(documents.labels.max()))

    def value_of(block: RankedBlock) -> tuple[np.ndarray, np.ndarray]:
        weights = position_weights(spec, k, block.labels.shape[1])
        ideal_labels = np.sort(block.labels, axis=1)[:, ::-1]
        # McRank Eq. 3: NDCG_j = DCG_j / DCG_{j,g}
        ideal = weighted_sum(gain_of[ideal_labels[:, : len(weights)]], weights)
        found = weighted_sum(ranked_gains(block, gain_of, len(weights)), weights)
        relevant = ideal > 0
        # Paper is silent: with no relevant document Eq. 3 is 0/0.
        empty = math.nan if isinstance(spec.no_relevant, str) else spec.no_relevant
        return np.divide(found, ideal, out=np.full(len(ideal), empty), where=relevant), relevant

    values, relevant = query_values(documents, spec, value_of)
    # McRank Eq. 3: NDCG_F = 1/N_Q sum_j NDCG_j
    return finish(values, relevant, documents.queries.lengths, k, spec, per_query)


def dcg(
    y: ArrayLike,
    score: ArrayLike,
    qid: ArrayLike | None = None,
    k: int | None = 10,
    spec: str | MetricSpec = "paper",
    per_query: bool = False,
    doc_id: ArrayLike | None = None,
) -> float | np.ndarray:
    """Return the discounted cumulative gain at k, McRank Eq. 1 and 2.

    Parameters
    ----------
    y, score, qid, k, spec, per_query, doc_id
        As in `ndcg`.

    Returns
    -------
    float or ndarray of shape (n_queries,)
        The mean over queries, or one value a query; in units of gain. A query without a relevant document is
        0, unless the spec skips or refuses it.

    Raises
    ------
    ValueError
        As `ndcg` does.

    Examples
    --------
    >>> dcg([2, 1, 0], [3.0, 2.0, 1.0], k=3)  # 3/log2(2) + 1/log2(3)
    3.6309297535714578
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    documents = check_documents(y, score, qid, doc_id, spec)
    gain_of = relevance_gain(spec, int(documents.labels.max()))

    def value_of(block: RankedBlock) -> tuple[np.ndarray, np.ndarray]:
        weights = position_weights(spec, k, block.labels.shape[1])
        # McRank Eq. 1: DCG = sum_i c_[i] (2^{y_sigma_i} - 1)
        found = weighted_sum(ranked_gains(block, gain_of, len(weights)), weights)
        return found, np.any(gain_of[block.labels] > 0, axis=1)

    values, relevant = query_values(documents, spec, value_of)
    return finish(values, relevant, documents.queries.lengths, k, spec, per_query)


def position_weights(spec: MetricSpec, k: int | None, width: int) -> np.ndarray:
    """Return c_[i] for i = 1..min(k, width), McRank Eq. 2.

    `math` computes each logarithm on its own: a vector routine's last bit depends on the CPU.

    Examples
    --------
    >>> position_weights(resolve_spec("letor"), 4, 10)
    array([1.        , 1.        , 0.63092975, 0.5       ])
    """
    positions = range(1, min(k or width, width) + 1)
    # McRank Eq. 2: c_[i] = 1/log(1+i) if i <= L, and 0 if i > L
    # Paper is silent: the base of the logarithm. It cancels in NDCG; base 2 makes c_[1] = 1.
    if spec.discount == "log2(1+i)":
        return np.array([1.0 / math.log2(1 + i) for i in positions])
    if spec.discount == "ln(1+i)":
        return np.array([1.0 / math.log(1 + i) for i in positions])
    return np.array([1.0 / math.log2(max(i, 2)) for i in positions])


def ranked_gains(block: RankedBlock, gain_of: np.ndarray, n_positions: int) -> np.ndarray:
    """Return the gain at each of the first positions, shape (n_block, n_positions).

    With averaged ties, a position holds each document of its tied group equally often over all orders, so its
    expected gain is the group's mean gain.
    """
    if block.tied is None:
        return gain_of[block.labels[:, :n_positions]]
    gains = gain_of[block.labels]  # (n_block, width): a tied group may reach beyond the truncation level
    group = np.cumsum(~block.tied.ravel()) - 1
    mean = np.bincount(group, weights=gains.ravel()) / np.bincount(group)
    return mean[group].reshape(gains.shape)[:, :n_positions]


def weighted_sum(gains: np.ndarray, weights: np.ndarray) -> np.ndarray:
    """Return sum_i c_[i] gains[:, i], added in the order of positions, shape (n_block,).

    Examples
    --------
    >>> weighted_sum(np.array([[3.0, 1.0]]), np.array([1.0, 0.5]))
    array([3.5])
    """
    return np.add.accumulate(gains * weights, axis=1)[:, -1]

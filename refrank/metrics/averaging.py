"""From the values of queries to one figure: queries without relevant documents, short queries, and the mean.

symbol    in code      shape
NDCG_j    values       (n_queries,), NaN where the convention skips the query
N_Q       n_queries
"""

import math
from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from refrank.checks import check_entries, check_shape
from refrank.metrics.ordering import RankedBlock, rank_blocks
from refrank.metrics.queries import Documents
from refrank.metrics.spec import MetricSpec

Floats = NDArray[np.float64]
ValueOf = Callable[[RankedBlock], tuple[Floats, NDArray[np.bool_]]]


def evaluate_queries(documents: Documents, spec: MetricSpec, value_of: ValueOf) -> tuple[Floats, NDArray[np.bool_]]:
    """Evaluate a measure on each query.

    Parameters
    ----------
    documents : Documents
        The checked input.
    spec : MetricSpec
        The convention; it decides how equal scores are ordered.
    value_of : callable
        ``(block) -> (values, relevant)``, each of shape (n_block,): the value of each query of the block, and whether
        the query has a relevant document.

    Returns
    -------
    values : float64 array of shape (n_queries,)
    relevant : bool array of shape (n_queries,)
    """
    n_queries = len(documents.queries.lengths)
    values, relevant = np.empty(n_queries), np.empty(n_queries, dtype=bool)
    for block in rank_blocks(documents, spec):
        values[block.query], relevant[block.query] = value_of(block)
    return values, relevant


def finish(
    values: Floats,
    relevant: NDArray[np.bool_],
    lengths: NDArray[np.int64],
    k: int | None,
    spec: MetricSpec,
    per_query: bool,
) -> float | Floats:
    """Apply the rules for short queries and for queries without relevant documents, then average.

    Parameters
    ----------
    values : float64 array of shape (n_queries,)
        Value of each query; changed in place.
    relevant : bool array of shape (n_queries,)
        Whether the query has a relevant document.
    lengths : int64 array of shape (n_queries,)
        Number of documents of each query.
    k : int or None
        Truncation level.
    spec : MetricSpec
        The convention.
    per_query : bool
        Return the values instead of their mean.

    Returns
    -------
    float or float64 array of shape (n_queries,)

    Raises
    ------
    ValueError
        If the convention refuses a query, or if every query is skipped and the mean is asked for.
    """
    if spec.no_relevant == "error" and not relevant.all():
        query = int(np.argmin(relevant))
        raise ValueError(
            f"y has no relevant document in query {query} (by first appearance): spec {spec.name!r} refuses the query"
        )
    if spec.short == "zero" and k is not None:
        values[lengths < k] = 0.0
    if spec.no_relevant == "skip":
        values[~relevant] = math.nan
    return values if per_query else mean_of_queries(values)


def mean_of_queries(values: Floats) -> float:
    """Return the mean of the values that are not NaN (skipped queries); `math.fsum` makes the sum exact.

    Raises
    ------
    ValueError
        If every query is skipped.

    Examples
    --------
    >>> mean_of_queries(np.array([0.5, np.nan, 1.0]))
    0.75
    """
    counted = values[~np.isnan(values)]
    if len(counted) == 0:
        raise ValueError("y has no relevant document in any query: every query is skipped, so there is no mean")
    return math.fsum(counted.tolist()) / len(counted)


def weighted_mean_of_queries(values: Floats, weight: Floats | None) -> float:
    """Return the weighted mean of the values that are not NaN (skipped queries); `math.fsum` adds the products.

    Parameters
    ----------
    values : float64 array of shape (n_queries,)
        Value of each query; NaN marks a skipped query.
    weight : float64 array of shape (n_queries,) or None
        Weight of each query, finite and not negative. None: every query counts once, as in `mean_of_queries`.

    Returns
    -------
    float

    Raises
    ------
    ValueError
        If every query is skipped, the shapes differ, a weight breaks the rule, or every counted query has weight 0.

    Examples
    --------
    >>> weighted_mean_of_queries(np.array([0.5, np.nan, 1.0]), np.array([3.0, 9.0, 1.0]))
    0.625
    """
    if weight is None:
        return mean_of_queries(values)
    check_shape("weight", weight, values.shape, "(n_queries,), one weight per query")
    wrong = ~(np.isfinite(weight) & (weight >= 0))
    check_entries("weight", weight, wrong, "weights must be finite and not negative")
    counted = ~np.isnan(values)
    if not counted.any():
        return mean_of_queries(values)  # refuses
    total = math.fsum(weight[counted].tolist())
    if total == 0:
        raise ValueError("weight is 0 for every counted query: some counted query must have a weight above 0")
    return math.fsum((weight[counted] * values[counted]).tolist()) / total

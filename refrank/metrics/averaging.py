"""From ranked queries to one figure: queries without relevant documents, short queries, the mean."""

import math
from collections.abc import Callable

import numpy as np

from refrank.metrics.ordering import Documents, RankedBlock, ranked_blocks
from refrank.metrics.spec import MetricSpec

ValueOf = Callable[[RankedBlock], tuple[np.ndarray, np.ndarray]]


def query_values(documents: Documents, spec: MetricSpec, value_of: ValueOf) -> tuple[np.ndarray, np.ndarray]:
    """Return `value_of` each query, and whether it has a relevant document; both of shape (n_queries,)."""
    n_queries = len(documents.queries.lengths)
    values, relevant = np.empty(n_queries), np.empty(n_queries, dtype=bool)
    for block in ranked_blocks(documents, spec):
        values[block.query], relevant[block.query] = value_of(block)
    return values, relevant


def finish(
    values: np.ndarray,
    relevant: np.ndarray,
    lengths: np.ndarray,
    k: int | None,
    spec: MetricSpec,
    per_query: bool,
) -> float | np.ndarray:
    """Apply the rules for short queries and for queries without relevant documents, then average."""
    if spec.no_relevant == "error" and not relevant.all():
        query = int(np.argmin(relevant))
        raise ValueError(
            f"y: query number {query} (by first appearance) has no relevant document, "
            f"which spec {spec.name!r} refuses"
        )
    if spec.short == "zero" and k is not None:
        values[lengths < k] = 0.0
    if spec.no_relevant == "skip":
        values[~relevant] = math.nan
    return values if per_query else mean_of_queries(values)


def mean_of_queries(values: np.ndarray) -> float:
    """Return the mean of the values that are not NaN (skipped queries), correctly rounded by `math.fsum`.

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
        raise ValueError("y: every query is without a relevant document and skipped, so there is no mean")
    return math.fsum(counted.tolist()) / len(counted)

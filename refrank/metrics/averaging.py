"""Averages over queries: queries without relevant documents, short queries, and the mean.

The values, (n_queries,), are NaN where the convention skips the query.
"""

import math
from collections.abc import Callable, Iterable

import numpy as np

from refrank.arrays import Bools, Floats
from refrank.checks import check_entries, check_shape, check_unmasked
from refrank.metrics.ordering import RankedBlock, rank_blocks
from refrank.metrics.queries import Documents
from refrank.metrics.spec import MetricSpec

# For each query of a block, (n_block,): its value, and whether it has a relevant document.
ValueOf = Callable[[RankedBlock], tuple[Floats, Bools]]


def evaluate_queries(
    documents: Documents, k: int | None, spec: MetricSpec, per_query: bool, value_of: ValueOf
) -> float | Floats:
    """Evaluate a measure on each query under the rules of the spec, (n_queries,), and average unless `per_query`."""
    values = evaluate_blocks(rank_blocks(documents, k, spec), documents, k, spec, value_of)
    return values if per_query else mean_of_queries(values)


def evaluate_blocks(
    blocks: Iterable[RankedBlock], documents: Documents, k: int | None, spec: MetricSpec, value_of: ValueOf
) -> Floats:
    """Evaluate a measure on each query, (n_queries,), given all of them ranked, at least up to position k."""
    n_ranked = documents.n_ranked
    values, relevant = np.empty(len(n_ranked)), np.empty(len(n_ranked), dtype=bool)
    for block in blocks:
        values[block.query], relevant[block.query] = value_of(block)
    if spec.no_relevant == "error" and not relevant.all():
        place = f"query {int(np.argmin(relevant))} (by first appearance)"
        raise ValueError(f"y has no relevant document in {place}: spec {spec.name!r} refuses the query")
    if spec.short == "zero" and k is not None:
        values[n_ranked < k] = 0.0
    if spec.no_relevant == "skip":
        values[~relevant] = math.nan
    if spec.unranked == "skip":
        values[n_ranked == 0] = math.nan
    return values


def mean_of_queries(values: Floats) -> float:
    """Return the mean of the values that are not NaN (skipped queries); `math.fsum` makes the sum exact."""
    counted = values[~np.isnan(values)]
    if len(counted) == 0:
        raise ValueError("y has no relevant document in any query, or no query a rank: every query is skipped")
    return math.fsum(counted.tolist()) / len(counted)


def weighted_mean_of_queries(values: Floats, weight: Floats | None) -> float:
    """Return the mean of the values that are not NaN, each with its weight; both are (n_queries,), and sums are exact.

    >>> weighted_mean_of_queries(np.array([0.5, np.nan, 1.0]), np.array([3.0, 9.0, 1.0]))
    0.625
    """
    check_unmasked("values", values)
    check_unmasked("weight", weight)
    counted = ~np.isnan(values)
    if weight is None or not counted.any():
        return mean_of_queries(values)
    check_shape("weight", weight, values.shape, "(n_queries,), one weight per query")
    lawful = np.isfinite(weight) & (weight >= 0)
    check_entries("weight", weight, ~lawful, "weights must be finite and not negative")
    total = math.fsum(weight[counted].tolist())
    if total == 0:
        raise ValueError("weight is 0 for every counted query: some counted query must have a weight above 0")
    return math.fsum((weight[counted] * values[counted]).tolist()) / total

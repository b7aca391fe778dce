"""Importance of a feature by permutation: what a measure of each query loses when the column is shuffled.

A ranking can lose where no gain shows: this needs no trees, so it takes every ranker, and every estimator that predicts
scores. Values are shuffled within all rows, not within queries, so a feature that is constant in each query counts,
too, if trees combine it with others.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import sqrt
from statistics import NormalDist
from typing import Any

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats
from refrank.checks import check_integer, check_seed, check_table_size
from refrank.inspection.style import shorten
from refrank.metrics.measures import Measure, parse_measure

LEVEL = 0.95  # of the intervals
MeasureQueries = Callable[[ArrayLike, ArrayLike, ArrayLike | None], ArrayLike]  # y, score, qid -> (n_queries,)


@dataclass(frozen=True, eq=False)
class PermutationImportances:
    """Losses by permutation; `print` writes the features in order of their mean loss."""

    names: Sequence[str]  # (n_features,)
    measure: str
    losses: Floats  # (n_features, n_queries): means over the repeats; NaN in queries that the convention skips
    mean: Floats  # (n_features,): over the queries that count
    low: Floats  # (n_features,): ends of the 95% interval of the mean, over queries
    high: Floats

    def __str__(self) -> str:
        """Return a table."""
        n_queries = self.losses.shape[1]
        lines = [f"loss of {self.measure} over {n_queries:,} queries, and its 95% interval"]
        for f in np.argsort(-self.mean, kind="stable"):
            interval = f"[{self.low[f]:+.4f}, {self.high[f]:+.4f}]"
            lines.append(f"{shorten(self.names[f]):<30}{self.mean[f]:+.4f}  {interval}")
        return "\n".join(lines)


def permutation_importance(
    ranker: Any,
    X: ArrayLike,
    y: ArrayLike,
    qid: ArrayLike | None = None,
    measure: str | Measure | MeasureQueries = "ndcg@10",
    n_repeats: int = 5,
    random_state: int = 0,
) -> PermutationImportances:
    """Measure what each query loses when a feature is shuffled, one feature after the other.

    Parameters
    ----------
    ranker : estimator
        Fitted; its `predict` scores rows.
    X : array-like of shape (n_samples, n_features)
        Rows that were not trained on: on training rows, features that were learned by heart look important. A column
        "qid" of a DataFrame holds the ids of the queries.
    y : array-like of shape (n_samples,)
    qid : array-like of shape (n_samples,), optional
        Query of each row; without it, all rows are one query.
    measure : str, Measure or function, default "ndcg@10"
        A measure by name (`refrank.metrics.parse_measure`), or a function of y, score and qid that returns a value per
        query.
    n_repeats : int, default 5
        Shuffles per feature, whose losses are averaged.
    random_state : int, default 0
        A shuffle is a function of this seed, the feature and the repeat alone.

    Returns
    -------
    PermutationImportances
        The intervals are those of the normal distribution over queries; NaN for a single query.

    Raises
    ------
    ValueError
        If an argument breaks its rule.

    Examples
    --------
    >>> from refrank import LSBoostRanker
    >>> rng = np.random.default_rng(0)
    >>> X, qid = rng.integers(0, 9, (400, 3)).astype(float), np.repeat(np.arange(40), 10)
    >>> y = (X[:, 1] > 4).astype(int)
    >>> print(permutation_importance(LSBoostRanker(n_rounds=9).fit(X, y, qid), X, y, qid))
    loss of ndcg@10 over 40 queries, and its 95% interval
    x1                            +0.2415  [+0.2044, +0.2786]
    x0                            +0.0000  [+0.0000, +0.0000]
    x2                            +0.0000  [+0.0000, +0.0000]
    """
    check_integer("n_repeats", n_repeats, 1)
    check_seed("random_state", random_state)
    measure_queries = parse_measure(measure) if isinstance(measure, str) else measure
    frame: Any = X
    table: Any = frame.copy() if hasattr(X, "iloc") else np.array(X)
    check_table_size(table.shape)
    names = [str(name) for name in getattr(table, "columns", [f"x{f}" for f in range(table.shape[1])])]
    if "qid" in names and hasattr(table, "iloc"):
        qid = table["qid"].to_numpy() if qid is None else qid
        table = table.drop(columns="qid")
        names.remove("qid")
    before = np.asarray(measure_queries(y, ranker.predict(table), qid), np.float64)
    losses = np.zeros((len(names), len(before)))
    for f in range(len(names)):
        cells = table.iloc if hasattr(table, "iloc") else table
        column = np.array(cells[:, f])
        for repeat in range(n_repeats):
            order = np.random.default_rng([random_state, f, repeat]).permutation(len(column))
            cells[:, f] = column[order]
            after = np.asarray(measure_queries(y, ranker.predict(table), qid), np.float64)
            losses[f] += (before - after) / n_repeats
        cells[:, f] = column
    counted = losses[:, ~np.isnan(before)]
    n_queries = counted.shape[1]
    mean = counted.sum(axis=1) / max(1, n_queries)
    squares = np.square(counted - mean[:, np.newaxis]).sum(axis=1)
    error = np.sqrt(squares / (n_queries - 1)) / sqrt(n_queries) if n_queries > 1 else np.full(len(names), np.nan)
    reach = NormalDist().inv_cdf((1 + LEVEL) / 2) * error
    text = str(measure_queries) if isinstance(measure_queries, Measure) else getattr(measure, "__name__", "the measure")
    return PermutationImportances(names, text, losses, mean, mean - reach, mean + reach)

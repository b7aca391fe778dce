"""refrank's own computation of functions of the vectors, by name; the rest is in generators/, and is not installed."""

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np

from refrank.cocr.rankers import grade_proba, hard_rank, soft_rank
from refrank.mcrank.expected_relevance import expected_relevance, transform_table
from refrank.mcrank.order_statistics import median
from refrank.mcrank.ordinal_boosting import class_proba
from refrank.mcrank.softmax_boosting import softmax
from refrank.metrics import dcg, err, ndcg, rmse
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.logarithms import round_logarithms
from refrank.trees import splitting
from refrank.trees.numbers.draws import below_each, bootstrap_rows, draw, feature_subset
from refrank.trees.numbers.exponential import exp
from refrank.trees.numbers.grid import exact_mean, exact_sum, to_grid


def quantize(x: Any, cuts: Any) -> Any:
    """Find the bin of each value of one feature."""
    codes = np.zeros((1, len(x), splitting.GROUP), np.uint16)
    splitting.quantize(x[:, np.newaxis], cuts, np.array([0, len(cuts) + 1]), codes, 1)
    return codes[0, :, 0]


def best_split(sums: Any, offsets: Any, min_samples_leaf: int, missing: Any) -> Any:
    """Find the best cut among all features."""
    features = np.arange(len(offsets) - 1, dtype=np.int32)
    flags = None if missing is None else missing.astype(np.int8)
    return tuple(splitting.best_split(sums, offsets, features, min_samples_leaf, 1, flags))


OWN: Mapping[str, Callable[..., Any]] = {
    "exp": exp,
    "softmax": softmax,
    "to_grid": lambda value: (to_grid(value).integers, to_grid(value).exponent),
    "round_to_grid": lambda value, exponent: splitting.round_to_grid(value, exponent, 1),
    "grid_sum": exact_sum,
    "grid_mean": exact_mean,
    "splitmix64": lambda key, n: draw(key, np.arange(n, dtype=np.uint64)),
    "below": below_each,
    "bootstrap": bootstrap_rows,
    "feature_subset": feature_subset,
    "quantize": quantize,
    "best_split": best_split,
    "split_gain": splitting.compute_gains,
    "median": median,
    "class_proba": class_proba,
    "expected_relevance": lambda class_proba, transform: expected_relevance(
        class_proba, None if transform is None else transform_table(transform, class_proba.shape[1])
    ),
    "hard_rank": hard_rank,
    "soft_rank": soft_rank,
    "grade_proba": grade_proba,
    "dcg": lambda y, score, k: dcg(y, score, k=k),
    "ndcg": lambda y, score, k: ndcg(y, score, k=k),
    "err": lambda y, score, k, max_grade: err(y, score, k=k, max_grade=max_grade),
    "rmse": rmse,
    "discounts": tabulate_discounts,
    "logarithms": lambda highest, base: np.array(round_logarithms(highest, base)),
}

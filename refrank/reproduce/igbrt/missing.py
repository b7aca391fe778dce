"""iGBRT Sec. 7: "splitting three ways during tree construction and substituting [...] zeros, infinity, the mean or the
median", compared on a validation set.
"""

from dataclasses import replace

import numpy as np
from numpy.typing import NDArray

from refrank.igbrt.missing_values import SUBSTITUTES, fill_values, filled
from refrank.reproduce.cells import Arrays, Keep
from refrank.reproduce.igbrt_runs import Prepared, run_boosting, run_forest
from refrank.trees.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER

METHODS = ("RF", "GBRT")
LEARNING_RATE = 0.1  # of GBRT


def compare_missing(
    data: Prepared, kept: Keep, n_trees: int, n_rounds: int, seed: int
) -> dict[tuple[str, str], tuple[float, ...]]:
    """Train a forest and GBRT each way; return validation ERR, NDCG@10 and RMSE of (method, way).

    An absent feature and one that is 0 both count as missing: the paper's shares of missing features say so. Columns
    that no training row has are left out; they have no mean.
    """
    present = np.any(data.X["train"] != 0, axis=0)

    def make(method: str, way: str) -> Arrays:
        other = with_missing(data, way, present)
        if method == "RF":
            return {"metrics": run_forest(other, "R", (n_trees,), seed).metrics["valid"][-1]}
        run = run_boosting(other, "R", other.zeros("R"), n_rounds, LEARNING_RATE, every=n_rounds)
        return {"metrics": run.metrics["valid"][-1]}

    found: dict[tuple[str, str], tuple[float, ...]] = {}
    for method in METHODS:
        for way in SUBSTITUTES:
            name = f"missing-{data.fold.name.replace(' ', '-')}-{method}-{way}-{n_trees}-{n_rounds}"
            found[method, way] = tuple(kept(name, lambda m=method, w=way: make(m, w))["metrics"].tolist())  # type: ignore[misc]
    return found


def with_missing(data: Prepared, way: str, present: NDArray[np.bool_]) -> Prepared:
    """Put something else than zeros for missing features, and bin the training rows again."""
    train = data.X["train"][:, present]
    fill = fill_values(train, way, 0.0)
    X = {split: filled(values[:, present], 0.0, fill) for split, values in data.X.items()}
    binned = bin_features(X["train"], 256, splitter=DEFAULT_SPLITTER, n_threads=data.n_threads)
    if way == "three-way":
        binned = replace(binned, missing=np.any(train == 0, axis=0).astype(np.int8))
    return replace(data, X=X, binned=binned)

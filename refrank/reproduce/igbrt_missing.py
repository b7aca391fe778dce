"""iGBRT Sec. 7: "splitting three ways during tree construction and substituting [...] zeros, infinity, the mean or the
median", compared on a validation set.
"""

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.estimators import GBRTRanker, RandomForestRanker
from refrank.igbrt.missing_values import SUBSTITUTES
from refrank.reproduce.igbrt_runs import Prepared, measured

Kept = Callable[[str, Callable[[], dict[str, NDArray[Any]]]], dict[str, NDArray[Any]]]


def compare_missing(
    data: Prepared, kept: Kept, n_trees: int, n_rounds: int, seed: int
) -> dict[tuple[str, str], tuple[float, float, float]]:
    """Train a forest and GBRT each way; return validation ERR, NDCG@10 and RMSE of (method, way).

    An absent feature and one that is 0 both count as missing: the paper's shares of missing features say so. Columns
    that no training row has are left out; they have no mean.
    """
    X, valid = data.X["train"], data.X["valid"]
    present = np.any(X != 0, axis=0)
    rankers = {
        "RF": RandomForestRanker(n_trees=n_trees, random_state=seed, n_threads=data.n_threads, missing_value=0),
        "GBRT": GBRTRanker(n_rounds=n_rounds, n_threads=data.n_threads, missing_value=0),
    }

    def make(method: str, missing: str) -> dict[str, NDArray[Any]]:
        ranker = rankers[method].set_params(missing=missing)
        train = replace(data.fold.train, X=X[:, present])
        scores = ranker.fit(train.X, train.y, train.qid).predict(valid[:, present])
        return {"metrics": np.array(measured(data, "R", "valid", scores[np.newaxis]))}

    name = data.fold.name.replace(" ", "-")
    return {
        (method, missing): tuple(
            kept(f"missing-{name}-{method}-{missing}-{n_trees}-{n_rounds}", lambda m=method, w=missing: make(m, w))[  # type: ignore[misc]
                "metrics"
            ].tolist()
        )
        for method in rankers
        for missing in SUBSTITUTES
    }

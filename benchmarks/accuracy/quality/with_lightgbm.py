"""LightGBM's rankers. They choose cuts by Newton's gain, where refrank's reduce the squared error.

Its softmax has the step of McRank Alg. 1, line 6. It starts at the shares of the classes.
"""

from typing import Any

import numpy as np

from benchmarks.accuracy.quality.rankers import (
    ScoredRows,
    SharedParameters,
    count_classes,
    count_rows,
    enter_boosters,
    score_by_loss,
)
from benchmarks.side_by_side import load_peer
from refrank.datasets import Fold

LIGHTGBM, NAME = load_peer("lightgbm")
CALLS = {"ordinal": "binary", "softmax": "multiclass", "least squares": "regression", "LambdaMART": "lambdarank"}


def train_booster(fold: Fold, given: SharedParameters, family: str) -> ScoredRows:
    """Train with equal parameters, or LambdaMART with early stopping."""
    parameters: dict[str, Any] = {
        "objective": CALLS[family],
        "num_leaves": given.n_leaves,
        "learning_rate": given.learning_rate,
        "max_bin": given.n_bins,
        "min_data_in_leaf": given.min_samples_leaf,
        "min_sum_hessian_in_leaf": 1e-3,  # its default: with 0 it may fail where p (1 - p) is tiny
        "feature_pre_filter": False,
        "num_threads": given.threads,
        "deterministic": True,
        "force_row_wise": True,
        "seed": given.seed,
        "verbose": -1,
    }
    if family == "LambdaMART":
        return train_lambdamart(fold, given, parameters | {"metric": "ndcg", "eval_at": [10]})
    if family == "softmax":
        parameters["num_class"] = count_classes(fold)

    def boost(labels: np.ndarray) -> Any:
        rows = LIGHTGBM.Dataset(fold.train.X, labels)
        return LIGHTGBM.train(parameters, rows, given.n_rounds).predict(fold.test.X)

    return ScoredRows(score_by_loss(fold, family, boost), given.n_rounds)


def train_lambdamart(fold: Fold, given: SharedParameters, parameters: dict[str, Any]) -> ScoredRows:
    """Train with early stopping."""
    train, valid = fold.train, fold.valid
    rows = LIGHTGBM.Dataset(train.X, train.y, group=count_rows(train))
    watched = LIGHTGBM.Dataset(valid.X, valid.y, group=count_rows(valid), reference=rows)
    stop = LIGHTGBM.early_stopping(given.patience, verbose=False)
    booster = LIGHTGBM.train(parameters, rows, given.most_rounds, valid_sets=[watched], callbacks=[stop])
    best = booster.best_iteration
    return ScoredRows(booster.predict(fold.test.X, num_iteration=best), best)


RANKERS = enter_boosters("LightGBM", CALLS, train_booster)

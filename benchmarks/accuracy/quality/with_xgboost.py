"""XGBoost's rankers. They choose cuts by Newton's gain, where refrank's reduce the squared error.

Its softmax has the second derivative 2 p (1 - p), so its learning rate is changed to make a step as long as in McRank
Alg. 1, line 6. It starts at the shares of the classes.
"""

from typing import Any

import numpy as np

from benchmarks.accuracy.quality.rankers import (
    ScoredRows,
    SharedParameters,
    count_classes,
    count_rows,
    enter_boosters,
    scale_step,
    score_by_loss,
)
from benchmarks.side_by_side import load_peer
from refrank.datasets import Fold

XGBOOST, NAME = load_peer("xgboost")
CALLS = {
    "ordinal": "binary:logistic",
    "softmax": "multi:softprob",
    "least squares": "reg:squarederror",
    "LambdaMART": "rank:ndcg",
}


def train_booster(fold: Fold, given: SharedParameters, family: str) -> ScoredRows:
    """Train with equal parameters, or LambdaMART with early stopping."""
    parameters: dict[str, Any] = {
        "objective": CALLS[family],
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_leaves": given.n_leaves,
        "max_depth": 0,
        "max_bin": given.n_bins,
        "learning_rate": given.learning_rate,
        # the least sum of second derivatives; it has no least number of rows, except where each row has 1
        "min_child_weight": given.min_samples_leaf if family == "least squares" else 0,
        "reg_lambda": 0,
        "nthread": given.threads,
        "seed": given.seed,
        "verbosity": 0,
    }
    if family == "LambdaMART":
        return train_lambdamart(fold, given, parameters | {"eval_metric": "ndcg@10"})
    if family == "softmax":
        parameters |= {"num_class": count_classes(fold), "learning_rate": scale_step(fold, given, 2.0)}

    def boost(labels: np.ndarray) -> Any:
        rows = XGBOOST.QuantileDMatrix(fold.train.X, labels, max_bin=given.n_bins)
        return XGBOOST.train(parameters, rows, given.n_rounds).predict(XGBOOST.DMatrix(fold.test.X))

    return ScoredRows(score_by_loss(fold, family, boost), given.n_rounds)


def train_lambdamart(fold: Fold, given: SharedParameters, parameters: dict[str, Any]) -> ScoredRows:
    """Train with early stopping."""
    train, valid, n_bins = fold.train, fold.valid, given.n_bins
    rows = XGBOOST.QuantileDMatrix(train.X, train.y, group=count_rows(train), max_bin=n_bins)
    watched = XGBOOST.QuantileDMatrix(valid.X, valid.y, group=count_rows(valid), ref=rows, max_bin=n_bins)
    stop: dict[str, Any] = {"early_stopping_rounds": given.patience, "verbose_eval": False}
    booster = XGBOOST.train(parameters, rows, given.most_rounds, evals=[(watched, "valid")], **stop)
    best = booster.best_iteration + 1
    return ScoredRows(booster.predict(XGBOOST.DMatrix(fold.test.X), iteration_range=(0, best)), best)


RANKERS = enter_boosters("XGBoost", CALLS, train_booster)

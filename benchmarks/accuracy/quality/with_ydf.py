"""YDF's rankers. They reduce the squared error, as refrank's do. Its LambdaMART stops by its loss, not by NDCG@10."""

from typing import Any

import numpy as np

from benchmarks.accuracy.quality.rankers import (
    ComparedRanker,
    ScoredRows,
    SharedParameters,
    count_candidates,
    enter_boosters,
    expect_grade,
)
from benchmarks.side_by_side import load_peer
from refrank.datasets import Fold, LetorData

YDF, NAME = load_peer("ydf")
CALLS = {"softmax": "CLASSIFICATION", "least squares": "REGRESSION", "LambdaMART": "RANKING"}


def train_booster(fold: Fold, given: SharedParameters, family: str) -> ScoredRows:
    """Train with equal parameters, or LambdaMART with early stopping."""
    parameters: dict[str, Any] = {
        "label": "y",
        "task": getattr(YDF.Task, CALLS[family]),
        "num_trees": given.n_rounds,
        "shrinkage": given.learning_rate,
        "growing_strategy": "BEST_FIRST_GLOBAL",
        "max_num_nodes": given.n_leaves,  # it counts the leaves
        "max_depth": -1,
        "min_examples": given.min_samples_leaf,
        "discretize_numerical_columns": True,
        "num_discretized_numerical_bins": given.n_bins,
        "num_threads": given.threads,
        "random_seed": given.seed,
    }
    test = label_columns(fold.test)
    if family == "LambdaMART":
        parameters |= {
            "num_trees": given.most_rounds,
            "loss": "LAMBDA_MART_NDCG",
            "ndcg_truncation": 10,
            "ranking_group": "qid",
            "early_stopping": "LOSS_INCREASE",
            "early_stopping_num_trees_look_ahead": given.patience,
        }
        rows, watched = (label_columns(data, "qid") for data in (fold.train, fold.valid))
        model = YDF.GradientBoostedTreesLearner(**parameters).train(rows, valid=watched, verbose=0)
        return ScoredRows(model.predict(test), model.num_trees())
    parameters |= {"validation_ratio": 0.0, "early_stopping": "NONE"}
    model = YDF.GradientBoostedTreesLearner(**parameters).train(label_columns(fold.train), verbose=0)
    answers = model.predict(test)
    if family == "softmax":  # a column per label class, which it orders itself
        answers = expect_grade(answers[:, np.argsort([int(name) for name in model.label_classes()])])
    return ScoredRows(answers, given.n_rounds)


def train_forest(fold: Fold, given: SharedParameters) -> ScoredRows:
    """Train a forest of full depth."""
    learner = YDF.RandomForestLearner(
        label="y",
        task=YDF.Task.REGRESSION,
        num_trees=given.n_trees,
        max_depth=-1,
        min_examples=1,
        num_candidate_attributes=count_candidates(fold, given),
        compute_oob_performances=False,
        num_threads=given.threads,
        random_seed=given.seed,
    )
    model = learner.train(label_columns(fold.train), verbose=0)
    return ScoredRows(model.predict(label_columns(fold.test)), given.n_trees)


def label_columns(data: LetorData, *more: str) -> dict[str, np.ndarray]:
    """Name the columns: the features are `x`; more names further columns."""
    return {"x": data.X, **{name: getattr(data, name) for name in ("y", *more)}}


FOREST = ComparedRanker("YDF", "forest", "RandomForestLearner", train_forest)
RANKERS = [*enter_boosters("YDF", CALLS, train_booster), FOREST]

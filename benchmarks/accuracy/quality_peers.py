"""The peers of `quality`, library by library; `quality_rankers` says what they have in common and what not.

A library that cannot be imported is left out, and `list_rankers` names it.
"""

from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from types import ModuleType
from typing import Any

import numpy as np

from benchmarks.accuracy.quality_rankers import (
    OURS,
    ComparedRanker,
    ScoredRows,
    SharedParameters,
    count_candidates,
    count_classes,
    expect_grade,
    sum_binary,
)
from benchmarks.side_by_side import load_peer
from refrank.datasets import Fold, LetorData

LIGHTGBM, LIGHTGBM_NAME = load_peer("lightgbm")
XGBOOST, XGBOOST_NAME = load_peer("xgboost")
CATBOOST, CATBOOST_NAME = load_peer("catboost")
YDF, YDF_NAME = load_peer("ydf")
SKLEARN, SKLEARN_NAME = load_peer("sklearn", "scikit-learn")


def count_rows(data: LetorData) -> np.ndarray:
    """Count the rows of each query, in the order of the file, (n_queries,)."""
    return np.unique(data.qid, return_counts=True)[1]


def scale_step(fold: Fold, given: SharedParameters, curvature: float) -> float:
    """Compute the learning rate of McRank's step where a library divides by `curvature` times p (1 - p)."""
    n_classes = count_classes(fold)
    return given.learning_rate * curvature * (n_classes - 1) / n_classes


def train_lightgbm(fold: Fold, given: SharedParameters, kind: str) -> ScoredRows:
    parameters: dict[str, Any] = {
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
        "objective": kind,
    }
    train, test = fold.train, fold.test

    def boost(labels: np.ndarray) -> Any:
        return LIGHTGBM.train(parameters, LIGHTGBM.Dataset(train.X, labels), given.n_rounds).predict(test.X)

    if kind == "binary":
        return ScoredRows(sum_binary(fold, boost), given.n_rounds)
    if kind == "multiclass":
        parameters["num_class"] = count_classes(fold)
        return ScoredRows(expect_grade(boost(train.y)), given.n_rounds)
    if kind == "regression":
        return ScoredRows(boost(train.y), given.n_rounds)
    parameters |= {"metric": "ndcg", "eval_at": [10]}
    rows = LIGHTGBM.Dataset(train.X, train.y, group=count_rows(train))
    watched = LIGHTGBM.Dataset(fold.valid.X, fold.valid.y, group=count_rows(fold.valid), reference=rows)
    stop = LIGHTGBM.early_stopping(given.patience, verbose=False)
    booster = LIGHTGBM.train(parameters, rows, given.most_rounds, valid_sets=[watched], callbacks=[stop])
    return ScoredRows(booster.predict(test.X, num_iteration=booster.best_iteration), booster.best_iteration)


def train_xgboost(fold: Fold, given: SharedParameters, kind: str) -> ScoredRows:
    parameters: dict[str, Any] = {
        "tree_method": "hist",
        "grow_policy": "lossguide",
        "max_leaves": given.n_leaves,
        "max_depth": 0,
        "max_bin": given.n_bins,
        "learning_rate": given.learning_rate,
        # the least sum of second derivatives; it has no least number of rows, except where each row has 1
        "min_child_weight": given.min_samples_leaf if kind == "reg:squarederror" else 0,
        "reg_lambda": 0,
        "nthread": given.threads,
        "seed": given.seed,
        "verbosity": 0,
        "objective": kind,
    }
    train, test = fold.train, XGBOOST.DMatrix(fold.test.X)

    def boost(labels: np.ndarray) -> Any:
        bins = XGBOOST.QuantileDMatrix(train.X, labels, max_bin=given.n_bins)
        return XGBOOST.train(parameters, bins, given.n_rounds).predict(test)

    if kind == "binary:logistic":
        return ScoredRows(sum_binary(fold, boost), given.n_rounds)
    if kind == "multi:softprob":
        parameters |= {"num_class": count_classes(fold), "learning_rate": scale_step(fold, given, 2.0)}
        return ScoredRows(expect_grade(boost(train.y)), given.n_rounds)
    if kind == "reg:squarederror":
        return ScoredRows(boost(train.y), given.n_rounds)
    parameters["eval_metric"] = "ndcg@10"
    rows = XGBOOST.QuantileDMatrix(train.X, train.y, group=count_rows(train), max_bin=given.n_bins)
    watched = XGBOOST.QuantileDMatrix(
        fold.valid.X, fold.valid.y, group=count_rows(fold.valid), ref=rows, max_bin=given.n_bins
    )
    booster = XGBOOST.train(
        parameters,
        rows,
        given.most_rounds,
        evals=[(watched, "valid")],
        early_stopping_rounds=given.patience,
        verbose_eval=False,
    )
    best = booster.best_iteration + 1
    return ScoredRows(booster.predict(test, iteration_range=(0, best)), best)


def train_hgb(fold: Fold, given: SharedParameters, kind: str) -> ScoredRows:
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor
    from threadpoolctl import threadpool_limits

    classifies = kind == "HistGradientBoostingClassifier"
    make = HistGradientBoostingClassifier if classifies else HistGradientBoostingRegressor
    model = make(
        max_iter=given.n_rounds,
        learning_rate=scale_step(fold, given, 1.0) if classifies else given.learning_rate,
        max_leaf_nodes=given.n_leaves,
        max_depth=None,
        min_samples_leaf=given.min_samples_leaf,
        max_bins=given.n_bins,
        early_stopping=False,
        random_state=given.seed,
    )
    with threadpool_limits(given.threads, user_api="openmp"):
        model.fit(fold.train.X, fold.train.y)
        answers = model.predict_proba(fold.test.X) if classifies else model.predict(fold.test.X)
    return ScoredRows(expect_grade(answers) if classifies else answers, given.n_rounds)


def train_sklearn_forest(fold: Fold, given: SharedParameters) -> ScoredRows:
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(
        given.n_trees, max_features=count_candidates(fold, given), random_state=given.seed, n_jobs=given.threads
    )
    return ScoredRows(forest.fit(fold.train.X, fold.train.y).predict(fold.test.X), given.n_trees)


def train_catboost(fold: Fold, given: SharedParameters, kind: str) -> ScoredRows:
    parameters: dict[str, Any] = {
        "iterations": given.n_rounds,
        "learning_rate": given.learning_rate,
        "grow_policy": "Lossguide",
        "max_leaves": given.n_leaves,
        "depth": given.n_leaves - 1,
        "border_count": given.n_bins - 1,
        "min_data_in_leaf": given.min_samples_leaf,
        "l2_leaf_reg": 0,
        "random_strength": 0,
        "bootstrap_type": "No",
        "boosting_type": "Plain",
        "leaf_estimation_iterations": 1,
        "metric_period": given.n_rounds,  # its training loss is not computed in between
        "thread_count": given.threads,
        "random_seed": given.seed,
        "allow_writing_files": False,
        "logging_level": "Silent",
        "loss_function": kind,
    }
    train, test = fold.train, fold.test
    if kind != "YetiRank":
        model = CATBOOST.CatBoost(parameters).fit(CATBOOST.Pool(train.X, train.y))
        if kind == "MultiClass":
            return ScoredRows(expect_grade(model.predict(test.X, prediction_type="Probability")), given.n_rounds)
        return ScoredRows(model.predict(test.X), given.n_rounds)
    parameters |= {"iterations": given.most_rounds, "eval_metric": "NDCG:top=10;type=Exp", "metric_period": 1}
    parameters |= {"od_type": "Iter", "od_wait": given.patience, "l2_leaf_reg": 3}
    watched = CATBOOST.Pool(fold.valid.X, fold.valid.y, group_id=fold.valid.qid)
    model = CATBOOST.CatBoost(parameters).fit(CATBOOST.Pool(train.X, train.y, group_id=train.qid), eval_set=watched)
    return ScoredRows(model.predict(test.X), model.tree_count_)


def train_ydf(fold: Fold, given: SharedParameters, kind: str) -> ScoredRows:
    parameters: dict[str, Any] = {
        "label": "y",
        "task": getattr(YDF.Task, kind),
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
    train, test = label_columns(fold.train), label_columns(fold.test)
    if kind != "RANKING":
        del train["qid"]
        still = {"validation_ratio": 0.0, "early_stopping": "NONE"}
        model = YDF.GradientBoostedTreesLearner(**parameters, **still).train(train, verbose=0)
        answers = model.predict(test)
        if kind == "CLASSIFICATION":  # a column per label class, which it orders itself
            answers = expect_grade(answers[:, np.argsort([int(name) for name in model.label_classes()])])
        return ScoredRows(answers, given.n_rounds)
    parameters |= {
        "num_trees": given.most_rounds,
        "loss": "LAMBDA_MART_NDCG",
        "ndcg_truncation": 10,
        "ranking_group": "qid",
        "early_stopping": "LOSS_INCREASE",
        "early_stopping_num_trees_look_ahead": given.patience,
    }
    learner = YDF.GradientBoostedTreesLearner(**parameters)
    model = learner.train(train, valid=label_columns(fold.valid), verbose=0)
    return ScoredRows(model.predict(test), model.num_trees())


def train_ydf_forest(fold: Fold, given: SharedParameters) -> ScoredRows:
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
    rows = label_columns(fold.train)
    del rows["qid"]
    return ScoredRows(learner.train(rows, verbose=0).predict(label_columns(fold.test)), given.n_trees)


def label_columns(data: LetorData) -> dict[str, np.ndarray]:
    """Name the columns for YDF."""
    return {"x": data.X, "y": data.y, "qid": data.qid}


def enter_boosters(library: str, train: Callable[..., ScoredRows], calls: dict[str, str]) -> list[ComparedRanker]:
    """Enter a ranker per family, each named by the objective, loss or task of the library."""
    return [ComparedRanker(library, family, call, partial(train, kind=call)) for family, call in calls.items()]


LIGHTGBM_CALLS = {
    "ordinal": "binary",
    "softmax": "multiclass",
    "least squares": "regression",
    "LambdaMART": "lambdarank",
}
XGBOOST_CALLS = {
    "ordinal": "binary:logistic",
    "softmax": "multi:softprob",
    "least squares": "reg:squarederror",
    "LambdaMART": "rank:ndcg",
}
HGB_CALLS = {"softmax": "HistGradientBoostingClassifier", "least squares": "HistGradientBoostingRegressor"}
CATBOOST_CALLS = {"softmax": "MultiClass", "least squares": "RMSE", "LambdaMART": "YetiRank"}
YDF_CALLS = {"softmax": "CLASSIFICATION", "least squares": "REGRESSION", "LambdaMART": "RANKING"}
SKLEARN_FOREST = ComparedRanker("scikit-learn", "forest", "RandomForestRegressor", train_sklearn_forest)
YDF_FOREST = ComparedRanker("YDF", "forest", "RandomForestLearner", train_ydf_forest)
LIBRARIES: tuple[tuple[ModuleType | None, str, list[ComparedRanker]], ...] = (
    (LIGHTGBM, LIGHTGBM_NAME, enter_boosters("LightGBM", train_lightgbm, LIGHTGBM_CALLS)),
    (XGBOOST, XGBOOST_NAME, enter_boosters("XGBoost", train_xgboost, XGBOOST_CALLS)),
    (SKLEARN, SKLEARN_NAME, [*enter_boosters("scikit-learn", train_hgb, HGB_CALLS), SKLEARN_FOREST]),
    (CATBOOST, CATBOOST_NAME, enter_boosters("CatBoost", train_catboost, CATBOOST_CALLS)),
    (YDF, YDF_NAME, [*enter_boosters("YDF", train_ydf, YDF_CALLS), YDF_FOREST]),
)


def list_rankers() -> tuple[list[ComparedRanker], dict[str, str], list[str]]:
    """List the rankers, refrank's first, the version of each library by its name, and the libraries left out."""
    entries, versions, left_out = [*OURS], {"refrank": version("refrank")}, []
    for module, name, of_library in LIBRARIES:
        if module is None:
            left_out.append(of_library[0].library)
        else:
            entries += of_library
            versions[of_library[0].library] = name.rpartition(" ")[2]
    return entries, versions, left_out

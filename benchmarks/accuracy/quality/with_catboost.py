"""CatBoost's rankers. Its softmax grows one tree per round for all classes, with Newton's step of all classes at once.

YetiRank keeps its own regularization of leaves.
"""

from typing import Any

from benchmarks.accuracy.quality.rankers import ScoredRows, SharedParameters, enter_boosters, expect_grade
from benchmarks.side_by_side import load_peer
from refrank.datasets import Fold

CATBOOST, NAME = load_peer("catboost")
CALLS = {"softmax": "MultiClass", "least squares": "RMSE", "LambdaMART": "YetiRank"}


def train_booster(fold: Fold, given: SharedParameters, family: str) -> ScoredRows:
    """Train with equal parameters, or LambdaMART with early stopping."""
    parameters: dict[str, Any] = {
        "loss_function": CALLS[family],
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
    }
    train, valid, test = fold.train, fold.valid, fold.test
    if family == "LambdaMART":
        parameters |= {"iterations": given.most_rounds, "eval_metric": "NDCG:top=10;type=Exp", "metric_period": 1}
        parameters |= {"od_type": "Iter", "od_wait": given.patience, "l2_leaf_reg": 3}
        rows, watched = (CATBOOST.Pool(data.X, data.y, group_id=data.qid) for data in (train, valid))
        model = CATBOOST.CatBoost(parameters).fit(rows, eval_set=watched)
        return ScoredRows(model.predict(test.X), model.tree_count_)
    model = CATBOOST.CatBoost(parameters).fit(CATBOOST.Pool(train.X, train.y))
    if family == "softmax":
        return ScoredRows(expect_grade(model.predict(test.X, prediction_type="Probability")), given.n_rounds)
    return ScoredRows(model.predict(test.X), given.n_rounds)


RANKERS = enter_boosters("CatBoost", CALLS, train_booster)

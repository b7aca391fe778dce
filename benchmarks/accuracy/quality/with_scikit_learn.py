"""scikit-learn's rankers: HistGradientBoosting (HGB) and its forest.

HGB chooses cuts by Newton's gain, where refrank reduces the squared error. Its softmax has the second derivative
p (1 - p), so its learning rate is changed to make a step as long as in McRank Alg. 1, line 6. It starts at the shares
of the classes.
"""

from benchmarks.accuracy.quality.rankers import (
    ComparedRanker,
    ScoredRows,
    SharedParameters,
    count_candidates,
    enter_boosters,
    expect_grade,
    scale_step,
)
from benchmarks.side_by_side import load_peer
from refrank.datasets import Fold

SKLEARN, NAME = load_peer("sklearn", "scikit-learn")
CALLS = {"softmax": "HistGradientBoostingClassifier", "least squares": "HistGradientBoostingRegressor"}


def train_booster(fold: Fold, given: SharedParameters, family: str) -> ScoredRows:
    """Train HGB with equal parameters."""
    from sklearn import ensemble
    from threadpoolctl import threadpool_limits

    classifies = family == "softmax"
    model = getattr(ensemble, CALLS[family])(
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
        X = fold.test.X
        return ScoredRows(expect_grade(model.predict_proba(X)) if classifies else model.predict(X), given.n_rounds)


def train_forest(fold: Fold, given: SharedParameters) -> ScoredRows:
    """Train a forest of full depth."""
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(
        given.n_trees, max_features=count_candidates(fold, given), random_state=given.seed, n_jobs=given.threads
    )
    return ScoredRows(forest.fit(fold.train.X, fold.train.y).predict(fold.test.X), given.n_trees)


FOREST = ComparedRanker("scikit-learn", "forest", "RandomForestRegressor", train_forest)
RANKERS = [*enter_boosters("scikit-learn", CALLS, train_booster), FOREST]

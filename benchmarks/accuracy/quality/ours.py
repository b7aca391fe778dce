"""refrank's rankers. Its classifiers start at F = 0, as the paper's do; probabilities are renewed before each tree."""

from functools import partial
from typing import Any

from benchmarks.accuracy.quality.rankers import ComparedRanker, ScoredRows, SharedParameters, count_candidates
from refrank import IGBRTRanker, LSBoostRanker, OrdinalBoostRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.datasets import Fold


def score_test_rows(fold: Fold, given: SharedParameters, kind: type[Any], **parameters: Any) -> ScoredRows:
    """Train a ranker and score the test rows."""
    ranker = kind(n_bins=given.n_bins, n_threads=given.threads, **parameters)
    ranker.fit(fold.train.X, fold.train.y, fold.train.qid)
    return ScoredRows(ranker.predict(fold.test.X), parameters.get("n_rounds", given.n_trees))


def train_booster(fold: Fold, given: SharedParameters, kind: type[Any], **more: Any) -> ScoredRows:
    """Train one of McRank's boosters."""
    shared = {name: getattr(given, name) for name in ("n_rounds", "n_leaves", "learning_rate", "min_samples_leaf")}
    return score_test_rows(fold, given, kind, **shared, **more)


def train_forest(fold: Fold, given: SharedParameters, kind: type[Any] = RandomForestRanker, **more: Any) -> ScoredRows:
    """Train iGBRT's random forest, whose trees have one row per leaf (iGBRT Alg. 1), or what begins with it."""
    candidates = count_candidates(fold, given)
    return score_test_rows(
        fold, given, kind, n_trees=given.n_trees, max_features=candidates, random_state=given.seed, **more
    )


def train_igbrt(fold: Fold, given: SharedParameters) -> ScoredRows:
    """Train iGBRT by regression: as many rounds of boosting, with trees of depth 4, from the forest."""
    steps = {"n_rounds": given.n_rounds, "learning_rate": given.learning_rate}
    return train_forest(fold, given, IGBRTRanker, **steps)


EXACT_CUTS = {"binning": "exact", "cut_at": "midpoint"}  # as the forests of the other libraries cut
EXACT = ", ".join(f'{name}="{value}"' for name, value in EXACT_CUTS.items())
BOOSTERS = (
    ("ordinal", "OrdinalBoostRanker", partial(train_booster, kind=OrdinalBoostRanker)),
    ("softmax", "SoftmaxBoostRanker", partial(train_booster, kind=SoftmaxBoostRanker)),
    ("least squares", 'LSBoostRanker, target="k"', partial(train_booster, kind=LSBoostRanker, target="k")),
    ("least squares of gains", "LSBoostRanker", partial(train_booster, kind=LSBoostRanker)),
)
FORESTS = (
    ("forest", f"RandomForestRanker, {EXACT}", partial(train_forest, **EXACT_CUTS)),
    ("forest of bins", "RandomForestRanker", train_forest),
    ("iGBRT", "IGBRTRanker", train_igbrt),
)
RANKERS = [ComparedRanker("refrank", *entry) for entry in (*BOOSTERS, *FORESTS)]

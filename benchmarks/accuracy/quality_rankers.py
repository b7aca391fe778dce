"""The rankers of `quality`: refrank's, and those of other libraries with the same parameters.

All boosters have the same rounds, leaves, rows per leaf, bins and length of a step, no limit on the depth, no
regularization, and all rows and features in each round. Some differences remain:

LightGBM    chooses cuts by Newton's gain, and so do XGBoost and HGB; refrank and YDF reduce the squared error.
XGBoost     uses the second derivative 2 p (1 - p) in softmax, and HGB uses p (1 - p). Their learning rates are changed
            so that a step is as long as in McRank Alg. 1, line 6, and in LightGBM.
HGB         is scikit-learn's HistGradientBoosting. It starts at the shares of the classes, as LightGBM and XGBoost do.
CatBoost    grows one tree per round for all classes, with Newton's step of all classes at once.
refrank     starts its classifiers at F = 0, as the paper does; their probabilities are renewed before each tree.

The LambdaMARTs stop early: after `patience` rounds without a better NDCG@10 of the validation queries, and at the
latest after `most_rounds`. The best round counts. The others do not see the validation queries.
"""

from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from refrank import IGBRTRanker, LSBoostRanker, OrdinalBoostRanker, RandomForestRanker, SoftmaxBoostRanker
from refrank.datasets import Fold


@dataclass(frozen=True)
class SharedParameters:
    """The parameters that all rankers share."""

    n_rounds: int = 100
    n_leaves: int = 10
    learning_rate: float = 0.1
    min_samples_leaf: int = 10
    n_bins: int = 255
    most_rounds: int = 500  # of the LambdaMARTs
    patience: int = 50
    n_trees: int = 300  # of a forest
    max_features: float = 0.1  # of a node of a forest
    seed: int = 0
    threads: int = 1

    def describe(self) -> dict[str, Any]:
        """List what the result depends on."""
        return {name: value for name, value in asdict(self).items() if name != "threads"}


class ScoredRows(NamedTuple):
    """The scores of the test rows, (n_samples,), and the number of rounds or trees behind them."""

    scores: np.ndarray
    n_rounds: int


@dataclass(frozen=True)
class ComparedRanker:
    """One row of the page: a ranker, its family, and how it is trained."""

    library: str
    family: str  # rankers of one family minimise the same loss
    call: str  # what a reader looks up in the library's own documents
    train: Callable[[Fold, SharedParameters], ScoredRows]

    @property
    def name(self) -> str:
        """The name of the row."""
        return f"{self.library}, {self.family}"


def count_classes(fold: Fold) -> int:
    """Count K of the training labels."""
    return int(fold.train.y.max()) + 1


def count_candidates(fold: Fold, given: SharedParameters) -> int:
    """Count K of iGBRT Alg. 1, the features of which a cut of a forest chooses one: libraries round a share apart."""
    return max(1, round(given.max_features * fold.train.X.shape[1]))


def expect_grade(proba: np.ndarray) -> np.ndarray:
    """Score by class probabilities, (n_samples, K), as in McRank Eq. 5."""
    return np.asarray(proba, np.float64) @ np.arange(np.shape(proba)[1])


def sum_binary(fold: Fold, train: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Score by Pr(y > 0) + ... + Pr(y > K - 2), with a classifier per threshold, as McRank Sec. 4 does."""
    return np.sum([train((fold.train.y > k).astype(np.int64)) for k in range(count_classes(fold) - 1)], axis=0)


def enter_booster(kind: type[Any], **more: Any) -> Callable[[Fold, SharedParameters], ScoredRows]:
    """Train one of McRank's boosters."""

    def train(fold: Fold, given: SharedParameters) -> ScoredRows:
        ranker = kind(
            n_rounds=given.n_rounds,
            n_leaves=given.n_leaves,
            learning_rate=given.learning_rate,
            min_samples_leaf=given.min_samples_leaf,
            n_bins=given.n_bins,
            n_threads=given.threads,
            **more,
        )
        ranker.fit(fold.train.X, fold.train.y, fold.train.qid)
        return ScoredRows(ranker.predict(fold.test.X), ranker.n_rounds_)

    return train


def train_forest(fold: Fold, given: SharedParameters, **cuts: Any) -> ScoredRows:
    """Train iGBRT's random forest, whose trees have one row per leaf (iGBRT Alg. 1)."""
    ranker = RandomForestRanker(
        n_trees=given.n_trees,
        max_features=count_candidates(fold, given),
        n_bins=given.n_bins,
        random_state=given.seed,
        n_threads=given.threads,
        **cuts,
    )
    ranker.fit(fold.train.X, fold.train.y, fold.train.qid)
    return ScoredRows(ranker.predict(fold.test.X), given.n_trees)


def train_igbrt(fold: Fold, given: SharedParameters) -> ScoredRows:
    """Train iGBRT by regression: as many rounds of boosting, with trees of depth 4, from the forest."""
    ranker = IGBRTRanker(
        n_rounds=given.n_rounds,
        n_trees=given.n_trees,
        max_features=count_candidates(fold, given),
        learning_rate=given.learning_rate,
        n_bins=given.n_bins,
        random_state=given.seed,
        n_threads=given.threads,
    )
    ranker.fit(fold.train.X, fold.train.y, fold.train.qid)
    return ScoredRows(ranker.predict(fold.test.X), given.n_rounds)


EXACT_CUTS = {"binning": "exact", "cut_at": "midpoint"}  # as the forests of the other libraries cut
EXACT = ", ".join(f'{name}="{value}"' for name, value in EXACT_CUTS.items())
OURS = (
    ComparedRanker("refrank", "ordinal", "OrdinalBoostRanker", enter_booster(OrdinalBoostRanker)),
    ComparedRanker("refrank", "softmax", "SoftmaxBoostRanker", enter_booster(SoftmaxBoostRanker)),
    ComparedRanker("refrank", "least squares", 'LSBoostRanker, target="k"', enter_booster(LSBoostRanker, target="k")),
    ComparedRanker("refrank", "least squares of gains", "LSBoostRanker", enter_booster(LSBoostRanker)),
    ComparedRanker("refrank", "forest", f"RandomForestRanker, {EXACT}", partial(train_forest, **EXACT_CUTS)),
    ComparedRanker("refrank", "forest of bins", "RandomForestRanker", train_forest),
    ComparedRanker("refrank", "iGBRT", "IGBRTRanker", train_igbrt),
)

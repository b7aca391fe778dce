"""The rankers of the comparison: their shared parameters, what a training returns, and how answers become scores.

All boosters have the same rounds, leaves, rows per leaf, bins and length of a step, no limit on the depth, no
regularization, and all rows and features in each round. `ours` and the modules `with_LIBRARY` say what differs.

The LambdaMARTs stop early: after `patience` rounds without a better NDCG@10 of the validation queries, and at the
latest after `most_rounds`. The best round counts. The others do not see the validation queries.
"""

import inspect
import sys
from collections.abc import Callable
from dataclasses import asdict, dataclass
from functools import partial
from typing import Any, NamedTuple

import numpy as np

from refrank.datasets import Fold, LetorData


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

    @property
    def code(self) -> list[str]:
        """The code that trains it: this module, and that of the library."""
        function = getattr(self.train, "func", self.train)  # of a partial
        return [inspect.getsource(sys.modules[name]) for name in (__name__, function.__module__)]


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


def score_by_loss(fold: Fold, family: str, train: Callable[[np.ndarray], np.ndarray]) -> np.ndarray:
    """Score by thresholds, by class probabilities or by the answers themselves, trained with labels (n_samples,)."""
    if family == "ordinal":
        return sum_binary(fold, train)
    answers = train(fold.train.y)
    return expect_grade(answers) if family == "softmax" else answers


def count_rows(data: LetorData) -> np.ndarray:
    """Count the rows of each query, in the order of the file, (n_queries,): ids need not rise."""
    first_rows = np.flatnonzero(np.diff(data.qid, prepend=data.qid[0] - 1))
    return np.diff(first_rows, append=len(data.qid))


def scale_step(fold: Fold, given: SharedParameters, curvature: float) -> float:
    """Compute the learning rate of McRank's step where a library divides by `curvature` times p (1 - p)."""
    n_classes = count_classes(fold)
    return given.learning_rate * curvature * (n_classes - 1) / n_classes


def enter_boosters(library: str, calls: dict[str, str], train: Callable[..., ScoredRows]) -> list[ComparedRanker]:
    """Enter a ranker per family, each named by the objective, loss or task of the library."""
    return [ComparedRanker(library, family, call, partial(train, family=family)) for family, call in calls.items()]

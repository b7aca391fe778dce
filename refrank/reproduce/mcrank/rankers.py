"""The rankers of McRank Sec. 6, each as a function that trains it: the columns of Table 1, and LAD's beside them."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.datasets import LetorData
from refrank.estimators import (
    LADBoostRanker,
    LambdaRanker,
    LSBoostRanker,
    OrdinalBoostRanker,
    SoftmaxBoostRanker,
)
from refrank.estimators.mcrank import BoostRanker
from refrank.metrics import PRESETS, ndcg

TRUNCATIONS = range(1, 11)  # L
CONVENTION = PRESETS["paper"]


@dataclass(frozen=True, kw_only=True)
class Parameters:
    """Parameters of the boosters (Sec. 6.2) and of LambdaRank's net, of which the paper gives none."""

    n_rounds: int  # M
    n_leaves: int = 10  # J
    learning_rate: float = 0.05  # nu
    n_classes: int | None = None  # K; None: the highest training label plus 1
    hidden: int = 10
    net_learning_rate: float = 0.001
    n_epochs: int = 100

    def describe(self) -> str:
        """Say what the boosters run with."""
        return f"M = {self.n_rounds}, J = {self.n_leaves}, nu = {self.learning_rate}"

    def describe_net(self) -> str:
        """Say what LambdaRank runs with."""
        return (
            f"{self.hidden} hidden units, first learning rate {self.net_learning_rate}, {self.n_epochs} epochs, "
            "the best of them by validation"
        )


Train = Callable[[Parameters, LetorData, LetorData, int, int | None], Any]  # (.., train, valid, seed, n_threads)


def train_booster(
    kind: type[BoostRanker],
    parameters: Parameters,
    train: LetorData,
    valid: LetorData,
    seed: int,
    n_threads: int | None,
) -> BoostRanker:
    """Train one of the boosters: nothing is drawn, and nothing is chosen by the validation set (Sec. 6.2)."""
    ranker = kind(
        n_rounds=parameters.n_rounds,
        n_leaves=parameters.n_leaves,
        learning_rate=parameters.learning_rate,
        n_classes=parameters.n_classes,
        n_threads=n_threads,
        verbose=1,
    )
    return ranker.fit(train.X, train.y, train.qid)


def train_lambdarank(
    parameters: Parameters, train: LetorData, valid: LetorData, seed: int, n_threads: int | None
) -> LambdaRanker:
    """Train LambdaRank on NDCG at L = 10; learning rate and epoch follow the validation set."""
    # Paper is silent: on hidden units, learning rate and epochs; these are the defaults of `LambdaRanker`.
    ranker = LambdaRanker(
        hidden=parameters.hidden,
        learning_rate=parameters.net_learning_rate,
        n_epochs=parameters.n_epochs,
        random_state=seed,
        verbose=1,
    )
    return ranker.fit(train.X, train.y, train.qid, X_val=valid.X, y_val=valid.y, qid_val=valid.qid)


RANKERS: dict[str, Train] = {  # the columns of Table 1
    "ordinal": partial(train_booster, OrdinalBoostRanker),
    "classification": partial(train_booster, SoftmaxBoostRanker),
    "regression": partial(train_booster, LSBoostRanker),
    "LambdaRank": train_lambdarank,
}
# McRank Sec. 5: "considerably worse than the least-square tree boost"
BESIDE: dict[str, Train] = {"LAD": partial(train_booster, LADBoostRanker)}


def ndcg_at_each(data: LetorData, scores: NDArray[np.float64]) -> NDArray[np.float64]:
    """Compute NDCG of each query at L = 1..10, (n_queries, 10)."""
    return np.column_stack([ndcg(data.y, scores, data.qid, k, CONVENTION, per_query=True) for k in TRUNCATIONS])

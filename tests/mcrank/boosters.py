"""The boosting algorithms of the room behind one face, and the data that their tests share."""

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pytest

from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.registry import RANKERS
from refrank.mcrank import ordinal_boosting as ordinal
from refrank.mcrank.abc_logitboost import CHOOSE, make_abc_logitboost
from refrank.mcrank.lambdamart import lambdamart
from refrank.mcrank.loss_boosting import Loss, boost
from refrank.mcrank.ls_boosting import ls_boosting
from refrank.mcrank.query_lambdas import prepare_queries
from refrank.mcrank.robust_logitboost import robust_logitboost
from refrank.mcrank.softmax_boosting import softmax_boosting_sequential, softmax_boosting_simultaneous
from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import Engine
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree
from tests.oracles import mcrank as naive_mcrank
from tests.oracles import trees as naive_trees
from tests.strategies import ENGINE, RankingCase, columns_of, rng_of

UPDATES = {"sequential": softmax_boosting_sequential, "simultaneous": softmax_boosting_simultaneous}
updates = pytest.mark.parametrize("update", UPDATES)
BINARY = {"sequential": ordinal.binary_sequential, "mirrored": ordinal.binary_mirrored}
binaries = pytest.mark.parametrize("binary", BINARY)


@dataclass(frozen=True)
class Boosted:
    """Results of a run: the trees of each round, and what is learned of the training rows."""

    trees: list[tuple[Tree, ...]]
    start: np.ndarray | None  # before round 1, where the algorithm says what that is
    states: list[np.ndarray]  # after each round
    learning_rate: float

    @property
    def scores(self) -> np.ndarray:
        """The start and the states, (n_rounds + 1, n_samples)."""
        return np.array([self.start, *self.states])

    @property
    def last(self) -> bytes:
        return self.states[-1].tobytes("C")

    @property
    def ensemble(self) -> Ensemble:
        n_outputs = len(self.trees[0])
        initial = (0.0,) * n_outputs if self.start is None else (float(self.start[0]),)
        return Ensemble(initial, tuple(self.trees), self.learning_rate)


@dataclass(frozen=True)
class Booster:
    """One algorithm. `state`: what a turn has learned; `finish`: the same from the scores of its ensemble."""

    turns: Callable[..., Iterator[Any]]  # (case, grow, n_rounds, learning_rate, weight)
    state: Callable[[Any], np.ndarray]
    trees: Callable[[Any], tuple[Tree, ...]]
    finish: Callable[[np.ndarray, RankingCase], np.ndarray]

    def __call__(self, case, n_rounds=3, learning_rate=0.1, weight=None, engine=ENGINE) -> Boosted:
        trees, states, start = [], [], None
        for turn in self.turns(case, case.grower(engine), n_rounds, learning_rate, weight):
            if turn.number == 0:
                start = self.state(turn).copy()
            else:
                trees.append(self.trees(turn))
                states.append(self.state(turn).copy())
        return Boosted(trees, start, states, learning_rate)


def relevance_gain(y: np.ndarray) -> np.ndarray:
    """y~ = 2^y - 1."""
    return np.ldexp(1.0, y) - 1.0


def softmax_booster(update: str) -> Booster:
    return class_booster(UPDATES[update])


def class_booster(boosting) -> Booster:
    return Booster(
        lambda case, *settings: boosting(case.y, case.n_classes, *settings),
        state=lambda turn: turn.scores,
        trees=lambda turn: turn.trees,
        finish=lambda scores, case: scores,
    )


def ordinal_booster(binary: str) -> Booster:
    return Booster(
        lambda case, *settings: ordinal.ordinal_boosting(case.y, case.n_classes, *settings, binary=BINARY[binary]),
        state=lambda turn: turn.cumulative_proba,
        trees=lambda turn: sum(turn.trees, ()),
        finish=cumulative_proba,
    )


def cumulative_proba(scores: np.ndarray, case: RankingCase) -> np.ndarray:
    return ordinal.cumulative_proba_of(scores, ordinal.find_one_sided_constants(case.y, case.n_classes))


def booster_of(loss: Loss) -> Booster:
    return regression_booster(partial(boost, loss))


def regression_booster(boosting) -> Booster:
    return Booster(
        lambda case, *settings: boosting(relevance_gain(case.y), *settings),
        state=lambda turn: turn.scores,
        trees=lambda turn: (turn.tree,),
        finish=lambda scores, case: scores[:, 0],
    )


ABC = {name: class_booster(make_abc_logitboost(choose)) for name, choose in CHOOSE.items()}
LAMBDAMART = Booster(  # its rows are one query
    lambda case, *settings: lambdamart(prepare_queries(case.y, None, 10, 1.0), *settings[:3]),  # and has no weights
    state=lambda turn: turn.scores,
    trees=lambda turn: (turn.tree,),
    finish=lambda scores, case: scores[:, 0],
)
ROBUST = class_booster(robust_logitboost)
# every loss of the registry, by the name of its ranker, and Algorithm 2 as printed
LOSSES = {name: Ranker().choose_loss() for name, Ranker in RANKERS.items() if issubclass(Ranker, LossBoostRanker)}
BY_LOSS = {name: booster_of(loss) for name, loss in LOSSES.items()}
BOOSTERS = {
    **{f"softmax, {update}": softmax_booster(update) for update in UPDATES},
    **{f"ordinal, {binary}": ordinal_booster(binary) for binary in BINARY},
    "as printed": regression_booster(ls_boosting),
    "robust LogitBoost": ROBUST,
    "LambdaMART": LAMBDAMART,
    **{f"ABC-LogitBoost, {name}": booster for name, booster in ABC.items()},
    **BY_LOSS,
}


def oracle_tree(case: RankingCase) -> naive_mcrank.Regions:
    columns = columns_of(bin_features(case.X, case.n_bins, engine=Engine(splitting)))
    return naive_mcrank.regions(columns, case.n_leaves)


def oracle_newton_tree(case: RankingCase):
    columns = columns_of(bin_features(case.X, case.n_bins, engine=Engine(splitting)))
    return naive_trees.newton_regions(columns, case.n_leaves)


def fixed_case(n_samples=80, n_classes=4, seed=3) -> RankingCase:
    """Data without near-ties: labels follow two of three features, with noise."""
    rng = rng_of(seed)
    X = rng.normal(size=(n_samples, 3))
    y = np.clip(np.rint(X[:, 0] + 0.5 * X[:, 1] ** 2 + 0.3 * rng.normal(size=n_samples) + 1), 0, n_classes - 1)
    return RankingCase(X, y.astype(np.int64), n_classes, n_leaves=5, n_bins=256)

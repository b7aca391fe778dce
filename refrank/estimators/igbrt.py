"""iGBRT's rankers: random forests, GBRT, boosting that starts from a forest (Mohan, Chen and Weinberger 2011)."""

from collections.abc import Iterator, Sequence
from functools import partial
from numbers import Real
from reprlib import repr as short
from typing import Any, ClassVar, Literal

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.checks import check_integer
from refrank.estimators.base import LAST
from refrank.estimators.earlier_trees import list_rounds, list_trees, take_off
from refrank.estimators.explained_share import compute_explained_share
from refrank.estimators.fields import estimator, learned, parameter
from refrank.estimators.forest_workers import choose_map
from refrank.estimators.run import Run, Training, Turns
from refrank.estimators.tree_ranker import Problems, TreeRanker, Trees, has_classes
from refrank.estimators.warm_start import require_same
from refrank.igbrt.classification import hold_proba, staged_proba
from refrank.igbrt.gbrt import Hold, gbrt, keep
from refrank.igbrt.igbrt import igbrt
from refrank.igbrt.random_forest import predict_out_of_bag, random_forest
from refrank.inspection.sums import TreeSum
from refrank.trees.engine import default_engine
from refrank.trees.events import ForestTreeGrown, RowsDrawn, ScoresStarted
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import Tree
from refrank.trees.numbers.grid import exact_mean

__all__ = ["GBRTRanker", "IGBRTRanker", "RandomForestRanker"]

SHARE_RULE = "it must be a share of the features, above 0 and at most 1, or their number, an integer of at least 1"


@estimator()
class ForestRanker(TreeRanker):
    """Base of the two rankers that grow a forest."""

    n_trees: int = parameter("M_RF.", default=1000, at_least=1)
    max_features: float = parameter(
        "K: a share of the features, max(1, int(share * n_features)), or a number.", default=0.1, kind="float or int"
    )

    def check_parameters(self) -> None:
        """Refuse a parameter that breaks its rule, including the number or share of features."""
        super().check_parameters()
        if isinstance(self.max_features, int | np.integer):
            check_integer("max_features", self.max_features, at_least=1)
        elif not isinstance(self.max_features, Real) or not 0 < self.max_features <= 1:
            raise ValueError(f"max_features is {short(self.max_features)}: {SHARE_RULE}")


@estimator()
class BoostedRanker(TreeRanker):
    """Base of the two rankers that boost."""

    n_rounds: int = parameter("M_B.", default=1000, at_least=1)
    max_depth: int = parameter("d of the boosted trees, counted in cuts: at most 2**d leaves.", default=4, at_least=1)
    learning_rate: float = parameter("alpha, above 0 and at most 1.", default=0.1, above=0, at_most=1)

    @property
    def n_rounds_(self) -> int:
        """Rounds trained."""
        return len(self.model_.rounds)

    def _choose_hold(self, target: Floats) -> Hold:
        """Choose the last step of a round of a problem."""
        return partial(hold_proba, target) if self._holds_each_round else keep

    @property
    def _holds_each_round(self) -> bool:
        return has_classes(self) and self.clip == "each-round"


@estimator()
class RandomForestRanker(ForestRanker):
    """Random forest (Algorithm 1): the mean of fully grown trees, each on n of n rows drawn with replacement.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = RandomForestRanker(n_trees=20).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.9  # mean NDCG@10 of the training rows, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "rf"

    oob_score: bool = parameter("Predict each training row by the trees that did not draw it.", default=False)

    oob_prediction_: Floats = learned(
        "The out-of-bag scores; NaN for a row that every tree drew. Rows of weight 0 are in no bag.",
        kind="float64 array of shape (n_samples,)",
        saved=False,
    )
    oob_score_: float = learned(
        "R^2 of the out-of-bag scores, over the rows that have one; NaN where their labels are all equal.", saved=False
    )

    @property
    def n_trees_(self) -> int:
        """Trees grown, per problem."""
        return len(self.model_.rounds)

    def explain_whole_rows(self) -> str:
        """Explain why the ranker cannot be trained on shards."""
        return "a tree of a forest draws from all rows; joblib spreads the trees, not the rows"

    def _grow(self, problems: Problems, data: Training) -> Run[Trees]:
        earlier = list_trees(data.earlier.get("model_"), self.n_trees, problems)

        def learn(turns: list[Trees]) -> dict[str, Any]:
            forest = Ensemble((0.0,) * len(problems.targets), tuple(turns), 1.0)
            with_bags = self.oob_score and turns
            return {"model_": forest} | (self._predict_out_of_bag(forest, problems, data) if with_bags else {})

        return Run(grow_forests(self, problems, len(earlier)), self.n_trees, "tree", learn, earlier)

    def _sum_trees(self, X: Matrix, every: int, rounds: Iterator[Any] | None) -> Iterator[Floats]:
        return average_trees(self.model_, X, self.n_threads, every, rounds)

    def _predict_out_of_bag(self, forest: Ensemble, problems: Problems, data: Training) -> dict[str, Any]:
        seeded = zip(zip(*forest.rounds, strict=True), problems.seeds, strict=True)  # the trees of each problem
        values = [predict_out_of_bag(trees, problems.X, seed, problems.binned.engine) for trees, seed in seeded]
        scores = self.rank_outputs(np.column_stack(values))
        seen = ~np.isnan(scores)
        y = data.y[seen]
        prediction = np.full(len(data.kept), np.nan)
        prediction[data.kept] = scores
        # where all labels are equal, there is no R^2
        oob_score = compute_explained_share(y, scores[seen]) if len(np.unique(y)) > 1 else np.nan
        return {"oob_prediction_": prediction, "oob_score_": oob_score}

    def list_sums(self) -> tuple[TreeSum, ...]:
        """List the forest, whose mean is the output."""
        return (TreeSum(self.model_, self.fill, max(1, self.n_trees_)),)


@estimator()
class GBRTRanker(BoostedRanker):
    """Gradient boosted regression trees (Algorithm 2), with the squared loss.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = GBRTRanker(n_rounds=20).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.7  # mean NDCG@10 of the training rows, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "gbrt"

    initial: Literal["zero", "mean"] = parameter("Where T starts: 0, as printed, or the mean target.", default="zero")

    def _grow(self, problems: Problems, data: Training) -> Run[Trees]:
        start = tuple(exact_mean(y, problems.weight) if self.initial == "mean" else 0.0 for y in problems.targets)
        start = problems.binned.engine.tell(ScoresStarted(start)).values
        earlier = list_rounds(data.earlier.get("model_"), self.n_rounds, self.learning_rate, start, problems)
        algorithms = []
        for c, y in enumerate(problems.targets):
            hold = self._choose_hold(y)
            residual = take_off(earlier, c, y - start[c], self.learning_rate, problems, hold)
            algorithms.append(partial(gbrt, residual, hold=hold))
        turns = boost(self, problems, algorithms, self.n_rounds - len(earlier))

        def learn(rounds: list[Trees]) -> dict[str, Any]:
            return {"model_": Ensemble(start, tuple(rounds), float(self.learning_rate))}

        return Run(turns, self.n_rounds, "round", learn, earlier)

    def _sum_trees(self, X: Matrix, every: int, rounds: Iterator[Any] | None) -> Iterator[Floats]:
        engine = default_engine(self.n_threads)
        if self._holds_each_round:
            start = np.full((len(X), len(self.model_.initial)), self.model_.initial)
            return staged_proba(self.model_, start, X, engine, every, rounds)
        # iGBRT Alg. 2, line 8
        return self.model_.staged_scores(X, engine, every, rounds)


@estimator()
class IGBRTRanker(BoostedRanker, ForestRanker):
    """Initialized gradient boosted regression trees (Algorithm 3): boosting the residuals of a random forest.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = IGBRTRanker(n_trees=20, n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.9  # mean NDCG@10 of the training rows, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "igbrt"

    n_trees: int = parameter("M_RF; 0 makes this Algorithm 2, to the bit.", default=1000, at_least=0)
    n_rounds: int = parameter("M_B.", default=500, at_least=1)

    forest_: Ensemble = learned("The forest: the sum of its trees, one output per problem; F is its mean.")

    @property
    def n_trees_(self) -> int:
        """Trees grown, per problem."""
        return len(self.forest_.rounds)

    def explain_whole_rows(self) -> str:
        """Explain why the ranker cannot be trained on shards; "" if it can, as from a forest that is grown."""
        n_grown = self.n_trees_ if self.warm_start and hasattr(self, "forest_") else 0
        if n_grown < self.n_trees:
            return (
                f"{n_grown} of {self.n_trees} trees of the forest are grown; with warm_start=True, the boosting can be"
            )
        return super().explain_whole_rows()

    def _grow(self, problems: Problems, data: Training) -> Run[Trees]:
        start = (0.0,) * len(problems.targets)
        problems.binned.engine.tell(ScoresStarted(start))
        earlier_trees = list_trees(data.earlier.get("forest_"), self.n_trees, problems)
        earlier = list_rounds(data.earlier.get("model_"), self.n_rounds, self.learning_rate, start, problems)
        if earlier:  # they boosted the residuals of exactly this forest
            require_same("n_trees", self.n_trees, len(earlier_trees))

        def grow_turns() -> Turns[Trees]:
            # iGBRT Alg. 3, line 1
            trees = [*earlier_trees]
            for of_turn in grow_forests(self, problems, len(earlier_trees)):
                trees.append(of_turn)
                yield of_turn
            forest = next(average_trees(Ensemble(start, tuple(trees), 1.0), problems.X, self.n_threads, LAST))
            algorithms = []
            for c, y in enumerate(problems.targets):
                hold = self._choose_hold(y)
                if earlier:
                    residual = take_off(earlier, c, y - forest[:, c], self.learning_rate, problems, hold)
                    algorithms.append(partial(gbrt, residual, hold=hold))
                else:
                    algorithms.append(partial(igbrt, y, forest[:, c], hold=hold))
            yield from boost(self, problems, algorithms, self.n_rounds - len(earlier))

        def learn(turns: list[Trees]) -> dict[str, Any]:
            boosted = Ensemble(start, tuple(turns[self.n_trees :]), float(self.learning_rate))
            return {"forest_": Ensemble(start, tuple(turns[: self.n_trees]), 1.0), "model_": boosted}

        n_turns, done = self.n_trees + self.n_rounds, (*earlier_trees, *earlier)
        return Run(grow_turns(), n_turns, "tree", learn, done, n_before=self.n_trees)

    def _sum_trees(self, X: Matrix, every: int, rounds: Iterator[Any] | None) -> Iterator[Floats]:
        forest = next(average_trees(self.forest_, X, self.n_threads, LAST))
        engine = default_engine(self.n_threads)
        if self._holds_each_round:
            yield from staged_proba(self.model_, forest, X, engine, every, rounds)
            return
        # iGBRT Alg. 3, line 9
        for scores in self.model_.staged_scores(X, engine, every, rounds):
            yield forest + scores

    def list_rounds(self) -> tuple[Trees, ...]:
        """List the trees of all turns, those of the forest first."""
        return (*self.forest_.rounds, *self.model_.rounds)

    def list_sums(self) -> tuple[TreeSum, ...]:
        """List the forest, whose mean is the start, and the boosted trees."""
        return (TreeSum(self.forest_, self.fill, max(1, self.n_trees_)), TreeSum(self.model_, self.fill))


def choose_n_candidates(max_features: float, n_features: int) -> int:
    """Choose K: max(1, int(share * n_features)) for a share, or the number itself.

    >>> [choose_n_candidates(share, n_features=46) for share in (0.1, 0.01, 1.0)], choose_n_candidates(3, n_features=46)
    ([4, 1, 46], 3)
    """
    if isinstance(max_features, int | np.integer):
        if max_features > n_features:
            raise ValueError(f"max_features is {max_features}: it must be at most {n_features}, as many as X has")
        return int(max_features)
    return max(1, int(max_features * n_features))


def grow_forests(ranker: ForestRanker, problems: Problems, first: int) -> Turns[Trees]:
    """Yield the trees of each turn of Algorithm 1, from turn `first` on: one per problem, grown in parallel."""
    binned = problems.binned
    n_candidates = choose_n_candidates(ranker.max_features, binned.n_features)
    grow_forest_tree = ranker.three_way_cuts.grow_forest_tree
    least, cut_at = ranker.min_samples_leaf, problems.cut_at
    limits = {"n_candidates": n_candidates, "min_samples_leaf": least, "cut_at": cut_at}

    def grow_tree(residual: Floats, weight: Floats | None, counts: Ints, *, key: int) -> Tree:
        counts = binned.engine.tell(RowsDrawn(counts)).counts
        tree = grow_forest_tree(binned, residual, weight, counts, key=key, **limits)
        return binned.engine.tell(ForestTreeGrown(tree)).tree

    each = choose_map(binned)
    forests = [
        random_forest(target, grow_tree, ranker.n_trees, seed, problems.weight, each, first)
        for target, seed in zip(problems.targets, problems.seeds, strict=True)
    ]
    for turns in zip(*forests, strict=True):
        yield tuple(turn.tree for turn in turns)


def boost(
    ranker: BoostedRanker, problems: Problems, algorithms: Sequence[partial[Iterator[Any]]], n_rounds: int
) -> Turns[Trees]:
    """Yield the trees of each round of Algorithm 2 or 3, whose target is already set, with CART of depth d."""
    limits = {"max_depth": ranker.max_depth, "min_samples_leaf": ranker.min_samples_leaf}
    grow_tree = ranker.three_way_cuts.make_grower(problems.binned, **limits, cut_at=problems.cut_at)
    runs = [run(grow_tree, n_rounds, ranker.learning_rate, problems.weight) for run in algorithms]
    for turns in zip(*runs, strict=True):
        yield tuple(turn.tree for turn in turns)


def average_trees(
    forest: Ensemble, X: Matrix, n_threads: int | None, every: int, rounds: Iterator[Trees] | None = None
) -> Iterator[Floats]:
    """Yield the mean of a forest's trees so far, (n_samples, n_problems), after each `every` trees; 0 without trees."""
    n_trees = len(forest.rounds) if rounds is None else LAST
    for stage, scores in enumerate(forest.staged_scores(X, default_engine(n_threads), every, rounds), start=1):
        # iGBRT Alg. 1, line 5
        yield scores / max(1, min(stage * every, n_trees))

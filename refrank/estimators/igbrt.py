"""The rankers of Mohan, Chen and Weinberger with the face of scikit-learn."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from refrank.estimators.checks import check_choice, check_learning_rate, check_whole
from refrank.estimators.tree_ranker import Problem, TreeRanker
from refrank.igbrt.classification import class_proba
from refrank.igbrt.gbrt import GBRTModel, GBRTRound, gbrt
from refrank.igbrt.igbrt import IGBRTModel, igbrt
from refrank.igbrt.random_forest import Each, ForestModel, out_of_bag, random_forest
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.trees.binning import BinnedFeatures
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.forest_growth import grow_deep_tree
from refrank.trees.grid import exact_mean
from refrank.trees.growth import grow_to_depth
from refrank.trees.tree import Tree


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestRanker(TreeRanker):
    """Random forest (Algorithm 1): the mean of trees grown to the end, each on n of n rows drawn with replacement.

    Parameters are those of `TreeRanker`, and the following.

    Parameters
    ----------
    n_trees : int, default 1000
        M_RF.
    max_features : float or int, default 0.1
        K: as a share of the features, max(1, int(share * n_features)); or their number.
    oob_score : bool, default False
        Predict each training row by the trees that did not draw it.

    Attributes
    ----------
    oob_prediction_ : float64 array of shape (n_samples,)
        The out-of-bag scores; NaN for a row that every tree drew.
    oob_score_ : float
        R^2 of the out-of-bag scores against y, over the rows that have one; NaN where their labels are all equal.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = RandomForestRanker(n_trees=20).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.9  # mean NDCG@10 of the training rows, convention "paper"
    True
    """

    n_trees: int = 1000
    max_features: float = 0.1
    oob_score: bool = False

    def _check_parameters(self) -> None:
        check_forest(self, fewest_trees=1)

    def _train(self, problem: Problem) -> ForestModel:
        return grow_forest(self, problem)

    def _finish(self, problems: Sequence[Problem], y: NDArray[Any]) -> None:
        if self.oob_score:
            values = np.column_stack(
                [
                    out_of_bag(forest.trees, problem.X, problem.seed, DEFAULT_SPLITTER, problem.n_threads)
                    for forest, problem in zip(self.models_, problems, strict=True)
                ]
            )
            scores = values[:, 0] if self.setting == "regression" else expected_relevance(class_proba(values))
            self.oob_prediction_ = scores
            seen = ~np.isnan(scores)
            # where all labels are equal, there is no R^2
            self.oob_score_ = r2_score(y[seen], scores[seen]) if len(np.unique(y[seen])) > 1 else np.nan
        super()._finish(problems, y)

    def _trees(self, model: ForestModel) -> Iterable[Tree]:
        return model.trees


@dataclass(kw_only=True, eq=False, repr=False)
class GBRTRanker(TreeRanker):
    """Gradient boosted regression trees (Algorithm 2), with the squared loss.

    Parameters are those of `TreeRanker`, and the following. Nothing is drawn: `random_state` plays no part.

    Parameters
    ----------
    n_rounds : int, default 1000
        M_B.
    max_depth : int, default 4
        d, counted in cuts: at most 2**d leaves.
    learning_rate : float, default 0.1
        alpha, above 0 and at most 1.
    initial : "zero" or "mean", default "zero"
        Where T starts: at 0, as printed, or at the mean target.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = GBRTRanker(n_rounds=20).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.7  # mean NDCG@10 of the training rows, convention "paper"
    True
    """

    n_rounds: int = 1000
    max_depth: int = 4
    learning_rate: float = 0.1
    initial: str = "zero"

    def _check_parameters(self) -> None:
        check_boosting(self)
        check_choice("initial", self.initial, ("zero", "mean"))

    def _train(self, problem: Problem) -> GBRTModel:
        start = exact_mean(problem.target, problem.weight) if self.initial == "mean" else 0.0
        trees = boosted_trees(self, problem, partial(gbrt, problem.target - start))
        return GBRTModel(start, trees, self.learning_rate)

    def _trees(self, model: GBRTModel) -> Iterable[Tree]:
        return model.rounds


@dataclass(kw_only=True, eq=False, repr=False)
class IGBRTRanker(TreeRanker):
    """Initialized gradient boosted regression trees (Algorithm 3): boosting the residuals of a random forest.

    Parameters are those of `TreeRanker`, and the following.

    Parameters
    ----------
    n_trees : int, default 1000
        M_RF; 0 makes this Algorithm 2, to the bit.
    max_features : float or int, default 0.1
        K of the forest, as in `RandomForestRanker`.
    n_rounds : int, default 500
        M_B.
    max_depth, learning_rate
        d and alpha of the boosted trees, as in `GBRTRanker`.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = IGBRTRanker(n_trees=20, n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.9  # mean NDCG@10 of the training rows, convention "paper"
    True
    """

    n_trees: int = 1000
    max_features: float = 0.1
    n_rounds: int = 500
    max_depth: int = 4
    learning_rate: float = 0.1

    def _check_parameters(self) -> None:
        check_forest(self, fewest_trees=0)
        check_boosting(self)

    def _train(self, problem: Problem) -> IGBRTModel:
        # iGBRT Alg. 3, line 1
        forest = grow_forest(self, problem)
        forest_scores = forest.scores(problem.X, DEFAULT_SPLITTER, problem.n_threads)  # (n_samples,)
        trees = boosted_trees(self, problem, partial(igbrt, problem.target, forest_scores))
        return IGBRTModel(forest, GBRTModel(0.0, trees, self.learning_rate))

    def _trees(self, model: IGBRTModel) -> Iterable[Tree]:
        return (*model.forest.trees, *model.boosting.rounds)


def check_forest(ranker: RandomForestRanker | IGBRTRanker, fewest_trees: int) -> None:
    """Check the parameters of a forest."""
    check_whole("n_trees", ranker.n_trees, at_least=fewest_trees)
    n_candidates(ranker.max_features, ranker.n_features_in_)


def check_boosting(ranker: GBRTRanker | IGBRTRanker) -> None:
    """Check the parameters of boosting."""
    check_whole("n_rounds", ranker.n_rounds, at_least=1)
    check_whole("max_depth", ranker.max_depth, at_least=1)
    check_learning_rate(ranker.learning_rate)


def n_candidates(max_features: float, n_features: int) -> int:
    """Choose K: max(1, int(share * n_features)) for a share, or the number itself.

    Examples
    --------
    >>> n_candidates(0.1, 46), n_candidates(0.1, 5), n_candidates(3, 5)
    (4, 1, 3)
    """
    if isinstance(max_features, bool) or not isinstance(max_features, int | float | np.number):
        raise ValueError(f"max_features is {max_features!r}: it must be a share of the features, or their number")
    if isinstance(max_features, int | np.integer):
        if not 1 <= max_features <= n_features:
            raise ValueError(f"max_features is {max_features}: K must lie between 1 and the {n_features} features of X")
        return int(max_features)
    if not 0.0 < max_features <= 1.0:
        raise ValueError(f"max_features is {max_features}: a share must lie above 0 and be at most 1")
    return max(1, int(max_features * n_features))


def grow_forest(ranker: RandomForestRanker | IGBRTRanker, problem: Problem) -> ForestModel:
    """Grow a forest on one problem, a tree a thread."""
    grow = partial(
        grow_deep_tree,
        problem.binned,
        n_candidates=n_candidates(ranker.max_features, problem.binned.n_features),
        min_samples_leaf=ranker.min_samples_leaf,
        splitter=DEFAULT_SPLITTER,
    )
    each = parallel_each(problem.binned, problem.n_threads)
    turns = random_forest(problem.target, grow, ranker.n_trees, problem.seed, problem.weight, each)
    return ForestModel(tuple(turn.tree for turn in ranker._progress(turns, ranker.n_trees, "forest")))


def parallel_each(binned: BinnedFeatures, n_threads: int) -> Each:
    """Return a parallel `map` for `random_forest`, which grows a tree a thread on these features.

    At most 2 n_threads trees are grown before they are asked for: whoever uses them and lets them go holds no forest.
    """
    binned.row_codes  # noqa: B018  made here, once, before the threads ask for it

    def each(function: Callable[[int], Tree], numbers: Iterable[int]) -> Iterator[Tree]:
        ahead: deque[Future[Tree]] = deque()
        pool = ThreadPoolExecutor(n_threads)
        try:
            for number in numbers:
                ahead.append(pool.submit(function, number))
                if len(ahead) == 2 * n_threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:  # an interrupt, or an error, does not wait for trees that nobody asks for any more
            pool.shutdown(cancel_futures=True)

    return map if n_threads == 1 else each


def boosted_trees(
    ranker: GBRTRanker | IGBRTRanker, problem: Problem, algorithm: Callable[..., Iterator[GBRTRound]]
) -> tuple[Tree, ...]:
    """Run all rounds of Algorithm 2 or 3, whose target is bound already, with CART of depth d."""
    grow = partial(
        grow_to_depth,
        problem.binned,
        max_depth=ranker.max_depth,
        min_samples_leaf=ranker.min_samples_leaf,
        splitter=DEFAULT_SPLITTER,
        n_threads=problem.n_threads,
    )
    turns = algorithm(grow, ranker.n_rounds, ranker.learning_rate, problem.weight)
    return tuple(turn.tree for turn in ranker._progress(turns, ranker.n_rounds, "boosting"))

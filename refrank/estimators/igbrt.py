"""The rankers of Mohan, Chen and Weinberger with the face of scikit-learn."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn.metrics import r2_score

from refrank.binning import BinnedFeatures
from refrank.config import DEFAULT_SPLITTER
from refrank.deep_growth import grow_deep_tree
from refrank.estimators.checks import check_choice, check_learning_rate, check_whole
from refrank.estimators.tree_ranker import TreeRanker
from refrank.grid import exact_sum
from refrank.growth import grow_to_depth
from refrank.igbrt.classification import class_proba
from refrank.igbrt.gbrt import GBRTModel, gbrt
from refrank.igbrt.igbrt import IGBRTModel, igbrt
from refrank.igbrt.random_forest import Each, ForestModel, out_of_bag, random_forest
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.tree import Tree


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


def grow_forest(
    ranker: Any,
    binned: BinnedFeatures,
    target: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    seed: int,
    n_threads: int,
) -> ForestModel:
    """Grow a forest, a tree a thread."""
    grow = partial(
        grow_deep_tree,
        binned,
        n_candidates=n_candidates(ranker.max_features, binned.n_features),
        min_samples_leaf=ranker.min_samples_leaf,
        splitter=DEFAULT_SPLITTER,
    )
    turns = random_forest(target, grow, ranker.n_trees, seed, weight, parallel_each(binned, n_threads))
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
        check_whole("n_trees", self.n_trees, at_least=1)
        n_candidates(self.max_features, self.n_features_in_)

    def _train(
        self,
        binned: BinnedFeatures,
        X: NDArray[np.floating],
        target: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        seed: int,
        n_threads: int,
    ) -> tuple[ForestModel, NDArray[np.float64] | None]:
        forest = grow_forest(self, binned, target, weight, seed, n_threads)
        return forest, out_of_bag(forest.trees, X, seed, DEFAULT_SPLITTER, n_threads) if self.oob_score else None

    def _finish(self, binned: BinnedFeatures, X: NDArray[np.floating], y: NDArray[Any], n_threads: int) -> None:
        predictions = [prediction for _, prediction in self.models_]
        self.models_ = tuple(forest for forest, _ in self.models_)
        if self.oob_score:
            values = np.column_stack(predictions)
            scores = values[:, 0] if self.setting == "regression" else expected_relevance(class_proba(values))
            self.oob_prediction_ = scores
            seen = ~np.isnan(scores)
            # where all labels are equal, there is no R^2
            self.oob_score_ = r2_score(y[seen], scores[seen]) if len(np.unique(y[seen])) > 1 else np.nan
        super()._finish(binned, X, y, n_threads)

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
        check_whole("n_rounds", self.n_rounds, at_least=1)
        check_whole("max_depth", self.max_depth, at_least=1)
        check_learning_rate(self.learning_rate)
        check_choice("initial", self.initial, ("zero", "mean"))

    def _train(
        self,
        binned: BinnedFeatures,
        X: NDArray[np.floating],
        target: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        seed: int,
        n_threads: int,
    ) -> GBRTModel:
        start = 0.0
        if self.initial == "mean":
            weighted = target if weight is None else weight * target
            start = exact_sum(weighted) / (len(target) if weight is None else exact_sum(weight))
        turns = gbrt(target - start, depth_growth(self, binned, n_threads), self.n_rounds, self.learning_rate, weight)
        trees = tuple(turn.tree for turn in self._progress(turns, self.n_rounds, "boosting"))
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
        check_whole("n_trees", self.n_trees, at_least=0)
        check_whole("n_rounds", self.n_rounds, at_least=1)
        check_whole("max_depth", self.max_depth, at_least=1)
        check_learning_rate(self.learning_rate)
        n_candidates(self.max_features, self.n_features_in_)

    def _train(
        self,
        binned: BinnedFeatures,
        X: NDArray[np.floating],
        target: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        seed: int,
        n_threads: int,
    ) -> IGBRTModel:
        # iGBRT Alg. 3, line 1
        forest = grow_forest(self, binned, target, weight, seed, n_threads)
        forest_scores = forest.scores(X, DEFAULT_SPLITTER, n_threads)
        grow = depth_growth(self, binned, n_threads)
        turns = igbrt(target, forest_scores, grow, self.n_rounds, self.learning_rate, weight)
        trees = tuple(turn.tree for turn in self._progress(turns, self.n_rounds, "boosting"))
        return IGBRTModel(forest, GBRTModel(0.0, trees, self.learning_rate))

    def _trees(self, model: IGBRTModel) -> Iterable[Tree]:
        return (*model.forest.trees, *model.boosting.rounds)


def depth_growth(ranker: Any, binned: BinnedFeatures, n_threads: int) -> Any:
    """Bind what CART of depth d needs beside the residual."""
    return partial(
        grow_to_depth,
        binned,
        max_depth=ranker.max_depth,
        min_samples_leaf=ranker.min_samples_leaf,
        splitter=DEFAULT_SPLITTER,
        n_threads=n_threads,
    )

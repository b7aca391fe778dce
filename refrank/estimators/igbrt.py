"""iGBRT's rankers: random forests, GBRT, boosting that starts from a forest (Mohan, Chen and Weinberger 2011).

The choices between two ways (`setting`, `missing`) are made here, once; below, nothing asks again. In the
classification setting there is one problem per c = 1..K-1, and a turn grows a tree for each of them.
"""

from abc import abstractmethod
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Sequence
from concurrent.futures import Future, ThreadPoolExecutor
from dataclasses import dataclass, field, replace
from functools import cached_property, partial
from numbers import Real
from reprlib import repr as short
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted

from refrank.checks import (
    check_choice,
    check_finite,
    check_integer,
    check_labels,
    check_number,
    check_shape,
    check_target,
)
from refrank.estimators.base import LAST, Floats, Ranker, Run, Training, Turns, check_classes, resolve_seed
from refrank.igbrt.classification import Violations, binary_target, count_violations, problem_seeds
from refrank.igbrt.gbrt import gbrt
from refrank.igbrt.igbrt import igbrt
from refrank.igbrt.missing_values import SUBSTITUTES, fill_missing, fill_values, is_missing
from refrank.igbrt.random_forest import Each, out_of_bag, random_forest
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.mcrank.ordinal_boosting import class_proba
from refrank.trees.binning import BinnedFeatures, bin_features
from refrank.trees.engine import default_engine
from refrank.trees.ensemble import Ensemble
from refrank.trees.forest_growth import grow_forest_tree
from refrank.trees.grid import exact_mean
from refrank.trees.growth import grow
from refrank.trees.tree import Tree

__all__ = ["GBRTRanker", "IGBRTRanker", "RandomForestRanker"]

Setting = Literal["regression", "classification"]
Missing = Literal["zero", "inf", "mean", "median", "three-way"]
Trees = tuple[Tree, ...]  # of one turn: one tree per problem


def has_classes(ranker: Any) -> bool:
    """Tell whether a ranker learns class probabilities."""
    return bool(ranker.setting == "classification")


@dataclass(frozen=True, eq=False)
class Problems:
    """What a model is trained on: y itself, or the labels of each problem y < c."""

    binned: BinnedFeatures
    X: NDArray[np.floating]  # (n_samples, n_features), missing values filled
    targets: list[Floats]  # (n_samples,) each
    weight: Floats | None  # (n_samples,)
    seeds: list[int]  # of each problem's forest


@dataclass(kw_only=True, eq=False, repr=False)
class TreeRanker(Ranker):
    """What the three rankers share: parameters, missing values, the two settings, importances."""

    setting: Setting = "regression"
    missing: Missing | None = None
    missing_value: float = np.nan
    n_bins: int = 256
    min_samples_leaf: int = 1
    clip: bool = False
    n_classes: int | None = None
    n_threads: int | None = None
    random_state: int | RandomState | None = 0

    model_: Ensemble = field(init=False)
    fill_: NDArray[np.floating] | None = field(init=False)
    n_classes_: int = field(init=False)
    seed_: int = field(init=False)

    @available_if(has_classes)
    def predict_proba(self, X: ArrayLike) -> Floats:
        """Compute the class probabilities of Sec. 6, (n_samples, n_classes); they can be negative.

        In the regression setting, which has none, there is no such method.
        """
        return class_proba(self._hold(self.predict_cumulative_proba(X)))

    def predict_cumulative_proba(self, X: ArrayLike) -> Floats:
        """Compute T^c(x) as learned, (n_samples, n_classes - 1): P(rel < c) for c = 1..K-1.

        Raises
        ------
        ValueError
            In the regression setting, which has none.
        """
        rows = self._check_rows(X)
        if not has_classes(self):
            raise ValueError("setting is 'regression': class probabilities are learned with setting='classification'")
        return next(self._staged_values(rows, LAST))

    def count_violations(self, X: ArrayLike) -> Violations:
        """Count the learned probabilities outside [0, 1] and the negative class probabilities on these rows."""
        return count_violations(self.predict_cumulative_proba(X))

    @cached_property
    def feature_importances_(self) -> Floats:
        """Share of each feature in the total split_gain, (n_features,)."""
        check_is_fitted(self, "model_")
        gains = np.zeros(self.n_features_in_)
        for problem in zip(*self._all_rounds(), strict=True):
            for tree in problem:
                inner = tree.feature >= 0
                np.add.at(gains, tree.feature[inner], tree.split_gain[inner])
        if np.isinf(gains).any():  # beside a gain above the largest float64, others are nothing
            gains = np.isinf(gains).astype(np.float64)
        if gains.any():
            gains /= gains.max()  # so that their sum is finite
            gains /= gains.sum()
        return gains

    def _check_parameters(self) -> None:
        check_choice("setting", self.setting, ("regression", "classification"))
        if self.missing is not None:
            check_choice("missing", self.missing, SUBSTITUTES)
        if not isinstance(self.missing_value, Real) or isinstance(self.missing_value, bool):
            rule = "it must be NaN, or a number that says missing"
            raise ValueError(f"missing_value is {short(self.missing_value)}: {rule}")
        check_integer("min_samples_leaf", self.min_samples_leaf, at_least=1)
        check_integer("n_bins", self.n_bins, 2, 65536)

    def _check_target(self, y: NDArray[Any], weight: Floats | None) -> NDArray[Any]:
        if not has_classes(self):
            return check_target(y)
        labels = check_labels(y)
        check_classes(labels, weight, self.n_classes)
        return labels

    def _check_features(self, X: NDArray[np.floating]) -> None:
        if self.missing is not None:
            X = np.where(is_missing(X, self.missing_value), X.dtype.type(0), X)
        check_finite(X, getattr(self, "feature_names_in_", None))

    def _start(self, data: Training) -> Run[Any]:
        engine = default_engine(self.n_threads)
        learned: dict[str, Any] = {"seed_": resolve_seed(self.random_state), "fill_": None}
        targets = [data.y]
        if has_classes(self):
            n_classes = learned["n_classes_"] = check_classes(data.y, None, self.n_classes)
            targets = [binary_target(data.y, c) for c in range(1, n_classes)]
        X, missing = data.X, None
        if self.missing is not None:
            fill = learned["fill_"] = fill_values(X, self.missing, self.missing_value)
            if self.missing == "three-way":
                missing = np.any(is_missing(X, self.missing_value), axis=0).astype(np.int8)
            X = fill_missing(X, self.missing_value, fill)
        binned = replace(bin_features(X, self.n_bins, engine=engine), missing=missing)
        seeds = problem_seeds(learned["seed_"], len(targets))
        run = self._grow(Problems(binned, X, targets, data.weight, seeds), data)
        return replace(run, learn=lambda turns: learned | run.learn(turns))

    def _staged(self, X: NDArray[np.floating], every: int) -> Iterator[Floats]:
        for values in self._staged_values(X, every):
            yield self._rank(values)

    def _staged_values(self, X: NDArray[np.floating], every: int) -> Iterator[Floats]:
        """Yield what the problems predict, (n_samples, n_problems), after each `every` turns: a new array each time."""
        rows = X
        if self.fill_ is not None:
            check_shape("fill_", self.fill_, (X.shape[1],), "(n_features,), one value per column of X")
            rows = fill_missing(X, self.missing_value, self.fill_)
        for values in self._sum_trees(rows, every):
            yield values.copy()

    def _rank(self, values: Floats) -> Floats:
        """Turn what the problems predict into one score per row, (n_samples,)."""
        return expected_relevance(class_proba(self._hold(values))) if has_classes(self) else values[:, 0]

    def _hold(self, cumulative_proba: Floats) -> Floats:
        return np.clip(cumulative_proba, 0.0, 1.0) if self.clip else cumulative_proba

    def _all_rounds(self) -> tuple[Trees, ...]:
        """List the trees of all turns."""
        return self.model_.rounds

    @abstractmethod
    def _grow(self, problems: Problems, data: Training) -> Run[Any]:
        """Choose the algorithm, and return its turns: the trees of one round, one per problem."""

    @abstractmethod
    def _sum_trees(self, X: NDArray[np.floating], every: int) -> Iterator[Floats]:
        """Yield what the trees predict, (n_samples, n_problems), after each `every` turns."""


@dataclass(kw_only=True, eq=False, repr=False)
class RandomForestRanker(TreeRanker):
    """Random forest (Algorithm 1): the mean of trees grown to the end, each on n of n rows drawn with replacement.

    Parameters
    ----------
    n_trees : int, default 1000
        M_RF.
    max_features : float or int, default 0.1
        K: as a share of the features, max(1, int(share * n_features)); or their number.
    oob_score : bool, default False
        Predict each training row by the trees that did not draw it.
    setting : "regression" or "classification", default "regression"
        Regress on y itself, any finite numbers; or on the problems y < c of Sec. 6, ranked by expected relevance.
    missing : None, "zero", "inf", "mean", "median" or "three-way", default None
        What stands in for a missing feature, or whether cuts part such rows. None: NaN is an error.
    missing_value : float, default NaN
        The stored value that says missing; 0 where files leave absent features out.
    n_bins : int, default 256
        B, from 2 to 65,536 bins per feature.
    min_samples_leaf : int, default 1
        A cut leaves at least this many rows on either side.
    clip : bool, default False
        In the classification setting, hold the learned probabilities within [0, 1] before they are combined.
    n_classes : int, optional
        In the classification setting, K; by default the highest label plus 1, which must not exceed 64.
    n_threads : int, optional
        By default REFRANK_NUM_THREADS, or all cores allowed to the process. Changes no bit of the model.
    random_state : int, RandomState or None, default 0
        The seed of the forest's draws; an int of at least 0 is the seed itself.
    verbose : int, default 0
        1 shows a progress bar, in a terminal and in a notebook.

    Attributes
    ----------
    model_ : Ensemble
        The sum of the trees, one output per problem; T is its mean over the trees.
    oob_prediction_ : float64 array of shape (n_samples,)
        The out-of-bag scores; NaN for a row that every tree drew. Rows of weight 0 are in no bag.
    oob_score_ : float
        R^2 of the out-of-bag scores against y, over the rows that have one; NaN where their labels are all equal.
    fill_ : array of shape (n_features,), or None
        What stands in for missing values.
    feature_importances_ : float64 array of shape (n_features,)
        Share of each feature in the total split_gain; 0 everywhere where no tree has a cut.
    n_classes_ : int
        In the classification setting only.
    n_features_in_, n_queries_, seed_ : int
    feature_names_in_ : array of shape (n_features,), where X names its columns
    n_trees_ : int
        Trees grown: fewer than n_trees after an interrupt, which keeps what is done.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = RandomForestRanker(n_trees=20).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.9  # mean NDCG@10 of the training rows, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "rf"

    n_trees: int = 1000
    max_features: float = 0.1
    oob_score: bool = False

    oob_prediction_: Floats = field(init=False, metadata={"saved": False})
    oob_score_: float = field(init=False, metadata={"saved": False})

    @property
    def n_trees_(self) -> int:
        """Trees grown, per problem."""
        return len(self.model_.rounds)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_forest(self, fewest_trees=1)

    def _grow(self, problems: Problems, data: Training) -> Run[Trees]:
        def learn(turns: list[Trees]) -> dict[str, Any]:
            forest = Ensemble((0.0,) * len(problems.targets), tuple(turns), 1.0)
            return {"model_": forest} | (self._predict_out_of_bag(forest, problems, data) if self.oob_score else {})

        return Run(grow_forests(self, problems), self.n_trees, "tree", learn)

    def _sum_trees(self, X: NDArray[np.floating], every: int) -> Iterator[Floats]:
        yield from average_trees(self.model_, X, self.n_threads, every)

    def _predict_out_of_bag(self, forest: Ensemble, problems: Problems, data: Training) -> dict[str, Any]:
        from sklearn.metrics import r2_score

        engine = problems.binned.engine
        each_problem = [
            out_of_bag(trees, problems.X, seed, engine)
            for trees, seed in zip(zip(*forest.rounds, strict=True), problems.seeds, strict=True)
        ]
        values = np.column_stack(each_problem)
        scores = expected_relevance(class_proba(values)) if has_classes(self) else values[:, 0]
        seen = ~np.isnan(scores)
        y = data.y[seen]
        prediction = np.full(data.n_given, np.nan)
        prediction[data.kept] = scores
        # where all labels are equal, there is no R^2
        return {
            "oob_prediction_": prediction,
            "oob_score_": r2_score(y, scores[seen]) if len(np.unique(y)) > 1 else np.nan,
        }


@dataclass(kw_only=True, eq=False, repr=False)
class GBRTRanker(TreeRanker):
    """Gradient boosted regression trees (Algorithm 2), with the squared loss.

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
    setting : "regression" or "classification", default "regression"
        Regress on y itself, any finite numbers; or on the problems y < c of Sec. 6, ranked by expected relevance.
    missing : None, "zero", "inf", "mean", "median" or "three-way", default None
        What stands in for a missing feature, or whether cuts part such rows. None: NaN is an error.
    missing_value : float, default NaN
        The stored value that says missing; 0 where files leave absent features out.
    n_bins : int, default 256
        B, from 2 to 65,536 bins per feature.
    min_samples_leaf : int, default 1
        A cut leaves at least this many rows on either side.
    clip : bool, default False
        In the classification setting, hold the learned probabilities within [0, 1] before they are combined.
    n_classes : int, optional
        In the classification setting, K; by default the highest label plus 1, which must not exceed 64.
    n_threads : int, optional
        By default REFRANK_NUM_THREADS, or all cores allowed to the process. Changes no bit of the model.
    random_state : int, RandomState or None, default 0
        Without effect: nothing is drawn.
    verbose : int, default 0
        1 shows a progress bar, in a terminal and in a notebook.

    Attributes
    ----------
    model_ : Ensemble
        T, one output per problem.
    fill_ : array of shape (n_features,), or None
        What stands in for missing values.
    feature_importances_ : float64 array of shape (n_features,)
        Share of each feature in the total split_gain; 0 everywhere where no tree has a cut.
    n_classes_ : int
        In the classification setting only.
    n_features_in_, n_queries_, seed_ : int
    feature_names_in_ : array of shape (n_features,), where X names its columns
    n_rounds_ : int
        Rounds trained: fewer than n_rounds after an interrupt, which keeps what is done.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = GBRTRanker(n_rounds=20).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.7  # mean NDCG@10 of the training rows, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "gbrt"

    n_rounds: int = 1000
    max_depth: int = 4
    learning_rate: float = 0.1
    initial: Literal["zero", "mean"] = "zero"

    @property
    def n_rounds_(self) -> int:
        """Rounds trained."""
        return len(self.model_.rounds)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_boosting(self)
        check_choice("initial", self.initial, ("zero", "mean"))

    def _grow(self, problems: Problems, data: Training) -> Run[Trees]:
        starts = [exact_mean(y, problems.weight) if self.initial == "mean" else 0.0 for y in problems.targets]
        shifted = [y - start for y, start in zip(problems.targets, starts, strict=True)]
        turns = boost(self, problems, [partial(gbrt, y) for y in shifted])

        def learn(rounds: list[Trees]) -> dict[str, Any]:
            return {"model_": Ensemble(tuple(starts), tuple(rounds), float(self.learning_rate))}

        return Run(turns, self.n_rounds, "round", learn)

    def _sum_trees(self, X: NDArray[np.floating], every: int) -> Iterator[Floats]:
        # iGBRT Alg. 2, line 8
        yield from self.model_.staged_scores(X, default_engine(self.n_threads), every)


@dataclass(kw_only=True, eq=False, repr=False)
class IGBRTRanker(TreeRanker):
    """Initialized gradient boosted regression trees (Algorithm 3): boosting the residuals of a random forest.

    Parameters
    ----------
    n_trees : int, default 1000
        M_RF; 0 makes this Algorithm 2, to the bit.
    max_features : float or int, default 0.1
        K of the forest: as a share of the features, max(1, int(share * n_features)); or their number.
    n_rounds : int, default 500
        M_B.
    max_depth : int, default 4
        d of the boosted trees, counted in cuts: at most 2**d leaves.
    learning_rate : float, default 0.1
        alpha, above 0 and at most 1.
    setting : "regression" or "classification", default "regression"
        Regress on y itself, any finite numbers; or on the problems y < c of Sec. 6, ranked by expected relevance.
    missing : None, "zero", "inf", "mean", "median" or "three-way", default None
        What stands in for a missing feature, or whether cuts part such rows. None: NaN is an error.
    missing_value : float, default NaN
        The stored value that says missing; 0 where files leave absent features out.
    n_bins : int, default 256
        B, from 2 to 65,536 bins per feature.
    min_samples_leaf : int, default 1
        A cut leaves at least this many rows on either side.
    clip : bool, default False
        In the classification setting, hold the learned probabilities within [0, 1] before they are combined.
    n_classes : int, optional
        In the classification setting, K; by default the highest label plus 1, which must not exceed 64.
    n_threads : int, optional
        By default REFRANK_NUM_THREADS, or all cores allowed to the process. Changes no bit of the model.
    random_state : int, RandomState or None, default 0
        The seed of the forest's draws; an int of at least 0 is the seed itself.
    verbose : int, default 0
        1 shows a progress bar, in a terminal and in a notebook.

    Attributes
    ----------
    forest_ : Ensemble
        The sum of the forest's trees, one output per problem; F is its mean over the trees.
    model_ : Ensemble
        What boosting adds to the forest, one output per problem.
    fill_ : array of shape (n_features,), or None
        What stands in for missing values.
    feature_importances_ : float64 array of shape (n_features,)
        Share of each feature in the total split_gain; 0 everywhere where no tree has a cut.
    n_classes_ : int
        In the classification setting only.
    n_features_in_, n_queries_, seed_ : int
    feature_names_in_ : array of shape (n_features,), where X names its columns
    n_trees_, n_rounds_ : int
        Trees and rounds trained: fewer than asked for after an interrupt, which keeps what is done.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = IGBRTRanker(n_trees=20, n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.9  # mean NDCG@10 of the training rows, convention "paper"
    True
    """

    algorithm: ClassVar[str] = "igbrt"

    n_trees: int = 1000
    max_features: float = 0.1
    n_rounds: int = 500
    max_depth: int = 4
    learning_rate: float = 0.1

    forest_: Ensemble = field(init=False)

    @property
    def n_trees_(self) -> int:
        """Trees grown, per problem."""
        return len(self.forest_.rounds)

    @property
    def n_rounds_(self) -> int:
        """Rounds trained."""
        return len(self.model_.rounds)

    def _check_parameters(self) -> None:
        super()._check_parameters()
        check_forest(self, fewest_trees=0)
        check_boosting(self)

    def _grow(self, problems: Problems, data: Training) -> Run[Trees]:
        start = (0.0,) * len(problems.targets)

        def turns() -> Turns[Trees]:
            # iGBRT Alg. 3, line 1
            trees = []
            for of_turn in grow_forests(self, problems):
                trees.append(of_turn)
                yield of_turn
            forest = next(average_trees(Ensemble(start, tuple(trees), 1.0), problems.X, self.n_threads, LAST))
            algorithms = [partial(igbrt, y, forest[:, c]) for c, y in enumerate(problems.targets)]
            yield from boost(self, problems, algorithms)

        def learn(turns: list[Trees]) -> dict[str, Any]:
            grown, boosted = tuple(turns[: self.n_trees]), tuple(turns[self.n_trees :])
            return {
                "forest_": Ensemble(start, grown, 1.0),
                "model_": Ensemble(start, boosted, float(self.learning_rate)),
            }

        return Run(turns(), self.n_trees + self.n_rounds, "tree", learn)

    def _sum_trees(self, X: NDArray[np.floating], every: int) -> Iterator[Floats]:
        forest = next(average_trees(self.forest_, X, self.n_threads, LAST))
        # iGBRT Alg. 3, line 9
        for scores in self.model_.staged_scores(X, default_engine(self.n_threads), every):
            yield forest + scores

    def _all_rounds(self) -> tuple[Trees, ...]:
        return (*self.forest_.rounds, *self.model_.rounds)


def check_forest(ranker: RandomForestRanker | IGBRTRanker, fewest_trees: int) -> None:
    """Check the parameters of a forest."""
    check_integer("n_trees", ranker.n_trees, at_least=fewest_trees)
    if isinstance(ranker.max_features, int | np.integer):
        check_integer("max_features", ranker.max_features, at_least=1)
    elif not isinstance(ranker.max_features, Real) or not 0 < ranker.max_features <= 1:
        rule = "it must be a share of the features, above 0 and at most 1, or their number, an integer of at least 1"
        raise ValueError(f"max_features is {short(ranker.max_features)}: {rule}")


def check_boosting(ranker: GBRTRanker | IGBRTRanker) -> None:
    """Check the parameters of boosting."""
    check_integer("n_rounds", ranker.n_rounds, at_least=1)
    check_integer("max_depth", ranker.max_depth, at_least=1)
    check_number("learning_rate", ranker.learning_rate, above=0, at_most=1)


def choose_n_candidates(max_features: float, n_features: int) -> int:
    """Choose K: max(1, int(share * n_features)) for a share, or the number itself.

    Examples
    --------
    >>> choose_n_candidates(0.1, 46), choose_n_candidates(0.1, 5), choose_n_candidates(3, 5)
    (4, 1, 3)
    """
    if isinstance(max_features, int | np.integer):
        if max_features > n_features:
            raise ValueError(f"max_features is {max_features}: it must be at most {n_features}, as many as X has")
        return int(max_features)
    return max(1, int(max_features * n_features))


def grow_forests(ranker: RandomForestRanker | IGBRTRanker, problems: Problems) -> Turns[Trees]:
    """Yield the trees of each turn of Algorithm 1, one per problem, grown side by side."""
    binned = problems.binned
    n_candidates = choose_n_candidates(ranker.max_features, binned.n_features)
    grow_tree = partial(grow_forest_tree, binned, n_candidates=n_candidates, min_samples_leaf=ranker.min_samples_leaf)
    each = side_by_side(binned)
    forests = [
        random_forest(target, grow_tree, ranker.n_trees, seed, problems.weight, each)
        for target, seed in zip(problems.targets, problems.seeds, strict=True)
    ]
    for turns in zip(*forests, strict=True):
        yield tuple(turn.tree for turn in turns)


def side_by_side(binned: BinnedFeatures) -> Each:
    """Return what grows the trees of a forest on these features: `map`, or one tree per thread.

    At most 2 n_threads trees are grown before they are asked for: a reader that lets them go holds no forest.
    """
    n_threads = binned.engine.n_threads
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


def boost(
    ranker: GBRTRanker | IGBRTRanker, problems: Problems, algorithms: Sequence[Callable[..., Iterator[Any]]]
) -> Turns[Trees]:
    """Yield the trees of each round of Algorithm 2 or 3, whose target is bound already, with CART of depth d."""
    grow_tree = partial(grow, problems.binned, max_depth=ranker.max_depth, min_samples_leaf=ranker.min_samples_leaf)
    runs = [run(grow_tree, ranker.n_rounds, ranker.learning_rate, problems.weight) for run in algorithms]
    for turns in zip(*runs, strict=True):
        yield tuple(turn.tree for turn in turns)


def average_trees(forest: Ensemble, X: NDArray[np.floating], n_threads: int | None, every: int) -> Iterator[Floats]:
    """Yield the mean of a forest's trees so far, (n_samples, n_problems), after each `every` trees; 0 without trees."""
    n_trees = len(forest.rounds)
    for stage, scores in enumerate(forest.staged_scores(X, default_engine(n_threads), every), start=1):
        # iGBRT Alg. 1, line 5
        yield scores / max(1, min(stage * every, n_trees))

"""What the rankers of Mohan, Chen and Weinberger share: missing values, the two settings, scoring.

The choices between two ways (`setting`, `missing`) are made here, once; below, nothing asks again.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from numbers import Real
from typing import Any, Self

import numpy as np
from joblib import Parallel, delayed
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils import check_random_state
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm import tqdm

from refrank.estimators.checks import (
    check_choice,
    check_finite,
    check_grades,
    check_target,
    check_weights,
    check_whole,
)
from refrank.igbrt.classification import Violations, binary_target, class_proba, clipped, violations
from refrank.igbrt.missing_values import SUBSTITUTES, fill_values, filled, is_missing
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.metrics import ndcg
from refrank.metrics.queries import group_rows
from refrank.trees.binning import BinnedFeatures, bin_features
from refrank.trees.draws import draw
from refrank.trees.engine import DEFAULT_SPLITTER, resolve_threads
from refrank.trees.tree import Tree


def has_classes(ranker: Any) -> bool:
    """Tell whether a ranker learns class probabilities."""
    return bool(ranker.setting == "classification")


@dataclass(frozen=True, eq=False)
class Problem:
    """What one model is trained on: y itself, or the labels of one problem y < c."""

    binned: BinnedFeatures
    X: NDArray[np.floating]  # (n_samples, n_features), missing values filled
    target: NDArray[np.float64]  # (n_samples,)
    weight: NDArray[np.float64] | None  # (n_samples,)
    seed: int
    n_threads: int


@dataclass(kw_only=True, eq=False, repr=False)  # writes the __init__ that scikit-learn reads parameters from
class TreeRanker(BaseEstimator, ABC):
    """What the three rankers share: parameters, missing values, the two settings, scoring.

    Parameters
    ----------
    setting : "regression" or "classification", default "regression"
        Regress on y itself, any finite numbers; or on the problems y < c of Sec. 6, ranked by expected relevance.
    missing : None, "zero", "inf", "mean", "median" or "three-way", default None
        What stands in for a missing feature, or whether cuts part such rows. None: NaN is an error.
    missing_value : float, default NaN
        The stored value that says missing; 0 where files leave absent features out.
    n_bins : int, default 256
        B, from 2 to 65,536 bins a feature.
    min_samples_leaf : int, default 1
        A cut leaves at least so many rows on either side.
    clip : bool, default False
        In the classification setting, hold the learned probabilities within [0, 1] before they are combined.
    n_classes : int, optional
        In the classification setting, K; by default the highest label plus 1.
    n_threads : int, optional
        By default REFRANK_NUM_THREADS, or all cores allowed to the process. Changes no bit of the model.
    random_state : int, RandomState or None, default 0
        The seed of a forest's draws; an int of at least 0 is the seed itself.
    verbose : int, default 0
        1 shows a progress bar where standard error is a terminal.

    Attributes
    ----------
    models_ : tuple
        One frozen model, or one a problem c = 1..K-1.
    fill_ : array of shape (n_features,), or None
        What stands in for missing values.
    feature_importances_ : float64 array of shape (n_features,)
        Share of each feature in the total split_gain; 0 everywhere where no tree has a cut.
    n_classes_, n_features_in_, seed_ : int
        n_classes_ is there in the classification setting only.
    """

    setting: str = "regression"
    missing: str | None = None
    missing_value: float = np.nan
    n_bins: int = 256
    min_samples_leaf: int = 1
    clip: bool = False
    n_classes: int | None = None
    n_threads: int | None = None
    random_state: int | RandomState | None = 0
    verbose: int = 0

    def fit(
        self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Finite, but for missing values where `missing` says what to do with them.
        y : array of shape (n_samples,)
            Regression: any finite numbers. Classification: labels 0..K-1.
        qid : array of shape (n_samples,), optional
            Query of each row; checked only.
        sample_weight : array of shape (n_samples,), optional
            A row of weight 2 counts as two.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            Where an argument or a parameter is bad; the message names value, place and rule.
        """
        check_choice("setting", self.setting, ("regression", "classification"))
        check_whole("min_samples_leaf", self.min_samples_leaf, at_least=1)
        check_whole("n_bins", self.n_bins, at_least=2)
        n_threads = resolve_threads(self.n_threads)
        features, target = validate_data(self, X, y, dtype=[np.float64, np.float32], ensure_all_finite=False)
        weight = check_weights(sample_weight, len(features))
        if qid is not None:
            group_rows(qid, len(features))
        targets = self._targets(target)
        self.seed_ = resolve_seed(self.random_state)
        self._check_parameters()
        binned, features = self._binned(features, n_threads)
        # each problem draws from a stream of its own, the first one from the seed's
        seeds = [self.seed_, *(draw(self.seed_, c) >> 1 for c in range(1, len(targets)))]
        problems = [
            Problem(binned, features, of_problem, weight, seed, n_threads)
            for of_problem, seed in zip(targets, seeds, strict=True)
        ]
        self.models_ = tuple(Parallel()(delayed(self._train_here)(problem) for problem in problems))
        self._finish(problems, target)
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score each row of X, (n_samples, n_features): higher ranks before lower, (n_samples,)."""
        *_, last = self._staged(X, every=None)
        return last

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the scores, (n_samples,), after tree 1, 2, ...: a new array each time."""
        yield from self._staged(X, every=1)

    @available_if(has_classes)
    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Compute the class probabilities of Sec. 6, (n_samples, n_classes); they can be negative.

        In the regression setting, which has none, there is no such method.
        """
        return class_proba(self._held(self.predict_cumulative_proba(X)))

    def predict_cumulative_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Compute T^c(x) as learned, (n_samples, n_classes - 1): P(rel < c) for c = 1..K-1.

        Raises
        ------
        ValueError
            In the regression setting, which has none.
        """
        check_is_fitted(self, "models_")
        if not has_classes(self):
            raise ValueError("setting is 'regression': class probabilities are learned with setting='classification'")
        *_, last = self._staged_models(X, every=None)
        return last

    def count_violations(self, X: ArrayLike) -> Violations:
        """Count the learned probabilities outside [0, 1] and the negative class probabilities on these rows."""
        return violations(self.predict_cumulative_proba(X))

    def score(self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None) -> float:
        """Compute the mean NDCG@10 of the ranking, by the convention "paper" of `refrank.metrics`.

        Without `qid` all rows are one query; in a search, route it: `ranker.set_score_request(qid=True)`.
        """
        return float(ndcg(y, self.predict(X), qid))

    def _targets(self, y: NDArray[Any]) -> list[NDArray[np.float64]]:
        """List what is regressed on: y, or the labels of each binary problem."""
        if self.setting == "regression":
            return [check_target(y)]
        grades, self.n_classes_ = check_grades(y, self.n_classes)
        return [binary_target(grades, c) for c in range(1, self.n_classes_)]

    def _train_here(self, problem: Problem) -> Any:
        """Train one model in the process that this is called in, which may be a fork of the one that was asked."""
        return self._train(replace(problem, n_threads=resolve_threads(problem.n_threads)))

    def _binned(self, X: NDArray[np.floating], n_threads: int) -> tuple[BinnedFeatures, NDArray[np.floating]]:
        """Check and fill the training rows, and bin them."""
        names = getattr(self, "feature_names_in_", None)
        self.fill_: NDArray[np.floating] | None = None
        if self.missing is None:
            check_finite(X, names)
            return bin_features(X, self.n_bins, splitter=DEFAULT_SPLITTER, n_threads=n_threads), X
        check_choice("missing", self.missing, SUBSTITUTES)
        if not isinstance(self.missing_value, Real) or isinstance(self.missing_value, bool):
            raise ValueError(f"missing_value is {self.missing_value!r}: it must be NaN, or a number that says missing")
        holes = is_missing(X, self.missing_value)
        check_finite(np.where(holes, X.dtype.type(0), X), names)
        self.fill_ = fill_values(X, self.missing, self.missing_value)
        X = filled(X, self.missing_value, self.fill_)
        binned = bin_features(X, self.n_bins, splitter=DEFAULT_SPLITTER, n_threads=n_threads)
        if self.missing == "three-way":
            binned = replace(binned, missing=np.any(holes, axis=0).astype(np.int8))
        return binned, X

    def _checked(self, X: ArrayLike) -> NDArray[np.floating]:
        """Check and fill the rows that predictions are asked for."""
        check_is_fitted(self, "models_")
        features = validate_data(self, X, dtype=[np.float64, np.float32], ensure_all_finite=False, reset=False)
        holes = np.zeros(1, bool) if self.missing is None else is_missing(features, self.missing_value)
        names = getattr(self, "feature_names_in_", None)
        check_finite(np.where(holes, features.dtype.type(0), features) if holes.any() else features, names)
        return features if self.fill_ is None else filled(features, self.missing_value, self.fill_)

    def _held(self, cumulative_proba: NDArray[np.float64]) -> NDArray[np.float64]:
        return clipped(cumulative_proba) if self.clip else cumulative_proba

    def _staged(self, X: ArrayLike, every: int | None) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each `every` trees, or after the last."""
        for values in self._staged_models(X, every):
            yield (
                values[:, 0] if self.setting == "regression" else expected_relevance(class_proba(self._held(values)))
            )

    def _staged_models(self, X: ArrayLike, every: int | None) -> Iterator[NDArray[np.float64]]:
        """Yield what each model predicts, (n_samples, n_models), after each `every` trees, or after the last."""
        features, n_threads = self._checked(X), resolve_threads(self.n_threads)
        if every is None:
            yield np.column_stack([model.scores(features, DEFAULT_SPLITTER, n_threads) for model in self.models_])
            return
        stages = [model.staged_scores(features, DEFAULT_SPLITTER, n_threads, every) for model in self.models_]
        for values in zip(*stages, strict=True):
            yield np.column_stack(values)

    def _finish(self, problems: Sequence[Problem], y: NDArray[Any]) -> None:
        """Set what is learned beside the models, of which each problem has one; y as it was given, (n_samples,)."""
        self.feature_importances_ = self._importances(self.n_features_in_)

    def _importances(self, n_features: int) -> NDArray[np.float64]:
        """Add up what each feature gained over all trees; return its share in the total."""
        gains = np.zeros(n_features)
        for model in self.models_:
            for tree in self._trees(model):
                inner = tree.feature >= 0
                np.add.at(gains, tree.feature[inner], tree.split_gain[inner])
        if np.isinf(gains).any():  # beside a gain above the largest float64, others are nothing
            gains = np.isinf(gains).astype(np.float64)
        if gains.any():
            gains /= gains.max()  # so that their sum is finite
            gains /= gains.sum()
        return gains

    def _progress(self, turns: Iterable[Any], total: int, what: str) -> Iterable[Any]:
        return tqdm(turns, what, total, unit="tree", disable=None if self.verbose else True)

    @abstractmethod
    def _check_parameters(self) -> None:
        """Check the parameters that this ranker has alone."""

    @abstractmethod
    def _train(self, problem: Problem) -> Any:
        """Train one frozen model."""

    @abstractmethod
    def _trees(self, model: Any) -> Iterable[Tree]:
        """List the trees of a model."""


def resolve_seed(random_state: int | RandomState | None) -> int:
    """Return an integer as it is; draw one from a RandomState, or from fresh entropy.

    Examples
    --------
    >>> resolve_seed(7)
    7
    """
    if isinstance(random_state, int | np.integer):
        return check_whole("random_state", random_state, at_least=0)
    return int(check_random_state(random_state).randint(2**31 - 1))

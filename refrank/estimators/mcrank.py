"""McRank's rankers with the face of scikit-learn.

Choices between two algorithms (`update`) are made here, once, between two functions; below, nothing asks again.
"""

from abc import ABC, abstractmethod
from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial
from types import ModuleType
from typing import Any, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data
from tqdm import tqdm

from refrank.estimators.checks import (
    check_choice,
    check_finite,
    check_grades,
    check_learning_rate,
    check_weights,
    check_whole,
)
from refrank.mcrank.expected_relevance import Transform, check_increasing, expected_relevance, transform_table
from refrank.mcrank.ls_boosting import LSModel, ls_boosting
from refrank.mcrank.ordinal_boosting import (
    OrdinalModel,
    binary_mirrored,
    binary_sequential,
    class_proba_from_cumulative,
    one_sided_constants,
    ordinal_boosting,
)
from refrank.mcrank.softmax_boosting import (
    Grow,
    SoftmaxModel,
    softmax,
    softmax_boosting_sequential,
    softmax_boosting_simultaneous,
)
from refrank.metrics import ndcg
from refrank.metrics.queries import group_rows
from refrank.trees.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER, resolve_threads
from refrank.trees.growth import grow_best_first

SOFTMAX = {"sequential": softmax_boosting_sequential, "simultaneous": softmax_boosting_simultaneous}
BINARY = {"sequential": binary_sequential, "simultaneous": binary_mirrored}


@dataclass(kw_only=True, eq=False, repr=False)  # writes the __init__ that scikit-learn reads parameters from
class BoostRanker(BaseEstimator, ABC):
    """What McRank's three rankers share: parameters, checking, binning, the outer loop, scoring.

    Parameters
    ----------
    n_rounds : int, default 1000
        M, the number of boosting rounds.
    n_leaves : int, default 10
        J, the most leaves of a tree, at least 2.
    learning_rate : float, default 0.05
        nu, the shrinkage: above 0 and at most 1.
    n_bins : int, default 256
        B, the most bins a feature may have, from 2 to 65,536: up to 256 an entry takes one byte, above two.
    growth : float, default 2.0
        Factor by which the bin length grows while a feature needs more than B bins (McRank App. I).
    update : "sequential" or "simultaneous", default "sequential"
        Whether the probabilities are renewed before each tree, as Algorithm 1 is printed, or once a round.
    min_samples_leaf : int, default 1
        A cut leaves at least so many rows on either side.
    n_classes : int, optional
        K; by default the highest label of the training data plus 1.
    n_threads : int, optional
        By default REFRANK_NUM_THREADS, or all cores allowed to the process. Changes no bit of the model.
    verbose : int, default 0
        1 shows a progress bar where standard error is a terminal.

    Attributes
    ----------
    model_ : SoftmaxModel, OrdinalModel or LSModel
        The trees, a frozen record.
    n_classes_, n_features_in_ : int
    n_rounds_ : int
        Rounds trained: fewer than n_rounds after an interrupt, which keeps what is done.
    """

    n_rounds: int = 1000
    n_leaves: int = 10
    learning_rate: float = 0.05
    n_bins: int = 256
    growth: float = 2.0
    update: str = "sequential"
    min_samples_leaf: int = 1
    n_classes: int | None = None
    n_threads: int | None = None
    verbose: int = 0

    def fit(
        self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> Self:
        """Train.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Finite; float32 and float64 are used as they are, other numbers become float64.
        y : array of shape (n_samples,)
            Labels 0..K-1, integers or floats without a fraction.
        qid : array of shape (n_samples,), optional
            Query of each row, of any type and in any order. Checked only: McRank trains on documents, not on queries.
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
        self.__dict__.pop("model_", None)  # a fit that fails leaves no trees that belong to other data
        check_whole("n_rounds", self.n_rounds, at_least=1)
        check_whole("n_leaves", self.n_leaves, at_least=2)
        check_whole("min_samples_leaf", self.min_samples_leaf, at_least=1)
        check_whole("n_bins", self.n_bins, at_least=2)
        check_learning_rate(self.learning_rate)
        check_choice("update", self.update, tuple(SOFTMAX))
        n_threads = resolve_threads(self.n_threads)
        features, labels = validate_data(self, X, y, dtype=[np.float64, np.float32], ensure_all_finite=False)
        check_finite(features, getattr(self, "feature_names_in_", None))
        grades, self.n_classes_ = check_grades(labels, self.n_classes)
        weight = check_weights(sample_weight, len(grades))
        if qid is not None:
            group_rows(qid, len(grades))
        binned = bin_features(features, self.n_bins, self.growth, splitter=DEFAULT_SPLITTER, n_threads=n_threads)
        grow = partial(
            grow_best_first,
            binned,
            n_leaves=self.n_leaves,
            min_samples_leaf=self.min_samples_leaf,
            splitter=DEFAULT_SPLITTER,
            n_threads=n_threads,
        )
        turns = self._boost(grades, grow, weight)
        rounds: list[Any] = []
        try:
            for trees in tqdm(turns, "boosting", self.n_rounds, unit="round", disable=None if self.verbose else True):
                rounds.append(trees)
        finally:  # after an interrupt too: what is done is kept
            if rounds:
                self.n_rounds_, self.model_ = len(rounds), self._model(tuple(rounds))
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Score each row of X, (n_samples, n_features): higher ranks before lower, (n_samples,)."""
        check_is_fitted(self, "model_")
        return next(self._staged(X, every=self.n_rounds_))

    def staged_predict(self, X: ArrayLike) -> Iterator[NDArray[np.float64]]:
        """Yield the scores, (n_samples,), after round 1, 2, ..., n_rounds_: a new array each time."""
        check_is_fitted(self, "model_")
        yield from self._staged(X, every=1)

    def score(self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None) -> float:
        """Compute the mean NDCG@10 of the ranking, by the convention "paper" of `refrank.metrics`.

        That is: gain 2^y - 1, discount log2(1 + i), stable ties, 0 for a query without a relevant document. Without
        `qid` all rows are one query; in a search, route it: `ranker.set_score_request(qid=True)`.
        """
        return float(ndcg(y, self.predict(X), qid))

    @abstractmethod
    def _boost(self, y: NDArray[np.int64], grow: Grow, weight: NDArray[np.float64] | None) -> Iterator[Any]:
        """Yield the trees of each round."""

    @abstractmethod
    def _model(self, rounds: tuple[Any, ...]) -> Any:
        """Make the frozen record of these rounds."""

    @abstractmethod
    def _staged(self, X: ArrayLike, every: int) -> Iterator[NDArray[np.float64]]:
        """Yield the scores after each `every` rounds."""

    def _checked(self, X: ArrayLike) -> tuple[NDArray[np.floating], ModuleType, int]:
        """Check what predictions are asked for; return it with the splitter and threads to predict on."""
        features = validate_data(self, X, dtype=[np.float64, np.float32], ensure_all_finite=False, reset=False)
        check_finite(features, getattr(self, "feature_names_in_", None))
        return features, DEFAULT_SPLITTER, resolve_threads(self.n_threads)


@dataclass(kw_only=True, eq=False, repr=False)
class ClassBoostRanker(BoostRanker):
    """What the two rankers by class probabilities share: the score of Eq. 5.

    Parameters
    ----------
    relevance : "k", "2^k", "2^k-1", function of the array 0..K-1, or table, default "k"
        T of Eq. 5, which must increase.

    Attributes
    ----------
    relevance_ : float64 array of shape (n_classes,)
        T(0), ..., T(K-1).
    """

    relevance: Transform = "k"

    def predict_proba(self, X: ArrayLike) -> NDArray[np.float64]:
        """Compute the class probabilities of each row of X, (n_samples, n_features): (n_samples, n_classes)."""
        check_is_fitted(self, "model_")
        return next(self._staged_proba(X, every=self.n_rounds_))

    def _staged(self, X: ArrayLike, every: int) -> Iterator[NDArray[np.float64]]:
        for proba in self._staged_proba(X, every):
            yield expected_relevance(proba, self.relevance_)

    @abstractmethod
    def _staged_proba(self, X: ArrayLike, every: int) -> Iterator[NDArray[np.float64]]:
        """Yield the class probabilities after each `every` rounds."""

    def _tabulate(self) -> None:
        self.relevance_ = transform_table(self.relevance, self.n_classes_)
        check_increasing(self.relevance_)


@dataclass(kw_only=True, eq=False, repr=False)
class SoftmaxBoostRanker(ClassBoostRanker):
    """McRank by multiple classification: Algorithm 1, ranked by expected relevance (Eq. 5).

    Learns p_k = exp(F_k) / sum_s exp(F_s), each F_k a sum of trees, and scores a document by sum_k p_k T(k). Parameters
    and attributes are those of `BoostRanker` and `ClassBoostRanker`.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = SoftmaxBoostRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.predict_proba(data.X).shape
    (1000, 5)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    def _boost(self, y: NDArray[np.int64], grow: Grow, weight: NDArray[np.float64] | None) -> Iterator[Any]:
        self._tabulate()
        boosting = SOFTMAX[self.update]
        return (turn.trees for turn in boosting(y, self.n_classes_, grow, self.n_rounds, self.learning_rate, weight))

    def _model(self, rounds: tuple[Any, ...]) -> SoftmaxModel:
        return SoftmaxModel(rounds, self.n_classes_, self.learning_rate)

    def _staged_proba(self, X: ArrayLike, every: int) -> Iterator[NDArray[np.float64]]:
        for scores in self.model_.staged_scores(*self._checked(X), every):
            yield softmax(scores)


@dataclass(kw_only=True, eq=False, repr=False)
class OrdinalBoostRanker(ClassBoostRanker):
    """McRank by multiple ordinal classification (Sec. 4): one binary problem a threshold, ranked by expected relevance.

    Learns Pr(y <= k) for k = 0..K-2 separately, takes p_k = Pr(y <= k) - Pr(y <= k - 1) (Eq. 8), and scores a document
    by sum_k p_k T(k). A p_k can be negative, where the cumulative probabilities cross; `predict_proba` shows it as it
    is. Parameters and attributes are those of `BoostRanker` and `ClassBoostRanker`. With update="sequential" each
    problem grows two trees a round, as printed; with "simultaneous" one, since the second is its mirror.

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = OrdinalBoostRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    def _boost(self, y: NDArray[np.int64], grow: Grow, weight: NDArray[np.float64] | None) -> Iterator[Any]:
        self._tabulate()
        turns = ordinal_boosting(
            y, self.n_classes_, grow, self.n_rounds, self.learning_rate, weight, binary=BINARY[self.update]
        )
        self._constants = one_sided_constants(y, self.n_classes_)
        return (turn.trees for turn in turns)

    def _model(self, rounds: tuple[Any, ...]) -> OrdinalModel:
        return OrdinalModel(rounds, self._constants, self.learning_rate)

    def _staged_proba(self, X: ArrayLike, every: int) -> Iterator[NDArray[np.float64]]:
        for cumulative_proba in self.model_.staged_cumulative_proba(*self._checked(X), every):
            yield class_proba_from_cumulative(cumulative_proba)


@dataclass(kw_only=True, eq=False, repr=False)
class LSBoostRanker(BoostRanker):
    """Regression, the baseline of McRank: Algorithm 2 on a transform of the labels.

    Minimises sum_i (y~_i - S_i)^2, y~ = 2^y - 1, with S a sum of trees, and ranks by S. Parameters and attributes are
    those of `BoostRanker`, and the following. A round is one tree, so both orders of `update` are the same.

    Parameters
    ----------
    target : "k", "2^k", "2^k-1", function of the array 0..K-1, or table, default "2^k-1"
        y~ of each class.

    Attributes
    ----------
    target_ : float64 array of shape (n_classes,)

    Examples
    --------
    >>> from refrank.datasets import cubic_polynomial
    >>> data = cubic_polynomial(n_queries=20)
    >>> ranker = LSBoostRanker(n_rounds=10).fit(data.X, data.y, data.qid)
    >>> ranker.score(data.X, data.y, data.qid) > 0.5  # mean NDCG@10, convention "paper"
    True
    """

    target: Transform = "2^k-1"
    _boosting = staticmethod(ls_boosting)  # what a ranker by another error puts its own in place of

    def _boost(self, y: NDArray[np.int64], grow: Grow, weight: NDArray[np.float64] | None) -> Iterator[Any]:
        # McRank Alg. 2, line 0
        self.target_ = transform_table(self.target, self.n_classes_, "target")
        turns = self._boosting(self.target_[y], grow, self.n_rounds, self.learning_rate, weight)
        self._initial = float(next(turns).scores[0])
        return (turn.tree for turn in turns)

    def _model(self, rounds: tuple[Any, ...]) -> LSModel:
        return LSModel(self._initial, rounds, self.learning_rate)

    def _staged(self, X: ArrayLike, every: int) -> Iterator[NDArray[np.float64]]:
        for scores in self.model_.staged_scores(*self._checked(X), every):
            yield scores.copy()

"""The scikit-learn face of RankNet and LambdaRank with a two-layer net: `LambdaRanker`.

The algorithm is `refrank.mcrank.lambdarank.lambdarank`. Here stand the defaults, the choice of the objective,
the checks of the input, and the best epoch.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from functools import partial
from numbers import Real
from typing import Any, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike
from sklearn.base import BaseEstimator
from sklearn.utils.validation import check_is_fitted, validate_data
from threadpoolctl import threadpool_limits
from tqdm import tqdm

from refrank.estimators.checks import check_choice, check_whole
from refrank.estimators.tree_ranker import resolve_seed
from refrank.mcrank.lambdarank import Epoch, lambdarank, trainable_queries
from refrank.mcrank.pairwise_gradients import (
    Floats,
    Gradient,
    Integers,
    lambdarank_gradient,
    ranknet_gradient,
)
from refrank.mcrank.swap_change import err_swap_change, ndcg_swap_change
from refrank.mcrank.two_layer_net import TwoLayerNet
from refrank.metrics import err, ndcg
from refrank.metrics.queries import check_labels
from refrank.metrics.spec import check_max_grade

Measure = Callable[[Integers, Floats, ArrayLike | None], Any]  # (y, score, qid) -> mean over the queries


@dataclass(kw_only=True, eq=False, repr=False)  # writes the __init__ that scikit-learn reads parameters from
class LambdaRanker(BaseEstimator):
    """Rank by a two-layer net trained on pairs of documents: LambdaRank, or RankNet.

    The baseline of McRank Table 1, which says of it only that it used "two-layer nets"; rates, schedule and
    initial weights are choices of this library (docs/departures.md). Features are standardised inside.

    Parameters
    ----------
    hidden : int
        Hidden units, at least 1.
    learning_rate : float
        Rate of the first epoch, above 0; the gradient is summed over the pairs of a query. RankNet weighs
        each pair by 1, where LambdaRank's weights of a query sum to a few units: queries of many pairs want a
        lower rate with "ranknet" than with the others.
    n_epochs : int
        Passes over the training queries, at least 1.
    objective : {"ndcg", "err", "ranknet"}
        LambdaRank on NDCG at `truncation`, LambdaRank on ERR, or RankNet's cross-entropy.
    truncation : int
        L, at least 1, of the NDCG that is learned ("ndcg") and validated ("ndcg", "ranknet").
    max_grade : int, optional
        Highest grade of the scale, for "err"; None: the highest in the training set.
    decay : float
        In (0, 1]: factor on the rate after an epoch that lowered the validation measure.
    random_state : int, RandomState or None
        Seed of the initial weights and of the orders of the queries, at least 0; an object or None draws one.
        Equal seeds give equal models, whatever the number of threads.
    verbose : int
        1 shows a progress bar where standard error is a terminal.

    Attributes
    ----------
    epochs_ : tuple of Epoch
        One record per epoch: cost, validation measure, learning rate, net. Fewer than n_epochs after an interrupt,
        which keeps what is done; none after a model file was read, which holds the net of the best epoch.
    best_epoch_ : int
        The first epoch, counted from 1, with the highest validation measure; the last, without validation.
    net_ : TwoLayerNet
        The net of the best epoch.
    max_grade_ : int
        Highest grade in use.
    seed_ : int
        The seed that `random_state` gave.
    n_features_in_ : int
        Features seen in `fit`.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [5.0], [6.0]], [0, 1, 2, 0, 1]
    >>> ranker = LambdaRanker(hidden=2, learning_rate=0.1, random_state=0).fit(X, y, qid=[1, 1, 1, 2, 2])
    >>> np.argsort(ranker.predict([[2.0], [0.0], [1.0]]))
    array([1, 2, 0])
    """

    hidden: int = 10
    learning_rate: float = 0.001
    n_epochs: int = 100
    objective: str = "ndcg"
    truncation: int = 10
    max_grade: int | None = None
    decay: float = 0.8
    random_state: int | RandomState | None = None
    verbose: int = 0

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        X_val: ArrayLike | None = None,
        y_val: ArrayLike | None = None,
        qid_val: ArrayLike | None = None,
    ) -> Self:
        """Train, and keep the best epoch by the validation set if there is one.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite features.
        y : array-like of shape (n_samples,)
            Grades: integers from 0 to 53.
        qid : array-like of shape (n_samples,), optional
            Query of each row, in any order; None: one query.
        X_val, y_val, qid_val : array-like, optional
            The validation set, measured after each epoch by NDCG at `truncation`, or by ERR for "err"
            (`refrank.metrics`, spec "paper": a query without a relevant document counts as 0).

        Returns
        -------
        LambdaRanker
            Itself.

        Raises
        ------
        ValueError
            On a parameter, shape or value that breaks its rule, a training or validation set in which no
            query has two grades, or weights that diverge.
        """
        for learned in ("epochs_", "best_epoch_", "net_"):
            self.__dict__.pop(learned, None)  # a fit that fails leaves no net that belongs to other data
        check_whole("hidden", self.hidden, at_least=1)
        check_whole("n_epochs", self.n_epochs, at_least=1)
        check_whole("truncation", self.truncation, at_least=1)
        check_factor("learning_rate", self.learning_rate, at_most=sys.float_info.max)
        check_factor("decay", self.decay, at_most=1.0)
        features: Floats = validate_data(self, X, dtype=np.float64, order="C")
        grades = check_grades(features, y, self.max_grade)
        self.max_grade_ = int(grades.max()) if self.max_grade is None else self.max_grade
        gradient, measure = choose_objective(self.objective, self.truncation, self.max_grade_)
        validate = None
        if X_val is not None:
            features_val: Floats = validate_data(self, X_val, dtype=np.float64, order="C", reset=False)
            highest = self.max_grade_ if self.objective == "err" else self.max_grade  # NDCG needs no scale
            validate = on_validation_set(features_val, y_val, qid_val, highest, measure)
        elif y_val is not None or qid_val is not None:
            raise ValueError("X_val = None: y_val and qid_val need the features of the validation set")
        self.seed_ = resolve_seed(self.random_state)
        training = lambdarank(
            features,
            grades,
            qid,
            gradient,
            hidden=self.hidden,
            learning_rate=self.learning_rate,
            decay=self.decay,
            n_epochs=self.n_epochs,
            seed=self.seed_,
            validate=validate,
        )
        epochs: list[Epoch] = []
        try:
            # One thread: with more, BLAS may add in another order.
            with threadpool_limits(1, user_api="blas"):
                hidden_bar = None if self.verbose else True
                for epoch in tqdm(training, "training", self.n_epochs, unit="epoch", disable=hidden_bar):
                    epochs.append(epoch)
        finally:  # after an interrupt too: what is done is kept
            if epochs:
                best = best_epoch(epochs)
                self.epochs_, self.best_epoch_, self.net_ = tuple(epochs), best.epoch, best.net
        return self

    def predict(self, X: ArrayLike) -> Floats:
        """Score each row of `X` with the net of the best epoch; higher ranks first. Returns (n_samples,)."""
        features = self._check_features(X)
        with threadpool_limits(1, user_api="blas"):
            return self.net_.predict(features)

    def staged_predict(self, X: ArrayLike) -> Iterator[Floats]:
        """Yield the scores of the rows of `X` after each epoch, from the first to the last.

        Raises
        ------
        ValueError
            Where the ranker was read from a model file, which holds the best epoch alone.
        """
        features = self._check_features(X)
        if not hasattr(self, "epochs_"):
            raise ValueError("the ranker has its best epoch only: a model file does not hold the others")
        for epoch in self.epochs_:
            with threadpool_limits(1, user_api="blas"):
                scores = epoch.net.predict(features)
            yield scores

    def score(self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None) -> float:
        """Compute the mean NDCG@10 of the ranking, by the convention "paper" of `refrank.metrics`.

        Without `qid` all rows are one query; in a search, route it: `ranker.set_score_request(qid=True)`.
        """
        return float(ndcg(y, self.predict(X), qid))

    def _check_features(self, X: ArrayLike) -> Floats:
        check_is_fitted(self, "net_")
        checked: Floats = validate_data(self, X, dtype=np.float64, order="C", reset=False)
        return checked


def choose_objective(objective: str, truncation: int, max_grade: int) -> tuple[Gradient, Measure]:
    """Return what is descended and what is validated: the one place where the objectives part ways.

    Raises
    ------
    ValueError
        If `objective` is none of "ndcg", "err", "ranknet".
    """
    ndcg_change = partial(ndcg_swap_change, truncation=truncation)
    err_change = partial(err_swap_change, max_grade=max_grade)
    choices: dict[str, tuple[Gradient, Measure]] = {
        "ndcg": (partial(lambdarank_gradient, swap_change=ndcg_change), partial(ndcg, k=truncation)),
        "err": (partial(lambdarank_gradient, swap_change=err_change), partial(err, max_grade=max_grade)),
        "ranknet": (ranknet_gradient, partial(ndcg, k=truncation)),
    }
    return choices[check_choice("objective", objective, tuple(choices))]


def check_factor(name: str, value: object, at_most: float) -> float:
    """Return a number above 0.

    Examples
    --------
    >>> check_factor("decay", 1.5, at_most=1.0)
    Traceback (most recent call last):
    ValueError: decay is 1.5: it must lie above 0 and be at most 1.0
    """
    if not isinstance(value, Real) or isinstance(value, bool) or not 0.0 < float(value) <= at_most:
        raise ValueError(f"{name} is {value!r}: it must lie above 0 and be at most {at_most}")
    return float(value)


def check_grades(X: Floats, y: ArrayLike | None, max_grade: int | None) -> Integers:
    """Return the grades, one for each row of `X`, none above `max_grade` if there is one, as integers."""
    if y is None:
        raise ValueError("y = None: each row needs a grade")
    grades = check_labels(y).astype(np.intp)
    if len(grades) != len(X):
        raise ValueError(f"y has {len(grades)} entries, X has {len(X)} rows: each row needs one grade")
    if max_grade is not None and grades.max() > check_max_grade(max_grade):
        row = int(grades.argmax())
        raise ValueError(f"y[{row}] = {grades[row]} is above max_grade = {max_grade}")
    return grades


def on_validation_set(
    X: Floats, y: ArrayLike | None, qid: ArrayLike | None, max_grade: int | None, measure: Measure
) -> Callable[[TwoLayerNet], float]:
    """Return the function net -> measure on this validation set, after checking the set."""
    try:
        grades = check_grades(X, y, max_grade)
        if not trainable_queries(grades, qid):
            raise ValueError("y: no query of qid has two grades, so every epoch would measure the same")
    except ValueError as fault:
        raise ValueError(f"in the validation set (X_val, y_val, qid_val): {fault}") from fault

    def validate(net: TwoLayerNet) -> float:
        return float(measure(grades, net.predict(X), qid))

    return validate


def best_epoch(epochs: Sequence[Epoch]) -> Epoch:
    """Return the first epoch with the highest validation measure; without validation, the last epoch."""
    measures = [epoch.validation for epoch in epochs if epoch.validation is not None]
    return epochs[int(np.argmax(measures))] if measures else epochs[-1]  # argmax: the first of the highest

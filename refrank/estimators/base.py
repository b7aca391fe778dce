"""The base of every estimator of refrank, and the only class that the others inherit from.

`fit` forgets the old model, checks the input, runs the algorithm turn by turn, shows its progress, keeps the turns
done before an interrupt, and assigns the learned attributes last. A ranker adds its parameters and two methods:

    _start     choose the algorithm and return its turns as a `Run`
    _staged    turn the model, or rounds that are being trained, into scores
"""

from abc import abstractmethod
from collections.abc import Callable, Iterator
from copy import copy
from dataclasses import fields, replace
from operator import attrgetter
from typing import TYPE_CHECKING, Any, ClassVar, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import Tags
from sklearn.utils.metaestimators import available_if
from sklearn.utils.validation import check_is_fitted, validate_data

from refrank.arrays import Floats, Ints, Matrix
from refrank.checks import (
    check_entries,
    check_finite,
    check_integer,
    check_labels,
    check_unmasked,
    check_weights,
    count_classes,
)
from refrank.cluster.communicator import count_rows, find_span, is_alone
from refrank.estimators.feature_tables import AS_FLOATS, take_features, take_more_rows
from refrank.estimators.fields import check_parameters, estimator, learned, parameter
from refrank.estimators.inspected import LAST, Inspected
from refrank.estimators.query_ids import count_queries, fill_scored_queries, take_query_ids, warn_of_swap
from refrank.estimators.run import Monitor, Run, Training, forget, keep_earlier, train
from refrank.estimators.sharded import FitsShards
from refrank.estimators.validation import EvalMetric, Metric, check_validation, choose_measure
from refrank.estimators.warm_start import require_same
from refrank.metrics import ndcg
from refrank.metrics.averaging import weighted_mean_of_queries
from refrank.metrics.queries import mean_weight_per_query

if TYPE_CHECKING:

    class BaseEstimator:
        """The part of scikit-learn's base that rankers use. A base of type Any would hide misspelt parameters."""

        n_features_in_: int
        get_params: Callable[..., dict[str, Any]]
        set_params: Callable[..., Self]
        set_fit_request: Callable[..., Self]
        set_score_request: Callable[..., Self]
        __sklearn_tags__: Callable[[], Tags]

    class RegressorMixin:
        """The mark of a regressor, and R^2, the score of those that do not rank."""

        score: Callable[..., float]

else:
    from sklearn.base import BaseEstimator, RegressorMixin

THREADS = "By default REFRANK_NUM_THREADS, or all cores allowed to the process. Changes no bit of the model."


@estimator()
class Ranker(FitsShards, Inspected, RegressorMixin, BaseEstimator):
    """A ranker with scikit-learn's interface: a regressor, whose `score` is NDCG."""

    algorithm: ClassVar[str] = ""  # its name in files and on the command line (refrank/estimators/registry.py)
    trains: ClassVar[bool] = True  # whether the ranker can be trained
    saves_rounds: ClassVar[bool] = True  # whether a model file holds all rounds

    warm_start: bool = parameter(
        """Whether fit continues from the fitted model, up to the given number of rounds, trees or epochs. The rows and
        other parameters must be the same, and so are the bits of the result. A fit that fails leaves the model as it
        was.
        """,
        default=False,
    )
    verbose: int = parameter("1 shows a progress bar, in a terminal and in a notebook.", default=0)

    n_queries_: int = learned("Queries seen in fit; 1 without `qid`.")
    history_: Floats = learned(
        "With a validation set: the mean of `eval_metric` over its queries after each round.",
        kind="float64 array of shape (n_rounds,)",
    )
    best_round_: int = learned(
        """With a validation set: the round of the highest mean, counted from 1; of equal rounds, the first. A round of
        a forest is a tree, of a net an epoch, and of COCR a round of its base."""
    )
    measure_: str = learned("With a validation set: the name of `eval_metric`.", saved=False)
    _n_unnamed = 0  # rows that the last fit took as one query, because it got no ids; a file does not hold it

    def fit(
        self,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        sample_weight: ArrayLike | None = None,
        *,
        X_val: ArrayLike | None = None,
        y_val: ArrayLike | None = None,
        qid_val: ArrayLike | None = None,
        early_stopping_rounds: int | None = None,
        eval_metric: EvalMetric | None = "ndcg@10",
        monitor: Monitor | None = None,
    ) -> Self:
        """Train.

        An interrupt (Ctrl-C) keeps the finished turns as a smaller model and is raised again. `warm_start` continues
        that model.

        A validation set is measured after each round, by one more tree each, and changes no bit of a round. The model
        keeps all rounds unless `early_stopping_rounds` says otherwise; `at_round(best_round_)` is that of the best.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            float32 and float64 are used as they are; other numbers become float64. Values are finite unless a ranker's
            `missing` allows others. A sparse matrix becomes an array, in which what is not stored is 0. A column "qid"
            of a DataFrame holds the ids of the queries and is not a feature, here and in every method.
        y : array-like of shape (n_samples,)
            Labels 0..n_classes-1, integers or floats without a fraction; rankers that regress take any numbers up to
            1e290 in size.
        qid : array-like of shape (n_samples,), optional
            Query of each row, of any type and in any order; by default the column "qid" of a DataFrame. Rankers that
            train on documents only check it.
        sample_weight : array-like of shape (n_samples,), optional
            A row of weight 2 counts as two (over M5P, as its `weights` says), and a row of weight 0 as none.
        X_val : array-like of shape (n_valid, n_features), optional
            The features of a validation set.
        y_val : array-like of shape (n_valid,), optional
            Its labels.
        qid_val : array-like of shape (n_valid,), optional
            The query of each of its rows; by default the column "qid" of a DataFrame.
        early_stopping_rounds : int, optional
            End the training after so many rounds without a new best, and keep the rounds up to the best only.
        eval_metric : str, Measure or function, default "ndcg@10"
            What is measured: a name as `refrank.metrics.parse_measure` reads it, with its convention
            ("ndcg@10 lightgbm"), or a function (y, score, qid) -> (n_queries,), higher is better. A convention whose
            ties are stable orders tied rows as they stand in X_val; otherwise their order has no effect.
        monitor : function, optional
            Called after each turn as monitor(n_done, so_far). so_far() returns a copy of the ranker with the current
            model, to save or to measure. If it returns True, the training ends.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an argument or a parameter breaks its rule; the message names the value, the place and the rule.

        Warns
        -----
        ChoiceWarning
            If the validation queries are too few to tell the best round from the last.
        """
        # McRank Sec. 3.2: one matrix of the rows of all queries; the ids are counted, and take no part in learning
        with keep_earlier(self):
            X, qid = take_query_ids(X, qid)
            warn_of_swap(y, qid)
            data = self._check_training(X, y, sample_weight)
            qid = self._fill_queries(qid, len(data.kept))
            n_queries = count_queries(qid, data.kept)
            held_out, qid_val = self._check_held_out(X_val, qid_val)
            measure = self._choose_measure(data.y) if eval_metric is None else choose_measure(eval_metric)
            validation = check_validation(held_out, y_val, qid_val, measure, early_stopping_rounds)
            run = self._start(replace(data, qid=qid, validation=validation))
            return train(self, run, n_queries, validation, monitor)

    def predict(self, X: ArrayLike) -> Floats:
        """Score each row of X, (n_samples, n_features), with an array (n_samples,): higher ranks before lower."""
        return next(self._staged(self.check_rows(X), LAST))

    @available_if(attrgetter("has_stages"))
    def staged_predict(self, X: ArrayLike) -> Iterator[Floats]:
        """Yield the scores of the rows of X, (n_samples,), after turn 1, 2, ... of training: a new array each time."""
        yield from self._staged(self.check_rows(X), 1)

    @available_if(attrgetter("has_stages"))
    def at_round(self, m: int) -> Self:
        """Return the ranker as it was after round m, counted from 1: a view, which shares the trees.

        Like a ranker that was read from a file, it has no out-of-bag scores, and no epochs of a net.

        Raises
        ------
        ValueError
            If m is less than 1, or above the number of rounds.
        """
        check_is_fitted(self, "model_")
        check_integer("m", m, 1, self.count_rounds())
        view = copy(self)
        for name in {*vars(view)} - {field.name for field in fields(self) if field.metadata.get("saved", True)}:
            if name.endswith("_") and name not in ("n_features_in_", "feature_names_in_", "measure_"):
                delattr(view, name)
        vars(view).update(self._cut(m))
        if hasattr(self, "history_"):
            vars(view).update(history_=self.history_[:m], best_round_=1 + int(np.argmax(self.history_[:m])))
        return view

    def score(
        self, X: ArrayLike, y: ArrayLike, qid: ArrayLike | None = None, sample_weight: ArrayLike | None = None
    ) -> float:
        """Compute the mean NDCG@10 of the ranking, by the convention "paper" of `refrank.metrics`.

        The gain is 2^y - 1, the discount log2(1 + i), ties are stable, and a query without a relevant document gets 0.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
        y : array-like of shape (n_samples,)
            Labels, integers of at least 0.
        qid : array-like of shape (n_samples,), optional
            Query of each row; by default the column "qid" of a DataFrame. Without either, all rows are one query, as in
            fit; a warning, once, says so if there are more than 200, here or there.
        sample_weight : array-like of shape (n_samples,), optional
            The weight of a query is the mean weight of its rows.

        Returns
        -------
        float

        Raises
        ------
        ValueError
            If `qid` is missing after a fit with several queries, is given twice, or an argument breaks its rule.
        """
        qid = take_query_ids(X, qid)[1]
        scores = self.predict(X)
        qid = fill_scored_queries(qid, self.n_queries_, len(scores), self._n_unnamed)
        if sample_weight is None:
            return float(ndcg(y, scores, qid))
        weight = check_weights(sample_weight, len(scores))
        values = ndcg(y, scores, qid, per_query=True)
        return weighted_mean_of_queries(np.asarray(values), mean_weight_per_query(weight, qid, len(scores)))

    @property
    def has_stages(self) -> bool:
        """Whether scores are available round by round."""
        return True

    def __sklearn_tags__(self) -> Tags:
        """Declare a regressor that is not measured by R^2, and that sparse matrices are accepted."""
        tags = super().__sklearn_tags__()
        tags.regressor_tags.poor_score = True
        tags.input_tags.sparse = True
        return tags

    @abstractmethod
    def _start(self, data: Training) -> Run[Any]:
        """Choose the algorithm and return its turns, without setting anything on the ranker itself."""

    @abstractmethod
    def _staged(self, X: Matrix, every: int, rounds: Iterator[Any] | None = None) -> Iterator[Floats]:
        """Yield the scores, (n_samples,), after each `every` rounds: a new array each time.

        The rounds are those of the model, or are given one by one, while they are trained.
        """

    def _cut(self, m: int) -> dict[str, Any]:
        """Return the learned attributes that hold rounds, with the first m of them."""
        model = vars(self)["model_"]
        return {"model_": replace(model, rounds=model.rounds[:m])}

    def count_rounds(self) -> int:
        """Count the rounds of the model."""
        return len(vars(self)["model_"].rounds)

    def check_parameters(self) -> None:
        """Refuse a parameter that breaks its rule."""
        check_parameters(self)
        if not isinstance(self.verbose, bool | np.bool_):
            check_integer("verbose", self.verbose, at_least=0)

    def _check_target(self, y: NDArray[Any], weight: Floats | None) -> NDArray[Any]:
        """Check y as fit received it, (n_samples,). By default it holds labels of several classes."""
        labels = check_labels(y)
        check_classes(labels, weight, getattr(self, "n_classes", None))
        return labels

    def _check_features(self, X: Matrix) -> None:
        """Check the features of training rows, and of rows to be scored."""
        check_finite(X, getattr(self, "feature_names_in_", None))

    def _check_training(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None) -> Training:
        """Forget the old model, check parameters and training rows, and leave out rows of weight 0."""
        earlier = forget(self)
        earlier = earlier if self.warm_start and "n_queries_" in earlier else {}
        self.check_parameters()
        check_unmasked("y", y)
        features, target = validate_data(self, take_features(X), y, **AS_FLOATS, ensure_min_samples=int(is_alone()))
        if earlier:
            require_same("n_features_in_", self.n_features_in_, earlier["n_features_in_"])
        self._check_features(features)
        weight = check_weights(sample_weight, len(features))
        target = self._check_target(target, weight)
        kept = np.ones(len(features), np.bool_) if weight is None else weight > 0
        if weight is None or kept.all():
            return Training(features, target, weight, kept, earlier)
        return Training(features[kept], target[kept], weight[kept], kept, earlier)

    def check_rows(self, X: ArrayLike) -> Matrix:
        """Check rows to be scored, X of shape (n_samples, n_features), and return them as floats."""
        if not hasattr(self, "model_"):
            check_is_fitted(self, "model_")
        return self._check_more_rows(take_query_ids(X)[0])

    def _check_more_rows(self, X: ArrayLike) -> Matrix:
        """Check rows that have the features of the training rows."""
        features = take_more_rows(self, X)
        self._check_features(features)
        return features

    def _check_held_out(self, X: ArrayLike | None, qid: ArrayLike | None) -> tuple[Matrix | None, ArrayLike | None]:
        """Check the features of a validation set, if there is one, and take its ids out of a table."""
        X, qid = take_query_ids(X, qid, "qid_val")
        try:
            return None if X is None else self._check_more_rows(X), qid
        except ValueError as fault:
            raise ValueError(f"X_val: {fault}") from None

    def _choose_measure(self, y: NDArray[Any]) -> Metric:
        """Choose the measure that an objective learns from labels y, (n_samples,), if there is an objective."""
        return choose_measure("ndcg@10")

    def _fill_queries(self, qid: ArrayLike | None, n_samples: int) -> ArrayLike | None:
        """Return the ids of the queries as given; remember that there were none."""
        self._n_unnamed = count_rows(n_samples) if qid is None else 0
        return qid


def check_classes(y: Ints, weight: Floats | None, n_classes: int | None) -> int:
    """Count the classes of the rows of positive weight, or return `n_classes` if it is given."""
    if n_classes is not None:
        check_scale("y", y, n_classes - 1, "n_classes - 1")
    if weight is not None:  # each row keeps its number; a shard may have none that counts
        y = np.where(weight > 0, y, find_span(y[weight > 0])[0])
    return count_classes(y, n_classes)


def check_scale(name: str, labels: Ints, highest: int, scale: str) -> None:
    """Refuse labels, (n_samples,), above the scale that a parameter sets."""
    check_entries(name, labels, labels > highest, f"labels must be integers from 0 to {scale} = {highest}")

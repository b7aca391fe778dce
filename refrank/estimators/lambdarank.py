"""RankNet and LambdaRank with a two-layer net, the baselines of McRank Table 1: defaults, objectives, best epoch."""

import math
import sys
from collections.abc import Callable, Iterator, Mapping
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils.validation import validate_data
from threadpoolctl import threadpool_limits

from refrank.arrays import Floats, Matrix
from refrank.checks import LARGEST_SEED, check_finite, check_labels, check_shape, check_unmasked
from refrank.estimators.base import LAST, Ranker, check_scale
from refrank.estimators.fields import estimator, learned, parameter
from refrank.estimators.query_ids import count_queries, fill_ranked_queries, take_query_ids
from refrank.estimators.run import Monitor, Run, Training, Turns, keep_earlier, resolve_seed
from refrank.estimators.warm_start import require_more, require_same
from refrank.mcrank.lambdarank import Epoch, has_stalled, has_worsened, lambdarank, list_trainable_queries
from refrank.mcrank.pairwise_gradients import Gradient, Places, lambdarank_gradient, ranknet_gradient
from refrank.mcrank.swap_change import err_swap_change, ndcg_swap_change
from refrank.mcrank.two_layer_net import TwoLayerNet
from refrank.metrics import err, ndcg
from refrank.metrics.spec import HIGHEST_LABEL

__all__ = ["LambdaRanker"]

Objective = Literal["ndcg", "err", "ranknet"]
Schedule = Literal["validation", "cost"]
Measure = Callable[[Places, Floats, ArrayLike | None], Any]  # (y, score, qid) -> mean over the queries


@estimator()
class LambdaRanker(Ranker):
    """Rank by a two-layer net trained on pairs of documents: LambdaRank, or RankNet.

    The baseline of McRank Table 1. The paper says only that it used "two-layer nets"; rates, schedules and initial
    weights are choices of this library (docs/reference/departures.md). `fit` and `predict` standardise the features.

    Examples
    --------
    >>> X, y = [[0.0], [1.0], [2.0], [5.0], [6.0]], [0, 1, 2, 0, 1]
    >>> ranker = LambdaRanker(hidden=2, learning_rate=0.1).fit(X, y, qid=[1, 1, 1, 2, 2])
    >>> np.argsort(ranker.predict([[2.0], [0.0], [1.0]]))
    array([1, 2, 0])
    """

    algorithm: ClassVar[str] = "lambdarank"

    hidden: int = parameter("Hidden units, at least 1.", default=10, at_least=1)
    learning_rate: float = parameter(
        """Rate of the first epoch, above 0; the gradient is summed over the pairs of a query. RankNet weighs each
        pair by 1, where LambdaRank's weights of a query sum to a few units: queries of many pairs want a lower rate
        with "ranknet" than with the others.""",
        default=0.001,
        above=0,
        at_most=sys.float_info.max,
    )
    n_epochs: int = parameter("Passes over the training queries, at least 1.", default=100, at_least=1)
    objective: Objective = parameter(
        "LambdaRank on NDCG at `truncation`, LambdaRank on ERR, or RankNet's cross-entropy.", default="ndcg"
    )
    truncation: int = parameter(
        'L, at least 1, of the NDCG that is learned ("ndcg") and validated ("ndcg", "ranknet").', default=10, at_least=1
    )
    max_grade: int | None = parameter(
        'Highest grade of the scale, for "err"; None: the highest in the training set.',
        default=None,
        at_least=1,
        at_most=HIGHEST_LABEL,
    )
    decay: float = parameter("In (0, 1]: factor on the rate where it shrinks.", default=0.8, above=0, at_most=1)
    schedule: Schedule = parameter(
        """When the rate shrinks: "validation", after an epoch whose validation measure is below that of the epoch
        before; "cost", after `patience` epochs that did not lower the training cost. On few validation queries, or
        with many hidden units, the first shrinks it long before the net is trained.""",
        default="validation",
    )
    patience: int = parameter(
        'Epochs, at least 1, that "cost" waits at one rate for the cost to fall below its lowest.',
        default=3,
        at_least=1,
    )
    random_state: int | RandomState | None = parameter(
        """Seed of the initial weights and of the orders of the queries, at least 0; an object or None draws one.
        Equal seeds give equal models, whatever the number of threads.""",
        default=0,
        at_least=0,
        at_most=LARGEST_SEED,
    )

    model_: TwoLayerNet = learned("The net of the best epoch.")
    epochs_: tuple[Epoch, ...] = learned(
        """One record per epoch: cost, validation measure, learning rate, net. Fewer than n_epochs after an interrupt,
        which keeps what is done; none after a model file was read, which holds the nets of the best epoch and the
        last.""",
        kind="tuple of Epoch",
        saved=False,
    )
    history_: Floats = learned(
        "Cost, learning rate and validation measure of each epoch; NaN without validation.",
        kind="float64 array of shape (number of epochs, 3)",
    )
    last_net_: TwoLayerNet = learned("The net of the last epoch, from which `warm_start` continues.")
    best_epoch_: int = learned(
        "The first epoch, counted from 1, with the highest validation measure; the last, without validation."
    )
    max_grade_: int = learned("Highest grade in use.")
    seed_: int = learned("The seed that `random_state` gave.")

    def fit(  # type: ignore[override]  # trained on queries: a row has no weight
        self,
        X: ArrayLike,
        y: ArrayLike,
        qid: ArrayLike | None = None,
        *,
        X_val: ArrayLike | None = None,
        y_val: ArrayLike | None = None,
        qid_val: ArrayLike | None = None,
        monitor: Monitor | None = None,
    ) -> Self:
        """Train, and keep the best epoch by the validation set, if there is one.

        An interrupt (Ctrl-C) keeps the finished epochs and is raised again; `warm_start` continues them.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite features.
        y : array-like of shape (n_samples,)
            Grades: integers from 0 to 53.
        qid : array-like of shape (n_samples,), optional
            Query of each row, in any order; by default the column "qid" of a DataFrame. Without either: one query,
            with a warning, once, if it has more than 200 rows.
        X_val : array-like of shape (n_valid, n_features), optional
            The validation set, measured after each epoch by NDCG at `truncation`, or by ERR for "err"
            (`refrank.metrics`, convention "paper", where a query without a relevant document counts as 0).
        y_val : array-like of shape (n_valid,), optional
            Its grades.
        qid_val : array-like of shape (n_valid,), optional
            The query of each of its rows; by default the column "qid" of a DataFrame.
        monitor : function, optional
            As in the other rankers (`Ranker.fit`).

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If a parameter, shape or value breaks its rule, if no query of the training or the validation set has two
            grades, or if weights diverge.
        """
        with keep_earlier(self):
            X, qid = take_query_ids(X, qid)
            X_val, qid_val = take_query_ids(X_val, qid_val, "qid_val")
            data = self._check_training(X, y, None)
            qid = fill_ranked_queries(qid, len(data.kept))
            return self._run(self._start(data, qid, X_val, y_val, qid_val), count_queries(qid, data), monitor)

    def _start(
        self, data: Training, qid: Any = None, X_val: Any = None, y_val: Any = None, qid_val: Any = None
    ) -> Run[Epoch]:
        seed = resolve_seed(self.random_state, data.earlier)
        earlier = read_history(data.earlier)
        require_more("n_epochs", self.n_epochs, len(earlier))
        max_grade = int(data.y.max()) if self.max_grade is None else self.max_grade
        highest = max_grade if self.objective == "err" else self.max_grade  # NDCG needs no scale
        gradient, measure = choose_objective(self.objective, self.truncation, max_grade)
        validate = None
        if X_val is not None:
            check_unmasked("X_val", X_val)
            try:
                held_out = validate_data(self, X_val, dtype=np.float64, reset=False, ensure_all_finite=False)
                check_finite(held_out)
            except ValueError as fault:
                raise ValueError(f"X_val: {fault}") from None
            validate = measure_on(held_out, y_val, qid_val, highest, measure)
        elif y_val is not None or qid_val is not None:
            raise ValueError("X_val is None: y_val and qid_val need the features of the validation set")
        for epoch in earlier[:1]:
            require_same("X_val is given", validate is not None, epoch.validation is not None)
        training = lambdarank(
            np.ascontiguousarray(data.X, np.float64),
            data.y,
            qid,
            gradient,
            hidden=self.hidden,
            learning_rate=self.learning_rate,
            decay=self.decay,
            n_epochs=self.n_epochs,
            seed=seed,
            shrinks=has_worsened if self.schedule == "validation" else partial(has_stalled, patience=self.patience),
            validate=validate,
            earlier=earlier,
        )

        def learn(epochs: list[Epoch]) -> dict[str, Any]:
            # the first of the highest
            best = max(epochs, key=attrgetter("validation")) if validate else epochs[-1]
            attributes: dict[str, Any] = {"model_": best.net, "last_net_": epochs[-1].net, "best_epoch_": best.epoch}
            rows = [(epoch.cost, epoch.learning_rate, epoch.validation) for epoch in epochs]
            history = np.array(rows, np.float64)  # None: NaN
            attributes |= {"history_": history, "max_grade_": max_grade, "seed_": seed}
            return attributes | ({"epochs_": tuple(epochs)} if all(epoch.net for epoch in epochs) else {})

        return Run(run_on_one_thread(training), self.n_epochs, "epoch", learn, earlier)

    def _check_target(self, y: NDArray[Any], weight: Floats | None) -> NDArray[Any]:
        grades = check_labels(y, highest=HIGHEST_LABEL)
        if self.max_grade is not None:
            check_scale("y", grades, self.max_grade, "max_grade")
        return grades.astype(np.intp)

    def _staged(self, X: Matrix, every: int) -> Iterator[Floats]:
        rows = np.ascontiguousarray(X, np.float64)
        check_shape("feature_mean", self.model_.feature_mean, (X.shape[1],), "(n_features,), one per column of X")
        if every != LAST and not hasattr(self, "epochs_"):
            raise ValueError("epochs_ is not there: a model file holds the nets of the best epoch and the last only")
        for net in [self.model_] if every == LAST else [epoch.net for epoch in self.epochs_ if epoch.net]:
            with threadpool_limits(1, user_api="blas"):
                scores = net.predict(rows)
            yield scores


def read_history(earlier: Mapping[str, Any]) -> tuple[Epoch, ...]:
    """Return the epochs of an earlier fit; if the model was read from a file, only the best and the last have nets."""
    if "epochs_" in earlier or not earlier:
        return tuple(earlier.get("epochs_", ()))
    history = earlier["history_"].tolist()
    nets = {earlier["best_epoch_"]: earlier["model_"], len(history): earlier["last_net_"]}
    return tuple(
        Epoch(number, cost, None if math.isnan(validation) else validation, learning_rate, nets.get(number))
        for number, (cost, learning_rate, validation) in enumerate(history, start=1)
    )


def run_on_one_thread(epochs: Iterator[Epoch]) -> Turns[Epoch]:
    """Run the epochs on one BLAS thread; with more, BLAS may add in another order."""
    with threadpool_limits(1, user_api="blas"):
        yield from epochs


def choose_objective(objective: str, truncation: int, max_grade: int) -> tuple[Gradient, Measure]:
    """Return the gradient and validation metric of an objective."""
    ndcg_change = partial(ndcg_swap_change, truncation=truncation)
    err_change = partial(err_swap_change, max_grade=max_grade)
    choices: dict[str, tuple[Gradient, Measure]] = {
        "ndcg": (partial(lambdarank_gradient, swap_change=ndcg_change), partial(ndcg, k=truncation)),
        "err": (partial(lambdarank_gradient, swap_change=err_change), partial(err, max_grade=max_grade)),
        "ranknet": (ranknet_gradient, partial(ndcg, k=truncation)),
    }
    return choices[objective]


def measure_on(
    X: Floats, y: ArrayLike | None, qid: ArrayLike | None, max_grade: int | None, measure: Measure
) -> Callable[[TwoLayerNet], float]:
    """Check a validation set, and return the function net -> measure on it; grades are at most 53."""
    if y is None:
        raise ValueError("y_val is None: each row of X_val needs a grade")
    grades = check_labels(y, HIGHEST_LABEL, name="y_val").astype(np.intp)
    if max_grade is not None:
        check_scale("y_val", grades, max_grade, "max_grade")
    check_shape("y_val", grades, (len(X),), "(n_samples,), one grade per row of X_val")
    qid = fill_ranked_queries(qid, len(X), "qid_val")
    if not list_trainable_queries(grades, qid):
        raise ValueError("y_val has no query with two grades: every epoch would measure the same")
    return lambda net: float(measure(grades, net.predict(X), qid))

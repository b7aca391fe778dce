"""RankNet and LambdaRank with a two-layer net, the baselines of McRank Table 1: defaults, objectives, best epoch."""

import sys
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter
from typing import Any, ClassVar, Literal

import numpy as np
from numpy.random import RandomState
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from refrank.arrays import Floats, Matrix
from refrank.checks import LARGEST_SEED, check_labels, check_shape
from refrank.estimators.base import LAST, check_scale
from refrank.estimators.fields import estimator, learned, parameter
from refrank.estimators.query_ranker import QueryRanker
from refrank.estimators.run import Run, Training, Turns, resolve_seed
from refrank.estimators.validation import Metric, Validation
from refrank.estimators.warm_start import require_more, require_same
from refrank.mcrank.lambdarank import Epoch, has_stalled, has_worsened, lambdarank
from refrank.mcrank.pairwise_gradients import Gradient, lambdarank_gradient, ranknet_gradient
from refrank.mcrank.swap_change import err_swap_change, ndcg_swap_change
from refrank.mcrank.two_layer_net import TwoLayerNet
from refrank.metrics import PRESETS, Measure
from refrank.metrics.spec import HIGHEST_LABEL

__all__ = ["LambdaRanker"]

Objective = Literal["ndcg", "err", "ranknet"]
Schedule = Literal["validation", "cost"]


@estimator()
class LambdaRanker(QueryRanker):
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
    saves_rounds: ClassVar[bool] = False

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

    model_: TwoLayerNet = learned("The net of the best epoch by the validation set; without one, of the last.")
    epochs_: tuple[Epoch, ...] = learned(
        """One record per epoch: cost, validation measure, learning rate, net. Fewer than n_epochs after an interrupt,
        which keeps what is done; none after a model file was read, which holds the nets of the best epoch and the
        last.""",
        kind="tuple of Epoch",
        saved=False,
    )
    costs_: Floats = learned("The training cost of each epoch.", kind="float64 array of shape (number of epochs,)")
    learning_rates_: Floats = learned(
        "The learning rate of each epoch.", kind="float64 array of shape (number of epochs,)"
    )
    last_net_: TwoLayerNet = learned("The net of the last epoch, from which `warm_start` continues.")
    max_grade_: int = learned("Highest grade in use.")
    seed_: int = learned("The seed that `random_state` gave.")

    def _start(self, data: Training) -> Run[Epoch]:
        seed, validation = resolve_seed(self.random_state, data.earlier), data.validation
        earlier = read_history(data.earlier)
        require_more("n_epochs", self.n_epochs, len(earlier))
        max_grade = self._choose_grade(data.y)
        for epoch in earlier[:1]:
            require_same("X_val is given", validation is not None, epoch.validation is not None)
        if validation is not None:
            if self.max_grade is not None:
                check_scale("y_val", validation.y, self.max_grade, "max_grade")
            measure_again(validation, earlier)
        training = lambdarank(
            np.ascontiguousarray(data.X, np.float64),
            data.y,
            data.qid,
            choose_gradient(self.objective, self.truncation, max_grade),
            hidden=self.hidden,
            learning_rate=self.learning_rate,
            decay=self.decay,
            n_epochs=self.n_epochs,
            seed=seed,
            shrinks=has_worsened if self.schedule == "validation" else partial(has_stalled, patience=self.patience),
            validate=None if validation is None else partial(measure_net, validation),
            earlier=earlier,
        )

        def learn(epochs: list[Epoch]) -> dict[str, Any]:
            # the first of the highest
            best = epochs[-1] if validation is None else max(epochs, key=attrgetter("validation"))
            attributes: dict[str, Any] = {"model_": best.net, "last_net_": epochs[-1].net}
            attributes |= {"costs_": np.array([epoch.cost for epoch in epochs])}
            attributes |= {"learning_rates_": np.array([epoch.learning_rate for epoch in epochs])}
            attributes |= {"max_grade_": max_grade, "seed_": seed}
            return attributes | ({"epochs_": tuple(epochs)} if all(epoch.net for epoch in epochs) else {})

        return Run(run_on_one_thread(training), self.n_epochs, "epoch", learn, earlier, n_before=None)

    def _check_target(self, y: NDArray[Any], weight: Floats | None) -> NDArray[Any]:
        grades = check_labels(y, highest=HIGHEST_LABEL)
        if self.max_grade is not None:
            check_scale("y", grades, self.max_grade, "max_grade")
        return grades.astype(np.intp)

    def _choose_measure(self, y: NDArray[Any]) -> Metric:
        if self.objective == "err":
            return Measure("err", None, replace(PRESETS["paper"], max_grade=self._choose_grade(y)))
        return Measure("ndcg", self.truncation, PRESETS["paper"])

    def _choose_grade(self, y: NDArray[Any]) -> int:
        return int(y.max()) if self.max_grade is None else self.max_grade

    def _cut(self, m: int) -> dict[str, Any]:
        net = self._list_nets()[m - 1]
        rates = self.learning_rates_[:m]
        return {"model_": net, "last_net_": net, "costs_": self.costs_[:m], "learning_rates_": rates}

    def count_rounds(self) -> int:
        """Count the epochs."""
        return len(self.costs_)

    def _list_nets(self) -> list[TwoLayerNet]:
        """List the nets of all epochs."""
        if not hasattr(self, "epochs_"):
            raise ValueError("epochs_ is not there: a model file holds the nets of the best epoch and the last only")
        return [epoch.net for epoch in self.epochs_ if epoch.net]

    def _staged(self, X: Matrix, every: int, rounds: Iterator[Any] | None = None) -> Iterator[Floats]:
        rows = np.ascontiguousarray(X, np.float64)
        check_shape("feature_mean", self.model_.feature_mean, (X.shape[1],), "(n_features,), one per column of X")
        for net in [self.model_] if every == LAST else self._list_nets():
            with threadpool_limits(1, user_api="blas"):
                scores = net.predict(rows)
            yield scores


def read_history(earlier: Mapping[str, Any]) -> tuple[Epoch, ...]:
    """Return the epochs of an earlier fit; if the model was read from a file, only the best and the last have nets."""
    if "epochs_" in earlier or not earlier:
        return tuple(earlier.get("epochs_", ()))
    n_epochs = len(earlier["costs_"])
    nets = {earlier.get("best_round_", n_epochs): earlier["model_"], n_epochs: earlier["last_net_"]}
    history = earlier["history_"].tolist() if "history_" in earlier else [None] * n_epochs
    figures = zip(earlier["costs_"].tolist(), history, earlier["learning_rates_"].tolist(), strict=True)
    return tuple(Epoch(number, *row, nets.get(number)) for number, row in enumerate(figures, start=1))


def run_on_one_thread(epochs: Iterator[Epoch]) -> Turns[Epoch]:
    """Run the epochs on one BLAS thread; with more, BLAS may add in another order."""
    with threadpool_limits(1, user_api="blas"):
        yield from epochs


def choose_gradient(objective: str, truncation: int, max_grade: int) -> Gradient:
    """Return the gradient of an objective."""
    ndcg_change = partial(ndcg_swap_change, truncation=truncation)
    err_change = partial(err_swap_change, max_grade=max_grade)
    choices: dict[str, Gradient] = {
        "ndcg": partial(lambdarank_gradient, swap_change=ndcg_change),
        "err": partial(lambdarank_gradient, swap_change=err_change),
        "ranknet": ranknet_gradient,
    }
    return choices[objective]


def measure_again(validation: Validation, earlier: Sequence[Epoch]) -> None:
    """Measure the epochs of an earlier fit; those whose nets a file left out are neither the best nor the last."""
    for epoch in earlier:
        if epoch.net is not None:
            measure_net(validation, epoch.net)
        elif epoch.validation is not None:
            validation.history.append(epoch.validation)


def measure_net(validation: Validation, net: TwoLayerNet) -> float:
    """Measure a net on the validation set; the rows are those of the set."""
    return validation.add(net.predict(np.ascontiguousarray(validation.X, np.float64)))

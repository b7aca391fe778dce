"""A validation set: it is measured after each round of a training, chooses the best round, and can end the training.

symbol     in code     shape
m          round       1..n_rounds; a round of a forest is a tree, and of a net an epoch
-          history     (n_rounds,): the mean over the queries after each round
m*         best        the first round of the highest mean
"""

from collections.abc import Callable, Iterable
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.arrays import Floats, Matrix
from refrank.checks import check_integer, check_label_column, check_shape
from refrank.estimators.query_ids import fill_ranked_queries
from refrank.mcrank.lambdarank import list_trainable_queries
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.measures import Measure, parse_measure
from refrank.metrics.one_query import warn_once
from refrank.metrics.paired_comparison import find_resolved_difference
from refrank.metrics.significance import summarize
from refrank.metrics.spec import HIGHEST_LABEL

Metric = Callable[..., ArrayLike]  # (y, score, qid) -> (n_queries,), higher is better
EvalMetric = str | Metric
METRIC_RULE = "it must be a text such as 'ndcg@10', a Measure, or a function (y, score, qid) -> (n_queries,)"
SAME_EVERYWHERE = "y_val has no query with two grades: every round would measure the same"
UNRESOLVED = (
    "{}: round {} of {} is {:.2g} above the last, but {} validation queries resolve {:.2g} (80% power at the 5% "
    "level), and so cannot tell the two apart"
)


class ChoiceWarning(UserWarning):
    """The validation queries cannot tell the best round from the last."""


class Validation:
    """A checked validation set, and what it has measured so far.

    X is (n_valid, n_features), y and qid are (n_valid,). `patience` is the number of rounds after the best that end the
    training, or None.
    """

    def __init__(self, X: Matrix, y: NDArray[Any], qid: ArrayLike, measure: Metric, patience: int | None) -> None:
        self.X, self.y, self.qid, self.measure, self.patience = X, y, qid, measure, patience
        self.history: list[float] = []
        self.best = 0
        self.of_best = self.of_last = np.empty(0)  # (n_queries,), after the best round and the last

    def add(self, score: Floats) -> float:
        """Measure the scores after one more round, (n_valid,); return their mean over the queries."""
        values = np.asarray(self.measure(self.y, score, self.qid), np.float64)
        if values.ndim != 1 or not len(values) or np.isinf(values).any():
            rule = "it must return one finite number per query, or NaN for one that it skips, of shape (n_queries,)"
            raise ValueError(f"eval_metric returned {short(values)}: {rule}")
        self.history.append(mean_of_queries(values))
        self.of_last = values
        if not self.best or self.history[-1] > self.history[self.best - 1]:  # of equal rounds, the earlier
            self.best, self.of_best = len(self.history), values
        return self.history[-1]

    def measure_rounds(self, scores: Iterable[Floats]) -> None:
        """Measure the scores after each of several rounds, unless the training ends before."""
        for score in scores:
            self.add(score)
            if self.is_over:
                return

    def cut(self, n_rounds: int) -> None:
        """Forget the rounds after the first n_rounds, which an interrupt took back."""
        if n_rounds < len(self.history):
            del self.history[n_rounds:]
            self.best = 1 + int(np.argmax(self.history)) if self.history else 0

    @property
    def is_over(self) -> bool:
        """Whether so many rounds have passed since the best that the training ends."""
        return self.patience is not None and len(self.history) - self.best >= self.patience

    def learn(self) -> dict[str, Any]:
        """Return the learned attributes."""
        if not self.history:
            return {}
        history, name = np.array(self.history), name_measure(self.measure)
        return {"history_": history, "best_round_": self.best, "measure_": name}

    def describe(self) -> str:
        """Describe the last round and the best, for the progress bar."""
        if not self.history:
            return ""
        return (
            f"{name_measure(self.measure)} {self.history[-1]:.4f}, best {self.history[self.best - 1]:.4f} @ {self.best}"
        )

    def warn(self) -> None:
        """Warn if the queries cannot tell the best round from the last."""
        if self.best in (0, len(self.history)):
            return
        above = summarize(self.of_best - self.of_last)
        resolved = find_resolved_difference(above.n_queries, above.sd) if above.n_queries > 1 else 0.0
        if above.mean < resolved:
            figures = self.best, len(self.history), above.mean, above.n_queries, resolved
            warn_once(UNRESOLVED.format(name_measure(self.measure), *figures), ChoiceWarning)


def name_measure(measure: Metric) -> str:
    """Name a measure: as its text, or as the function is called."""
    return str(measure) if isinstance(measure, Measure) else getattr(measure, "__name__", "eval_metric")


def choose_measure(eval_metric: EvalMetric) -> Metric:
    """Return the function that measures each query."""
    if isinstance(eval_metric, str):
        return parse_measure(eval_metric)
    if not callable(eval_metric):
        raise ValueError(f"eval_metric is {short(eval_metric)}: {METRIC_RULE}")
    return eval_metric


def check_validation(
    X: Matrix | None,
    y: ArrayLike | None,
    qid: ArrayLike | None,
    measure: Metric,
    early_stopping_rounds: int | None,
) -> Validation | None:
    """Check a validation set, whose features X, (n_valid, n_features), the ranker has checked; None without X."""
    patience = (
        None if early_stopping_rounds is None else check_integer("early_stopping_rounds", early_stopping_rounds, 1)
    )
    if X is None:
        if not (y is None and qid is None and patience is None):
            name = "early_stopping_rounds needs" if y is None and qid is None else "y_val and qid_val need"
            raise ValueError(f"X_val is None: {name} the features of the validation set")
        return None
    if y is None:
        raise ValueError("y_val is None: each row of X_val needs a label")
    labels = np.asarray(y)
    check_shape("y_val", labels, (len(X),), "(n_valid,), one label per row of X_val")
    ids = fill_ranked_queries(qid, len(X), "qid_val")
    if isinstance(measure, Measure):
        grade = measure.spec.max_grade if measure.metric == "err" else None
        labels = check_label_column(labels, HIGHEST_LABEL if grade is None else grade, name="y_val")
        if not list_trainable_queries(labels, ids):
            raise ValueError(SAME_EVERYWHERE)
    return Validation(X, labels, ids, measure, patience)

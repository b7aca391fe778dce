"""A recorded training: the records of every stage, in order, while a ranker is fitted (stages.py).

data, bins    before the first turn: the rows, and their bins as `Recorder` receives them (recording.py)
each turn     the records of its trees (turns.py)
the end       the ranking scores of the rows, and the quality of the ranking (ranked.py)
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Matrix
from refrank.checks import print_text
from refrank.estimators import COCRRanker
from refrank.estimators.base import Ranker
from refrank.trees import engine
from refrank.trees.engine import use_splitter
from yardstick.traces.ranked import CONVENTION, record_ranking
from yardstick.traces.recording import Recorder
from yardstick.traces.stages import Keep, Place, Record
from yardstick.traces.turns import complete_turn

Write = Callable[[Record], None]


def record_training(
    ranker: Ranker,
    X: Matrix,
    y: NDArray[Any],
    qid: NDArray[Any] | None,
    keep: Keep,
    write: Write,
    sample_weight: Floats | None = None,
) -> None:
    """Fit a ranker, and write the records of every stage, in order.

    Parameters
    ----------
    ranker : Ranker
        Fitted exactly as by `fit`, to the bit.
    X, y, qid, sample_weight : arrays of shape (n_samples, n_features), (n_samples,), (n_samples,), (n_samples,)
        As in `fit`.
    keep : function
        Makes a field from an array.
    write : function
        Takes each record.
    """
    write(record_data(X, y, qid, sample_weight, keep))
    recorder = Recorder(engine.DEFAULT_SPLITTER, keep)
    trained_on = X if sample_weight is None else X[sample_weight > 0]

    def monitor(n_done: int, so_far: Callable[[], Any]) -> None:
        for record in complete_turn(recorder.take(), n_done, so_far(), trained_on, keep):
            write(record)

    weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
    with use_splitter(recorder, recorder.watch), train_one_by_one(ranker):
        ranker.fit(X, y, qid, **weighted, monitor=monitor)
    for record in record_ranking(ranker, X, y, qid, keep):
        write(record)


def record_data(
    X: Matrix, y: NDArray[Any], qid: NDArray[Any] | None, sample_weight: Floats | None, keep: Keep
) -> Record:
    """Make the record of the rows, which keeps all entries: the training can be repeated from its trace alone."""
    given = {"X": X, "y": np.asarray(y, np.float64), "qid": number_queries(qid, len(X)), "weight": sample_weight}
    fields = {name: keep(values)._replace(values=values.copy()) for name, values in given.items() if values is not None}
    return Record("data", Place(), fields)


@contextmanager
def train_one_by_one(ranker: Any) -> Iterator[None]:
    """Have COCR train its problems one after the other; this changes no bit."""
    if not isinstance(ranker, COCRRanker):
        yield
        return
    n_jobs, ranker.n_jobs = ranker.n_jobs, 1
    try:
        yield
    finally:
        ranker.n_jobs = n_jobs


def describe_training(ranker: Ranker, X: Matrix, qid: NDArray[Any] | None) -> dict[str, Any]:
    """Describe a training, for the manifest of its trace."""
    return {
        **describe_ranker(ranker),
        "writer": f"refrank {metadata.version('refrank')}, {engine.splitter_name()}",
        "n_samples": len(X),
        "n_features": X.shape[1],
        "n_queries": int(number_queries(qid, len(X)).max()) + 1,
        "convention": CONVENTION,
    }


def describe_ranker(ranker: Ranker) -> dict[str, Any]:
    """Describe a ranker, or the base of one."""
    parameters = ranker.get_params(deep=False)
    return {
        "algorithm": ranker.algorithm,
        "parameters": {name: describe_parameter(value) for name, value in parameters.items()},
    }


def describe_parameter(value: Any) -> Any:
    """Write a parameter in JSON: its numbers, texts, lists and rankers, and of other values an object with the repr.

    >>> describe_parameter((0.5, "k", math.nan))
    [0.5, 'k', {'repr': 'nan'}]
    """
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple):
        return [describe_parameter(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return describe_parameter(value.tolist())
    if isinstance(value, Ranker):
        return describe_ranker(value)
    return {"repr": print_text(repr(value), 400)}


def number_queries(qid: NDArray[Any] | None, n_samples: int) -> Ints:
    """Number the queries from 0 in order of first occurrence, (n_samples,)."""
    if qid is None:
        return np.zeros(n_samples, np.int64)
    _, first, number = np.unique(np.asarray(qid), return_index=True, return_inverse=True)
    return np.argsort(np.argsort(first))[number]

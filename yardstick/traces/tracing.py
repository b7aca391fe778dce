"""A recorded training: the records of every stage, in order, while a ranker is fitted (stages.py).

data          the rows
each turn     what it tells (recording.py); of a net, the scores after each epoch
the end       the ranking scores of the rows, their order, and the quality of the ranking
"""

import math
from collections.abc import Callable
from importlib import metadata
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Matrix
from refrank.checks import print_text
from refrank.cocr.rankers import soft_rank
from refrank.estimators import COCRRanker, LambdaRanker
from refrank.estimators.base import Ranker
from refrank.metrics import PRESETS, err, ndcg
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.queries import group_rows
from refrank.trees import engine
from refrank.trees.engine import use_splitter
from yardstick.traces.recording import Recorder
from yardstick.traces.stages import Keep, Place, Record, Taker

CONVENTION = "paper"


def record_training(
    ranker: Ranker,
    X: Matrix,
    y: NDArray[Any],
    qid: NDArray[Any] | None,
    keep: Keep,
    write: Callable[[Record], None],
    sample_weight: Floats | None = None,
) -> None:
    """Fit a ranker exactly as `fit` does, to the bit, and have `write` take the records of every stage, in order.

    `keep` makes a field of a record from an array.
    """
    recorder = Recorder(ranker, Taker(keep, write))
    train_recorded(recorder, X, y, qid, sample_weight, engine.DEFAULT_SPLITTER)
    record_ranking(ranker, X, y, qid, recorder.taker)


def train_recorded(
    recorder: Recorder,
    X: Matrix,
    y: NDArray[Any],
    qid: NDArray[Any] | None,
    sample_weight: Floats | None,
    splitter: engine.Splitter,
) -> None:
    """Fit the ranker of a recorder, which is told the rows and all that happens, on a splitter."""
    ranker, taker = recorder.ranker, recorder.taker
    take_rows(taker, X, y, qid, sample_weight)

    def monitor(n_done: int, so_far: Callable[[], Any]) -> None:
        if isinstance(ranker, LambdaRanker):  # no trees: what is known of an epoch is what it scores
            taker.settle("scores", Place(round=n_done, output=0), so_far().predict(X))
        recorder.end_turn()

    weighted = {} if sample_weight is None else {"sample_weight": sample_weight}
    in_turn = {"n_jobs": 1} if isinstance(ranker, COCRRanker) else {}  # its problems: this changes no bit
    before = {name: getattr(ranker, name) for name in in_turn}
    try:
        with use_splitter(splitter, recorder.watch):
            ranker.set_params(**in_turn).fit(X, y, qid, **weighted, monitor=monitor)
    finally:
        ranker.set_params(**before)


def take_rows(taker: Taker, X: Matrix, y: NDArray[Any], qid: NDArray[Any] | None, sample_weight: Floats | None) -> None:
    """Have the rows taken."""
    given = {"X": X, "y": np.asarray(y, np.float64), "qid": number_queries(qid, len(X)), "weight": sample_weight}
    taker.take("data", Place(), **{name: values for name, values in given.items() if values is not None})


def record_ranking(ranker: Ranker, X: Matrix, y: NDArray[Any], qid: NDArray[Any] | None, taker: Taker) -> None:
    """Have the answers of COCR, the ranking scores of the training rows, their order, and its quality taken."""
    if isinstance(ranker, COCRRanker):
        answers = ranker.decision_function(X)
        for output in range(answers.shape[1]):
            answers[:, output] = taker.settle("answers", Place(output=output), answers[:, output])
        take_ranking(soft_rank(answers), y, qid, taker)
    else:
        take_ranking(ranker.predict(X), y, qid, taker)


def take_ranking(scores: Floats, y: NDArray[Any], qid: NDArray[Any] | None, taker: Taker) -> None:
    """Have ranking scores, (n_samples,), the order of the rows, and its quality taken."""
    scores = taker.settle("prediction", Place(), scores)
    rows = rank_rows(scores, qid)
    taker.take("order", Place(), rows=rows)
    rows = taker.adopt("order", Place(), "rows", rows, below=len(scores))
    labels = np.asarray(y, np.float64)
    if (labels >= 0).all() and (labels == np.rint(labels)).all():
        places = np.zeros(len(rows))
        places[rows] = -np.arange(len(rows))
        taker.take("metric", Place(), **measure(labels, places, qid))


def measure(labels: Floats, scores: Floats, qid: NDArray[Any] | None) -> dict[str, NDArray[Any]]:
    """Measure a ranking of all rows, query by query."""
    spec = PRESETS[CONVENTION]
    of_queries = np.asarray(ndcg(labels, scores, qid, 10, spec, per_query=True))
    values = {"ndcg": of_queries, "mean": np.array(mean_of_queries(of_queries))}
    if spec.max_grade is not None and labels.max() <= spec.max_grade:
        values["err"] = np.asarray(err(labels, scores, qid, None, spec, per_query=True))
    return values


def rank_rows(scores: Floats, qid: NDArray[Any] | None) -> Ints:
    """Rank the rows of each query by score, (n_samples,), best first; rows of equal scores keep their order."""
    queries = group_rows(qid, len(scores))
    rows, number = queries.rows, np.repeat(np.arange(len(queries.starts)), queries.lengths)
    return rows[np.lexsort((-scores[rows], number))]


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
    """Write a parameter in JSON: its numbers, texts, lists and rankers, and of other values an object with the repr."""
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

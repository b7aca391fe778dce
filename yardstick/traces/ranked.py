"""The end of a training: the ranking scores of its rows, their order, and the quality of the ranking."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Matrix
from refrank.cocr.rankers import soft_rank
from refrank.estimators import COCRRanker
from refrank.estimators.base import Ranker
from refrank.metrics import PRESETS, err, ndcg
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.queries import group_rows
from yardstick.traces.stages import Place
from yardstick.traces.taking import Taker

CONVENTION = "paper"


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
        taker.take("metric", Place(), **measure(labels, place_rows(rows), qid))


def place_rows(rows: Ints) -> Floats:
    """Return scores, (n_samples,), that rank the rows in this order."""
    scores = np.zeros(len(rows))
    scores[rows] = -np.arange(len(rows))
    return scores


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

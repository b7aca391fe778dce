"""The end of a training: the ranking scores of its rows, their order, and the quality of the ranking."""

from collections.abc import Iterator
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Matrix
from refrank.estimators import COCRRanker
from refrank.estimators.base import Ranker
from refrank.metrics import PRESETS, err, ndcg
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.queries import group_rows
from yardstick.traces.stages import Keep, Place, Record, make_record

CONVENTION = "paper"


def record_ranking(
    ranker: Ranker, X: Matrix, y: NDArray[Any], qid: NDArray[Any] | None, keep: Keep
) -> Iterator[Record]:
    """Yield the ranking scores of the training rows, their order, and its quality."""
    if isinstance(ranker, COCRRanker):
        for output, values in enumerate(ranker.decision_function(X).T):
            yield make_record(keep, "answers", Place(output=output), values=values)
    scores = ranker.predict(X)
    yield make_record(keep, "prediction", Place(), values=scores)
    yield make_record(keep, "order", Place(), rows=rank_rows(scores, qid))
    labels = np.asarray(y, np.float64)
    if (labels >= 0).all() and (labels == np.rint(labels)).all():
        yield make_record(keep, "metric", Place(), **measure(labels, scores, qid))


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

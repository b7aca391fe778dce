"""The ranking recomputed from its input: scores of the model, order of the rows, quality."""

from itertools import pairwise
from typing import Any

import numpy as np

from refrank.arrays import Floats
from refrank.estimators.mcrank_losses import LossBoostRanker
from refrank.estimators.tree_ranker import has_classes
from refrank.mcrank.expected_relevance import expected_relevance, transform_table
from refrank.mcrank.ordinal_boosting import class_proba, cumulative_proba_of, find_one_sided_constants
from refrank.mcrank.softmax_boosting import softmax
from yardstick.divergence.consequences.evidence import Arrays, Evidence, Unknown
from yardstick.divergence.consequences.forest import average_forest, list_targets
from yardstick.divergence.consequences.losses import choose_loss, find_starts
from yardstick.traces.ranked import measure, rank_rows
from yardstick.traces.stages import Place


def read_last_scores(evidence: Evidence) -> Floats:
    """Return `scores` after the last round, (n_samples, n_outputs)."""
    initial = choose_loss(evidence).initial
    places = [Place(round=evidence.n_rounds, output=k) for k in range(len(initial))]
    return np.column_stack([evidence.array("scores", place, "values") for place in places])


def prediction(evidence: Evidence, place: Place) -> Arrays:
    """Compute the ranking scores from the last scores."""
    predict = (
        score_directly if isinstance(evidence.ranker, LossBoostRanker) else PREDICTIONS.get(evidence.ranker.algorithm)
    )
    if predict is None:
        raise Unknown
    return {"values": predict(evidence)}


def score_by_classes(evidence: Evidence) -> Floats:
    """Expected relevance of softmax boosting."""
    ranker: Any = evidence.ranker
    F = read_last_scores(evidence)
    return expected_relevance(softmax(F), transform_table(ranker.relevance, F.shape[1]))


def score_by_problems(evidence: Evidence) -> Floats:
    """Expected relevance of ordinal boosting."""
    ranker: Any = evidence.ranker
    y = evidence.labels
    n_classes = ranker.n_classes or int(y.max()) + 1
    proba = class_proba(cumulative_proba_of(read_last_scores(evidence), find_one_sided_constants(y, n_classes)))
    return expected_relevance(proba, transform_table(ranker.relevance, n_classes))


def score_directly(evidence: Evidence) -> Floats:
    """Score of a regression."""
    return read_last_scores(evidence)[:, 0]


def score_by_forest(evidence: Evidence) -> Floats:
    """Mean of the trees, or expected relevance of the problems."""
    problems = np.column_stack([average_forest(evidence, k) for k in range(len(list_targets(evidence)))])
    return combine(evidence, problems)


def score_by_boosting(evidence: Evidence) -> Floats:
    """Sum of the trees and the forest that it starts from, or expected relevance of the problems."""
    ranker: Any = evidence.ranker
    starts_at_forest = ranker.algorithm == "igbrt"
    each_round = has_classes(ranker) and ranker.clip == "each-round"
    columns = []
    for k, initial in enumerate(choose_loss(evidence).initial):
        forest = average_forest(evidence, k) if starts_at_forest else None
        values = np.full(len(evidence.data("y")), initial) if forest is None or not each_round else forest.copy()
        for m in range(1, evidence.n_rounds + 1):
            place = Place(round=m, output=k)
            rows, starts = evidence.array("partition", place, "rows"), find_starts(evidence, place)
            for step, (first, last) in zip(evidence.array("step", place, "values"), pairwise(starts), strict=True):
                values[rows[first:last]] -= step  # of the residual
            if each_round:
                np.clip(values, 0.0, 1.0, out=values)
        columns.append(values if forest is None or each_round else forest + values)
    return combine(evidence, np.column_stack(columns))


def combine(evidence: Evidence, values: Floats) -> Floats:
    """Turn the answers to all problems into one score per row."""
    ranker: Any = evidence.ranker
    if not has_classes(ranker):
        return values[:, 0]
    return expected_relevance(class_proba(np.clip(values, 0.0, 1.0) if ranker.clip else values))


def order(evidence: Evidence, place: Place) -> Arrays:
    """Rank the rows of each query."""
    return {"rows": rank_rows(evidence.array("prediction", Place(), "values"), evidence.data("qid"))}


def metric(evidence: Evidence, place: Place) -> Arrays:
    """Measure the ranking."""
    rows = evidence.array("order", Place(), "rows")
    position = np.zeros(len(rows))
    position[rows] = np.arange(len(rows))
    return measure(evidence.data("y"), -position, evidence.data("qid"))  # in the port's order


PREDICTIONS = {
    "softmax": score_by_classes,
    "ordinal": score_by_problems,
    "rf": score_by_forest,
    "gbrt": score_by_boosting,
    "igbrt": score_by_boosting,
}

"""The ranking of rows, their order and its quality: after each turn of a training, and at its end.

After a turn, scores follow from the numbers of the turn, and no row is sent down an earlier tree again:

McRank       F of each output after its last step; of ABC-LogitBoost, what the round kept
a forest     the mean of its trees, to which each new one is added
GBRT         the start, and the sum of the steps; of iGBRT, beside the mean of the forest
"""

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Matrix
from refrank.cocr.rankers import soft_rank
from refrank.estimators import COCRRanker
from refrank.estimators.base import Ranker
from refrank.estimators.igbrt import BoostedRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.tree_ranker import has_classes
from refrank.metrics import PRESETS
from refrank.metrics.averaging import evaluate_blocks, mean_of_queries
from refrank.metrics.cumulative_gain import normalize_gains
from refrank.metrics.ordering import RankedBlock, rank_blocks
from refrank.metrics.queries import Documents, group_rows
from refrank.metrics.reciprocal_rank import expect_reciprocal_ranks, tabulate_stop_probability
from refrank.metrics.spec import HIGHEST_LABEL, tabulate_gains
from refrank.trees import engine, events
from refrank.trees.engine import default_engine, use_splitter
from refrank.trees.model.tree import add_predictions
from yardstick.traces.stages import LabelledRows, Place, Taker

CONVENTION = "paper"
END = Place()


class RunningOutputs:
    """The outputs of a training so far, of the rows that are trained on."""

    def __init__(self, ranker: Any) -> None:
        self.ranker, self.learned = ranker, ranker  # the second has what a ranker learns beside its trees
        self.X: Matrix = np.empty((0, 0))
        self.sums: dict[int, Floats] = {}  # by output, (n_samples,)
        self.forest: dict[int, Floats] = {}  # sums of trees, (n_samples,)
        self.n_trees = 0  # of a forest, per output
        self.kept: Floats | None = None  # (n_samples, n_outputs), where a round tries trees that it does not keep

    def add(self, event: Any, output: int = 0) -> None:
        """Add what an event changes, with the numbers that the training goes on with."""
        match event:
            case events.FeaturesBinned():
                self.X = event.X
            case events.ScoresStarted():
                self.sums = {k: np.full(len(self.X), value) for k, value in enumerate(event.values)}
            case events.ForestTreeGrown():
                self.n_trees += output == 0
                sums = self.forest.setdefault(output, np.zeros(len(self.X)))
                add_predictions([event.tree], self.X, 1.0, sums, default_engine(1))
            case events.ScoresRaised() if isinstance(self.ranker, BoostedRanker):
                self.add_step(event, output)
            case events.ScoresRaised():
                self.sums[output] = event.scores.copy()
            case events.OutputsKept():
                self.kept = event.outputs.copy()

    def add_step(self, event: events.ScoresRaised, output: int) -> None:
        """Add a step of GBRT, whose scores are y - F."""
        sums = self.sums[output]
        sums[event.rows] -= np.repeat(event.values, np.diff(event.starts))
        if has_classes(self.ranker) and self.ranker.clip == "each-round":
            np.clip(sums + self.average(output), 0.0, 1.0, out=sums)
            self.forest.pop(output, None)

    def average(self, output: int) -> Any:
        """Average the trees of a forest so far, (n_samples,); 0 if there are none."""
        return self.forest[output] / self.n_trees if output in self.forest else 0.0

    def compute(self) -> Floats:
        """Compute the outputs, (n_samples, n_outputs)."""
        if self.kept is not None:
            return self.kept
        outputs = np.empty((len(self.X), len(self.sums or self.forest)), order="F")
        for k in range(outputs.shape[1]):
            outputs[:, k] = self.average(k) + self.sums.get(k, 0.0)
        return outputs

    def rank(self, learn: Callable[[], Any]) -> Floats:
        """Compute the ranking scores after a turn, (n_samples,); `learn` makes the ranker of the turns so far."""
        if self.learned is self.ranker and isinstance(self.ranker, BoostRanker):
            self.learned = learn()
        with use_splitter(engine.DEFAULT_SPLITTER):  # which tells nobody
            scores: Floats = self.learned.rank_outputs(self.compute())
        return scores


class RankedRows:
    """Rows that are ranked again and again: their queries and labels are read once."""

    def __init__(self, rows: LabelledRows) -> None:
        self.rows, labels = rows, np.asarray(rows.y, np.float64)
        self.has_grades = bool(((labels >= 0) & (labels <= HIGHEST_LABEL) & (labels == np.rint(labels))).all())
        grades = (labels if self.has_grades else np.zeros(len(labels))).astype(np.int8)
        self.documents = Documents(grades, np.empty(0), None, group_rows(rows.qid, len(labels)))
        self.highest, self.spec = int(grades.max()), PRESETS[CONVENTION]

    def rank(self, scores: Floats) -> list[RankedBlock]:
        """Rank the rows of each query by score, (n_samples,), best first; rows of equal scores keep their order."""
        scores = np.nan_to_num(scores, nan=-np.inf, posinf=np.inf, neginf=-np.inf) if np.isnan(scores).any() else scores
        return list(rank_blocks(replace(self.documents, scores=scores), None, self.spec))

    def list_rows(self, blocks: list[RankedBlock]) -> Ints:
        """List the ranked rows, query after query, (n_samples,)."""
        order = np.empty(len(self.documents.labels), np.int64)
        for block in blocks:
            is_row = block.rows >= 0
            places = self.documents.queries.starts[block.query, np.newaxis] + np.arange(block.rows.shape[1])
            order[places[is_row]] = block.rows[is_row]
        return order

    def measure(self, blocks: list[RankedBlock]) -> dict[str, NDArray[Any]]:
        """Measure a ranking of all rows, query by query."""
        spec, measure = self.spec, partial(evaluate_blocks, blocks, self.documents)
        gain_of = tabulate_gains(spec, self.highest)
        of_queries = measure(10, spec, partial(normalize_gains, gain_of=gain_of, k=10, spec=spec))
        values = {"ndcg": of_queries, "mean": np.array(mean_of_queries(of_queries))}
        if spec.max_grade is not None and self.highest <= spec.max_grade:
            stop_of = tabulate_stop_probability(spec.max_grade)
            values["err"] = measure(None, spec, partial(expect_reciprocal_ranks, stop_of=stop_of, k=None))
        return values


def record_ranking(ranker: Ranker, rows: LabelledRows, taker: Taker) -> None:
    """Have the answers of COCR, the ranking scores of the training rows, their order, and its quality taken."""
    if isinstance(ranker, COCRRanker):
        answers = ranker.decision_function(rows.X)
        for output in range(answers.shape[1]):
            answers[:, output] = taker.settle("answers", Place(output=output), answers[:, output])
        scores = soft_rank(answers)
    else:
        scores = ranker.predict(rows.X)
    take_ranking(scores, RankedRows(rows), taker)


def take_ranking(scores: Floats, ranked: RankedRows, taker: Taker, place: Place = END) -> None:
    """Have ranking scores, (n_samples,), the order of the rows, and its quality taken."""
    scores = taker.settle("prediction", place, scores)
    blocks = ranked.rank(scores)
    rows = ranked.list_rows(blocks)
    taker.take("order", place, rows=rows)
    order = taker.adopt("order", place, "rows", rows, below=len(scores))
    if order is not rows:  # that of a port
        places = np.zeros(len(order))
        places[order] = -np.arange(len(order))
        blocks = ranked.rank(places)
    if ranked.has_grades:
        taker.take("metric", place, **ranked.measure(blocks))

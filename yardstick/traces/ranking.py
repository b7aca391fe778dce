"""The ranking of rows, their order and its quality: after each turn of a training, and at its end.

After a turn, scores follow from the numbers of the turn, and no row is sent down an earlier tree again:

McRank       F of each output after its last step; of ABC-LogitBoost, what the round kept
a forest     the mean of its trees, to which each new one is added
GBRT         the start, and the sum of the steps; of iGBRT, beside the mean of the forest
"""

from collections.abc import Callable
from typing import Any

import numpy as np

from refrank.arrays import Floats, Matrix
from refrank.cocr.rankers import soft_rank
from refrank.estimators import COCRRanker
from refrank.estimators.base import Ranker
from refrank.estimators.igbrt import BoostedRanker
from refrank.estimators.mcrank import BoostRanker
from refrank.estimators.tree_ranker import has_classes
from refrank.metrics import PRESETS
from refrank.metrics.averaging import mean_of_queries
from refrank.metrics.reranking import RerankedRows
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


def record_ranking(ranker: Ranker, rows: LabelledRows, taker: Taker) -> None:
    """Have the answers of COCR, the ranking scores of the training rows, their order, and its quality taken."""
    if isinstance(ranker, COCRRanker):
        answers = ranker.decision_function(rows.X)
        for output in range(answers.shape[1]):
            answers[:, output] = taker.settle("answers", Place(output=output), answers[:, output])
        take_ranking(soft_rank(answers), read_queries(rows), taker)
    else:
        take_ranking(ranker.predict(rows.X), read_queries(rows), taker)


def read_queries(rows: LabelledRows) -> RerankedRows:
    """Read the labels and queries of rows, to rank them."""
    return RerankedRows(rows.y, rows.qid, PRESETS[CONVENTION])


def take_ranking(scores: Floats, ranked: RerankedRows, taker: Taker, place: Place = END) -> None:
    """Have ranking scores, (n_samples,), the order of the rows, and its quality taken."""
    scores = taker.settle("prediction", place, scores)
    blocks = ranked.rank(scores)
    rows = ranked.list_rows(blocks)
    taker.take("order", place, rows=rows)
    order = taker.adopt("order", place, "rows", rows, below=len(rows))
    if order is not rows:  # that of a port
        places = np.zeros(len(order))
        places[order] = -np.arange(len(order))
        blocks = ranked.rank(places)
    if ranked.has_grades:
        of_queries, of_err = ranked.measure_ndcg(blocks, 10), ranked.measure_err(blocks)
        beside = {} if of_err is None else {"err": of_err}
        taker.take("metric", place, ndcg=of_queries, mean=np.array(mean_of_queries(of_queries)), **beside)

"""Rows that are ranked again and again, as after each round of a training: their queries and labels are read once."""

from collections.abc import Sequence
from dataclasses import replace
from functools import partial

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.metrics.averaging import evaluate_blocks
from refrank.metrics.cumulative_gain import compute_ndcg
from refrank.metrics.ordering import RankedBlock, rank_blocks
from refrank.metrics.queries import Documents, group_rows
from refrank.metrics.reciprocal_rank import expect_reciprocal_ranks, tabulate_stop_probability
from refrank.metrics.spec import HIGHEST_LABEL, MetricSpec, tabulate_gains

Blocks = Sequence[RankedBlock]  # all queries


class RerankedRows:
    """Rows with labels and query ids, (n_samples,) each, and the convention by which their rankings are measured.

    >>> rows = RerankedRows([0, 1, 2], ["b", "a", "b"], MetricSpec("one"))
    >>> blocks = rows.rank(np.array([1.0, 2.0, 3.0]))
    >>> rows.list_rows(blocks), rows.measure_ndcg(blocks, 10), rows.measure_err(blocks)
    (array([2, 0, 1]), array([1., 1.]), array([0.1875, 0.0625]))
    """

    def __init__(self, y: ArrayLike, qid: ArrayLike | None, spec: MetricSpec) -> None:
        labels = np.asarray(y, np.float64)
        self.has_grades = bool(((labels >= 0) & (labels <= HIGHEST_LABEL) & (labels == np.rint(labels))).all())
        grades = (labels if self.has_grades else np.zeros(len(labels))).astype(np.int8)
        self.documents = Documents(grades, np.empty(0), None, group_rows(qid, len(labels)))
        self.highest, self.spec = int(grades.max()), spec

    def rank(self, scores: Floats) -> Blocks:
        """Rank the rows of each query by score, (n_samples,); those of score NaN are last."""
        if np.isnan(scores).any():
            scores = np.where(np.isnan(scores), -np.inf, scores)
        return list(rank_blocks(replace(self.documents, scores=scores), None, self.spec))

    def list_rows(self, blocks: Blocks) -> Ints:
        """List the ranked rows, query after query, best first, (n_samples,)."""
        order = np.empty(len(self.documents.labels), np.int64)
        for block in blocks:
            is_row = block.rows >= 0
            places = self.documents.queries.starts[block.query, np.newaxis] + np.arange(block.rows.shape[1])
            order[places[is_row]] = block.rows[is_row]
        return order

    def measure_ndcg(self, blocks: Blocks, k: int) -> Floats:
        """Compute NDCG@k of each query, (n_queries,), as `ndcg` does; labels must be grades."""
        gain_of = tabulate_gains(self.spec, self.highest)
        value_of = partial(compute_ndcg, gain_of=gain_of, k=k, spec=self.spec)
        return evaluate_blocks(blocks, self.documents, k, self.spec, value_of)

    def measure_err(self, blocks: Blocks) -> Floats | None:
        """Compute the ERR of each query, (n_queries,), as `err` does; None where a label exceeds its highest grade."""
        grade = self.spec.max_grade
        if grade is None or self.highest > grade:
            return None
        value_of = partial(expect_reciprocal_ranks, stop_of=tabulate_stop_probability(grade), k=None)
        return evaluate_blocks(blocks, self.documents, None, self.spec, value_of)

"""An NDCG explained: one ranking, position by position (McRank Eq. 1-3).

symbol       in code       shape
1/c_[i]      discount      one per position
y_sigma_i    label         one per position
DCG_g        ideal_dcg     scalar
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics.cumulative_gain import gather_gains, ndcg
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.ordering import rank_blocks
from refrank.metrics.presets import resolve_spec
from refrank.metrics.queries import check_cutoff, check_documents
from refrank.metrics.spec import MetricSpec, tabulate_gains


@dataclass(frozen=True)
class ExplainedPosition:
    """One position of a ranking and what it adds to DCG.

    Parameters
    ----------
    position, row : int
        Counted from 1. Row number of the document; with averaged ties, of one of the documents that share its score.
    score, label : float, int
        Of that document.
    gain, discount : float
        Gain expected at the position: with averaged ties, the mean over the documents of that score. Its divisor.
    contribution, running_sum : float
        c_[i] times the gain, and DCG up to this position.
    ideal_label, ideal_running_sum : int, float
        Label of the best ranking at this position, and its DCG up to it.
    """

    position: int
    row: int
    score: float
    label: int
    gain: float
    discount: float
    contribution: float
    running_sum: float
    ideal_label: int
    ideal_running_sum: float


@dataclass(frozen=True)
class Explanation:
    """The positions that count, and the value they add up to; `str()` is a table.

    Parameters
    ----------
    spec : MetricSpec
    k : int or None
        Truncation level; None: all documents.
    n_documents : int
    positions : tuple of ExplainedPosition
    dcg, ideal_dcg, ndcg : float
        `ndcg` is NaN if the spec skips the query.
    rule : str
        How `ndcg` follows from the two sums.
    """

    spec: MetricSpec
    k: int | None
    n_documents: int
    positions: tuple[ExplainedPosition, ...]
    dcg: float
    ideal_dcg: float
    ndcg: float
    rule: str

    def __str__(self) -> str:
        """Return the convention, one line per position, and the result."""
        head = "position   row     score  label    gain  /discount  =contribution        sum | ideal label  ideal sum"
        lines = [
            f"{p.position:8d} {p.row:5d} {p.score:9.4g} {p.label:6d} {p.gain:7.4g} {p.discount:10.6f} "
            f"{p.contribution:14.6f} {p.running_sum:10.6f} | {p.ideal_label:11d} {p.ideal_running_sum:10.6f}"
            for p in self.positions
        ]
        where = "all documents" if self.k is None else f"k={self.k}"
        return "\n".join([str(self.spec), head, *lines, f"NDCG ({where}) = {self.ndcg:.6f}: {self.rule}"])


def explain(
    y: ArrayLike,
    score: ArrayLike,
    k: int | None = 10,
    spec: str | MetricSpec = "paper",
    doc_id: ArrayLike | None = None,
) -> Explanation:
    """Explain the ranking of one query, position by position, under a convention.

    Parameters
    ----------
    y, score, k, spec, doc_id : as in `ndcg`
        All rows, (n_samples,), are documents of one query.

    Returns
    -------
    Explanation

    Examples
    --------
    >>> print(explain([1, 2, 0], [3.0, 2.0, 1.0], k=2))
    paper: gain 2^y-1, discount log2(1+i), ties stable, no relevant = 0, short as is, ERR max grade 4
    position   row     score  label    gain  /discount  =contribution        sum | ideal label  ideal sum
           1     0         3      1       1   1.000000       1.000000   1.000000 |           2   3.000000
           2     1         2      2       3   1.584963       1.892789   2.892789 |           1   3.630930
    NDCG (k=2) = 0.796708: 2.892789 / 3.630930
    """
    spec, k = resolve_spec(spec), check_cutoff(k)
    qid = np.zeros(np.shape(y)[:1])  # one query, whatever its length
    documents = check_documents(y, score, qid, doc_id, spec)
    gain_of = tabulate_gains(spec, int(documents.labels.max()))
    (block,) = rank_blocks(documents, k, spec)
    n_documents = len(documents.labels)
    discount = tabulate_discounts(n_documents, k, spec.discount)[:k]  # (n_positions,), like all arrays below
    gains = gather_gains(block, gain_of, len(discount))[0]
    rows, best = block.rows[0, :k], block.best[0, :k]
    running, ideal = np.add.accumulate(gains * discount), np.add.accumulate(gain_of[best] * discount)
    place = np.arange(1, len(rows) + 1), rows, documents.scores[rows], block.labels[0, :k]
    columns = *place, gains, 1.0 / discount, gains * discount, running, best, ideal
    positions = tuple(map(ExplainedPosition, *(column.tolist() for column in columns)))
    (value,) = ndcg(y, score, qid, k, spec, per_query=True, doc_id=doc_id).tolist()
    dcg, ideal_dcg = positions[-1].running_sum, positions[-1].ideal_running_sum
    if ideal_dcg == 0 and spec.no_relevant == "skip":
        rule = "no document has a gain, so the query is skipped"
    elif spec.short == "zero" and k is not None and n_documents < k:
        rule = f"{n_documents} documents are fewer than k={k}, so 0"
    elif ideal_dcg == 0:
        rule = f"no document has a gain, so {spec.no_relevant:g} by convention"
    else:
        rule = f"{dcg:.6f} / {ideal_dcg:.6f}"
    return Explanation(spec, k, n_documents, positions, dcg, ideal_dcg, value, rule)

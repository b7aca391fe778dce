"""An NDCG explained: one ranking, position by position (McRank Eq. 1-3).

symbol       in code       shape
1/c_[i]      discount      one per position
y_sigma_i    label         one per position
DCG_g        ideal_dcg     scalar
"""

from dataclasses import dataclass
from html import escape

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics.cumulative_gain import gather_gains, ndcg
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.ordering import rank_blocks
from refrank.metrics.presets import resolve_spec
from refrank.metrics.queries import check_cutoff, check_documents
from refrank.metrics.spec import MetricSpec, tabulate_gains

WIDTHS = {"position": 8, "row": 5, "score": 9, "label": 6, "gain": 7, "/discount": 10, "=contribution": 14, "sum": 10}
WIDTHS |= {"ideal label": 13, "ideal sum": 10}  # of the columns, in characters
CELL = 'style="text-align: right; padding: 1px 9px{}"'
BAR = "; background: linear-gradient(to left, #0072b240 {0:.1f}%, transparent {0:.1f}%)"


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

    @property
    def cells(self) -> tuple[str, ...]:
        """The columns of `WIDTHS`."""
        place = str(self.position), str(self.row), f"{self.score:.4g}", str(self.label), f"{self.gain:.4g}"
        sums = f"{self.discount:.6f}", f"{self.contribution:.6f}", f"{self.running_sum:.6f}"
        return *place, *sums, str(self.ideal_label), f"{self.ideal_running_sum:.6f}"


@dataclass(frozen=True)
class Explanation:
    """The positions that count, and the value they add up to; `str()` is a table, which a notebook draws.

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

    @property
    def result(self) -> str:
        """The value and its rule."""
        where = "all documents" if self.k is None else f"k={self.k}"
        return f"NDCG ({where}) = {self.ndcg:.6f}: {self.rule}"

    def __str__(self) -> str:
        """Return the convention, one line per position, and the result."""
        rows = (tuple(WIDTHS), *(p.cells for p in self.positions))
        padded = ([f"{cell:>{width}}" for cell, width in zip(row, WIDTHS.values(), strict=True)] for row in rows)
        lines = (f"{' '.join(cells[:8])} |{' '.join(cells[8:])[1:]}" for cells in padded)
        return "\n".join([str(self.spec), *lines, self.result])

    def _repr_html_(self) -> str:
        """Write the table, with a bar behind each contribution, whose length is its share of the largest."""
        largest = max(p.contribution for p in self.positions) or 1.0
        rows = ["".join(f"<th {CELL.format('')}>{head}</th>" for head in WIDTHS)]
        for p in self.positions:
            bars = {"=contribution": BAR.format(100 * p.contribution / largest)}
            cells = zip(WIDTHS, p.cells, strict=True)
            rows.append("".join(f"<td {CELL.format(bars.get(head, ''))}>{cell}</td>" for head, cell in cells))
        table = "".join(f"<tr>{row}</tr>" for row in rows)
        return f"<div><b>{escape(self.result)}</b><table>{table}</table>{escape(str(self.spec))}</div>"


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

"""One ranking laid out position by position, so that a person can check its DCG and NDCG (McRank Eq. 1-3)."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics.cumulative_gain import ndcg, position_weights, ranked_gains
from refrank.metrics.ordering import check_documents, ranked_blocks
from refrank.metrics.presets import resolve_spec
from refrank.metrics.queries import check_cutoff
from refrank.metrics.spec import MetricSpec, relevance_gain


@dataclass(frozen=True)
class ExplainedPosition:
    """What one position of a ranking adds to DCG.

    `gain` is the gain expected at the position: with averaged ties the mean over the documents of that score.
    """

    position: int  # 1-based
    row: int  # row number of the document; with averaged ties, of one of the documents that share its score
    score: float
    label: int
    gain: float
    discount: float  # what the gain is divided by
    contribution: float  # c_[i] times the gain
    running_sum: float  # DCG up to this position
    ideal_label: int  # label that the best ranking has here
    ideal_running_sum: float  # its DCG up to this position


@dataclass(frozen=True)
class Explanation:
    """The positions that count, and what they come to; `str()` is a table."""

    spec: MetricSpec
    k: int | None
    n_documents: int
    positions: tuple[ExplainedPosition, ...]
    dcg: float
    ideal_dcg: float
    ndcg: float  # NaN: the spec skips the query
    rule: str  # how ndcg comes from the two sums

    def __str__(self) -> str:
        """Return the convention, one line a position, and the result."""
        lines = [
            str(self.spec),
            "position   row     score  label    gain  /discount  =contribution        sum | ideal label  ideal sum",
        ]
        lines += [
            f"{p.position:8d} {p.row:5d} {p.score:9.4g} {p.label:6d} {p.gain:7.4g} {p.discount:10.6f} "
            f"{p.contribution:14.6f} {p.running_sum:10.6f} | {p.ideal_label:11d} {p.ideal_running_sum:10.6f}"
            for p in self.positions
        ]
        where = "all documents" if self.k is None else f"k={self.k}"
        lines.append(f"NDCG ({where}) = {self.ndcg:.6f}: {self.rule}")
        return "\n".join(lines)


def explain(
    y: ArrayLike,
    score: ArrayLike,
    k: int | None = 10,
    spec: str | MetricSpec = "paper",
    doc_id: ArrayLike | None = None,
) -> Explanation:
    """Return one query's ranking, position by position, under a convention.

    Parameters
    ----------
    y, score, k, spec, doc_id
        As in `refrank.metrics.ndcg`, for the documents of one query.

    Raises
    ------
    ValueError
        As `refrank.metrics.ndcg` does.

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
    documents = check_documents(y, score, None, doc_id, spec)
    gain_of = relevance_gain(spec, int(documents.labels.max()))
    (block,) = ranked_blocks(documents, spec)
    n_documents = len(documents.labels)
    weights = position_weights(spec, k, n_documents)
    gains = ranked_gains(block, gain_of, len(weights))[0]
    ideal_labels = np.sort(documents.labels)[::-1]
    found = np.add.accumulate(gains * weights)
    ideal = np.add.accumulate(gain_of[ideal_labels[: len(weights)]] * weights)
    (value,) = np.asarray(ndcg(y, score, None, k, spec, per_query=True, doc_id=doc_id)).tolist()
    positions = tuple(
        ExplainedPosition(
            position=i + 1,
            row=int(block.rows[0, i]),
            score=float(documents.scores[block.rows[0, i]]),
            label=int(block.labels[0, i]),
            gain=float(gains[i]),
            discount=1.0 / float(weights[i]),
            contribution=float(gains[i] * weights[i]),
            running_sum=float(found[i]),
            ideal_label=int(ideal_labels[i]),
            ideal_running_sum=float(ideal[i]),
        )
        for i in range(len(weights))
    )
    rule = _rule(spec, k, n_documents, float(found[-1]), float(ideal[-1]))
    return Explanation(spec, k, n_documents, positions, float(found[-1]), float(ideal[-1]), value, rule)


def _rule(spec: MetricSpec, k: int | None, n_documents: int, found: float, ideal: float) -> str:
    if ideal == 0 and spec.no_relevant == "skip":
        return "no document has a gain, so the query is skipped"
    if spec.short == "zero" and k is not None and n_documents < k:
        return f"{n_documents} documents are fewer than k={k}, so 0"
    if ideal == 0:
        return f"no document has a gain, so {spec.no_relevant:g} by convention"
    return f"{found:.6f} / {ideal:.6f}"

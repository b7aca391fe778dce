"""Ranking the documents of each query by score, and the rules for equal scores.

symbol     in code    shape
sigma      order      (n_block, width): column in the block of the document at each position
y_sigma    labels     (n_block, width): labels in ranked order, 0 in the padding
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics.queries import (
    Block,
    QueryRows,
    blocks,
    check_labels,
    check_scores,
    document_order,
    group_rows,
)
from refrank.metrics.spec import MetricSpec


@dataclass(frozen=True)
class Documents:
    """Checked input of a metric."""

    labels: np.ndarray  # (n_samples,) int8
    scores: np.ndarray  # (n_samples,) float64
    document: (
        np.ndarray | None
    )  # (n_samples,) place of the document id in ascending order, for that tie rule only
    queries: QueryRows


@dataclass(frozen=True)
class RankedBlock:
    """Queries side by side, each ranked by descending score; lines end in padding of label 0."""

    query: np.ndarray  # (n_block,) query numbers
    labels: np.ndarray  # (n_block, width) int8
    rows: np.ndarray  # (n_block, width) row number of the document at each position
    present: np.ndarray  # (n_block, width)
    tied: (
        np.ndarray | None
    )  # (n_block, width) True where the score equals the one before; for averaged ties only


def check_documents(
    y: ArrayLike, score: ArrayLike, qid: ArrayLike | None, doc_id: ArrayLike | None, spec: MetricSpec
) -> Documents:
    """Return the checked input; a fault is a `ValueError` that names argument, place, value and rule."""
    labels = check_labels(y)
    n_samples = len(labels)
    scores = check_scores(score, n_samples)
    document = document_order(doc_id, n_samples) if spec.ties == "document id descending" else None
    return Documents(labels, scores, document, group_rows(qid, n_samples))


def ranked_blocks(documents: Documents, spec: MetricSpec) -> Iterator[RankedBlock]:
    """Yield all queries, ranked by score under the tie rule of the spec."""
    for block in blocks(documents.queries):
        falling = -documents.scores[block.rows]  # (n_block, width): ascending order ranks by descending score
        falling[~block.present] = np.inf
        order = _order(documents, block, falling, spec)
        rows = np.take_along_axis(block.rows, order, axis=1)
        labels = np.where(block.present, documents.labels[rows], np.int8(0))
        tied = None
        if spec.ties == "averaged":
            ranked = np.take_along_axis(falling, order, axis=1)
            tied = np.zeros(ranked.shape, dtype=bool)
            tied[:, 1:] = (ranked[:, 1:] == ranked[:, :-1]) & block.present[:, 1:]
        yield RankedBlock(block.query, labels, rows, block.present, tied)


def _order(documents: Documents, block: Block, falling: np.ndarray, spec: MetricSpec) -> np.ndarray:
    # Paper is silent: McRank and COCR call sigma a permutation and do not say how equal scores are ordered.
    if spec.ties in ("stable", "averaged"):
        return np.argsort(falling, axis=1, kind="stable")
    if spec.ties == "worst":
        second = documents.labels[block.rows].astype(np.int64)
    elif spec.ties == "best":
        second = -documents.labels[block.rows].astype(np.int64)
    else:
        assert documents.document is not None
        second = -documents.document[block.rows]
    second[~block.present] = np.iinfo(
        np.int64
    ).max  # padding stays last, even beside a score of minus infinity
    return np.lexsort((second, falling), axis=1)

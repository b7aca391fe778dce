"""Ranking the documents of each query by score, and the rules for equal scores.

symbol     in code    shape
sigma      order      (n_block, width): column in the block of the document at each position
y_sigma    labels     (n_block, width): labels in ranked order, 0 in the padding
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refrank.metrics.queries import Block, Documents, lay_out_blocks
from refrank.metrics.spec import MetricSpec


@dataclass(frozen=True)
class RankedBlock:
    """Queries side by side, each ranked by descending score; lines end in padding of label 0.

    Parameters
    ----------
    query : int64 array of shape (n_block,)
        Query numbers.
    labels : int8 array of shape (n_block, width)
    rows : int64 array of shape (n_block, width)
        Row number of the document at each position.
    present : bool array of shape (n_block, width)
        False in the padding.
    tied : bool array of shape (n_block, width) or None
        True where the score equals the one before; None unless ties are averaged.
    """

    query: NDArray[np.int64]
    labels: NDArray[np.int8]
    rows: NDArray[np.int64]
    present: NDArray[np.bool_]
    tied: NDArray[np.bool_] | None


def rank_blocks(documents: Documents, spec: MetricSpec) -> Iterator[RankedBlock]:
    """Yield all queries, ranked by score under the tie rule of the spec."""
    for block in lay_out_blocks(documents.queries):
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


def _order(documents: Documents, block: Block, falling: NDArray[np.float64], spec: MetricSpec) -> NDArray[np.int64]:
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
    second[~block.present] = np.iinfo(np.int64).max  # padding stays last, even beside a score of -inf
    return np.lexsort((second, falling), axis=1)

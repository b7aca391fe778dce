"""Ranking the documents of each query by score, and the rules for equal scores.

    symbol     in code    shape
    sigma      order      (n_block, width): column in the block of the document at each position
    y_sigma    labels     (n_block, width): labels in ranked order, 0 in the padding

A block holds queries of similar length side by side, so little of it is padding, and a metric is a few array operations
per block.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refrank.metrics.queries import Documents, Ints, QueryRows
from refrank.metrics.spec import MetricSpec

Bools = NDArray[np.bool_]
BLOCK_ENTRIES = 1 << 17  # one megabyte per float64 array: a block stays in the cache


@dataclass(frozen=True)
class RankedBlock:
    """Queries side by side, each ranked by descending score; lines end in padding of label 0."""

    query: Ints  # (n_block,) query numbers
    labels: NDArray[np.int8]  # (n_block, width)
    rows: Ints  # (n_block, width) row number of the document at each position
    tied: Bools | None  # (n_block, width) whether the score equals the one before; None unless ties are averaged


def rank_blocks(documents: Documents, spec: MetricSpec) -> Iterator[RankedBlock]:
    """Yield all queries, ranked by score under the tie rule of the spec."""
    for query, unranked, present in lay_out_blocks(documents.queries):
        falling = -documents.scores[unranked]  # (n_block, width): ascending order ranks by descending score
        falling[~present] = np.inf
        order = _order(documents, unranked, present, falling, spec)
        rows = np.take_along_axis(unranked, order, axis=1)
        labels = np.where(present, documents.labels[rows], np.int8(0))
        tied = None
        if spec.ties == "averaged":
            ranked = np.take_along_axis(falling, order, axis=1)
            tied = np.zeros(ranked.shape, dtype=bool)
            tied[:, 1:] = (ranked[:, 1:] == ranked[:, :-1]) & present[:, 1:]
        yield RankedBlock(query, labels, rows, tied)


def lay_out_blocks(queries: QueryRows) -> Iterator[tuple[Ints, Ints, Bools]]:
    """Yield all queries, in blocks of similar lengths, short queries first.

    A block is its query numbers, (n_block,), their rows, (n_block, width), in the order of the input, and where these
    are present, (n_block, width): shorter lines end in padding that repeats some row.
    """
    by_length = np.argsort(queries.lengths, kind="stable")
    lengths = queries.lengths[by_length]
    first = 0
    while first < len(lengths):
        # As many queries as fit; lengths ascend, so the last one taken is the width of the block.
        size = np.arange(1, len(lengths) - first + 1) * lengths[first:]
        last = first + max(1, int(np.searchsorted(size, BLOCK_ENTRIES, side="right")))
        query = by_length[first:last]
        column = np.arange(lengths[last - 1])
        present = column < queries.lengths[query, None]
        place = queries.starts[query, None] + np.where(present, column, 0)
        yield query, queries.rows[place], present
        first = last


def _order(documents: Documents, rows: Ints, present: Bools, falling: NDArray[np.float64], spec: MetricSpec) -> Ints:
    # Paper is silent: McRank and COCR call sigma a permutation and do not say how equal scores are ordered.
    if spec.ties in ("stable", "averaged"):
        return np.argsort(falling, axis=1, kind="stable")
    if documents.document is not None:
        second = -documents.document[rows]
    else:
        labels = documents.labels[rows].astype(np.int64)
        second = labels if spec.ties == "worst" else -labels
    second[~present] = np.iinfo(np.int64).max  # padding stays last, even beside a score of -inf
    return np.lexsort((second, falling), axis=1)

"""Ranking the documents of each query by score, and the rules for equal scores.

    symbol     in code    shape
    sigma      rows       (n_block, width): row of the document at each position
    y_sigma    labels     (n_block, width): labels in ranked order, 0 in the padding

A block holds queries with similar numbers of positions side by side, so little of it is padding, and a metric is a few
array operations per block. `rank_first` is the specification of the extension `_order.pyx`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np

from refrank.arrays import Bools, Floats, Ints, SmallLabels
from refrank.kernel import load_extension, resolve_threads
from refrank.metrics.queries import Documents
from refrank.metrics.spec import MetricSpec

COMPILED = load_extension("refrank.metrics._order")  # None: the specification makes the rankings
BLOCK_ENTRIES = 1 << 17  # one megabyte per float64 array: a block stays in the cache


@dataclass(frozen=True)
class RankedBlock:
    """Queries side by side, each ranked by descending score, up to a position; lines end in padding of label 0."""

    query: Ints  # (n_block,) query numbers
    rows: Ints  # (n_block, width) row number of the document at each position, -1 in the padding
    labels: SmallLabels  # (n_block, width)
    best: SmallLabels  # (n_block, width) labels in the best order, the highest first
    tied: Bools | None  # (n_block, width) whether the score equals the one before; None unless ties are averaged


def rank_blocks(documents: Documents, k: int | None, spec: MetricSpec) -> Iterator[RankedBlock]:
    """Yield all queries, ranked by score under the tie rule of the spec, at least up to position k (None: the last)."""
    queries, order = documents.queries, documents.queries.order
    scores, labels, second = documents.scores, documents.labels, _list_second_keys(documents, spec)
    unranked = documents.unranked
    if order is not None:  # query after query, as `rank_first` reads them
        scores, labels, second = scores[order], labels[order], None if second is None else second[order]
        unranked = None if unranked is None else unranked[order]
    rank = rank_first if COMPILED is None else COMPILED.rank_first
    n_threads = resolve_threads()
    n_positions = queries.lengths
    if k is not None and spec.ties != "averaged":  # a tied group may reach beyond position k: its mean needs all of it
        n_positions = np.minimum(n_positions, k)
    for query, width in lay_out_blocks(n_positions):
        own = queries.starts[query], queries.lengths[query]
        places, ranked_labels, best = rank(scores, labels, second, *own, width, n_threads)
        if unranked is not None:  # at the end, in the places of documents without a label
            ranked_labels[unranked[places]] = 0
        tied = None
        if spec.ties == "averaged":
            ranked, tied = scores[places], np.zeros(places.shape, dtype=bool)
            tied[:, 1:] = (ranked[:, 1:] == ranked[:, :-1]) & (places[:, 1:] >= 0)
        rows = places if order is None else np.where(places < 0, -1, order[places])
        yield RankedBlock(query, rows, ranked_labels, best, tied)


def _list_second_keys(documents: Documents, spec: MetricSpec) -> Ints | None:
    """Return the sort key of equal scores, ascending, (n_samples,); None: the order of the input."""
    # Paper is silent: McRank and COCR call sigma a permutation and do not say how equal scores are ordered.
    if spec.ties in ("stable", "averaged"):
        return None
    if documents.document is not None:
        return -documents.document
    labels = documents.labels.astype(np.int64)
    return labels if spec.ties == "worst" else -labels


def lay_out_blocks(n_positions: Ints) -> Iterator[tuple[Ints, int]]:
    """Yield all queries, in blocks of similar numbers of positions, (n_queries,), the fewest first.

    A block is its query numbers, (n_block,), and its width, the largest number of positions.
    """
    by_width = np.argsort(n_positions, kind="stable")
    widths = n_positions[by_width]
    first = 0
    while first < len(widths):
        # As many queries as fit; widths ascend, so the last one taken is the width of the block.
        size = np.arange(1, len(widths) - first + 1) * widths[first:]
        last = first + max(1, int(np.searchsorted(size, BLOCK_ENTRIES, side="right")))
        yield by_width[first:last], int(widths[last - 1])
        first = last


def rank_first(
    scores: Floats,
    labels: SmallLabels,
    second: Ints | None,
    starts: Ints,
    lengths: Ints,
    width: int,
    n_threads: int,
) -> tuple[Ints, SmallLabels, SmallLabels]:
    """Rank each query of a block up to position `width`: THE SPECIFICATION; the extension equals it in every bit.

    Parameters
    ----------
    scores : float64 array of shape (n_samples,)
        The scores of a query are adjacent, and so are its labels and second keys.
    labels : int8 array of shape (n_samples,)
        From 0 to 53.
    second : int64 array of shape (n_samples,) or None
        Order of equal scores, ascending; still equal, or None: the order of the input.
    starts, lengths : int64 array of shape (n_block,)
        Query q has `scores[starts[q] : starts[q] + lengths[q]]`.
    width : int
        Number of positions, at least 1.
    n_threads : int
        Without effect here.

    Returns
    -------
    places, labels, best : array of shape (n_block, width)
        Place in `scores` of the document at each position, -1 in the padding; labels as in `RankedBlock`.
    """
    places = np.full((len(starts), width), -1)
    ranked_labels, best = np.zeros(places.shape, np.int8), np.zeros(places.shape, np.int8)
    for line, start, length in zip(range(len(starts)), starts, lengths, strict=True):
        own, n = slice(start, start + length), min(length, width)
        # 1. Descending scores; equal scores by ascending second key, then in the order of the input.
        order = np.lexsort((-scores[own],) if second is None else (second[own], -scores[own]))
        places[line, :n] = start + order[:n]
        # 2. The labels in this order.
        ranked_labels[line, :n] = labels[places[line, :n]]
        # 3. The labels in the best order.
        best[line, :n] = np.sort(labels[own])[::-1][:n]
    return places, ranked_labels, best

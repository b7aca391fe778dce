"""A splitter whose sums over rows are those of shards, as machines that hold some rows each would send them."""

from types import SimpleNamespace

import numpy as np

from refrank.trees.engine import DEFAULT_SPLITTER
from tests.strategies import pack


def shard(n_shards: int) -> SimpleNamespace:
    """A splitter of so many shards: a node's histogram is the sum of theirs."""

    def histogram(codes, offsets, rows, integers, weights, n_threads):
        shards = [rows[rows % n_shards == shard] for shard in range(n_shards)]
        parts = (DEFAULT_SPLITTER.histogram(codes, offsets, s, integers, weights, n_threads) for s in shards if len(s))
        return sum(parts)

    def root_sums(codes, offsets, integers, n_threads):
        shards = [np.arange(shard, codes.shape[1], n_shards) for shard in range(min(n_shards, codes.shape[1]))]
        at = [(np.ascontiguousarray(codes[:, rows]), [quantity[rows] for quantity in integers]) for rows in shards]
        return sum(DEFAULT_SPLITTER.root_sums(c, offsets, quantities, n_threads) for c, quantities in at)

    def best_split_inside(columns, offsets, coarse_offsets, ends, sums, rows, integers, weights, *others):
        lasts = np.split(ends, coarse_offsets[1:-1])
        coarse = [np.searchsorted(last, column) for last, column in zip(lasts, columns, strict=True)]
        codes = pack(coarse, rows, np.diff(coarse_offsets), np.uint8).codes
        expected = histogram(codes, coarse_offsets, rows, integers, weights, 1)
        np.testing.assert_array_equal(sums, expected, strict=True)
        codes = pack(columns, rows, np.diff(offsets), columns.dtype).codes
        return DEFAULT_SPLITTER.best_split(histogram(codes, offsets, rows, integers, weights, 1), offsets, *others)

    names = ("bin_starts", "quantize", "best_split", "partition", "leaf_sums", "add_to_leaves")
    names += ("largest_magnitude", "round_to_grid")
    others = {name: getattr(DEFAULT_SPLITTER, name) for name in names}
    return SimpleNamespace(histogram=histogram, root_sums=root_sums, best_split_inside=best_split_inside, **others)

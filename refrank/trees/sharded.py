"""A splitter whose sums are those of the rows of all shards; its other functions see the rows of their own.

Cuts are found in the joined sums, so every shard makes the same cut, and parts its own rows by it.
"""

from collections.abc import Sequence
from typing import Any

from refrank.arrays import Codes, Floats, Ints, Rows
from refrank.cluster.communicator import Communicator


class ShardedSplitter:
    """Any splitter, with three functions that add up what the shards return.

    `find_exponent` (refrank/trees/numbers/grid.py) joins `largest_magnitude`, with the number of rows.
    """

    def __init__(self, splitter: Any, shards: Communicator) -> None:
        self.splitter, self.shards = splitter, shards

    def __getattr__(self, name: str) -> Any:
        """Pass on the functions of the splitter."""
        return getattr(self.splitter, name)

    def histogram(
        self, codes: Codes, offsets: Ints, rows: Rows, integers: Ints, weights: Ints | None, n_threads: int
    ) -> Ints:
        """Sum the rows of a node in each bin of each feature."""
        return self.shards.sum(self.splitter.histogram(codes, offsets, rows, integers, weights, n_threads))

    def root_sums(self, codes: Codes, offsets: Ints, quantities: Sequence[Ints], n_threads: int) -> Ints:
        """Sum several quantities of all rows in each bin of each feature."""
        return self.shards.sum(self.splitter.root_sums(codes, offsets, quantities, n_threads))

    def leaf_sums(self, value: Floats, exponent: int, rows: Rows, starts: Ints, n_threads: int) -> Ints:
        """Sum a quantity over the rows of each leaf."""
        return self.shards.sum(self.splitter.leaf_sums(value, exponent, rows, starts, n_threads))

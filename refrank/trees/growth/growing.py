"""A growing tree: the order of its rows, and its nodes so far.

The rows are one array that is reordered in place: a node is a range of it, and a cut divides that range in two. With
rows 0..5, a cut that sends 0, 2 and 3 left, and a second cut that sends 2 left:

    rows     0 1 2 3 4 5        node 0 is rows[0:6]
    cut 0    0 2 3 | 1 4 5      node 1 is rows[0:3], node 2 is rows[3:6]
    cut 1    2 | 0 3 | 1 4 5    node 3 is rows[0:1], node 4 is rows[1:3]

Rows keep their order, so the rows of a node ascend. The histogram of the largest child of a node is that of the node
minus those of the other children: the sums are integers, so the difference is exact. The root decides what is summed,
and in which bins (refrank/trees/growth/roots.py).
"""

from typing import NamedTuple

import numpy as np

from refrank.arrays import Rows
from refrank.trees.events import CutMade
from refrank.trees.growth.roots import Root
from refrank.trees.model.tree import LEAF, Leaves, Tree, quotient, scale_gains, with_values
from refrank.trees.numbers.grid import from_grid
from refrank.trees.splitting import Split


class Node(NamedTuple):
    """A node of a growing tree; its sums are in units of the grids, over the rows of all shards."""

    first: int  # the place of its first row among the rows of the tree, of all shards
    n_samples: int
    start: int  # its rows on this shard are rows[start:stop]
    stop: int
    depth: int  # number of cuts above it
    residual_sum: int
    weight_sum: int  # the count of rows where they have no weights


class Growing:
    """A growing tree: the order of its rows, and its nodes so far."""

    def __init__(self, root: Root) -> None:
        self.root, self.binned, self.engine = root, root.binned, root.binned.engine
        self.rows = np.arange(self.binned.n_rows, dtype=np.int32)
        # every row is in a bin of the first feature
        residual_sum, n_samples, *weight_sum = root.list_slots(root.sums, 0).sum(axis=0).tolist()
        self.nodes = [Node(0, n_samples, 0, len(self.rows), 0, residual_sum, *(weight_sum or [n_samples]))]
        # of each node that was cut: its split and its left child, which the right one follows
        self.splits: dict[int, tuple[Split, int]] = {}

    @property
    def n_leaves(self) -> int:
        """Number of leaves so far."""
        return len(self.nodes) - len(self.splits)

    def get_rows(self, number: int) -> Rows:
        """Return the rows of a node, a view."""
        return self.rows[self.nodes[number].start : self.nodes[number].stop]

    def cut(self, number: int, in_two: list[Split]) -> list[int]:
        """Cut a node in two or in three; return the numbers of its children, the leftmost last."""
        # A cut three ways is two cuts: first the rows that miss the feature, then the others.
        *parting, among = in_two
        depth, missed = self.nodes[number].depth + 1, []
        for cut in parting:
            number, right = self.cut_in_two(number, cut, depth)
            missed.append(right)
        left, right = self.cut_in_two(number, among, depth)
        return [*missed, right, left]

    def cut_in_two(self, number: int, split: Split, depth: int) -> tuple[int, int]:
        """Make the two children of a node; return their numbers."""
        node = self.nodes[number]
        where = self.get_rows(number), split.feature, split.bin, self.engine.n_threads
        n_left = self.engine.splitter.partition(self.binned.codes, *where)
        left = len(self.nodes)
        made = CutMade(self.root.residual, number, left, split, where[0], n_left)
        n_left = self.engine.tell(made).n_left
        first, middle, n_right = node.first + split.left_count, node.start + n_left, node.n_samples - split.left_count
        right_sum, right_weight = node.residual_sum - split.left_sum, node.weight_sum - split.left_weight
        self.nodes += [
            Node(node.first, split.left_count, node.start, middle, depth, split.left_sum, split.left_weight),
            Node(first, n_right, middle, node.stop, depth, right_sum, right_weight),
        ]
        self.splits[number] = split, left
        return left, left + 1

    def finish(self) -> tuple[Tree, Leaves]:
        """Return the tree, whose values are the means of its leaves, and the leaves in the order of their rows."""
        n_nodes = len(self.nodes)
        feature, bin, left, right = (np.zeros(n_nodes, np.int32) for _ in range(4))
        feature += LEAF
        split_gain = np.zeros(n_nodes)
        for number, (split, left_child) in self.splits.items():
            feature[number], bin[number], split_gain[number] = split.feature, split.bin, split.split_gain
            left[number], right[number] = left_child, left_child + 1
        residual_exponent, weight_exponent = self.root.residual.exponent, self.root.weights.exponent
        split_gain = scale_gains(split_gain, residual_exponent, weight_exponent)
        n_node_samples = np.array([node.n_samples for node in self.nodes], np.int64)
        cut = self.binned.cut_values(feature, bin)
        tree = Tree(feature, bin, cut, left, right, split_gain, n_node_samples, value=np.zeros(n_nodes))
        ordered = sorted((node, number) for number, node in enumerate(self.nodes) if number not in self.splits)
        leaves = Leaves(
            nodes=np.array([number for _, number in ordered], np.int64),
            rows=self.rows,
            starts=np.array([*(node.start for node, _ in ordered), len(self.rows)], np.int64),
            residual_sum=from_grid(np.array([node.residual_sum for node, _ in ordered]), residual_exponent),
            weight_sum=from_grid(np.array([node.weight_sum for node, _ in ordered]), weight_exponent),
            engine=self.engine,
        )
        return with_values(tree, leaves, quotient(leaves.residual_sum, leaves.weight_sum)), leaves

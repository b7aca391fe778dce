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

from refrank.arrays import Floats, Ints, Rows
from refrank.trees.events import CutMade
from refrank.trees.growth.roots import Root
from refrank.trees.model.tree import LEAF, Leaves, Tree, quotient, scale_gains
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

    def list_nodes(self) -> "Nodes":
        """List the fields of the nodes."""
        feature, bin, left = (np.zeros(len(self.nodes), np.int32) for _ in range(3))
        feature += LEAF
        split_gain = np.zeros(len(self.nodes))
        for number, (split, left_child) in self.splits.items():
            feature[number], bin[number], left[number] = split.feature, split.bin, left_child
            split_gain[number] = split.split_gain
        first, n_samples, start, _, _, residual_sum, weight_sum = np.array(self.nodes, np.int64).T.copy()
        return Nodes(feature, bin, left, split_gain, first, start, n_samples, residual_sum, weight_sum)


class Nodes(NamedTuple):
    """The nodes of a tree, (n_nodes,) each; sums are in units of the grids, over the rows of all shards."""

    feature: Rows  # LEAF where a node is not cut
    bin: Rows
    left: Rows  # the left child, which the right one follows; 0 in a leaf
    split_gain: Floats
    first: Ints
    start: Ints
    n_samples: Ints
    residual_sum: Ints
    weight_sum: Ints


def make_tree(root: Root, rows: Rows, nodes: Nodes) -> tuple[Tree, Leaves]:
    """Make the tree of a root, whose values are the means of its leaves, and its leaves in the order of their rows."""
    residual_exponent, weight_exponent = root.residual.exponent, root.weights.exponent
    split_gain = scale_gains(nodes.split_gain, residual_exponent, weight_exponent)
    cut = root.binned.cut_values(nodes.feature, nodes.bin)
    right = nodes.left + (nodes.left > 0)
    value = np.zeros(len(cut))
    tree = Tree(nodes.feature, nodes.bin, cut, nodes.left, right, split_gain, nodes.n_samples, value)
    [numbers] = (nodes.feature == LEAF).nonzero()
    numbers = numbers[nodes.first[numbers].argsort()]
    leaves = Leaves(
        nodes=numbers,
        rows=rows,
        starts=np.append(nodes.start[numbers], len(rows)),
        residual_sum=from_grid(nodes.residual_sum[numbers], residual_exponent),
        weight_sum=from_grid(nodes.weight_sum[numbers], weight_exponent),
        engine=root.binned.engine,
    )
    value[numbers] = quotient(leaves.residual_sum, leaves.weight_sum)
    return tree, leaves

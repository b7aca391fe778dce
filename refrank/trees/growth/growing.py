"""A growing tree: the order of its rows, and its nodes so far.

    symbol    in code      shape
    -         residual     (n_samples,): the values to fit, times the weights, on their grid
    w         weights      (n_samples,) int64, on their grid, or None where all rows weigh the same
    -         sums         (n_slots, 2 or 3) int64: a node's histogram (refrank/trees/splitting.py)

The rows are one array that is reordered in place: a node is a range of it, and a cut divides that range in two. With
rows 0..5, a cut that sends 0, 2 and 3 left, and a second cut that sends 2 left:

    rows     0 1 2 3 4 5        node 0 is rows[0:6]
    cut 0    0 2 3 | 1 4 5      node 1 is rows[0:3], node 2 is rows[3:6]
    cut 1    2 | 0 3 | 1 4 5    node 3 is rows[0:1], node 4 is rows[1:3]

Rows keep their order, so the rows of a node ascend. The histogram of the largest child of a node is that of the node
minus those of the other children: the sums are integers, so the difference is exact. Where labels have two bytes,
histograms are over coarse bins, with one more column (refrank/trees/bins/coarse.py), or there are none
(refrank/trees/growth/roots.py).
"""

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np

from refrank.arrays import Ints, Rows
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.growth.roots import Root
from refrank.trees.model.tree import LEAF, Leaves, Tree, quotient, scale_gains, with_values
from refrank.trees.numbers.grid import from_grid
from refrank.trees.splitting import Split, take_apart


class Node(NamedTuple):
    """A node of a growing tree; its sums are in units of the grids."""

    start: int  # its rows are rows[start:stop] of the tree
    stop: int
    depth: int  # number of cuts above it
    residual_sum: int
    weight_sum: int  # the count of rows where they have no weights


class Growing:
    """A growing tree: the order of its rows, and its nodes so far."""

    def __init__(self, binned: BinnedFeatures, root: Root, min_samples_leaf: int) -> None:
        self.binned, self.min_samples_leaf = binned, min_samples_leaf
        self.splitter, self.n_threads = binned.engine.splitter, binned.engine.n_threads
        self.residual = root.residual
        self.weights = None if root.weights is None else root.weights.integers
        self.weight_exponent = 0 if root.weights is None else root.weights.exponent
        self.coarse, self.positive = root.coarse, root.positive
        self.features = np.arange(binned.n_features, dtype=np.int32)
        self.rows = np.arange(binned.n_samples, dtype=np.int32)
        total_weight = binned.n_samples if self.weights is None else int(self.weights.sum())
        self.nodes = [Node(0, binned.n_samples, 0, int(self.residual.integers.sum()), total_weight)]
        # of each node that was cut: its split and its left child, which the right one follows
        self.splits: dict[int, tuple[Split, int]] = {}

    @property
    def n_leaves(self) -> int:
        """Number of leaves so far."""
        return len(self.nodes) - len(self.splits)

    def best_splits(self, children: list[int], parent_sums: Ints) -> Iterator[tuple[int, Split, Ints]]:
        """Yield each child with its best cut and its histogram."""
        for child, sums in self.histograms(children, parent_sums):
            yield child, self.best_split(sums) if self.coarse is None else self.best_split_inside(child, sums), sums

    def histograms(self, children: list[int], parent_sums: Ints) -> Iterator[tuple[int, Ints]]:
        """Yield each child with its histogram; the histogram of the largest overwrites its parent's."""
        largest = max(children, key=lambda child: self.nodes[child].stop - self.nodes[child].start)
        sums = {child: self.histogram(child) for child in children if child != largest}
        for smaller in sums.values():
            np.subtract(parent_sums, smaller, out=parent_sums)
        sums[largest] = parent_sums
        yield from ((child, sums[child]) for child in children)

    def histogram(self, number: int) -> Ints:
        """Sum the rows of a node in each bin of each feature, or in each coarse bin."""
        bins, rows = self.coarse or self.binned, self.rows_of(number)
        third = self.positive if self.weights is None else self.weights
        sums = self.splitter.histogram(bins.codes, bins.offsets, rows, self.residual.integers, third, self.n_threads)
        if self.positive is None or self.weights is None:
            return sums
        positive = self.splitter.histogram(bins.codes, bins.offsets, rows, self.positive, None, self.n_threads)[:, 0]
        return np.column_stack([sums, positive])

    def best_split(self, sums: Ints) -> Split:
        """Find the best cut of a node, given its histogram."""
        binned, least = self.binned, self.min_samples_leaf
        args = sums, binned.offsets, self.features, least, self.n_threads, binned.missing
        return Split(*self.splitter.best_split(*args))

    def best_split_inside(self, number: int, sums: Ints) -> Split:
        """Find the best cut of a node, given its histogram over coarse bins."""
        binned, coarse, least = self.binned, self.coarse, self.min_samples_leaf
        assert coarse is not None
        bins = binned.column_codes, binned.offsets, coarse.offsets, coarse.ends, sums
        args = *bins, self.rows_of(number), self.residual.integers, self.weights
        return Split(*self.splitter.best_split_inside(*args, self.features, least, self.n_threads, binned.missing))

    def rows_of(self, number: int) -> Rows:
        """Return the rows of a node, a view."""
        return self.rows[self.nodes[number].start : self.nodes[number].stop]

    def cut(self, number: int, split: Split, sums: Ints) -> list[int]:
        """Cut a node in two or in three; return the numbers of its children, the leftmost last."""
        # A cut three ways is two cuts: first the rows that miss the feature, then the others.
        *parting, among = self.take_apart(split, sums)
        depth, missed = self.nodes[number].depth + 1, []
        for cut in parting:
            number, right = self.cut_in_two(number, cut, depth)
            missed.append(right)
        left, right = self.cut_in_two(number, among, depth)
        return [*missed, right, left]

    def take_apart(self, split: Split, sums: Ints) -> list[Split]:
        """List the two-way cuts that make up a cut of a node, given its histogram."""
        binned, bins, f = self.binned, self.coarse or self.binned, split.feature
        if binned.missing is None or not binned.missing[f]:
            return [split]
        slots = sums[bins.offsets[f] : bins.offsets[f + 1], : 2 if self.weights is None else 3]
        n_bins = int(binned.offsets[f + 1] - binned.offsets[f])
        return take_apart(split, n_bins, slots.sum(axis=0), slots[-1])

    def cut_in_two(self, number: int, split: Split, depth: int) -> tuple[int, int]:
        """Make the two children of a node; return their numbers."""
        node = self.nodes[number]
        rows = self.rows[node.start : node.stop]
        middle = node.start + self.splitter.partition(self.binned.codes, rows, split.feature, split.bin, self.n_threads)
        right_sum, right_weight = node.residual_sum - split.left_sum, node.weight_sum - split.left_weight
        left = len(self.nodes)
        self.nodes += [
            Node(node.start, middle, depth, split.left_sum, split.left_weight),
            Node(middle, node.stop, depth, right_sum, right_weight),
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
        split_gain = scale_gains(split_gain, self.residual.exponent, self.weight_exponent)
        n_node_samples = np.array([node.stop - node.start for node in self.nodes], np.int64)
        cut = self.binned.cut_values(feature, bin)
        tree = Tree(feature, bin, cut, left, right, split_gain, n_node_samples, value=np.zeros(n_nodes))
        leaves = sorted((node, number) for number, node in enumerate(self.nodes) if number not in self.splits)
        found = Leaves(
            nodes=np.array([number for _, number in leaves], np.int64),
            rows=self.rows,
            starts=np.array([*(node.start for node, _ in leaves), len(self.rows)], np.int64),
            residual_sum=from_grid(np.array([node.residual_sum for node, _ in leaves]), self.residual.exponent),
            weight_sum=from_grid(np.array([node.weight_sum for node, _ in leaves]), self.weight_exponent),
            engine=self.binned.engine,
        )
        return with_values(tree, found, quotient(found.residual_sum, found.weight_sum)), found

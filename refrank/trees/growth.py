"""CART on binned features: best-first to J leaves (McRank Alg. 1, line 5), or to a depth with K features a cut (Mohan).

McRank App. I: the tree "recursively splits the training data points into two groups on the current 'best' feature that
will reduce the mean square errors (MSE) the most". What a cut takes off the sum of squared errors is its split_gain.

    symbol      in code        shape
    -           residual       (n_samples,) float64: what the tree is fitted to
    w           weight         (n_samples,) float64, or None where every row weighs the same
    J           n_leaves       int, the most leaves
    d           max_depth      int, the most cuts above a leaf
    K           candidates     function from a node's place to the features that its cut may use, ascending
    -           sums           (n_slots, 2 or 3) int64: a node's histogram (refrank/trees/splitting.py)

The splitter, specification or kernel, is an argument; the tree is the same to the bit with either.
"""

from collections.abc import Callable
from types import ModuleType
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.trees.binning import BinnedFeatures
from refrank.trees.grid import from_grid, to_grid
from refrank.trees.splitting import gain_of_parting
from refrank.trees.tree import LEAF, Leaves, Tree, with_values

Sums = NDArray[np.int64]


class Split(NamedTuple):
    """The best cut of a node, as the splitter reports it; sums and gain in units of the grids."""

    feature: int
    bin: int
    split_gain: float
    left_sum: int
    left_count: int
    left_weight: int


class Node(NamedTuple):
    """A node: its rows are rows[start:stop] of the growing tree."""

    start: int
    stop: int
    residual_sum: int
    weight_sum: int


def grow_best_first(
    binned: BinnedFeatures,
    residual: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    *,
    n_leaves: int,
    min_samples_leaf: int = 1,
    splitter: ModuleType,
    n_threads: int = 1,
) -> tuple[Tree, Leaves]:
    """Cut the waiting node whose best cut gains most, until J leaves; fewer only where no cut gains.

    Parameters
    ----------
    binned : BinnedFeatures
    residual, weight : float64 arrays of shape (n_samples,)
        The tree greedily minimises sum_i weight_i (residual_i - tree(x_i))**2.
    n_leaves : int
        J.
    min_samples_leaf : int
        A cut leaves at least so many rows on either side.
    splitter : module
        The specification `refrank.trees.splitting`, or the kernel.
    n_threads : int

    Returns
    -------
    Tree, Leaves
        The values of the tree are the means of its leaves; `with_values` gives it others.

    Examples
    --------
    >>> from refrank.trees import splitting
    >>> from refrank.trees.binning import bin_features
    >>> binned = bin_features(np.array([[0.0], [1.0], [2.0]]), 256, splitter=splitting)
    >>> tree, leaves = grow_best_first(binned, np.array([0.0, 5.0, 6.0]), n_leaves=2, splitter=splitting)
    >>> float(tree.cut[0]), tree.value.tolist()
    (0.500000005, [0.0, 0.0, 5.5])
    """
    growing = Growing(binned, residual, weight, min_samples_leaf, splitter, n_threads)
    every_feature = np.arange(binned.n_features, dtype=np.int32)
    waiting: dict[int, tuple[Split, Sums]] = {}

    def consider(number: int, sums: Sums) -> None:
        split = growing.best_split(sums, every_feature)
        if split.feature != LEAF:
            waiting[number] = split, sums

    if n_leaves > 1:
        consider(0, growing.histogram(growing.nodes[0]))
    while waiting:
        # Paper is silent: which node is cut next. Here the one whose cut gains most; ties go to the node made first.
        number = min(waiting, key=lambda waits: (-waiting[waits][0].split_gain, waits))
        split, sums = waiting.pop(number)
        left, right = growing.cut(number, split)
        # McRank Alg. 1, line 5: "J-terminal node regression tree"
        if growing.n_leaves == n_leaves:
            break
        for child, child_sums in growing.child_histograms([left, right], sums):
            consider(child, child_sums)
    return growing.finished()


def grow_to_depth(
    binned: BinnedFeatures,
    residual: NDArray[np.float64],
    weight: NDArray[np.float64] | None = None,
    *,
    max_depth: int | None,
    candidates: Callable[[int], NDArray[np.int32]] | None = None,
    min_samples_leaf: int = 1,
    splitter: ModuleType,
    n_threads: int = 1,
) -> tuple[Tree, Leaves]:
    """Cut every node that a cut improves, at most max_depth cuts deep (None: to the end), left before right.

    `candidates` gives the features that the cut at a place may use, by default all. The place of a node is a number
    that says the way to it from the root and nothing else: 1 for the root, 2p and 2p + 1 for the children of p. What is
    drawn for a node thus depends on where it is, not on when it was grown. The other parameters are those of
    `grow_best_first`.
    """
    growing = Growing(binned, residual, weight, min_samples_leaf, splitter, n_threads)
    every_feature = np.arange(binned.n_features, dtype=np.int32)
    stack = [(0, 1, 0, growing.histogram(growing.nodes[0]))]
    while stack:
        number, place, depth, sums = stack.pop()
        if depth == max_depth:
            continue
        split = growing.best_split(sums, every_feature if candidates is None else candidates(place))
        if split.feature == LEAF:
            continue
        places = {}
        if (parting_and_among := growing.three_ways(split, sums)) is not None:
            # A cut three ways is two cuts: first the rows that miss the feature, then the others.
            parting, split = parting_and_among
            number, missed = growing.cut(number, parting)
            places[missed] = 2 * place + 1
            place = 2 * place
        left, right = growing.cut(number, split)
        places |= {right: 2 * place + 1, left: 2 * place}
        child_sums = dict(growing.child_histograms([*places], sums))
        stack += [(child, places[child], depth + 1, child_sums[child]) for child in places]
    return growing.finished()


class Growing:
    """A tree while it grows: the order of its rows, and its nodes so far."""

    def __init__(
        self,
        binned: BinnedFeatures,
        residual: NDArray[np.float64],
        weight: NDArray[np.float64] | None,
        min_samples_leaf: int,
        splitter: ModuleType,
        n_threads: int,
    ) -> None:
        self.binned, self.min_samples_leaf = binned, min_samples_leaf
        self.splitter, self.n_threads = splitter, n_threads
        # Paper is silent: weights of rows. A row of weight w counts as w rows in every sum.
        # docs/numerics.md, rule 1: what will be summed goes on its grid once
        self.residual = to_grid(residual if weight is None else weight * residual)
        self.weight = None if weight is None else to_grid(weight)
        self.rows = np.arange(len(residual), dtype=np.int32)
        total_weight = len(residual) if self.weight is None else int(self.weight.integers.sum())
        self.nodes = [Node(0, len(residual), int(self.residual.integers.sum()), total_weight)]
        self.splits: dict[int, tuple[Split, int, int]] = {}  # of the nodes that were cut: split, left, right

    @property
    def n_leaves(self) -> int:
        """Leaves so far."""
        return len(self.nodes) - len(self.splits)

    def histogram(self, node: Node) -> Sums:
        """Sum the rows of a node in every bin of every feature."""
        weights = None if self.weight is None else self.weight.integers
        rows = self.rows[node.start : node.stop]
        return self.splitter.histogram(
            self.binned.codes, self.binned.offsets, rows, self.residual.integers, weights, self.n_threads
        )

    def best_split(self, sums: Sums, features: NDArray[np.int32]) -> Split:
        """Find the best cut among these features."""
        return Split(
            *self.splitter.best_split(
                sums, self.binned.offsets, features, self.min_samples_leaf, self.n_threads, self.binned.missing
            )
        )

    def three_ways(self, split: Split, sums: Sums) -> tuple[Split, Split] | None:
        """Take a cut three ways apart, into the cut that parts the rows that miss the feature, and the one among the
        others; None where the cut is of two ways.
        """
        first, end = self.binned.offsets[split.feature : split.feature + 2]
        slots, last = sums[first:end], int(end - first) - 1
        if self.binned.missing is None or not self.binned.missing[split.feature]:
            return None
        if slots[-1, 1] == 0 or split.bin == last - 1:
            return None
        present = slots[:-1].sum(axis=0)
        parting = Split(
            split.feature, last - 1, gain_of_parting(slots), int(present[0]), int(present[1]), int(present[-1])
        )
        found = self.splitter.best_split(
            slots[:-1], np.array([0, last]), np.zeros(1, np.int32), self.min_samples_leaf, self.n_threads
        )
        return parting, Split(split.feature, *found[1:])

    def cut(self, number: int, split: Split) -> tuple[int, int]:
        """Make the two children of a node; return their numbers."""
        node = self.nodes[number]
        rows = self.rows[node.start : node.stop]
        middle = node.start + self.splitter.partition(self.binned.codes, rows, split.feature, split.bin, self.n_threads)
        left, right = len(self.nodes), len(self.nodes) + 1
        self.nodes += [
            Node(node.start, middle, split.left_sum, split.left_weight),
            Node(middle, node.stop, node.residual_sum - split.left_sum, node.weight_sum - split.left_weight),
        ]
        self.splits[number] = split, left, right
        return left, right

    def child_histograms(self, children: list[int], parent: Sums) -> list[tuple[int, Sums]]:
        """Sum all children but the largest, which is the parent less the others, exactly, and takes its place."""
        *smaller, largest = sorted(children, key=lambda child: self.nodes[child].stop - self.nodes[child].start)
        found = {child: self.histogram(self.nodes[child]) for child in smaller}
        for sums in found.values():
            np.subtract(parent, sums, out=parent)
        return sorted([*found.items(), (largest, parent)], key=lambda child: child[0])

    def finished(self) -> tuple[Tree, Leaves]:
        """Return the tree, with the mean of each leaf as its value, and the leaves in the order of their rows."""
        n_nodes = len(self.nodes)
        feature, bin = np.full(n_nodes, LEAF, np.int32), np.zeros(n_nodes, np.int32)
        left, right = np.zeros(n_nodes, np.int32), np.zeros(n_nodes, np.int32)
        cut, split_gain = np.zeros(n_nodes), np.zeros(n_nodes)
        weight_exponent = 0 if self.weight is None else self.weight.exponent
        for number, (split, left_child, right_child) in self.splits.items():
            feature[number], bin[number] = split.feature, split.bin
            cut[number] = self.binned.cuts[split.feature][split.bin]
            left[number], right[number] = left_child, right_child
            split_gain[number] = split.split_gain
        with np.errstate(over="ignore"):  # a square: it may be infinite where no residual is
            # the square of a sum of residuals, over a sum of weights, each in units of its grid
            split_gain = np.ldexp(split_gain, weight_exponent - 2 * self.residual.exponent)
        size = np.array([node.stop - node.start for node in self.nodes], np.int64)
        tree = Tree(feature, bin, cut, left, right, split_gain, size, value=np.zeros(n_nodes))
        leaves = sorted((node, number) for number, node in enumerate(self.nodes) if number not in self.splits)
        found = Leaves(
            nodes=np.array([number for _, number in leaves], np.int64),
            rows=self.rows,
            starts=np.array([*(node.start for node, _ in leaves), len(self.rows)], np.int64),
            residual_sum=from_grid(np.array([node.residual_sum for node, _ in leaves]), self.residual.exponent),
            weight_sum=from_grid(np.array([node.weight_sum for node, _ in leaves]), weight_exponent),
            splitter=self.splitter,
            n_threads=self.n_threads,
        )
        return with_values(tree, found, quotient(found.residual_sum, found.weight_sum)), found


def quotient(numerator: NDArray[np.float64], denominator: NDArray[np.float64]) -> NDArray[np.float64]:
    """Divide, and give 0 where the denominator is 0 (docs/numerics.md, rule 5)."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)

"""The parts of a ranker that other programs receive: sums of trees, directions of missing entries, and the head of the
score.

    symbol    in code          shape
    F_c       outputs          (n_samples, n_outputs): the sum of the trees of output c, over `divisor`
    -         DirectedTree     a tree, and where rows that lack the feature of a cut go, (n_nodes,)

A tree of refrank sees a missing feature as its substitute, which goes left if substitute < cut. So each cut has a
direction, which every format can hold for NaN.
"""

from collections.abc import Callable
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from refrank.arrays import Bools, Floats, Matrix
from refrank.models.exchange.heads import Head
from refrank.models.exchange.rounding import bound_output
from refrank.trees.model.ensemble import Ensemble
from refrank.trees.model.tree import LEAF, Tree


class DirectedTree(NamedTuple):
    """A tree with the directions of missing entries."""

    tree: Tree  # leaves hold the numbers to add
    left_if_missing: Bools  # (n_nodes,), False in leaves


@dataclass(frozen=True, eq=False, repr=False)
class Portable:
    """Sums of trees, and the other data that a program needs."""

    sums: Ensemble  # learning_rate 1: leaves hold the numbers to add
    divisor: int  # divides the sums into outputs: the number of trees of a forest, else 1
    head: Head
    n_features: int
    outputs: Callable[[Matrix], Floats]  # those of the ranker itself
    rounding: Floats  # (n_outputs,): bound on the distance of the ranker's sums from the exact sums
    in_order: bool  # whether the ranker adds exactly these values in this order, in float64
    direct: Callable[[Tree], DirectedTree]  # gives a tree of the sums its directions
    missing_value: float | None  # the value that marks a missing entry; None: no entry is missing
    names: tuple[str, ...] | None = None  # (n_features,): of the features, if the ranker knows them

    @property
    def trees(self) -> list[tuple[DirectedTree, ...]]:
        """List the trees of each output, at least one; a start other than 0 is the first, as a single leaf."""
        return [tuple(map(self.direct, trees)) for trees in with_starts(self.sums)]

    @property
    def rounds(self) -> list[DirectedTree]:
        """List all trees, by round and within a round by output."""
        return [tree for trees in zip(*self.trees, strict=True) for tree in trees]


def direct_right(tree: Tree) -> DirectedTree:
    """Send missing entries right, for a ranker without missing entries."""
    return DirectedTree(tree, np.zeros(len(tree.feature), np.bool_))


def direct_by_substitute(fill: Matrix, tree: Tree) -> DirectedTree:
    """Send missing entries where their substitutes, (n_features,), go."""
    return DirectedTree(tree, (tree.feature != LEAF) & (fill[tree.feature] < tree.cut))


def bound_outputs(sums: Ensemble, divisor: int, in_order: bool = True) -> Floats:
    """Bound the rounding of each output, (n_outputs,), in float64."""
    return np.array([bound_output(trees, divisor, in_order) for trees in with_starts(sums)])


def bound_in_order(portable: Portable) -> Floats:
    """Bound how far the outputs of a program that adds trees in order, in float64, are from the exact sums."""
    return bound_outputs(portable.sums, portable.divisor)


def list_outputs(sums: Ensemble) -> list[tuple[Tree, ...]]:
    """List the trees of each output."""
    return list(zip(*sums.rounds, strict=True)) or [()] * len(sums.initial)


def with_starts(sums: Ensemble) -> list[tuple[Tree, ...]]:
    """List the trees of each output, at least one; a start other than 0 is a single leaf before them."""
    trees = list_outputs(sums)
    if sums.rounds and not any(sums.initial):
        return trees
    return [(make_leaf(start), *held) for start, held in zip(sums.initial, trees, strict=True)]


def make_leaf(value: float) -> Tree:
    """Make a tree that gives every row the same value."""
    number, none = np.zeros(1, np.int32), np.zeros(1)
    leaf = np.full(1, LEAF, np.int32)
    return Tree(leaf, number, none, number, number, none, np.zeros(1, np.int64), np.full(1, value))

"""A regression tree, the rows of its leaves, and what trees predict.

symbol                  in code          shape
{R_j}                   Leaves           the rows of every leaf
beta_j                  Tree.value       (n_nodes,), 0 but in the leaves
sum_j beta_j 1[x in R]  add_predictions  (n_samples,)
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from itertools import accumulate
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from refrank.trees.grid import from_grid, to_grid

LEAF = -1  # the feature of a node without a cut


@dataclass(frozen=True)
class Tree:
    """A regression tree; each field has one entry a node.

    Nodes are numbered in the order they are made: the root is 0, left before right.
    """

    feature: NDArray[np.int32]  # the feature that the node cuts on, -1 in a leaf
    bin: NDArray[np.int32]  # rows with code <= bin go left
    cut: NDArray[np.float64]  # rows with x < cut go left: the same rows
    left: NDArray[np.int32]  # number of the left child, 0 in a leaf
    right: NDArray[np.int32]
    split_gain: NDArray[np.float64]  # reduction of the sum of squared errors, 0 in a leaf
    n_node_samples: NDArray[np.int64]
    value: NDArray[np.float64]  # what a leaf predicts, 0 in a node with a cut


@dataclass(frozen=True)
class Leaves:
    """The training rows of each leaf of a tree just grown, and their exact sums."""

    nodes: NDArray[np.int64]  # (n_leaves,) number of each leaf's node
    rows: NDArray[np.int32]  # (n_rows,) rows, leaf after leaf
    starts: NDArray[np.int64]  # (n_leaves + 1,) the rows of leaf j are rows[starts[j]:starts[j + 1]]
    residual_sum: NDArray[np.float64]  # (n_leaves,) sum of weight * residual
    weight_sum: NDArray[np.float64]  # (n_leaves,) sum of weight, or the count of rows where they have none
    splitter: ModuleType
    n_threads: int

    def sum_of(self, value: NDArray[np.float64]) -> NDArray[np.float64]:
        """Sum another quantity, (n_samples,), over the rows of each leaf: exactly, on its own grid; (n_leaves,)."""
        gridded = to_grid(value)
        sums = self.splitter.leaf_sums(gridded.integers, self.rows, self.starts, self.n_threads)
        return from_grid(sums, gridded.exponent)

    def add_to(self, scores: NDArray[np.float64], values: NDArray[np.float64]) -> None:
        """Add each leaf's value, (n_leaves,), to the scores, (n_samples,), of its rows; in place."""
        self.splitter.add_to_leaves(scores, self.rows, self.starts, values, self.n_threads)


def with_values(tree: Tree, leaves: Leaves, values: NDArray[np.float64]) -> Tree:
    """Return the tree with these values, (n_leaves,), in its leaves."""
    value = np.zeros(len(tree.feature))
    value[leaves.nodes] = values
    return replace(tree, value=value)


def add_predictions(
    trees: Sequence[Tree],
    X: NDArray[np.floating],
    learning_rate: float,
    scores: NDArray[np.float64],
    splitter: ModuleType,
    n_threads: int = 1,
) -> None:
    """Add learning_rate * tree(x) to the scores, (n_samples,), tree after tree; in place.

    The additions are those of training, in the same order: a model scores a training row with the same bits.
    """
    if not trees:
        return
    roots = np.array([0, *accumulate(len(tree.feature) for tree in trees)][:-1], np.int64)
    feature, cut, left, right, value = (
        np.concatenate([getattr(tree, name) for tree in trees]) for name in ("feature", "cut", "left", "right", "value")
    )
    splitter.add_trees(X, roots, feature, cut, left, right, learning_rate * value, scores, n_threads)

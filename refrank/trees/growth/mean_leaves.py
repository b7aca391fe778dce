"""Leaves with a node's mean, as in RT-Rank, for rows that lack a feature that no training row of the node lacked.

A cut three ways begins with a cut at infinity, the substitute of missing values. Here every other cut does so as well.
Its right child is a leaf with the mean of the node, which no training row reaches:

    x < cut                 x < inf
    |-- yes: left           |-- yes: x < cut
    '-- no:  right          |        |-- yes: left
                            |        '-- no:  right
                            '-- no:  mean of the node
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from types import MappingProxyType
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.growth.forest_growth import ForestLimits, grow_forest_tree, grow_with_means
from refrank.trees.growth.grower import Grow, Grower, Grown
from refrank.trees.model.tree import LEAF, Leaves, Tree, quotient
from refrank.trees.splitting import NEEDS_CUT, PARTED


def add_mean_leaves(tree: Tree, mean: Floats, binned: BinnedFeatures) -> tuple[Tree, Ints]:
    """Put a cut at infinity above each cut that has none.

    The tree was grown on features where missing values are +inf; `mean`, (n_nodes,), is that of the training rows of
    each node. Returns the tree, and the new number of each node, (n_nodes,). Nodes keep their order; the new leaves
    have 0 training rows, and the new cuts gain 0.

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> binned = bin_features(np.array([[0.0], [1.0], [2.0]]), 256, engine=default_engine())
    >>> tree, leaves = Grower(binned, n_leaves=2)(np.array([0.0, 5.0, 7.0]))
    >>> with_mean, numbers = add_mean_leaves(tree, average_nodes(tree, leaves), binned)
    >>> with_mean.cut.tolist(), with_mean.value.tolist(), numbers.tolist()
    ([inf, 0.500000005, 0.0, 0.0, 0.0], [0.0, 0.0, 4.0, 0.0, 6.0], [0, 3, 4])
    """
    inner, parts = tree.feature != LEAF, tree.cut == np.inf
    other = inner & ~parts
    other[tree.left[parts]] = False  # the second cut of a cut three ways
    numbers = np.arange(len(inner)) + 2 * (np.cumsum(other) - other)
    own = numbers + other  # where the entries of each node go
    above, leaf = numbers[other], numbers[other] + 2
    # a feature that training rows lack has a bin for them, its last
    highest = np.diff(binned.offsets) - 1 - (0 if binned.missing is None else binned.missing > 0)

    def spread(values: NDArray[Any], of_above: Any, of_leaf: Any) -> NDArray[Any]:
        spread = np.empty(len(inner) + 2 * len(above), values.dtype)
        spread[own], spread[above], spread[leaf] = values, of_above, of_leaf
        return spread

    feature, count = tree.feature[other], tree.n_node_samples[other]
    return Tree(
        feature=spread(tree.feature, feature, LEAF),
        bin=spread(tree.bin, highest[feature], 0),
        cut=spread(tree.cut, np.inf, 0.0),
        left=spread(np.where(inner, numbers[tree.left], 0).astype(np.int32), above + 1, 0),
        right=spread(np.where(inner, numbers[tree.right], 0).astype(np.int32), leaf, 0),
        split_gain=spread(tree.split_gain, 0.0, 0.0),
        n_node_samples=spread(tree.n_node_samples, count, 0),
        value=spread(tree.value, 0.0, mean[other]),
    ), numbers


def average_nodes(tree: Tree, leaves: Leaves) -> Floats:
    """Compute the mean of the training rows of each node, (n_nodes,); the sums of the leaves add exactly."""
    sums = np.zeros((len(tree.feature), 2))
    sums[leaves.nodes] = np.column_stack([leaves.residual_sum, leaves.weight_sum])
    for node in np.flatnonzero(tree.feature != LEAF)[::-1]:  # children come after their parent
        sums[node] = sums[tree.left[node]] + sums[tree.right[node]]
    return quotient(sums[:, 0], sums[:, 1])


def make_mean_leaf_grower(binned: BinnedFeatures, **limits: Any) -> Grow:
    """Make a function that grows trees as `Grower` does, with its limits, and adds leaves with the mean of a node."""
    grower = Grower(binned, **limits)

    def grow(residual: Floats, weight: Floats | None = None) -> Grown:
        tree, leaves = grower(residual, weight)
        tree, numbers = add_mean_leaves(tree, average_nodes(tree, leaves), binned)
        return tree, replace(leaves, nodes=numbers[leaves.nodes])

    return grow


def grow_mean_leaf_forest_tree(
    binned: BinnedFeatures, residual: Floats, weight: Floats | None, counts: Ints, *, key: int, **limits: Any
) -> Tree:
    """Grow such a tree of a forest; the arguments are those of `grow_forest_tree`."""
    tree, mean = grow_with_means(binned, residual, weight, counts, key, ForestLimits(**limits))
    return add_mean_leaves(tree, mean, binned)[0]


@dataclass(frozen=True)
class ThreeWay:
    """A rule for rows that lack a feature, where cuts go three ways."""

    flag: int  # in `BinnedFeatures.missing`, of a feature that training rows miss
    make_grower: Callable[..., Grow]  # with the arguments of `Grower`
    grow_forest_tree: Callable[..., Tree]


THREE_WAY: Mapping[str, ThreeWay] = MappingProxyType(
    {
        "parting": ThreeWay(PARTED, Grower, grow_forest_tree),
        "rt-rank": ThreeWay(NEEDS_CUT, make_mean_leaf_grower, grow_mean_leaf_forest_tree),
    }
)

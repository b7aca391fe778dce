"""CART with K features drawn per node, grown to the last node: the tree of a random forest (iGBRT Alg. 1, line 3).

symbol    in code         shape
D_t       counts          (n_samples,) int64: how often each row was drawn
K         n_candidates    int
d         max_depth       int, the largest number of cuts above a leaf; None: no limit
-         key             int, the tree's stream of draws (refrank/trees/numbers/draws.py)
"""

from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.checks import check_integer
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.growth.midpoints import CutAt, at_bins
from refrank.trees.model.tree import Tree, check_leaves, quotient, scale_gains
from refrank.trees.numbers.grid import from_grid, put_weights, to_grid, weigh


@dataclass(frozen=True)
class ForestLimits:
    """Limits of the trees of a forest."""

    n_candidates: int  # K, from 1 to n_features
    max_depth: int | None = None  # d
    min_samples_leaf: int = 1  # a cut leaves at least this many rows, copies counted, on either side
    cut_at: CutAt = at_bins  # where a cut lies between its two sides; the rows are those that were drawn


def grow_forest_tree(
    binned: BinnedFeatures, residual: Floats, weight: Floats | None, counts: Ints, *, key: int, **limits: Any
) -> Tree:
    """Grow a tree: cut every node that a cut on one of its K features improves; leave the others as leaves.

    The splitter of the features' engine grows it, on one thread. Residual and weight are (n_samples,), the limits are
    the fields of `ForestLimits`. The features of a node depend only on `key`, that of the root's stream, and on the
    path to the node. The values of the tree are the means of its leaves.

    Raises a ValueError if a residual or a weight is not finite, or n_candidates is out of range.

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> binned = bin_features(np.array([[0.0], [1.0], [2.0]]), 256, engine=default_engine())
    >>> residual, counts = np.array([0.0, 5.0, 6.0]), np.array([1, 2, 0])
    >>> tree = grow_forest_tree(binned, residual, None, counts, n_candidates=1, key=0)
    >>> tree.value.tolist(), tree.n_node_samples.tolist()
    ([0.0, 0.0, 5.0], [3, 1, 2])
    """
    return grow_with_means(binned, residual, weight, counts, key, ForestLimits(**limits))[0]


def grow_with_means(
    binned: BinnedFeatures, residual: Floats, weight: Floats | None, counts: Ints, key: int, limits: ForestLimits
) -> tuple[Tree, Floats]:
    """Grow a tree as `grow_forest_tree` does; return it, and the mean of the rows of each node, (n_nodes,)."""
    n_candidates, max_depth, least = limits.n_candidates, limits.max_depth, limits.min_samples_leaf
    check_integer("n_candidates", n_candidates, 1, binned.n_features)
    check_leaves(binned.n_samples, least, max_depth, n_leaves=None, n_ways=binned.n_ways)
    alone = replace(binned.engine, n_threads=1)  # trees are grown side by side: threads of their own would multiply
    gridded = to_grid(weigh(residual, weight), alone)
    weights = put_weights(weight, alone)
    rows = np.flatnonzero(counts).astype(np.int32)
    feature, bin, left, right, split_gain, sums, count, weight_sum = binned.engine.splitter.grow_deep(
        binned.row_codes,
        binned.offsets,
        rows,
        gridded.integers,
        counts,
        weights.integers,
        binned.missing,
        -1 if max_depth is None else max_depth,
        least,
        n_candidates,
        key,
    )
    mean = quotient(from_grid(sums, gridded.exponent), from_grid(weight_sum, weights.exponent))
    value = np.where(feature >= 0, 0.0, mean)
    split_gain = scale_gains(split_gain, gridded.exponent, weights.exponent)
    tree = Tree(feature, bin, binned.cut_values(feature, bin), left, right, split_gain, count, value)
    return limits.cut_at(tree, rows), mean

"""CART to the last node, with K features drawn for each cut: the tree of a random forest (iGBRT Alg. 1).

symbol    in code           shape
D_t       counts            (n_samples,) int64: how often each row was drawn
K         n_candidates      int
d         max_depth         int, the most cuts above a leaf; None: no limit
-         key               the tree's stream of draws (refrank/trees/draws.py)
"""

from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from refrank.trees.binning import BinnedFeatures
from refrank.trees.grid import from_grid, to_grid
from refrank.trees.growth import quotient
from refrank.trees.tree import Tree


def grow_deep_tree(
    binned: BinnedFeatures,
    residual: NDArray[np.float64],
    weight: NDArray[np.float64] | None,
    counts: NDArray[np.int64],
    *,
    n_candidates: int,
    key: int,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
    splitter: ModuleType,
) -> Tree:
    """Cut every node that a cut on one of its K features improves.

    Only the K features drawn for a node are looked at: if none of them cuts, the node is a leaf.

    Parameters
    ----------
    binned : BinnedFeatures
    residual, weight : float64 arrays of shape (n_samples,)
        What is fitted; weight None: every row weighs the same.
    counts : int64 array of shape (n_samples,)
        Copies of each row.
    n_candidates : int
        K, from 1 to n_features.
    key : int
        Key of the root's stream; a node's features depend on it and on the way to the node alone.
    max_depth : int, optional
        d.
    min_samples_leaf : int
        A cut leaves at least so many rows, copies counted, on either side.
    splitter : module
        The specification `refrank.trees.splitting`, or the kernel.

    Returns
    -------
    Tree
        Its values are the leaves' means.

    Examples
    --------
    >>> from refrank.trees import splitting
    >>> from refrank.trees.binning import bin_features
    >>> binned = bin_features(np.array([[0.0], [1.0], [2.0]]), 256, splitter=splitting)
    >>> tree = grow_deep_tree(
    ...     binned, np.array([0.0, 5.0, 6.0]), None, np.array([1, 2, 0]), n_candidates=1, key=0, splitter=splitting
    ... )
    >>> tree.value.tolist(), tree.n_node_samples.tolist()
    ([0.0, 0.0, 5.0], [3, 1, 2])
    """
    gridded = to_grid(residual if weight is None else weight * residual)
    weights = None if weight is None else to_grid(weight)
    feature, bin, left, right, split_gain, sums, count, weight_sum = splitter.grow_deep(
        binned.row_codes,
        binned.offsets,
        np.flatnonzero(counts).astype(np.int32),
        gridded.integers,
        counts,
        None if weights is None else weights.integers,
        binned.missing,
        -1 if max_depth is None else max_depth,
        min_samples_leaf,
        n_candidates,
        key,
    )
    cut = np.zeros(len(feature))
    inner = np.flatnonzero(feature >= 0)
    first = binned.offsets[feature[inner]] - feature[inner]  # where each feature's cuts begin among all
    cut[inner] = np.concatenate(binned.cuts)[first + bin[inner]]
    weight_exponent = 0 if weights is None else weights.exponent
    value = quotient(from_grid(sums, gridded.exponent), from_grid(weight_sum, weight_exponent))
    value[inner] = 0.0
    with np.errstate(over="ignore"):  # a square: it may be infinite where no residual is
        # the square of a sum of residuals, over a sum of weights, each in units of its grid
        split_gain = np.ldexp(split_gain, weight_exponent - 2 * gridded.exponent)
    return Tree(feature, bin, cut, left, right, split_gain, count, value)

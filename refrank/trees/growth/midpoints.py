"""Where a cut lies between its two sides: at the fixed cut between two bins, or midway between the node's own rows.

CART and RT-Rank cut midway between the highest value on the left of a node and the lowest on its right. A fixed cut
depends on all rows instead: it is the same in every node that cuts between the same two bins. Training rows fall on the
same sides, so training scores are the same; rows in the gap between both sides may fall on another. Both programs send
a row that lies exactly in the middle to the left. Here rows with x < cut go left, so the cut is the next float64 above.
"""

from collections.abc import Callable
from dataclasses import replace

import numpy as np

from refrank.arrays import Matrix, Rows
from refrank.cluster.communicator import find_largest
from refrank.trees.model.tree import LEAF, Tree

CutAt = Callable[[Tree, Rows], Tree]  # of a tree with fixed cuts, and of the rows that it was grown from


def at_bins(tree: Tree, rows: Rows) -> Tree:
    """Leave every cut at the fixed one between two bins."""
    return tree


def at_midpoints(X: Matrix) -> CutAt:
    """Move every cut just above the middle of the gap between the rows on its left and on its right.

    X, (n_samples, n_features), holds the training rows, as they were binned.

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> from refrank.trees.growth.grower import Grower
    >>> X, residual = np.array([[0.0], [2.0], [4.0], [9.0]]), np.array([1.0, 1.0, 5.0, 5.0])
    >>> binned = bin_features(X, 2, engine=default_engine())  # [0, length) and [9, 9 + length)
    >>> tree, _ = Grower(binned, n_leaves=2, cut_at=at_midpoints(X))(residual)
    >>> tree.cut.tolist()  # midway between 4 and 9, where 6.5 itself goes left
    [6.500000000000001, 0.0, 0.0]
    """

    def move(tree: Tree, rows: Rows) -> Tree:
        highest, lowest = np.full(len(tree.cut), -np.inf), np.full(len(tree.cut), np.inf)  # left, and right, of each
        node = np.zeros(len(rows), np.int64)  # that each row has reached
        while True:
            inside = tree.feature[node] != LEAF
            rows, node = rows[inside], node[inside]
            if len(rows) == 0:
                break
            x = X[rows, tree.feature[node]].astype(np.float64) + 0.0  # -0.0 is made 0.0
            goes_left = x < tree.cut[node]
            np.maximum.at(highest, node[goes_left], x[goes_left])
            np.minimum.at(lowest, node[~goes_left], x[~goes_left])
            node = np.where(goes_left, tree.left[node], tree.right[node])
        highest, lowest = find_largest(np.array([highest, -lowest])) * [[1], [-1]]  # of the rows of all shards
        inner = tree.feature != LEAF
        cut = tree.cut.copy()
        middle = highest[inner] / 2 + lowest[inner] / 2
        cut[inner] = np.minimum(np.nextafter(middle, np.inf), lowest[inner])  # the middle may round to the lowest
        return replace(tree, cut=cut)

    return move

"""The value of each node of a tree: the mean of the leaves below it, weighted by their training rows."""

import numpy as np

from refrank.arrays import Floats
from refrank.trees.model.tree import LEAF, Tree


def average_leaves(tree: Tree) -> Floats:
    """Compute the mean value of the leaves below each node, (n_nodes,), weighted by their training rows.

    Where the rows were not counted, as in XGBoost's files, the two sides of a cut weigh the same.

    >>> from refrank import LSBoostRanker
    >>> tree = LSBoostRanker(n_rounds=1).fit([[0.0], [1.0], [2.0]], [0, 1, 2]).model_.rounds[0][0]
    >>> [round(value, 12) + 0.0 for value in average_leaves(tree).tolist()]
    [0.0, -0.833333333333, 1.666666666667, -1.333333333333, -0.333333333333]
    """
    levels, nodes = [], np.zeros(1, np.int32)
    while len(nodes):
        inner = nodes[tree.feature[nodes] != LEAF]
        levels.append(inner)
        nodes = np.concatenate([tree.left[inner], tree.right[inner]])
    mean = tree.value.copy()
    for inner in reversed(levels):
        left, right = tree.left[inner], tree.right[inner]
        counts = tree.n_node_samples[left], tree.n_node_samples[right]
        total = counts[0] + counts[1]
        shares = [np.where(total > 0, count / np.maximum(total, 1), 0.5) for count in counts]
        mean[inner] = mean[left] * shares[0]
        mean[inner] += mean[right] * shares[1]
    return mean

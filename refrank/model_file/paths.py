"""No tree of a file is followed before it is known that each of its paths ends at a leaf."""

from collections.abc import Mapping

import numpy as np
from numpy.typing import NDArray

from refrank.trees.tree import LEAF


def check_paths_end(
    nodes: Mapping[str, NDArray[np.integer]], n_nodes: NDArray[np.int64], n_features: int, name: str
) -> None:
    """Check that each cut reads a feature that is there, and that the children of a node are later nodes of its tree.

    Parameters
    ----------
    nodes : mapping
        `feature`, `left` and `right`: arrays of shape (n_nodes.sum(),), tree after tree; a child is the number of a
        node in its tree.
    n_nodes : int64 array of shape (n_trees,)
        At least 1 each.
    n_features : int
    name : str
        How a field is called in a message, with {} for `feature`, `left` or `right`.

    Raises
    ------
    ValueError
        Where that is not so; the message names the field.

    Examples
    --------
    >>> nodes = {"feature": np.array([0, -1]), "left": np.array([1, 0]), "right": np.array([0, 0])}
    >>> check_paths_end(nodes, np.array([2]), 1, "{}")
    Traceback (most recent call last):
    ValueError: right must name a later node of the tree for each node with a cut
    """
    feature = nodes["feature"]
    if ((feature < LEAF) | (feature >= n_features)).any():
        raise ValueError(f"{name.format('feature')} must lie between {LEAF} and {n_features - 1}")
    inner = np.flatnonzero(feature != LEAF)
    place = np.arange(len(feature)) - np.repeat(np.cumsum(n_nodes) - n_nodes, n_nodes)  # of a node in its tree
    end = np.repeat(n_nodes, n_nodes)
    for side in ("left", "right"):
        child = nodes[side][inner]
        if ((child <= place[inner]) | (child >= end[inner])).any():
            raise ValueError(f"{name.format(side)} must name a later node of the tree for each node with a cut")

"""Importance of a feature by gain: its share in the reduction of the squared error by all cuts."""

import math
from collections.abc import Iterable

import numpy as np

from refrank.arrays import Floats
from refrank.trees.model.tree import LEAF, Tree


def share_gains(trees: Iterable[Tree], n_features: int) -> Floats:
    """Return the share of each feature in the total split_gain of the trees, (n_features,); 0 if nothing is gained.

    The trees may cut on several columns of a feature, f + r n_features.
    """
    gains = np.zeros(n_features)
    with np.errstate(over="ignore"):
        for tree in trees:
            inner = tree.feature != LEAF
            np.add.at(gains, tree.feature[inner] % n_features, tree.split_gain[inner])
    if np.isinf(gains).any():  # next to a gain above the largest float64, others count as 0
        gains = np.isinf(gains).astype(np.float64)
    if gains.any():
        gains /= gains.max()  # so that their sum is finite
        gains /= math.fsum(gains)
    return gains

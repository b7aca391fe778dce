"""A finished model tree: tests in the inner nodes, a linear model in every node."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from .linear_models import LinearModel

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]


@dataclass(frozen=True)
class M5Tree:
    """A model tree. Node 0 is the root, a node's number is smaller than those of its children.

    Attributes
    ----------
    feature : int64 array of shape (n_nodes,)
        The feature tested, -1 in a leaf.
    threshold : float64 array of shape (n_nodes,)
        Rows with x <= threshold go left; NaN in a leaf.
    left, right : int64 arrays of shape (n_nodes,)
        Numbers of the children, -1 in a leaf.
    weight : float64 array of shape (n_nodes,)
        Sum of the weights of the training rows that reached the node.
    models : tuple of n_nodes LinearModel
        The leaves' models predict; those of the inner nodes serve the smoothing.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    weight: Floats
    models: tuple[LinearModel, ...]

    @property
    def n_leaves(self) -> int:
        """Number of leaves, which is the number of linear models in use."""
        return int((self.feature < 0).sum())

    def apply(self, X: Floats) -> Ints:
        """Return the number of the leaf that each row reaches, shape (n_samples,)."""
        node = np.zeros(len(X), np.int64)
        rows = np.arange(len(X)) if self.feature[0] >= 0 else np.arange(0)
        while len(rows):
            at = node[rows]
            goes_left = X[rows, self.feature[at]] <= self.threshold[at]
            node[rows] = np.where(goes_left, self.left[at], self.right[at])
            rows = rows[self.feature[node[rows]] >= 0]
        return node

    def predict(self, X: Floats) -> Floats:
        """Return the value of its leaf's model for each row, shape (n_samples,)."""
        leaf = self.apply(X)
        prediction = np.empty(len(X))
        order = np.argsort(leaf, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(leaf[order])) + 1):
            if len(rows):
                prediction[rows] = self.models[leaf[rows[0]]].predict(X[rows])
        return prediction

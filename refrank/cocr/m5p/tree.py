"""A finished model tree: tests in the inner nodes, a linear model in every node."""

from dataclasses import dataclass
from reprlib import repr as short

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.checks import check_entries, check_shape


@dataclass(frozen=True, repr=False)
class LinearModel:
    """intercept + sum of coefficients times features."""

    features: Ints  # (n_terms,) ascending column numbers of X
    coefficients: Floats  # (n_terms,) in units of the target per unit of the feature
    intercept: float

    @property
    def n_parameters(self) -> int:
        """The v of the papers: the terms and the constant."""
        return len(self.features) + 1

    def predict(self, X: Floats) -> Floats:
        """Return the model's value for each row of X, (n_rows, n_features): (n_rows,)."""
        return X[:, self.features] @ self.coefficients + self.intercept

    def __repr__(self) -> str:
        """Return a short text with the number of terms."""
        return f"LinearModel({len(self.features)} term{'s' * (len(self.features) != 1)})"


@dataclass(frozen=True, repr=False)
class M5Tree:
    """A model tree; each field has one entry per node, (n_nodes,).

    Node 0 is the root, and a node has a smaller number than its children.
    """

    feature: Ints  # the feature tested, -1 in a leaf
    threshold: Floats  # rows with x <= threshold go left; NaN in a leaf
    left: Ints  # numbers of the children, -1 in a leaf
    right: Ints
    weight: Floats  # n: number of the training rows that reached the node, as its weights count them
    models: tuple[LinearModel, ...]  # the models of leaves predict; those of inner nodes are for smoothing

    @property
    def n_leaves(self) -> int:
        """Number of leaves, which is the number of linear models in use."""
        return int((self.feature < 0).sum())

    def apply(self, X: Floats) -> Ints:
        """Return the number of the leaf of each row, (n_samples,); raises the errors of `check_model_tree`."""
        check_model_tree(self, X.shape[1])
        node = np.zeros(len(X), np.int64)
        rows = np.arange(len(X)) if self.feature[0] >= 0 else np.arange(0)
        while len(rows):
            at = node[rows]
            goes_left = X[rows, self.feature[at]] <= self.threshold[at]
            node[rows] = np.where(goes_left, self.left[at], self.right[at])
            rows = rows[self.feature[node[rows]] >= 0]
        return node

    def predict(self, X: Floats) -> Floats:
        """Return the value of the leaf's model for each row, (n_samples,); raises the errors of `check_model_tree`."""
        leaf = self.apply(X)
        prediction = np.empty(len(X))
        order = np.argsort(leaf, kind="stable")
        for rows in np.split(order, np.flatnonzero(np.diff(leaf[order])) + 1):
            if len(rows):
                prediction[rows] = self.models[leaf[rows[0]]].predict(X[rows])
        return prediction

    def __repr__(self) -> str:
        """Return a short text with the numbers of nodes and leaves."""
        n_nodes, n_leaves = len(self.feature), self.n_leaves
        return f"M5Tree({n_nodes} node{'s' * (n_nodes != 1)}, {n_leaves} {'leaf' if n_leaves == 1 else 'leaves'})"


def check_model_tree(tree: M5Tree, n_features: int) -> None:
    """Refuse a tree that has an endless path, or that reads a feature which X, of n_features columns, lacks.

    Trees from files or written by hand can have any content; in one that passes, each row reaches a leaf.
    """
    n_nodes, nodes = len(tree.models), np.arange(len(tree.models))
    if n_nodes == 0:
        raise ValueError("models is (): it must have at least one node")
    for name in ("feature", "threshold", "left", "right", "weight"):
        check_shape(name, getattr(tree, name), (n_nodes,), "(n_nodes,), one entry per node")
    for name in ("feature", "left", "right"):
        if getattr(tree, name).dtype.kind != "i":
            raise ValueError(f"{name} has type {getattr(tree, name).dtype}: nodes and features have integer numbers")
    rule, inner = f"features must be integers from 0 to {n_features - 1}", tree.feature != -1
    beyond = inner & ((tree.feature < 0) | (tree.feature >= n_features))
    check_entries("feature", tree.feature, beyond, f"{rule}, and -1 in a leaf")
    check_entries("threshold", tree.threshold, inner & ~np.isfinite(tree.threshold), "thresholds must be finite")
    check_entries("weight", tree.weight, ~np.isfinite(tree.weight), "weights must be finite")
    for name in ("left", "right"):
        child = getattr(tree, name)
        lawful = np.where(inner, (child > nodes) & (child < n_nodes), child == -1)
        check_entries(name, child, ~lawful, "a child must be a later node, and -1 in a leaf")
    for node, model in enumerate(tree.models):
        features = model.features
        if features.ndim != 1 or features.dtype.kind != "i":
            raise ValueError(f"models[{node}].features is {short(features)}: it must be a row of integers")
        check_shape(f"models[{node}].coefficients", model.coefficients, features.shape, "(n_terms,)")
        check_entries(f"models[{node}].features", features, (features < 0) | (features >= n_features), rule)
        if not np.isfinite([model.intercept, *model.coefficients]).all():
            raise ValueError(f"models[{node}] must have a finite intercept and finite coefficients")

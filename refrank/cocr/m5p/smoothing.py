"""Smoothing: pull a leaf's value towards the models above it (Quinlan 1992; Wang & Witten 1997).

On the way up from a leaf, at each node: p' = (n p + k q) / (n + k).

    symbol    in code           meaning
    p         value so far      passed up from the child
    q         models[parent]    value of the node's own model
    n         weight[node]      number of training rows that reached the child (weights.py)
    k         SMOOTHING         15

    Quinlan 1992    in our words
    -               start with the model of the leaf
    smoothing       for each node on the way up to the root, take the mean of the model so far, with weight n, and the
                    model of that node, with weight k

docs/learn/by_hand.md smooths one leaf.
"""

from dataclasses import replace

import numpy as np

from refrank.arrays import Floats
from refrank.cocr.m5p.tree import LinearModel, M5Tree

SMOOTHING = 15.0


def smooth(tree: M5Tree, n_features: int) -> M5Tree:
    """Return the pruned tree with smoothed models in its leaves, for X of `n_features` columns.

    All models are linear, so smoothing their coefficients once smooths every prediction.

    >>> constants = tuple(LinearModel(np.array([], int), np.array([]), value) for value in (4.0, 3.0, 13.0))
    >>> feature, threshold = np.array([0, -1, -1]), np.array([0.5, np.nan, np.nan])
    >>> left, right, weight = np.array([1, -1, -1]), np.array([2, -1, -1]), np.array([50.0, 45.0, 5.0])
    >>> tree = M5Tree(feature, threshold, left, right, weight, constants)
    >>> smooth(tree, 1).predict(np.array([[0.0], [1.0]]))  # (45 * 3 + 15 * 4) / 60, (5 * 13 + 15 * 4) / 20
    array([3.25, 6.25])
    """
    inner = np.flatnonzero(tree.feature >= 0)
    parent = np.full(len(tree.feature), -1)
    parent[tree.left[inner]] = parent[tree.right[inner]] = inner
    models = list(tree.models)
    for leaf in np.flatnonzero(tree.feature < 0):
        line, node = _lay_out(tree.models[leaf], n_features), leaf
        while parent[node] >= 0:
            # Quinlan 1992, smoothing: PV(S) = (n_i PV(S_i) + k M(S)) / (n_i + k), n_i the cases of the branch
            n, above = tree.weight[node], _lay_out(tree.models[parent[node]], n_features)
            line = (n * line + SMOOTHING * above) / (n + SMOOTHING)
            node = parent[node]
        features = np.flatnonzero(line[:-1])
        models[leaf] = LinearModel(features, line[features], float(line[-1]))
    return replace(tree, models=tuple(models))


def _lay_out(model: LinearModel, n_features: int) -> Floats:
    """Return the coefficients of all features, and the intercept, (n_features + 1,)."""
    line = np.zeros(n_features + 1)
    line[model.features], line[-1] = model.coefficients, model.intercept
    return line

"""Growth: cut until few rows are left or they hardly vary (Quinlan 1992; Wang & Witten 1997).

A tree is grown in full before any linear model is fitted; pruning.py cuts it back. The variants differ in the
`GrowthRule` of cuts.py only.

    symbol    in code          meaning
    T         rows             the training rows that reach a node
    SD        deviation        standard deviation of the target over the whole training set
    M         min_instances    a node that weighs less is a leaf
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refrank.cocr.m5p.cuts import GrowthRule, compute_deviation, find_best_cut
from refrank.cocr.m5p.linear_models import Floats, Ints

STOP_FRACTION = 0.05  # of the deviation of the whole training set


@dataclass(frozen=True)
class GrownTree:
    """The unpruned tree. Node 0 is the root, and a node's number is smaller than those of its children.

    Attributes
    ----------
    feature : int64 array of shape (n_nodes,)
        The feature tested, -1 in a leaf.
    threshold : float64 array of shape (n_nodes,)
        Rows with x <= threshold go left; NaN in a leaf.
    left, right : int64 array of shape (n_nodes,)
        Numbers of the children, -1 in a leaf.
    rows : tuple of n_nodes int64 arrays
        The training rows that reach each node.
    deviation : float
        sd of the target over the whole training set.
    """

    feature: Ints
    threshold: Floats
    left: Ints
    right: Ints
    rows: tuple[Ints, ...]
    deviation: float


def grow(X: Floats, y: Floats, weight: Floats, min_instances: float, rule: GrowthRule) -> GrownTree:
    """Split node after node until every leaf is small or nearly constant.

    Parameters
    ----------
    X : float64 array of shape (n_samples, n_features)
        Finite.
    y, weight : float64 array of shape (n_samples,)
        Target; weights, positive.
    min_instances : float
        M: a node of smaller weight is a leaf.
    rule : GrowthRule
        The variant.

    Returns
    -------
    GrownTree
        Bit-for-bit identical for any order of the rows.
    """
    columns = np.ascontiguousarray(X.T)  # (n_features, n_samples)
    # Rows that are alike in x stand by (y, w): so every running sum has one order, whatever that of the file.
    all_rows = np.lexsort((weight, y))  # (n_samples,)
    order = _sort_columns(columns, all_rows)  # (n_features, n_samples)
    whole = compute_deviation(y[all_rows], weight[all_rows])

    feature, threshold, left, right, rows = [-1], [np.nan], [-1], [-1], [all_rows]
    waiting = [(0, order)]
    while waiting:
        node, order = waiting.pop()
        # Wang & Witten 1997, split: the node is a leaf if sizeof < 4 or sd < 0.05 * SD
        node_y, node_weight = y[rows[node]], weight[rows[node]]
        spread = compute_deviation(node_y, node_weight)
        if node_weight.sum() < min_instances or spread < STOP_FRACTION * whole:
            continue
        # Departs from Wang & Witten 1997, split: if all targets are equal, sd = 0 = SD and the printed test
        # goes on; nothing is to be gained, and pruning would undo it. So too where squares underflow.
        if node_y[0] == node_y[-1] or spread == 0.0:
            continue
        cut = find_best_cut(columns, order, y, weight, rows[node], rule)
        if cut is None:
            continue
        goes_left = columns[cut.feature] <= cut.threshold  # (n_samples,)
        feature[node], threshold[node] = cut.feature, cut.threshold
        left[node], right[node] = len(feature), len(feature) + 1
        for chosen in (goes_left, ~goes_left):
            waiting.append((len(feature), order[chosen[order]].reshape(len(order), -1)))  # each line is still sorted
            rows.append(rows[node][chosen[rows[node]]])
            feature.append(-1)
            threshold.append(np.nan)
            left.append(-1)
            right.append(-1)
    return GrownTree(np.array(feature), np.array(threshold), np.array(left), np.array(right), tuple(rows), whole)


def _sort_columns(columns: Floats, rows: Ints) -> NDArray[np.int32]:
    """Return, line by line, `rows` by ascending value; equal values keep their order in `rows`."""
    order = np.empty(columns.shape, np.int32)
    for f, column in enumerate(columns):
        order[f] = rows[np.argsort(column[rows], kind="stable")]
    return order

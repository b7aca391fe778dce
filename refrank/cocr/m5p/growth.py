"""Growth: cut until few rows remain or they hardly vary (Quinlan 1992; Wang & Witten 1997).

    symbol    in code          meaning
    T         rows             the training rows that reach a node
    SD        whole            standard deviation of the target over the whole training set
    M         min_instances    a node of fewer rows is a leaf

    Wang & Witten 1997    in our words
    split                 a node of fewer than M rows, or with sd(T) below 5% of SD, is a leaf
    split                 cut any other where the deviation falls most, in `refrank/cocr/m5p/cuts.py`
    -                     do the same on either side

A tree is grown in full before any linear model is fitted; pruning.py cuts it back.
"""

from dataclasses import dataclass, replace

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.cocr.m5p.cuts import Cut, compute_deviation, find_best_cut
from refrank.cocr.m5p.variants import Variant
from refrank.cocr.m5p.weights import Weights

STOP_FRACTION = 0.05  # share of the deviation of the whole training set


@dataclass(frozen=True)
class M5PNode:
    """A node of the unpruned tree."""

    rows: Ints  # (n_rows,) the training rows that reach it, by ascending y
    cut: Cut | None = None  # None in a leaf; rows with x[cut.feature] <= cut.threshold go left
    left: int = -1  # numbers of the children, -1 in a leaf
    right: int = -1


def grow(X: Floats, y: Floats, weights: Weights, min_instances: float, variant: Variant) -> tuple[M5PNode, ...]:
    """Split nodes until every leaf is small or nearly constant; node 0 is the root, and children follow their parents.

    X (n_samples, n_features) is finite, and y and the arrays of `weights` are (n_samples,). A node of fewer rows than
    `min_instances` is a leaf. The cuts are bit-for-bit identical for any order of the rows.
    """
    columns = np.ascontiguousarray(X.T)  # (n_features, n_samples)
    weight = weights.growth
    # Rows with equal x are sorted by (y, w), so every running sum has one order, whatever the order in the file.
    all_rows = np.lexsort((weight, y))  # (n_samples,)
    whole = compute_deviation(y[all_rows], weight[all_rows])
    by_value = [all_rows[np.argsort(column[all_rows], kind="stable")].astype(np.int32) for column in columns]
    nodes, waiting = [M5PNode(all_rows)], [(0, np.array(by_value))]
    while waiting:
        number, order = waiting.pop()  # order: (n_features, n_rows)
        rows = nodes[number].rows
        # Wang & Witten 1997, split: the node is a leaf if sizeof < 4 or sd < 0.05 * SD
        spread = compute_deviation(y[rows], weight[rows])
        small = weights.count[rows].sum() < min_instances or spread < STOP_FRACTION * whole
        # Departs from Wang & Witten 1997, split: if all targets are equal, sd = 0 = SD and the printed test
        # goes on; nothing is to be gained, and pruning would undo it. The same holds where squares underflow.
        if small or y[rows[0]] == y[rows[-1]] or spread == 0.0:
            continue
        cut = find_best_cut(columns, order, y, weights, rows, variant)
        if cut is None:
            continue
        nodes[number] = replace(nodes[number], cut=cut, left=len(nodes), right=len(nodes) + 1)
        goes_left = columns[cut.feature] <= cut.threshold  # (n_samples,)
        for chosen in (goes_left, ~goes_left):
            waiting.append((len(nodes), order[chosen[order]].reshape(len(order), -1)))  # each line is still sorted
            nodes.append(M5PNode(rows[chosen[rows]]))
    return tuple(nodes)

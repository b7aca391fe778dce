"""Growing the tree: where to cut, and when to stop (Quinlan 1992; Wang & Witten 1997).

A tree is grown to the full before any linear model is fitted; pruning.py cuts it back. What the two variants do
differently comes in as a `GrowthRule` of functions.

    symbol     in code                  shape
    T          rows                     (n_rows,) int64: the training rows that reach a node, by ascending y
    |T|        weight of the rows       the sum of their weights: a weight of 2 is a row that stands twice
    sd(T)      deviation                population form, sqrt(sum w (y - mean)^2 / sum w)
    T_i        left, right              the rows with x <= threshold, the others
    SDR        score                    what a cut gains; PUBLISHED: sd(T) - sum |T_i| / |T| sd(T_i)
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

STOP_FRACTION = 0.05  # of the deviation of the whole training set
ROUNDING = 1e-9  # two scores this close, relative to the score of the uncut node, are one
BLOCK = 2**18  # entries of X scored at once: a few arrays of this size stay in the cache


@dataclass(frozen=True)
class GrowthRule:
    """What a variant does its own way while it grows.

    Parameters
    ----------
    spread : function of an array of variances
        What a set of rows costs; a cut's score is spread(T) - sum |T_i| / |T| spread(T_i).
    smallest_side : function of |T|
        Neither side of a cut may weigh less.
    same_value : float
        Two neighbouring values of a feature that differ by less than this are not cut apart.
    lead : function of spread(T)
        A later feature replaces an earlier one if its score is larger by more than this.
    """

    spread: Callable[[Floats], Floats]
    smallest_side: Callable[[float], float]
    same_value: float
    lead: Callable[[float], float]


@dataclass(frozen=True)
class GrownTree:
    """The unpruned tree. Node 0 is the root, a node's number is smaller than those of its children.

    Attributes
    ----------
    feature : int64 array of shape (n_nodes,)
        The feature tested, -1 in a leaf.
    threshold : float64 array of shape (n_nodes,)
        Rows with x <= threshold go left.
    left, right : int64 arrays of shape (n_nodes,)
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


@dataclass(frozen=True)
class Cut:
    """A test x[feature] <= threshold and what it gains."""

    feature: int
    threshold: float
    score: float


def grow(X: Floats, y: Floats, weight: Floats, min_instances: float, rule: GrowthRule) -> GrownTree:
    """Split node after node until every leaf is small or nearly constant.

    Parameters
    ----------
    X : float64 array of shape (n_samples, n_features)
        Finite.
    y, weight : float64 arrays of shape (n_samples,)
        Target; weights, positive.
    min_instances : float
        M: a node of smaller weight is a leaf.
    rule : GrowthRule
        The variant.

    Returns
    -------
    GrownTree
        Its bits do not change with the order of the rows.
    """
    columns = np.ascontiguousarray(X.T)  # (n_features, n_samples)
    # Rows that are alike in x stand by (y, w): then every running sum below has one order, whatever the file's.
    all_rows = np.lexsort((weight, y))  # (n_samples,)
    order = _sort_columns(columns, all_rows)  # (n_features, n_samples)
    stop_at = STOP_FRACTION * deviation(y[all_rows], weight[all_rows])

    feature, threshold, left, right, rows = [-1], [np.nan], [-1], [-1], [all_rows]
    waiting = [(0, order)]
    while waiting:
        node, order = waiting.pop()
        # Wang & Witten 1997, pseudo-code, split: a node is a leaf if sizeof < 4 or sd < 0.05 * SD
        node_y, node_weight = y[rows[node]], weight[rows[node]]
        if node_weight.sum() < min_instances or deviation(node_y, node_weight) < stop_at:
            continue
        # Departs from Wang & Witten 1997, pseudo-code, split: where all targets are equal sd = 0 = SD, and the
        # printed test would split; there is nothing to gain, and pruning would undo it.
        if node_y[0] == node_y[-1]:
            continue
        cut = best_cut(columns, order, y, weight, rows[node], rule)
        if cut is None:
            continue
        goes_left = np.zeros(len(y), dtype=bool)
        goes_left[rows[node]] = columns[cut.feature, rows[node]] <= cut.threshold
        feature[node], threshold[node] = cut.feature, cut.threshold
        left[node], right[node] = len(feature), len(feature) + 1
        children = []
        for chosen in (goes_left, ~goes_left):
            child_rows = rows[node][chosen[rows[node]]]
            child_order = order[chosen[order]].reshape(
                len(order), len(child_rows)
            )  # still sorted, column by column
            children.append((len(feature), child_order))
            feature.append(-1)
            threshold.append(np.nan)
            left.append(-1)
            right.append(-1)
            rows.append(child_rows)
        waiting += children
    return GrownTree(
        np.array(feature),
        np.array(threshold),
        np.array(left),
        np.array(right),
        tuple(rows),
        stop_at / STOP_FRACTION,
    )


def best_cut(
    columns: Floats, order: NDArray[np.int32], y: Floats, weight: Floats, rows: Ints, rule: GrowthRule
) -> Cut | None:
    """Find the cut with the largest score among all features of one node, or None where no cut is allowed.

    Parameters
    ----------
    columns : float64 array of shape (n_features, n_samples)
        X, transposed.
    order : int32 array of shape (n_features, n_rows)
        The node's rows, in each line by ascending value of that feature.
    y, weight : float64 arrays of shape (n_samples,)
    rows : int64 array of shape (n_rows,)
        The node's rows by ascending y.
    rule : GrowthRule

    Returns
    -------
    Cut or None
    """
    # Sums are taken of y less the node's median: whole numbers stay whole, and little cancels.
    shifted = y - y[rows[len(rows) // 2]]  # (n_samples,)
    node_spread = float(rule.spread(np.array([variance(shifted[rows], weight[rows])]))[0])
    best = None
    step = max(1, BLOCK // len(rows))
    for start in range(0, len(order), step):
        block = slice(start, start + step)
        for cut in _best_cut_of_each(columns[block], order[block], shifted, weight, node_spread, rule):
            # Wang & Witten 1997, pseudo-code, split: the attribute with maximum SDR. Ties: the lowest feature.
            # Weka M5P: the lead that a later attribute needs is 1e-6, on whatever scale the target has.
            if best is None or cut.score > best.score + rule.lead(node_spread):
                best = Cut(start + cut.feature, cut.threshold, cut.score)
    return best


def _best_cut_of_each(
    columns: Floats, order: NDArray[np.int32], y: Floats, weight: Floats, node_spread: float, rule: GrowthRule
) -> list[Cut]:
    """List, for every feature of a block that has one, its best cut."""
    value = np.take_along_axis(columns, order, axis=1)  # (n_block, n_rows), ascending
    sorted_y, sorted_weight = y[order], weight[order]  # (n_block, n_rows)
    left_weight, left_variance = _running(sorted_weight, sorted_y)
    right_weight, right_variance = (
        side[:, ::-1] for side in _running(sorted_weight[:, ::-1], sorted_y[:, ::-1])
    )

    # A cut at position i has rows 0..i on its left and i + 1.. on its right.
    smallest = rule.smallest_side(float(left_weight[0, -1]))
    allowed = value[:, 1:] - value[:, :-1] >= rule.same_value
    allowed &= (left_weight[:, :-1] >= smallest) & (right_weight[:, 1:] >= smallest)
    of_feature, at = np.nonzero(allowed)  # (n_cuts,) each, ordered by feature, then by value
    if len(at) == 0:
        return []
    # Quinlan 1992: the expected reduction sd(T) - sum |T_i| / |T| sd(T_i); Weka M5P: a fifth root for sd
    spread_left, spread_right = (
        rule.spread(left_variance[of_feature, at]),
        rule.spread(right_variance[of_feature, at + 1]),
    )
    share_left = left_weight[of_feature, at] / left_weight[0, -1]
    share_right = right_weight[of_feature, at + 1] / left_weight[0, -1]
    score = node_spread - share_left * spread_left - share_right * spread_right  # (n_cuts,)

    firsts = np.flatnonzero(np.diff(of_feature, prepend=-1))  # where each feature's cuts begin
    highest = np.maximum.reduceat(score, firsts)
    # Paper is silent on ties within a feature: the lowest cut, and rounding does not decide.
    near = score >= np.repeat(highest - ROUNDING * node_spread, np.diff(firsts, append=len(at)))
    chosen = [
        first + int(np.argmax(near[first:end]))
        for first, end in zip(firsts, [*firsts[1:], len(at)], strict=True)
    ]
    cuts = []
    for k in chosen:
        f, below, above = int(of_feature[k]), value[of_feature[k], at[k]], value[of_feature[k], at[k] + 1]
        # Weka M5P: the middle between the neighbours. Where it rounds up to the upper one, the lower one serves.
        middle = 0.5 * below + 0.5 * above
        cuts.append(Cut(f, float(middle if middle < above else below), float(score[k])))
    return cuts


def _running(weight: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return weight and variance of the first 1, 2, ... rows, line by line."""
    total = weight.cumsum(axis=1)
    mean = (weight * y).cumsum(axis=1) / total
    return total, np.maximum((weight * y * y).cumsum(axis=1) / total - mean * mean, 0.0)


def _sort_columns(columns: Floats, rows: Ints) -> NDArray[np.int32]:
    """Return, line by line, `rows` by ascending value; equal values keep their order in `rows`."""
    order = np.empty(columns.shape, np.int32)
    for f, column in enumerate(columns):
        order[f] = rows[np.argsort(column[rows], kind="stable")]
    return order


def variance(y: Floats, weight: Floats) -> float:
    """Return the population variance, sum w (y - mean)^2 / sum w."""
    total = weight.sum()
    mean = (weight * y).sum() / total
    return float((weight * (y - mean) ** 2).sum() / total)


def deviation(y: Floats, weight: Floats) -> float:
    """Return the population standard deviation.

    Examples
    --------
    >>> deviation(np.array([1.0, 2.0, 4.0]), np.array([1.0, 2.0, 1.0]))
    1.0897247358851685
    """
    return float(np.sqrt(variance(y, weight)))

"""The best cut of one node: its gain, and the allowed cuts (Quinlan 1992; Wang & Witten 1997).

    symbol    in code              shape
    T         rows                 (n_rows,) int64: the training rows that reach a node, by ascending y
    |T|       total, n             float: the sum of their weights, or their number where rows are counted (weights.py)
    sd(T)     compute_deviation    float, population form: sqrt(sum w (y - mean)^2 / sum w)
    T_i       left, right          the rows with x <= threshold, and the others
    SDR       score                (n_cuts,), as published: sd(T) - sum |T_i| / |T| sd(T_i)

The score and the allowed cuts differ between the `Variant`s.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints
from refrank.cocr.m5p.variants import ROUNDING, Variant
from refrank.cocr.m5p.weights import Weights

BLOCK = 2**18  # entries of X scored at once: a few arrays of this size stay in the cache


@dataclass(frozen=True)
class Cut:
    """A test x[feature] <= threshold, and its score."""

    feature: int
    threshold: float
    score: float


class NodeSums(NamedTuple):
    """Sums that compare the cuts of one node."""

    total: float  # weight of its rows
    spread: float
    smallest: float  # weight that a side may have


def find_best_cut(
    columns: Floats, order: NDArray[np.int32], y: Floats, weights: Weights, rows: Ints, variant: Variant
) -> Cut | None:
    """Find the cut of one node with the largest score among all features; None if no cut is allowed.

    `columns` is X transposed, (n_features, n_samples), and `y` and the arrays of `weights` are (n_samples,). `rows`,
    (n_rows,), are the node's rows by ascending y; `order`, (n_features, n_rows), holds the same rows by ascending value
    of each feature.
    """
    # Sums are of y minus the node's median: integers stay integers, and little cancels.
    weight = weights.growth
    shifted = y - y[rows[len(rows) // 2]]  # (n_samples,)
    node_spread = float(variant.spread(np.array([compute_variance(shifted[rows], weight[rows])]))[0])
    lead, smallest = variant.lead(node_spread), variant.smallest_side(float(weights.count[rows].sum()))
    node = NodeSums(float(weight[rows].sum()), node_spread, smallest)
    best = Cut(-1, np.nan, -np.inf)
    step = max(1, BLOCK // len(rows))
    for start in range(0, len(order), step):
        block = slice(start, start + step)
        for cut in _find_best_per_feature(columns[block], order[block], shifted, weights, node, variant):
            # Wang & Witten 1997, split: the attribute with maximum SDR. Of equal ones, the first.
            # Weka M5P: a later attribute needs a lead of 1e-6, on whatever scale the target has
            if cut.score > best.score + lead:
                best = Cut(start + cut.feature, cut.threshold, cut.score)
    return best if best.feature >= 0 else None


def _find_best_per_feature(
    columns: Floats, order: NDArray[np.int32], y: Floats, weights: Weights, node: NodeSums, variant: Variant
) -> Iterator[Cut]:
    """Yield the best cut of every feature of a block that has an allowed one."""
    value = np.take_along_axis(columns, order, axis=1)  # (n_block, n_rows), ascending
    sorted_y, sorted_weight = y[order], weights.growth[order]  # (n_block, n_rows)
    left_weight, left_variance = _accumulate(sorted_weight, sorted_y)
    right_weight, right_variance = (side[:, ::-1] for side in _accumulate(sorted_weight[:, ::-1], sorted_y[:, ::-1]))

    left_count, right_count = left_weight, right_weight
    if weights.count is not weights.growth:  # each row counts as one, so sums of ones are positions
        left_count = np.arange(1.0, len(order[0]) + 1)[None]
        right_count = left_count[:, ::-1]

    # The cut at i puts rows 0..i on the left and rows i + 1.. on the right.
    allowed = value[:, 1:] - value[:, :-1] >= variant.same_value  # (n_block, n_rows - 1)
    allowed &= (left_count[:, :-1] >= node.smallest) & (right_count[:, 1:] >= node.smallest)
    feature, i = np.nonzero(allowed)  # (n_cuts,) each, ordered by feature, then by value
    if len(i) == 0:
        return
    # Quinlan 1992, construction: the expected reduction in error is sd(T) - sum |T_i| / |T| sd(T_i)
    # Weka M5P: the fifth root of the variance takes the place of sd
    left = left_weight[feature, i] / node.total * variant.spread(left_variance[feature, i])
    right = right_weight[feature, i + 1] / node.total * variant.spread(right_variance[feature, i + 1])
    score = node.spread - left - right  # (n_cuts,)

    # Paper is silent on ties within a feature: the lowest cut, and rounding does not decide.
    first = np.flatnonzero(np.diff(feature, prepend=-1))  # where each feature's cuts begin
    highest = np.repeat(np.maximum.reduceat(score, first), np.diff(first, append=len(i)))
    near = np.flatnonzero(score >= highest - ROUNDING * node.spread)
    chosen = near[np.searchsorted(near, first)]
    below, above = value[feature[chosen], i[chosen]], value[feature[chosen], i[chosen] + 1]
    # Weka M5P: the middle of the two values. Where it rounds up to the upper one, the lower one serves.
    middle = 0.5 * below + 0.5 * above
    threshold = np.where(middle < above, middle, below)
    yield from map(Cut, feature[chosen].tolist(), threshold.tolist(), score[chosen].tolist())


def _accumulate(weight: Floats, y: Floats) -> tuple[Floats, Floats]:
    """Return weight and variance of the first 1, 2, ... rows, for each line."""
    total = weight.cumsum(axis=1)
    mean = (weight * y).cumsum(axis=1) / total
    return total, np.maximum((weight * y * y).cumsum(axis=1) / total - mean * mean, 0.0)


def compute_variance(y: Floats, weight: Floats) -> float:
    """Return the population variance, sum w (y - mean)^2 / sum w."""
    total = weight.sum()
    mean = (weight * y).sum() / total
    return float((weight * (y - mean) ** 2).sum() / total)


def compute_deviation(y: Floats, weight: Floats) -> float:
    """Return the population standard deviation."""
    return float(np.sqrt(compute_variance(y, weight)))

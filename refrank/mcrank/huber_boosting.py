"""Huber's loss: Friedman's Algorithm 4, "M_TreeBoost", between McRank's regression and its LAD.

Residuals up to the break point delta count squared, larger ones in proportion to their size: a few far-off labels
change little. With a = |y - F|, the loss of a document is a^2 / 2 where a <= delta, else delta (a - delta / 2). Lines
2, 3, 6 and 9 are lines 2 to 6 of Algorithm 1, in `refrank/mcrank/loss_boosting.py`, which has the other symbols.

    symbol              in code       shape
    alpha               share         float: share of the documents whose residuals count squared
    delta_m             delta         float
    r~_j                middle        float, of one leaf

    Friedman 2001 Alg. 4    in our words
    line 1                  all scores F start at the median of y
    line 4                  delta: the alpha-quantile of the sizes of the residuals
    line 5                  y~: the residuals, held to [-delta, delta]
    line 7                  r~ of a leaf: the median of its residuals
    line 8                  gamma: r~ plus the mean of what its residuals differ from r~, held to [-delta, delta]

Where at least a share of the documents has residual 0, delta is 0: no tree is cut, and all scores step by the median.
"""

from collections.abc import Sequence
from functools import partial

import numpy as np

from refrank.arrays import Floats
from refrank.mcrank.joint_statistics import Group
from refrank.mcrank.loss_boosting import Loss, step_each_leaf
from refrank.mcrank.order_statistics import compute_medians, median, quantile
from refrank.trees.model.tree import Leaves
from refrank.trees.numbers.grid import exact_mean


def make_huber_loss(share: float) -> Loss:
    """Make the loss of a share alpha, above 0 and at most 1; with 1, trees are fitted to the residuals themselves.

    Examples
    --------
    >>> residual = np.array([0.0, 1.0, -2.0, 9.0])
    >>> [make_huber_loss(share).fitted(residual, None).tolist() for share in (0.5, 0.75, 1.0)]
    [[0.0, 1.0, -1.0, 1.0], [0.0, 1.0, -2.0, 2.0], [0.0, 1.0, -2.0, 9.0]]
    """
    find = BreakPoint(share)
    # Friedman 2001 Alg. 4, line 1
    return Loss(start=median, fitted=partial(hold_residual, find), step=partial(step_leaves, find))


class BreakPoint:
    """Find delta once per round: both lines that use it get the same arrays, which nobody changes meanwhile."""

    def __init__(self, share: float) -> None:
        self.share, self.delta = share, 0.0
        self.residual: Floats | None = None
        self.weight: Floats | None = None

    def __call__(self, residual: Floats, weight: Floats | None) -> float:
        """Return delta of the residuals, (n_samples,)."""
        if residual is not self.residual or weight is not self.weight:
            self.delta = find_break_point(self.share, residual, weight)
            self.residual, self.weight = residual, weight
        return self.delta


def hold_residual(find: BreakPoint, residual: Floats, weight: Floats | None) -> Floats:
    """Compute y~, (n_samples,), the target of a tree."""
    delta = find(residual, weight)
    # Friedman 2001 Alg. 4, line 5
    return np.clip(residual, -delta, delta)


def find_break_point(share: float, residual: Floats, weight: Floats | None) -> float:
    """Find delta of a round: an order statistic, so that it is the size of a residual."""
    # Friedman 2001 Alg. 4, line 4
    return quantile(np.abs(residual), share, weight)


def step_leaves(find: BreakPoint, leaves: Leaves, residual: Floats, weight: Floats | None) -> Floats:
    """Compute gamma of each leaf, (n_leaves,), by the break point of all rows."""
    return step_each_leaf(partial(step_groups, find(residual, weight)), leaves, residual, weight)


def step_groups(delta: float, groups: Sequence[Group]) -> Floats:
    """Compute gamma of leaves, (n_leaves,), from their rows: a step of each towards its constant of least loss."""
    # Friedman 2001 Alg. 4, line 7
    middles = compute_medians(groups)
    # Friedman 2001 Alg. 4, line 8
    return np.array(
        [
            middle + exact_mean(np.clip(residual - middle, -delta, delta), weight)
            for middle, (residual, weight) in zip(middles, groups, strict=True)
        ]
    )

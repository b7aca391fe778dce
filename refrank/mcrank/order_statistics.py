"""Medians and quantiles of rows: values of the data, not sums of them, so the order of rows does not matter.

A row of weight w counts w times. Weights are added on their grid (`refrank.trees.numbers.grid`); equal weights give the
unweighted statistic, and a row of weight 2 counts as two. Where all weights are 0, the statistic is 0.
"""

import math
from collections.abc import Sequence

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.cluster.communicator import is_alone
from refrank.mcrank.joint_statistics import Group, find_ranked
from refrank.trees.numbers.grid import to_grid


def median(values: Floats, weight: Floats | None = None) -> float:
    """Compute a median: the middle value of `values`, (n,), or the mean of the middle two.

    The weighted median is the lowest value that has half of the weight at or below it; where that is exactly half, the
    mean of it and the next value of positive weight.

    >>> median(np.array([4.0, 1.0, 2.0]), np.array([2.0, 1.0, 1.0]))  # of 1, 2, 4, 4
    3.0
    """
    if not is_alone():
        return float(compute_medians([(values, weight)])[0])
    if weight is None:
        lower, upper = (len(values) - 1) // 2, len(values) // 2
        ascending = np.partition(values, [lower, upper])
        return mean_of_two(ascending[lower], ascending[upper])
    ascending, below = accumulate_weights(values, weight)
    if not len(ascending):
        return 0.0
    at = int(np.argmax(2 * below >= below[-1]))
    return mean_of_two(ascending[at], ascending[at + 1] if 2 * below[at] == below[-1] else ascending[at])


def compute_medians(groups: Sequence[Group]) -> Floats:
    """Compute the median of each group of rows, values and weights, (n_groups,); on shards, of all at once."""
    if is_alone():
        return np.array([median(*group) for group in groups])
    lower, upper = find_ranked(groups, lambda whole: [whole - whole // 2, whole // 2 + 1])
    return np.array([mean_of_two(*pair) for pair in zip(lower, upper, strict=True)])


def quantile(values: Floats, share: float, weight: Floats | None = None) -> float:
    """Return the lowest of `values`, (n,), that has a share, above 0 and at most 1, of the weight at or below it.

    The share of the whole weight is one product of floats, as in `np.quantile(..., method="inverted_cdf")`.

    >>> [quantile(np.array([4.0, 1.0, 2.0, 3.0]), share) for share in (0.25, 0.26, 1.0)]
    [1.0, 2.0, 4.0]
    >>> quantile(np.array([4.0, 1.0, 2.0, 3.0]), 0.5, np.array([3.0, 1.0, 1.0, 1.0]))  # of 1, 2, 3, 4, 4, 4
    3.0
    """
    if not is_alone():
        return float(find_ranked([(values, weight)], lambda whole: [np.ceil(share * whole)])[0, 0]) + 0.0
    if weight is None:
        at = math.ceil(share * len(values)) - 1
        return float(np.partition(values, at)[at]) + 0.0
    ascending, below = accumulate_weights(values, weight)
    return float(ascending[np.argmax(below >= share * below[-1])]) + 0.0 if len(ascending) else 0.0


def accumulate_weights(values: Floats, weight: Floats) -> tuple[Floats, Ints]:
    """Sort the values of positive weight, (n,), and add up the gridded weights at or below each place, (n,).

    A weight that is 0 on the grid does not count: which of two equal values a sort puts first would decide a median.
    """
    counts = weight > 0
    gridded = to_grid(weight[counts]).integers if counts.any() else np.zeros(0, np.int64)
    order = np.argsort(values[counts], kind="stable")
    order = order[gridded[order] > 0]
    return values[counts][order], np.cumsum(gridded[order])


def mean_of_two(lower: float, upper: float) -> float:
    """Return the mean; 0.0 in place of -0.0, because which of two zeros a sort puts first depends on the CPU."""
    mean = float(lower) if lower == upper else (float(lower) + float(upper)) / 2
    return mean + 0.0

"""Boosted trees for the absolute error, which McRank Sec. 5 mentions: Friedman's Algorithm 3, "LAD_TreeBoost".

"We also implemented the LAD boosting tree algorithm but we found the performance was considerably worse than the
least-square tree boost." Friedman 2001 is McRank's [9], "Greedy function approximation: a gradient boosting machine".
It minimises sum_i |y~_i - S_i|: trees are fitted to the signs of the residuals, leaves step to the residuals' medians.

    symbol              in code                    shape
    y (Friedman's)      target                     (n_samples,) float64: McRank's y~, by default 2^y - 1
    F                   scores                     (n_samples,)
    y~ (Friedman's)     sign                       (n_samples,): -1, 0 or 1
    M, nu               n_rounds, learning_rate    int, float
    J (Friedman's L)    inside `grow`              grow(residual, weight) -> tree, leaves
    R_j, gamma_j        leaves, values             (n_leaves,)

    Friedman 2001 Alg. 3    in our words
    line 1                  all scores F start at the median of y
    line 2                  for each round m = 1..M
    line 3                      y~: the signs of the residuals y - F
    line 4                      grow a tree of J leaves on y~
    line 5                      gamma of a leaf: the median of its residuals
    line 6                      add nu times the gamma of its leaf to the F of each document
"""

from collections.abc import Iterator

import numpy as np

from refrank.arrays import Floats
from refrank.mcrank.ls_boosting import LSRound
from refrank.trees.growth.grower import Grower
from refrank.trees.model.tree import read_only, with_values
from refrank.trees.numbers.grid import to_grid


def lad_boosting(
    target: Floats,
    grow: Grower,
    n_rounds: int,
    learning_rate: float,
    weight: Floats | None = None,
    start: Floats | None = None,
) -> Iterator[LSRound]:
    """Run Friedman's Algorithm 3, with his shrinkage. The first record, number 0, holds the median of line 1.

    Where more than half of the target is one value, the first median is that value. A leaf takes no step where more
    than half of its residuals are 0.

    Parameters
    ----------
    target : float64 array of shape (n_samples,)
        McRank's y~, already transformed.
    grow : Grower
        Fits a regression tree to (residual, weight).
    n_rounds : int
        M.
    learning_rate : float
        nu, the shrinkage.
    weight : float64 array of shape (n_samples,), optional
        A row of weight w counts w times in every sum.
    start : float64 array of shape (n_samples,), optional
        S after the rounds of an earlier run, to go on from; the median by default.

    Yields
    ------
    LSRound
        The leaves of its tree hold gamma, before the shrinkage nu.

    Examples
    --------
    >>> from refrank.trees.bins.binning import bin_features
    >>> from refrank.trees.engine import default_engine
    >>> from refrank.trees.growth.grower import Grower
    >>> target = np.array([0.0, 1.0, 5.0])
    >>> grow_3 = Grower(bin_features(target[:, np.newaxis], 256, engine=default_engine()), n_leaves=3)
    >>> [turn.scores.tolist() for turn in lad_boosting(target, grow_3, 2, learning_rate=0.5)]
    [[1.0, 1.0, 1.0], [0.5, 1.0, 3.0], [0.25, 1.0, 4.0]]
    """
    # Friedman 2001 Alg. 3, line 1
    scores = np.full(len(target), median(target, weight))
    yield LSRound(0, None, read_only(scores.copy()))
    if start is not None:
        scores = np.array(start)
    # Friedman 2001 Alg. 3, line 2
    for m in range(1, n_rounds + 1):
        residual = target - scores  # (n_samples,)
        # Friedman 2001 Alg. 3, line 3
        sign = np.sign(residual)
        # Friedman 2001 Alg. 3, line 4
        tree, leaves = grow(sign, weight)
        # Friedman 2001 Alg. 3, line 5
        rows = np.split(leaves.rows, leaves.starts[1:-1])  # one array per leaf
        values = np.array([median(residual[of], None if weight is None else weight[of]) for of in rows])
        # Friedman 2001 Alg. 3, line 6, times the shrinkage of his Sec. 5
        leaves.add_to(scores, learning_rate * values)
        yield LSRound(m, with_values(tree, leaves, values), read_only(scores))


def median(values: Floats, weight: Floats | None = None) -> float:
    """Compute a median: the middle value of `values`, (n,), or the mean of the middle two.

    The weighted median is the lowest value that has half of the weight at or below it; where that is exactly half, the
    mean of it and the next value of positive weight. Equal weights therefore give the plain median, and a row of weight
    2 counts as two. Weights are added on their grid (`refrank.trees.numbers.grid`), so the order of rows plays no
    part. Where all are 0, the median is 0.

    >>> median(np.array([4.0, 1.0, 2.0]), np.array([2.0, 1.0, 1.0]))  # of 1, 2, 4, 4
    3.0
    """
    if weight is None:
        lower, upper = (len(values) - 1) // 2, len(values) // 2
        ascending = np.partition(values, [lower, upper])
        return mean_of_two(ascending[lower], ascending[upper])
    counts = weight > 0
    if not counts.any():
        return 0.0
    order = np.argsort(values[counts], kind="stable")
    ascending, below = values[counts][order], np.cumsum(to_grid(weight[counts]).integers[order])  # (n of weight > 0,)
    at = int(np.argmax(2 * below >= below[-1]))
    if 2 * below[at] == below[-1]:
        return mean_of_two(ascending[at], ascending[at + 1])
    return mean_of_two(ascending[at], ascending[at])


def mean_of_two(lower: float, upper: float) -> float:
    """Return the mean; 0.0 in place of -0.0, because which of two zeros a sort puts first depends on the CPU."""
    mean = float(lower) if lower == upper else (float(lower) + float(upper)) / 2
    return mean + 0.0

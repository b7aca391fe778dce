"""Weights of rows: one record of arrays for the steps of M5', made in one of three ways.

A row enters a model tree twice: with its square or its share in a sum, and as one in a number of rows. The three ways:

                growth    models    criterion     divisor    count
    importance  w         w         w             1          1         w over the largest
    weka        1         w         unweighted    w          1
    counts      w         w         w             w          w

    field        what reads it
    growth       deviations of the target and shares |T_i| / |T| of a cut
    models       means and deviations of columns, least squares, the mean loss of a model or subtree
    criterion    the sum of squares in Akaike's criterion
    divisor      of a variance: the sum over the rows, less 1
    count        n, wherever it is a number of rows: M, the least side of a cut, (n + v)/(n - v), Akaike's n, smoothing

*importance*: the cost of a row. A weight is only the cost of an error in its row: a row is one observation of any
weight. So weights enter every mean over rows, and no number of rows. A common factor changes nothing.

*weka*: the rule of M5P in Weka 3.6.14. It is importance, except that growth ignores the weights, Akaike's criterion
compares unweighted sums of squares of weighted fits, and the divisor of a variance is sum w - 1. Since it adds the
ridge to columns of that variance, a common factor changes the last digits. If sum w is at most 1, it treats every
column as constant.

*counts*: a row of weight 2 is that row twice, in every sum and number.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from refrank.arrays import Floats, Ints

LEAST = 1e-100  # share of the largest weight; with less, the sum of a node could underflow to 0


@dataclass(frozen=True)
class Weights:
    """Weights of rows, (n_rows,) each, and whether Akaike's criterion weighs their squared residuals."""

    growth: Floats
    models: Floats
    divisor: Floats
    count: Floats  # `growth` itself, or ones
    weighted_criterion: bool = True

    def take(self, rows: Ints) -> "Weights":
        """Return the weights of some rows, (n_rows,)."""
        growth, models = self.growth[rows], self.models[rows]
        return Weights(growth, models, self.divisor[rows], self.count[rows], self.weighted_criterion)

    @property
    def n_rows(self) -> float:
        """The n of the papers."""
        return float(self.count.sum())


def weigh_importance(weight: Floats) -> Weights:
    """Use the weights, (n_samples,), in every mean over rows; a row is one observation.

    >>> weights = weigh_importance(np.array([1.0, 4.0, 2.0]))
    >>> weights.models, weights.n_rows
    (array([0.25, 1.  , 0.5 ]), 3.0)
    """
    relative, ones = np.maximum(weight / weight.max(), LEAST), np.ones(len(weight))
    return Weights(relative, relative, ones, ones)


def weigh_as_weka(weight: Floats) -> Weights:
    """Use the weights, (n_samples,), where Weka 3.6 uses them: in the linear models and their errors."""
    ones = np.ones(len(weight))
    # Weka M5P: growth does not read weights, nor does the sum of squares of Akaike's criterion
    return Weights(ones, weight, weight, ones, weighted_criterion=False)


def weigh_counts(weight: Floats) -> Weights:
    """Count a row of weight 2 as that row twice; `weight` is (n_samples,)."""
    return Weights(weight, weight, weight, weight)


WEIGHTINGS: dict[str, Callable[[Floats], Weights]] = {
    "importance": weigh_importance,
    "weka": weigh_as_weka,
    "counts": weigh_counts,
}

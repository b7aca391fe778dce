"""iGBRT Section 7: substitutes for features that a document lacks.

The paper tried "splitting three ways during tree construction and substituting missing features with zeros, infinity,
the mean or the median feature value". Infinity is a value above all others, with a bin to itself, and minus infinity
one below all others: what the authors' program calls zeros is -99999999. A cut three ways
uses the bin of infinity: it parts the rows that lack the feature from the others, and cuts the others (`best_split` in
refrank/trees/splitting.py). A tree stores it as two cuts, the first at infinity. A row that lacks a feature that no
training row of the node lacked goes right, with the high values, or, as in the authors' program, gets the node's mean
(refrank/trees/growth/mean_leaves.py).

    symbol             in code          shape
    missing marker     missing_value    float: NaN, 0 or any other number
    substitutes        fill             (n_features,)
"""

import math

import numpy as np

from refrank.arrays import Bools, Matrix
from refrank.cluster.communicator import count_rows, find_largest, sum_exactly
from refrank.mcrank.order_statistics import median

SUBSTITUTES = ("zero", "-inf", "inf", "mean", "median", "three-way")


def is_missing(X: Matrix, missing_value: float) -> Bools:
    """Mark the missing entries; a bool array of the shape of X."""
    return np.isnan(X) if math.isnan(missing_value) else np.equal(X, missing_value)


def fill_values(X: Matrix, missing: str, missing_value: float) -> Matrix:
    """Choose the substitute for the missing entries of each feature, (n_features,), from the training rows.

    `missing` is one of SUBSTITUTES. Means are those of the present values, summed exactly (math.fsum); the median of an
    even number of values is the mean of the middle two. A feature that all training rows lack gets 0 by these rules: it
    is then constant, and no tree cuts on it.

    >>> fill_values(np.array([[1.0, np.nan], [2.0, 7.0], [6.0, np.nan]]), "mean", np.nan)
    array([3., 7.])
    """
    if missing in ("-inf", "inf", "three-way"):
        return np.full(X.shape[1], -np.inf if missing == "-inf" else np.inf, X.dtype)
    fill = np.zeros(X.shape[1], X.dtype)
    for f in range(X.shape[1] if missing != "zero" else 0):
        present = X[~is_missing(X[:, f], missing_value), f].astype(np.float64)
        n_present = count_rows(len(present))
        if n_present == 0:
            # Paper is silent: what stands in for a feature that every training row lacks.
            continue
        largest = find_largest(np.abs(present).max(initial=0.0))
        exponent = np.frexp(largest)[1]  # a power of two below which sums do not overflow
        scaled = np.ldexp(present, -exponent)
        middle = sum_exactly(scaled) / n_present if missing == "mean" else median(scaled)
        fill[f] = np.ldexp(middle, exponent)
    return fill


def fill_missing(X: Matrix, missing_value: float, fill: Matrix) -> Matrix:
    """Replace missing entries by the substitutes, (n_features,), in a copy of X, (n_samples, n_features)."""
    return np.where(is_missing(X, missing_value), fill, X)

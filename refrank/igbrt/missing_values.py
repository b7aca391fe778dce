"""iGBRT Section 7: what stands in for a feature that a document lacks.

The paper tried "splitting three ways during tree construction and substituting missing features with zeros, infinity,
the mean or the median feature value". Infinity is a value above all others, with a bin to itself. A cut three ways
uses the same bin: it parts the rows that lack the feature from the others, and cuts the others (`best_split` of
refrank/trees/splitting.py). A tree writes it as two cuts, the first at infinity. A row that lacks a feature which no
training row of the node lacked goes right, with the high values.

    idea                       in code          shape
    which value says missing   missing_value    NaN or 0 (or any other number)
    what stands in             fill             (n_features,)
"""

import math

import numpy as np
from numpy.typing import NDArray

SUBSTITUTES = ("zero", "inf", "mean", "median", "three-way")


def is_missing(X: NDArray[np.floating], missing_value: float) -> NDArray[np.bool_]:
    """Mark the missing entries, the shape of X."""
    return np.isnan(X) if math.isnan(missing_value) else np.equal(X, missing_value)


def fill_values(X: NDArray[np.floating], missing: str, missing_value: float) -> NDArray[np.floating]:
    """Choose what stands in for missing entries of each feature.

    Parameters
    ----------
    X : float array of shape (n_samples, n_features)
        The training rows.
    missing : "zero", "inf", "mean", "median" or "three-way"
    missing_value : float
        NaN, or the number that says missing.

    Returns
    -------
    array of shape (n_features,), of X's type
        Means are of the present values, summed exactly (math.fsum); an even number of them has the mean of the middle
        two as median. A feature that no training row has gets 0: it is constant then, and no tree cuts on it.

    Examples
    --------
    >>> fill_values(np.array([[1.0, np.nan], [2.0, 7.0], [6.0, np.nan]]), "mean", np.nan)
    array([3., 7.])
    """
    if missing in ("inf", "three-way"):
        return np.full(X.shape[1], np.inf, X.dtype)
    fill = np.zeros(X.shape[1], X.dtype)
    for f in range(X.shape[1] if missing != "zero" else 0):
        present = X[~is_missing(X[:, f], missing_value), f].astype(np.float64)
        if len(present) == 0:
            # Paper is silent: what stands in for a feature that every training row lacks.
            continue
        exponent = np.frexp(np.abs(present).max())[1]  # a power of two below which sums do not overflow
        scaled = np.ldexp(present, -exponent)
        middle = math.fsum(scaled) / len(scaled) if missing == "mean" else np.median(scaled)
        fill[f] = np.ldexp(middle, exponent)
    return fill


def fill_missing(X: NDArray[np.floating], missing_value: float, fill: NDArray[np.floating]) -> NDArray[np.floating]:
    """Put the fill values in; a copy.

    Examples
    --------
    >>> fill_missing(np.array([[1.0, np.nan], [np.nan, 2.0]]), np.nan, np.array([5.0, 6.0]))
    array([[1., 6.],
           [5., 2.]])
    """
    return np.where(is_missing(X, missing_value), fill, X)

"""The choice of bins for tree rankers: `binning` selects one of three functions."""

import warnings
from collections.abc import Callable
from typing import Literal

import numpy as np

from refrank.arrays import Floats, Matrix
from refrank.cluster.communicator import find_largest
from refrank.trees.bins.binning import MOST_BINS, BinnedFeatures, bin_features
from refrank.trees.bins.cuts import INITIAL_LENGTH, equal_lengths, exact, quantiles
from refrank.trees.engine import Engine

Binning = Literal["quantile", "app-i", "exact"]
BINNING = """Where bins end: at quantiles of the weighted training rows; as in McRank App. I, bins of equal length; or
    midway between every two values, of a feature with more than 65,536 values at quantiles of the values."""
N_BINS = """B, 2 to 65,536 bins per feature; up to 256 fit one byte, more fit two. Without effect with binning="exact",
    which has 65,536."""

MOST_NAMED = 10  # columns in a warning

BinRows = Callable[[Matrix, Floats | None, Engine], BinnedFeatures]  # takes X, weights and an engine


def choose_binning(binning: Binning, n_bins: int, growth: float = 2.0) -> BinRows:
    """Return the function that bins training rows, given X, (n_samples, n_features), and weights, (n_samples,).

    `growth` is the factor by which the length of McRank App. I's bins grows.

    >>> from refrank.trees.engine import default_engine
    >>> X, weight = np.array([[0.0], [1.0], [2.0], [10.0]]), np.array([1.0, 1.0, 1.0, 3.0])
    >>> for binning in ("quantile", "app-i", "exact"):
    ...     print(choose_binning(binning, 2)(X, weight, default_engine()).cuts[0].tolist())
    [6.0]
    [6.34217728]
    [0.5, 1.5, 6.0]
    """
    app_i = equal_lengths(growth)  # it refuses a growth out of range for any choice of bins
    functions: dict[Binning, BinRows] = {
        # Departs from McRank App. I: bins end at quantiles by default. On a feature with heavy tails, equal lengths put
        # most rows in one bin.
        "quantile": lambda X, weight, engine: bin_features(X, n_bins, quantiles, weight, engine=engine),
        "app-i": lambda X, weight, engine: warn_of_merged(X, bin_features(X, n_bins, app_i, engine=engine)),
        "exact": lambda X, weight, engine: bin_features(X, MOST_BINS, exact, engine=engine),
    }
    return functions[binning]


def warn_of_merged(X: Matrix, binned: BinnedFeatures) -> BinnedFeatures:
    """Warn of columns of X whose finite values differ but all lie in one bin of the initial length.

    >>> from refrank.trees.bins.cuts import APP_I
    >>> from refrank.trees.engine import default_engine
    >>> X = np.array([[1e-9, 1.0], [3e-9, 2.0]])
    >>> with warnings.catch_warnings(record=True) as found:
    ...     warnings.simplefilter("always")
    ...     _ = warn_of_merged(X, bin_features(X, 256, APP_I, engine=default_engine()))
    >>> print(str(found[0].message).split(",")[0])
    X at column(s) 0: all values are within 1e-08
    """
    # at most three bins: one for the values, and those of -inf and inf, which stand for missing values
    few = [f for f, cuts in enumerate(binned.cuts) if len(cuts) <= 2]
    merged = [f for f in few if 0 < find_spread(X[:, f]) < INITIAL_LENGTH]
    if merged:
        places = ", ".join(map(str, merged[:MOST_NAMED])) + (", ..." if len(merged) > MOST_NAMED else "")
        rule = f"all values are within {INITIAL_LENGTH:g}, the initial bin length of App. I, so no cut can part them"
        help = 'Multiply these features by a power of ten, or pass binning="quantile"'
        warnings.warn(f"X at column(s) {places}: {rule}. {help}", UserWarning, stacklevel=2)
    return binned


def find_spread(column: Matrix) -> float:
    """Return the highest finite value minus the lowest; 0 without finite values."""
    values = column[np.isfinite(column)].astype(np.float64)
    ends = [values.max(), -values.min()] if len(values) else [-np.inf, -np.inf]
    highest, below = find_largest(np.array(ends)).tolist()
    return max(0.0, highest + below)

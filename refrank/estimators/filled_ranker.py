"""Base of the rankers by trees: what stands in for missing entries (iGBRT Sec. 7), and the bins of the training rows.

McRank and its successors do not mention missing entries; their rankers follow the rules of iGBRT's. The base reads
`missing` and `missing_value`; the layers below get rows without holes, and bins that say which cuts go three ways.
"""

import math
import sys
import warnings
from collections.abc import Sequence
from dataclasses import dataclass, replace
from numbers import Real
from reprlib import repr as short
from typing import Literal

import numpy as np
from sklearn.utils import Tags

from refrank.arrays import Floats, Matrix
from refrank.checks import check_finite, check_shape
from refrank.cluster.communicator import is_any
from refrank.estimators.base import THREADS, Ranker
from refrank.estimators.binning import BinRows
from refrank.estimators.fields import estimator, learned, parameter
from refrank.igbrt.missing_values import fill_missing, fill_values, is_missing
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.engine import default_engine
from refrank.trees.splitting import PARTED

Missing = Literal["zero", "-inf", "inf", "mean", "median", "three-way"]
UNLESS = ", unless the ranker has a rule for NaN, such as missing='inf'"


@dataclass(frozen=True, eq=False)
class PreparedRows:
    """Training rows, filled and binned, which fits to several targets can share."""

    X: Matrix  # (n_samples, n_features), as given
    filled: Matrix  # (n_samples, n_features), missing values filled
    fill: Matrix | None  # (n_features,)
    binned: BinnedFeatures


@estimator()
class FilledRanker(Ranker):
    """Base of the rankers by trees: missing values."""

    missing: Missing | None = parameter(
        "What stands in for a missing feature, or whether cuts part such rows. None: NaN is an error.", default=None
    )
    missing_value: float = parameter(
        "The stored value that says missing; 0 where files leave absent features out.", default=np.nan
    )
    n_threads: int | None = parameter(THREADS, default=None)

    fill_: Matrix | None = learned(
        "What stands in for missing values, if `missing` says so.", kind="array of shape (n_features,), or None"
    )

    def __sklearn_tags__(self) -> Tags:
        """Declare that NaN is accepted where it marks a missing entry."""
        tags = super().__sklearn_tags__()
        is_nan = self.missing_value != self.missing_value
        tags.input_tags.allow_nan = self.missing is not None and bool(is_nan)
        return tags

    def check_parameters(self) -> None:
        """Refuse a parameter that breaks its rule."""
        super().check_parameters()
        value = self.missing_value
        is_number = isinstance(value, Real) and not isinstance(value, bool)
        if not is_number or sys.float_info.max < abs(value) < math.inf:  # such as 10**400, too large for float64
            raise ValueError(f"missing_value is {short(value)}: it must be NaN, or a number that says missing")

    def explain_whole_rows(self) -> str:
        """Explain why the ranker cannot be trained on shards; "" if it can."""
        return ""

    def _check_features(self, X: Matrix) -> None:
        if self.missing is not None and not math.isfinite(self.missing_value):
            X = fill_holes(X, self.missing_value, np.zeros(X.shape[1], X.dtype))
        recipe = "" if self.missing is not None else UNLESS
        check_finite(X, getattr(self, "feature_names_in_", None), recipe)

    def _fill_and_bin(self, X: Matrix, weight: Floats | None, bin_rows: BinRows, flag: int = PARTED) -> PreparedRows:
        """Fill and bin the rows of X, (n_samples, n_features), by their weights, (n_samples,).

        `flag` is that of features which rows lack, where cuts go three ways.
        """
        filled, fill, missing = X, None, None
        if self.missing is not None:
            fill = fill_values(X, self.missing, self.missing_value)
            if self.missing == "three-way":
                is_missed = is_any(np.any(is_missing(X, self.missing_value), axis=0))
                missing = np.where(is_missed, flag, 0).astype(np.int8)
            filled = fill_holes(X, self.missing_value, fill)
            if not is_any(filled is not X) and not math.isnan(self.missing_value):
                about = f"missing_value is {self.missing_value:g}: no training row has it, so nothing is missing"
                warnings.warn(about, UserWarning, stacklevel=5)
        binned = bin_rows(filled, weight, default_engine(self.n_threads))
        return PreparedRows(X, filled, fill, replace(binned, missing=missing))

    def fill(self, X: Matrix) -> Matrix:
        """Put the learned substitutes in the place of missing entries of X, (n_samples, n_features)."""
        if self.fill_ is None:
            return X
        check_shape("fill_", self.fill_, (X.shape[1],), "(n_features,), one value per column of X")
        return fill_holes(X, self.missing_value, self.fill_)

    @property
    def _missing_marker(self) -> float | None:
        return None if self.missing is None else self.missing_value

    def _name_columns(self) -> tuple[Sequence[str] | None, Matrix | None]:
        return super()._name_columns()[0], self.fill_


def fill_holes(X: Matrix, missing_value: float, fill: Matrix) -> Matrix:
    """Replace missing entries by the substitutes, (n_features,), in a copy of X; return X itself if it is complete."""
    return fill_missing(X, missing_value, fill) if is_missing(X, missing_value).any() else X

"""M5' model trees as a scikit-learn regressor; the algorithm is in refrank/cocr/m5p."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.base import BaseEstimator, RegressorMixin
from sklearn.utils.validation import check_is_fitted, validate_data

from refrank.cocr.m5p import VARIANTS, model_tree

LARGEST = 1e100


class M5PRegressor(RegressorMixin, BaseEstimator):
    """M5' model tree (Quinlan 1992; Wang & Witten 1997), as COCR Sec. 5.2 uses it.

    Parameters
    ----------
    min_instances : float, default=4
        The paper's M: a node with fewer training rows (a smaller sum of weights) is not split. At least 2.
    variant : {"weka", "published"}, default="weka"
        As Weka's M5P does it, which the COCR paper ran, or as the papers of 1992 and 1997 print it. The
        differences are listed in `refrank.cocr.m5p.variants`.

    Attributes
    ----------
    tree_ : refrank.cocr.m5p.M5Tree
        The pruned and smoothed tree.
    n_features_in_ : int
        Columns of X seen by fit.

    Notes
    -----
    Sample weights are counts: a row of weight 2 is that row twice. Weights that are not counts should be
    scaled to mean one.

    Examples
    --------
    >>> X = np.arange(40.0)[:, None]
    >>> y = np.where(X[:, 0] < 20, X[:, 0], 100 - X[:, 0])
    >>> model = M5PRegressor().fit(X, y)
    >>> model.tree_.n_leaves
    2
    >>> model.predict([[10.0], [30.0]]).round(1)
    array([13.5, 67.4])
    """

    def __init__(self, min_instances: float = 4, variant: str = "weka") -> None:
        self.min_instances = min_instances
        self.variant = variant

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> M5PRegressor:
        """Grow, prune and smooth the tree.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Finite numbers.
        y : array of shape (n_samples,)
            Finite numbers.
        sample_weight : array of shape (n_samples,), default=None
            Not negative; rows of weight 0 are left out. None is weights of one.

        Returns
        -------
        M5PRegressor
            Itself.

        Raises
        ------
        ValueError
            If X or y holds NaN, an infinite value or one larger than 1e100, if a weight is negative or not
            finite, if the weights sum to less than `min_instances`, or if a parameter is out of range.
        """
        if self.variant not in VARIANTS:
            raise ValueError(f"variant={self.variant!r}: must be one of {sorted(VARIANTS)}")
        if not 2 <= self.min_instances < np.inf:
            raise ValueError(f"min_instances={self.min_instances!r}: must be a finite number, at least 2")
        data, target = validate_data(self, X, y, dtype=np.float64, y_numeric=True)
        for name, values in (("X", data), ("y", target)):
            large = np.argwhere(np.abs(values) > LARGEST)
            if len(large):
                place, value = large[0].tolist(), values[tuple(large[0])]
                raise ValueError(f"{name}{place} = {value}: must not exceed {LARGEST:g} in size, or squares overflow")
        weight = _weights(sample_weight, len(target))
        total = float(weight.sum())
        if total < self.min_instances:
            raise ValueError(
                f"min_instances={self.min_instances}: the weights must sum to at least that, but the sum"
                f" is {total:g}, n_samples = {len(target)}"
            )
        present = weight > 0.0
        self.tree_ = model_tree(
            data[present],
            target[present].astype(np.float64),
            weight[present],
            self.min_instances,
            VARIANTS[self.variant],
        )
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict by the smoothed model of the leaf that each row reaches.

        Parameters
        ----------
        X : array of shape (n_samples, n_features)
            Finite numbers.

        Returns
        -------
        float64 array of shape (n_samples,)
        """
        check_is_fitted(self)
        return self.tree_.predict(validate_data(self, X, dtype=np.float64, reset=False))


def _weights(sample_weight: ArrayLike | None, n_samples: int) -> NDArray[np.float64]:
    """Return the weights as float64 of shape (n_samples,), or say what is wrong with them."""
    if sample_weight is None:
        return np.ones(n_samples)
    weight = np.asarray(sample_weight, np.float64)
    if weight.shape != (n_samples,):
        raise ValueError(f"sample_weight has shape {weight.shape}: must be ({n_samples},), one weight a row of X")
    wrong = np.flatnonzero(~((weight >= 0.0) & (weight < np.inf)))
    if len(wrong):
        raise ValueError(f"sample_weight[{wrong[0]}] = {weight[wrong[0]]}: weights must be finite and not negative")
    if not weight.any():
        raise ValueError("sample_weight is zero in every row: at least one weight must be positive")
    return weight

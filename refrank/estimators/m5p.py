"""M5' model trees as a scikit-learn regressor; the algorithm is in refrank/cocr/m5p."""

from typing import Literal, Self

import numpy as np
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from refrank.checks import check_entries, check_finite, check_shape, check_target, check_weights
from refrank.cocr.m5p import VARIANTS, M5Tree, model_tree
from refrank.estimators.base import BaseEstimator, RegressorMixin, forget
from refrank.estimators.fields import check_parameters, estimator, learned, parameter

LARGEST = 1e100  # of a feature or a target, in size: squares and their sums stay finite

__all__ = ["M5PRegressor"]


@estimator(kw_only=False)
class M5PRegressor(RegressorMixin, BaseEstimator):
    """M5' model tree (Quinlan 1992; Wang & Witten 1997), as COCR Sec. 5.2 uses it.

    Notes
    -----
    Sample weights are counts: a row of weight 2 is that row twice. Scale weights that are not counts to mean one.

    Examples
    --------
    >>> X = np.arange(40.0)[:, None]
    >>> y = np.where(X[:, 0] < 20, X[:, 0], 100 - X[:, 0])
    >>> model = M5PRegressor().fit(X, y)
    >>> model.model_
    M5Tree(3 nodes, 2 leaves)
    >>> model.predict([[10.0], [30.0]]).round(1)
    array([13.5, 67.4])
    """

    min_instances: float = parameter(
        "The paper's M, at least 2: a node with fewer rows, by sum of weights, is not split.", default=4, at_least=2
    )
    variant: Literal["weka", "published"] = parameter(
        """As in Weka's M5P, which the COCR paper ran, or as the papers of 1992 and 1997 print it;
        `refrank.cocr.m5p.variants` lists the differences.""",
        default="weka",
    )

    model_: M5Tree = learned("The pruned and smoothed tree.")

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Grow, prune and smooth the tree.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers of at most 1e100 in size.
        y : array-like of shape (n_samples,)
            Finite numbers of at most 1e100 in size.
        sample_weight : array-like of shape (n_samples,), optional
            Not negative; rows of weight 0 are left out. None: each row has weight 1.

        Returns
        -------
        M5PRegressor
            Itself.

        Raises
        ------
        ValueError
            If an argument or a parameter is out of range, or the weights add up to less than `min_instances`; the
            message names value, place and rule. No earlier model is left then.
        """
        forget(self)
        check_parameters(self)
        min_instances = float(self.min_instances)
        features, target = self._check_features(X, reset=True), check_target(column_or_1d(y, warn=True))
        n_samples = len(features)
        check_shape("y", target, (n_samples,), "(n_samples,), one target per row of X")
        for name, values in (("X", features), ("y", target)):
            rule = f"numbers must be at most {LARGEST:g} in size, so that squares do not overflow"
            check_entries(name, values, np.abs(values) > LARGEST, rule)
        weight = check_weights(sample_weight, n_samples)
        weight = np.ones(n_samples) if weight is None else weight
        if (total := float(weight.sum())) < min_instances:
            rule = f"it must be at most the sum of the weights, here {total:g} with n_samples = {n_samples}"
            raise ValueError(f"min_instances is {min_instances:g}: {rule}")
        present = weight > 0.0
        rows = features[present], target[present], weight[present]
        self.model_ = model_tree(*rows, min_instances, VARIANTS[self.variant])
        return self

    def predict(self, X: ArrayLike) -> NDArray[np.float64]:
        """Predict by the smoothed model of the leaf that each row of X, (n_samples, n_features), reaches: (n_samples,).

        Raises a ValueError where X is not finite, or has another number of columns than in fit.
        """
        check_is_fitted(self, "model_")
        return self.model_.predict(self._check_features(X, reset=False))

    def _check_features(self, X: ArrayLike, reset: bool) -> NDArray[np.float64]:
        """Return finite features as float64; in fit, `reset` the names and number of the columns."""
        features = validate_data(self, X, dtype=np.float64, ensure_all_finite=False, reset=reset)
        check_finite(features, getattr(self, "feature_names_in_", None))
        return features

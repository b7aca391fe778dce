"""M5' model trees, and the linear regression of their nodes, as scikit-learn regressors (see refrank/cocr/m5p)."""

from abc import ABC, abstractmethod
from typing import Any, ClassVar, Literal, Self

import numpy as np
from numpy.typing import ArrayLike
from sklearn.utils import Tags, column_or_1d
from sklearn.utils.validation import check_is_fitted, validate_data

from refrank.arrays import Floats
from refrank.checks import (
    check_entries,
    check_finite,
    check_shape,
    check_target,
    check_unmasked,
    check_weights,
)
from refrank.cocr.m5p import VARIANTS, WEIGHTINGS, M5Tree, make_model_tree
from refrank.cocr.m5p.elimination import simplify_weka
from refrank.cocr.m5p.least_squares import set_up_regression
from refrank.cocr.m5p.weights import weigh_as_weka
from refrank.estimators.base import BaseEstimator, RegressorMixin
from refrank.estimators.feature_tables import take_features
from refrank.estimators.fields import check_parameters, estimator, learned, parameter
from refrank.estimators.run import forget

LARGEST = 1e100  # largest size of a feature or target: squares and their sums stay finite
LARGEST_SUM = float(np.finfo(np.float64).max) / 4  # of weights times squares; a deviation is at most twice as large

__all__ = ["M5PRegressor", "WekaLinearRegressor"]


class ModelTreeRegressor(RegressorMixin, BaseEstimator, ABC):
    """Base of the two regressors, which checks the rows and leaves out those of weight 0."""

    def __sklearn_tags__(self) -> Tags:
        """Declare that sparse matrices are accepted: they become arrays."""
        tags: Tags = super().__sklearn_tags__()
        tags.input_tags.sparse = True
        return tags

    def fit(self, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None = None) -> Self:
        """Train.

        Parameters
        ----------
        X : array-like of shape (n_samples, n_features)
            Finite numbers of at most 1e100 in size.
        y : array-like of shape (n_samples,)
            Finite numbers of at most 1e100 in size.
        sample_weight : array-like of shape (n_samples,), optional
            Weights of at least 0; rows of weight 0 are left out. None: each row has weight 1.

        Returns
        -------
        self

        Raises
        ------
        ValueError
            If an argument or a parameter is out of range, or if M5P gets fewer rows than `min_instances`. The message
            names the value, the place and the rule. Any earlier model is gone then.
        """
        forget(self)
        check_parameters(self)
        relative = getattr(self, "weights", "") == "importance"
        self._learn(*check_rows(self, X, y, sample_weight, relative), sample_weight is not None)
        return self

    @abstractmethod
    def _learn(self, X: Floats, y: Floats, weight: Floats, n_samples: int, is_weighted: bool) -> None:
        """Learn from the rows of positive weight, of n_samples in all."""


@estimator(kw_only=False)
class M5PRegressor(ModelTreeRegressor):
    """M5' model tree (Quinlan 1992; Wang & Witten 1997), as COCR Sec. 5.2 uses it.

    Notes
    -----
    By default, a sample weight is the cost of an error in the row, and the row counts as one row whatever its weight.
    Scaling all weights changes nothing, and a row of weight 2 is not that row twice (`weights="counts"`).

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

    algorithm: ClassVar[str] = "m5p"

    min_instances: float = parameter(
        """The paper's M, at least 2: a node with fewer rows is not split. With `weights="counts"`, it is the sum of the
        weights that is compared.""",
        default=4,
        at_least=2,
    )
    variant: Literal["weka", "published"] = parameter(
        """As in Weka's M5P, which the COCR paper ran, or as the papers of 1992 and 1997 print it;
        `refrank.cocr.m5p.variants` lists the differences.""",
        default="weka",
    )
    weights: Literal["importance", "weka", "counts"] = parameter(
        """Meaning of sample weights: costs, which enter means over rows and no number of rows; the same as in Weka 3.6,
        whose growth does not see them; or counts, so that a row of weight 2 is that row twice.
        `refrank.cocr.m5p.weights` has the definitions. Without weights, all three are one.""",
        default="importance",
    )

    model_: M5Tree = learned("The pruned and smoothed tree.")

    def _learn(self, X: Floats, y: Floats, weight: Floats, n_samples: int, is_weighted: bool) -> None:
        min_instances = float(self.min_instances)
        # Without weights all ways give the same result; counts need the fewest sums.
        weights = WEIGHTINGS[self.weights if is_weighted else "counts"](weight)
        if (n_rows := weights.n_rows) < min_instances:
            counted = "the sum of the weights" if self.weights == "counts" else "the number of rows of positive weight"
            rule = f"it must be at most {counted}, here {n_rows:g} with n_samples = {n_samples}"
            raise ValueError(f"min_instances is {min_instances:g}: {rule}")
        self.model_ = make_model_tree(X, y, weights, min_instances, VARIANTS[self.variant])

    def predict(self, X: ArrayLike) -> Floats:
        """Predict by the smoothed model of the leaf that each row of X, (n_samples, n_features), reaches: (n_samples,).

        Raises a ValueError if X is not finite or its number of columns differs from that in fit.
        """
        check_is_fitted(self, "model_")
        return self.model_.predict(check_features(self, X, reset=False))


@estimator(kw_only=False)
class WekaLinearRegressor(ModelTreeRegressor):
    """Linear regression as in Weka 3.6, the base of COCR Sec. 5.3: least squares on the attributes that it selects.

    First it drops terms with a standardised coefficient above 1.5, which Weka treats as collinear; then the smallest
    ones, as long as Akaike's criterion falls. It is the linear model in a node of an M5P tree, on all features
    (`refrank.cocr.m5p.elimination`).

    Notes
    -----
    Sample weights work as in Weka: they enter means, variances and least squares, but the criterion compares unweighted
    sums of squares, and n is the number of rows (`refrank.cocr.m5p.weights`). Rows of weight 0 are left out.

    Examples
    --------
    >>> X = np.column_stack([np.arange(40.0), np.arange(40) * 7 % 40])
    >>> model = WekaLinearRegressor().fit(X, 2 * X[:, 0] + np.arange(40) % 3)
    >>> model.coef_.round(2)  # the second column is dropped
    array([2., 0.])
    >>> model.predict([[10.0, 0.0]]).round(1)
    array([21.])
    """

    algorithm: ClassVar[str] = "weka-linear"

    ridge: float = parameter(
        "Added to the diagonal of the standardised normal equations; ten times as much where they stay singular.",
        default=1e-8,
        at_least=1e-15,
    )

    coef_: Floats = learned("Slopes, 0 for the features that were dropped.", kind="array of shape (n_features_in_,)")
    intercept_: float = learned("The constant.")

    def _learn(self, X: Floats, y: Floats, weight: Floats, n_samples: int, is_weighted: bool) -> None:
        every = np.arange(X.shape[1])
        line = simplify_weka(set_up_regression(X, y, weigh_as_weka(weight), every), float(self.ridge)).to_model()
        self.coef_, self.intercept_ = np.zeros(len(every)), line.intercept
        self.coef_[line.features] = line.coefficients

    def predict(self, X: ArrayLike) -> Floats:
        """Predict by the line, for X of shape (n_samples, n_features): (n_samples,).

        Raises a ValueError if X is not finite or its number of columns differs from that in fit.
        """
        check_is_fitted(self, "coef_")
        features = check_features(self, X, reset=False)
        check_shape("coef_", self.coef_, (features.shape[1],), "(n_features,) of X")
        return features @ self.coef_ + self.intercept_


Problem = tuple[Floats, Floats, Floats, int]


def check_rows(estimator: Any, X: ArrayLike, y: ArrayLike, sample_weight: ArrayLike | None, relative: bool) -> Problem:
    """Return features, targets and weights of the rows of positive weight, and the number of all rows.

    With `relative`, only the ratios of weights matter, and any finite float64 will do; others must not overflow a sum.
    """
    check_unmasked("y", y)
    features, target = check_features(estimator, X, reset=True), check_target(column_or_1d(y, warn=True))
    n_samples = len(features)
    check_shape("y", target, (n_samples,), "(n_samples,), one target per row of X")
    for name, values in (("X", features), ("y", target)):
        rule = f"numbers must be at most {LARGEST:g} in size, so that squares do not overflow"
        check_entries(name, values, np.abs(values) > LARGEST, rule)
    weight = check_weights(sample_weight, n_samples)
    weight = np.ones(n_samples) if weight is None else weight
    if not relative:
        most = LARGEST_SUM / n_samples / max(1.0, np.abs(features).max(), np.abs(target).max()) ** 2
        rule = f"beside these features and targets, weights must be at most {most:g}, so that no sum overflows"
        check_entries("sample_weight", weight, weight > most, rule)
    present = weight > 0.0
    return features[present], target[present], weight[present], n_samples


def check_features(estimator: Any, X: ArrayLike, reset: bool) -> Floats:
    """Return finite features as float64; in fit, `reset` sets the names and the number of the columns."""
    features = validate_data(estimator, take_features(X), dtype=np.float64, ensure_all_finite=False, reset=reset)
    check_finite(features, getattr(estimator, "feature_names_in_", None))
    return features

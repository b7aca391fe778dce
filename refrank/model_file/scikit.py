"""The estimators of scikit-learn that a model file holds, as bases of COCR: linear models, and bags of what is held.

Held is what `predict` reads, no more. skops would write any estimator, but its files hold the clock and addresses of
memory, so that two are never equal. Trees and forests keep their nodes under private names, which releases change.
"""

from typing import Any

import numpy as np
from numpy.typing import NDArray
from sklearn import linear_model
from sklearn.base import BaseEstimator
from sklearn.ensemble import BaggingRegressor

from refrank.checks import check_entries, check_shape
from refrank.model_file.faults import require

LINEAR = (  # those that predict X @ coef_ + intercept_
    *("ARDRegression", "BayesianRidge", "ElasticNet", "ElasticNetCV", "HuberRegressor", "Lars", "LarsCV", "Lasso"),
    *("LassoCV", "LassoLars", "LassoLarsCV", "LassoLarsIC", "LinearRegression", "OrthogonalMatchingPursuit"),
    *("OrthogonalMatchingPursuitCV", "QuantileRegressor", "Ridge", "RidgeCV", "SGDRegressor", "TheilSenRegressor"),
)
KINDS: dict[str, type[BaseEstimator]] = {name: getattr(linear_model, name) for name in LINEAR}
KINDS["BaggingRegressor"] = BaggingRegressor
OF_LINEAR = {"coef_": NDArray[np.floating], "intercept_": float | NDArray[np.floating]}
OF_BAG = {"estimators_": tuple[BaseEstimator, ...], "estimators_features_": tuple[NDArray[np.int64], ...]}


def list_attributes(kind: type[BaseEstimator]) -> dict[str, Any]:
    """Return the type of each learned attribute that a file holds."""
    return OF_BAG if kind is BaggingRegressor else OF_LINEAR


def check_attributes(model: Any) -> None:
    """Check the numbers of a linear model; that a bag is whole, and that each estimator in it finds its features."""
    n_features = model.n_features_in_
    if not isinstance(model, BaggingRegressor):
        check_shape("coef_", model.coef_, (n_features,), "(n_features_in_,)")
        for name, values in (("coef_", model.coef_), ("intercept_", np.atleast_1d(model.intercept_))):
            check_entries(name, values, ~np.isfinite(values), "it must be finite")
        require(np.shape(model.intercept_) in ((), (1,)), "intercept_ must be one number")
        return
    for name in OF_BAG:
        n_held = len(getattr(model, name))
        require(n_held == model.n_estimators, f"{name} has {n_held} entries: it must have {model.n_estimators}")
    for number, (one, features) in enumerate(zip(model.estimators_, model.estimators_features_, strict=True)):
        where = f"estimators_features_.{number}"
        check_shape(where, features, (one.n_features_in_,), "(n_features,), of its estimator")
        rule = f"features must be integers from 0 to {n_features - 1}"
        check_entries(where, features, (features < 0) | (features >= n_features), rule)

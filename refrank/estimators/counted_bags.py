"""Bags of many rows, drawn as scikit-learn's `BaggingRegressor` does, but counted block by block instead of listed.

Over weighted rows, the number of draws of a bag is the share `max_samples` of the sum of the weights, even if there are
few rows. scikit-learn lists the rows that it draws, at about 24 bytes each, and then counts them. Here, each block of
draws is counted before the next one is made. So memory grows with the rows, and the result is the same to the bit.

    symbol                          in code     shape
    draws of a bag                  n_drawn     int
    probabilities, added up         bounds      (n_samples,): row i is drawn where bounds[i - 1] <= u < bounds[i]
    how often each row is drawn     counts      (n_samples,) int64
"""

import sys
from importlib import import_module  # slow to import, and needed for bags only
from numbers import Integral
from typing import Any

import numpy as np
from joblib import Parallel, delayed
from numpy.random import RandomState
from sklearn.base import clone
from sklearn.utils import check_random_state
from sklearn.utils.random import sample_without_replacement
from sklearn.utils.validation import has_fit_parameter

from refrank.arrays import Floats, Ints, Matrix

BLOCK = 2**18  # draws made at a time, 8 bytes each; the draws of larger bags are counted
LARGEST_INT = np.iinfo(np.int32).max  # scikit-learn's seeds are below it


def can_count(base: Any) -> bool:
    """Return whether counts per row describe the bags of a base completely.

    They do not if the estimator takes no weights, since it gets the rows themselves; if rows are drawn at most once; or
    if the rows outside each bag are listed for a score.

    >>> from sklearn.ensemble import BaggingRegressor
    >>> from sklearn.linear_model import LinearRegression
    >>> from sklearn.neighbors import KNeighborsRegressor
    >>> can_count(BaggingRegressor(LinearRegression())), can_count(BaggingRegressor(KNeighborsRegressor()))
    (True, False)
    """
    ensemble = sys.modules.get("sklearn.ensemble")
    if ensemble is None or type(base) is not ensemble.BaggingRegressor or not base.bootstrap or base.oob_score:
        return False
    return base.estimator is None or has_fit_parameter(base.estimator, "sample_weight")


def count_bag(bags: Any, weight: Floats) -> float:
    """Return how many rows a bag draws by these weights, (n_samples,), before rounding down."""
    if bags.max_samples is None:
        return float(len(weight))
    return float(bags.max_samples if isinstance(bags.max_samples, Integral) else bags.max_samples * weight.sum())


def fit_bags(bags: Any, X: Matrix, y: Floats, weight: Floats) -> Any:
    """Fit a `BaggingRegressor` for which `can_count` is true, as its `fit` does; return it.

    It has all that `predict` reads, but no `estimators_samples_`, which would be the list.

    `bags` is not fitted; X is (n_samples, n_features), y and the weights by which rows are drawn are (n_samples,), all
    of float64.

    Examples
    --------
    >>> from sklearn.ensemble import BaggingRegressor
    >>> from sklearn.linear_model import LinearRegression
    >>> X, y, weight = np.array([[0.0], [1.0], [2.0]]), np.array([0.0, 1.0, 4.0]), np.array([1.0, 2.0, 1.0])
    >>> bags = BaggingRegressor(LinearRegression(), n_estimators=3, max_samples=40, random_state=0)
    >>> counted = fit_bags(clone(bags), X, y, weight).predict(X)
    >>> np.array_equal(counted, bags.fit(X, y, sample_weight=weight).predict(X))
    True
    """
    bags._validate_params()
    n_features, n_drawn = X.shape[1], max(1, int(count_bag(bags, weight)))
    n_kept = bags.max_features if not isinstance(bags.max_features, float) else int(bags.max_features * n_features)
    if n_kept > n_features:
        raise ValueError(
            f"max_features is {bags.max_features}: it must be at most {n_features}, the number of features"
        )
    base = import_module("sklearn.tree").DecisionTreeRegressor() if bags.estimator is None else bags.estimator
    share = weight / np.sum(weight)

    def fit_one(seed: int) -> tuple[Any, Ints]:
        estimator = clone(base)
        seed_estimator(estimator, RandomState(seed))
        rng = RandomState(seed)
        features = draw_features(rng, bags.bootstrap_features, n_features, max(1, n_kept))
        counts = count_draws(rng, share, n_drawn, BLOCK)
        kept = X[:, features] if bags.bootstrap_features or len(features) != n_features else X
        return estimator.fit(kept, y, sample_weight=counts), features

    seeds = check_random_state(bags.random_state).randint(LARGEST_INT, size=bags.n_estimators)
    fitted = Parallel(n_jobs=bags.n_jobs)(delayed(fit_one)(seed) for seed in seeds)
    bags.estimators_, bags.estimators_features_ = map(list, zip(*fitted, strict=True))
    bags.n_features_in_ = n_features
    return bags


def seed_estimator(estimator: Any, rng: RandomState) -> None:
    """Give each seed among the parameters of an estimator its own number, in the order of their names."""
    names = sorted(name for name in estimator.get_params() if name == "random_state" or name.endswith("__random_state"))
    estimator.set_params(**{name: rng.randint(LARGEST_INT) for name in names})


def draw_features(rng: RandomState, replaced: bool, n_features: int, n_kept: int) -> Ints:
    """Draw the features of an estimator, (n_kept,)."""
    if replaced:
        return rng.randint(0, n_features, n_kept)
    drawn: Ints = sample_without_replacement(n_features, n_kept, random_state=rng)
    return drawn


def count_draws(rng: RandomState, share: Floats, n_drawn: int, block: int) -> Ints:
    """Count how often each row is drawn by its share, (n_samples,), with the draws that `rng.choice` would list.

    >>> share = np.array([0.25, 0.5, 0.25])
    >>> listed = RandomState(0).choice(3, 1000, p=share)
    >>> count_draws(RandomState(0), share, 1000, block=64).tolist(), np.bincount(listed).tolist()
    ([254, 505, 241], [254, 505, 241])
    """
    bounds = share.cumsum()
    bounds /= bounds[-1]
    counts = np.zeros(len(share), np.int64)
    for first in range(0, n_drawn, block):
        u = np.sort(rng.random_sample(min(block, n_drawn - first)))  # sorting puts the draws of a row side by side
        counts += np.diff(u.searchsorted(bounds), prepend=0)
    return counts

"""Cases for the tests of `refrank.estimators`: small data, and every estimator of the registry in its variants.

A ranker comes in with its name in the registry; what it has beside its defaults is added to `VARIANTS`.
"""

import inspect
from dataclasses import fields, is_dataclass
from functools import partial

import numpy as np
import pytest
from sklearn.linear_model import LinearRegression

from refrank import GBRTRanker, IGBRTRanker, M5PRegressor, RandomForestRanker, WekaLinearRegressor
from refrank.estimators import binning, lambdamart, mcrank_successors
from refrank.estimators.registry import COCR_BASES, KINDS, RANKERS
from tests.strategies import rng_of

# Sizes of all that have them: enough for a model that is not trivial.
SIZES = {"n_rounds": 3, "n_trees": 4, "n_epochs": 3, "n_leaves": 4, "hidden": 3, "n_threads": 1, "max_depth": 3}
# McRank's rankers share one base, and so one of them stands for all where features are missing
WITH_MISSING = ("rf", "gbrt", "igbrt", "ordinal")
FASTER = {"lambdarank": {"learning_rate": 0.05}, "cocr": {"base": LinearRegression()}}
TURNS = ("n_rounds", "n_epochs", "n_trees")  # parameters that say how many turns a training has; the first: its stages
CHOICES = (
    *(
        ("base_class", "worst"),
        ("update", "simultaneous"),
        ("setting", "classification"),
        ("missing", "three-way"),
        ("missing", "median"),
    ),
    *(("cut_at", "midpoint"),),
    *(("binning", "app-i"), ("initial", "mean"), ("oob_score", True), ("objective", "err"), ("objective", "ranknet")),
    ("schedule", "cost"),
)


def parameters_of(Kind):
    return inspect.signature(Kind).parameters


def small(Kind, **changed):
    """A ranker of few turns; its parameters that have a size in `SIZES` have it."""
    sizes = {name: size for name, size in SIZES.items() if name in parameters_of(Kind)}
    return Kind(**{**sizes, **FASTER.get(Kind.algorithm, {}), **changed})


def small_base(name):
    """A base of COCR, with few turns."""
    base = COCR_BASES[name].make()
    sizes = {"n_estimators": 2, "max_samples": 16, **SIZES}
    return base.set_params(**{key: size for key, size in sizes.items() if key in base.get_params(deep=False)})


BESIDE = lambdamart.__name__, mcrank_successors.__name__
SUCCESSORS = {kind.algorithm: kind for kind in KINDS.values() if kind.__module__ in BESIDE}
VARIANTS = {name: partial(small, Ranker) for name, Ranker in RANKERS.items()}
for name, Ranker in RANKERS.items():
    for parameter, value in CHOICES if name in WITH_MISSING else [c for c in CHOICES if c[0] != "missing"]:
        if parameter in parameters_of(Ranker) and parameters_of(Ranker)[parameter].default != value:
            VARIANTS[f"{name}, {parameter}={value}"] = partial(small, Ranker, **{parameter: value})
for name in COCR_BASES:
    if name != "linear":
        VARIANTS[f"cocr over {name}"] = lambda name=name: small(RANKERS["cocr"], base=small_base(name))
M5P = {"m5p": partial(M5PRegressor, 2), "m5p, variant=published": partial(M5PRegressor, 2, "published")}
M5P |= {f"m5p, weights={weights}": partial(M5PRegressor, 2, weights=weights) for weights in ("weka", "counts")}
ESTIMATORS = VARIANTS | M5P | {"weka-linear": WekaLinearRegressor}

TREE_RANKERS = [RandomForestRanker, GBRTRanker, IGBRTRanker]
tree_rankers = pytest.mark.parametrize("Ranker", TREE_RANKERS)
both_settings = pytest.mark.parametrize("setting", ["regression", "classification"])
kinds = pytest.mark.parametrize("Kind", KINDS.values(), ids=KINDS)
rankers = pytest.mark.parametrize("Ranker", RANKERS.values(), ids=RANKERS)


def each(chosen):
    """Run a test with each of these makers of estimators, {name: maker}."""
    return pytest.mark.parametrize("make", chosen.values(), ids=chosen)


def which(has, among=VARIANTS):
    """Those makers whose estimators have it."""
    return {name: make for name, make in among.items() if has(make())}


def data(n_samples=60, n_classes=4, seed=0, dtype=np.float64):
    """Labels that follow the features; twelve queries, in mixed order."""
    rng = rng_of(seed)
    X = rng.normal(size=(n_samples, 5)).astype(dtype)
    y = np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 1), 0, n_classes - 1).astype(np.int64)
    return X, y, rng.integers(0, 12, n_samples)


X, Y, QID = data()


def takes(estimator, argument):
    return argument in inspect.signature(estimator.fit).parameters


def fit(estimator, X=X, y=Y, qid=QID, sample_weight=None):
    """Fit with what the estimator takes of queries and weights."""
    given = {"qid": qid, "sample_weight": sample_weight}
    return estimator.fit(X, y, **{k: v for k, v in given.items() if v is not None and takes(estimator, k)})


def record_binning(monkeypatch):
    """List the numbers of rows that are binned from here on."""
    binned = []
    original = binning.bin_features
    monkeypatch.setattr(
        binning, "bin_features", lambda X, *args, **kwargs: binned.append(len(X)) or original(X, *args, **kwargs)
    )
    return binned


def learned(estimator):
    """All that a fit learned, as plain values that can be compared."""
    return {name: plain(value) for name, value in vars(estimator).items() if name.endswith("_")}


def plain(value):
    if isinstance(value, np.ndarray):
        content = [plain(item) for item in value] if value.dtype == object else value.tobytes()
        return value.dtype.str, value.shape, content
    if isinstance(value, list | tuple):
        return [plain(item) for item in value]
    if is_dataclass(value) and not hasattr(value, "get_params"):
        return [type(value).__name__, *(plain(getattr(value, f.name)) for f in fields(value))]
    if hasattr(value, "predict"):
        return type(value).__name__, learned(value)
    return value


def same_bits(*arrays):
    """Return whether all arrays are equal, bit for bit."""
    return len({array.tobytes() for array in arrays}) == 1


def changed(array, place, value):
    """A copy of an array with another value in one place."""
    array = np.array(array, dtype=np.float64)
    array[place] = value
    return array


def trees_of(ranker):
    """The trees of the forest and of boosting."""
    parts = [getattr(ranker, name) for name in ("forest_", "model_") if hasattr(ranker, name)]
    return [tree for part in parts for trees in part.rounds for tree in trees]

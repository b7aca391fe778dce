"""The names of the algorithms, and of the base regressors of COCR.

The command line, model files, reproductions and tests read the names here. A ranker states its own name (`algorithm`),
so listing a new one in its module's `__all__` registers it. A new base of COCR is one entry of `COCR_BASES`. The costs
of COCR are in `refrank.cocr.costs.COSTS`, the conventions of metrics in `refrank.metrics.PRESETS`.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from importlib import import_module  # slow to import, and used by few commands
from typing import Any

from sklearn.base import BaseEstimator

from refrank import estimators
from refrank.estimators import GBRTRanker, LambdaRanker, M5PRegressor, WekaLinearRegressor
from refrank.estimators.base import Ranker


@dataclass(frozen=True)
class Algorithm:
    """A ranker as the command line names it."""

    ranker: type[Ranker]
    fixed: Mapping[str, Any] = field(default_factory=dict)  # parameters that the name implies


@dataclass(frozen=True)
class CocrBase:
    """A base regressor of COCR, with those of its parameters that have flags."""

    make: Callable[[], BaseEstimator]
    flags: Mapping[str, str]  # flag -> parameter of the regressor


KINDS: dict[str, type[BaseEstimator]] = {name: getattr(estimators, name) for name in vars(estimators)["__all__"]}
RANKERS: dict[str, type[Ranker]] = {  # those that can be trained
    kind.algorithm: kind for kind in KINDS.values() if issubclass(kind, Ranker) and kind.trains
}
ALGORITHMS: dict[str, Algorithm] = {name: Algorithm(ranker) for name, ranker in RANKERS.items()}
ALGORITHMS["ranknet"] = Algorithm(LambdaRanker, {"objective": "ranknet"})

GROWTH_FLAGS = ("max_depth", "min_samples_leaf", "binning", "n_bins", "cut_at")
GBRT_FLAGS = ("n_rounds", "learning_rate", *GROWTH_FLAGS, "n_threads", "verbose")
COCR_BASES: dict[str, CocrBase] = {
    "linear": CocrBase(lambda: import_module("sklearn.linear_model").LinearRegression(), {}),
    "weka-linear": CocrBase(WekaLinearRegressor, {}),
    "m5p": CocrBase(M5PRegressor, {"min_instances": "min_instances"}),
    # COCR Sec. 5.5: "a bootstrapped 10 % of the training data set"; its weights say how often a row was drawn
    "bagging-m5p": CocrBase(
        lambda: import_module("sklearn.ensemble").BaggingRegressor(
            M5PRegressor(weights="counts"), max_samples=0.1, random_state=0
        ),
        {"min_instances": "estimator__min_instances", "n_estimators": "n_estimators"},
    ),
    "gbrt": CocrBase(GBRTRanker, {name: name for name in GBRT_FLAGS}),
}

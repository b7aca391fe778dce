"""The systems of a bench: a name, the parameters that are tuned, and how one configuration is trained.

A system sees the training and the validation rows. What it returns scores any rows, and was chosen before it saw them.

refrank's own are here, by the names of `refrank train`; those of other tools are in `refrank.reproduce.bench.peers`.
"""

import warnings
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from functools import partial
from importlib import import_module
from typing import Any, NamedTuple

from threadpoolctl import threadpool_limits

from refrank.arrays import Floats, Matrix
from refrank.datasets import LetorData
from refrank.estimators import COCRRanker
from refrank.estimators.base import Ranker
from refrank.estimators.registry import ALGORITHMS, COCR_BASES
from refrank.estimators.validation import ChoiceWarning
from refrank.metrics.measures import Measure
from refrank.reproduce.bench.search import Options, Space, Span

UNITS = ("n_rounds", "n_trees", "n_epochs")  # the parameters that say how many rounds are trained at most
TITLES = {
    "numpy": "NumPy",
    "scipy": "SciPy",
    "sklearn": "scikit-learn",
    "lightgbm": "LightGBM",
    "xgboost": "XGBoost",
    "catboost": "CatBoost",
}


@dataclass(frozen=True)
class Limits:
    """The part of a training that all systems share."""

    measure: Measure  # of the validation queries, which chooses the round
    n_rounds: int  # at most
    patience: int  # rounds without a new best that end the training
    seed: int
    n_threads: int | None = None  # changes no figure
    missing: str | None = None  # the rule of refrank's rankers for NaN, where rows have it


class Fitted(NamedTuple):
    """A trained configuration, cut at the best round."""

    history: Floats  # (n_measured,): the mean over the validation queries after each round
    n_rounds: int | None  # the best one, counted from 1; None where the system has no rounds
    predict: Callable[[Matrix], Floats]  # (n_samples, n_features) -> (n_samples,)


Configuration = Mapping[str, Any]
Fit = Callable[[Configuration, LetorData, LetorData, Limits], Fitted]  # of training rows and validation rows


@dataclass(frozen=True)
class System:
    """A ranker with the parameters that are tuned."""

    name: str
    space: Space
    fit: Fit
    packages: tuple[str, ...] = ()  # modules on whose release the figures depend

    def list_versions(self) -> dict[str, str]:
        """List the packages and their releases."""
        return {TITLES.get(name, name): str(import_module(name).__version__) for name in self.packages}


RATE, ROWS = (0.02, 0.3), (1, 100)
LEAVES, DEPTH = (4, 256), (2, 8)  # of trees that grow leaf by leaf, or level by level
RANGES: Mapping[str, tuple[float, float]] = {
    "learning_rate": RATE,
    "n_leaves": LEAVES,
    "max_depth": DEPTH,
    "min_samples_leaf": ROWS,
    "max_features": (0.05, 1.0),
    "share": (0.5, 1.0),
    "hidden": (5, 50),
}
NETS = {"learning_rate": (1e-4, 0.1)}
COSTS = Options("oerr", {"oerr": {}, "absolute": {}, "squared": {}})


def make_system(name: str) -> System:
    """Make the system of an algorithm of `refrank train`."""
    kind = ALGORITHMS[name].ranker
    if kind is COCRRanker:
        trees = make_space(ALGORITHMS["gbrt"].ranker)
        bases = {"linear": {}, "m5p": {"min_instances": Span(4, 2, 256)}, "gbrt": trees}
        space: Space = {"cost": COSTS, "base": Options("linear", bases)}
        return System(name, space, fit_cocr, ("numpy", "scipy", "sklearn"))
    is_net = "n_epochs" in list_parameters(kind)
    space = make_space(kind, {**RANGES, **NETS}) if is_net else make_space(kind)
    return System(name, space, partial(fit_algorithm, name), ("numpy",) if is_net else ())


def make_space(kind: type[Ranker], ranges: Mapping[str, tuple[float, float]] = RANGES) -> dict[str, Span]:
    """Choose the parameters of a ranker that are tuned, with its own defaults."""
    defaults = list_parameters(kind)
    return {name: Span(defaults[name], *ends) for name, ends in ranges.items() if name in defaults}


def list_parameters(kind: type[Ranker]) -> dict[str, Any]:
    """List the parameters of a ranker, with their defaults."""
    return {field.name: field.default for field in fields(kind) if field.init}


def set_limits(kind: type[Ranker], limits: Limits) -> dict[str, Any]:
    """Set those of a ranker's parameters that all systems share."""
    shared = {
        **dict.fromkeys(UNITS, limits.n_rounds),
        "random_state": limits.seed,
        "n_threads": limits.n_threads,
        "missing": limits.missing,
    }
    return {name: value for name, value in shared.items() if name in list_parameters(kind)}


def fit_algorithm(
    name: str, configuration: Configuration, train: LetorData, valid: LetorData, limits: Limits
) -> Fitted:
    """Train a ranker of refrank."""
    algorithm = ALGORITHMS[name]
    kind = algorithm.ranker
    return fit_ranker(kind(**set_limits(kind, limits), **configuration, **algorithm.fixed), train, valid, limits)


def fit_cocr(configuration: Configuration, train: LetorData, valid: LetorData, limits: Limits) -> Fitted:
    """Train COCR over the base of the configuration, which the other parameters are of."""
    entry, own = COCR_BASES[configuration["base"]], {"base", "cost"}
    base = entry.make()
    if isinstance(base, Ranker):
        base.set_params(**set_limits(type(base), limits))
    base.set_params(**{entry.flags[flag]: value for flag, value in configuration.items() if flag not in own})
    ranker = COCRRanker(base, cost=configuration["cost"], **set_limits(COCRRanker, limits))
    return fit_ranker(ranker, train, valid, limits)


def fit_ranker(ranker: Ranker, train: LetorData, valid: LetorData, limits: Limits) -> Fitted:
    """Train a ranker, and cut it at the round that is best on the validation queries."""
    held_out: dict[str, Any] = {"X_val": valid.X, "y_val": valid.y, "qid_val": valid.qid, "eval_metric": limits.measure}
    held_out["early_stopping_rounds"] = limits.patience if ranker.has_stages else None
    with warnings.catch_warnings(), threadpool_limits(1, user_api="blas"):  # whose threads change last bits
        warnings.simplefilter("ignore", ChoiceWarning)  # the table says what its queries resolve
        ranker.fit(train.X, train.y, train.qid, **held_out)
    return Fitted(ranker.history_, ranker.best_round_ if ranker.has_stages else None, ranker.predict)

"""Other tools as systems of a bench: LightGBM, XGBoost, scikit-learn's HGB and CatBoost, each if it is installed.

    name         what is trained                                          rows in a leaf
    lightgbm     LambdaMART (`lambdarank`)                                `min_data_in_leaf`
    xgboost      LambdaMART (`rank:ndcg`), trees grown level by level     `min_child_weight`: second derivatives
    hgb          HistGradientBoostingRegressor on the labels              `min_samples_leaf`
    catboost     YetiRank, trees whose levels share one cut               none: `l2_leaf_reg` stands in for it

All else is as each tool has it by default; of YetiRank, `l2_leaf_reg` is 0 by default, and not CatBoost's usual 3.
Scores of the validation rows are measured after each round by the measure of the bench, under its convention, and end
the training as in `Ranker.fit`: none of the tools' own metrics is used. HGB and CatBoost do not say how a round scores
while they train, so all their rounds are trained, and then cut.

LightGBM is told to be deterministic, which holds for any number of threads. The others run on one thread, since their
sums of floats depend on how rows are shared out.
"""

from collections.abc import Iterable, Mapping
from dataclasses import replace
from functools import partial
from importlib import import_module
from importlib.util import find_spec
from itertools import islice
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from refrank.arrays import Floats, Ints
from refrank.datasets import LetorData
from refrank.estimators.validation import Validation, check_validation
from refrank.kernel import resolve_threads
from refrank.metrics.queries import group_rows
from refrank.reproduce.bench.search import Span
from refrank.reproduce.bench.systems import DEPTH, LEAVES, RATE, ROWS, TITLES, Configuration, Fitted, Limits, System

INSTALLED_AS = {"sklearn": "scikit-learn"}  # where the name of the package differs from that of the module


def check_installed(system: System) -> None:
    """Refuse a system whose package is not installed."""
    for package in system.packages:
        if find_spec(package) is None:
            name = INSTALLED_AS.get(package, package)
            raise ValueError(f"--peers {system.name}: {TITLES.get(package, package)} is not there: pip install {name}")


def take_validation(valid: LetorData, limits: Limits) -> Validation:
    """Take validation rows for the rounds of a peer to be measured on."""
    held_out = check_validation(valid.X, valid.y, valid.qid, limits.measure, limits.patience)
    assert held_out is not None
    return held_out


def sort_queries(data: LetorData) -> tuple[LetorData, Ints]:
    """Sort rows by their queries, as peers want them; return the sizes of the queries, too, (n_queries,)."""
    queries = group_rows(data.qid, len(data.y))
    if queries.order is None:
        return data, queries.lengths
    rows = queries.order
    return replace(data, X=data.X[rows], y=data.y[rows], qid=data.qid[rows], comments=()), queries.lengths


def measure_stages(stages: Iterable[Any], validation: Validation) -> Floats:
    """Measure the scores after each round, until the training is over; return the history, (n_measured,)."""
    validation.measure_rounds(np.asarray(scores, np.float64) for scores in stages)
    return np.array(validation.history)


def fit_lightgbm(configuration: Configuration, train: LetorData, valid: LetorData, limits: Limits) -> Fitted:
    """Train LightGBM's lambdarank."""
    import lightgbm

    rows, sizes = sort_queries(train)
    given = {
        "objective": "lambdarank",
        "metric": "None",
        "label_gain": [2.0**grade - 1 for grade in range(int(train.y.max()) + 1)],
        "seed": limits.seed,
        "deterministic": True,
        "force_row_wise": True,
        "num_threads": resolve_threads(limits.n_threads),
        "verbosity": -1,
        **configuration,
    }
    data = lightgbm.Dataset(rows.X, rows.y, group=sizes, params=given)
    booster = lightgbm.Booster(given, data)
    booster.add_valid(lightgbm.Dataset(valid.X, valid.y, reference=data), "valid")
    validation = take_validation(valid, limits)

    def add(scores: Floats, _: Any) -> tuple[str, float, bool]:
        return "measure", validation.add(scores), True

    for _ in range(limits.n_rounds):
        booster.update()
        booster.eval_valid(add)
        if validation.is_over:
            break
    best = validation.best
    return Fitted(np.array(validation.history), best, lambda X: np.asarray(booster.predict(X, num_iteration=best)))


def fit_xgboost(configuration: Configuration, train: LetorData, valid: LetorData, limits: Limits) -> Fitted:
    """Train XGBoost's rank:ndcg."""
    import xgboost

    rows, sizes = sort_queries(train)
    given = {"objective": "rank:ndcg", "tree_method": "hist", "seed": limits.seed, "nthread": 1, "verbosity": 0}
    data, held_out = xgboost.DMatrix(rows.X, rows.y, nthread=1), xgboost.DMatrix(valid.X, nthread=1)
    data.set_group(sizes)
    booster = xgboost.Booster({**given, **configuration}, [data, held_out])
    validation = take_validation(valid, limits)

    def boost() -> Iterable[Floats]:
        for number in range(limits.n_rounds):
            booster.update(data, number)
            yield booster.predict(held_out)

    history, best = measure_stages(boost(), validation), validation.best

    def predict(X: Any) -> Floats:
        scores = booster.predict(xgboost.DMatrix(X, nthread=1), iteration_range=(0, best))
        return np.asarray(scores, np.float64)

    return Fitted(history, best, predict)


def fit_hgb(configuration: Configuration, train: LetorData, valid: LetorData, limits: Limits) -> Fitted:
    """Train scikit-learn's HistGradientBoostingRegressor on the labels."""
    from sklearn.ensemble import HistGradientBoostingRegressor

    given = {"max_iter": limits.n_rounds, "early_stopping": False, "random_state": limits.seed}
    model = HistGradientBoostingRegressor(**given, **configuration)
    validation = take_validation(valid, limits)
    with threadpool_limits(1, user_api="openmp"):
        model.fit(train.X, train.y)
        history = measure_stages(model.staged_predict(valid.X), validation)

    def predict(X: Any) -> Floats:
        return np.asarray(next(islice(model.staged_predict(X), validation.best - 1, None)))

    return Fitted(history, validation.best, predict)


def fit_catboost(configuration: Configuration, train: LetorData, valid: LetorData, limits: Limits) -> Fitted:
    """Train CatBoost's YetiRank."""
    catboost = import_module("catboost")

    rows, sizes = sort_queries(train)
    given = {
        "loss_function": "YetiRank",
        "iterations": limits.n_rounds,
        "random_seed": limits.seed,
        "thread_count": 1,
        "metric_period": limits.n_rounds,  # its own metric is not needed
        "logging_level": "Silent",
        "allow_writing_files": False,
    }
    pool = catboost.Pool(rows.X, rows.y, group_id=np.repeat(np.arange(len(sizes)), sizes))
    model = catboost.CatBoost({**given, **configuration}).fit(pool)
    validation = take_validation(valid, limits)
    history, best = measure_stages(model.staged_predict(valid.X), validation), validation.best
    return Fitted(history, best, lambda X: np.asarray(model.predict(X, ntree_end=best)))


RATE_OF = partial(Span, low=RATE[0], high=RATE[1])
PEERS: Mapping[str, System] = {
    system.name: system
    for system in (
        System(
            "lightgbm",
            {"learning_rate": RATE_OF(0.1), "num_leaves": Span(31, *LEAVES), "min_data_in_leaf": Span(20, *ROWS)},
            fit_lightgbm,
            ("lightgbm",),
        ),
        System(
            "xgboost",
            {"learning_rate": RATE_OF(0.3), "max_depth": Span(6, *DEPTH), "min_child_weight": Span(1.0, 0.01, 10.0)},
            fit_xgboost,
            ("xgboost",),
        ),
        System(
            "hgb",
            {"learning_rate": RATE_OF(0.1), "max_leaf_nodes": Span(31, *LEAVES), "min_samples_leaf": Span(20, *ROWS)},
            fit_hgb,
            ("sklearn",),
        ),
        System(
            "catboost",
            {"learning_rate": RATE_OF(0.03), "depth": Span(6, *DEPTH), "l2_leaf_reg": Span(0.0, 0.01, 10.0)},
            fit_catboost,
            ("catboost",),
        ),
    )
}

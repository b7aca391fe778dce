"""The boosting libraries beside refrank, each set up for the same trees. One run is one round, without binning.

All have the same threads, 255 or 256 bins, leaves or depth, at least one row per leaf, no regularisation, learning
rate, number of rounds, all rows and all features. Some differences remain:

LightGBM    chooses cuts by Newton's gain, from two sums per bin (gradients, hessians). refrank reduces the squared
            error (McRank App. I), from the sum of residuals and the number of rows. LightGBM tries its two histogram
            layouts before the first round and keeps the faster. The quantised variant (num_grad_quant_bins=4, its
            default) sums small integers: it trades accuracy for speed.
XGBoost     uses the hessian 2p(1-p) in softmax, HGB uses p(1-p), and LightGBM K/(K-1) p(1-p), as McRank does. The
            learning rates compensate for this, so that all take steps of the same length.
HGB         is scikit-learn's HistGradientBoosting. It starts at the shares of the classes, the others at 0: after few
            rounds its NDCG is ahead, as LightGBM's is with its own default, boost_from_average.
CatBoost    grows one tree per round whose leaves hold a vector, not K trees: less work, and a different model. By
            default its trees are symmetric; here it grows leaf by leaf, or level by level where a depth is given.

LightGBM and HGB choose bins from 200,000 rows, CatBoost from a sample too, refrank and XGBoost from all rows.

HGB and CatBoost cannot boost a single round on request. Their rounds are timed inside a fit of as many rounds, which
takes the place of a turn: CatBoost calls back after each round, and a round of HGB begins with its first tree.
"""

import time
from collections.abc import Callable
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Any
from unittest.mock import patch

import numpy as np
from greenlet import greenlet
from threadpoolctl import threadpool_limits

from benchmarks.side_by_side import Contestant, load_peer, time_call

if TYPE_CHECKING:  # it imports refrank, which would set how all threads of OpenMP wait: LightGBM is loaded first
    from benchmarks.speed.data import RankingData

LIGHTGBM, LIGHTGBM_NAME = load_peer("lightgbm")
XGBOOST, XGBOOST_NAME = load_peer("xgboost")
CATBOOST, CATBOOST_NAME = load_peer("catboost")
_, HGB_NAME = load_peer("sklearn", "scikit-learn")
N_FITS = 2  # turns of a peer that has to fit anew


@dataclass(frozen=True)
class Problem:
    """Data and settings of a boosting problem."""

    data: "RankingData"
    n_classes: int  # K of softmax; 1: regression on the labels
    n_rounds: int
    learning_rate: float
    threads: int
    n_leaves: int | None = None  # either this or a depth
    max_depth: int | None = None

    def rate_with(self, curvature: float) -> float:
        """Compute the learning rate with which the steps are McRank's where a library uses `curvature` times p(1-p)."""
        newton_step = (self.n_classes - 1) / self.n_classes  # McRank Alg. 1, line 6: (K - 1) / K
        return self.learning_rate * (curvature * newton_step if self.n_classes > 1 else 1.0)

    def score(self, predicted: np.ndarray) -> float:
        """Compute NDCG@10 of predictions for the held-out queries: class probabilities, or scores."""
        if self.n_classes > 1:
            predicted = np.reshape(predicted, (-1, self.n_classes)) @ np.arange(self.n_classes)
        return self.data.score(predicted)


def count_rounds(name: str, step: Callable[[], object], quality: Callable[[], float]) -> Contestant:
    """Make a contestant of something that boosts one round per call; the first round warms up."""
    step()
    return Contestant(name, lambda: time_call(step)[0], quality=quality)


def time_fits(name: str, fit: Callable[[list[float]], Any], quality: Callable[[Any], float]) -> Contestant:
    """Make a contestant of something that fits as a whole, and notes a time per round; the first round warms up."""
    last: list[Any] = [None]

    def run() -> float:
        times: list[float] = []
        last[0] = fit(times)
        return float(np.median(np.diff(times)[1:]))

    return Contestant(name, run, N_FITS, lambda: quality(last[0]))


def enter_refrank(name: str, ranker: Any, problem: Problem, **given: Any) -> Contestant:
    """Fit in a greenlet that stops after each round, so that a round holds all that fit does in one.

    In a thread of its own, OpenMP would count more threads than cores, and all of them would sleep after each loop.
    """
    latest: list[Any] = [None]  # makes a ranker of the rounds so far

    def wait(n_done: int, so_far: Callable[[], Any]) -> None:
        latest[0] = so_far
        fitting.parent.switch()

    data = problem.data
    fitting = greenlet(lambda: ranker.fit(data.X, data.y, **given, monitor=wait))
    return count_rounds(name, fitting.switch, lambda: data.score(latest[0]().predict(data.X_test)))


def enter_peers(problem: Problem) -> list[Contestant]:
    """Set up every library that can be imported."""
    peers = []
    if LIGHTGBM:
        peers += [enter_lightgbm(problem), enter_lightgbm(problem, quantized=True)]
    if XGBOOST:
        peers.append(enter_xgboost(problem))
    peers.append(enter_hgb(problem))
    if CATBOOST:
        peers.append(enter_catboost(problem))
    return peers


def translate_to_lightgbm(problem: Problem) -> dict[str, Any]:
    """Translate a problem, except its objective."""
    return {
        "num_leaves": problem.n_leaves or 2**problem.max_depth,
        "max_depth": problem.max_depth or -1,
        "learning_rate": problem.learning_rate,
        "max_bin": 255,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "feature_pre_filter": False,
        "num_threads": problem.threads,
        "verbose": -1,
    }


def choose_lightgbm_objective(problem: Problem) -> dict[str, Any]:
    """Choose the objective of a problem."""
    if problem.n_classes > 1:
        return {"objective": "multiclass", "num_class": problem.n_classes, "boost_from_average": False}
    return {"objective": "regression"}


def enter_lightgbm(problem: Problem, quantized: bool = False) -> Contestant:
    data, parameters = problem.data, translate_to_lightgbm(problem) | choose_lightgbm_objective(problem)
    parameters["use_quantized_grad"] = quantized
    booster = LIGHTGBM.Booster(parameters, LIGHTGBM.Dataset(data.X, data.y, params=parameters).construct())
    name = LIGHTGBM_NAME + (", quantised" if quantized else "")
    return count_rounds(name, booster.update, lambda: problem.score(booster.predict(data.X_test)))


def enter_lightgbm_binary(problem: Problem) -> Contestant:
    """Train one binary booster per threshold k, on y > k; a round is one round of each, and they share the bins."""
    data = problem.data
    parameters = translate_to_lightgbm(problem) | {"objective": "binary", "boost_from_average": False}
    bins = LIGHTGBM.Dataset(data.X, data.y > 0, params=parameters).construct()
    boosters = []
    for k in range(problem.n_classes - 1):
        labels = bins if k == 0 else LIGHTGBM.Dataset(data.X, data.y > k, reference=bins, params=parameters)
        boosters.append(LIGHTGBM.Booster(parameters, labels.construct()))

    def measure_quality() -> float:
        return data.score(sum(booster.predict(data.X_test) for booster in boosters))  # sum_k Pr(y > k)

    name = f"{LIGHTGBM_NAME} binary x {len(boosters)}"
    return count_rounds(name, lambda: [booster.update() for booster in boosters], measure_quality)


def enter_lightgbm_lambdarank(
    problem: Problem, lengths: np.ndarray, truncation: int, normalized: bool = True
) -> Contestant:
    """Train lambdarank on queries of these lengths; a leaf needs some hessian: many rows have none."""
    data = problem.data
    parameters = translate_to_lightgbm(problem) | {"objective": "lambdarank", "min_sum_hessian_in_leaf": 1e-3}
    parameters |= {"lambdarank_truncation_level": truncation, "lambdarank_norm": normalized}
    bins = LIGHTGBM.Dataset(data.X, data.y, group=lengths, params=parameters).construct()
    booster = LIGHTGBM.Booster(parameters, bins)
    name = f"{LIGHTGBM_NAME} lambdarank" + ("" if normalized else ", not normalised")
    return count_rounds(name, booster.update, lambda: problem.score(booster.predict(data.X_test)))


def translate_to_xgboost(problem: Problem) -> dict[str, Any]:
    """Translate a problem."""
    parameters = {
        "tree_method": "hist",
        "max_bin": 256,
        "learning_rate": problem.rate_with(curvature=2.0),
        "min_child_weight": 0,
        "reg_lambda": 0,
        "nthread": problem.threads,
        "verbosity": 0,
    }
    if problem.max_depth:
        parameters |= {"grow_policy": "depthwise", "max_depth": problem.max_depth}
    else:
        parameters |= {"grow_policy": "lossguide", "max_leaves": problem.n_leaves, "max_depth": 0}
    if problem.n_classes > 1:
        parameters |= {"objective": "multi:softprob", "num_class": problem.n_classes, "base_score": 0.5}
    return parameters


def enter_xgboost(problem: Problem) -> Contestant:
    data, parameters = problem.data, translate_to_xgboost(problem)
    bins = XGBOOST.QuantileDMatrix(data.X, data.y, max_bin=256, nthread=problem.threads)
    booster, done = XGBOOST.Booster(parameters, [bins]), []

    def step() -> None:
        booster.update(bins, len(done))
        done.append(True)

    return count_rounds(XGBOOST_NAME, step, lambda: problem.score(booster.inplace_predict(data.X_test)))


def make_hgb(problem: Problem, n_rounds: int) -> Any:
    """Make scikit-learn's HistGradientBoosting for a problem."""
    from sklearn.ensemble import HistGradientBoostingClassifier, HistGradientBoostingRegressor

    kind = HistGradientBoostingClassifier if problem.n_classes > 1 else HistGradientBoostingRegressor
    return kind(
        max_iter=n_rounds,
        learning_rate=problem.rate_with(curvature=1.0),
        max_leaf_nodes=problem.n_leaves,
        max_depth=problem.max_depth,
        min_samples_leaf=1,
        max_bins=255,
        early_stopping=False,
    )


def enter_hgb(problem: Problem) -> Contestant:
    from sklearn.ensemble._hist_gradient_boosting import gradient_boosting

    data = problem.data
    model = make_hgb(problem, problem.n_rounds + 1)  # the last round has no next one that ends it

    def fit(times: list[float]) -> Any:
        makes_tree, made = gradient_boosting.TreeGrower, []

        def make_tree(*arguments: Any, **named: Any) -> Any:
            if len(made) % problem.n_classes == 0:
                times.append(time.perf_counter())
            made.append(True)
            return makes_tree(*arguments, **named)

        with (
            threadpool_limits(problem.threads, user_api="openmp"),
            patch.object(gradient_boosting, "TreeGrower", make_tree),
        ):
            return model.fit(data.X, data.y)

    def measure_quality(model: Any) -> float:
        predict = model.staged_predict_proba if problem.n_classes > 1 else model.staged_predict
        stages = predict(data.X_test)
        return problem.score(next(islice(stages, problem.n_rounds - 1, None)))

    return time_fits(f"HGB ({HGB_NAME})", fit, measure_quality)


def enter_catboost(problem: Problem) -> Contestant:
    data = problem.data
    parameters = {
        "iterations": problem.n_rounds,
        "learning_rate": problem.learning_rate,
        "border_count": 255,
        "min_data_in_leaf": 1,
        "l2_leaf_reg": 0,
        "random_strength": 0,
        "bootstrap_type": "No",
        "boosting_type": "Plain",
        "leaf_estimation_iterations": 1,
        "metric_period": problem.n_rounds,  # its training loss is not computed in between
        "thread_count": problem.threads,
        "allow_writing_files": False,
        "logging_level": "Silent",
    }
    if problem.max_depth:
        parameters |= {"grow_policy": "Depthwise", "depth": problem.max_depth}
    else:
        deepest = problem.n_leaves - 1
        parameters |= {"grow_policy": "Lossguide", "max_leaves": problem.n_leaves, "depth": deepest}
    parameters["loss_function"] = "MultiClass" if problem.n_classes > 1 else "RMSE"
    pool = CATBOOST.Pool(data.X, data.y, thread_count=problem.threads)
    pool.quantize(border_count=255)

    def fit(times: list[float]) -> Any:
        class Clock:
            def after_iteration(self, info: Any) -> bool:
                times.append(time.perf_counter())
                return True

        return CATBOOST.CatBoost(parameters).fit(pool, callbacks=[Clock()])

    def measure_quality(model: Any) -> float:
        kind = "Probability" if problem.n_classes > 1 else "RawFormulaVal"
        return problem.score(model.predict(data.X_test, prediction_type=kind))

    return time_fits(CATBOOST_NAME, fit, measure_quality)

"""W16: whole fits on little data, binning included, and the time that a tree takes however small it is.

    data        McRank's artificial data, as in W1: 9,630 x 46, as large as a training set of MQ2008, and 2,000 x 10
    rankers     200 rounds of softmax boosting, K = 5 trees of 10 leaves each, in both update orders
    overhead    1,000 trees of one cut, on two rows of one feature

Two threads may be slower than one here. So a trial beforehand times each peer on 1 thread and on all; the peer takes
part on the better number, and refrank on all. `boosting_peers.py` says how the peers are set up and how they differ.

Each side has a process of its own: with so little work, it matters how long OpenMP's threads wait for the next loop
before they sleep, which the library that is imported first decides for all. Peers have what they have without refrank,
and refrank what it has without peers.
"""

import os
from collections.abc import Callable, Iterator
from concurrent.futures import ProcessPoolExecutor
from contextlib import ExitStack
from dataclasses import dataclass, replace
from functools import partial
from multiprocessing import get_context
from unittest.mock import patch

import numpy as np

from benchmarks.side_by_side import Contestant, Pairing, Settings, compare, time_call
from benchmarks.speed.boosting import N_CLASSES, N_LEAVES, SOFTMAX_RATE
from benchmarks.speed.boosting_peers import (
    HGB_NAME,
    LIGHTGBM,
    LIGHTGBM_NAME,
    XGBOOST,
    XGBOOST_NAME,
    Problem,
    choose_lightgbm_objective,
    make_hgb,
    translate_to_lightgbm,
    translate_to_xgboost,
)
from benchmarks.speed.data import RankingData, draw_uniform
from refrank import SoftmaxBoostRanker
from refrank.kernel import WAITING

SIZES = ((9_630, 46), (2_000, 10))
N_ROUNDS = 200
N_TRIALS = 3
HGB_TURNS = 5
TARGET, GOAL = 0.8, 150.0  # of each peer, and microseconds per tree

Fit = Callable[[Problem], Callable[[], float]]  # returns what measures the quality


@dataclass(frozen=True)
class Side:
    """A way to fit, in a process of its own."""

    name: str
    fit: Fit
    process: ProcessPoolExecutor

    def time(self, problem: Problem) -> tuple[float, float]:
        """Time a fit; return the seconds and the quality."""
        return self.process.submit(time_fit, self.fit, problem).result()


def compare_small(settings: Settings) -> Iterator[Pairing]:
    """Compare whole fits on little data (W16)."""
    with ExitStack() as processes:
        updates = ("simultaneous", "sequential")
        ours = [start(update, partial(fit_refrank, update=update), WAITING, processes) for update in updates]
        peers = [start(name, fit, {}, processes) for name, fit in list_peers()]
        for n_samples, n_features in SIZES:
            n_kept = max(100, round(n_samples * settings.scale))
            drawn = draw_uniform(n_kept + 50, n_features, settings.seed)
            data = replace(drawn, X=drawn.X[:n_kept], y=drawn.y[:n_kept])
            problem = Problem(data, N_CLASSES, N_ROUNDS, SOFTMAX_RATE, settings.threads, n_leaves=N_LEAVES)
            for side in ours:
                choose_threads(side, problem)
            own = [enter_fit(side.name, side, problem) for side in ours]
            others = [enter_fit(*choose_threads(side, problem)) for side in peers]
            what = f"{N_ROUNDS} rounds of softmax, {data}"
            yield from compare("W16", what, own, others, settings.turns, [("", "", TARGET)], "NDCG@10")
            printed = enter_fit("refrank, sequential", ours[1], problem)
            yield from compare("W16", what, own[:1], [printed], settings.turns, [("", "", 1.0)], "NDCG@10")
        yield from compare_overhead(settings, ours[0], peers)


def compare_overhead(settings: Settings, ours: Side, peers: list[Side]) -> Iterator[Pairing]:
    """Compare the time per tree on two rows."""
    X, y = np.array([[0.0], [1.0]], np.float32), np.array([0, 1])
    data, n_trees = RankingData(X, y, X, y, np.zeros(2, np.int64)), 5 * N_ROUNDS
    problem = Problem(data, 2, n_trees // 2, SOFTMAX_RATE, settings.threads, n_leaves=2)

    def enter(name: str, side: Side, problem: Problem) -> Contestant:
        return Contestant(name, lambda: 1e6 * side.time(problem)[0] / n_trees)

    sides = [Contestant(f"goal, {GOAL:g} µs per tree", lambda: GOAL)]
    sides += [enter(*choose_threads(side, problem)) for side in peers if side.name == LIGHTGBM_NAME]
    what = f"a tree of one cut, {data}"
    yield from compare("W16", what, [enter("", ours, problem)], sides, settings.turns, [("", "", 1.0)], unit="µs")


def start(name: str, fit: Fit, variables: dict[str, str], processes: ExitStack) -> Side:
    """Start the process of a side, with these variables."""
    process = processes.enter_context(ProcessPoolExecutor(1, get_context("spawn")))
    with patch.dict(os.environ, variables):
        process.submit(int).result()
    return Side(name, fit, process)


def time_fit(fit: Fit, problem: Problem) -> tuple[float, float]:
    """Time a fit; return the seconds and the quality."""
    seconds, measure = time_call(fit, problem)
    return seconds, measure()


def list_peers() -> Iterator[tuple[str, Fit]]:
    """Yield the peers that can be imported."""
    if LIGHTGBM:
        yield LIGHTGBM_NAME, fit_lightgbm
    if XGBOOST:
        yield XGBOOST_NAME, fit_xgboost
    yield f"HGB ({HGB_NAME})", fit_hgb


def choose_threads(side: Side, problem: Problem) -> tuple[str, Side, Problem]:
    """Time a fit on 1 thread and on all; print both, and return what to enter, on the better number."""
    seconds = {}
    for threads in sorted({1, problem.threads}):
        posed = replace(problem, threads=threads)
        seconds[threads] = min(side.time(posed)[0] for _ in range(N_TRIALS))
    best = min(seconds, key=seconds.__getitem__)
    listed = ", ".join(f"{1e3 * each:.0f} ms on {threads}" for threads, each in seconds.items())
    print(f"  trial on {problem.data}: {side.name}: {listed} thread(s)", flush=True)
    return f"{side.name} on {best} thread" + ("s" if best > 1 else ""), side, replace(problem, threads=best)


def enter_fit(name: str, side: Side, problem: Problem) -> Contestant:
    """Make a contestant of a whole fit."""
    last: list[float] = []

    def run() -> float:
        seconds, quality = side.time(problem)
        last[:] = [quality]
        return seconds

    return Contestant(name, run, HGB_TURNS if name.startswith("HGB") else None, lambda: last[0])


def fit_refrank(problem: Problem, update: str) -> Callable[[], float]:
    data = problem.data
    ranker = SoftmaxBoostRanker(
        n_rounds=problem.n_rounds,
        n_leaves=problem.n_leaves,
        learning_rate=problem.learning_rate,
        update=update,
        n_threads=problem.threads,
    ).fit(data.X, data.y)
    return lambda: data.score(ranker.predict(data.X_test))


def fit_lightgbm(problem: Problem) -> Callable[[], float]:
    data = problem.data
    parameters = translate_to_lightgbm(problem) | choose_lightgbm_objective(problem) | {"min_data_in_bin": 1}
    booster = LIGHTGBM.train(parameters, LIGHTGBM.Dataset(data.X, data.y, params=parameters), problem.n_rounds)
    return lambda: problem.score(booster.predict(data.X_test))


def fit_xgboost(problem: Problem) -> Callable[[], float]:
    data = problem.data
    bins = XGBOOST.QuantileDMatrix(data.X, data.y, max_bin=256, nthread=problem.threads)
    booster = XGBOOST.train(translate_to_xgboost(problem), bins, problem.n_rounds)
    return lambda: problem.score(booster.inplace_predict(data.X_test))


def fit_hgb(problem: Problem) -> Callable[[], float]:
    from threadpoolctl import threadpool_limits

    with threadpool_limits(problem.threads, user_api="openmp"):
        model = make_hgb(problem, problem.n_rounds).fit(problem.data.X, problem.data.y)
    return lambda: problem.score(model.predict_proba(problem.data.X_test))

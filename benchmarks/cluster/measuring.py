"""Measurements for the model of time (model.py): one core, joins, and trainings on one and two processes.

Work is measured in seconds of a CPU, which other programs on the machine disturb least. Two processes and their driver
take turns, so a tree takes what the driver needs, and half of what both processes need.
"""

import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np
from psutil import Process

from benchmarks.cluster.joins import N_LEAVES, start_dask, start_mpi
from benchmarks.cluster.model import Core, Joins, write_tables
from benchmarks.cluster.ways import N_BINS, N_FEATURES, time_block
from refrank import LSBoostRanker
from refrank.cluster import use
from refrank.trees.bins.binning import bin_features
from refrank.trees.engine import DEFAULT_SPLITTER, default_engine

TURNS = 5


def draw(n_rows: int, seed: int, n_features: int = N_FEATURES) -> tuple[Any, Any]:
    """Draw float32 features, and grades that depend on some of them."""
    rng = np.random.default_rng(seed)
    X = rng.random((n_rows, n_features), np.float32)
    return X, np.floor(5 * X[:, :2].mean(axis=1)).astype(np.int64)


def time_best(run: Callable[[], Any]) -> float:
    """Return the median of the seconds of a few calls."""
    seconds = []
    for _ in range(TURNS):
        began = time.process_time()
        run()
        seconds.append(time.process_time() - began)
    return float(np.median(seconds))


def time_tree(fit: Callable[..., Any]) -> float:
    """Return the seconds of a tree of a training, on one core."""
    at: list[float] = []
    fit(monitor=lambda *_: at.append(measure_cpu()))
    return (at[-1] - at[0]) / TURNS


def measure_cpu() -> float:
    """Measure the seconds that this process has worked, and its two shards on average, if there are any."""
    me = Process()
    return sum(me.cpu_times()[:2]) + sum(sum(each.cpu_times()[:2]) for each in me.children()) / 2


def make_ranker() -> LSBoostRanker:
    """Make a ranker of one tree a round, on one core."""
    return LSBoostRanker(n_rounds=TURNS + 1, n_leaves=N_LEAVES, n_bins=N_BINS, n_threads=1)


def measure_core(n_rows: int) -> tuple[Core, float]:
    """Measure one core, by the kernel's functions alone and by a training on two features; and a real training."""
    X, y = draw(n_rows, 0)
    binned = bin_features(X, N_BINS, engine=default_engine(1))
    rng, codes, offsets = np.random.default_rng(0), binned.codes, binned.offsets
    integers = rng.integers(-(2**30), 2**30, n_rows)
    rows = np.flatnonzero(rng.random(n_rows) < 0.25).astype(np.int32)
    a = time_best(lambda: DEFAULT_SPLITTER.root_sums(codes, offsets, [integers], 1)) / X.size
    summed = DEFAULT_SPLITTER.histogram(codes, offsets, rows, integers, None, 1)
    few = rows[:1]
    fixed = time_best(lambda: DEFAULT_SPLITTER.histogram(codes, offsets, few, integers, None, 1))
    whole = time_best(lambda: DEFAULT_SPLITTER.histogram(codes, offsets, rows, integers, None, 1))
    b = (whole - fixed) / (len(rows) * N_FEATURES)
    cut = partial(DEFAULT_SPLITTER.best_split, summed, offsets, binned.every_feature, 1, 1, None)
    c = time_best(cut) + time_best(lambda: np.subtract(summed, summed)) + fixed / 2
    ranker = make_ranker()
    seconds = time_tree(partial(ranker.fit, X, y))
    s = float(np.mean([find_share(tree) for [tree] in ranker.model_.rounds]))
    narrow = np.ascontiguousarray(X[:, :2])
    r = time_tree(partial(make_ranker().fit, narrow, y)) / n_rows - 2 * (a + s * b)
    return Core(a, b, r, c, s), seconds


def find_share(tree: Any) -> float:
    """Find the rows that were summed below the root of a tree, as a share of all."""
    n, cuts = tree.n_node_samples, sorted(tree.left[tree.left > 0])
    return float(sum(min(n[left], n[left + 1]) for left in cuts[:-1]) / n[0])


def measure_joins() -> dict[str, Joins]:
    """Measure the joins of two processes on each engine."""
    engines: dict[str, Callable[[str], float]] = {"local": partial(time_block, "local:2"), "MPI": start_mpi}
    with start_dask() as client:
        engines["Dask"] = partial(time_block, client)
        measured = {
            (name, way): float(np.median([time_way(way) for _ in range(3)]))
            for name, time_way in engines.items()
            for way in ("small", "sum")
        }
    return {name: Joins(measured[name, "small"], measured[name, "sum"]) for name in engines}


def time_two(n_rows: int) -> float:
    """Return the seconds of a tree on two processes of this machine, each with half of the rows."""
    halves: list[Any] = [partial(draw, n_rows // 2, seed) for seed in (0, 1)]
    with use("local:2"):
        return time_tree(partial(make_ranker().fit_shards, halves))


def write_measured(n_rows: int) -> None:
    """Measure, and print the tables."""
    core, alone = measure_core(n_rows)
    joins, two = measure_joins(), time_two(n_rows)
    write_tables(core, joins, {"1 process": alone, "2 processes, local": two}, n_rows)

"""Share of the machine's limit that growing reaches, slopes of its cost, and estimates for larger data.

Limit: a bare loop in C (`bare_loops.py`) adds one number per entry to histograms, on all threads. The entries are those
that growing cannot avoid: all rows at the root, then the rows of the smaller child of each cut, times the features; the
larger child is a subtraction. The share is the time of the bare loop divided by that of growing. It is also printed for
a whole round, with the softmax and the update of the scores. Four roots are made in one pass, which the bare loop does
not do: growing can pass its limit.

Slopes: seconds per round of simultaneous softmax boosting at several sizes, everything else as in W1 at a quarter of
its rows; least squares of log seconds on log size. A slope below 1 shows fixed costs.
"""

import ctypes
import tempfile
from collections.abc import Callable, Sequence
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from benchmarks.side_by_side import Settings, time_call
from benchmarks.speed.bare_loops import N_BINS, compile_loops, time_adding, time_sweep
from benchmarks.speed.boosting import N_CLASSES, N_LEAVES, SOFTMAX_RATE
from benchmarks.speed.data import draw_uniform
from benchmarks.speed.memory import STATUS, measure_apart
from benchmarks.speed.phases import measure_phases, time_rounds
from benchmarks.speed.shares import list_smaller_children, print_shares
from refrank import SoftmaxBoostRanker
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import quantiles
from refrank.trees.engine import default_engine
from refrank.trees.growth.grower import Grower
from refrank.trees.growth.sharing import divide, run_together
from refrank.trees.model.tree import Tree

N_FEATURES = 50  # of W1
SHARE_TARGET, SLOPE_TARGET = 0.5, 1.05
ESTIMATES = ((3_771_125, 136), (100_000_000, 136))


def measure_limits(settings: Settings) -> dict[str, Any]:
    """Measure shares, slopes and estimates, and print them all."""
    measured: dict[str, Any] = {"slopes": measure_slopes(settings)}
    round_seconds, growing_seconds, trees = measure_growing(settings)
    n_entries = N_FEATURES * sum(map(count_rows, trees))
    measured["round"] = {"seconds": round_seconds, "growing": growing_seconds, "entries": n_entries}
    measured["shares"] = print_shares(trees, N_FEATURES)
    library = compile_loops()
    if library is None:
        print("  the bare loops are left out: they need a C compiler (cc, gcc or clang)")
    else:
        measured["limit"] = measure_shares(library, settings, n_entries, growing_seconds, round_seconds)
    measured["phases"] = measure_phases(settings)
    measured["estimates"] = estimate(settings, round_seconds, measured["slopes"])
    return measured


def measure_growing(settings: Settings) -> tuple[float, float, list[Tree]]:
    """Measure W1: median seconds of a simultaneous round, those of growing its trees, and these trees."""
    data = draw_uniform(settings.scale_rows(500_000), seed=settings.seed)
    binned = bin_features(data.X, N_BINS, quantiles, engine=default_engine(settings.threads))
    residuals = [(data.y == k) - 1 / N_CLASSES for k in range(N_CLASSES)]  # of the first round

    grower = Grower(binned, n_leaves=N_LEAVES)

    def grow_round() -> list[Tree]:
        growers = [grower.on(engine) for engine in divide(grower.engine, N_CLASSES)]
        tasks = zip(growers, grower.make_roots(residuals), strict=True)
        return [tree for tree, _ in run_together(grower.engine, [partial(own.grow_from, root) for own, root in tasks])]

    trees = grow_round()
    growing = float(np.median([time_call(grow_round)[0] for _ in range(settings.cap_turns(7))]))
    return time_round(data.X, data.y, settings.threads, n_rounds=settings.cap_turns(7)), growing, trees


def count_rows(tree: Tree) -> int:
    """Count the rows whose histograms a tree needs: those of the root, and of the smaller child of each cut."""
    return int(tree.n_node_samples[0]) + sum(list_smaller_children(tree))


def measure_shares(
    library: ctypes.CDLL, settings: Settings, n_entries: int, growing_seconds: float, round_seconds: float
) -> dict[str, float]:
    """Time the bare loops on all threads, and set growing against them."""
    per_entry = time_adding(library, settings.scale_rows(500_000), settings.threads, settings.seed)
    bare = per_entry * n_entries
    measured = {
        "ns_per_entry": 1e9 * per_entry,
        "gigabytes_per_second": 1e-9 / time_sweep(library, settings.threads),
        "bare_seconds": bare,
        "share_of_growing": bare / growing_seconds,
        "share_of_round": bare / round_seconds,
        "target": SHARE_TARGET,
    }
    print(f"  bare loop {measured['ns_per_entry']:.3f} ns per entry on {settings.threads} thread(s)", end=", ")
    print(f"memory sweep {measured['gigabytes_per_second']:.1f} GB/s")
    print(f"  a round of W1 needs {n_entries / 1e6:,.0f} M entries: {1e3 * bare:.1f} ms in the bare loop", end=", ")
    print(f"{1e3 * growing_seconds:.1f} ms of growing, {1e3 * round_seconds:.1f} ms in all")
    is_met = "met" if measured["share_of_growing"] >= SHARE_TARGET else "not met"
    print(f"  growing reaches {measured['share_of_growing']:.0%} of the limit (at least 50%: {is_met})", end=", ")
    print(f"the whole round {measured['share_of_round']:.0%}")
    return measured


def time_round(
    X: np.ndarray, y: np.ndarray, threads: int, n_leaves: int = N_LEAVES, n_classes: int = N_CLASSES, n_rounds: int = 5
) -> float:
    """Time rounds of simultaneous softmax boosting after one that warms up; return the median."""
    ranker = SoftmaxBoostRanker(
        n_rounds=n_rounds + 1,
        n_leaves=n_leaves,
        n_classes=n_classes,
        learning_rate=SOFTMAX_RATE,
        update="simultaneous",
        n_threads=threads,
    )
    return time_rounds(ranker, X, y)


def measure_slopes(settings: Settings) -> dict[str, Any]:
    """Measure seconds per round at several sizes of each kind, and their slope in logarithms."""
    n_rows, threads = settings.scale_rows(125_000), settings.threads
    wide = draw_uniform(n_rows, 200, seed=settings.seed)
    long = draw_uniform(4 * n_rows, seed=settings.seed)
    X, y = np.ascontiguousarray(wide.X[:, :50]), wide.y
    time_of: dict[str, tuple[Sequence[int], Callable[[int], float]]] = {
        "rows": (
            [n_rows // 2, n_rows, 2 * n_rows, 4 * n_rows],
            lambda n: time_round(long.X[:n], long.y[:n], threads),
        ),
        "features": (
            [25, 50, 100, 200],
            lambda n: time_round(np.ascontiguousarray(wide.X[:, :n]), y, threads),
        ),
        "leaves": ([5, 10, 20, 40], lambda n: time_round(X, y, threads, n_leaves=n)),
        "classes": ([2, 4, 8, 16], lambda n: time_round(X, draw_classes(n, n_rows), threads, n_classes=n)),
        "threads": (
            sorted({1, *(n for n in (2, 4, 8, 16) if n < threads), threads}),
            partial(time_round, X, y),
        ),
    }
    slopes = {}
    for name, (sizes, measure) in time_of.items():
        seconds = [measure(size) for size in sizes]
        slope = fit_slope(sizes, seconds)
        slopes[name] = {"sizes": list(sizes), "seconds": seconds, "slope": slope}
        listed = ", ".join(f"{size:,}: {1e3 * s:.1f} ms" for size, s in zip(sizes, seconds, strict=True))
        verdict = ""
        if name in ("rows", "features"):
            verdict = f" (at most {SLOPE_TARGET}: {'met' if slope <= SLOPE_TARGET else 'not met'})"
        print(f"  slope in {name}: {slope:.2f}{verdict}   {listed}")
    return slopes


def draw_classes(n_classes: int, n_rows: int) -> np.ndarray:
    """Draw labels in which every class is equally frequent."""
    return np.random.default_rng(0).permutation(np.arange(n_rows) % n_classes)


def fit_slope(sizes: Sequence[float], seconds: Sequence[float]) -> float:
    """Fit log seconds = a + slope * log size by least squares; NaN for a single size."""
    return float(np.polyfit(np.log(sizes), np.log(seconds), 1)[0]) if len(sizes) > 1 else float("nan")


def estimate(settings: Settings, round_seconds: float, slopes: dict[str, Any]) -> list[dict[str, float]]:
    """Extrapolate a round of W1 and its memory to more rows and features; costs grow at least linearly."""
    n_rows, n_features = settings.scale_rows(500_000), N_FEATURES
    per_row = measure_bytes_per_row(settings) - n_features  # beyond one byte per entry
    powers = [max(1.0, slopes[name]["slope"]) for name in ("rows", "features")]
    estimates = []
    sizes = f"dense features, {N_BINS} bins, {N_CLASSES} trees of {N_LEAVES} leaves"
    growth = f"rows ** {powers[0]:.2f} and features ** {powers[1]:.2f}"
    print(
        f"  the estimates assume {settings.threads} thread(s) of this machine, memory for all, {sizes}, and that",
        end=" ",
    )
    print(f"a round of {n_rows:,} x {n_features} grows as {growth}")
    for rows, features in ESTIMATES:
        seconds = round_seconds * (rows / n_rows) ** powers[0] * (features / n_features) ** powers[1]
        raw, above = 4e-9 * rows * features, 1e-9 * rows * (features + per_row)
        estimates.append({"rows": rows, "features": features, "seconds": seconds, "raw_gb": raw, "above_gb": above})
        print(f"  estimate for {rows:,} x {features}: {seconds:.1f} s per round of {N_CLASSES} trees", end=", ")
        print(f"{above:.1f} GB above {raw:.1f} GB of raw float32")
    return estimates


def measure_bytes_per_row(settings: Settings) -> float:
    """Measure the peak of W1's training above its matrix, per row; NaN where there is no /proc."""
    if not STATUS.exists():
        return float("nan")
    data = draw_uniform(settings.scale_rows(500_000), seed=settings.seed)
    with tempfile.TemporaryDirectory() as folder:
        np.savez(Path(folder, "data"), X=data.X, y=data.y)
        return measure_apart(folder, "W1", settings.threads, "simultaneous") * 2**20 / len(data.X)

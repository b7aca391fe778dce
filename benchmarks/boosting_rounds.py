"""A round of boosting, K = 5 trees of 10 leaves on 500,000 x 50, against LightGBM at the same leaves, bins and threads.

Both sides compute probabilities and residuals, grow five trees and update the scores. Data are McRank's artificial
ones. Times are of rounds taken in turns, refrank then LightGBM; a ratio below 1 says that refrank is faster.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import lightgbm
import numpy as np

from refrank.datasets import cubic_polynomial
from refrank.mcrank.softmax_boosting import softmax_boosting_sequential, softmax_boosting_simultaneous
from refrank.trees.binning import bin_features
from refrank.trees.engine import default_engine, resolve_threads, splitter_name
from refrank.trees.growth import grow

N_CLASSES, N_LEAVES, LEARNING_RATE = 5, 10, 0.05


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=500_000)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=resolve_threads())
    options = parser.parse_args()
    data = cubic_polynomial(options.rows // 50)
    print(
        f"refrank ({splitter_name()}) against LightGBM {lightgbm.__version__}: "
        f"{data.X.shape}, {options.threads} threads"
    )

    started = time.perf_counter()
    binned = bin_features(data.X, 256, engine=default_engine(options.threads))
    ours = time.perf_counter() - started
    parameters = {
        "objective": "multiclass",
        "num_class": N_CLASSES,
        "num_leaves": N_LEAVES,
        "learning_rate": LEARNING_RATE,
        "max_bin": 255,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "num_threads": options.threads,
        "verbose": -1,
    }
    started = time.perf_counter()
    dataset = lightgbm.Dataset(data.X, data.y, params=parameters).construct()
    theirs = time.perf_counter() - started
    print(f"binning            {ours:8.3f} s {theirs:8.3f} s   ratio {ours / theirs:.2f}")

    grow_tree = partial(grow, binned, n_leaves=N_LEAVES)
    for boosting in (softmax_boosting_sequential, softmax_boosting_simultaneous):
        turns = boosting(data.y, N_CLASSES, grow_tree, options.rounds, LEARNING_RATE)
        booster = lightgbm.Booster(parameters, dataset)
        times = np.array([(timed(partial(next, turns)), timed(booster.update)) for _ in range(options.rounds)])
        report(boosting.__name__, times[1:])  # the first round warms up


def timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def report(name: str, times: np.ndarray) -> None:
    ratio = np.sort(times[:, 0] / times[:, 1])
    ours, theirs = np.median(times, axis=0)
    print(
        f"{name:32} median {1000 * ours:7.1f} ms, LightGBM {1000 * theirs:7.1f} ms; "
        f"ratio min {ratio[0]:.2f} median {np.median(ratio):.2f} max {ratio[-1]:.2f}"
    )


if __name__ == "__main__":
    main()

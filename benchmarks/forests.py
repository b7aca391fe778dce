"""Deep trees against scikit-learn, shallow ones against LightGBM, on data of the shapes of iGBRT Table 2.

    forest     34,815 x 700, 67% zeros, five labels, K = 70, full depth: RandomForestRegressor, at 1 and 2 threads
    boosting   723,412 x 136, 37% zeros, depth 4: LightGBM with num_leaves=16 and max_depth=4

The features are random, on grids of different fineness, and labels follow eight of them with noise. Both sides run in
turns, A B A B ...; a ratio above 1 says that refrank is so many times as fast. scikit-learn does not bin: refrank's
binning counts, once per forest, and weighs the more the fewer trees there are. LightGBM's binning and ours are printed
apart.
"""

import argparse
import time
from collections.abc import Callable
from functools import partial

import lightgbm
import numpy as np
from sklearn.ensemble import RandomForestRegressor

from refrank import RandomForestRanker
from refrank.igbrt.gbrt import gbrt
from refrank.trees.binning import bin_features
from refrank.trees.engine import default_engine, splitter_name
from refrank.trees.growth import grow


def make_data(n_samples: int, n_features: int, zeros: float, seed: int) -> tuple[np.ndarray, np.ndarray]:
    """Sparse non-negative features on grids of different fineness, and labels 0..4 in the proportions of MSLR."""
    rng = np.random.default_rng(seed)
    X = rng.exponential(size=(n_samples, n_features)).astype(np.float32)
    steps = 10.0 ** rng.uniform(1, 4, n_features) / 8
    X = np.rint(X * steps) / steps.astype(np.float32)
    shares = np.clip(rng.normal(zeros, 0.2, n_features), 0, 0.98)
    X[rng.random(X.shape) < shares] = 0
    target = sum(np.sqrt(X[:, j]) * (1 + X[:, j + 4] > 1.5) for j in range(4)) + rng.normal(size=n_samples)
    return X.astype(np.float32), np.searchsorted(np.quantile(target, [0.52, 0.84, 0.97, 0.99]), target)


def timed(call: Callable[[], object]) -> float:
    started = time.perf_counter()
    call()
    return time.perf_counter() - started


def forest(n_trees: int, repeats: int) -> None:
    X, y = make_data(34_815, 700, 0.674, 0)
    print(f"forest of {n_trees} trees on {X.shape}, {np.mean(X == 0):.0%} zeros, K = 70, full depth")
    seconds = np.zeros((2, 2, repeats))  # whose, threads - 1, repeat
    for repeat in range(repeats):
        for n in (1, 2):
            ours = RandomForestRanker(n_trees=n_trees, max_features=70, n_threads=n, random_state=repeat)
            theirs = RandomForestRegressor(n_trees, max_features=70, n_jobs=n, random_state=repeat)
            seconds[0, n - 1, repeat] = timed(lambda ours=ours: ours.fit(X, y))
            seconds[1, n - 1, repeat] = timed(lambda theirs=theirs: theirs.fit(X, y))
    for n in (1, 2):
        report(f"{n} thread(s)", seconds[0, n - 1], seconds[1, n - 1], "scikit-learn")
    for who, name in ((0, "refrank"), (1, "scikit-learn")):
        gains = np.sort(seconds[who, 0] / seconds[who, 1])
        print(
            f"  {name:12} from 1 to 2 threads: {gains[0]:.2f} to {gains[-1]:.2f}, "
            f"median {np.median(gains):.2f} times as fast"
        )


def boosting(n_rounds: int, n_threads: int) -> None:
    X, y = make_data(723_412, 136, 0.372, 1)
    print(f"boosting on {X.shape}, {np.mean(X == 0):.0%} zeros, depth 4, {n_threads} thread(s)")
    parameters = {
        "objective": "regression",
        "num_leaves": 16,
        "max_depth": 4,
        "learning_rate": 0.1,
        "max_bin": 255,
        "min_data_in_leaf": 1,
        "min_sum_hessian_in_leaf": 0.0,
        "num_threads": n_threads,
        "verbose": -1,
    }
    started = time.perf_counter()
    binned = bin_features(X, 256, engine=default_engine(n_threads))
    between = time.perf_counter()
    dataset = lightgbm.Dataset(X, y, params=parameters).construct()
    print(f"  binning: refrank {between - started:.1f} s, LightGBM {time.perf_counter() - between:.1f} s")

    turns = gbrt(y.astype(np.float64), partial(grow, binned, max_depth=4), n_rounds + 1, 0.1)
    booster = lightgbm.Booster(parameters, dataset)
    pairs = np.array([(timed(lambda: next(turns)), timed(booster.update)) for _ in range(n_rounds + 1)])[1:]
    report("a round", pairs[:, 0], pairs[:, 1], "LightGBM")


def report(name: str, ours: np.ndarray, theirs: np.ndarray, peer: str) -> None:
    ratio = np.sort(theirs / ours)
    print(
        f"  {name:12} refrank {np.median(ours):.2f} s, {peer} {np.median(theirs):.2f} s; times as fast: "
        f"min {ratio[0]:.2f} median {np.median(ratio):.2f} max {ratio[-1]:.2f}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--trees", type=int, default=60)
    parser.add_argument("--repeats", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=15)
    parser.add_argument("--threads", type=int, default=2, help="of boosting")
    parser.add_argument("--only", choices=["forest", "boosting"])
    options = parser.parse_args()
    print(f"refrank runs on its {splitter_name()}")
    if options.only != "boosting":
        forest(options.trees, options.repeats)
    if options.only != "forest":
        boosting(options.rounds, options.threads)


if __name__ == "__main__":
    main()

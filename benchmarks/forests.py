"""Deep trees against scikit-learn, shallow ones against LightGBM, on data of the shapes of iGBRT Table 2.

    forest     34,815 x 700, 67% zeros, five labels, K = 70, full depth: RandomForestRegressor, at 1 and 2 threads
    boosting   723,412 x 136, 37% zeros, depth 4: LightGBM with num_leaves=16 and max_depth=4

The features are random, on grids of different fineness, and labels follow eight of them with noise. Both sides run in
turns, A B A B ...; a ratio above 1 says that refrank is so many times as fast. scikit-learn does not bin: refrank's
binning counts, once per forest, so it matters less the more trees there are. The times of LightGBM's binning and ours
are printed separately.
"""

from functools import partial
from itertools import product

import lightgbm
import numpy as np
from side_by_side import LIGHTGBM, describe_ratios, parse_options, take_turns, time_call
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


def compare_forests(n_trees: int, repeats: int) -> None:
    X, y = make_data(34_815, 700, 0.674, 0)
    print(f"forest of {n_trees} trees on {X.shape}, {np.mean(X == 0):.0%} zeros, K = 70, full depth")
    seconds = np.empty((repeats, 2, 2))
    for seed, n in product(range(repeats), (1, 2)):
        ours = RandomForestRanker(n_trees=n_trees, max_features=70, n_threads=n, random_state=seed)
        theirs = RandomForestRegressor(n_trees, max_features=70, n_jobs=n, random_state=seed)
        seconds[seed, n - 1] = take_turns(1, partial(ours.fit, X, y), partial(theirs.fit, X, y))[:, 0]
    ours, theirs = seconds.T  # (2, repeats) each: with 1 thread and with 2
    for n in (1, 2):
        report(f"{n} thread(s)", ours[n - 1], theirs[n - 1], "scikit-learn")
    for name, times in (("refrank", ours), ("scikit-learn", theirs)):
        print(f"  {name:12} from 1 to 2 threads; times as fast: {describe_ratios(times[0] / times[1])}")


def compare_boosting(n_rounds: int, n_threads: int) -> None:
    X, y = make_data(723_412, 136, 0.372, 1)
    print(f"boosting on {X.shape}, {np.mean(X == 0):.0%} zeros, depth 4, {n_threads} thread(s)")
    parameters = LIGHTGBM | {"objective": "regression", "num_leaves": 16, "max_depth": 4, "num_threads": n_threads}
    ours, binned = time_call(partial(bin_features, X, 256, engine=default_engine(n_threads)))
    theirs, dataset = time_call(lightgbm.Dataset(X, y, params=parameters).construct)
    print(f"  binning: refrank {ours:.1f} s, LightGBM {theirs:.1f} s")

    rounds = gbrt(y.astype(np.float64), partial(grow, binned, max_depth=4), n_rounds + 1, 0.1)
    booster = lightgbm.Booster(parameters, dataset)
    seconds = take_turns(n_rounds + 1, partial(next, rounds), booster.update)[:, 1:]  # the first round warms up
    report("a round", *seconds, "LightGBM")


def report(name: str, ours: np.ndarray, theirs: np.ndarray, peer: str) -> None:
    medians = f"refrank {np.median(ours):.2f} s, {peer} {np.median(theirs):.2f} s"
    print(f"  {name:12} {medians}; times as fast: {describe_ratios(theirs / ours)}")


def main() -> None:
    only = ("both", "forest", "boosting")
    options = parse_options(__doc__, trees=60, repeats=3, rounds=15, threads=2, only=only)  # threads of boosting
    print(f"refrank runs on its {splitter_name()}")
    if options.only != "boosting":
        compare_forests(options.trees, options.repeats)
    if options.only != "forest":
        compare_boosting(options.rounds, options.threads)


if __name__ == "__main__":
    main()

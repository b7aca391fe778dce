"""Loss of quality by binning where features have heavy tails: NDCG@10 of test queries under each `binning`.

python -m benchmarks.accuracy.binning_quality [--seeds 3] [--rounds 100] [--only quantile]    # some minutes

Twelve features, of which six are lognormal (standard deviation 3 of the logarithm) and six normal; grades 0 to 4 come
from products of pairs of their logarithms, and noise. HGB is scikit-learn's HistGradientBoostingRegressor, which cuts
at quantiles (255 bins); its trees have as many leaves as those of the GBRT, grown best first instead of level by level.
Seconds are the training time of one run, and not a measurement of speed.
"""

import argparse
import math
from time import perf_counter

import numpy as np
from sklearn.ensemble import HistGradientBoostingRegressor

from refrank import GBRTRanker, SoftmaxBoostRanker
from refrank.metrics import ndcg

N_DOCS, N_FEATURES, N_LOGNORMAL = 20, 12, 6
BINNINGS = (("app-i", 256), ("app-i", 65_536), ("quantile", 256), ("exact", 65_536))


def draw_queries(n_queries: int, seed: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Draw features, (n_samples, 12), grades and query ids; normal and lognormal features alternate."""
    rng = np.random.default_rng(seed)
    Z = rng.normal(size=(n_queries * N_DOCS, N_FEATURES))
    target = Z.sum(axis=1) + sum(Z[:, f] * Z[:, f + 1] for f in range(0, N_FEATURES, 2)) + rng.normal(size=len(Z))
    y = np.searchsorted(np.quantile(target, [0.5, 0.75, 0.9, 0.97]), target)
    X = Z.copy()
    X[:, ::2] = np.exp(3.0 * Z[:, ::2])
    return X, y, np.repeat(np.arange(n_queries), N_DOCS)


def main() -> None:
    """Print the mean over the seeds, and the smallest and largest of them."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("--seeds", type=int, default=3)
    parser.add_argument("--rounds", type=int, default=100)
    parser.add_argument("--queries", type=int, default=800)
    parser.add_argument("--only", default="", help="run only rankers whose names contain this text")
    given = parser.parse_args()
    rankers = {"HGB": lambda: HistGradientBoostingRegressor(**hgb)}
    hgb = {"max_iter": given.rounds, "max_leaf_nodes": 16, "min_samples_leaf": 1, "early_stopping": False}
    for binning, n_bins in BINNINGS:
        bins = {"binning": binning, "n_bins": n_bins, "n_rounds": given.rounds}
        rankers[f"GBRT {binning} {n_bins}"] = lambda bins=bins: GBRTRanker(**bins)
        rankers[f"softmax {binning} {n_bins}"] = lambda bins=bins: SoftmaxBoostRanker(
            **bins, n_leaves=16, learning_rate=0.1
        )
    print(
        f"{given.queries} training and test queries of {N_DOCS} documents, {given.rounds} rounds, {given.seeds} seeds"
    )
    print("ranker                   NDCG@10   min..max      seconds")
    for name in sorted(name for name in rankers if given.only in name):
        values, seconds = [], 0.0
        for seed in range(given.seeds):
            train, test = (draw_queries(given.queries, 2 * seed + part) for part in range(2))
            started = perf_counter()
            ranker = rankers[name]().fit(*train[:2])
            seconds += perf_counter() - started
            values.append(float(ndcg(test[1], ranker.predict(test[0]), test[2])))
        mean = math.fsum(values) / len(values)
        print(f"{name:22}  {mean:8.4f}  {min(values):.4f}..{max(values):.4f}  {seconds / len(values):6.1f}", flush=True)


if __name__ == "__main__":
    main()

"""W3: a whole fit of a random forest, binning included: 34,815 x 700, 67% zeros, K = 70, full depth.

Against scikit-learn, and XGBoost with one round of `num_parallel_tree` trees; on one thread and on all. The number of
trees is `--trees`. Quality is NDCG@10 of held-out queries. The tools differ:

scikit-learn    sorts values instead of binning them: its cuts lie midway between rows of the node, refrank's between
                256 bins. `benchmarks/README.md` says what this is worth.
XGBoost         bins; draws 63.2% of the rows without replacement, since it has no bootstrap; grows level by level.
                It is slow at full depth: it grows at most five trees, and its time is that of binning plus that of
                growing, times the trees left out. Fewer trees rank worse, so no quality is shown for them.
"""

from collections.abc import Iterator
from functools import partial
from typing import Any

from benchmarks.side_by_side import FASTER, Contestant, Pairing, Settings, compare, time_call
from benchmarks.speed.boosting_peers import HGB_NAME, XGBOOST, XGBOOST_NAME
from benchmarks.speed.data import RankingData, draw_sparse
from refrank import RandomForestRanker

N_CANDIDATES = 70
XGBOOST_TREES = 5
SHARE_DRAWN = 0.632  # of the rows by a bootstrap: 1 - 1/e


def compare_forests(settings: Settings) -> Iterator[Pairing]:
    """Compare fits of random forests (W3)."""
    data = draw_sparse(settings.scale_rows(34_815), 700, zeros=0.674, seed=settings.seed)
    for threads in sorted({1, settings.threads}):
        sizes = (data, settings.trees, threads, settings.seed)
        peers = [enter_fit(HGB_NAME, data, partial(fit_sklearn, *sizes))]
        if XGBOOST:
            peers.append(enter_xgboost(*sizes))
        ours = enter_fit("", data, partial(fit_refrank, *sizes))
        on = "1 thread" if threads == 1 else f"{threads} threads"
        what = f"forest of {settings.trees}, {data}, {(data.X == 0).mean():.0%} zeros, {on}"
        targets = [("", "scikit-learn", 0.18), FASTER]
        yield from compare("W3", what, [ours], peers, settings.cap_turns(1), targets, "NDCG@10")


def enter_fit(name: str, data: RankingData, fit: Any) -> Contestant:
    """Make a contestant of a whole fit; `fit` returns what predicts."""
    last: list[Any] = [None]

    def run() -> float:
        seconds, last[0] = time_call(fit)
        return seconds

    return Contestant(name, run, quality=lambda: data.score(last[0](data.X_test)))


def fit_refrank(data: RankingData, n_trees: int, threads: int, seed: int) -> Any:
    ranker = RandomForestRanker(n_trees=n_trees, max_features=N_CANDIDATES, n_threads=threads, random_state=seed)
    return ranker.fit(data.X, data.y).predict


def fit_sklearn(data: RankingData, n_trees: int, threads: int, seed: int) -> Any:
    from sklearn.ensemble import RandomForestRegressor

    forest = RandomForestRegressor(n_trees, max_features=N_CANDIDATES, n_jobs=threads, random_state=seed)
    return forest.fit(data.X, data.y).predict


def enter_xgboost(data: RankingData, n_trees: int, threads: int, seed: int) -> Contestant:
    n_grown = min(n_trees, XGBOOST_TREES)
    parameters = {
        "tree_method": "hist",
        "max_bin": 256,
        "num_parallel_tree": n_grown,
        "learning_rate": 1,
        "subsample": SHARE_DRAWN,
        "colsample_bynode": N_CANDIDATES / data.X.shape[1],
        "max_depth": 0,
        "min_child_weight": 0,
        "reg_lambda": 0,
        "nthread": threads,
        "seed": seed,
        "verbosity": 0,
    }
    last: list[Any] = [None]

    def run() -> float:
        binning, bins = time_call(partial(XGBOOST.QuantileDMatrix, data.X, data.y, max_bin=256, nthread=threads))
        growing, last[0] = time_call(XGBOOST.train, parameters, bins, 1)
        return binning + growing * n_trees / n_grown

    if n_grown < n_trees:
        return Contestant(f"{XGBOOST_NAME}, from {n_grown} trees", run)
    return Contestant(XGBOOST_NAME, run, quality=lambda: data.score(last[0].inplace_predict(data.X_test)))

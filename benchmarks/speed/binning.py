"""W6: binning a matrix of float32, from the raw features to what trees are grown on.

What differs: refrank's bins, those of McRank App. I and quantiles, come from all rows, those of LightGBM and
scikit-learn from a sample of 200,000; XGBoost sketches quantiles of all rows. LightGBM also bundles features that are
rarely both other than zero.
"""

from collections.abc import Callable, Iterator
from functools import partial

import numpy as np

from benchmarks.side_by_side import FASTER, Contestant, Pairing, Settings, compare, time_call
from benchmarks.speed.boosting_peers import HGB_NAME, LIGHTGBM, LIGHTGBM_NAME, XGBOOST, XGBOOST_NAME
from benchmarks.speed.data import draw_sparse, draw_uniform
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import quantiles
from refrank.trees.engine import default_engine


def compare_binning(settings: Settings) -> Iterator[Pairing]:
    """Compare the binning of a whole matrix (W6)."""
    for data in (
        draw_uniform(settings.scale_rows(500_000), seed=settings.seed),
        draw_sparse(settings.scale_rows(723_412), 136, zeros=0.372, seed=settings.seed),
    ):
        bin_all = partial(bin_features, data.X, 256, engine=default_engine(settings.threads))
        ours = [
            time_binning("App. I", bin_all),
            time_binning("quantiles", partial(bin_all, place_cuts=quantiles)),
        ]
        peers = list(list_peers(data.X, data.y, settings.threads))
        targets = [("", "lightgbm", 0.1), FASTER]
        yield from compare("W6", f"binning {data}", ours, peers, settings.cap_turns(3), targets)


def list_peers(X: np.ndarray, y: np.ndarray, threads: int) -> Iterator[Contestant]:
    """Yield the peers that can be imported."""
    if LIGHTGBM:
        parameters = {"max_bin": 255, "num_threads": threads, "feature_pre_filter": False, "verbose": -1}
        yield time_binning(LIGHTGBM_NAME, lambda: LIGHTGBM.Dataset(X, y, params=parameters).construct())
    if XGBOOST:
        yield time_binning(XGBOOST_NAME, lambda: XGBOOST.QuantileDMatrix(X, y, max_bin=256, nthread=threads))
    from sklearn.ensemble._hist_gradient_boosting.binning import _BinMapper

    yield time_binning(f"HGB ({HGB_NAME})", lambda: _BinMapper(256, n_threads=threads).fit(X).transform(X))


def time_binning(name: str, bin_all: Callable[[], object]) -> Contestant:
    return Contestant(name, lambda: time_call(bin_all)[0])

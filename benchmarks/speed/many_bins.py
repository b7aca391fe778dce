"""W11: a round with 65,536 bins or exact cuts against one with 256 quantiles, binning apart; refrank is its own peer.

    data          McRank's artificial data, as in W1; and 12 features of which six are lognormal (binning_quality.py)
    rankers       regression of 10 leaves (McRank Alg. 2), and GBRT of depth 4 or ordinal classification

With many bins, coarse bins and pieces of them show where the best cut cannot be, and rows are summed in their own bins
elsewhere (refrank/trees/bins/coarse.py). Quality is NDCG@10 of held-out queries after equally many rounds.
"""

from collections.abc import Iterator
from dataclasses import replace
from functools import partial
from typing import Any

import numpy as np

from benchmarks.accuracy.binning_quality import N_DOCS, draw_queries
from benchmarks.side_by_side import Contestant, Pairing, Settings, compare
from benchmarks.speed.boosting_peers import Problem, enter_refrank
from benchmarks.speed.data import RankingData, draw_uniform
from refrank import GBRTRanker, LSBoostRanker, OrdinalBoostRanker

MANY = {"65,536 bins": {"binning": "app-i", "n_bins": 65_536}, "exact": {"binning": "exact"}}
TARGET = 3.0
N_TEST_QUERIES = 400
SHARE_MISSING = 0.4  # as in MSLR


def draw_heavy_tailed(n_samples: int, seed: int) -> RankingData:
    """Draw the features of binning_quality.py."""
    X, y, _ = draw_queries(n_samples // N_DOCS, 2 * seed)
    return RankingData(X, y, *draw_queries(N_TEST_QUERIES, 2 * seed + 1))


def enter(name: str, ranker: Any, problem: Problem, **given: Any) -> Contestant:
    """Enter a ranker of refrank with these parameters."""
    common = {"n_rounds": problem.n_rounds, "learning_rate": problem.learning_rate, "n_threads": problem.threads}
    return enter_refrank(name, ranker(**common, **given), problem)


def compare_bins(settings: Settings) -> Iterator[Pairing]:
    """Compare rounds with many bins and with 256 quantiles (W11)."""
    uniform = draw_uniform(settings.scale_rows(500_000), seed=settings.seed)
    heavy = draw_heavy_tailed(settings.scale_rows(200_000), settings.seed)
    absent = np.random.default_rng(settings.seed).random(heavy.X.shape) < SHARE_MISSING
    holed = replace(heavy, X=np.where(absent, np.nan, heavy.X))
    three_ways = partial(GBRTRanker, missing="three-way")
    works: list[tuple[str, Any, RankingData]] = [
        ("regression round, uniform", LSBoostRanker, uniform),
        ("ordinal round, uniform", OrdinalBoostRanker, uniform),
        ("regression round, half lognormal", LSBoostRanker, heavy),
        ("GBRT round, half lognormal", GBRTRanker, heavy),
        (f"the same, {SHARE_MISSING:.0%} missing, cut three ways", three_ways, holed),
    ]
    for what, ranker, data in works:
        problem = Problem(data, 1, settings.turns + 1, 0.05, settings.threads)
        ours = [enter(name, ranker, problem, **bins) for name, bins in MANY.items()]
        peers = [enter("refrank, 256 quantiles", ranker, problem)]
        yield from compare("W11", f"{what}, {data}", ours, peers, settings.turns, [("", "", TARGET)], "NDCG@10")

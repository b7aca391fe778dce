"""W1, W2, W5, W12 and W13: a round of boosting, binning apart, against LightGBM, XGBoost, scikit-learn and CatBoost.

    W1   softmax boosting, K = 5 trees of 10 leaves, on McRank's artificial data, in both update orders
    W2   GBRT, one tree of depth 4, on 136 features of which 37% are zero, and 60%
    W5   ordinal boosting with p renewed once per round, four trees of 10 leaves, on the data of W1
    W12  W1 with a validation set, measured after each round, against W1 without
    W13  LambdaMART, one tree of 31 leaves, on queries of 120 documents with the features of W2, NDCG truncated at 10

A round computes gradients, grows its trees and updates the scores. The first round of each side warms up. Quality is
NDCG@10 of held-out queries after equally many rounds; classes are ranked by expected relevance (McRank Eq. 5).
`boosting_peers.py` says how the peers are set up and how they differ.
"""

from collections.abc import Iterator

import numpy as np

from benchmarks.side_by_side import FASTER, Contestant, Pairing, Settings, compare
from benchmarks.speed.boosting_peers import (
    LIGHTGBM,
    Problem,
    enter_lightgbm_binary,
    enter_lightgbm_lambdarank,
    enter_peers,
    enter_refrank,
)
from benchmarks.speed.data import DOCS_PER_QUERY, draw_sparse, draw_uniform
from refrank import GBRTRanker, LambdaMARTRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.datasets import cubic_polynomial

N_CLASSES, N_LEAVES, SOFTMAX_RATE = 5, 10, 0.05
MAX_DEPTH, GBRT_RATE = 4, 0.1
SHARE_OF_ZEROS, MORE_ZEROS = 0.372, 0.6
LAMBDAMART_LEAVES, TRUNCATION = 31, 10
SOFTMAX_TARGETS = [
    ("", "quantised", 1.0),
    ("simultaneous", "lightgbm", 0.55),
    ("sequential", "lightgbm", 0.50),
    FASTER,
]
GBRT_TARGETS = [("", "quantised", 0.60), ("", "lightgbm", 0.45), ("", "xgboost", 0.60), FASTER]
SPARSER_TARGETS = [("", "quantised", 1.0), ("", "lightgbm", 0.40), FASTER]


def pose_softmax(settings: Settings) -> Problem:
    """Set up the problem of W1 and W5."""
    data = draw_uniform(settings.scale_rows(500_000), seed=settings.seed)
    return Problem(data, N_CLASSES, settings.turns + 1, SOFTMAX_RATE, settings.threads, n_leaves=N_LEAVES)


def enter_softmax(problem: Problem) -> list[Contestant]:
    """Enter softmax boosting, in both update orders."""
    return [
        enter_refrank(
            update,
            SoftmaxBoostRanker(
                n_rounds=problem.n_rounds,
                n_leaves=N_LEAVES,
                learning_rate=SOFTMAX_RATE,
                update=update,
                n_threads=problem.threads,
            ),
            problem,
        )
        for update in ("simultaneous", "sequential")
    ]


def compare_softmax(settings: Settings) -> Iterator[Pairing]:
    """Compare rounds of softmax boosting, in both update orders (W1)."""
    problem = pose_softmax(settings)
    ours = enter_softmax(problem)
    what = f"softmax round, {problem.data}"
    yield from compare("W1", what, ours, enter_peers(problem), settings.turns, SOFTMAX_TARGETS, "NDCG@10")


def pose_gbrt(settings: Settings, zeros: float = SHARE_OF_ZEROS) -> Problem:
    """Set up the problem of W2."""
    data = draw_sparse(settings.scale_rows(723_412), 136, zeros, settings.seed)
    return Problem(data, 1, settings.turns + 1, GBRT_RATE, settings.threads, max_depth=MAX_DEPTH)


def enter_gbrt(problem: Problem) -> Contestant:
    """Enter GBRT, with the defaults of refrank: where the scores start has no effect on the ranking."""
    ranker = GBRTRanker(
        n_rounds=problem.n_rounds, max_depth=MAX_DEPTH, learning_rate=GBRT_RATE, n_threads=problem.threads
    )
    return enter_refrank("", ranker, problem)


def compare_gbrt(settings: Settings) -> Iterator[Pairing]:
    """Compare rounds of GBRT (W2)."""
    for zeros, targets in ((SHARE_OF_ZEROS, GBRT_TARGETS), (MORE_ZEROS, SPARSER_TARGETS)):
        problem = pose_gbrt(settings, zeros)
        ours = enter_gbrt(problem)
        what = f"GBRT round, {problem.data}, {(problem.data.X == 0).mean():.0%} zeros"
        yield from compare("W2", what, [ours], enter_peers(problem), settings.turns, targets, "NDCG@10")


def compare_ordinal(settings: Settings) -> Iterator[Pairing]:
    """Compare rounds of ordinal boosting (W5)."""
    if not LIGHTGBM:
        return
    problem = pose_softmax(settings)
    ranker = OrdinalBoostRanker(
        n_rounds=problem.n_rounds,
        n_leaves=N_LEAVES,
        learning_rate=SOFTMAX_RATE,
        update="simultaneous",
        n_threads=settings.threads,
    )
    ours, peer = enter_refrank("", ranker, problem), enter_lightgbm_binary(problem)
    what = f"ordinal round, {problem.data}"
    yield from compare("W5", what, [ours], [peer], settings.turns, [("", "lightgbm", 0.40)], "NDCG@10")


def compare_validation(settings: Settings) -> Iterator[Pairing]:
    """Compare rounds of softmax boosting with and without a validation set (W12)."""
    problem = pose_softmax(settings)
    data, n_queries = problem.data, settings.scale_rows(500_000) // 250
    valid = cubic_polynomial(n_queries, n_features=data.X.shape[1], random_state=2 * settings.seed + 1)
    given = {"n_leaves": N_LEAVES, "learning_rate": SOFTMAX_RATE, "update": "simultaneous"}
    sides = [
        enter_refrank(
            name,
            SoftmaxBoostRanker(n_rounds=problem.n_rounds, n_threads=settings.threads, **given),
            problem,
            **held_out,
        )
        for name, held_out in (
            ("validated", {"X_val": valid.X, "y_val": valid.y, "qid_val": valid.qid}),
            ("refrank without validation", {}),
        )
    ]
    what = f"softmax round, {data}, with {len(valid.X):,} validation rows"
    yield from compare("W12", what, sides[:1], sides[1:], settings.turns, [("", "", 1.10)], "NDCG@10")


def compare_lambdamart(settings: Settings) -> Iterator[Pairing]:
    """Compare rounds of LambdaMART (W13)."""
    if not LIGHTGBM:
        return
    data = draw_sparse(settings.scale_rows(500_000), 136, zeros=0.372, seed=settings.seed)
    problem = Problem(data, 1, settings.turns + 1, GBRT_RATE, settings.threads, n_leaves=LAMBDAMART_LEAVES)
    ranker = LambdaMARTRanker(
        n_rounds=problem.n_rounds,
        n_leaves=LAMBDAMART_LEAVES,
        learning_rate=GBRT_RATE,
        truncation=TRUNCATION,
        n_threads=settings.threads,
    )
    qid = np.arange(len(data.y)) // DOCS_PER_QUERY
    ours = enter_refrank("", ranker, problem, qid=qid)
    peers = [enter_lightgbm_lambdarank(problem, np.bincount(qid), TRUNCATION, way) for way in (True, False)]
    what = f"LambdaMART round, {data}"
    yield from compare("W13", what, [ours], peers, settings.turns, [("", "lightgbm", 1.0)], "NDCG@10")

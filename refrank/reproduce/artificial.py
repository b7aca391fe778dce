"""Artificial data as a fold: McRank's of Sec. 6.1, and heavy-tailed data with any number of test queries.

COCR and iGBRT print no artificial data, and the available collections are small: the difference of two rankers has a
standard deviation over the queries of .06 to .12 in ERR, so MQ2008's 784 queries resolve about .01. The heavy-tailed
data have any number of test queries.

    symbol    in code        shape
    z         normal         (n_samples, n_features), independent standard normal
    w         weights        (n_used,), 1/2 to 1 with random signs
    u         of_query       (n_queries,), standard normal: how relevant a query's documents are
    e         noise          (n_samples,), standard normal
    t         relevance      (n_samples,)
    y         -              the number of CUTS below t

    t = S[sum_j w_j z_j] + .7 S[sum_j z_j z_(j+1)] + .7 u + .8 e, over features j in a random circle; S scales to
    variance 1
"""

from dataclasses import replace
from typing import Any

import numpy as np

from refrank.datasets import Fold, LetorData, cubic_polynomial
from refrank.reproduce.run import get_splits

N_DOCS = 16  # per query
# Columns of each shape: plain z, the lognormal exp(2 z), and the count floor(exp(1.5 z)), which is 0 half of the time
N_USED, N_IRRELEVANT = 4, 2
CUTS = (0.0, 1.1, 2.1, 3.1)


def make_artificial_fold(n_queries: tuple[int, int, int], seed: int = 0) -> Fold:
    """Draw training, validation and test queries of 50 documents with 50 features, labelled by one polynomial.

    The seeds of the documents are 3 seed, 3 seed + 1 and 3 seed + 2.
    """
    # McRank Sec. 6.1: queries for train, validation and test of one polynomial
    splits = (cubic_polynomial(n, random_state=3 * seed + i, polynomial_seed=seed) for i, n in enumerate(n_queries))
    return Fold(f"artificial {seed}", *splits)


def make_heavy_tailed_fold(n_queries: tuple[int, int, int], seed: int = 0) -> Fold:
    """Draw training, validation and test queries of 16 documents with 18 features and five grades.

    Like real collections, most features are far from uniform (a third have heavy tails, a third are counts with many
    zeros), some features are irrelevant, queries differ in their number of relevant documents, and grades are noisy, so
    no ranker is perfect. About 50, 25, 15, 7 and 3% of the documents have grades 0 to 4.

    It is no model of any collection: features are independent, none is missing, and the noise is the same everywhere.
    The best ranker on it need not be the best on other data. With many test queries, a difference on it is not due to
    their draw, but it may be due to that of the training set.

    The seed is for the weights and pairs, which the splits share, and for the documents.

    >>> fold = make_heavy_tailed_fold((1000, 100, 200))
    >>> fold.train.X.shape, fold.test.X.shape
    ((16000, 18), (3200, 18))
    >>> (np.bincount(fold.train.y) / len(fold.train.y)).round(2)
    array([0.5 , 0.25, 0.15, 0.07, 0.03])
    """
    splits = (draw_heavy_tailed(n, seed, place) for place, n in enumerate(n_queries))
    return Fold(f"artificial {seed}", *splits)


def draw_heavy_tailed(n_queries: int, seed: int, place: int) -> LetorData:
    """Draw the queries of one split: 0 training, 1 validation, 2 test."""
    rng = np.random.default_rng(seed)  # the same for all splits
    n_features = 3 * (N_USED + N_IRRELEVANT)
    used = rng.permutation(np.flatnonzero(np.arange(n_features) // 3 < N_USED))
    weights = rng.uniform(0.5, 1.0, len(used)) * rng.choice([-1, 1], len(used))

    rng = np.random.default_rng([seed, place])
    qid = np.repeat(np.arange(n_queries), N_DOCS)
    normal, of_query = rng.standard_normal((len(qid), n_features)), rng.standard_normal(n_queries)
    noise = rng.standard_normal(len(qid))
    linear = (normal[:, used] * weights).sum(axis=1) / np.sqrt((weights**2).sum())
    pairs = (normal[:, used] * normal[:, np.roll(used, 1)]).sum(axis=1) / np.sqrt(len(used))
    relevance = linear + 0.7 * pairs + 0.7 * of_query[qid] + 0.8 * noise  # (n_samples,)
    X = normal.copy()
    X[:, 1::3] = np.exp(2 * normal[:, 1::3])
    X[:, 2::3] = np.floor(np.exp(1.5 * normal[:, 2::3]))
    return LetorData(X.astype(np.float32), np.searchsorted(CUTS, relevance), qid, ("",) * len(qid))


def describe_queries(n_queries: tuple[int, int, int]) -> str:
    """Describe the sizes of an artificial fold."""
    train, valid, test = n_queries
    return f"{train:,} training, {valid:,} validation and {test:,} test queries of 50 documents"


def remove_features(fold: Fold, share: float) -> Fold:
    """Return a fold in which a random share of the features is NaN."""
    rng, nan = np.random.default_rng(0), np.float32(np.nan)
    removed: dict[str, Any] = {
        split: replace(data, X=np.where(rng.random(data.X.shape) < share, nan, data.X))
        for split, data in get_splits(fold).items()
    }
    return replace(fold, **removed)

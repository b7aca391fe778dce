"""The artificial data of McRank Sec. 6.1 as a fold, with or without missing features."""

from dataclasses import replace

import numpy as np

from refrank.datasets import Fold, cubic_polynomial
from refrank.datasets.folds import SPLITS


def make_artificial_fold(n_queries: tuple[int, int, int], seed: int = 0) -> Fold:
    """Draw training, validation and test queries: three draws of documents labelled by one polynomial.

    A query has 50 documents with 50 features. The seeds of the documents are 3 seed, 3 seed + 1 and 3 seed + 2.
    """
    train, valid, test = (
        cubic_polynomial(n, random_state=3 * seed + split, polynomial_seed=seed) for split, n in enumerate(n_queries)
    )
    return Fold(f"artificial {seed}", train, valid, test)


def describe_queries(n_queries: tuple[int, int, int]) -> str:
    """Describe the sizes of an artificial fold."""
    train, valid, test = n_queries
    return f"{train:,} training, {valid:,} validation and {test:,} test queries of 50 documents"


def remove_features(fold: Fold, share: float) -> Fold:
    """Return a fold in which a share of the features, drawn at random, is NaN.

    >>> fold = remove_features(make_artificial_fold((4, 2, 3)), 0.4)
    >>> round(float(np.isnan(fold.train.X).mean()), 1)
    0.4
    """
    rng, removed = np.random.default_rng(0), {}
    for split in SPLITS:
        data = getattr(fold, split)
        removed[split] = replace(data, X=np.where(rng.random(data.X.shape) < share, np.float32(np.nan), data.X))
    return replace(fold, **removed)

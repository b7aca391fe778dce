"""The artificial data of McRank Sec. 6.1 as a fold, with or without missing features."""

from dataclasses import replace
from typing import Any

import numpy as np

from refrank.datasets import Fold, cubic_polynomial
from refrank.reproduce.run import get_splits


def make_artificial_fold(n_queries: tuple[int, int, int], seed: int = 0) -> Fold:
    """Draw training, validation and test queries of 50 documents with 50 features, labelled by one polynomial.

    The seeds of the documents are 3 seed, 3 seed + 1 and 3 seed + 2.
    """
    splits = (cubic_polynomial(n, random_state=3 * seed + i, polynomial_seed=seed) for i, n in enumerate(n_queries))
    return Fold(f"artificial {seed}", *splits)


def describe_queries(n_queries: tuple[int, int, int]) -> str:
    """Describe the sizes of an artificial fold."""
    train, valid, test = n_queries
    return f"{train:,} training, {valid:,} validation and {test:,} test queries of 50 documents"


def remove_features(fold: Fold, share: float) -> Fold:
    """Return a fold in which a share of the features, drawn at random, is NaN."""
    rng, nan = np.random.default_rng(0), np.float32(np.nan)
    removed: dict[str, Any] = {
        split: replace(data, X=np.where(rng.random(data.X.shape) < share, nan, data.X))
        for split, data in get_splits(fold).items()
    }
    return replace(fold, **removed)

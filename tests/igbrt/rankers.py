"""The three rankers and the data that their tests share."""

import numpy as np
import pytest

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from tests.strategies import rng_of

RANKERS = {RandomForestRanker: {"n_trees": 4}, GBRTRanker: {"n_rounds": 4}, IGBRTRanker: {"n_trees": 4, "n_rounds": 3}}
rankers = pytest.mark.parametrize("Ranker", RANKERS)
settings = pytest.mark.parametrize("setting", ["regression", "classification"])


def data(n_samples=200, n_features=6, n_classes=5, seed=0):
    """Features, and labels that three of them make."""
    X = rng_of(seed).normal(size=(n_samples, n_features))
    return X, np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 1), 0, n_classes - 1).astype(np.int64)

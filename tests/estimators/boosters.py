"""McRank's boosters as the tests of `refrank.estimators` take them: all four, small, on data that they can learn."""

import numpy as np
import pytest

from refrank import LADBoostRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from tests.strategies import rng_of

RANKERS = [SoftmaxBoostRanker, OrdinalBoostRanker, LSBoostRanker, LADBoostRanker]
CLASS_RANKERS = RANKERS[:2]
rankers = pytest.mark.parametrize("Ranker", RANKERS)
class_rankers = pytest.mark.parametrize("Ranker", CLASS_RANKERS)
updates = pytest.mark.parametrize("update", ["sequential", "simultaneous"])


def small(Ranker, **changed):
    return Ranker(**{"n_rounds": 3, "n_leaves": 4, "learning_rate": 0.1, "n_threads": 1, **changed})


def data(n_samples=60, n_classes=4, seed=0, dtype=np.float64):
    """Labels that follow the features; twelve queries, in mixed order."""
    rng = rng_of(seed)
    X = rng.normal(size=(n_samples, 5)).astype(dtype)
    y = np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 1), 0, n_classes - 1).astype(np.int64)
    return X, y, rng.integers(0, 12, n_samples)

"""COCR over a base that takes no weights: rows drawn by cost-proportionate rejection sampling."""

import warnings
from types import SimpleNamespace

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.neighbors import KNeighborsRegressor

from refrank import COCRRanker
from refrank.cocr.costs import squared
from refrank.estimators.cocr import rejection_sample
from tests.estimators.test_cocr_ranker import data
from tests.oracles import cocr as naive_cocr


def test_rejection_sampling_keeps_rows_as_often_as_their_weights_say():
    weight = np.repeat([1.0, 2.0, 4.0], 20_000)
    rows = rejection_sample(weight, seed=0, k=1)
    assert np.all(np.diff(rows) > 0)
    kept = np.bincount(rows // 20_000) / 20_000
    # the standard error of a share of 20,000 is at most .0035; 4 of them
    np.testing.assert_allclose(kept[:2], [0.25, 0.5], atol=0.014)
    assert kept[2] == 1.0
    assert rejection_sample(weight, seed=0, k=2).tolist() != rows.tolist() != rejection_sample(weight, 1, 1).tolist()


def test_a_row_of_weight_zero_never_stays_and_one_of_the_largest_always_does(monkeypatch):
    for drawn, kept in ((0.0, [1, 2]), (1 - 2.0**-53, [2])):  # the ends of [0, 1)
        draws = SimpleNamespace(random=lambda n, drawn=drawn: np.full(n, drawn))
        monkeypatch.setattr(np.random, "default_rng", lambda seed, draws=draws: draws)
        assert rejection_sample(np.array([0.0, 1.0, 3.0]), 0, 1).tolist() == kept


def test_a_base_without_weights_learns_from_a_sample_and_says_so():
    X, y, _ = data()
    base = KNeighborsRegressor(3)
    with pytest.warns(UserWarning, match="base KNeighborsRegressor takes no sample_weight: each problem") as seen:
        ranker = COCRRanker(base, cost="squared", random_state=5).fit(X, y)
    assert len(seen) == 1
    problems = naive_cocr.transformed(y.tolist(), squared(y, 3).tolist(), 3)
    for k, problem, h in zip((1, 2, 3), problems, ranker.model_.soft_classifiers, strict=True):
        answer, weight = (np.array(column, float) for column in zip(*problem, strict=True))
        rows = rejection_sample(weight * (len(y) / weight.sum()), 5, k)
        assert 0 < len(rows) < len(y)
        assert h(X).tobytes() == clone(base).fit(X[rows], answer[rows]).predict(X).tobytes()


@pytest.mark.parametrize("cost", ["absolute", np.abs(np.subtract.outer([0, 1, 6, 8], [0, 1, 6, 8]))])
def test_equal_weights_need_no_sample(cost):
    """The table's weights are 1, 5 and 2 in problem 1, 2 and 3: equal within each."""
    X, y, _ = data()
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        ranker = COCRRanker(KNeighborsRegressor(3), cost=cost).fit(X, y)
    h = ranker.model_.soft_classifiers[0]
    assert h(X).tobytes() == KNeighborsRegressor(3).fit(X, y >= 1).predict(X).tobytes()


def test_sample_weights_alone_need_a_sample():
    X, y, _ = data()
    with pytest.warns(UserWarning, match="takes no sample_weight"):
        COCRRanker(KNeighborsRegressor(3), cost="absolute").fit(X, y, sample_weight=1.0 + y)

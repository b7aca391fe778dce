"""Bags of many rows: counts, and the estimators that are fitted to them, against scikit-learn's lists."""

import tracemalloc
from copy import deepcopy
from unittest import mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from joblib import parallel_config
from numpy.random import RandomState
from sklearn.base import clone
from sklearn.ensemble import BaggingRegressor
from sklearn.linear_model import LinearRegression, SGDRegressor
from sklearn.neighbors import KNeighborsRegressor
from sklearn.tree import DecisionTreeRegressor

from refrank import COCRRanker, M5PRegressor
from refrank.estimators import base_learners, counted_bags
from refrank.estimators.counted_bags import BLOCK, can_count, count_bag, count_draws, fit_bags
from tests.estimators.cases import data, same_bits
from tests.strategies import rng_of

X, Y, _ = data(80)
WEIGHT = rng_of(1).exponential(size=80)
SHARE = WEIGHT / WEIGHT.sum()


def list_draws(seed, share, n_drawn):
    """The definition: a list of rows, and how often each is in it."""
    return np.bincount(RandomState(seed).choice(len(share), n_drawn, p=share), minlength=len(share)).tolist()


# --- counts
@given(st.integers(0, 2**32 - 1), st.integers(1, 50), st.integers(1, 300), st.data())
def test_counts_are_those_of_the_list_whatever_the_block(seed, n_rows, n_drawn, data):
    """Rows of share 0 are among them, and blocks of 1, N - 1, N and N + 1 draws."""
    weight = data.draw(st.lists(st.sampled_from([0.0, 1e-12, 0.1, 1.0, 7.0]), min_size=n_rows, max_size=n_rows))
    share = np.array([*weight, 1.0])
    share /= share.sum()
    expected = list_draws(seed, share, n_drawn)
    for block in {1, 2, max(1, n_drawn - 1), n_drawn, n_drawn + 1}:
        counts = count_draws(RandomState(seed), share, n_drawn, block)
        assert counts.dtype == np.int64
        assert counts.tolist() == expected


@pytest.mark.parametrize("n_drawn", [BLOCK - 1, BLOCK, BLOCK + 1, 3 * BLOCK + 12_345])
def test_counts_are_those_of_the_list_at_the_ends_of_a_block(n_drawn):
    assert count_draws(RandomState(5), SHARE, n_drawn, BLOCK).tolist() == list_draws(5, SHARE, n_drawn)


@pytest.mark.parametrize(
    ("share", "drawn", "row"),
    [
        ([0.0, 0.5, 0.5, 0.0], 0.0, 1),
        ([0.0, 0.5, 0.5, 0.0], np.nextafter(0.5, 0), 1),
        ([0.0, 0.5, 0.5, 0.0], 0.5, 2),
        ([0.0, 0.5, 0.5, 0.0], 1 - 2.0**-53, 2),
        ([0.1] * 10, 1 - 2.0**-53, 9),  # they add up to this draw
    ],
)
def test_a_draw_that_is_a_bound_belongs_to_the_row_above_it(share, drawn, row):
    class Still:
        def random_sample(self, n):
            return np.full(n, drawn)

    counts = count_draws(Still(), np.array(share), 5, block=2)
    assert counts.tolist() == (5 * np.eye(len(share), dtype=int)[row]).tolist()


def test_memory_grows_with_the_rows_and_not_with_the_draws():
    """A list of the draws would take eight times 2^25 bytes, and four lists are made of them."""
    tracemalloc.start()
    counts = count_draws(RandomState(0), SHARE, 2**25, BLOCK)
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert counts.sum() == 2**25
    assert most < 4 * 8 * BLOCK


# --- estimators
BAGS = {
    "a share": BaggingRegressor(LinearRegression(), n_estimators=3, max_samples=0.7),
    "a number of rows": BaggingRegressor(LinearRegression(), n_estimators=2, max_samples=300),
    "as many as rows": BaggingRegressor(LinearRegression(), n_estimators=2, max_samples=None),
    "a share of less than a row": BaggingRegressor(LinearRegression(), n_estimators=2, max_samples=0.001),
    "model trees": BaggingRegressor(M5PRegressor(weights="counts"), n_estimators=2, max_samples=0.5),
    "the default": BaggingRegressor(n_estimators=2, max_samples=0.5),
    "seeds": BaggingRegressor(SGDRegressor(), n_estimators=2, max_samples=0.9, bootstrap_features=True),
    "a share of the features": BaggingRegressor(DecisionTreeRegressor(), max_features=0.5, max_samples=0.5, n_jobs=2),
    "less than a feature": BaggingRegressor(DecisionTreeRegressor(), n_estimators=2, max_features=0.01),
    "bags of bags": BaggingRegressor(BaggingRegressor(SGDRegressor(), 2), n_estimators=2, max_features=2),
}


@pytest.mark.filterwarnings("ignore:Using the fractional value")  # of a bag of few rows
@pytest.mark.parametrize("name", BAGS)
@pytest.mark.parametrize("seed", [0, 7])
def test_bags_that_are_counted_have_the_bits_of_those_that_are_listed(name, seed):
    listed = clone(BAGS[name]).set_params(random_state=seed)
    with parallel_config(backend="threading"):  # which starts faster than processes
        counted = fit_bags(clone(listed), X, Y * 1.0, WEIGHT * 3)
        listed.fit(X, Y * 1.0, sample_weight=WEIGHT * 3)
    assert same_bits(counted.predict(X), listed.predict(X))
    np.testing.assert_equal(counted.estimators_features_, listed.estimators_features_)
    assert len(counted.estimators_) == listed.n_estimators
    assert counted.n_features_in_ == X.shape[1]
    assert list_parameters(counted) == list_parameters(listed)


def list_parameters(bags):
    """The parameters of each fitted estimator, except the nested estimators, which have no equality."""
    return [item.get_params() | {"estimator": None} for item in bags.estimators_]


def test_a_generator_that_goes_on_gives_the_same_bags():
    bags = BaggingRegressor(LinearRegression(), max_samples=0.5, random_state=RandomState(3))
    listed = deepcopy(bags).fit(X, Y, sample_weight=WEIGHT)
    assert same_bits(fit_bags(bags, X, Y, WEIGHT).predict(X), listed.predict(X))


def test_bags_are_counted_only_where_counts_say_it_all():
    bags = BAGS["a share"]
    assert can_count(bags)
    assert can_count(BAGS["the default"])
    assert not can_count(BaggingRegressor(KNeighborsRegressor()))
    assert not can_count(LinearRegression())
    assert not can_count(clone(bags).set_params(bootstrap=False))
    assert not can_count(clone(bags).set_params(oob_score=True))


def test_a_parameter_that_scikit_learn_refuses_is_refused():
    with pytest.raises(ValueError, match="The 'max_features' parameter of BaggingRegressor must be"):
        fit_bags(BaggingRegressor(LinearRegression(), max_features=1.5), X, Y, WEIGHT)
    message = f"max_features is 99: it must be at most {X.shape[1]}, the number of features"
    with pytest.raises(ValueError, match=message):
        fit_bags(BaggingRegressor(LinearRegression(), max_features=99), X, Y, WEIGHT)


@pytest.mark.parametrize("max_samples", [0.5, np.float64(0.25), 200, np.int64(200), None])
def test_the_size_of_a_bag_is_scikit_learns(max_samples):
    bags = BaggingRegressor(LinearRegression(), max_samples=max_samples, random_state=0)
    bags.fit(X, Y, sample_weight=WEIGHT * 9)
    assert int(count_bag(bags, WEIGHT * 9)) == bags._max_samples


# --- in COCR
def test_cocr_counts_the_bags_that_are_above_a_block(monkeypatch):
    """Bits are those of the list on both sides of the change, and only bags above a block are counted."""
    bags = BaggingRegressor(LinearRegression(), max_samples=0.5, n_estimators=2, random_state=0)
    expected = COCRRanker(bags).fit(X, Y, sample_weight=WEIGHT).predict(X)
    drawn = 0.5 * WEIGHT.sum()
    for block, n_counted in ((int(drawn) + 2, 0), (int(drawn) - 2, 3)):
        monkeypatch.setattr(base_learners, "BLOCK", block)
        with mock.patch.object(base_learners, "fit_bags", side_effect=fit_bags) as counted:
            scores = COCRRanker(bags).fit(X, Y, sample_weight=WEIGHT).predict(X)
        assert counted.call_count == n_counted
        assert same_bits(scores, expected)


def test_a_weight_of_a_hundred_thousand_takes_no_memory_of_its_own(monkeypatch):
    """With smaller blocks, what is seen is the rest of the training."""
    monkeypatch.setattr(counted_bags, "BLOCK", 2**14)
    bags = BaggingRegressor(LinearRegression(), max_samples=0.5, n_estimators=1, random_state=0)
    tracemalloc.start()
    COCRRanker(bags).fit(X, Y, sample_weight=np.full(80, 1e5))
    most = tracemalloc.get_traced_memory()[1]
    tracemalloc.stop()
    assert most < 2**21  # a list has 4 million rows

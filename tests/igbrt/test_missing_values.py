"""`refrank.igbrt.missing_values` and `missing=`: five ways, two ways of saying that a value is missing."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank import GBRTRanker, RandomForestRanker
from refrank.igbrt.missing_values import SUBSTITUTES, fill_missing, fill_values, is_missing
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import APP_I, quantiles
from refrank.trees.growth.mean_leaves import THREE_WAY
from refrank.trees.numbers.draws import bootstrap_rows
from tests.igbrt.rankers import RANKERS, rankers, settings
from tests.igbrt.rankers import data as full_data
from tests.strategies import DTYPES, ENGINE, places, rng_of

ways = pytest.mark.parametrize("missing", SUBSTITUTES)
MISSING_VALUES = st.sampled_from([np.nan, 0.0, -1024.0])


def data(missing_value=np.nan):
    """A fifth of the entries miss; those of column 3 none."""
    X, y = full_data()
    holes = rng_of(1).random(X.shape) < 0.2
    holes[:, 3] = False
    X[holes] = missing_value
    return X, y, holes


@st.composite
def with_holes(draw):
    """Small integers on three scales; a third of them, or all of a column, miss."""
    at = draw(places((draw(st.integers(1, 12)), 3))).astype(int)
    X = (at % 7 - 3) * np.array([1.0, 0.1, 1e5])
    missing_value = draw(MISSING_VALUES)
    X[at >= 43] = missing_value
    X[:, sorted(draw(st.sets(st.integers(0, 2), max_size=2)))] = missing_value
    return X.astype(draw(DTYPES)), missing_value


@given(with_holes(), st.sampled_from(SUBSTITUTES))
def test_fill_values_by_their_definitions(case, missing):
    X, missing_value = case
    ours = fill_values(X, missing, missing_value)
    assert ours.dtype == X.dtype
    for f, column in enumerate(X.astype(np.float64).T.tolist()):
        present = sorted(x for x in column if not (math.isnan(x) or x == missing_value))
        # the mean and the median of a feature that no row has are 0
        middle = (present[(len(present) - 1) // 2] + present[len(present) // 2]) / 2 if present else 0.0
        mean = float(sum(map(Fraction, present)) / len(present)) if present else 0.0
        infinite = {"-inf": -math.inf, "inf": math.inf, "three-way": math.inf}
        expected = {"zero": 0.0, **infinite, "mean": mean, "median": middle}[missing]
        # a sum and a quotient are each rounded, the fraction is rounded once
        np.testing.assert_array_max_ulp(ours[f], X.dtype.type(expected), 1)


@given(with_holes())
def test_only_missing_entries_are_filled(case):
    X, missing_value = case
    before, fill = X.copy(), np.array([7.0, 8.0, 9.0], X.dtype)
    ours, holes = fill_missing(X, missing_value, fill), is_missing(X, missing_value)
    np.testing.assert_array_equal(X, before)
    assert (ours[~holes] == X[~holes]).all()
    assert (ours[holes] == np.broadcast_to(fill, X.shape)[holes]).all()
    assert ours.dtype == X.dtype


@rankers
@pytest.mark.parametrize("missing", ["zero", "mean", "median"])
def test_a_substitute_is_what_filling_by_hand_gives(Ranker, missing):
    """New rows are filled with the values of the training rows."""
    X, y, holes = data()
    ranker = Ranker(missing=missing, **RANKERS[Ranker]).fit(X, y)
    fill = fill_values(X, missing, np.nan)
    by_hand = np.where(holes, fill, X)
    plain = Ranker(**RANKERS[Ranker]).fit(by_hand, y)
    assert ranker.predict(X).tobytes() == plain.predict(by_hand).tobytes()
    assert ranker.predict(np.full((1, 6), np.nan)).tobytes() == plain.predict(fill[np.newaxis]).tobytes()


@rankers
@pytest.mark.parametrize(("missing", "filled"), [("inf", 1e9), ("-inf", -1e9)])
def test_infinity_is_a_value_above_all_others_and_minus_infinity_one_below(Ranker, missing, filled):
    """Filling with a number beyond all seen gives the same cuts, except that they lie elsewhere between the bins."""
    X, y, holes = data()
    ours = Ranker(missing=missing, **RANKERS[Ranker]).fit(X, y)
    plain = Ranker(**RANKERS[Ranker]).fit(np.where(holes, filled, X), y)
    assert ours.predict(X).tobytes() == plain.predict(np.where(holes, filled, X)).tobytes()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("place_cuts", [APP_I, quantiles])
@pytest.mark.parametrize("infinity", [np.inf, -np.inf])
def test_infinities_have_a_bin_to_themselves(dtype, place_cuts, infinity):
    """However many bins there are, and whatever finite values come later: they are in other bins."""
    values = np.sort(rng_of(5).normal(size=200)).astype(dtype)
    X = np.concatenate([values, np.full(3, infinity, dtype)])[:, np.newaxis]
    largest = np.finfo(dtype).max
    for n_bins in (3, 16, 256):
        binned = bin_features(X, n_bins, place_cuts, engine=ENGINE)
        codes, (cuts,) = binned.codes[0, :, 0], binned.cuts
        alone, others = codes[200:], codes[:200]
        assert len(cuts) < n_bins
        assert {*alone.tolist()} == {len(cuts) if infinity > 0 else 0}
        assert not {*alone.tolist()} & {*others.tolist()}
        later = np.array([-largest, values[0], values[-1], largest], dtype)
        labels = np.searchsorted(cuts, later, side="right").tolist()
        assert not {*labels} & {*alone.tolist()}


@rankers
@ways
@settings
def test_zero_and_nan_say_missing_alike(Ranker, missing, setting):
    """Which stored value says missing does not matter: no present value is 0 here."""
    X, y, _ = data()
    zeros = np.where(np.isnan(X), 0.0, X)
    common = {"missing": missing, "setting": setting, **RANKERS[Ranker]}
    nan = Ranker(**common).fit(X, y)
    zero = Ranker(missing_value=0, **common).fit(zeros, y)
    assert nan.predict(X).tobytes() == zero.predict(zeros).tobytes()


@rankers
@ways
def test_without_missing_entries_every_way_is_the_plain_one(Ranker, missing):
    X, y, _ = data(missing_value=0.5)
    ours, plain = (Ranker(missing=way, **RANKERS[Ranker]).fit(X, y) for way in (missing, None))
    assert ours.predict(X).tobytes() == plain.predict(X).tobytes()


def test_the_ways_differ_where_it_matters():
    """The label depends on whether x is missing, and on x; only a cut of three ways learns both in one level."""
    rng = rng_of(0)
    X = rng.permutation(np.arange(1.0, 91.0))[:, np.newaxis]
    y = (X[:, 0] > 45) * 1.0
    X[:30], y[:30] = np.nan, 7.0
    errors = {}
    for missing in SUBSTITUTES:
        ranker = GBRTRanker(n_rounds=1, max_depth=1, learning_rate=1.0, missing=missing).fit(X, y)
        errors[missing] = float(np.abs(ranker.predict(X) - y).max())
    assert errors["three-way"] == 0.0
    assert min(error for missing, error in errors.items() if missing != "three-way") > 0.4


@pytest.mark.parametrize(("three_way", "expected"), [("parting", 9.0), ("rt-rank", 4.5)])
def test_a_row_missing_what_no_training_row_missed_goes_right_or_gets_the_mean(three_way, expected):
    X, y = np.arange(10.0)[:, np.newaxis], np.arange(10.0)
    common = {"missing": "three-way", "three_way": three_way}
    ranker = GBRTRanker(n_rounds=1, learning_rate=1.0, **common).fit(X, y)
    assert ranker.predict([[np.nan], [9.0], [0.0]]).tolist() == [expected, 9.0, 0.0]
    ranker = RandomForestRanker(n_trees=1, max_features=1.0, **common).fit(X, y)
    rows = bootstrap_rows(ranker.seed_, 0, 10)  # of its tree
    assert ranker.predict([[np.nan]]).tolist() == [y[rows].max() if three_way == "parting" else np.mean(y[rows])]


def test_rt_rank_parts_the_rows_that_miss_a_feature_only_where_it_cuts_the_others():
    """All that matters is whether x is missing: parting is the best cut by far, and RT-Rank does not make it."""
    X, y = np.array([[np.nan], [np.nan], [1.0], [1.0], [2.0], [2.0]]), np.array([7.0, 7.0, 1.0, 1.0, 1.0, 1.0])
    common = {"n_rounds": 1, "learning_rate": 1.0, "missing": "three-way"}
    assert GBRTRanker(**common).fit(X, y).predict(X).tolist() == y.tolist()
    assert GBRTRanker(**common, three_way="rt-rank").fit(X, y).predict(X).tolist() == [3.0] * 6
    y[-2:] = 2.0  # now a cut among the others gains too
    assert GBRTRanker(**common, three_way="rt-rank").fit(X, y).predict(X).tolist() == y.tolist()


@rankers
@pytest.mark.parametrize("missing", [None, "zero", "inf"])
def test_three_way_is_of_cuts_three_ways_alone(Ranker, missing):
    X, y, _ = data()
    X = np.nan_to_num(X) if missing is None else X
    parting, rt_rank = (Ranker(missing=missing, three_way=way, **RANKERS[Ranker]).fit(X, y) for way in THREE_WAY)
    assert parting.predict(X).tobytes() == rt_rank.predict(X).tobytes()
    assert parting.model_.rounds[0][0].n_node_samples.min() > 0


@rankers
def test_nan_is_an_error_where_0_says_missing(Ranker):
    X, y, holes = data()
    row, column = np.argwhere(holes)[0]
    with pytest.raises(ValueError, match=rf"X at row {row}, column {column} is NaN: every feature must be finite"):
        Ranker(missing="zero", missing_value=0, **RANKERS[Ranker]).fit(X, y)


@rankers
def test_a_single_precision_X_is_filled_in_single_precision(Ranker):
    X, y, _ = data()
    ranker = Ranker(missing="mean", **RANKERS[Ranker]).fit(X.astype(np.float32), y)
    assert ranker.fill_.dtype == np.float32
    assert np.isfinite(ranker.predict(X.astype(np.float32))).all()


@pytest.mark.parametrize("missing", ["mean", "median"])
def test_the_mean_of_the_largest_numbers_does_not_overflow(missing):
    X = np.array([[1.5e308], [1.75e308], [np.nan]])
    assert fill_values(X, missing, np.nan).tolist() == [1.625e308]

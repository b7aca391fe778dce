"""Weka's linear regression: the real program's predictions, the oracle, least squares where nothing is dropped."""

import re

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from refrank import M5PRegressor, WekaLinearRegressor
from tests.estimators.test_m5p import arithmetic_data, problems, weka_data
from tests.oracles import m5p as naive_m5p

# Printed by Weka 3.6.14, weka.classifiers.functions.LinearRegression, with all digits
# (benchmarks/accuracy/WekaPredict.java), of which ten are kept; with weights 1/4 to 4, or 1, 2, 3.
PREDICTIONS = {
    "real steep": "1.014327438 .5581565359 .9346578495 .6748391615 1.247692689 1.773626911 .4424870552 1.120523775 "
    ".90957737 .5699342428",
    "real thirds": "1.045393891 .5862725658 .9699967021 .6766882107 1.226225181 1.722955443 .472792059 1.128206183 "
    ".9466367741 .5936563416",
    "binary steep": ".6377738299 .4451079122 .6896307469 .4952266562 .738011318 .9799268933 .4453962807 "
    ".7405904591 .5873627363 .497777679",
    "binary thirds": ".6689854127 .438311078 .7708341462 .4672442035 .7268516637 .9500013199 .4475689153 "
    ".7953352312 .6221101578 .4948379264",
}


@pytest.mark.parametrize("name", PREDICTIONS)
def test_weka_predictions(name):
    target, weights = name.split()
    (X, y), i = weka_data(target), np.arange(150)
    weight = 2.0 ** (i * 7 % 5 - 2) if weights == "steep" else 1.0 + i % 3
    model = WekaLinearRegressor().fit(X[:150], y[:150], weight)
    expected = [float(word) for word in PREDICTIONS[name].split()]
    np.testing.assert_allclose(model.predict(X[150:]), expected, rtol=0, atol=1e-9)


@settings(max_examples=60)
@given(problem=problems(weights=(0.1, 1.0, 5.0)), size=st.sampled_from([1.0, 0.02]))
def test_the_line_is_the_oracles(problem, size):
    X, y, weight, _ = problem
    node = naive_m5p.Node(X, y, weight * size)
    terms = [f for f in range(X.shape[1]) if len(set(X[:, f])) > 1] if node.w.sum() > 1 else []
    kept = naive_m5p.simplify_weka(node, terms, as_weka=True)
    slopes, _, intercept = naive_m5p.least_squares(node, kept, 1e-8, as_weka=True)
    model = WekaLinearRegressor().fit(X, y, node.w)
    expected = X[:, kept] @ slopes + intercept
    # Least squares by two methods; of nearly dependent columns, the ridge leaves 8 digits.
    np.testing.assert_allclose(model.predict(X), expected, rtol=0, atol=1e-7 * max(1.0, np.abs(y).max()))


def test_columns_of_noise_are_dropped_and_a_larger_ridge_shrinks():
    X = arithmetic_data(100)[0]
    y = X[:, 0] + 2 * X[:, 1] + (np.arange(100) ** 3 % 89) / 89
    model, shrunk = WekaLinearRegressor().fit(X, y), WekaLinearRegressor(ridge=100.0).fit(X, y)
    assert np.flatnonzero(model.coef_).tolist() == [0, 1]
    assert (np.abs(shrunk.coef_) < 0.6 * np.abs(model.coef_))[:2].all()


def test_a_constant_target_is_its_own_line():
    model = WekaLinearRegressor().fit(np.array([[0.0, 3.0], [1.0, 3.0]]), [2.0, 2.0], [1.0, 1.0])
    assert model.predict(np.array([[0.5, 3.0], [9.0, 0.0]])).tolist() == [2.0, 2.0]


@pytest.mark.parametrize("tiny", [1e-170, 1e-120])
def test_a_column_whose_squares_are_too_small_for_float64_is_constant(tiny):
    X, y = np.column_stack([np.tile([0.0, tiny], 20), np.arange(40.0)]), 2 * np.arange(40.0) + np.arange(40) % 3
    weight = np.full(40, 1e-100)
    weight[::8] = 1.0
    model = WekaLinearRegressor().fit(X, y, weight)
    without = WekaLinearRegressor().fit(X[:, 1:], y, weight)
    assert (model.coef_.tolist(), model.intercept_) == ([0.0, *without.coef_], without.intercept_)


def test_a_target_whose_squares_are_too_small_for_float64_is_constant():
    X, y = np.arange(40.0)[:, None], np.arange(40) * 1e-170
    model = WekaLinearRegressor().fit(X, y)
    assert model.coef_.tolist() == [0.0]
    assert model.intercept_ == pytest.approx(y.mean())  # a mean by a dot product


@pytest.mark.parametrize("model", [WekaLinearRegressor(), M5PRegressor(weights="weka"), M5PRegressor(weights="counts")])
def test_weights_that_would_overflow_are_refused(model):
    X, y = arithmetic_data(40)
    weight = np.ones(40)
    weight[7] = 1e107
    rule = "sample_weight at row 7 is 1e+107: beside these features and targets, weights must be at most 1.12"
    with pytest.raises(ValueError, match=re.escape(rule)):
        model.fit(X, 1e100 * y / y.max(), weight)
    assert np.isfinite(model.fit(X, y, weight).predict(X)).all()

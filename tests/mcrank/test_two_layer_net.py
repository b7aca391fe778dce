"""The net of RankNet and LambdaRank: its formula, its standardisation, its first weights and one step."""

import math
from dataclasses import FrozenInstanceError, fields, replace

import numpy as np
import pytest
from numpy.testing import assert_allclose, assert_array_equal

from refrank.mcrank.pairwise_gradients import ranknet_gradient
from refrank.mcrank.two_layer_net import TwoLayerNet, compute_standardization, descend, draw_net


def test_net_is_its_formula():
    rng = np.random.default_rng(0)
    X = rng.normal(size=(5, 3))
    net = replace(draw_net(X, hidden=2, seed=4), hidden_bias=np.array([0.3, -0.2]))
    for row, score in zip(X, net.predict(X), strict=True):
        z = [(row[f] - net.feature_mean[f]) * net.feature_scale[f] for f in range(3)]
        inner = [net.hidden_bias[h] + sum(z[f] * net.input_weights[f, h] for f in range(3)) for h in range(2)]
        expected = sum(net.output_weights[h] * math.tanh(inner[h]) for h in range(2))
        assert_allclose(score, expected, rtol=0, atol=1e-15)  # six products of numbers below 2


@pytest.mark.paper("Burges 2010 Sec. 2.1", at="descend")
def test_a_step_follows_the_derivative_of_the_cost_in_every_weight():
    rng = np.random.default_rng(1)
    X, y = rng.normal(size=(6, 3)), np.array([0, 1, 2, 0, 1, 0])
    net = replace(draw_net(X, hidden=2, seed=0), hidden_bias=rng.normal(size=2))
    Z = net.standardize(X)
    activation = net.activation(Z)
    _, lambdas = ranknet_gradient(activation @ net.output_weights, y)
    stepped = descend(net, Z, activation, lambdas, learning_rate=1.0)
    nudge = 2.0**-17
    for name in ("input_weights", "hidden_bias", "output_weights"):
        weights = getattr(net, name)
        for place in np.ndindex(weights.shape):
            up, down = weights.copy(), weights.copy()
            up[place] += nudge
            down[place] -= nudge
            costs = [ranknet_gradient(replace(net, **{name: array}).predict(X), y)[0] for array in (up, down)]
            slope = (costs[0] - costs[1]) / (2 * nudge)
            # Rounding of the cost (about 10) over the step: 2e-15 / 2^-16 = 1e-10; truncation: about step^2.
            assert_allclose(getattr(stepped, name)[place], weights[place] - slope, rtol=0, atol=1e-8)


def test_standardization_gives_mean_zero_and_deviation_one():
    rng = np.random.default_rng(2)
    X = np.column_stack([rng.normal(1e6, 3, 50), np.full(50, 0.1), rng.normal(size=50) * 1e200])
    mean, scale = compute_standardization(X)
    assert_allclose(mean[:2], X[:, :2].mean(axis=0), rtol=1e-15)
    assert scale[1] == 0
    assert_allclose(1 / scale[0], X[:, 0].std(), rtol=1e-9)  # rounding of 1e6 against a deviation of 3
    assert_allclose(1 / scale[2] / 1e200, (X[:, 2] / 1e200).std(), rtol=1e-14)


def test_net_is_read_only():
    net = draw_net(np.eye(2), hidden=1, seed=0)
    with pytest.raises(ValueError, match="read-only"):
        net.input_weights[0, 0] = 1
    with pytest.raises(FrozenInstanceError):
        net.hidden_bias = np.ones(1)


@pytest.mark.parametrize("name", [field.name for field in fields(TwoLayerNet)])
@pytest.mark.parametrize("value", [math.nan, -math.inf])
def test_a_number_that_is_not_finite_is_found_in_any_array(name, value):
    net = draw_net(np.array([[0.0, 1.0], [2.0, 3.0]]), hidden=2, seed=0)
    broken = getattr(net, name).copy()
    broken[(-1,) * broken.ndim] = value
    assert net.is_finite()
    assert not replace(net, **{name: broken}).is_finite()


def test_initial_weights_are_drawn_from_the_seed_within_their_bounds():
    net, same, other = (
        draw_net(X, hidden=16, seed=seed) for X, seed in ((np.eye(25), 3), (np.ones((2, 25)), 3), (np.eye(25), 4))
    )
    rng = np.random.default_rng(3)
    assert_array_equal(net.input_weights, rng.uniform(-1, 1, (25, 16)) / 5)  # the root of 25 features
    assert_array_equal(net.output_weights, rng.uniform(-1, 1, 16) / 4)  # the root of 16 hidden units
    assert_array_equal(net.input_weights, same.input_weights)
    assert (net.input_weights != other.input_weights).all()
    assert_array_equal(net.hidden_bias, np.zeros(16))


@pytest.mark.parametrize("value", [1.1e290, -1.7e308])
def test_features_whose_sums_overflow_are_named(value):
    X = np.array([[0.0, 1e290], [2.0, value]])  # the first is the bound itself
    rule = r"X at row 1, column 1 is -?1\.\de\+\d+: a net's features must be at most 1e\+290 in size"
    with pytest.raises(ValueError, match=rule):
        compute_standardization(X)


def test_features_close_to_the_bounds_are_standardised():
    for size in (1e290, 2e-290, 1 / 1e290):  # the last is the bound itself
        mean, scale = compute_standardization(np.array([[-size], [size]]))
        assert_array_equal(mean, [0.0])
        assert_allclose(scale, [1 / size], rtol=1e-15)


@pytest.mark.parametrize("value", [1e-295, 5e-324])
def test_a_deviation_too_small_to_divide_by_is_named(value):
    rule = (
        "X at column 1 has the standard deviation .*: a net divides by it, so it must be 0 or at least 1e-290: rescale"
    )
    with pytest.raises(ValueError, match=rule):
        compute_standardization(np.array([[1.0, 0.0], [2.0, value], [3.0, 0.0]]))


def test_a_row_without_a_score_is_named():
    """It is inf - inf, far from the training rows; a number of one sign saturates the hidden units, and has a score."""
    net = replace(draw_net(np.array([[0.0, 0.0], [1e-9, 1e-9]]), hidden=1, seed=0), input_weights=np.ones((2, 1)))
    assert np.isfinite(net.predict(np.array([[1e305, 1e305]]))).all()
    with pytest.raises(
        ValueError, match="the score at row 1 is nan: each row must have one, so no feature may be so fa"
    ):
        net.predict(np.array([[0.0, 1.0], [1e305, -1e305]]))

"""A net with one hidden layer that scores documents: the ranking function of RankNet and LambdaRank.

McRank Sec. 6 compares with "LambdaRank with two-layer nets". The net is

    s(x) = sum_h v_h tanh(b_h + sum_f z_f W_fh),    z_f = (x_f - mean_f) * scale_f.

    symbol    in code           shape
    W         input_weights     (n_features, hidden)
    b         hidden_bias       (hidden,)
    v         output_weights    (hidden,)
    z         Z                 (n_samples, n_features): standardised features
    tanh      activation        (n_samples, hidden): values of the hidden layer
    lambda    lambdas           (n_samples,): derivative of the cost with respect to each score

There is no output bias: the lambdas of a query sum to 0, so it would never change, and no ranking depends on it.
"""

import math
from dataclasses import dataclass

import numpy as np

from refrank.arrays import Floats
from refrank.checks import LARGEST_SUMMED, check_entries, check_shape


@dataclass(frozen=True, repr=False)
class TwoLayerNet:
    """A two-layer net with the standardisation of its training data; its arrays are read-only.

    >>> unit = np.ones(1)
    >>> net = TwoLayerNet(unit, unit, np.ones((1, 1)), 0 * unit, 2 * unit)
    >>> net.predict(np.array([[1.0], [2.0]]))  # 2 tanh(x - 1)
    array([0.        , 1.52318831])
    """

    feature_mean: Floats  # (n_features,): mean of each feature over the training rows
    feature_scale: Floats  # (n_features,): one over the standard deviation of each feature; 0 for a constant feature
    input_weights: Floats  # (n_features, hidden)
    hidden_bias: Floats  # (hidden,)
    output_weights: Floats  # (hidden,)

    def __post_init__(self) -> None:
        """Make the arrays read-only."""
        for array in vars(self).values():
            array.setflags(write=False)

    def __repr__(self) -> str:
        """Return the net's size; its arrays are fields."""
        return f"TwoLayerNet({len(self.feature_mean)} features, {len(self.hidden_bias)} hidden units)"

    def predict(self, X: Floats) -> Floats:
        """Score each row of X, (n_samples, n_features); (n_samples,)."""
        with np.errstate(over="ignore", invalid="ignore"):
            scores = self.activation(self.standardize(X)) @ self.output_weights
        rule = "each row must have one, so no feature may be so far from those of training that it overflows"
        check_entries("the score", scores, ~np.isfinite(scores), rule)
        return scores

    def is_finite(self) -> bool:
        """Return whether all numbers of the net are finite."""
        return all(bool(np.isfinite(array).all()) for array in vars(self).values())

    def standardize(self, X: Floats) -> Floats:
        """Subtract the means of the training rows, and divide by their standard deviations; the shape of X."""
        return (X - self.feature_mean) * self.feature_scale

    def activation(self, Z: Floats) -> Floats:
        """Compute the values of the hidden layer for standardised rows, (n_samples, hidden)."""
        return np.tanh(Z @ self.input_weights + self.hidden_bias)


def check_net(net: TwoLayerNet, n_features: int) -> None:
    """Refuse a net that does not score rows of n_features features with finite numbers."""
    hidden = net.hidden_bias.size
    if hidden == 0:
        raise ValueError("hidden_bias is empty: there must be at least one hidden unit")
    shapes = {"input_weights": (n_features, hidden), "hidden_bias": (hidden,), "output_weights": (hidden,)}
    for name, array in vars(net).items():
        check_shape(name, array, shapes.get(name, (n_features,)), "of the features and hidden units")
        check_entries(name, array, ~np.isfinite(array), "it must be finite")


def draw_net(X: Floats, hidden: int, seed: int) -> TwoLayerNet:
    """Make a net: the standardisation of X, (n_samples, n_features), and random weights, uniform on +-1/sqrt(inputs).

    W is drawn before v; both depend only on n_features, hidden and seed.

    >>> net = draw_net(np.array([[0.0, 5.0], [2.0, 5.0]]), hidden=1, seed=0)
    >>> net.feature_mean, net.feature_scale
    (array([1., 5.]), array([1., 0.]))
    """
    # Paper is silent: McRank says nothing of weights; this keeps the first activations where tanh is steep.
    rng, n_features = np.random.default_rng(seed), X.shape[1]
    input_weights = rng.uniform(-1, 1, (n_features, hidden)) / math.sqrt(n_features)
    output_weights = rng.uniform(-1, 1, hidden) / math.sqrt(hidden)
    return TwoLayerNet(*compute_standardization(X), input_weights, np.zeros(hidden), output_weights)


def compute_standardization(X: Floats) -> tuple[Floats, Floats]:
    """Compute the mean of each column of X and one over its standard deviation (0 if constant), by exact sums."""
    n_samples, n_features = X.shape
    mean, scale = np.empty(n_features), np.zeros(n_features)
    for feature in range(n_features):
        column = X[:, feature]
        if max(-column.min(), column.max()) > LARGEST_SUMMED:
            rule = f"a net's features must be at most {LARGEST_SUMMED:g} in size, so that no sum overflows"
            check_entries("X", X, np.abs(X) > LARGEST_SUMMED, rule)
        mean[feature] = math.fsum(column.tolist()) / n_samples
        if column.min() < column.max():
            difference = column - mean[feature]
            spread = np.abs(difference).max()  # divided out, so that no square overflows
            deviation = spread * math.sqrt(math.fsum(((difference / spread) ** 2).tolist()) / n_samples)
            if deviation < 1 / LARGEST_SUMMED:
                rule = f"a net divides by it, so it must be 0 or at least {1 / LARGEST_SUMMED:g}: rescale the feature"
                raise ValueError(f"X at column {feature} has the standard deviation {deviation:g}: {rule}")
            scale[feature] = 1 / deviation
    return mean, scale


def descend(net: TwoLayerNet, Z: Floats, activation: Floats, lambdas: Floats, learning_rate: float) -> TwoLayerNet:
    """Take one gradient step: each weight w of the new net has moved by -learning_rate * sum_i lambda_i ds_i/dw.

    `Z` holds the standardised rows of one query, `activation` is `net.activation(Z)`.
    """
    # ds_i/dv_h = activation_ih;  ds_i/db_h = v_h (1 - activation_ih^2);  ds_i/dW_fh = z_if ds_i/db_h
    to_hidden = lambdas[:, None] * (1 - activation**2) * net.output_weights  # (n_samples, hidden)
    # Burges 2010 Sec. 2.1: delta w = -eta sum_i lambda_i ds_i/dw, the pairs' sums already in lambda_i
    return TwoLayerNet(
        net.feature_mean,
        net.feature_scale,
        net.input_weights - learning_rate * (Z.T @ to_hidden),
        net.hidden_bias - learning_rate * to_hidden.sum(axis=0),
        net.output_weights - learning_rate * (lambdas @ activation),
    )

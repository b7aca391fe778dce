from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.discounts import steps
from proofs_check.engine.exact import relevance_gain
from proofs_check.engine.instances import grade_vectors
from proofs_check.engine.strategies import some_discount, some_ranking
from proofs_check.mcrank.cossock_zhang_thm2 import (
    absolute_distance,
    factor_squared,
    isotonic_distance,
    largest_drop,
    real_predictions,
)


@given(st.data())
def test_real_valued_predictions_at_larger_sizes(data):
    # left = sum (c_g - c_pi) z, right with f drawn freely and pi sorted by f: both rational, both squared
    n = data.draw(st.integers(2, 12))
    z = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)), dtype=object)
    f = sorted(data.draw(st.lists(st.fractions(-9, 9), min_size=n, max_size=n)), reverse=True)
    c = data.draw(some_discount(n))
    left = ((-np.sort(-z) - z) * c).sum()
    apart, miss = abs(c - c[::-1]), abs(z - np.array(f))
    assert left**2 <= (apart**2).sum() * (miss**2).sum()
    assert left <= apart.sum() * miss.max()
    assert left <= apart.max() * miss.sum()


@given(some_ranking(min_n=2, max_n=10))
def test_graded_labels_at_larger_sizes(r):
    assert not any(comparison.violated().any() for comparison in real_predictions(True, r))


def test_nothing_smaller_than_the_sharp_factor():
    # with 99% of the sharp factor the statement is false even for graded labels
    y = grade_vectors(2)
    z = relevance_gain(y)
    left = 1 * (np.maximum(z[:, 1] - z[:, 0], 0)) ** 2
    right = [factor_squared(steps(2)[0], 2, True) * isotonic_distance(row, 2) for row in z]
    assert (2 * left * 100 > 99 * np.array(right)).any()
    assert (2 * left <= np.array(right)).all()


@pytest.mark.parametrize("z", [(0, 3, 1), (15, 0, 7), (0, 0, 15), (7, 3, 1)])
def test_distances_to_the_closest_lawful_prediction(z):
    # brute force over a grid fine enough to hold every minimiser: sixths, the means of up to three gains
    z = np.array(z)
    grid = [np.array(f) / 6 for f in product(range(0, 91, 1), repeat=2)]
    lawful = [np.array([a, *pair]) for pair in grid for a in (z[0], z.mean(), z[:2].mean(), pair[0])]
    lawful = [f for f in lawful if (f[:-1] >= f[1:]).all()]
    assert isotonic_distance(z, 6) / 6 == pytest.approx(min(((z - f) ** 2).sum() for f in lawful), rel=1e-12)
    assert absolute_distance(z[None, :])[0] == pytest.approx(min(abs(z - f).sum() for f in lawful), rel=1e-12)
    assert largest_drop(z) / 2 <= min(abs(z - f).max() for f in lawful) + 1e-12


def test_the_two_ways_to_the_absolute_distance_agree():
    # enumeration of sorted gains (n <= 6) and dynamic programming over their values (above)
    z = relevance_gain(grade_vectors(3))
    padded = np.concatenate([np.full((len(z), 4), 15), z], axis=1).astype(object)
    assert (absolute_distance(padded) == absolute_distance(z)).all()

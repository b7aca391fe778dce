from itertools import product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.discounts import steps
from proofs_check.engine.exact import relevance_gain
from proofs_check.engine.instances import grade_vectors, sorted_grades
from proofs_check.engine.strategies import some_discount, some_ranking
from proofs_check.mcrank.cossock_zhang_thm2 import (
    absolute_distance,
    factor_squared,
    isotonic_distance,
    largest_drop,
    real_predictions,
)
from proofs_check.tests.nearness import assert_below, assert_holds, searching


@searching
@given(st.data())
def test_real_valued_predictions_at_larger_sizes(data):
    # left = sum (c_g - c_pi) z, right with f drawn freely and pi sorted by f: both rational, both squared
    n = data.draw(st.integers(2, 12))
    z = np.array(data.draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n)), dtype=object)
    f = sorted(data.draw(st.lists(st.fractions(-9, 9), min_size=n, max_size=n)), reverse=True)
    c = data.draw(some_discount(n))
    left = ((-np.sort(-z) - z) * c).sum()
    apart, miss = abs(c - c[::-1]), abs(z - np.array(f))
    assert_below(left**2, (apart**2).sum() * (miss**2).sum(), "p = 2")
    assert_below(left, apart.sum() * miss.max(), "p = 1")
    assert_below(left, apart.max() * miss.sum(), "p = infinity")


@given(some_ranking(min_n=2, max_n=10))
def test_graded_labels_at_larger_sizes(r):
    assert_holds(real_predictions(True, r))


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
    assert absolute_distance(z[None, :], np.unique(z))[0] == pytest.approx(
        min(abs(z - f).sum() for f in lawful), rel=1e-12
    )
    assert largest_drop(z) / 2 <= min(abs(z - f).max() for f in lawful) + 1e-12


def test_the_absolute_distance_is_that_of_the_closest_sorted_gains():
    z, values = relevance_gain(grade_vectors(3)), relevance_gain(np.arange(5))
    every = abs(z[:, None] - relevance_gain(sorted_grades(3))[None]).sum(axis=2)
    assert (absolute_distance(z, values) == every.min(axis=1)).all()

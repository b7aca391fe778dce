"""One-sided errors and the isotonic distance: for any real predictions, at larger sizes, and with planted mistakes."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.optimize import isotonic_regression

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import reciprocal, steps
from proofs_check.engine.exact import dcg_error, gain_difference, relevance_gain
from proofs_check.engine.instances import batch, grade_vectors
from proofs_check.engine.records import CI
from proofs_check.engine.search import examine
from proofs_check.engine.strategies import some_discount, some_ranking
from proofs_check.new import isotonic, one_sided
from proofs_check.tests.nearness import assert_below, assert_holds, searching


@searching
@given(st.data())
def test_one_sided_for_any_predictions(data):
    r = data.draw(some_ranking(min_n=2, max_n=10))
    c = data.draw(some_discount(r.n))
    fractions = st.lists(st.fractions(-3, 18, max_denominator=4), min_size=r.n, max_size=r.n)
    gains = relevance_gain(r.y)[0].tolist()
    f = sorted(data.draw(fractions | st.permutations(gains) | st.just([gains[0]] * r.n)), reverse=True)
    right = 0
    for i, (z, v) in enumerate(zip(gains, f, strict=True)):
        right += (c[0] - c[i]) * (z - v) if z > v else (c[i] - c[-1]) * (v - z)
    assert_below(int(dcg_error(r.y, c)[0]), right)
    # the best predictions are no better than the best
    assert one_sided.least_right_side(r, c)[0] <= right


@searching
@given(some_ranking(min_n=2, max_n=12))
def test_larger_n(r):
    assert_holds(one_sided.one_sided(r), one_sided.below_l1(r), one_sided.err_bound(r))
    assert_holds(isotonic.isotonic(r), isotonic.absolute(r), isotonic.largest(r), isotonic.err_bound(r), label="pava")


def test_the_best_predictions_are_the_best_of_all():
    # over all non-increasing f among the gains, one by one
    r = batch(grade_vectors(3, 2), np.zeros((27, 3), dtype=int))
    c = reciprocal(3)
    least = np.full(r.m, 10**6)
    for f in ((a, b, d) for a in range(5) for b in range(a + 1) for d in range(b + 1)):
        values = relevance_gain(np.array(f))
        least = np.minimum(least, one_sided.right_side(c, relevance_gain(r.y) - values).sum(axis=1))
    assert one_sided.least_right_side(r, c).tolist() == least.tolist()


@given(some_ranking(min_n=1, max_n=9))
def test_the_distance_is_that_of_isotonic_regression(r):
    z = relevance_gain(r.y)[0].astype(float)
    computed = float(Fraction(int(isotonic.distance(r)[0]), int(reciprocal(r.n)[0])))
    expected = ((z - isotonic_regression(z, increasing=False).x) ** 2).sum()
    # means of at most 9 integers up to 15
    assert computed == pytest.approx(expected, rel=1e-12, abs=1e-12)


def two_sides_exchanged(r):
    for c in steps(r.n):
        yield Comparison(dcg_error(r.y, c), one_sided.right_side(c, -gain_difference(r)).sum(axis=1))


def weights_of_places_swapped(r):
    for c in steps(r.n):
        apart = gain_difference(r)
        right = (c - c[-1]) * np.maximum(apart, 0) + (c[0] - c) * np.maximum(-apart, 0)
        yield Comparison(dcg_error(r.y, c), right.sum(axis=1))


def half_of_the_distance(r):
    for comparison in isotonic.isotonic(r):
        yield Comparison(2 * comparison.left, comparison.right, squared=True)


@pytest.mark.parametrize("claim", [two_sides_exchanged, weights_of_places_swapped, half_of_the_distance])
def test_a_planted_mistake_is_found(claim):
    assert examine(claim, CI, every_grade=False).verdict == "refuted"


def test_verdicts(finding):
    for row in ("one_sided", "one_sided.variant-real", "isotonic", "isotonic.variant-l1", "isotonic.variant-err"):
        assert finding(f"new.{row}").max_ratio == 1

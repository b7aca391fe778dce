"""Counts and bounds of a verification: changed pairs, ulps, rounding; each beside its definition."""

from fractions import Fraction
from itertools import combinations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from refrank.models.exchange.changed_pairs import ChangedPairs, count_changed_pairs, count_inversions
from refrank.models.exchange.portable import make_leaf
from refrank.models.exchange.rounding import bound_additions, bound_output
from refrank.models.exchange.verification import compare

SCORES = st.sampled_from([-1.0, -0.0, 0.0, 0.25, 1.0, np.nextafter(1.0, 2.0)])


def count_literally(a, b, qid):
    """The definition, pair by pair."""
    n_pairs = n_reversed = n_tied = 0
    for i, j in combinations(range(len(a)), 2):
        if qid[i] == qid[j]:
            ways = np.sign(a[i] - a[j]) * np.sign(b[i] - b[j])
            n_pairs += 1
            n_reversed += ways < 0
            n_tied += (a[i] == a[j]) != (b[i] == b[j])
    return ChangedPairs(n_pairs, int(n_reversed), int(n_tied))


@given(st.lists(st.tuples(SCORES, SCORES, st.integers(0, 2)), min_size=1, max_size=12))
def test_changed_pairs_are_those_of_the_definition(rows):
    a, b, qid = map(np.array, zip(*rows, strict=True))
    assert count_changed_pairs(a, b, qid) == count_literally(a, b, qid)


def test_inversions_of_many_rows():
    values = np.random.default_rng(0).integers(0, 50, 700).astype(float)
    assert count_inversions(values) == sum(x > y for x, y in combinations(values.tolist(), 2))


@given(st.lists(st.floats(-1e6, 1e6), min_size=1, max_size=30), st.sampled_from([np.float32, np.float64]), st.randoms())
def test_sums_of_floats_stay_within_their_bound(values, kind, random):
    trees = [make_leaf(value) for value in values]
    exact = sum(map(Fraction, values))
    for in_order in (True, False):
        total = kind(0)
        for value in values:
            total = kind(total + kind(value))
        assert abs(Fraction(float(total)) - exact) <= Fraction(bound_additions(0.0, trees, kind, in_order))
        random.shuffle(values)  # now in another order
    halves = [float(sum(map(kind, values[::2]), kind(0))), float(sum(map(kind, values[1::2]), kind(0)))]
    parts = kind(kind(halves[0]) + kind(halves[1]))
    assert abs(Fraction(float(parts)) - exact) <= Fraction(bound_additions(0.0, trees, kind, in_order=False))


def test_the_bound_counts_half_units():
    """Of 1 + 1/3 rounded to float32: the leaf, and one addition below 2; a start of 0 adds nothing."""
    third = float(np.float32(1 / 3))
    leaf, addition = abs(1 / 3 - third), 2.0**-24
    bound = bound_additions(1.0, [make_leaf(1 / 3)], np.float32)
    assert leaf + addition <= bound <= (leaf + addition) * (1 + 1e-6)
    assert bound_output([make_leaf(0.0)] * 9) < 1e-300
    assert bound_output([make_leaf(1.0)] * 3, divisor=3) < bound_output([make_leaf(1.0)] * 3)


def test_a_score_that_is_not_a_number_is_above_every_bound():
    deviation = compare(np.array([0.0, 1.0, 2.0]), np.array([1.0, np.nan, 2.0]), np.inf)
    assert (deviation.row, deviation.within) == (1, False)

"""Eq. 6, Eq. 8 and the sum of scores: the claims on larger draws."""

from fractions import Fraction
from itertools import pairwise
from math import exp

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.mcrank.sum_of_scores import (
    boost_sequential,
    boost_simultaneous,
    one_leaf,
    one_split,
    sequential_round,
    simultaneous_round,
    slack,
    softmax,
)

probabilities = st.integers(2, 5).flatmap(
    lambda k: st.lists(st.lists(st.integers(0, 50), min_size=k, max_size=k).filter(sum), min_size=2, max_size=6)
)


@given(probabilities, st.fractions(Fraction(1, 9), 9), st.fractions(-9, 9))
def test_affine_transforms_leave_the_ranking(counts, a, b):
    p = [[Fraction(v, sum(row)) for v in row] for row in counts]
    t = [Fraction(2) ** k for k in range(len(p[0]))]
    plain = [sum(x * v for x, v in zip(row, t, strict=True)) for row in p]
    moved = [sum(x * (a * v + b) for x, v in zip(row, t, strict=True)) for row in p]
    assert sorted(range(len(p)), key=lambda i: plain[i]) == sorted(range(len(p)), key=lambda i: moved[i])


@given(st.lists(st.fractions(0, 1), min_size=1, max_size=6))
def test_crossing_probabilities_do_not_matter_for_the_expected_relevance(q):
    bounded = [Fraction(0), *q, Fraction(1)]
    p = [high - low for low, high in pairwise(bounded)]
    assert sum(p) == 1
    assert sum(k * v for k, v in enumerate(p)) == sum(1 - v for v in q)
    assert (min(p) < 0) == (sorted(q) != q)


def test_the_sequential_sum_in_closed_form():
    # one document, K = 2, y = 0: F_0 = nu, F_1 = -nu (1 + e^-nu)/2
    for nu in (0.05, 1.0):
        scores = next(boost_sequential(np.array([0]), 2, one_leaf, nu))
        assert scores[0, 0] == nu
        assert scores[0, 1] == pytest.approx(-nu * (1 + exp(-nu)) / 2, rel=1e-14)
    assert sequential_round([0], 2, one_leaf) == [Fraction(1, 4)]


def test_one_exact_round_agrees_with_the_float_one():
    y = [0, 1, 2, 0]
    scores = next(boost_simultaneous(np.array(y), 3, one_split, 1.0))
    assert scores.sum(axis=1).tolist() == pytest.approx(
        [float(v) for v in simultaneous_round(y, 3, one_split)], abs=1e-13
    )


def test_the_best_split_is_the_one_of_squared_errors():
    for residual in ([1, 0, 0], [0, 3, 3, 1], [2, 2, 2], [0, 1, 0, 1], [2, 1, 1, 1, 0, 0, 0, 0]):

        def sse(part):
            return sum((v - sum(part) / len(part)) ** 2 for v in part)

        cuts = [sse(residual)] + [sse(residual[:i]) + sse(residual[i:]) for i in range(1, len(residual))]
        regions = one_split([Fraction(v) for v in residual])
        assert sum(sse([residual[i] for i in part]) for part in regions) == pytest.approx(min(cuts), abs=1e-12)


def test_the_slack_is_far_below_a_real_sum():
    scores = next(boost_sequential(np.array([0, 1]), 2, one_split, 0.25))
    assert slack(scores, 1) < 1e-12 < 1e-3 < abs(scores.sum(axis=1)).max()
    assert softmax(np.array([[0.0, 0.0]])).tolist() == [[0.5, 0.5]]

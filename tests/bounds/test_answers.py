"""The bounds from binary answers: their formulas in fractions, the ERR error below them, bad input."""

from fractions import Fraction
from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.bounds.answers import err_binary_errors, err_expected_gain
from refrank.metrics import err


def k_squared(n):
    return sum((Fraction(1, i) - Fraction(1, n + 1 - i)) ** 2 for i in range(1, n + 1))


@st.composite
def documents(draw, answer):
    """Labels 0..K and K answers for each of n documents."""
    max_grade = draw(st.integers(1, 4))
    n = draw(st.integers(1, 8))
    y = draw(st.lists(st.integers(0, max_grade), min_size=n, max_size=n))
    row = st.lists(answer, min_size=max_grade, max_size=max_grade)
    return max_grade, y, draw(st.lists(row, min_size=n, max_size=n))


def error(y, score, max_grade):
    """ERR_g - ERR_pi, tied documents worst first: the largest that any tie order gives."""
    y = np.array(y)
    worst_first = np.argsort(y, kind="stable")
    y, score = y[worst_first], np.array(score, dtype=float)[worst_first]
    return err(y, y.astype(float), max_grade=max_grade) - err(y, score, max_grade=max_grade)


# The bound and the error are sums of at most 8 terms below 1, each rounded a few times: 1e-14 is 45 units in
# the last place of 1, more than all of them.
SLACK = 1e-14


@pytest.mark.paper("COCR Eq. 13", "COCR Eq. 5", at="err_binary_errors")
@given(documents(st.sampled_from((0, 1))))
def test_binary_errors(drawn):
    max_grade, y, answers = drawn
    answers = [sorted(row, reverse=True) for row in answers]
    bound = err_binary_errors(y, answers)
    # rank-monotone answers that count to r cost (2^y - 2^r)^2
    cost = sum((2**label - 2 ** sum(row)) ** 2 for label, row in zip(y, answers, strict=True))
    assert bound == pytest.approx(sqrt(k_squared(len(y)) * cost) / 2**max_grade, rel=1e-14)
    assert error(y, [sum(row) for row in answers], max_grade) <= bound + SLACK


@given(documents(st.integers(-16, 24)))
def test_expected_gain(drawn):
    max_grade, y, eighths = drawn
    answers = [[Fraction(answer, 8) for answer in row] for row in eighths]
    gains = [sum(2**k * answer for k, answer in enumerate(row)) for row in answers]
    bound = err_expected_gain(y, np.array(answers, dtype=float))
    squares = sum((2**label - 1 - gain) ** 2 for label, gain in zip(y, gains, strict=True))
    assert bound == pytest.approx(sqrt(k_squared(len(y)) * squares) / 2**max_grade, rel=1e-14)
    assert error(y, [float(gain) for gain in gains], max_grade) <= bound + SLACK


@pytest.mark.parametrize(
    ("y", "answers", "message"),
    [
        ([0], [1, 0], r"answers has shape \(2,\)"),
        ([0], [[]], r"answers has shape \(1, 0\): it must have shape \(n, max_grade\), max_grade from 1 to 31"),
        ([0], [[0] * 32], r"answers has shape \(1, 32\)"),  # COCR's costs end at 31
        ([0, 1], [[1, 0]], r"y has shape \(2,\): .* one label per row of answers, here \(1,\)"),
        ([3], [[1, 0]], "y at row 0 is 3: labels must be integers from 0 to 2"),
        ([0.5], [[1, 0]], r"y at row 0 is 0\.5"),
        ([0], [[1, np.nan]], r"answers at row 0, column 1 is nan: answers must be finite"),
    ],
)
def test_bad_input_is_named(y, answers, message):
    for bound in (err_binary_errors, err_expected_gain):
        with pytest.raises(ValueError, match=message):
            bound(y, answers)


@pytest.mark.parametrize(
    ("y", "answers", "message"),
    [
        ([0], [[1, 0.5]], r"answers at row 0, column 1 is 0\.5: hard answers must be 0 or 1"),
        # unchecked, the bound would be false: the error is 1/4, the root of 1/16, and the bound the root of 29/512
        ([3, 4], [[1, 1, 1, 0], [0, 1, 1, 1]], r"answers at row 1, column 1 is 1\.0: answers must not rise"),
    ],
)
def test_hard_answers_must_be_rank_monotone(y, answers, message):
    with pytest.raises(ValueError, match=message):
        err_binary_errors(y, answers)

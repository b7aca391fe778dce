from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.tests.nearness import assert_below, searching
from refrank.cocr.costs import absolute, oerr, squared

SHARP = (
    "lin_li.reduction.variant-oerr-constant",
    "lin_li.reduction.variant-soft-oerr-constant",
    "lin_li.reduction.variant-absolute",
    "lin_li.reduction.variant-squared",
)


@pytest.mark.parametrize("id", SHARP)
def test_attained(id, finding):
    assert finding(id).max_ratio == 1.0


def errors(costs, y, h):
    """Compute sum_k w_k |h_k - b_k| from Eq. 1 and 5."""
    return sum(
        abs(int(costs[k]) - int(costs[k - 1])) * abs(h[k - 1] - (1 if y >= k else 0)) for k in range(1, len(costs))
    )


def test_counterexamples_by_hand():
    costs = oerr([3], 3)[0]
    assert errors(costs, 3, (0, 1, 1)) == 13 < costs[2] == 16
    assert errors(costs, 3, (Fraction(3, 4), Fraction(1, 4), 0)) == Fraction(137, 4) < costs[1] == 36
    # K = 2, y = 2: (4 - 2^(1/2))^2 = 18 - 8 sqrt(2) > 13/2, because (18 - 13/2)^2 > 128
    assert errors(oerr([2], 2)[0], 2, (Fraction(1, 2), 0)) == Fraction(13, 2)
    assert (18 - Fraction(13, 2)) ** 2 > 128


def test_how_the_constant_grows_with_the_number_of_grades():
    # missing grade K by one costs 4^(K-1); a wrong answer to k = 1 has the weight 2^(K+1) - 3
    factors = []
    for max_grade in range(1, 8):
        worst = Fraction(1)
        for y, costs in enumerate(oerr(np.arange(max_grade + 1), max_grade)):
            fall = sorted(abs(int(step)) for step in np.diff(costs)[:y])
            for wrong in range(1, y + 1):
                worst = max(worst, Fraction(int(costs[y - wrong]), sum(fall[:wrong])))
        factors.append(worst)
    assert factors[:3] == [1, 1, Fraction(36, 29)]
    assert factors[3:] == [Fraction(4 ** (K - 1), 2 ** (K + 1) - 3) for K in (4, 5, 6, 7)]


@searching
@given(st.integers(1, 9), st.data())
def test_convex_costs_for_larger_k(max_grade, data):
    y = data.draw(st.integers(0, max_grade))
    h = data.draw(st.lists(st.fractions(0, 1, max_denominator=12), min_size=max_grade, max_size=max_grade))
    r = sum(h)
    assert_below(abs(y - r), errors(absolute([y], max_grade)[0], y, h), "absolute")
    assert_below((y - r) ** 2, errors(squared([y], max_grade)[0], y, h), "squared")

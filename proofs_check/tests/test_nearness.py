"""The target of the property tests: they come as near to breaking a bound as rankings can."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.strategies import some_discount, some_ranking
from proofs_check.mcrank.lemma1 import lemma1
from proofs_check.tests.nearness import assert_below, assert_holds, searching


def test_the_ratio_found_is_that_of_the_bound():
    # the true ratio is .7071, for two documents that stand the wrong way round
    seen = []

    @searching
    @given(st.data())
    def search(data):
        r = data.draw(some_ranking(min_n=2, max_n=20))
        c = data.draw(some_discount(r.n))
        seen.append(assert_holds(lemma1(lambda n: [c], r)))

    search()
    assert 0.65 < max(seen) < 0.7072


@given(st.integers(1, 9))
def test_a_violation_is_told_with_both_sides(n):
    sides = Comparison(np.array([1, 3]), np.array([2, 2]))
    with pytest.raises(AssertionError, match="3 > 2"):
        assert_holds(sides)
    with pytest.raises(AssertionError, match="4 > 3"):
        assert_below(4, 3, "numbers")


@given(st.integers(0, 9))
def test_the_largest_ratio_is_returned(n):
    sides = Comparison(np.array([1]), np.array([4])), Comparison(np.array([n]), np.array([20]))
    assert assert_holds(iter(sides)) == max(0.25, n / 20)
    assert assert_below(n, 0 if n == 0 else 10) == n / 10

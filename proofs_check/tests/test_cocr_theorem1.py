from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.tests.nearness import assert_below, searching


@pytest.mark.paper("COCR Theorem 1", "COCR Eq. 7")
def test_the_factor_k_is_attained_and_no_more(finding):
    for id in ("cocr.theorem1", "cocr.theorem1.step2"):
        assert (finding(id).verdict, finding(id).max_ratio) == ("holds", 1.0)


@searching
@given(st.lists(st.tuples(st.integers(0, 20), st.fractions(-3, 3)), min_size=1, max_size=12))
def test_theorem1_for_any_answers(drawn):
    # P(y = k) from weights, P(y = 0) with weight 1; h_k any fraction
    total = 1 + sum(weight for weight, _ in drawn)
    p = [Fraction(weight, total) for weight, _ in drawn]  # P(y = 1), ..., P(y = K)
    h = [answer for _, answer in drawn]
    expected = sum(k * p_k for k, p_k in enumerate(p, start=1))
    eps_squared = sum((h_k - sum(p[k:])) ** 2 for k, h_k in enumerate(h))
    assert_below((sum(h) - expected) ** 2, len(h) * eps_squared)

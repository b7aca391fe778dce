from fractions import Fraction
from math import prod

from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.strategies import some_ranking
from proofs_check.new.err_below_rr_dcg import err_below_rr
from proofs_check.tests.nearness import assert_below, assert_holds, searching


def test_attained(finding):
    assert finding("new.err_below_rr_dcg").max_ratio == 1.0


def err(relevance, discount):
    """Compute sum_i c_i R_i prod_{j<i} (1 - R_j), in the order given."""
    return sum(
        c * r * prod(1 - before for before in relevance[:i])
        for i, (c, r) in enumerate(zip(discount, relevance, strict=True))
    )


@searching
@given(st.lists(st.fractions(0, 1, max_denominator=16), min_size=1, max_size=12), st.data())
def test_any_relevance_and_any_discount(relevance, data):
    n = len(relevance)
    drops = data.draw(st.lists(st.fractions(0, 1, max_denominator=8), min_size=n, max_size=n))
    for name, c in (("1/i", [Fraction(1, i + 1) for i in range(n)]), ("any", [sum(drops[i:]) for i in range(n)])):
        ideal = sorted(relevance, reverse=True)
        error = err(ideal, c) - err(relevance, c)
        rr = sum(c_i * (best - r) for c_i, best, r in zip(c, ideal, relevance, strict=True))
        assert error >= 0
        assert_below(error, rr, name)


@given(some_ranking(min_n=2, max_n=16))
def test_larger_n(r):
    assert_holds(err_below_rr(r))

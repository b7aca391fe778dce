from fractions import Fraction
from math import prod

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.exact import err_unit
from proofs_check.engine.strategies import some_ranking
from proofs_check.new.err_below_rr_dcg import err_below_rr, rr_error


def test_attained(finding):
    assert finding("new.err_below_rr_dcg").max_ratio == 1.0


def err(relevance, discount):
    """Compute sum_i c_i R_i prod_{j<i} (1 - R_j), in the order given."""
    return sum(
        c * r * prod(1 - before for before in relevance[:i])
        for i, (c, r) in enumerate(zip(discount, relevance, strict=True))
    )


@given(st.lists(st.fractions(0, 1, max_denominator=16), min_size=1, max_size=12), st.data())
def test_any_relevance_and_any_discount(relevance, data):
    n = len(relevance)
    drops = data.draw(st.lists(st.fractions(0, 1, max_denominator=8), min_size=n, max_size=n))
    for c in ([Fraction(1, i + 1) for i in range(n)], [sum(drops[i:]) for i in range(n)]):
        ideal = sorted(relevance, reverse=True)
        error = err(ideal, c) - err(relevance, c)
        rr = sum(c_i * (best - r) for c_i, best, r in zip(c, ideal, relevance, strict=True))
        assert 0 <= error <= rr


@given(r=some_ranking(min_n=2, max_n=40))
def test_another_implementation(r, needs):
    measure = needs("err")
    y = r.y[0].astype(np.int64)
    error = measure(y, y.astype(float)) - measure(y, -np.arange(r.n, dtype=float))
    right = float(Fraction(int(rr_error(r)[0]), 16 * err_unit(r.n)))
    # ERR <= 1 is a sum of n products of at most n factors, each rounded: 4 n^2 roundings for each of the two
    assert -8 * r.n**2 * 2.0**-53 <= error <= right + 8 * r.n**2 * 2.0**-53


@given(some_ranking(min_n=2, max_n=16))
def test_larger_n(r):
    assert not err_below_rr(r).violated().any()

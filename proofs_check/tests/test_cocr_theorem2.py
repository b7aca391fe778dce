from fractions import Fraction
from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.cocr.theorem2 import as_printed, intended
from proofs_check.cocr.theorem2_mended import chain, eq12_summed
from proofs_check.engine import naive
from proofs_check.engine.exact import by_document, err_at, unit
from proofs_check.engine.exact import stops as stops_in_order
from proofs_check.engine.instances import batch
from proofs_check.engine.strategies import some_ranking
from proofs_check.tests.nearness import assert_holds, searching


@pytest.mark.paper("COCR Eq. 11", "COCR Eq. 12")
def test_eq11_is_true_and_eq12_is_not(finding):
    eq11, eq12 = finding("cocr.theorem2.step3"), finding("cocr.theorem2.step4")
    assert (eq11.verdict, eq11.max_ratio) == ("holds", 1.0)  # ties of pi and rho attain it
    assert eq12.verdict == "refuted"
    assert eq12.counterexample.endswith("F_2(pi,y), 1/16 > 15/256")


def test_eq12_by_hand():
    # y = (1, 1), document 2 first in rho, second in pi: R = 1/16 against 1/16 * 15/16
    assert naive.stop((1, 1), (2, 1), 1) == Fraction(1, 16)
    assert naive.stop((1, 1), (1, 2), 1) == Fraction(15, 256)
    # a tie is not needed: y = (1, 2), pi puts the less relevant document first
    assert naive.stop((1, 2), (2, 1), 1) == Fraction(3, 16)
    assert naive.stop((1, 2), (1, 2), 1) == Fraction(45, 256)


def test_the_literal_reading_by_hand():
    # indices 1, 2, 3 have the labels (0, 0, 1), rho = (3, 1, 2): the label at index rho(1) is the largest,
    # but rho puts index 3 at position 2
    y, rho = (0, 0, 1), (3, 1, 2)
    assert [y[index - 1] for index in rho] == [1, 0, 0]
    assert rho[2] == 2
    # pi puts it first; for yhat = y, F(rho, y) = F(pi, yhat), so the right side is 0
    assert naive.err((1, 0, 0), (1, 2, 3)) - naive.err((1, 0, 0), (2, 1, 3)) == Fraction(1, 32)
    assert naive.stop((1, 0, 0), (2, 1, 3), 0) == naive.stop((1, 0, 0), (1, 2, 3), 0) == Fraction(1, 16)


def test_overshooting_by_hand():
    # 2^5 - 1 > 16: after a document predicted 5 the survival is -15/16, so one predicted 1 "stops" with
    # probability -15/256, one predicted 0 with 0
    values = [Fraction(2**y - 1, 16) for y in (5, 1, 0)]
    stops = [values[0], values[1] * (1 - values[0]), values[2] * (1 - values[0]) * (1 - values[1])]
    assert stops == [Fraction(31, 16), Fraction(-15, 256), 0]
    assert stops[0] + stops[1] / 3 + stops[2] / 2 == Fraction(491, 256)
    assert stops[0] + stops[1] / 2 + stops[2] / 3 == Fraction(977, 512)
    assert 4 < log2(17) < 5


@given(some_ranking(max_n=7))
def test_integers_are_the_definition(r):
    y, g = r.y[0].tolist(), r.g[0].tolist()
    stops = by_document(stops_in_order, r.y, r.g, r.scale)[0]
    for i in range(r.n):
        assert Fraction(int(stops[i]), 16**r.n) == naive.stop(y, g, i)
    assert Fraction(int(err_at(r.y, r.g, r.scale)[0]), unit(r.n, r.scale)) == naive.err(y, g)


@searching
@given(some_ranking(min_n=2, max_n=16))
def test_what_is_meant_holds_for_larger_n(r):
    assert_holds(*(claim(r) for claim in (intended, chain, eq12_summed, as_printed)))


@given(st.data())
def test_any_relevances_and_any_rho(data):
    n = data.draw(st.integers(2, 9))
    relevances = st.lists(st.fractions(0, 1, max_denominator=16), min_size=n, max_size=n)
    true = data.draw(relevances)  # in the order of pi
    # predictions may be negative, but not above 1
    predicted = sorted(data.draw(st.lists(st.fractions(-2, 1, max_denominator=9), min_size=n, max_size=n)))[::-1]
    rho = data.draw(st.permutations(range(n)))  # the document at each position

    def stops(relevance, order):
        survived, f = Fraction(1), {}
        for i in order:
            f[i] = survived * relevance[i]
            survived *= 1 - relevance[i]
        return f

    along_rho, along_pi = stops(true, rho), stops(true, range(n))
    beta_rho = {i: Fraction(1, place) for place, i in enumerate(rho, start=1)}
    beta_pi = {i: Fraction(1, i + 1) for i in range(n)}
    error = sum(beta_rho[i] * along_rho[i] - beta_pi[i] * along_pi[i] for i in range(n))
    forecast = stops(predicted, range(n))
    inner = sum((beta_rho[i] - beta_pi[i]) * (along_rho[i] - forecast[i]) for i in range(n))
    assert error <= inner
    squares = (
        [(beta_rho[i] - beta_pi[i]) ** 2 for i in range(n)],
        [(along_rho[i] - forecast[i]) ** 2 for i in range(n)],
    )
    assert error <= 0 or error**2 <= sum(squares[0]) * sum(squares[1])


def test_the_intended_bound_is_nearly_attained(finding):
    assert 0.96 < finding("cocr.theorem2.variant-intended").max_ratio < 1


def test_a_smaller_constant_is_caught():
    # the tightest instance at n = 2 violates a bound that is 10% lower
    r = batch(np.array([[0, 2]]), np.array([[1, 1]]), np.array([[2, 1]]))
    claim = intended(r)
    assert claim.right[0] * 0.81 < claim.left[0] <= claim.right[0]
    assert Fraction(int(claim.left[0]), int(claim.right[0])) == Fraction(1152, 1345)

"""LambdaRank's sum of exchanges: from the definition in fractions, at larger sizes, and with planted mistakes."""

from fractions import Fraction
from itertools import accumulate, combinations, product
from math import comb, prod
from operator import mul

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine import naive
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact import unit
from proofs_check.engine.instances import batch
from proofs_check.engine.records import CI
from proofs_check.engine.search import examine, settle_cases
from proofs_check.engine.strategies import some_ranking
from proofs_check.losses import lambdarank, lambdarank_reverse
from proofs_check.losses.lambdarank_reverse import expand_err, expand_exchanges
from proofs_check.tests.nearness import assert_below, assert_holds, searching


@searching
@given(some_ranking(min_n=2, max_n=10))
def test_larger_n(r):
    assert_holds(*(claim(r) for claim in (lambdarank.swaps, lambdarank.reverse, lambdarank.err_swaps)))
    assert_holds(lambdarank.logistic(r), label="logistic")


@given(some_ranking(min_n=2, max_n=6))
def test_the_sum_for_err_is_the_definition(r):
    y, place = r.y[0].tolist(), list(range(1, r.n + 1))
    total = Fraction(0)
    for i, j in combinations(range(r.n), 2):
        if y[i] < y[j]:
            exchanged = place.copy()
            exchanged[i], exchanged[j] = place[j], place[i]
            total += naive.err(y, exchanged) - naive.err(y, place)
    assert Fraction(int(lambdarank.sum_of_err_swaps(r)[0]), unit(r.n, r.scale)) == total


@searching
@given(st.lists(st.fractions(0, 1, max_denominator=9), min_size=2, max_size=7))
def test_err_for_any_relevance(relevance):
    swaps = Fraction(0)
    for i, j in combinations(range(len(relevance)), 2):
        if relevance[i] < relevance[j]:
            exchanged = relevance.copy()
            exchanged[i], exchanged[j] = relevance[j], relevance[i]
            swaps += naive.err_of(exchanged) - naive.err_of(relevance)
    assert_below(naive.err_of(sorted(relevance, reverse=True)) - naive.err_of(relevance), swaps)


def test_two_zeros_in_front_of_five_ones():
    # R = 1: 25/6 against 6 (1 - 1/3), as the docstring says; for R = 15/16 the sum is below, and still too large
    y = batch(np.array([[0, 0, 4, 4, 4, 4, 4]]), np.zeros((1, 7), dtype=int))
    reverse = lambdarank.err_reverse(y)
    assert 1 < reverse.left[0] / reverse.right[0] < 25 / 24
    ones = [Fraction(0)] * 2 + [Fraction(1)] * 5
    first = [next(place for place, value in enumerate(order, 1) if value) for order in every_exchange(ones)]
    assert sum(Fraction(1, place) - Fraction(1, 3) for place in first) == Fraction(25, 6)
    assert 6 * (1 - Fraction(1, 3)) == 4


def every_exchange(relevance):
    for i in (0, 1):
        for j in range(2, 7):
            exchanged = relevance.copy()
            exchanged[i], exchanged[j] = relevance[j], relevance[i]
            yield exchanged


# ---- the other direction for ERR: polynomials ----


@given(st.permutations(range(5)), st.lists(st.fractions(0, 1, max_denominator=5), min_size=5, max_size=5))
def test_polynomials_are_err_and_its_exchanges(order, u):
    relevance = list(accumulate(u, mul))
    monomials = [prod(r for i, r in enumerate(relevance) if subset >> i & 1) for subset in range(32)]
    value = [sum(map(mul, f(tuple(order)).tolist(), monomials)) / 60 for f in (expand_err, expand_exchanges)]
    along = [relevance[document] for document in order]
    swaps = Fraction(0)
    for i, j in combinations(range(5), 2):
        if order[i] > order[j]:
            exchanged = along.copy()
            exchanged[i], exchanged[j] = along[j], along[i]
            swaps += naive.err_of(exchanged) - naive.err_of(along)
    assert value == [naive.err_of(along), swaps]


@given(st.lists(st.fractions(0, 1, max_denominator=7), min_size=4, max_size=4), st.integers(0, 15))
def test_a_product_of_relevances_is_the_sum_of_its_coefficients(u, subset):
    relevance = list(accumulate(u, mul))
    basis = [
        [comb(d, j) * x**j * (1 - x) ** (d - j) for j in range(d + 1)] for d, x in zip((4, 3, 2, 1), u, strict=True)
    ]
    coefficients = lambdarank_reverse.tabulate_products(4)[:, subset].tolist()
    total = sum(map(mul, coefficients, map(prod, product(*basis))))
    assert total == 12 * 3 * 2 * prod(r for i, r in enumerate(relevance) if subset >> i & 1)


def test_a_smaller_factor_is_refuted(monkeypatch):
    for n in (3, 6):
        with monkeypatch.context() as smaller:
            smaller.setattr(lambdarank_reverse, "leading_factor", lambda n: Fraction(99, 100) * (n - 1))
            check = settle_cases(lambdarank_reverse.compare_coefficients, lambdarank_reverse.list_orders, n, smallest=n)
            assert check(CI).verdict == "refuted"


def with_neighbours_only(r):
    """Only neighbouring pairs: the sum is too small."""
    for c in (np.arange(r.n, 0, -1),):
        gain = lambdarank.relevance_gain(r.y)
        rises = np.maximum(np.diff(gain, axis=1), 0) * -np.diff(c)
        yield Comparison(lambdarank.dcg_error(r.y, c), rises.sum(axis=1))


def with_fewer(r):
    """N - 2 in place of n - 1."""
    for comparison in lambdarank.swaps(r):
        yield Comparison(comparison.right, (r.n - 2) * comparison.left)


@pytest.mark.parametrize("claim", [with_neighbours_only, with_fewer])
def test_a_planted_mistake_is_found(claim):
    assert examine(claim, CI, smallest=2, every_grade=False).verdict == "refuted"


def test_verdicts(finding):
    assert finding("losses.lambdarank.variant-err-reverse").verdict == "fails"
    for row in ("", ".variant-reverse", ".variant-err"):
        assert finding(f"losses.lambdarank{row}").max_ratio == 1

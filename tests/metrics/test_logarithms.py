"""Logarithms of integers: the nearest float64, shown by powers of 2 and of e that enclose the integer."""

import math
from decimal import Context, Decimal

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.metrics import logarithms
from refrank.metrics.discounts import tabulate_discounts
from refrank.metrics.logarithms import round_logarithms

HIGHEST = 20_000
DIGITS = Context(prec=100)
TABLES = {base: round_logarithms(HIGHEST, base) for base in "2e"}


def is_nearest(value: float, n: int, base: str) -> bool:
    """Whether base^(found - half a step) < n < base^(found + half a step), in decimals of 100 digits."""
    low, high = ((Decimal(value) + Decimal(math.nextafter(value, end))) / 2 for end in (-math.inf, math.inf))
    power = DIGITS.exp if base == "e" else lambda m: DIGITS.power(Decimal(2), m)
    return power(low) < n < power(high)


@given(st.integers(2, HIGHEST), st.sampled_from("2e"))
def test_every_logarithm_is_the_nearest_float64(n, base):
    assert is_nearest(TABLES[base][n - 2], n, base)


@pytest.mark.parametrize(("n", "base"), [(1621, "2"), (9170, "e")])
def test_logarithms_that_some_c_libraries_round_the_wrong_way(n, base):
    """The nearest float64 is more than .4999 steps away: the one beside it is nearly as near."""
    value = TABLES[base][n - 2]
    assert is_nearest(value, n, base)
    assert not any(is_nearest(math.nextafter(value, end), n, base) for end in (-math.inf, math.inf))


def test_logarithms_of_powers_of_two_are_integers():
    assert [TABLES["2"][2**m - 2] for m in range(1, 15)] == list(range(1, 15))


@pytest.mark.parametrize("base", "2e")
@pytest.mark.parametrize("bits", range(50, 68))
def test_bits_that_leave_a_doubt_are_doubled(monkeypatch, bits, base):
    tried, bound = [], logarithms._bound_logarithms
    monkeypatch.setattr(logarithms, "_bound_logarithms", lambda b: tried.append(b) or bound(b))
    for highest in (2, 3, 4, 5, 7, 11, 50, 1000):
        assert round_logarithms(highest, base, bits) == TABLES[base][: highest - 1]
    assert {*tried} == {bits, 2 * bits}  # no interval of 1,000 is narrow enough at once


@pytest.mark.parametrize("bits", [1, 4, 9, 256])
def test_the_interval_holds_the_logarithm(bits):
    """With few bits, most steps have no term above 0: all of the interval is the rest of their series."""
    for n, (low, high) in zip(range(2, 500), logarithms._bound_logarithms(bits), strict=False):
        assert low <= DIGITS.multiply(Decimal(n).ln(DIGITS), Decimal(2**bits)) <= high
        assert high - low < (bits + 3) * n  # at most bits/3 + 2 terms, and one for the rest


def test_discounts_are_one_division_of_the_logarithm():
    for rule, base in (("log2(1+i)", "2"), ("ln(1+i)", "e")):
        logarithm = TABLES[base]
        assert tabulate_discounts(HIGHEST - 1, None, rule).tolist() == [1.0 / value for value in logarithm]
    assert tabulate_discounts(HIGHEST, None, "letor").tolist() == [1.0, *(1.0 / value for value in TABLES["2"])]
    assert np.all(np.diff(tabulate_discounts(HIGHEST)) < 0)

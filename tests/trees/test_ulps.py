"""Units in the last place between numbers, and numbers in both bases."""

import math

import numpy as np
import pytest

from refrank.trees.numbers.ulps import count_ulps, find_different, write_number

LARGEST = 1.7976931348623157e308


@pytest.mark.parametrize(
    ("x", "y", "ulps"),
    [
        (-5e-324, 0.0, 2),  # by way of -0.0
        (-0.0, 0.0, 1),
        (0.0, 5e-324, 1),
        (1.0, 2.0, 2**52),
        (-1.0, -2.0, 2**52),
        (1.0, 1.0 + 2**-51, 2),
        (-1e-310, 1e-310, 2 * int(1e-310 / 5e-324) + 1),
        (-LARGEST, LARGEST, 2 * (2**63 - 2**52) - 1),
    ],
)
def test_numbers_differ_by_more_ulps_than_are_between_them(x, y, ulps):
    assert count_ulps(x, y) == count_ulps(y, x) == ulps
    different = [find_different(np.array([x]), np.array([y]), most).item() for most in (ulps - 1, ulps)]
    assert different == [True, False]
    assert count_ulps(x, x) == 0


@pytest.mark.parametrize(
    ("x", "y", "differ"),
    [(math.inf, 1.0, True), (1.0, math.nan, True), (1, 2, True), (math.nan, -math.nan, False)],
)
def test_others_have_no_ulps_and_differ_or_not(x, y, differ):
    assert count_ulps(x, y) is None
    for ulps in (0, 2**61):
        assert find_different(np.array([x]), np.array([y]), ulps).tolist() == [differ]


def test_a_number_is_told_in_both_bases():
    assert write_number(np.float64(-0.0)) == "-0.0 (-0x0.0p+0)"
    assert write_number(np.uint64(2**64 - 1)) == "18446744073709551615"
    assert write_number(-math.inf) == "-inf"

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees.numbers.ulps import count_ulps, find_different, write_number


@given(st.floats(allow_nan=False, allow_infinity=False), st.integers(0, 5))
def test_ulps_count_steps_and_one_more_between_the_zeros(value, n_steps):
    stepped = value
    for _ in range(n_steps):
        stepped = math.nextafter(stepped, math.inf)
    crosses = math.copysign(1, value) < 0 < math.copysign(1, stepped) and n_steps > 0
    expected = n_steps + (crosses and stepped != 0.0) + (crosses and value != 0.0 and stepped == 0.0)
    if math.isfinite(stepped):
        assert count_ulps(value, stepped) == count_ulps(stepped, value) == expected


@pytest.mark.parametrize(
    ("x", "y", "ulps"),
    [
        (-5e-324, 0.0, 2),  # by way of -0.0
        (-0.0, 0.0, 1),
        (0.0, 5e-324, 1),
        (1.0, 2.0, 2**52),
        (-1.7976931348623157e308, 1.7976931348623157e308, 2 * (2**63 - 2**52) - 1),
        (math.inf, 1.0, None),
        (1.0, math.nan, None),
        (1, 2, None),
    ],
)
def test_ulps_of_the_edges(x, y, ulps):
    assert count_ulps(x, y) == ulps


@pytest.mark.parametrize(
    ("x", "y", "ulps", "different"),
    [
        (0.0, -0.0, 0, True),
        (0.0, -0.0, 1, False),
        (1.0, 1.0 + 2**-51, 1, True),
        (1.0, 1.0 + 2**-51, 2, False),
        (-1e308, 1e308, 2**62, True),
        (math.nan, -math.nan, 0, False),
        (math.nan, 1.0, 2**62, True),
        (3, 4, 9, True),
    ],
)
def test_what_differs(x, y, ulps, different):
    assert find_different(np.array([x]), np.array([y]), ulps).tolist() == [different]


@given(st.floats(allow_nan=False, allow_infinity=False), st.floats(allow_nan=False, allow_infinity=False))
def test_what_differs_is_counted_in_the_same_ulps(x, y):
    ulps = count_ulps(x, y)
    assert not find_different(np.array([x]), np.array([y]), ulps).any()
    assert ulps == 0 or find_different(np.array([x]), np.array([y]), ulps - 1).any()


def test_a_number_is_told_in_both_bases():
    assert write_number(np.float64(-0.0)) == "-0.0 (-0x0.0p+0)"
    assert write_number(np.uint64(2**64 - 1)) == "18446744073709551615"
    assert write_number(-math.inf) == "-inf"

"""`refrank.trees.numbers.grid`: sums over rows are sums of integers, which no order of adding can change."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.trees.numbers.grid import exact_mean, exact_sum, from_grid, to_grid
from tests.oracles import trees as naive
from tests.strategies import ENGINE, RESIDUAL_KINDS, SEEDS, residuals, rng_of, weights

pytestmark = pytest.mark.kernel


def values(kinds=RESIDUAL_KINDS):
    return st.integers(1, 70).flatmap(lambda n_samples: residuals(n_samples, kinds))


@given(values())
def test_integers_equal_the_definition(value):
    gridded = to_grid(value, ENGINE)
    assert gridded.exponent == naive.grid_exponent(value.tolist())
    assert gridded.integers.tolist() == naive.grid_units(value.tolist())
    assert gridded.integers.dtype == np.int64
    # No sum passes 2**53. At most, not below: a value next to 2**E rounds up to it.
    assert sum(map(abs, gridded.integers.tolist())) <= 2**53


@given(values(), SEEDS)
def test_a_sum_has_the_same_bits_in_any_order_and_in_any_parts(value, seed):
    rng = rng_of(seed)
    total = exact_sum(value)
    assert exact_sum(rng.permutation(value)) == total
    gridded = to_grid(value)
    parts = np.split(gridded.integers, sorted(rng.integers(0, len(value) + 1, 3)))
    sums = [from_grid(part.sum(), gridded.exponent) for part in parts]
    # Every partial sum is a float64 on the grid, so adding them rounds nothing (unless below the normal floats).
    if abs(gridded.exponent) < 900:
        assert sum(sums, 0.0) == total


@given(values(), st.data())
def test_a_mean_is_one_division_of_two_sums(value, data):
    weight = data.draw(weights(len(value)))
    n_samples, everyone = len(value), range(len(value))
    numerator = naive.grid_total((value if weight is None else weight * value).tolist(), everyone)
    denominator = n_samples if weight is None else naive.grid_total(weight.tolist(), everyone)
    assert exact_mean(value, weight) == numerator / denominator


@given(values(["dyadic", "equal", "normal", "all scales"]))
def test_the_sum_is_as_near_as_the_docstring_says(value):
    n_samples, largest = len(value), float(np.abs(value).max())
    # Each of n rows moves by half a step: step = 2**(L + E - 53), 2**L < 2n (or 1), 2**E <= 2 max |value|.
    bound = Fraction(n_samples) * (2 * n_samples * 2 * Fraction(largest)) / 2**53 / 2
    exact = sum((Fraction(number) for number in value.tolist()), Fraction(0))
    assert abs(Fraction(exact_sum(value)) - exact) <= bound


@pytest.mark.parametrize("bad", [np.inf, -np.inf, np.nan])
def test_what_is_not_finite_has_no_grid(bad):
    with pytest.raises(ValueError, match=f"value at row 1 is {bad}: a quantity that is summed over rows must be fin"):
        to_grid(np.array([0.5, bad, 1.0]), ENGINE)

"""`refrank.mcrank.order_statistics`: medians and quantiles by their definitions, with weights as numbers of rows."""

import math
from statistics import median as definition

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from refrank.cluster.communicator import Alone, join_shards
from refrank.mcrank.order_statistics import median, quantile

SIXTEENTHS = st.integers(-40, 40).map(lambda k: k / 16)  # their sums and means are exact
SHARES = st.sampled_from([2**-30, 0.1, 0.25, 0.3, 0.5, 0.7, 0.9, 1.0])
COUNTED = st.lists(st.tuples(SIXTEENTHS, st.integers(0, 4)), min_size=1, max_size=12)


@given(COUNTED, st.sampled_from([1.0, 0.25, 3.0]))
def test_median_is_the_middle_or_the_mean_of_the_middle_two(rows, unit):
    """A row of weight two counts as two."""
    values, times = (np.array(column, float) for column in zip(*rows, strict=True))
    assert median(values) == definition(values.tolist())
    expected = [value for value, count in rows for _ in range(count)]
    assert median(values, unit * times) == (definition(expected) if expected else 0.0)


@given(COUNTED, SHARES, st.sampled_from([1.0, 0.25, 4.0]))
def test_quantile_is_the_lowest_value_with_a_share_of_the_rows_at_or_below_it(rows, share, unit):
    values, times = (np.array(column, float) for column in zip(*rows, strict=True))
    assert quantile(values, share) == np.quantile(values, share, method="inverted_cdf")
    repeated = [value for value, count in rows for _ in range(count)]
    expected = np.quantile(repeated, share, method="inverted_cdf") if repeated else 0.0
    assert quantile(values, share, unit * times) == expected


@given(st.lists(st.tuples(SIXTEENTHS, st.floats(0.001, 1000)), min_size=1, max_size=10), st.randoms())
def test_weighted_statistics_do_not_depend_on_the_order_of_rows(rows, random):
    (values, weight), (mixed, mixed_weight) = np.array(rows).T, np.array(random.sample(rows, len(rows))).T
    assert median(values, weight) == median(mixed, mixed_weight)
    assert quantile(values, 0.7, weight) == quantile(mixed, 0.7, mixed_weight)


@given(st.lists(st.tuples(st.sampled_from([0.0, -0.0]), st.sampled_from([1.0, 2.0])), min_size=1, max_size=9))
def test_no_statistic_is_minus_zero(rows):
    """A sort may put either of two equal zeros first."""
    values, weight = np.array(rows).T
    of_plain, of_weighted = (
        (median(values), quantile(values, 0.5)),
        (median(values, weight), quantile(values, 0.5, weight)),
    )
    assert [math.copysign(1.0, zero) for zero in (*of_plain, *of_weighted)] == [1.0] * 4


NASTY = st.floats(allow_nan=False, allow_infinity=False, width=64) | st.sampled_from([0.0, -0.0, 5e-324, -1.7e308])


@given(st.lists(st.tuples(NASTY, st.sampled_from([0.0, 1.0, 0.5, 1e-9, 1e300])), min_size=1, max_size=9), SHARES)
def test_bisection_of_bits_finds_the_same_values(rows, share):
    values, weight = np.array(rows).T

    def find():
        return [(median(values, w), quantile(values, share, w)) for w in (None, weight)]

    with join_shards(Alone()):  # one shard, but not alone
        bisected = find()
    with np.errstate(over="ignore"):
        assert bisected == find()


def test_a_weight_that_is_0_on_its_grid_does_not_count_in_any_order():
    values, weight = np.array([0.0, 0.0, 1.0]), np.array([1e300, 1.0, 1e300])
    for order in ([0, 1, 2], [1, 0, 2], [2, 1, 0]):
        assert median(values[order], weight[order]) == 0.5


def test_the_median_of_one_of_the_largest_floats_is_itself():
    assert median(np.array([1e308, 1.7e308, 1.7e308])) == 1.7e308

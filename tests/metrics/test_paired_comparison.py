"""Randomization, bootstrap and needed queries: against every swap, against SciPy, against the power itself."""

import itertools
import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import stats

from refrank.metrics import (
    bootstrap_interval,
    compare_systems,
    count_needed_queries,
    paired_test,
    randomization_test,
    summarize,
)

NAN = math.nan
EIGHTHS = st.integers(0, 8).map(lambda i: i / 8)  # many ties; sums of eighths are exact


def enumerate_swaps(a, b):
    """The share of all swaps of a and b, query by query, after which the means differ by as much or more."""
    differences = [Fraction(x) - Fraction(y) for x, y in zip(a, b, strict=True)]
    sums = [sum(sign * d for sign, d in zip(signs, differences, strict=True)) for signs in swaps(len(a))]
    return Fraction(sum(abs(total) >= abs(sum(differences)) for total in sums), len(sums))


def swaps(n):
    return list(itertools.product((1, -1), repeat=n))


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(EIGHTHS, EIGHTHS), min_size=2, max_size=8))
def test_the_exact_randomization_test_counts_every_swap(pairs):
    a, b = np.transpose(pairs)
    test = randomization_test(a, b)
    assert test.p_value == pytest.approx(float(enumerate_swaps(a, b)), rel=1e-12)  # SciPy doubles a one-sided share
    assert (test.exact, test.n_resamples) == (True, 2 ** np.count_nonzero(a != b))
    assert test.difference == float(sum(map(Fraction, a - b)) / len(a))
    assert randomization_test(b, a).p_value == test.p_value


@pytest.mark.parametrize(
    ("a", "b", "p_value"),
    [
        ([0.5, 0.25, 0.75], [0.5, 0.25, 0.75], 1.0),  # all equal
        ([0.5, 0.25, 0.75], [0.5, 0.25, 0.5], 1.0),  # one differs: its mirror image is as large
        ([1.0, 1.0, 1.0, 1.0, 1.0], [0.5, 0.25, 0.0, 0.75, 0.5], 2 / 32),
        ([1.0, 0.0], [0.0, 1.0], 1.0),  # the means are equal
        ([0.3, 0.1, 0.2], [0.0, 0.0, 0.3], 0.75),  # .3 + .1 - .1 and .3 - .1 + .1 tie, whatever their last bits
    ],
)
def test_swaps_by_hand(a, b, p_value):
    test = randomization_test(a, b)
    assert (test.p_value, test.exact) == (p_value, True)


def test_a_test_of_more_swaps_than_resamples_is_sampled_and_says_so():
    a = np.array([7, 3, 5, 8, 2, 6, 4, 1, 5, 7, 0, 3]) / 8
    b = np.array([4, 3, 6, 3, 2, 2, 5, 0, 4, 7, 1, 1]) / 8
    n_differ = np.count_nonzero(a != b)
    assert 6 < n_differ < 12
    exact = float(enumerate_swaps(a, b))
    assert 0.05 < exact < 0.95
    assert randomization_test(a, b, 2**n_differ).exact  # as many as there are
    test = randomization_test(a, b, 2**n_differ - 1)
    assert (test.exact, test.n_resamples) == (False, 2**n_differ - 1)
    sampled = randomization_test(a, b, 60)
    assert (sampled.p_value * 61) % 1 == pytest.approx(0, abs=1e-9)  # the values as they are count as one more
    assert sampled == randomization_test(a, b, 60, random_state=0) != randomization_test(a, b, 60, random_state=5)
    assert abs(sampled.p_value - exact) < 4 * math.sqrt(exact * (1 - exact) / 60)


def test_the_interval_is_scipys_of_pairs():
    rng = np.random.default_rng(4)
    a, b = rng.random(30), rng.random(30) / 2
    for level, n_resamples, seed in ((0.95, 9999, 0), (0.8, 200, 3)):
        interval = bootstrap_interval(a, b, level, n_resamples, seed)
        expected = stats.bootstrap(
            (a, b),
            lambda a, b, axis: a.mean(axis) - b.mean(axis),
            paired=True,
            vectorized=True,
            confidence_level=level,
            method="percentile",
            n_resamples=n_resamples,
            random_state=np.random.default_rng(seed),
        ).confidence_interval
        # the mean of differences against the difference of means: rounding
        assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), rel=1e-12)
        assert (interval.confidence, interval.n_resamples) == (level, n_resamples)
    assert bootstrap_interval(a, a).low == bootstrap_interval(a, a).high == 0
    assert bootstrap_interval(a, b) != bootstrap_interval(a, b, random_state=1)


def test_batches_change_no_draw():
    """The queries of a large collection are resampled in many batches: here 210 of them."""
    rng = np.random.default_rng(5)
    a, b = rng.random((2, 2**21 // 10))
    interval = bootstrap_interval(a, b, n_resamples=21)
    rows = np.random.default_rng(0).integers(0, len(a), (21, len(a)))
    expected = np.percentile((a - b)[rows].mean(axis=1), [2.5, 97.5])
    assert (interval.low, interval.high) == pytest.approx(expected.tolist(), rel=1e-12)


@pytest.mark.parametrize(
    ("difference", "sd"), [(0.011, 0.11), (-0.011, 0.11), (0.002, 0.11), (0.05, 0.3), (0.4, 0.5), (2.0, 1.0)]
)
@pytest.mark.parametrize(("power", "level"), [(0.8, 0.05), (0.9, 0.01)])
def test_the_queries_needed_are_the_fewest_that_reach_the_power(difference, sd, power, level):
    """Of the normal test; the other tail, in which the sign is wrong, is negligible."""
    n = count_needed_queries(difference, sd, power, level)

    def compute_power(n):
        return stats.norm.sf(stats.norm.isf(level / 2) - abs(difference) / (sd / math.sqrt(n)))

    assert compute_power(n) >= power - 1e-12
    assert n == 2 or compute_power(n - 1) < power


def test_mq2008_resolves_a_hundredth_and_two_thousandths_need_twenty_thousand_queries():
    """The paired standard deviation of ERR is .10 to .12 there."""
    needed = [count_needed_queries(0.002, sd) for sd in (0.10, 0.12)]
    assert needed == [19_623, 28_256]
    assert abs(count_needed_queries(0.011, 0.11) - 784) <= 1
    assert count_needed_queries(0.01, 0.0) == 2


def test_a_comparison_holds_all_tests_of_the_queries_that_count():
    rng = np.random.default_rng(6)
    a = rng.random(20)
    b = np.where(rng.random(20) < 0.3, a, rng.random(20))
    a[[3, 7]] = b[[3, 7]] = NAN
    counted = np.delete(np.arange(20), [3, 7])
    comparison = compare_systems(a, b, random_state=2)
    assert comparison == compare_systems(a[counted], b[counted], random_state=2)
    assert (comparison.a, comparison.b, comparison.difference) == (summarize(a), summarize(b), summarize(a - b))
    assert comparison.n_differ == np.count_nonzero(a[counted] != b[counted]) < 18
    assert comparison.t_test == paired_test(a, b)
    assert comparison.randomization == randomization_test(a, b, random_state=2)
    assert comparison.interval == bootstrap_interval(a, b, random_state=2)
    assert comparison.n_needed == count_needed_queries(comparison.difference.mean, comparison.difference.sd)


def test_equal_systems_have_p_1_and_no_number_of_queries():
    same = compare_systems([0.5, 0.25, 0.75], [0.5, 0.25, 0.75])
    assert (same.t_test, same.randomization.p_value, same.n_differ, same.n_needed) == (None, 1.0, 0, None)
    assert (same.interval.low, same.interval.high) == (0, 0)


def test_a_difference_without_spread_has_no_t_test():
    comparison = compare_systems([0.5, 0.25, 0.75], [0.25, 0.0, 0.5])
    assert (comparison.t_test, comparison.randomization.p_value, comparison.n_needed) == (None, 0.25, 2)


@pytest.mark.parametrize(
    ("function", "arguments", "message"),
    [
        (randomization_test, ([1, NAN], [2, NAN]), "a has 1 counted queries: a test must have two or more"),
        (bootstrap_interval, ([1.0], [2.0]), "a has 1 counted queries: a test must have two or more"),
        (compare_systems, ([1, 2], [1, 2, 3]), r"b has shape \(3,\)"),
        (compare_systems, ([1, 2, NAN], [1, NAN, 2]), "both must skip"),
        (randomization_test, ([1, 2], [2, 1], 0), "n_resamples is 0: it must be an integer of at least 1"),
        (bootstrap_interval, ([1, 2], [2, 1], 1.0), "confidence is 1.0: it must be a number above 0"),
        (count_needed_queries, (0.0, 0.1), "difference is 0: no number of queries"),
        (count_needed_queries, (1e-200, 0.1), "difference is 1e-200: no number of queries finds it where sd is 0.1"),
        (count_needed_queries, (NAN, 0.1), "difference is nan: it must be a finite number"),
        (count_needed_queries, (0.1, -0.1), "sd is -0.1: it must be a number of at least 0"),
        (count_needed_queries, (0.1, 0.1, 1.0), "power is 1.0"),
        (count_needed_queries, (0.1, 0.1, 0.8, 0.0), "level is 0.0"),
    ],
)
def test_bad_input(function, arguments, message):
    with pytest.raises(ValueError, match=message):
        function(*arguments)

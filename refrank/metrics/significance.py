"""Spread over queries, and tests between two systems: McRank Table 1 and Sec. 6.3.

McRank's printed one-sided p-values come from an unpaired test on the two columns' means, standard deviations and query
counts, although both systems rank the same queries. The paired tests make use of that. The randomization
test and the bootstrap assume no distribution of the differences; their draws depend only on a seed.

    symbol    in code       shape
    N_Q       n_queries
              a, b          (n_queries,), values of two systems, NaN where a query is skipped
"""

import math
import statistics
from dataclasses import astuple, dataclass
from typing import Literal, get_args

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats
from refrank.checks import check_choice, check_entries, check_integer, check_number, check_numbers, check_shape
from refrank.metrics.averaging import mean_of_queries

Alternative = Literal["two-sided", "greater", "less"]
LARGEST = 1e50  # of a value; the smallest other than 0 is 1 / LARGEST: fourth powers stay within float64
N_RESAMPLES = 9_999  # 10,000 with the observed values


@dataclass(frozen=True)
class Summary:
    """Mean and spread of the values of n queries.

    Parameters
    ----------
    mean, sd : float
        Of the sample: n - 1 in the divisor of the standard deviation, which is NaN for one query.
    n_queries : int
    """

    mean: float
    sd: float
    n_queries: int


@dataclass(frozen=True)
class SignificanceTest:
    """Outcome of a t-test between two systems, a minus b.

    Parameters
    ----------
    difference : float
        Mean of a minus mean of b.
    statistic, degrees_of_freedom, p_value : float
    alternative : {"two-sided", "greater", "less"}
    """

    difference: float
    statistic: float
    degrees_of_freedom: float
    p_value: float
    alternative: Alternative


@dataclass(frozen=True)
class RandomizationTest:
    """Outcome of a paired, two-sided randomization test, a minus b.

    Parameters
    ----------
    difference : float
        Mean of a minus mean of b.
    p_value : float
    n_resamples : int
        Number of swaps of a and b that were examined: all 2**n of the n queries that differ, or a sample.
    exact : bool
        Whether all swaps were examined.
    """

    difference: float
    p_value: float
    n_resamples: int
    exact: bool


@dataclass(frozen=True)
class BootstrapInterval:
    """Percentile interval of the mean of a minus that of b: low and high, its confidence, and n_resamples draws."""

    low: float
    high: float
    confidence: float
    n_resamples: int


def summarize(values: ArrayLike) -> Summary:
    """Summarize the values of the queries, (n_queries,), without those that are skipped (NaN).

    Examples
    --------
    >>> summarize([0.25, 0.5, float("nan"), 0.75])
    Summary(mean=0.5, sd=0.25, n_queries=3)
    """
    array = check_values("values", values)
    counted = array[~np.isnan(array)].tolist()
    return Summary(mean_of_queries(array), statistics.stdev(counted) if len(counted) > 1 else math.nan, len(counted))


def unpaired_test(a: ArrayLike, b: ArrayLike, alternative: Alternative = "two-sided") -> SignificanceTest:
    """Compute Welch's t-test between the values of two systems, each over its own queries.

    The lengths of a and b may differ; NaN is a skipped query. Each system must have two or more counted queries, and
    one of them some spread. The alternative "greater": the mean of a is above the mean of b.

    >>> round(unpaired_test([0.5, 0.7, 0.6], [0.4, 0.5], "greater").p_value, 4)
    0.074
    """
    return unpaired_test_of_summaries(summarize(a), summarize(b), alternative)


def unpaired_test_of_summaries(a: Summary, b: Summary, alternative: Alternative = "two-sided") -> SignificanceTest:
    """Compute Welch's t-test of a and b, with an alternative, from means, deviations and counts as a table prints them.

    Examples
    --------
    McRank Table 1, Web-1: ordinal classification against regression, printed p-value 0.021.

    >>> ordinal, regression = Summary(72.4, 24.1, 10_000), Summary(71.7, 24.4, 10_000)
    >>> round(unpaired_test_of_summaries(ordinal, regression, "greater").p_value, 4)
    0.0206
    """
    from scipy import stats

    check_choice("alternative", alternative, get_args(Alternative))
    _check_two_queries(a=a.n_queries, b=b.n_queries)
    check_values("sd", [a.sd, b.sd])
    if a.sd == 0 and b.sd == 0:
        raise ValueError("sd of a and of b is 0: there must be some spread to test the difference against")
    result = stats.ttest_ind_from_stats(*astuple(a), *astuple(b), equal_var=False, alternative=alternative)
    # Welch (1947): degrees of freedom from the two variances of the mean.
    of_a, of_b = a.sd**2 / a.n_queries, b.sd**2 / b.n_queries
    freedom = (of_a + of_b) ** 2 / (of_a**2 / (a.n_queries - 1) + of_b**2 / (b.n_queries - 1))
    return SignificanceTest(a.mean - b.mean, float(result.statistic), freedom, float(result.pvalue), alternative)


def paired_test(a: ArrayLike, b: ArrayLike, alternative: Alternative = "two-sided") -> SignificanceTest:
    """Compute the paired t-test between two systems over the same queries.

    Both must skip the same queries; two or more must remain, and they must not all have the same difference.

    Parameters
    ----------
    a, b : array-like of shape (n_queries,)
        One value per query, as `ndcg(..., per_query=True)` returns them for the same `qid`; NaN where both skip it.
    alternative : {"two-sided", "greater", "less"}, default "two-sided"
        "greater": the mean of a - b is above 0.

    Returns
    -------
    SignificanceTest

    Examples
    --------
    >>> test = paired_test([0.5, 0.7, 0.6], [0.4, 0.5, 0.5], "greater")
    >>> round(test.difference, 4), test.degrees_of_freedom, round(test.p_value, 4)
    (0.1333, 2, 0.0286)
    """
    from scipy import stats

    check_choice("alternative", alternative, get_args(Alternative))
    a, b = pair_queries(a, b)
    difference = a - b
    if (difference == difference[0]).all():
        raise ValueError(f"a - b is {difference[0]} for every query: there must be some spread to test it against")
    result, mean = stats.ttest_rel(a, b, alternative=alternative), mean_of_queries(difference)
    return SignificanceTest(mean, float(result.statistic), int(result.df), float(result.pvalue), alternative)


def randomization_test(
    a: ArrayLike, b: ArrayLike, n_resamples: int = N_RESAMPLES, random_state: int = 0
) -> RandomizationTest:
    """Compute the paired, two-sided randomization test (Fisher's) between two systems over the same queries.

    If the systems are the same, a query's two values might as well be swapped. The p-value is the share of the swaps
    after which the means differ by at least as much as observed.

    Parameters
    ----------
    a, b : array-like of shape (n_queries,)
        One value per query, as in `paired_test`.
    n_resamples : int, default 9999
        The test is exact if the n queries that differ have at most this many swaps, 2**n. Otherwise this many are
        drawn, and the observed values count as one more.
    random_state : int, default 0

    Examples
    --------
    Of the 8 swaps, these values and their mirror image are the only ones with a difference as large.

    >>> randomization_test([0.75, 0.5, 1.0], [0.5, 0.25, 0.5])
    RandomizationTest(difference=0.3333333333333333, p_value=0.25, n_resamples=8, exact=True)
    """
    from scipy import stats

    check_integer("n_resamples", n_resamples, 1)
    a, b = pair_queries(a, b)
    difference = a - b
    differ = difference[difference != 0]  # a swap of equal values changes nothing
    n_swaps = 2 ** len(differ)
    exact = n_swaps <= n_resamples
    p_value = 1.0  # where at most one query differs: its swap only changes the sign
    if len(differ) > 1:
        result = stats.permutation_test(
            (differ,),
            np.mean,
            permutation_type="samples",  # of one sample: changes of sign
            n_resamples=n_resamples,
            batch=_choose_batch(len(differ)),
            random_state=np.random.default_rng(random_state),
        )
        p_value = float(result.pvalue)
    return RandomizationTest(mean_of_queries(difference), p_value, n_swaps if exact else n_resamples, exact)


def bootstrap_interval(
    a: ArrayLike, b: ArrayLike, confidence: float = 0.95, n_resamples: int = N_RESAMPLES, random_state: int = 0
) -> BootstrapInterval:
    """Compute the percentile bootstrap interval of the difference between two systems over the same queries.

    Parameters
    ----------
    a, b : array-like of shape (n_queries,)
        One value per query, as in `paired_test`.
    confidence : float, default 0.95
        Share of the resamples' mean differences that the interval holds.
    n_resamples : int, default 9999
        Draws of n of the n queries with replacement; a query is drawn with both of its values.
    random_state : int, default 0

    Examples
    --------
    >>> interval = bootstrap_interval([0.75, 0.5, 1.0, 0.5], [0.5, 0.25, 0.5, 0.75])
    >>> interval.low, interval.high
    (-0.125, 0.4375)
    """
    from scipy import stats

    check_number("confidence", confidence, above=0, at_most=0.999)
    check_integer("n_resamples", n_resamples, 1)
    a, b = pair_queries(a, b)
    interval = stats.bootstrap(
        (a - b,),
        np.mean,
        confidence_level=confidence,
        method="percentile",
        n_resamples=n_resamples,
        batch=_choose_batch(len(a)),
        random_state=np.random.default_rng(random_state),
    ).confidence_interval
    return BootstrapInterval(float(interval.low), float(interval.high), confidence, n_resamples)


def pair_queries(a: ArrayLike, b: ArrayLike) -> tuple[Floats, Floats]:
    """Return the values of the queries that count, (n_counted,) each: two or more, and the same queries in a and b."""
    a, b = check_values("a", a), check_values("b", b)
    check_shape("b", b, a.shape, "(n_queries,), one value per query, as a has")
    counted = ~np.isnan(a)
    one_only = np.isnan(a) != np.isnan(b)
    if one_only.any():
        query = int(np.argmax(one_only))
        raise ValueError(f"a at query {query} is {a[query]}, b {b[query]}: both must skip (NaN) the same queries")
    _check_two_queries(a=int(np.count_nonzero(counted)))
    return a[counted], b[counted]


def check_values(name: str, values: ArrayLike) -> Floats:
    """Return the values of queries, (n_queries,), as float64: NaN where one is skipped, else with a finite square.

    >>> check_values("values", [0.5, 1e200])
    Traceback (most recent call last):
    ValueError: values at row 1 is 1e+200: a value must be 0, or a number from 1e-50 to 1e+50 in size, or NaN
    """
    rule = f"a value must be 0, or a number from {1 / LARGEST:g} to {LARGEST:g} in size, or NaN"
    array = check_numbers(name, values, rule)
    check_shape(name, array, (array.size,), "(n_queries,), one value per query")
    size = np.abs(array)
    check_entries(name, array, (size > LARGEST) | ((size > 0) & (size < 1 / LARGEST)), rule)
    return array


def _check_two_queries(**n_counted: int) -> None:
    for name, n in n_counted.items():
        if n < 2:
            raise ValueError(f"{name} has {n} counted queries: a test must have two or more")


def _choose_batch(n_queries: int) -> int:
    """Choose how many resamples SciPy holds at a time: about 16 MB."""
    return max(1, 2**21 // n_queries)

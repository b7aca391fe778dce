"""Spread over queries and tests between two systems: McRank Table 1 and Sec. 6.3.

This is the one module of the package that leans on SciPy: an edge, for the distribution functions of the
tests.

McRank's printed one-sided p-values come from an unpaired test on the two columns' means, standard deviations
and query counts, although both systems rank the same queries; the paired test is the one that uses that.
"""

import statistics
from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike
from scipy import stats

from refrank.metrics.averaging import mean_of_queries

Alternative = Literal["two-sided", "greater", "less"]


@dataclass(frozen=True)
class Summary:
    """Mean and sample standard deviation (n - 1 in the divisor) of the values of n queries."""

    mean: float
    sd: float
    n_queries: int


@dataclass(frozen=True)
class SignificanceTest:
    """Outcome of a t-test between two systems, a minus b."""

    difference: float
    statistic: float
    degrees_of_freedom: float
    p_value: float
    alternative: Alternative


def summarize(values: ArrayLike) -> Summary:
    """Return mean, standard deviation and number of the queries that are not skipped (NaN).

    Raises
    ------
    ValueError
        If fewer than two values are left.

    Examples
    --------
    >>> summarize([0.25, 0.5, float("nan"), 0.75])
    Summary(mean=0.5, sd=0.25, n_queries=3)
    """
    counted = _counted("values", values)
    return Summary(mean_of_queries(counted), statistics.stdev(counted.tolist()), len(counted))


def unpaired_test(a: ArrayLike, b: ArrayLike, alternative: Alternative = "two-sided") -> SignificanceTest:
    """Return Welch's t-test between the values of two systems, each over queries of its own.

    Parameters
    ----------
    a, b : array-like
        One value a query; NaN marks a skipped query. The lengths may differ.
    alternative : {"two-sided", "greater", "less"}
        "greater": the mean of a is above the mean of b.

    Raises
    ------
    ValueError
        If fewer than two values of a or b are left, or the alternative is unknown.

    Examples
    --------
    >>> unpaired_test([0.5, 0.7, 0.6], [0.4, 0.5, 0.3], "greater").p_value < 0.05
    True
    """
    return unpaired_test_of_summaries(summarize(a), summarize(b), alternative)


def unpaired_test_of_summaries(
    a: Summary, b: Summary, alternative: Alternative = "two-sided"
) -> SignificanceTest:
    """Return Welch's t-test from means, standard deviations and counts, as a table prints them.

    Examples
    --------
    McRank Table 1, Web-1: ordinal classification against regression, printed p-value 0.021.

    >>> ordinal, regression = Summary(72.4, 24.1, 10_000), Summary(71.7, 24.4, 10_000)
    >>> round(unpaired_test_of_summaries(ordinal, regression, "greater").p_value, 4)
    0.0206
    """
    _check_alternative(alternative)
    if a.sd == 0 and b.sd == 0:
        raise ValueError("sd of a and of b is 0: there is no spread to test the difference against")
    result = stats.ttest_ind_from_stats(
        a.mean, a.sd, a.n_queries, b.mean, b.sd, b.n_queries, equal_var=False, alternative=alternative
    )
    # Welch (1947): degrees of freedom from the two variances of the mean.
    of_a, of_b = a.sd**2 / a.n_queries, b.sd**2 / b.n_queries
    freedom = (of_a + of_b) ** 2 / (of_a**2 / (a.n_queries - 1) + of_b**2 / (b.n_queries - 1))
    return SignificanceTest(
        a.mean - b.mean, float(result.statistic), freedom, float(result.pvalue), alternative
    )


def paired_test(a: ArrayLike, b: ArrayLike, alternative: Alternative = "two-sided") -> SignificanceTest:
    """Return the paired t-test between two systems over the same queries.

    Parameters
    ----------
    a, b : array-like of shape (n_queries,)
        One value a query, in the same order of queries, as `ndcg(..., per_query=True)` returns them for the
        same `qid`; NaN marks a query that both skip.
    alternative : {"two-sided", "greater", "less"}
        "greater": the mean of a - b is above 0.

    Raises
    ------
    ValueError
        If the lengths differ, if a query is skipped in one only, if fewer than two queries are left, if every
        query has the same difference, or if the alternative is unknown.

    Examples
    --------
    >>> test = paired_test([0.5, 0.7, 0.6], [0.4, 0.5, 0.5], "greater")
    >>> round(test.difference, 4), test.degrees_of_freedom, round(test.p_value, 4)
    (0.1333, 2, 0.0286)
    """
    _check_alternative(alternative)
    a, b = np.asarray(a, dtype=np.float64), np.asarray(b, dtype=np.float64)
    if a.shape != b.shape:
        raise ValueError(
            f"a has shape {a.shape}, b has {b.shape}: a paired test needs one value a query of both"
        )
    one_only = np.isnan(a) != np.isnan(b)
    if one_only.any():
        query = int(np.argmax(one_only))
        raise ValueError(f"query {query} is skipped (NaN) in a or in b only: both must skip the same queries")
    a, b = _counted("a", a), _counted("b", b)
    difference = a - b
    if (difference == difference[0]).all():
        raise ValueError(f"a - b is {difference[0]} for every query: there is no spread to test it against")
    result = stats.ttest_rel(a, b, alternative=alternative)
    return SignificanceTest(
        mean_of_queries(difference),
        float(result.statistic),
        int(result.df),
        float(result.pvalue),
        alternative,
    )


def _counted(name: str, values: ArrayLike) -> np.ndarray:
    array = np.asarray(values, dtype=np.float64)
    if array.ndim != 1:
        raise ValueError(f"{name} has shape {array.shape}: it must have one dimension, (n_queries,)")
    counted = array[~np.isnan(array)]
    if len(counted) < 2:
        raise ValueError(f"{name} has {len(counted)} counted queries: a standard deviation needs two or more")
    return counted


def _check_alternative(alternative: str) -> None:
    if alternative not in ("two-sided", "greater", "less"):
        raise ValueError(f"alternative={alternative!r}: must be 'two-sided', 'greater' or 'less'")

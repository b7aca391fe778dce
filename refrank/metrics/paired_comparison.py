"""Two systems over the same queries: their difference, whether it may be chance, and how many queries show it.

    symbol      in code
    d           difference, the mean of a - b
    s           sd, the standard deviation of a - b over the queries
    1 - beta    power
    alpha       level

a and b hold one value per query, (n_queries,), NaN where the convention skips it.
"""

import math
from dataclasses import dataclass
from statistics import NormalDist

import numpy as np
from numpy.typing import ArrayLike

from refrank.checks import check_integer, check_number
from refrank.metrics.significance import (
    BootstrapInterval,
    RandomizationTest,
    SignificanceTest,
    Summary,
    bootstrap_interval,
    pair_queries,
    paired_test,
    randomization_test,
    summarize,
)

POWER, LEVEL = 0.8, 0.05


@dataclass(frozen=True)
class PairedComparison:
    """Two systems, a and b, over the queries that the convention counts.

    Parameters
    ----------
    a, b : Summary
    difference : Summary
        Mean and standard deviation of a - b.
    n_differ : int
        Number of queries for which a and b have different values.
    t_test : SignificanceTest or None
        Paired and two-sided; None if a - b is the same for every query, which leaves no spread.
    randomization : RandomizationTest
    interval : BootstrapInterval
        Of the difference.
    n_needed : int or None
        Queries that a difference of this size needs, as in `count_needed_queries`; None where the means are equal.
    """

    a: Summary
    b: Summary
    difference: Summary
    n_differ: int
    t_test: SignificanceTest | None
    randomization: RandomizationTest
    interval: BootstrapInterval
    n_needed: int | None


def compare_systems(a: ArrayLike, b: ArrayLike, random_state: int = 0) -> PairedComparison:
    """Compare two systems over the same queries.

    Parameters
    ----------
    a, b : array-like of shape (n_queries,)
        One value per query, as `ndcg(..., per_query=True)` returns them for the same `qid`; NaN where both skip it.
    random_state : int, default 0
        Seed of the randomization test and of the bootstrap.

    Examples
    --------
    >>> comparison = compare_systems([0.75, 0.5, 1.0, 0.5], [0.5, 0.25, 0.5, 0.75])
    >>> comparison.difference.mean, comparison.n_differ, comparison.randomization.p_value, comparison.n_needed
    (0.1875, 4, 0.5, 23)
    """
    a, b = pair_queries(a, b)
    difference = summarize(a - b)
    return PairedComparison(
        summarize(a),
        summarize(b),
        difference,
        int(np.count_nonzero(a != b)),
        paired_test(a, b) if ((a - b) != (a - b)[0]).any() else None,
        randomization_test(a, b, random_state=random_state),
        bootstrap_interval(a, b, random_state=random_state),
        count_needed_queries(difference.mean, difference.sd) if difference.mean else None,
    )


def count_needed_queries(difference: float, sd: float, power: float = POWER, level: float = LEVEL) -> int:
    """Count the queries that a two-sided paired test needs to find a difference of this size.

    n = ((z(1 - alpha/2) + z(1 - beta)) s / d)^2, rounded up and at least 2; z is the quantile of the normal
    distribution, which the mean of n differences follows closely.

    Parameters
    ----------
    difference : float
        Mean of a - b: d, not 0.
    sd : float
        Standard deviation of a - b over the queries, s.
    power : float, default 0.8
        Probability that the test finds the difference.
    level : float, default 0.05
        Probability that it finds one where there is none.

    Examples
    --------
    On MQ2008, two systems' ERR differs by .11 from query to query: its 784 queries resolve about .011, not .002.

    >>> count_needed_queries(0.011, 0.11), count_needed_queries(0.002, 0.11)
    (785, 23743)
    """
    check_number("difference", difference)
    spread = _sum_quantiles(power, level) * check_number("sd", sd, at_least=0)
    ratio = spread / difference if difference else math.inf
    if math.isinf(ratio * ratio):
        raise ValueError(f"difference is {difference:g}: no number of queries finds it where sd is {sd:g}")
    return max(2, math.ceil(ratio * ratio))


def find_resolved_difference(n_queries: int, sd: float, power: float = POWER, level: float = LEVEL) -> float:
    """Find the smallest difference that the queries resolve: the formula of `count_needed_queries`, solved for d.

    Parameters
    ----------
    n_queries : int
        At least 2.
    sd, power, level : float
        As in `count_needed_queries`.

    Examples
    --------
    >>> [round(find_resolved_difference(n, 0.11), 4) for n in (784, 12_000)]
    [0.011, 0.0028]
    """
    check_integer("n_queries", n_queries, 2)
    return _sum_quantiles(power, level) * check_number("sd", sd, at_least=0) / math.sqrt(n_queries)


def _sum_quantiles(power: float, level: float) -> float:
    """Add z(1 - alpha/2) and z(1 - beta)."""
    check_number("power", power, above=0.5, at_most=0.999)
    check_number("level", level, above=0, at_most=0.5)
    z = NormalDist().inv_cdf
    return z(1 - level / 2) + z(power)

"""Differences between two rankers with 95% intervals, by the paired bootstrap over queries or by Student's t.

Arguments a and b are a metric of the same queries, (n_queries,).
"""

from dataclasses import dataclass
from typing import Literal

import numpy as np
from numpy.typing import ArrayLike

from refrank.metrics import bootstrap_interval, paired_test, summarize

N_RESAMPLES = 1_999  # the ends of the interval then vary by about a thirtieth of its length


@dataclass(frozen=True)
class MeanDifference:
    """Mean of a - b, and its interval."""

    mean: float
    low: float
    high: float

    @property
    def verdict(self) -> Literal["holds", "does not hold", "not decided"]:
        """Whether a is above b by the interval."""
        return "holds" if self.low > 0 else "does not hold" if self.high < 0 else "not decided"

    def __str__(self) -> str:
        """Return "+1.25 [+1.01, +1.49]"."""
        return f"{self.mean:+.2f} [{self.low:+.2f}, {self.high:+.2f}]"


def compute_difference(a: ArrayLike, b: ArrayLike) -> MeanDifference:
    """Compute the mean of a - b, and its paired bootstrap interval over the queries.

    >>> print(compute_difference([52, 51, 53, 52], [50, 50, 50, 50]))
    +2.00 [+1.25, +2.75]
    """
    interval = bootstrap_interval(a, b, n_resamples=N_RESAMPLES)
    return MeanDifference(summarize(np.subtract(a, b)).mean, interval.low, interval.high)


def is_significant(a: ArrayLike, b: ArrayLike) -> bool:
    """Return whether the paired t-test, two-sided, finds a difference at the 5% level."""
    try:
        return paired_test(a, b).p_value < 0.05
    except ValueError:  # a - b is the same for every query
        return False


def compute_t_interval(values: ArrayLike) -> tuple[float, float]:
    """Compute the 95% interval of the mean of values, (n,), by Student's t; NaN for one value.

    >>> [round(end, 2) for end in compute_t_interval([80, 82, 84])]
    [77.03, 86.97]
    """
    from scipy import stats

    summary = summarize(values)
    half = float(stats.t.ppf(0.975, summary.n_queries - 1)) * summary.sd / summary.n_queries**0.5
    return summary.mean - half, summary.mean + half

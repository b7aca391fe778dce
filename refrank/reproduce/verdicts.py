"""Verdicts on claims that other training data do not reverse.

A claim is that one ranker is above another. It is measured on several training sets; each set has test queries of its
own. Two 95% intervals by Student's t are about the mean difference:

    over     values                                       other draws of
    queries  the differences of all queries of all sets   the test queries, with these training sets
    sets     the mean difference of each training set     training set and test queries together

A claim holds, or does not hold, only where both intervals leave out 0 on the same side and the p-value over the
training sets, by Holm's method over the claims of the table, is below .05.
"""

import warnings
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from refrank.arrays import Floats
from refrank.metrics import summarize
from refrank.reproduce.intervals import MeanDifference, compute_t_interval
from refrank.reproduce.tables import write_table

LEVEL = 0.05  # of all claims of a table together
Differences = Mapping[str, Floats]  # of one training set: claim -> difference of each test query, (n_queries,)


@dataclass(frozen=True)
class ClaimVerdict:
    """A claim, its difference with both intervals, and whether it holds."""

    claim: str
    queries: MeanDifference  # over the queries
    sets: MeanDifference  # over the training sets
    n_sets: int
    p_value: float  # over the training sets, by Holm's method

    @property
    def word(self) -> str:
        """Whether the claim holds: only what both intervals and the p-value say."""
        agree = self.queries.verdict == self.sets.verdict and self.p_value < LEVEL
        return self.sets.verdict if agree else "not decided"

    def to_json(self) -> dict[str, Any]:
        """Return the fields of the verdict for a file."""
        intervals = {name: [of.low, of.high] for name, of in (("queries", self.queries), ("sets", self.sets))}
        return {"claim": self.claim, "mean": self.sets.mean, **intervals, "p": self.p_value, "verdict": self.word}


def judge_claims(sets: Sequence[Differences]) -> list[ClaimVerdict]:
    """Judge each claim by training sets which all measure the same claims; one set decides nothing.

    >>> lucky = [{"a above b": np.array([0.9, 1.1])}, {"a above b": np.array([-0.1, 0.0])}]
    >>> [verdict.word for verdict in judge_claims(lucky)]
    ['not decided']
    """
    means = {claim: [summarize(of[claim]).mean for of in sets] for claim in sets[0]}
    p_values = adjust_p_values([compute_p_value(of) for of in means.values()])
    return [
        ClaimVerdict(
            claim,
            measure_mean(np.concatenate([of[claim] for of in sets])),
            measure_mean(means[claim]),
            len(sets),
            p_value,
        )
        for claim, p_value in zip(means, p_values, strict=True)
    ]


def measure_mean(values: Sequence[float] | Floats) -> MeanDifference:
    """Compute the mean of differences, (n,), and its interval."""
    return MeanDifference(summarize(values).mean, *compute_t_interval(values))


def join_sets(a: MeanDifference, n_a: int, b: MeanDifference, n_b: int) -> MeanDifference:
    """Compute mean and interval over the training sets of two studies together, n_a and n_b, from those of each.

    >>> first, more = [1.0, 2.0, 4.0], [0.0, 1.0]
    >>> together = join_sets(measure_mean(first), 3, measure_mean(more), 2)
    >>> print(together, "is", measure_mean(first + more))
    +1.60 [-0.28, +3.48] is +1.60 [-0.28, +3.48]
    """
    from scipy import stats

    n = n_a + n_b
    mean = (n_a * a.mean + n_b * b.mean) / n
    halves = [(of.high - of.low) / 2 / float(stats.t.ppf(0.975, k - 1)) for of, k in ((a, n_a), (b, n_b))]
    squares = sum(half**2 * k * (k - 1) for half, k in zip(halves, (n_a, n_b), strict=True))
    squares += n_a * n_b / n * (a.mean - b.mean) ** 2
    half = float(stats.t.ppf(0.975, n - 1)) * (squares / (n - 1) / n) ** 0.5
    return MeanDifference(mean, mean - half, mean + half)


def compute_p_value(means: Sequence[float]) -> float:
    """Compute the two-sided p-value of the t-test that means, (n_sets,), are 0 in the mean; 1 if all are 0."""
    from scipy import stats

    if not np.any(means):
        return 1.0
    with warnings.catch_warnings():  # of means that are equal, whose p-value is 0
        warnings.simplefilter("ignore", RuntimeWarning)
        return float(stats.ttest_1samp(means, 0.0).pvalue)


def adjust_p_values(p_values: Sequence[float]) -> list[float]:
    """Adjust p-values by Holm's method: each is below a level if Holm rejects at that level.

    >>> adjust_p_values([0.04, 0.01, 0.03])
    [0.06, 0.03, 0.06]
    """
    order, adjusted = np.argsort(p_values, kind="stable"), np.empty(len(p_values))
    factors = np.arange(len(p_values), 0, -1)
    adjusted[order] = np.minimum(1.0, np.maximum.accumulate(factors * np.asarray(p_values)[order]))
    return [float(p) for p in adjusted]


def write_verdicts(verdicts: Sequence[ClaimVerdict], digits: int) -> list[str]:
    """Write a row per claim: mean, both intervals, p-value and verdict."""
    rows = [("", ["mean", "over queries", "over training sets", "p by Holm", "verdict"])]
    rows += [(f"  {of.claim}", [*write_intervals(of, digits), f"{of.p_value:.2g}", of.word]) for of in verdicts]
    return write_table(rows, max(len(name) for name, _ in rows), 22)


def write_intervals(of: ClaimVerdict, digits: int) -> list[str]:
    """Write mean and both intervals; one training set has no interval over the sets."""
    ends = [f"[{at.low:+.{digits}f}, {at.high:+.{digits}f}]" for at in (of.queries, of.sets)]
    return [f"{of.sets.mean:+.{digits}f}", ends[0], ends[1] if of.n_sets > 1 else "-"]

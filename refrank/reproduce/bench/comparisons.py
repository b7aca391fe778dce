"""The comparisons of a bench: the mean of each system, and every pair of systems, by one measure.

The pairs are one family. Holm's method adjusts the p-values of each test over all of them, so a reader may pick a pair
after looking at the means, as the best system is picked: each of them is below `LEVEL` by chance in 5% of benches at
most, whichever it is.

symbol      in code
m           n_pairs     n_systems (n_systems - 1) / 2
-           resolved    the difference that the t-test finds with probability .8 in the first step of Holm's method,
                        at the level .05 / m
"""

from collections.abc import Iterable
from dataclasses import dataclass
from itertools import combinations

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.metrics import (
    BootstrapInterval,
    Measure,
    PairedComparison,
    Summary,
    bootstrap_interval,
    compare_systems,
    find_resolved_difference,
    summarize,
)
from refrank.reproduce.bench.result import BenchResult
from refrank.reproduce.verdicts import LEVEL, adjust_p_values

SEED = 0  # of the randomization tests and of the bootstrap


@dataclass(frozen=True, eq=False)
class SystemMean:
    """A system by one measure."""

    name: str
    summary: Summary  # over the queries of all folds
    interval: BootstrapInterval | None  # of the mean; None for one query
    fold_means: Floats  # (n_folds,), NaN where the convention skips every query


@dataclass(frozen=True)
class SystemPair:
    """Two systems by one measure; the mean of a is at least that of b."""

    a: str
    b: str
    compared: PairedComparison
    n_above: int  # queries for which a is above b
    p_t: float  # as adjusted; 1 where a - b has no spread
    p_randomization: float  # as adjusted
    resolved: float

    @property
    def differs(self) -> bool:
        """Whether both tests find a difference."""
        return max(self.p_t, self.p_randomization) < LEVEL

    @property
    def counts(self) -> tuple[int, int, int]:
        """Queries for which a is above b, below it, and equal."""
        n_differ = self.compared.n_differ
        return self.n_above, n_differ - self.n_above, self.compared.difference.n_queries - n_differ


@dataclass(frozen=True, eq=False)
class MeasureComparison:
    """All systems by one measure."""

    measure: Measure
    systems: tuple[SystemMean, ...]  # in the order of the result
    pairs: tuple[SystemPair, ...]  # the family; none where only one query counts

    @property
    def ranked(self) -> list[SystemMean]:
        """The systems, the highest mean first; of equal means, the first in the order of the result."""
        return sorted(self.systems, key=lambda system: -system.summary.mean)

    @property
    def best(self) -> str:
        """The system of the highest mean."""
        return self.ranked[0].name

    def find_pair(self, a: str, b: str) -> SystemPair | None:
        """Find the pair of two systems, in either order; None if they are the same or were not compared."""
        return next((pair for pair in self.pairs if {pair.a, pair.b} == {a, b}), None)

    def is_close(self, name: str) -> bool:
        """Return whether a system other than the best is not told apart from it."""
        pair = self.find_pair(self.best, name)
        return name != self.best and (pair is None or not pair.differs)


def compare_measures(result: BenchResult) -> tuple[MeasureComparison, ...]:
    """Compare all systems by each measure.

    Raises ValueError where a measure is NaN for one system and not for another, or for every query.
    """
    return tuple(compare_by_measure(result, measure) for measure in result.measures)


def compare_by_measure(result: BenchResult, measure: Measure) -> MeasureComparison:
    """Compare all systems by one measure."""
    values = result.values[str(measure)]  # (n_systems, n_queries)
    systems = tuple(
        summarize_system(name, of, result.fold_of_query, len(result.folds))
        for name, of in zip(result.systems, values, strict=True)
    )
    ranked = MeasureComparison(measure, systems, ()).ranked
    rows = dict(zip(result.systems, values, strict=True))
    enough = ranked[0].summary.n_queries > 1
    pairs = compare_pairs({system.name: rows[system.name] for system in ranked}) if enough else ()
    return MeasureComparison(measure, systems, tuple(pairs))


def summarize_system(name: str, values: Floats, fold_of_query: Ints, n_folds: int) -> SystemMean:
    """Summarize the values of one system, (n_queries,)."""
    summary = summarize(values)
    interval = bootstrap_interval(values, 0 * values, random_state=SEED) if summary.n_queries > 1 else None
    folds = (values[fold_of_query == fold] for fold in range(n_folds))
    return SystemMean(name, summary, interval, np.array([find_mean(of) for of in folds]))


def find_mean(values: Floats) -> float:
    """Return the mean of the values that are not NaN; NaN if there is none."""
    return np.nan if np.isnan(values).all() else summarize(values).mean


def compare_pairs(rows: dict[str, Floats]) -> Iterable[SystemPair]:
    """Compare every pair of systems, which stand by falling mean; each has values, (n_queries,)."""
    pairs = {(a, b): compare_systems(rows[a], rows[b], SEED) for a, b in combinations(rows, 2)}
    t_tests = adjust_p_values([of.t_test.p_value if of.t_test else 1.0 for of in pairs.values()])
    randomized = adjust_p_values([of.randomization.p_value for of in pairs.values()])
    for ((a, b), compared), p_t, p_randomization in zip(pairs.items(), t_tests, randomized, strict=True):
        n_above = int(np.count_nonzero(rows[a] > rows[b]))
        difference = compared.difference
        resolved = find_resolved_difference(difference.n_queries, difference.sd, level=LEVEL / len(pairs))
        yield SystemPair(a, b, compared, n_above, p_t, p_randomization, resolved)

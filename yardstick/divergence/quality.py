"""Whether two rankings are equally good, as far as the queries can tell: the words of the statistical mode.

Fisher's randomization test counts the swaps of both systems' values, query by query, that make at least as large a
difference as was observed. Of the n queries that differ there are 2**n swaps, and the largest difference is that of two
of them, which mirror each other: no p-value is below 2**(1 - n). Beyond N_RESAMPLES swaps, a sample of them is drawn:
no p-value is below 2 / (N_RESAMPLES + 1).
"""

from itertools import count
from typing import NamedTuple

import numpy as np

from refrank.arrays import Floats
from refrank.metrics.significance import N_RESAMPLES, randomization_test

SIGNIFICANT = 0.01  # a p-value below this tells two rankings apart
EQUAL, NOT_TOLD_APART, TOLD_APART, TOO_FEW = "equal", "not told apart", "told apart", "too few queries"


class QualityTest(NamedTuple):
    """The NDCG of two rankings, compared query by query."""

    p_value: float | None  # None where no test is made: no query differs, or too few do
    smallest_p: float  # the least that so many queries can give
    n_differing: int  # queries whose values differ
    n_needed: int  # queries that must differ for any p-value below SIGNIFICANT
    verdict: str

    @property
    def passes(self) -> bool:
        """Whether the rankings may count as equally good."""
        return self.verdict in (EQUAL, NOT_TOLD_APART)

    def __str__(self) -> str:
        """Describe the test in words."""
        if self.p_value is not None:
            return f"{self.verdict} by a randomization test, p = {self.p_value:.3g}"
        few = f"{self.n_differing} queries differ, which give no p below {self.smallest_p:.3g}"
        return few + f": it takes {self.n_needed} that differ to tell rankings apart" if self.n_differing else EQUAL


def compare_quality(ours: Floats, theirs: Floats) -> QualityTest:
    """Test whether a port's NDCG, (n_queries,), differs from refrank's by more than chance; NaN: both skip a query."""
    n_differing = int(np.count_nonzero((ours != theirs) & ~(np.isnan(ours) & np.isnan(theirs))))
    n_needed = next(n for n in count() if bound_p_value(n) < SIGNIFICANT)
    p_value, verdict = None, EQUAL if n_differing == 0 else TOO_FEW
    if n_differing >= n_needed:
        p_value = randomization_test(ours, theirs).p_value
        verdict = TOLD_APART if p_value < SIGNIFICANT else NOT_TOLD_APART
    return QualityTest(p_value, bound_p_value(n_differing), n_differing, n_needed, verdict)


def bound_p_value(n_differing: int) -> float:
    """Return the smallest p-value that so many queries with different values can give."""
    n_swaps = 2**n_differing
    return min(1.0, 2 / (n_swaps if n_swaps <= N_RESAMPLES else N_RESAMPLES + 1))

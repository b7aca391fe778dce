"""`yardstick.divergence.quality`: the statistical mode tells rankings apart where enough queries differ, or refuses."""

import numpy as np
import pytest

from refrank.metrics.significance import randomization_test
from yardstick.divergence.quality import (
    EQUAL,
    NOT_TOLD_APART,
    SIGNIFICANT,
    TOLD_APART,
    TOO_FEW,
    bound_p_value,
    compare_quality,
)


@pytest.mark.parametrize("n", [1, 2, 3, 7, 8, 13, 40])
def test_no_test_of_so_many_queries_has_a_smaller_p_value(n):
    ours = np.append(np.linspace(0.5, 1.0, n), [0.25, 0.25])  # two queries do not differ
    theirs = ours - np.append(np.linspace(0.1, 0.4, n), [0.0, 0.0])
    assert bound_p_value(n) == pytest.approx(randomization_test(ours, theirs).p_value)
    tested = compare_quality(ours, theirs)
    assert (tested.n_differing, tested.n_needed, tested.smallest_p) == (n, 8, bound_p_value(n))
    assert tested.verdict == (TOLD_APART if n >= 8 else TOO_FEW)
    assert (tested.p_value is None) == (n < 8)
    assert not tested.passes


@pytest.mark.parametrize("n", [1, 8, 40])
def test_equal_values_and_chance_pass(n):
    ours = np.append(np.linspace(0.5, 1.0, n), np.nan)
    assert compare_quality(ours, ours) == (None, 1.0, 0, 8, EQUAL)
    by_chance = compare_quality(ours, ours + 0.1 * (-1) ** np.arange(n + 1))
    assert by_chance.verdict == (NOT_TOLD_APART if n >= 8 else TOO_FEW)
    assert by_chance.passes == (n >= 8)
    assert n < 8 or by_chance.p_value > SIGNIFICANT


@pytest.mark.parametrize(
    ("theirs", "message"),
    [
        (np.zeros(8), "theirs"),
        (np.append(np.zeros(8), np.nan), "both must skip"),
        (np.append(np.zeros(8), np.inf), "b at row 8 is inf"),
    ],
)
def test_values_that_are_no_ndcg_of_the_same_queries_are_refused(theirs, message):
    with pytest.raises(ValueError, match=message):
        compare_quality(np.linspace(0.5, 1.0, 9), theirs)

"""`yardstick.divergence.quality`: the statistical mode tells rankings apart where enough queries differ, or refuses."""

import numpy as np
import pytest

from refrank.metrics.significance import randomization_test
from yardstick.divergence.quality import EQUAL, NOT_TOLD_APART, TOLD_APART, TOO_FEW, bound_p_value, compare_quality


@pytest.mark.parametrize("n", [1, 2, 7, 8, 13, 40])
def test_eight_queries_that_differ_tell_rankings_apart_or_not(n):
    ours = np.append(np.linspace(0.5, 1.0, n), [0.25, np.nan])  # two queries do not differ
    theirs = ours - np.append(np.linspace(0.1, 0.4, n), [0.0, 0.0])
    by_chance = ours + np.append(0.1 * (-1) ** np.arange(n), [0.0, 0.0])
    assert bound_p_value(n) == pytest.approx(randomization_test(ours, theirs).p_value)
    for other, verdict in (theirs, TOLD_APART), (by_chance, NOT_TOLD_APART):
        tested = compare_quality(ours, other)
        assert tested[1:] == (bound_p_value(n), n, 8, verdict if n >= 8 else TOO_FEW)
        assert (tested.p_value is None) == (n < 8)
        assert tested.passes == (n >= 8 and verdict == NOT_TOLD_APART)
    assert compare_quality(ours, ours) == (None, 1.0, 0, 8, EQUAL)
    assert compare_quality(ours, ours).passes


@pytest.mark.parametrize(
    ("values", "message"), [([], "theirs"), ([np.nan], "both must skip"), ([np.inf], "b at row 8 is inf")]
)
def test_values_that_are_no_ndcg_of_the_same_queries_are_refused(values, message):
    with pytest.raises(ValueError, match=message):
        compare_quality(np.linspace(0.5, 1.0, 9), np.array([0.0] * 8 + values))

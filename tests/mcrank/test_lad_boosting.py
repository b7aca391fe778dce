"""`refrank.mcrank.lad_boosting`: Friedman's Algorithm 3, on his Algorithm 1."""

import math
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mcrank.boosters import BY_LOSS, oracle_tree, relevance_gain
from tests.oracles import mcrank as naive_mcrank
from tests.strategies import ranking_cases

pytestmark = pytest.mark.kernel

LAD = BY_LOSS["lad"]


@pytest.mark.paper(
    "Friedman 2001 Alg. 1, line 1",
    "Friedman 2001 Alg. 1, line 2",
    "Friedman 2001 Alg. 1, line 3",
    "Friedman 2001 Alg. 1, line 4",
    "Friedman 2001 Alg. 1, line 5",
    "Friedman 2001 Alg. 1, line 6",
)
@pytest.mark.paper("Friedman 2001 Alg. 3, line 1", "Friedman 2001 Alg. 3, line 3", "Friedman 2001 Alg. 3, line 5")
@given(ranking_cases(max_samples=14), st.sampled_from([1.0, 0.5, 0.05]))
def test_scores_equal_the_transcription_of_algorithm_3(case, learning_rate):
    target = relevance_gain(case.y).tolist()
    expected = naive_mcrank.friedman_algorithm_3(target, 4, learning_rate, oracle_tree(case))
    assert LAD(case, 4, learning_rate).scores.tolist() == expected


@given(ranking_cases(max_samples=14))
def test_no_step_adds_to_the_absolute_error_and_each_is_a_part_of_a_leafs_value(case):
    """A part of the way to a leaf's median never adds to its sum of absolute errors; all is exact here."""
    boosted = LAD(case, 4, 0.5)
    for (tree,), (before, after) in zip(boosted.trees, pairwise(boosted.scores), strict=True):
        assert math.fsum(abs(relevance_gain(case.y) - after)) <= math.fsum(abs(relevance_gain(case.y) - before))
        assert set(((after - before) * 2).tolist()) <= set(tree.value[tree.feature < 0].tolist())

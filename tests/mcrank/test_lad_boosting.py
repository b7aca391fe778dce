"""`refrank.mcrank.lad_boosting`: Friedman's Algorithm 3, on his Algorithm 1."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mcrank.boosters import BY_LOSS, oracle_tree, relevance_gain
from tests.oracles import mcrank as naive_mcrank
from tests.strategies import RankingCase

pytestmark = pytest.mark.kernel

LAD = BY_LOSS["lad"]


@st.composite
def problems(draw):
    """Rows of two features with ties, and labels 0..3."""
    n = draw(st.integers(2, 14))
    X = draw(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 5)), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return RankingCase(np.array(X, float), np.array(y), 4, n_leaves=3, n_bins=256)


@pytest.mark.paper(
    "Friedman 2001 Alg. 1, line 1",
    "Friedman 2001 Alg. 1, line 2",
    "Friedman 2001 Alg. 1, line 3",
    "Friedman 2001 Alg. 1, line 4",
    "Friedman 2001 Alg. 1, line 5",
    "Friedman 2001 Alg. 1, line 6",
)
@pytest.mark.paper("Friedman 2001 Alg. 3, line 1", "Friedman 2001 Alg. 3, line 3", "Friedman 2001 Alg. 3, line 5")
@given(problems(), st.sampled_from([1.0, 0.5, 0.05]))
def test_scores_equal_the_transcription_of_algorithm_3(case, learning_rate):
    boosted, target = LAD(case, 4, learning_rate), relevance_gain(case.y).tolist()
    expected = naive_mcrank.friedman_algorithm_3(target, 4, learning_rate, oracle_tree(case))
    assert [boosted.start.tolist(), *(scores.tolist() for scores in boosted.states)] == expected


@given(problems(), st.data())
def test_a_row_of_weight_two_is_that_row_twice_in_every_median(case, data):
    weight = np.array(data.draw(st.lists(st.sampled_from([1.0, 2.0, 5.0]), min_size=len(case.y), max_size=len(case.y))))
    rows = np.repeat(np.arange(len(case.y)), weight.astype(int))
    weighed, repeated = LAD(case, 3, 0.5, weight=weight), LAD(case.take(rows), 3, 0.5)
    assert [scores[rows].tolist() for scores in weighed.states] == [scores.tolist() for scores in repeated.states]


@given(problems())
def test_no_step_adds_to_the_absolute_error_and_each_is_a_part_of_a_leafs_value(case):
    """A part of the way to a leaf's median never adds to its sum of absolute errors; all is exact here."""
    boosted = LAD(case, 4, 0.5)
    rounds = list(pairwise([boosted.start, *boosted.states]))
    for (tree,), (before, after) in zip(boosted.trees, rounds, strict=True):
        assert math.fsum(abs(relevance_gain(case.y) - after)) <= math.fsum(abs(relevance_gain(case.y) - before))
        assert set(((after - before) * 2).tolist()) <= set(tree.value[tree.feature < 0].tolist())

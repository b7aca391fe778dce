"""`refrank.mcrank.ls_boosting`: Algorithm 2 as transcribed; tests/mcrank/test_boosters.py has more."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank.ls_boosting import ls_boosting
from tests.mcrank.boosters import LS, fixed_case, oracle_tree, relevance_gain
from tests.oracles import mcrank as naive_mcrank
from tests.oracles import trees as naive
from tests.strategies import ranking_cases, weights

pytestmark = pytest.mark.kernel


def all_scores(case, *settings, **named) -> np.ndarray:
    """S after each round from 0."""
    boosted = LS(case, *settings, **named)
    return np.array([boosted.start, *boosted.states])


@pytest.mark.paper(
    "McRank Alg. 2, line 1",
    "McRank Alg. 2, line 2",
    "McRank Alg. 2, line 3",
    "McRank Alg. 2, line 4",
    "McRank Alg. 2, line 5",
)
@given(ranking_cases(max_samples=16), st.sampled_from([1.0, 0.1, 0.05]))
def test_scores_equal_the_transcription_of_algorithm_2(case, learning_rate):
    expected = naive_mcrank.algorithm_2(case.y.tolist(), 3, learning_rate, oracle_tree(case))
    assert all_scores(case, 3, learning_rate).tolist() == expected


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_are_near_the_letter_of_algorithm_2(seed):
    """Sums without a grid. Tolerance 1e-12: residuals below 8 move by 2**(L - 50), 1e-13, and steps shrink by nu."""
    case = fixed_case(n_samples=50, seed=seed)
    expected = naive_mcrank.algorithm_2(case.y.tolist(), 6, 0.1, oracle_tree(case), total=naive_mcrank.plain_total)
    np.testing.assert_allclose(all_scores(case, 6), expected, rtol=0, atol=1e-12)


@given(ranking_cases())
def test_gains_of_the_cuts_add_up_to_the_error_taken_off(case):
    """One full step on the residual of round 1: the sum of split_gain is the squared error before less after.

    Tolerance 2**-40 of the first error: some ten cuts, each rounding a gain that may be a small difference.
    """
    boosted, target = LS(case, 1, 1.0), relevance_gain(case.y)
    before, after = (math.fsum((target - S) ** 2) for S in (boosted.start, boosted.states[0]))
    assert abs(math.fsum(boosted.trees[0][0].split_gain) - (before - after)) <= 2**-40 * before


@given(ranking_cases(), st.integers(-100, 100))
def test_a_power_of_two_on_the_target_scales_the_scores_exactly(case, power):
    target = relevance_gain(case.y)
    targets = target, np.ldexp(target, power)
    one, other = ([turn.scores.copy() for turn in ls_boosting(y, case.grower(), 3, 0.1)] for y in targets)
    np.testing.assert_array_equal(np.ldexp(one, power), other)


@given(ranking_cases(), st.data())
def test_weighted_first_scores_are_the_weighted_mean(case, data):
    weight = data.draw(weights(len(case.y), ("whole", "with zeros", "any", "all scales")))
    numerator = naive.grid_total((weight * relevance_gain(case.y)).tolist(), range(len(case.y)))
    mean = numerator / naive.grid_total(weight.tolist(), range(len(case.y)))
    assert (LS(case, 1, weight=weight).start == mean).all()


def test_the_first_record_stays_as_it_was():
    case = fixed_case()
    first, *later = ls_boosting(relevance_gain(case.y), case.grower(), 2, 0.1)
    mean = math.fsum(relevance_gain(case.y)) / len(case.y)
    assert (first.number, first.tree, set(first.scores.tolist())) == (0, None, {mean})
    assert [turn.number for turn in later] == [1, 2]

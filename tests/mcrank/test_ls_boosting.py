"""`refrank.mcrank.ls_boosting`: Algorithm 2 as transcribed; tests/mcrank/test_boosters.py has more."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.mcrank.boosters import BOOSTERS, BY_LOSS, fixed_case, oracle_tree
from tests.oracles import mcrank as naive_mcrank
from tests.strategies import ranking_cases, weights

pytestmark = pytest.mark.kernel

AS_PRINTED = BOOSTERS["as printed"]


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
    assert AS_PRINTED(case, 3, learning_rate).scores.tolist() == expected


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_are_near_the_letter_of_algorithm_2(seed):
    """Sums without a grid. Tolerance 1e-12: residuals below 8 move by 2**(L - 50), 1e-13, and steps shrink by nu."""
    case = fixed_case(n_samples=50, seed=seed)
    expected = naive_mcrank.algorithm_2(case.y.tolist(), 6, 0.1, oracle_tree(case), total=naive_mcrank.plain_total)
    np.testing.assert_allclose(AS_PRINTED(case, 6).scores, expected, rtol=0, atol=1e-12)


@given(ranking_cases(), st.data(), st.sampled_from([1.0, 0.1, 0.05]))
def test_the_record_of_least_squares_gives_the_bits_of_the_printed_algorithm(case, data, learning_rate):
    weight = data.draw(weights(len(case.y), ("none", "whole", "with zeros", "any")))
    printed, by_loss = (booster(case, 4, learning_rate, weight) for booster in (AS_PRINTED, BY_LOSS["ls"]))
    assert printed.scores.tobytes() == by_loss.scores.tobytes()
    for (tree,), (same,) in zip(printed.trees, by_loss.trees, strict=True):
        assert all(getattr(tree, name).tobytes() == array.tobytes() for name, array in vars(same).items())

"""`refrank.mcrank.ls_boosting`: Algorithm 2, equal to its transcription and to itself however it is computed."""

import math
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank.ls_boosting import LSModel, ls_boosting
from refrank.trees import splitting
from refrank.trees.engine import DEFAULT_SPLITTER
from tests.mcrank.test_softmax_boosting import fixed_case, grower, oracle_tree
from tests.oracles import mcrank as naive_mcrank
from tests.oracles import trees as naive
from tests.strategies import SEEDS, THREADS, RankingCase, ranking_cases, rng_of, weights

pytestmark = pytest.mark.kernel


def gain(y: np.ndarray) -> np.ndarray:
    """y~ = 2^y - 1."""
    return np.ldexp(1.0, y) - 1.0


def boost(case: RankingCase, n_rounds=3, learning_rate=0.1, weight=None, target=None, **grow_arguments):
    """Return the trees of all rounds, and S after each round from 0."""
    target = gain(case.y) if target is None else target
    turns = ls_boosting(target, grower(case, **grow_arguments), n_rounds, learning_rate, weight)
    rounds = [(turn.tree, turn.scores.copy()) for turn in turns]
    return [tree for tree, _ in rounds[1:]], np.array([scores for _, scores in rounds])


@given(ranking_cases(max_samples=16), st.sampled_from([1.0, 0.1, 0.05]))
def test_scores_equal_the_transcription_of_algorithm_2(case, learning_rate):
    _, scores = boost(case, learning_rate=learning_rate)
    assert scores.tolist() == naive_mcrank.algorithm_2(case.y.tolist(), 3, learning_rate, oracle_tree(case))


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_are_near_the_letter_of_algorithm_2(seed):
    """Sums without a grid. Tolerance 1e-12: residuals below 8 move by 2**(L - 50), 1e-13, and steps shrink by nu."""
    case = fixed_case(n_samples=50, seed=seed)
    _, scores = boost(case, n_rounds=6)
    expected = naive_mcrank.algorithm_2(case.y.tolist(), 6, 0.1, oracle_tree(case), total=naive_mcrank.plain_total)
    np.testing.assert_allclose(scores, expected, rtol=0, atol=1e-12)


@given(ranking_cases(), st.sampled_from([1.0, 0.5, 0.05]))
def test_the_squared_error_never_rises(case, learning_rate):
    """A step nu to a leaf's mean takes (2 nu - nu^2) n mean^2 off its squared error; rounding aside, never adds."""
    _, scores = boost(case, n_rounds=5, learning_rate=learning_rate)
    target = gain(case.y)
    losses = [math.fsum((target - S) ** 2) for S in scores]
    slack = len(target) * float(target.max()) ** 2 * 2**-45  # n squares, whose roots are off by 2**-50 of the target
    assert all(after <= before + slack for before, after in pairwise(losses))


@given(ranking_cases())
def test_gains_of_the_cuts_add_up_to_the_error_taken_off(case):
    """One full step on the residual of round 1: the sum of split_gain is the squared error before less after.

    Tolerance 2**-40 of the first error: some ten cuts, each rounding a gain that may be a small difference.
    """
    (tree,), scores = boost(case, n_rounds=1, learning_rate=1.0)
    target = gain(case.y)
    before, after = (math.fsum((target - S) ** 2) for S in scores)
    assert abs(math.fsum(tree.split_gain) - (before - after)) <= 2**-40 * before


@given(ranking_cases(), st.integers(-100, 100))
def test_a_power_of_two_on_the_target_scales_the_scores_exactly(case, power):
    one, other = boost(case)[1], boost(case, target=np.ldexp(gain(case.y), power))[1]
    np.testing.assert_array_equal(np.ldexp(one, power), other)


@given(ranking_cases(), SEEDS)
def test_the_order_of_rows_and_weights_of_one_change_no_bit(case, seed):
    rows = rng_of(seed).permutation(len(case.y))
    other = RankingCase(case.X[rows], case.y[rows], case.n_classes, case.n_leaves, case.n_bins)
    one = boost(case)[1][:, rows]
    assert one.tobytes() == boost(other, weight=np.ones(len(rows)))[1].tobytes()


@given(ranking_cases(), THREADS, st.data())
def test_kernel_and_specification_give_the_same_scores(kernel, case, n_threads, data):
    weight = data.draw(weights(len(case.y), ("none", "whole", "with zeros", "any")))
    ours = boost(case, weight=weight, splitter=splitting)[1]
    assert ours.tobytes() == boost(case, weight=weight, splitter=kernel, n_threads=n_threads)[1].tobytes()


@given(ranking_cases(), st.data())
def test_weighted_first_scores_are_the_weighted_mean(case, data):
    weight = data.draw(weights(len(case.y), ("whole", "with zeros", "any", "all scales")))
    _, scores = boost(case, n_rounds=1, weight=weight)
    numerator = naive.grid_total((weight * gain(case.y)).tolist(), range(len(case.y)))
    assert (scores[0] == numerator / naive.grid_total(weight.tolist(), range(len(case.y)))).all()


def test_a_row_of_weight_two_is_that_row_twice():
    """The mean of line 1 is exact in both, as are sums of whole numbers; later residuals round on different grids.

    Tolerance 1e-11: as in the letter of Algorithm 2, with weights up to 3.
    """
    case = fixed_case()
    weight = rng_of(1).integers(1, 4, len(case.y)).astype(np.float64)
    rows = np.repeat(np.arange(len(case.y)), weight.astype(int))
    repeated = RankingCase(case.X[rows], case.y[rows], case.n_classes, case.n_leaves, case.n_bins)
    weighed, twice = boost(case, n_rounds=6, weight=weight)[1], boost(repeated, n_rounds=6)[1]
    np.testing.assert_array_equal(weighed[0][rows], twice[0])
    np.testing.assert_allclose(weighed[:, rows], twice, rtol=0, atol=1e-11)


@given(ranking_cases(), THREADS, st.data())
def test_predictions_of_training_rows_are_training_scores_to_the_bit(case, n_threads, data):
    weight = data.draw(weights(len(case.y), ("none", "with zeros", "any")))
    trees, scores = boost(case, weight=weight)
    model = LSModel(float(scores[0, 0]), tuple(trees), 0.1)
    assert model.scores(case.X, DEFAULT_SPLITTER, n_threads).tobytes() == scores[-1].tobytes()
    staged = [S.copy() for S in model.staged_scores(case.X, DEFAULT_SPLITTER, n_threads)]
    assert [S.tobytes() for S in staged] == [S.tobytes() for S in scores[1:]]


def test_the_first_record_is_the_mean_and_stays_as_it_was():
    case = fixed_case()
    turns = ls_boosting(gain(case.y), grower(case), 2, 0.1)
    first = next(turns)
    mean = math.fsum(gain(case.y)) / len(case.y)
    assert [turn.number for turn in turns] == [1, 2]
    assert (first.number, first.tree, set(first.scores.tolist())) == (0, None, {mean})


def test_one_full_step_on_distinct_rows_is_the_target():
    """J as large as the data, nu = 1: every leaf is a row, and whole numbers are on every grid."""
    y = np.array([0, 3, 1, 4])
    case = RankingCase(np.arange(4.0)[:, None], y, 5, 4, 256)
    assert boost(case, n_rounds=1, learning_rate=1.0)[1][-1].tolist() == [0.0, 7.0, 1.0, 15.0]

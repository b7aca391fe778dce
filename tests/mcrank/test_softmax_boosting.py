"""`refrank.mcrank.softmax_boosting`: Algorithm 1 as transcribed; tests/mcrank/test_boosters.py has more."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank.softmax_boosting import compute_curvature, compute_residual, proba_of_class, softmax
from refrank.trees.engine import Engine
from tests.mcrank.boosters import fixed_case, oracle_tree, softmax_booster, updates
from tests.oracles import mcrank as naive_mcrank
from tests.oracles.exponential import exp
from tests.strategies import SEEDS, RankingCase, ranking_cases, rng_of

pytestmark = pytest.mark.kernel


# --- the algorithm ---------------------------------------------------------------------------------------------------


@pytest.mark.paper(
    "McRank Alg. 1, line 0",
    "McRank Alg. 1, line 1",
    "McRank Alg. 1, line 2",
    "McRank Alg. 1, line 3",
    "McRank Alg. 1, line 6",
    "McRank Alg. 1, line 7",
)
@pytest.mark.paper("McRank Alg. 1, line 4", at="softmax_boosting_sequential")
@pytest.mark.paper("McRank Alg. 1, line 4", at="boost_classes")
@pytest.mark.paper("McRank Alg. 1, line 5", at="softmax_boosting_sequential")
@updates
@given(case=ranking_cases(max_samples=14), learning_rate=st.sampled_from([1.0, 0.1, 0.05]))
def test_scores_equal_the_transcription_of_algorithm_1(update, case, learning_rate):
    scores = softmax_booster(update)(case, 2, learning_rate).states[-1]
    settings = case.y.tolist(), case.n_classes, 2, learning_rate, oracle_tree(case), exp
    expected = naive_mcrank.algorithm_1(*settings, sequential=update == "sequential")
    assert scores.tolist() == expected


@updates
@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_are_near_the_letter_of_algorithm_1(update, seed):
    """Line 4 without taking the largest F off, math.exp, and sums without a grid.

    Tolerance 1e-12: a residual of size 1 moves by 2**(L - 53), 1e-14, on the grid; five rounds of steps below 1 add to
    less than a hundred times that. The data have no cuts that tie to within as much, or the trees would differ.
    """
    case = fixed_case(n_samples=40, seed=seed)
    expected = naive_mcrank.algorithm_1(
        case.y.tolist(), case.n_classes, 5, 0.1, oracle_tree(case), math.exp,
        sequential=update == "sequential", total=naive_mcrank.plain_total, line_4=naive_mcrank.softmax_as_printed,
    )  # fmt: skip
    np.testing.assert_allclose(softmax_booster(update)(case, 5).states[-1], expected, rtol=0, atol=1e-12)


@updates
def test_separable_data_stay_finite_over_many_large_steps(update):
    """Probabilities reach 0 and 1: denominators become 0, and their leaves have value 0."""
    case = RankingCase(np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2]), 3, 6, 256)
    scores = softmax_booster(update)(case, 300, learning_rate=1.0).states[-1]
    assert np.isfinite(scores).all()
    assert softmax(scores).argmax(axis=1).tolist() == case.y.tolist()


# --- derivatives -----------------------------------------------------------------------------------------------------


@given(st.integers(1, 70), st.sampled_from([np.int8, np.int16, np.int32, np.int64, np.uint8]), st.integers(1, 3), SEEDS)
def test_the_kernel_computes_the_same_derivatives(compiled, n_samples, kind, n_threads, seed):
    rng, engine = rng_of(seed), Engine(compiled, n_threads)
    y, proba = rng.integers(0, 3, 2 * n_samples).astype(kind)[::2], rng.choice([0.0, 1.0, rng.random()], n_samples)
    for k in range(3):
        assert compute_residual(y, k, proba, engine).tobytes() == compute_residual(y, k, proba).tobytes()
    assert compute_curvature(proba, engine).tobytes() == compute_curvature(proba).tobytes()


@pytest.mark.parametrize("n_threads", [1, 2, 3])
def test_threads_share_derivatives_of_many_rows(compiled, n_threads):
    rng, engine = rng_of(0), Engine(compiled, n_threads)
    y, proba = rng.integers(0, 3, 200_001), rng.random(200_001)
    assert compute_residual(y, 1, proba, engine).tobytes() == compute_residual(y, 1, proba).tobytes()
    assert compute_curvature(proba, engine).tobytes() == compute_curvature(proba).tobytes()


# --- softmax ---------------------------------------------------------------------------------------------------------


@pytest.mark.paper("McRank Alg. 1, line 4", at="softmax")
@given(st.integers(1, 70), st.integers(2, 6), st.sampled_from([0.1, 3.0, 300.0, 1e5]), SEEDS, st.sampled_from("CF"))
def test_softmax_equals_the_definition_row_by_row(n_samples, n_classes, scale, seed, order):
    scores = np.array(rng_of(seed).normal(scale=scale, size=(n_samples, n_classes)), order=order)
    proba = softmax(scores)
    for i in range(n_samples):
        assert proba[i].tolist() == naive_mcrank.softmax(scores[i].tolist(), exp)
    for k in range(n_classes):
        assert proba_of_class(scores, k).tobytes() == np.ascontiguousarray(proba[:, k]).tobytes()
    # Each entry rounds by 2**-53 of itself or so (exp by 1 ulp, K - 1 additions, one division).
    np.testing.assert_allclose([math.fsum(row) for row in proba.tolist()], 1.0, rtol=0, atol=(n_classes + 2) * 2**-52)

"""`refrank.mcrank.robust_logitboost`: step by step; test_boosters.py has more."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank.softmax_boosting import softmax
from refrank.trees import splitting
from refrank.trees.engine import Engine
from tests.mcrank.boosters import ROBUST, fixed_case, oracle_newton_tree, softmax_booster
from tests.oracles.exponential import exp
from tests.oracles.mcrank import plain_total
from tests.oracles.mcrank import softmax as naive_softmax
from tests.oracles.trees import grid_total
from tests.strategies import SEEDS, RankingCase, ranking_cases, rng_of

pytestmark = pytest.mark.kernel

BREAKS = """
Li 2010 robust LogitBoost, step 1 at refrank/mcrank/robust_logitboost.py::robust_logitboost
- np.zeros((len(y), n_classes), order="F")
+ np.ones((len(y), n_classes), order="F")

Li 2010 robust LogitBoost, step 2 at refrank/mcrank/robust_logitboost.py::robust_logitboost
- for m in range(1, n_rounds + 1):
+ for m in range(1, n_rounds):

Li 2010 robust LogitBoost, step 3 at refrank/mcrank/robust_logitboost.py::robust_logitboost
- divide_tasks(grow.engine, n_classes, len(y))
+ divide_tasks(grow.engine, n_classes - 1, len(y))

Li 2010 robust LogitBoost, step 4 at refrank/mcrank/robust_logitboost.py::step_classes
- grow.grow_all(roots)
+ type(grow)(grow.binned, 2).grow_all(roots)

Li 2010 robust LogitBoost, step 5 at refrank/mcrank/robust_logitboost.py::step_classes
- quotient(factor * leaves.residual_sum, leaves.weight_sum)
+ quotient(leaves.residual_sum, leaves.weight_sum)

Li 2010 robust LogitBoost, step 6 at refrank/mcrank/robust_logitboost.py::step_classes
- leaves.add_to(class_scores, learning_rate, values)
+ leaves.add_to(class_scores, 1.0, values)

Li 2010 robust LogitBoost, step 7 at refrank/mcrank/robust_logitboost.py::robust_logitboost
- proba = softmax(scores, grow.engine)
+ proba = softmax(0.5 * scores, grow.engine)
"""


def li_robust_logitboost(y, K, M, nu, tree, exp, total=grid_total):
    """F, (n_samples, K), in plain loops."""
    N = len(y)
    F = [[0.0] * K for i in range(N)]  # step 1
    for _m in range(1, M + 1):  # step 2
        p = [naive_softmax(F[i], exp) for i in range(N)]  # step 7
        for k in range(K):  # step 3
            r = [(1.0 if y[i] == k else 0.0) - p[i][k] for i in range(N)]
            w = [(1.0 - p[i][k]) * p[i][k] for i in range(N)]
            for R_j in tree(r, w):  # step 4
                denominator = total(w, R_j)
                beta = (K - 1) / K * total(r, R_j) / denominator if denominator else 0.0  # step 5
                for i in R_j:
                    F[i][k] = F[i][k] + nu * beta  # step 6
    return F


@pytest.mark.paper(
    "Li 2010 robust LogitBoost, step 1",
    "Li 2010 robust LogitBoost, step 2",
    "Li 2010 robust LogitBoost, step 3",
    "Li 2010 robust LogitBoost, step 4",
    "Li 2010 robust LogitBoost, step 5",
    "Li 2010 robust LogitBoost, step 6",
    "Li 2010 robust LogitBoost, step 7",
)
@given(case=ranking_cases(max_samples=14), learning_rate=st.sampled_from([1.0, 0.1, 0.05]))
def test_scores_equal_the_transcription(case, learning_rate):
    scores = ROBUST(case, 2, learning_rate).states[-1]
    settings = case.y.tolist(), case.n_classes, 2, learning_rate, oracle_newton_tree(case), exp
    assert scores.tolist() == li_robust_logitboost(*settings)


@pytest.mark.parametrize("seed", [0, 1])
def test_scores_are_near_sums_without_a_grid(seed):
    """Tolerance 1e-12, as for Algorithm 1 (test_softmax_boosting.py)."""
    case = fixed_case(n_samples=40, seed=seed)
    settings = case.y.tolist(), case.n_classes, 5, 0.1, oracle_newton_tree(case), math.exp, plain_total
    np.testing.assert_allclose(ROBUST(case, 5).states[-1], li_robust_logitboost(*settings), rtol=0, atol=1e-12)


def test_the_first_round_is_that_of_algorithm_1_and_later_trees_are_not():
    """All p are 1/K before the first: a gain is that of Algorithm 1, divided by p (1 - p)."""
    case = fixed_case()
    robust, plain = ROBUST(case, 5, 1.0), softmax_booster("simultaneous")(case, 5, 1.0)
    assert robust.states[0].tobytes() == plain.states[0].tobytes()
    assert [tree.cut.tolist() for tree in robust.trees[4]] != [tree.cut.tolist() for tree in plain.trees[4]]


def test_separable_data_stay_finite_over_many_large_steps():
    """Probabilities reach 0 and 1, and w is 0: LogitBoost's own r / w would be without bound."""
    case = RankingCase(np.arange(6.0)[:, None], np.array([0, 0, 1, 1, 2, 2]), 3, 6, 256)
    scores = ROBUST(case, 300, learning_rate=1.0).states[-1]
    assert np.isfinite(scores).all()
    assert softmax(scores).argmax(axis=1).tolist() == case.y.tolist()


@given(case=ranking_cases(), seed=SEEDS)
def test_the_order_of_rows_changes_no_bit(case, seed):
    order = rng_of(seed).permutation(len(case.y))
    scores = ROBUST(case).states[-1]
    assert ROBUST(case.take(order)).states[-1].tobytes() == scores[order].tobytes()


def test_two_bytes_per_entry_change_no_bit_between_kernel_and_specification(kernel):
    case = fixed_case(n_samples=700)
    case = RankingCase(case.X, case.y, case.n_classes, n_leaves=8, n_bins=65536)
    weight = rng_of(1).integers(1, 4, len(case.y)).astype(np.float64)
    ours = ROBUST(case, 4, 0.5, weight, Engine(splitting)).last
    assert ours == ROBUST(case, 4, 0.5, weight, Engine(kernel, 2)).last

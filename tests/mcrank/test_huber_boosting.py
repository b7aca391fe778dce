"""`refrank.mcrank.huber_boosting`: Friedman's Algorithm 4, line by line; test_boosters.py has more."""

from itertools import pairwise
from math import ceil
from statistics import median

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.mcrank import huber_boosting
from refrank.mcrank.huber_boosting import find_break_point, make_huber_loss
from tests.mcrank.boosters import BY_LOSS, booster_of, fixed_case, oracle_tree, relevance_gain
from tests.oracles.mcrank import plain_total
from tests.oracles.trees import grid_total
from tests.strategies import ranking_cases

pytestmark = pytest.mark.kernel

BREAKS = """
Friedman 2001 Alg. 4, line 1 at refrank/mcrank/huber_boosting.py::make_huber_loss
- start=median
+ start=exact_mean

Friedman 2001 Alg. 4, line 4 at refrank/mcrank/huber_boosting.py::find_break_point
- quantile(np.abs(residual), share, weight)
+ quantile(residual, share, weight)

Friedman 2001 Alg. 4, line 5 at refrank/mcrank/huber_boosting.py::hold_residual
- np.clip(residual, -delta, delta)
+ np.clip(residual, -1.0, 1.0)

Friedman 2001 Alg. 4, line 7 at refrank/mcrank/huber_boosting.py::step_groups
- compute_medians(groups)
+ np.array([exact_mean(*group) for group in groups])

Friedman 2001 Alg. 4, line 8 at refrank/mcrank/huber_boosting.py::step_groups
- np.clip(residual - middle, -delta, delta)
+ np.clip(residual, -delta, delta)
"""
SHARES = st.sampled_from([0.2, 0.5, 0.75, 0.9, 1.0])


def friedman_algorithm_4(y, M, nu, tree, alpha, total=grid_total):
    """F after each round 0..M, (M + 1, n_samples): Friedman's "M_TreeBoost", with his shrinkage, in plain loops."""
    N = len(y)
    F = [median(y)] * N  # line 1
    rounds = [list(F)]
    for _m in range(1, M + 1):  # line 2
        r = [y[i] - F[i] for i in range(N)]  # line 3
        delta = sorted(abs(residual) for residual in r)[ceil(alpha * N) - 1]  # line 4
        y_tilde = [r[i] if abs(r[i]) <= delta else sign(r[i]) * delta for i in range(N)]  # line 5
        for R_j in tree(y_tilde):  # line 6
            middle = median([r[i] for i in R_j])  # line 7
            held = [sign(r[i] - middle) * min(delta, abs(r[i] - middle)) for i in R_j]
            gamma = middle + total(held, range(len(R_j))) / len(R_j)  # line 8
            for i in R_j:
                F[i] = F[i] + nu * gamma  # line 9
        rounds.append(list(F))
    return rounds


def sign(x):
    return float((x > 0) - (x < 0))


def all_scores(case, share, *settings):
    """F after each round from 0."""
    return booster_of(make_huber_loss(share))(case, *settings).scores


@pytest.mark.paper(
    "Friedman 2001 Alg. 4, line 1",
    "Friedman 2001 Alg. 4, line 4",
    "Friedman 2001 Alg. 4, line 5",
    "Friedman 2001 Alg. 4, line 7",
    "Friedman 2001 Alg. 4, line 8",
)
@given(ranking_cases(max_samples=16), SHARES, st.sampled_from([1.0, 0.1, 0.05]))
def test_scores_equal_the_transcription_of_algorithm_4(case, share, learning_rate):
    target = relevance_gain(case.y).tolist()
    expected = friedman_algorithm_4(target, 3, learning_rate, oracle_tree(case), share)
    assert all_scores(case, share, 3, learning_rate).tolist() == expected


@pytest.mark.parametrize("seed", [0, 1, 2])
def test_scores_are_near_the_letter_of_algorithm_4(seed):
    """Sums without a grid. Tolerance 1e-12, as for Algorithm 2 (test_ls_boosting.py)."""
    case = fixed_case(n_samples=50, seed=seed)
    expected = friedman_algorithm_4(relevance_gain(case.y).tolist(), 6, 0.1, oracle_tree(case), 0.8, plain_total)
    np.testing.assert_allclose(all_scores(case, 0.8, 6, 0.1), expected, rtol=0, atol=1e-12)


@given(ranking_cases(), st.data())
def test_a_row_of_weight_two_counts_twice_where_the_break_point_is(case, data):
    """Exact before the first tree: later residuals round on grids that differ by a few steps."""
    times = data.draw(st.lists(st.integers(1, 4), min_size=len(case.y), max_size=len(case.y)))
    residual = relevance_gain(case.y) - 1.0
    for share in (0.2, 0.5, 0.9):
        once = find_break_point(share, residual, np.array(times, float))
        assert once == find_break_point(share, np.repeat(residual, times), None)


def test_the_break_point_is_found_once_per_round(monkeypatch):
    found = []
    monkeypatch.setattr(huber_boosting, "find_break_point", lambda *of: found.append(of) or find_break_point(*of))
    case = fixed_case(n_samples=60)
    all_scores(case, 0.8, 6, 0.1)
    assert len(found) == 6
    loss, residual, weight = make_huber_loss(0.5), np.array([0.0, 1.0, -2.0, 9.0]), np.array([1.0, 1.0, 1.0, 9.0])
    assert [loss.fitted(residual, given).max() for given in (None, weight, None)] == [1.0, 9.0, 1.0]
    assert loss.fitted(2 * residual, None).max() == 2.0


def test_no_round_adds_to_the_loss_of_its_own_break_point():
    """At nu = 1, Friedman's single step lowers the loss by delta of each round; tolerance: rounding of the sums."""
    case, share = fixed_case(n_samples=60), 0.8
    target = relevance_gain(case.y)
    for before, after in pairwise(all_scores(case, share, 6, 1.0)):
        delta = find_break_point(share, target - before, None)
        assert huber_loss(target - after, delta) <= huber_loss(target - before, delta) + 1e-12


def huber_loss(residual, delta):
    """The sum of the loss over the rows."""
    size = np.abs(residual)
    return np.where(size <= delta, size**2 / 2, delta * (size - delta / 2)).sum()


def test_a_share_of_the_estimator_reaches_the_loss():
    case = fixed_case()
    assert all_scores(case, 0.9, 3, 0.1).tolist() == BY_LOSS["huber"](case, 3, 0.1).scores.tolist()

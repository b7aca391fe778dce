"""trees.ls_training_error and trees.predictions_in_range."""

from fractions import Fraction
from itertools import islice

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.exact_tree import grow_best_first, leaf_at, ls_boosting, mean
from proofs_check.engine.refrank_trees import ls_boosting as of_refrank
from proofs_check.engine.refrank_trees import random_forest
from proofs_check.engine.strategies import some_data
from proofs_check.trees.ls_training_error import slack, sse

nus = st.fractions(Fraction(1, 20), 3, max_denominator=20)


@given(some_data(weighted=True), nus, st.integers(1, 5))
def test_the_identity_for_larger_data(case, nu, n_leaves):
    x, y, w = case
    for turn, _ in islice(ls_boosting(x, y, nu, n_leaves, w), 3):
        before = sse(turn.residual, w)
        after = sse(turn.after(y), w)
        drop = sum(node.gain for node in turn.tree)
        assert after == before - nu * (2 - nu) * drop
        assert (after > before) == (nu > 2 and drop > 0)


@given(some_data(max_n=12, weighted=True), st.integers(1, 6), st.lists(st.integers(-1, 5), min_size=3, max_size=3))
def test_an_exact_tree_predicts_in_range_anywhere(case, n_leaves, place):
    x, y, w = case
    grown = grow_best_first(x, y, w, n_leaves=n_leaves)
    assert min(y) <= mean(y, w, leaf_at(grown, place)) <= max(y)


def test_the_slack_is_far_below_what_nu_above_2_raises():
    x, y = [[0], [1]], np.array([0.0, 1.0])
    scores = of_refrank(x, y, 1, 2, 2.25)
    rise = float(((scores[1] - y) ** 2).sum() - ((scores[0] - y) ** 2).sum())
    assert rise == 9 / 32
    assert 0 < slack(y, scores[0], scores[1], 2.25) < 1e-13


def test_boosting_by_hand():
    # y = 0, 1, 5 on x = 0, 1, 2; J = 2, nu = 1/2: mean 2, residuals -2, -1, 3; the cut after x = 1 gains most
    turn, _ = next(ls_boosting([[0], [1], [2]], [0, 1, 5], Fraction(1, 2), 2))
    assert turn.residual == [-2, -1, 3]
    assert turn.scores == [Fraction(5, 4), Fraction(5, 4), Fraction(7, 2)]
    assert sum(node.gain for node in turn.tree) == Fraction(27, 2)
    assert of_refrank([[0], [1], [2]], [0, 1, 5], 1, 2, 0.5).tolist() == [[2, 2, 2], [1.25, 1.25, 3.5]]


def test_weights_enter_the_exact_boosting():
    turn, _ = next(ls_boosting([[0], [1]], [0, 4], Fraction(1), 1, [3, 1]))
    assert turn.scores == [1, 1]


def test_a_forest_leaves_the_range_by_one_rounding():
    assert random_forest([[0]], [0.1], 3, seed=0).tolist() == [(0.1 + 0.1 + 0.1) / 3]
    assert (0.1 + 0.1 + 0.1) / 3 > 0.1

"""The loss that a round takes off: against boosting itself, for any numbers, and with planted mistakes."""

from fractions import Fraction
from itertools import islice, pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact_tree import leaves as leaves_of
from proofs_check.engine.exact_tree import ls_boosting
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import CI
from proofs_check.engine.search import settle_cases
from proofs_check.engine.strategies import some_data
from proofs_check.losses import softmax_boosting
from proofs_check.losses.ls_boosting import centred, identity, share, sharp_share
from proofs_check.losses.softmax_boosting import change, leaves, newton_step
from proofs_check.mcrank.sum_of_scores import boost_sequential, one_leaf
from proofs_check.tests.nearness import assert_below, assert_holds, searching


@given(some_data(max_n=9), st.sampled_from((Fraction(1, 20), Fraction(1), Fraction(7, 4))), st.integers(1, 4))
def test_the_identity_is_that_of_algorithm_2(data, nu, n_leaves):
    x, y, _ = data
    for turn, _ in islice(ls_boosting(x, y, nu, n_leaves), 3):
        taken = sum(sum(turn.residual[i] for i in rows) ** 2 / len(rows) for rows in leaves_of(turn.tree))
        before, after = (sum(value**2 for value in part) for part in (turn.residual, turn.after(y)))
        assert after == before - nu * (2 - nu) * taken
        assert sum(turn.residual) == 0


@searching
@given(st.lists(st.integers(-20, 20), min_size=1, max_size=11))
def test_a_cut_takes_off_its_share_of_any_residuals(drawn):
    case = Cases({"r": np.array([[*drawn, -sum(drawn)]])})
    assert_holds(share(case), sharp_share(case))


@searching
@given(st.lists(st.tuples(st.booleans(), st.floats(0.01, 0.99)), min_size=1, max_size=8), st.floats(0.01, 0.99))
def test_a_newton_step_for_any_probabilities(documents, a):
    # |t| is at most 100, so e^|t| is a float
    y, p = (np.array([part], dtype=float) for part in zip(*documents, strict=True))
    g, h = (y - p).sum(), (p * (1 - p)).sum()
    t = a * g / h
    bound = h * (np.expm1(abs(t)) - abs(t))
    value = float(change(y, p, np.array([t]))[0] + g * t)
    # e^|t| is off by |t| roundings of it, and the left side by roundings of terms of the size of t
    assert_below(value, bound * (1 + 1e-12) + 1e-12 * (1 + t**2 * h / a + len(documents) * (1 + abs(t))))


def test_the_steps_are_those_of_algorithm_1():
    # two documents in one leaf, K = 12, nu = 1: the first tree raises Eq. 7 by 2 log(1 + (e^5 - 1)/12) - 5
    y = np.array([0, 1])
    scores = next(boost_sequential(y, 12, one_leaf, 1.0))
    assert scores[:, 0].tolist() == pytest.approx([5, 5], rel=1e-12)
    raised = 2 * np.log1p(np.expm1(5.0) / 12) - 5
    assert raised == pytest.approx(0.173185, abs=1e-6)
    before = 2 * np.log(12)
    first = np.zeros((2, 12))
    first[:, 0] = scores[:, 0]
    after = (np.logaddexp.reduce(first, axis=1) - first[[0, 1], y]).sum()
    assert after - before == pytest.approx(raised, rel=1e-9)


def test_no_share_of_a_class_raises_the_loss_in_the_first_round():
    share = np.linspace(0, 1, 2001)
    for n_classes, raises in [*((k, False) for k in range(2, 12)), (12, True), (20, True)]:
        t = n_classes * share - 1
        change_per_document = np.log1p(np.expm1(t) / n_classes) - share * t
        # at f = 1/K both sides are 0, up to a few roundings
        assert (change_per_document.max() > 1e-14) == raises


def eq7(scores, y):
    return float((np.logaddexp.reduce(scores, axis=1) - scores[np.arange(len(y)), y]).sum())


def test_five_grades_never_raise_the_loss_in_small_runs():
    rng = np.random.default_rng(5)
    for _ in range(20):
        y = rng.integers(0, 5, size=6)
        rounds = islice(boost_sequential(y, 5, one_leaf, 1.0), 8)
        losses = [6 * np.log(5.0), *(eq7(scores, y) for scores in rounds)]
        assert all(after <= before + 1e-12 for before, after in pairwise(losses))


def without_the_third_term(case):
    """H t^2 / 2 in place of H (e^x - 1 - x): the second derivative is not largest where the step starts."""
    y, p, t, g, h = softmax_boosting.parts_of(case)
    return Comparison(change(y, p, t) + g * t, h * t**2 / 2, slack=softmax_boosting.room(case))


def with_one_over(case):
    """Share 1 / (n^2 - 1) in place of 3 / (2 (n^2 - 1)) is larger than the least from n = 3 on."""
    comparison = share(case)
    return Comparison(3 * comparison.left, comparison.right)


def with_nu_squared(case):
    """nu^2 in place of nu (2 - nu)."""
    comparison, nu = identity(case), case.columns["nu"]
    loss = (case.columns["r"] ** 2).sum(axis=1) * comparison.unit
    return Comparison(loss - comparison.left, (loss - comparison.right) * nu // (16 - nu), "==")


@pytest.mark.parametrize(
    ("claim", "instances", "largest"), [(without_the_third_term, leaves, 3), (with_one_over, centred, 5)]
)
def test_a_planted_mistake_is_found(claim, instances, largest):
    assert settle_cases(claim, instances, largest, smallest=2)(CI).verdict == "refuted"
    right = newton_step if claim is without_the_third_term else share
    assert settle_cases(right, instances, largest, smallest=2)(CI).verdict == "holds"


def test_verdicts(finding):
    assert finding("losses.ls_boosting.variant-share-sharp").max_ratio == pytest.approx(1, abs=1e-12)
    assert finding("losses.softmax_boosting").max_ratio > 0.99
    assert finding("losses.softmax_boosting.variant-never-raises").counterexample.startswith("y=(0, 1), p=(1/64, 1/64)")
    for classes, verdict in (("", "holds"), ("-12", "fails")):
        assert finding(f"losses.softmax_boosting.variant-first-round{classes}").verdict == verdict

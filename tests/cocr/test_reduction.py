"""`refrank.cocr.reduction`, `rankers` and `user_costs`: a literal transcription, user costs, bad input."""

import re
from fractions import Fraction
from math import fsum
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.cocr.costs import COSTS, absolute, oerr, squared
from refrank.cocr.rankers import grade_proba, hard_rank, soft_rank
from refrank.cocr.reduction import COCRModel, Constant, cocr, make_problems, to_mean_one, weights
from refrank.cocr.user_costs import cost_shape, cost_table
from tests.oracles import cocr as naive_cocr


def half(answer, weight, k):
    return Constant(0.5)


def mean(answer, weight, k):
    return Constant(fsum(weight * answer) / fsum(weight))


def values(*arguments, **options):
    """The value of each h_k, all of them constants."""
    return [h.value for h in cocr(*arguments, **options)]


# --- the reduction against its transcription


@pytest.mark.paper("COCR Eq. 1")
@pytest.mark.paper("COCR Eq. 5", at="weights")
@given(st.lists(st.tuples(st.integers(0, 4), st.lists(st.integers(0, 99), min_size=5, max_size=5)), min_size=1))
def test_the_reduction_is_its_transcription(documents):
    """Each document may have its own costs, whatever they are."""
    y, costs = zip(*documents, strict=True)
    problems = [list(zip(p.answer.tolist(), p.weight.tolist(), strict=True)) for p in make_problems(y, costs)]
    assert problems == naive_cocr.transformed(y, costs, 4)


@pytest.mark.paper("COCR Alg. 1")
def test_algorithm_1_hands_each_problem_to_the_base_in_order():
    y, learn = [0, 1, 2], Mock(side_effect=[Constant(0.25), Constant(0.5)])
    training = cocr(y, squared(y, 2), learn)
    assert next(training) == Constant(0.25)
    learn.assert_called_once()  # one h_k after the other
    model = COCRModel((Constant(0.25), *training))
    # squared costs (0, 1, 4), (1, 0, 1), (4, 1, 0): the weights 1, 1, 3 and 3, 1, 1, divided by their mean 5/3
    assert [(k, answer.tolist(), weight.tolist()) for (answer, weight, k), _ in learn.call_args_list] == [
        (1, [0.0, 1.0, 1.0], [w * (3 / 5) for w in (1, 1, 3)]),
        (2, [0.0, 0.0, 1.0], [w * (3 / 5) for w in (3, 1, 1)]),
    ]
    assert model.answers(np.zeros((2, 1))).tolist() == [[0.25, 0.5], [0.25, 0.5]]


def test_a_one_sided_problem_is_its_one_answer_and_is_not_learned():
    y, learn = [1, 2, 2, 1], Mock(return_value=Constant(0.5))
    assert values(y, absolute(y, 4), learn) == [1.0, 0.5, 0.0, 0.0]
    assert [k for (_, _, k), _ in learn.call_args_list] == [2]


def test_rows_that_weigh_nothing_do_not_make_a_problem_two_sided():
    y = [0, 1, 2, 2]
    assert values(y, absolute(y, 2), half, sample_weight=[0.0, 1.0, 1.0, 1.0]) == [1.0, 0.5]
    # grades 0 and 1 cost the same everywhere: no answer to k = 1 is wrong
    assert values([0, 1, 2], [[0, 0, 1], [0, 0, 1], [1, 1, 0]], half) == [0.0, 0.5]


@given(st.lists(st.floats(1e-6, 1e6), min_size=3, max_size=40))
def test_the_scale_of_the_weights_is_their_exact_mean(numbers):
    """Rounded once, so the order of rows plays no part; weights that are the sample weights stay as they are."""
    total = float(sum(Fraction(number) for number in numbers))
    assert to_mean_one(np.array(numbers)).tolist() == [number * (len(numbers) / total) for number in numbers]
    assert to_mean_one(np.array(numbers), np.array(numbers)).tolist() == numbers


@pytest.mark.parametrize("scale", [2.0**-1060, 2.0**1023])
def test_costs_of_any_size_give_the_same_problems(scale):
    """A power of two: the weights are the same to the bit, though the sum of the costs overflows."""
    y, learn = np.arange(5), Mock(return_value=Constant(0.5))
    for costs in (oerr(y, 4), oerr(y, 4) / 256 * scale):
        list(cocr(y, costs, learn))
    seen = [weight.tolist() for (_, weight, _), _ in learn.call_args_list]
    assert seen[:4] == seen[4:]
    assert cost_table(oerr(y, 4) / 256 * scale, 5).max() > 0


def test_a_row_of_weight_two_is_that_row_twice():
    y, times = np.array([0, 1, 2, 2, 1]), np.array([1, 2, 1, 1, 2])
    repeated = np.repeat(y, times)
    # rounding of the scale: 5 weights against 7
    expected = pytest.approx(values(repeated, oerr(repeated, 2), mean), rel=1e-14)
    assert values(y, oerr(y, 2), mean, times) == expected


def test_costs_and_weights_are_checked():
    with pytest.raises(ValueError, match=r"costs has shape \(2,\)"):
        weights([0, 1])
    with pytest.raises(ValueError, match=r"sample_weight at row 1 is -1\.0"):
        list(cocr([0, 1], [[0, 1], [1, 0]], half, sample_weight=[1.0, -1.0]))


def test_the_repr_of_a_model_counts_its_problems():
    models = [COCRModel((Constant(0.5),) * max_grade) for max_grade in (1, 4)]
    assert list(map(repr, models)) == ["COCRModel(1 problem)", "COCRModel(4 problems)"]


# --- the rankers


@pytest.mark.paper("COCR Eq. 6")
@pytest.mark.paper("COCR Sec. 3.2", at="grade_proba")
@given(st.lists(st.integers(0, 64), min_size=1, max_size=5).map(sorted))
def test_with_exact_answers_the_soft_ranker_is_the_expected_rank(cuts):
    """Sec. 3.2: h_k = P(y >= k) for all k; multiples of 1/64 are exact, so this is equality."""
    p = [Fraction(b - a, 64) for a, b in zip([0, *cuts], [*cuts, 64], strict=True)]
    h = [sum(p[k:]) for k in range(1, len(p))]
    answers = np.array([[float(value) for value in h]])
    assert soft_rank(answers).tolist() == [sum(k * p_k for k, p_k in enumerate(p))]
    assert grade_proba(answers).tolist() == [[float(value) for value in p]]


@pytest.mark.paper("COCR Eq. 2")
@pytest.mark.paper("COCR Sec. 3.2", at="hard_rank")
@given(st.lists(st.integers(-64, 128), min_size=1, max_size=6))
def test_rankers_are_their_transcription_for_any_real_answers(numbers):
    """Half is a yes, and nothing is clipped."""
    h = [Fraction(number, 64) for number in numbers]
    answers = np.array([[float(value) for value in h]])
    assert hard_rank(answers).tolist() == [sum(h_k >= Fraction(1, 2) for h_k in h)]
    assert soft_rank(answers).tolist() == [sum(h)]
    assert grade_proba(answers).tolist() == [[float(a - b) for a, b in zip([1, *h], [*h, 0], strict=True)]]


# --- costs of one's own


@pytest.mark.parametrize("name", COSTS)
def test_a_name_a_function_and_a_table_are_one_cost(name):
    by_name = cost_table(name, 5)
    assert by_name.tolist() == COSTS[name](np.arange(5), 4).tolist()
    assert cost_table(COSTS[name], 5).tolist() == by_name.tolist()
    assert cost_table(by_name.tolist(), 5).tolist() == by_name.tolist()
    assert cost_shape(by_name).covers == ("rank-monotone hard answers" if name == "oerr" else "any hard answers")


@pytest.mark.parametrize(
    ("cost", "message"),
    [
        ("hinge", "cost is 'hinge': it must be one of 'absolute', 'squared', 'oerr'"),
        ([[0, 1], [1, 0]], "cost has shape (2, 2): it must have shape (n_classes, n_classes), one row per true grade"),
        (lambda grades, max_grade: grades, "cost has shape (3,): it must have shape"),
        ([[0, 1, 2], [1, 0, 1], [2, 1, 0.5]], "cost at row 2, column 2 is 0.5: the cost of the true grade must be 0"),
        ([[0, 1, 2], [-1, 0, 1], [2, 1, 0]], "cost at row 1, column 0 is -1: costs must not be negative"),
        ([[0, 1, 2], [1, 0, np.nan], [2, 1, 0]], "cost at row 1, column 2 is nan: costs must be finite"),
        ([[0, 1], [1]], "cost is [[0, 1], [1]]: it must be a table of numbers, one row per true grade"),
        (np.array([[0, 1, 2**63], [1, 0, 1], [2, 1, 0]], np.uint64), "cost at row 0, column 2 is 9223372036854775808"),
        (np.array([["0"] * 3] * 3), "cost has type <U1: costs must be numbers"),
    ],
)
def test_bad_costs_are_named(cost, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        cost_table(cost, 3)


def test_a_cost_that_falls_on_the_way_out_is_a_warning():
    with pytest.warns(UserWarning, match=r"not V-shaped in row\(s\) 0, 2:"):
        cost_table([[0, 2, 1], [1, 0, 1], [1, 2, 0]], 3)

"""Regret: expectations from their definitions, the examples of the documents, and planted mistakes."""

from fractions import Fraction
from functools import partial
from itertools import permutations, product

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine import naive
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import reciprocal
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import CI
from proofs_check.engine.search import settle_cases
from proofs_check.regret import cossock_zhang, err, lin_li, ndcg, pairwise
from proofs_check.tests.nearness import assert_below, searching
from refrank.cocr.costs import absolute, oerr


def expected_err(chances, order, max_grade=4):
    """E ERR of a ranking (the documents in its order) under (probability, labels) pairs, in fractions."""
    position = [order.index(i) + 1 for i in range(len(order))]
    return sum(chance * naive.err(labels, position, max_grade) for chance, labels in chances)


def test_three_documents_whose_labels_depend_on_each_other():
    chances = [(Fraction(3, 5), (4, 4, 0)), (Fraction(2, 5), (0, 0, 4))]
    mean = [sum(chance * naive.relevance(labels[i]) for chance, labels in chances) for i in range(3)]
    assert mean == [Fraction(9, 16), Fraction(9, 16), Fraction(6, 16)]
    every = {order: expected_err(chances, list(order)) for order in permutations(range(3))}
    assert max(every.values()) == every[0, 2, 1] > every[0, 1, 2]
    # the ranking by E R has regret, where the bound promises none
    case = Cases({"y": np.array([[4, 4, 0]]), "x": np.array([[0, 0, 4]]), "p": np.array([3]), "K": np.array([4])})
    comparison = err.dependent_regret(case)
    assert (int(comparison.right[0]), comparison.find_violations().tolist()) == (0, [True])
    assert Fraction(int(comparison.left[0]), comparison.unit) == every[0, 2, 1] - every[0, 1, 2]


@given(st.lists(st.lists(st.integers(0, 2), min_size=4, max_size=4), min_size=1, max_size=3))
def test_independent_expectations_are_the_definition(drawn):
    counts = np.array([np.bincount(row, minlength=3) for row in drawn])
    n = len(counts)
    chances = [
        (Fraction(int(np.prod([counts[i, label] for i, label in enumerate(labels)])), 4**n), labels)
        for labels in product(range(3), repeat=n)
    ]
    case = Cases({"p": counts[np.newaxis]}, {"p": 4})
    relevance, scale = err.expected_relevance(case)
    computed = Fraction(int(err.expected_err(case)[0]), err.err_unit_of(relevance, scale))
    assert computed == expected_err(chances, list(range(n)), 2)
    best = max(expected_err(chances, list(order), 2) for order in permutations(range(n)))
    assert Fraction(int(err.regret(relevance, scale)[0]), err.err_unit_of(relevance, scale)) == best - computed


@searching
@given(st.lists(st.fractions(0, 1, max_denominator=12), min_size=1, max_size=5))
def test_the_regret_for_any_expected_relevance(relevance):
    best = max(naive.err_of(order) for order in permutations(relevance))
    ideal = sorted(relevance, reverse=True)
    right = sum((b - r) / place for place, (b, r) in enumerate(zip(ideal, relevance, strict=True), start=1))
    assert_below(best - naive.err_of(relevance), right)


def test_two_documents_for_ndcg():
    # (2, 0) with probability 1/3, (0, 1) otherwise: E z prefers the first, E NDCG the second
    case = Cases({"y": np.array([[2, 0]]), "x": np.array([[0, 1]]), "p": np.array([2])}, {"p": 6})
    c = np.array([2, 1])
    (gain, of_gain), (q, of_q) = ndcg.expected_gain(case, c), ndcg.normalised(case, c)
    assert [Fraction(int(v), int(of_gain[0])) for v in gain[0]] == [1, Fraction(2, 3)]
    assert [Fraction(int(v), int(of_q[0])) * 2 for v in q[0]] == [Fraction(1, 3), Fraction(2, 3)]  # c_1 is 2
    best, worst = (
        Fraction(int(ndcg.expected_dcg(case, c, ndcg.ideals(case, c), order)[0]), int(of_q[0]))
        for order in ([1, 0], [0, 1])
    )
    # with c = (1, 1/2): 1/3 * 1/2 + 2/3 * 1, and 1/3 * 1 + 2/3 * 1/2
    assert (best, worst) == (Fraction(5, 6), Fraction(2, 3))


@given(st.lists(st.integers(0, 3), min_size=2, max_size=3), st.data())
def test_expected_ndcg_is_the_definition(y, data):
    x = data.draw(st.lists(st.integers(0, 3), min_size=len(y), max_size=len(y)))
    p = data.draw(st.integers(1, 5))
    y[0], x[-1] = max(y[0], 1), max(x[-1], 1)
    case = Cases({"y": np.array([y]), "x": np.array([x]), "p": np.array([p])}, {"p": 6})
    c = reciprocal(len(y))

    def ndcg_of(labels):
        gain = [2**label - 1 for label in labels]
        computed, best = (
            sum(int(a) * z for a, z in zip(c, order, strict=True)) for order in (gain, sorted(gain, reverse=True))
        )
        return Fraction(computed, best)

    (_, unit), best = ndcg.normalised(case, c), ndcg.ideals(case, c)
    computed = Fraction(int(ndcg.expected_dcg(case, c, best, list(range(len(y))))[0]), int(unit[0]))
    assert computed == Fraction(p, 6) * ndcg_of(y) + Fraction(6 - p, 6) * ndcg_of(x)


@searching
@given(st.data())
def test_excess_squared_error_for_any_predictions(data):
    n = data.draw(st.integers(2, 6))
    fractions = st.lists(st.fractions(0, 15, max_denominator=6), min_size=n, max_size=n)
    mean = data.draw(fractions)
    f = sorted(data.draw(fractions | st.just([sum(mean) / n] * n)), reverse=True)
    c = [Fraction(1, i + 1) for i in range(n)]
    regret = sum(a * (b - m) for a, b, m in zip(c, sorted(mean, reverse=True), mean, strict=True))
    factor = sum((a - b) ** 2 for a, b in zip(c, c[::-1], strict=True))
    assert_below(regret**2, factor * sum((m - v) ** 2 for m, v in zip(mean, f, strict=True)))


@searching
@given(st.lists(st.integers(0, 9), min_size=2, max_size=5).filter(any), st.data())
def test_binary_regrets_for_any_noise(weights, data):
    max_grade = len(weights) - 1
    g = data.draw(st.lists(st.sampled_from((0, 1)), min_size=max_grade, max_size=max_grade))
    for cost, answers in ((oerr, sorted(g, reverse=True)), (absolute, g)):
        table = cost(np.arange(max_grade + 1), max_grade)
        expected = [sum(w * int(c) for w, c in zip(weights, column, strict=True)) for column in table.T]
        excess = sum(max(0, (expected[k + 1] - expected[k]) * (1 if a else -1)) for k, a in enumerate(answers))
        assert_below(expected[sum(answers)] - min(expected), excess, cost.__name__)


@searching
@given(st.data())
def test_pairs_for_any_expected_gains_and_discounts(data):
    """Wins, the ranking and both regrets from their definitions, ties of wins the worst way round."""
    n = data.draw(st.integers(2, 7))
    v = data.draw(st.lists(st.integers(0, 1) | st.integers(0, 9), min_size=n, max_size=n))
    beats = np.zeros((n, n), dtype=int)
    for i in range(n):
        for j in range(i):
            beats[i, j] = data.draw(st.booleans())
            beats[j, i] = 1 - beats[i, j]
    order = sorted(range(n), key=lambda i: (-beats[i].sum(), v[i]))
    step = data.draw(st.lists(st.just(1) | st.integers(0, 5), min_size=n - 1, max_size=n - 1))
    c = [sum(step[i:]) for i in range(n)]
    regret = sum(a * (b - v[i]) for a, b, i in zip(c, sorted(v, reverse=True), order, strict=True))
    wrong = sum(max(v[j] - v[i], 0) for i in range(n) for j in range(n) if beats[i, j])
    case = Cases({"v": np.array([v])[:, order], "beats": beats[np.newaxis][:, order][:, :, order]})
    assert int(pairwise.regret_of_pairs(case.columns["v"], case.columns["beats"])[0]) == wrong
    if n <= 5:
        assert int(pairwise.regret(case.columns["v"], np.array(c))[0]) == regret
    assert_below(regret, 2 * max(step) * wrong)


def test_all_answers_are_listed():
    """Of three documents: the order of pi and two cycles, with each v from 0 to 3."""
    [group] = pairwise.tournaments(3)
    listed = {tuple(map(tuple, beats)) for beats in group.columns["beats"].tolist()}
    assert len(listed) == 1 + 2
    assert group.m == 3 * 4**3


# ---- planted mistakes ----


def half_a_regret(case):
    comparison = err.regret_bound(case)
    return Comparison(2 * comparison.left, comparison.right)


def with_the_other_answer(case):
    """Excess of the answers over the worse ones."""
    errors, g = lin_li.weighted_errors(oerr, case), case.columns["g"]
    chosen = np.take_along_axis(errors, g[:, :, np.newaxis], axis=2)[:, :, 0]
    return Comparison(lin_li.regret_bound(oerr, case).left, (errors.max(axis=2) - chosen).sum(axis=1))


def with_the_excess_halved(case):
    for comparison in cossock_zhang.by_excess(cossock_zhang.pairing, case):
        yield Comparison(2 * comparison.left, comparison.right, squared=True)


def with_the_last_step(case):
    """2 (c_{n-1} - c_n) in place of the largest step."""
    v, beats = case.columns["v"], case.columns["beats"]
    for c in pairwise.linear(v.shape[1]):
        yield Comparison(pairwise.regret(v, c), 2 * (c[-2] - c[-1]) * pairwise.regret_of_pairs(v, beats))


@pytest.mark.parametrize(
    ("claim", "instances", "smallest"),
    [
        (half_a_regret, err.independent, 1),
        (with_the_other_answer, partial(lin_li.noisy_answers, oerr, True), 1),
        (with_the_excess_halved, cossock_zhang.noisy, 2),
        (with_the_last_step, pairwise.tournaments, 3),
        (partial(ndcg.best_of, lambda case, c: (-ndcg.normalised(case, c)[0], None), True), ndcg.two_labels, 2),
    ],
)
def test_a_planted_mistake_is_found(claim, instances, smallest):
    assert settle_cases(claim, instances, max(2, smallest), smallest=smallest)(CI).verdict == "refuted"


def test_verdicts(finding):
    fails = ("err.variant-dependent", "err.variant-dependent-regret", "ndcg.variant-by-gain", "lin_li.variant-any")
    fails += ("pairwise.variant-factor-1",)
    assert {finding(f"regret.{row}").verdict for row in fails} == {"fails"}
    attained = ("err", "err.variant-oerr", "ndcg.variant-regret", "cossock_zhang", "cossock_zhang.variant-sharp")
    for row in (*attained, "lin_li", "pairwise", "pairwise.variant-places"):
        assert finding(f"regret.{row}").max_ratio == pytest.approx(1, abs=1e-12)

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.cocr.lin_li_reduction import hard, monotone, soft
from proofs_check.engine import naive
from proofs_check.engine.discounts import reciprocal
from proofs_check.new.end_to_end import K, convex_weights, least_errors, weights
from proofs_check.new.err_oerr import pairing_squared
from proofs_check.tests.nearness import assert_below, searching
from refrank.cocr.costs import is_convex, oerr

TABLE = oerr(np.arange(K + 1), K)


def test_counterexamples_by_hand():
    # K_2^2 = 1/2. y = (3, 4): the answers (0, 1, 1, 1) for the second document have the weight 29; pi keeps the tie
    error = naive.err((3, 4), (2, 1)) - naive.err((3, 4), (1, 2))
    assert error == Fraction(1, 4)
    assert error**2 > Fraction(1, 2) * 29 / 256
    # y = (0, 4): (1, 1, 1, 0) has the weight 49, (3/4, 3/4, 3/4, 3/4) 225/4
    error = naive.err((0, 4), (2, 1)) - naive.err((0, 4), (1, 2))
    assert error == Fraction(15, 32)
    assert error**2 > Fraction(1, 2) * (49 + Fraction(225, 4)) / 256


def test_least_errors_of_monotone_answers():
    # hard: the cost itself; soft: the lower convex envelope of the cost, by all pairs of grades around r
    assert (least_errors(weights(), monotone(hard)(K)) == 4 * TABLE).all()
    for y in range(K + 1):
        for r in range(K + 1):
            c = [int(v) for v in TABLE[y]]
            chords = [c[a] + Fraction(r - a, b - a) * (c[b] - c[a]) for a in range(r) for b in range(r + 1, K + 1)]
            least = Fraction(int(least_errors(weights(), monotone(soft)(K))[y, r]), 4)
            assert least == min([Fraction(c[r]), *chords])


def test_least_errors_of_any_answers():
    # the |y - r| smallest weights on the side of the mistake
    for answers in (hard(K), soft(K)):
        least = least_errors(weights(), answers)
        for y in range(K + 1):
            for r in range(K + 1):
                side = weights()[y, :y] if r < y else weights()[y, y:]
                assert least[y, r] == 4 * sum(sorted(side.tolist())[: abs(y - r)])


def test_the_two_constants():
    # the largest ratio of the cost to the least errors, over grades and counted grades
    for answers, constant in ((hard(K), Fraction(64, 29)), (monotone(soft)(K), Fraction(32, 25))):
        least = least_errors(weights(), answers)
        ratios = [Fraction(4 * int(c), int(e)) for c, e in zip(TABLE.flat, least.flat, strict=True) if e]
        assert max(ratios) == constant


def test_convex_weights_belong_to_a_convex_cost_above_oerr():
    w = convex_weights()
    assert w[3].tolist() == [20, 20, 16, 64]
    assert w[4].tolist() == [80, 80, 80, 64]
    costs = np.array([[w[y, min(y, k) : max(y, k)].sum() for k in range(K + 1)] for y in range(K + 1)])
    assert is_convex(costs).all()
    assert (costs >= TABLE).all()


answers = st.lists(st.fractions(0, 1, max_denominator=8), min_size=K, max_size=K)


@st.composite
def answered(draw, answer):
    """Draw documents as (grade, answers)."""
    return draw(st.lists(st.tuples(st.integers(0, K), answer), min_size=2, max_size=7))


def ranked_error(documents, score):
    """Compute ERR_g - ERR_pi for pi by the score, worst label first among ties, and K_n^2 / 256."""
    n = len(documents)
    order = sorted(range(n), key=lambda i: (-score(documents[i][1]), documents[i][0]))
    labels = [documents[i][0] for i in order]
    positions = range(1, n + 1)
    error = naive.err(sorted(labels, reverse=True), positions) - naive.err(labels, positions)
    return error, Fraction(pairing_squared(n), 256 * int(reciprocal(n)[0]) ** 2)


def binary_errors(w, documents):
    return sum(int(w[y, k]) * abs(h[k] - (1 if y > k else 0)) for y, h in documents for k in range(K))


@given(answered(answers.map(lambda h: sorted(h, reverse=True))))
def test_soft_monotone_answers(documents):
    error, constant = ranked_error(documents, sum)
    assert_below(error**2, constant * Fraction(32, 25) * binary_errors(weights(), documents))


@searching
@given(answered(st.lists(st.sampled_from((0, 1)), min_size=K, max_size=K)))
def test_hard_answers(documents):
    error, constant = ranked_error(documents, sum)
    assert_below(error**2, constant * Fraction(64, 29) * binary_errors(weights(), documents), "any")
    counted = [(y, [1 if k < sum(g) else 0 for k in range(K)]) for y, g in documents]
    assert_below(error**2, constant * binary_errors(weights(), counted), "rank-monotone")


@given(answered(answers))
def test_any_answers_with_convex_weights(documents):
    error, constant = ranked_error(documents, sum)
    assert_below(error**2, constant * binary_errors(convex_weights(), documents))


@given(answered(st.lists(st.fractions(-2, 3, max_denominator=8), min_size=K, max_size=K)))
def test_expected_gain(documents):
    error, constant = ranked_error(documents, lambda h: sum(2**k * h[k] for k in range(K)))
    by_gain = sum((2**y - 1 - sum(2**k * h[k] for k in range(K))) ** 2 for y, h in documents)
    by_answer = sum((h[k] - (1 if y > k else 0)) ** 2 for y, h in documents for k in range(K))
    assert_below(error**2, constant * by_gain, "gain")
    assert_below(by_gain, 85 * by_answer, "answers")

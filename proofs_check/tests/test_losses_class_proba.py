"""Class probabilities and the DCG error: from the definition, at larger sizes, and with planted mistakes."""

from fractions import Fraction
from functools import partial

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.instances import Cases
from proofs_check.engine.probabilities import (
    distributions,
    expected_gain,
    expected_relevance,
    left_over,
    ranked_by,
)
from proofs_check.engine.records import CI
from proofs_check.engine.search import settle_cases
from proofs_check.losses import class_proba
from proofs_check.losses.class_proba import of_gain
from proofs_check.losses.expected_relevance import interpolated, of_relevance
from proofs_check.tests.nearness import assert_below, assert_holds, searching


@st.composite
def some_documents(draw, score, max_n=8):
    """Labels 0..4 and probabilities in twelfths, in the order of a score, ties in any order."""
    n = draw(st.integers(2, max_n))
    parts = st.lists(st.integers(0, 4) | st.sampled_from((0, 4)), min_size=12, max_size=12)
    uncertain = st.builds(lambda y, drawn: (y, np.bincount(drawn, minlength=5)), st.integers(0, 4), parts)
    sure = st.builds(lambda y, k: (y, 12 * (np.arange(5) == k)), st.integers(0, 4), st.integers(0, 4))
    documents = sorted(draw(st.lists(uncertain | sure, min_size=n, max_size=n)), key=lambda d: -int(score(d[1])))
    y, p = (np.array(part) for part in zip(*documents, strict=True))
    return Cases({"y": y[np.newaxis], "p": p[np.newaxis]}, {"p": 12})


def naive(case, c):
    """Compute the DCG error and sum 1 - p_y document by document, in fractions."""
    y, p = case.columns["y"][0].tolist(), case.columns["p"][0].tolist()
    gain = [2**label - 1 for label in y]
    best = sorted(gain, reverse=True)
    error = sum(Fraction(int(a)) * (b - g) for a, b, g in zip(c, best, gain, strict=True))
    return error, sum(1 - Fraction(row[label], case.scale["p"]) for row, label in zip(p, y, strict=True))


@searching
@given(some_documents(expected_gain))
def test_by_expected_gain_at_larger_sizes(case):
    claims = (partial(class_proba.dcg_bound, of_gain), class_proba.squared_rest, class_proba.brier)
    assert_holds(*(claim(case) for claim in claims), class_proba.err_bound(of_gain, case))
    c = [1] + [0] * (case.columns["y"].shape[1] - 1)
    error, rest = naive(case, c)
    assert_below(error, 15 * rest, "naive")
    first = next(class_proba.dcg_bound(of_gain, case))  # the step discount (1, 0, ..)
    assert (Fraction(int(first.left[0]), 12), Fraction(int(first.right[0]), 12)) == (error, 15 * rest)


@searching
@given(some_documents(expected_relevance))
def test_by_expected_relevance_at_larger_sizes(case):
    assert_holds(class_proba.dcg_bound(of_relevance, case), class_proba.err_bound(of_relevance, case))


def test_scores_of_a_document_by_hand():
    p = np.array([3, 0, 0, 2, 1])  # in sixths
    assert (expected_gain(p), expected_relevance(p)) == (2 * 7 + 15, 2 * 3 + 4)
    # s = 10/6 = 1 + 4/6: 1 + (4/6) 2 = 14/6
    assert interpolated(p, 6) == 14
    case = Cases({"y": np.array([[3, 0]]), "p": np.array([[p, p]])}, {"p": 6})
    assert left_over(case).tolist() == [[4, 3]]


def test_distributions_are_all_of_them():
    listed = distributions(3, 4)
    assert len({tuple(row) for row in listed.tolist()}) == len(listed) == 15
    assert (listed.sum(axis=1) == 4).all()
    assert (listed >= 0).all()


@pytest.mark.parametrize(
    ("score", "constant", "verdict"),
    [
        (expected_gain, lambda k: 2**k - 1, "holds"),
        (expected_gain, lambda k: 2**k - 2 + (k == 1), "refuted"),
        (expected_relevance, lambda k: k * 2 ** (k - 1), "holds"),
        (expected_relevance, lambda k: k * 2 ** (k - 1) - 1, "refuted"),
        (lambda p: -expected_gain(p), lambda k: 2**k - 1, "refuted"),  # pi the wrong way round
    ],
)
def test_the_constants_are_the_least(score, constant, verdict):
    check = settle_cases(partial(class_proba.dcg_bound, constant), partial(ranked_by, score), 2)
    assert check(CI).verdict == verdict


def test_verdicts(finding):
    assert finding("losses.class_proba.variant-eq7").max_ratio < 1
    assert finding("losses.class_proba.variant-expected-relevance-15").verdict == "fails"
    for row in ("", ".variant-err", ".variant-expected-relevance", ".variant-l2", ".variant-brier"):
        assert finding(f"losses.class_proba{row}").max_ratio == pytest.approx(1, abs=1e-12)

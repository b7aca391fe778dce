import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import logarithmic, truncated
from proofs_check.engine.exact import UNIT, dcg_error
from proofs_check.engine.instances import batch, rankings
from proofs_check.engine.search import examine
from proofs_check.engine.strategies import some_discount, some_ranking
from proofs_check.mcrank.lemma1 import informative, lemma1, lemma1_logarithmic, spread
from proofs_check.tests.nearness import assert_holds, searching


def test_how_tight_it_is(finding):
    # one document of grade 4 after one of grade 0: 15 against 15 sqrt(2) for any c; no instance comes closer
    for id in ("mcrank.lemma1", "mcrank.lemma1.variant-log", "mcrank.lemma1.variant-truncated"):
        assert finding(id).max_ratio == pytest.approx(0.5**0.5, rel=1e-7)  # integer sides are rounded down
    for step in (2, 4, 5, 6, 7):
        assert finding(f"mcrank.lemma1.step{step}").max_ratio == 1.0


def test_a_negative_discount_refutes_eq4(finding):
    assert finding("mcrank.lemma1.variant-negative").counterexample == (
        "n=3, in the order of pi: y=(0, 1, 0), yhat=(0, 0, 0), g=(2, 1, 3): c=(1, -1, -1), squares: 4 > 0"
    )


@searching
@given(st.data())
def test_lemma1_for_any_discount(data):
    r = data.draw(some_ranking(min_n=2, max_n=20))
    c = data.draw(some_discount(r.n))
    assert_holds(lemma1(lambda n: [c], r))


@searching
@given(some_ranking(min_n=2, max_n=60), st.integers(1, 60))
def test_lemma1_truncated_at_any_level(r, level):
    assert_holds(lemma1_logarithmic(lambda n: (min(level, n),), r))


def test_product_of_many_discounts_does_not_underflow():
    # 0.05**400 is 0 in floats; in logarithms n prod c^(2/n) is 400 * 0.0025 and cancels sum c^2 up to rounding
    c = np.full(400, 0.05)
    assert c.prod() == 0.0
    assert abs((c**2).sum() - 400 * 0.0025) < 1e-12
    assert spread(c) <= 400 * 0.0025 * UNIT * 2 * 408 * 4


def test_one_informative_size_is_below_the_largest_error():
    # the largest DCG error that `informative` compares with is the one that enumeration finds
    for n in (2, 3, 4, 5):
        c = logarithmic(n)
        largest = max(dcg_error(group.y, c).max() for group in rankings(n))
        assert largest == pytest.approx(15 * (c - c[::-1])[: n // 2].sum(), rel=1e-14)


def test_where_lemma1_starts_to_say_something():
    assert informative(logarithmic, range(2, 60))[0] == 8
    assert not informative(lambda n: truncated(logarithmic(n), 2), range(2, 60))
    assert informative(lambda n: truncated(logarithmic(n), 3), range(2, 60))


def test_slack_is_far_below_what_a_wrong_constant_would_show():
    # the tightest instance has ratio 1/sqrt(2): a constant below that must be caught in floats and in integers
    r = batch(np.array([[0, 4]]), np.array([[0, 0]]))
    (floats,) = lemma1_logarithmic(lambda n: (n,), r)
    assert floats.left[0] > floats.right[0] * 0.49 + floats.slack
    assert floats.left[0] <= floats.right[0]


def test_the_search_finds_a_planted_error(effort):
    # with 15 replaced by 10 (225 by 100) the lemma is false, and the same engine must refute it
    def weakened(r):
        for comparison in lemma1(lambda n: [np.arange(n, 0, -1)], r):
            yield Comparison(comparison.left * 9, comparison.right * 4, squared=True)

    assert examine(weakened, effort).verdict == "refuted"

"""The gradients of RankNet and LambdaRank, and what a swap changes, pair by pair from the definitions."""

import tracemalloc
from functools import partial
from unittest.mock import Mock

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.testing import assert_allclose, assert_array_equal

from refrank.mcrank import pairwise_gradients
from refrank.mcrank.pairwise_gradients import lambdarank_gradient, list_preferred_pairs, ranknet_gradient
from refrank.mcrank.swap_change import err_swap_change, ndcg_swap_change
from tests.oracles import lambdarank as naive
from tests.strategies.lambdarank import GRADIENTS, MAX_GRADE, QUERY, arrays


@pytest.mark.paper("Burges 2010 Sec. 2")
@given(QUERY)
def test_ranknet_gradient_pair_by_pair(query):
    scores, y = arrays(query)
    cost, lambdas = ranknet_gradient(scores, y)
    # At most 36 pairs, each with a few roundings of numbers below 11 (cost) or 1 (slope).
    assert_allclose(cost, naive.weighted_cost(scores, y, lambda i, j: 1.0), rtol=1e-13, atol=0)
    assert_allclose(lambdas, naive.lambdas(scores, y, lambda i, j: 1.0), rtol=0, atol=1e-14)


@pytest.mark.paper("Burges 2010 Sec. 2.1", at="smooth_pairs")
@given(QUERY)
def test_ranknet_gradient_is_the_derivative_of_its_cost(query):
    scores, y = arrays(query)
    _, lambdas = ranknet_gradient(scores, y)
    step = 2.0**-17
    for document in range(y.size):
        nudge = step * (np.arange(y.size) == document)
        difference = ranknet_gradient(scores + nudge, y)[0] - ranknet_gradient(scores - nudge, y)[0]
        # Truncation: 8 pairs * step^2 * 0.1/6 = 1e-11. Rounding: 1e-13 of the cost / step = 1e-8.
        assert_allclose(lambdas[document], difference / (2 * step), rtol=0, atol=1e-7)


@pytest.mark.paper("McRank Eq. 1", "McRank Eq. 2", "McRank Eq. 3", at="ndcg_swap_change")
@given(QUERY, st.integers(1, 10))
def test_ndcg_swap_change_against_ndcg_evaluated_again(query, truncation):
    scores, y = arrays(query)
    better, worse = list_preferred_pairs(y)
    evaluate = partial(naive.ndcg, truncation=truncation)
    expected = [abs(naive.swap_change(scores, y, i, j, evaluate)) for i, j in zip(better, worse, strict=True)]
    if better.size:
        # Differences of numbers up to 1, each with a few roundings.
        got = ndcg_swap_change(scores, y, better, worse, truncation)
        assert_allclose(got, expected, rtol=0, atol=1e-15 * 8)


@pytest.mark.paper("COCR Eq. 8", at="err_swap_change")
@given(QUERY, st.integers(0, 2))
def test_err_swap_change_against_err_evaluated_again(query, above):
    scores, y = arrays(query)
    better, worse = list_preferred_pairs(y)
    evaluate = partial(naive.err, max_grade=MAX_GRADE + above)
    # rational arithmetic, so the tolerance is the rounding of err_swap_change alone
    exact = [naive.swap_change(scores, y, i, j, evaluate) for i, j in zip(better, worse, strict=True)]
    got = err_swap_change(scores, y, better, worse, MAX_GRADE + above)
    # C carries a few roundings of numbers up to 1, divided by 1 - R >= 2^-4 (grades stay at most 4).
    assert_allclose(got, [abs(float(change)) for change in exact], rtol=0, atol=2.0**MAX_GRADE * 4e-16)


@given(QUERY)
def test_moving_the_better_document_up_always_raises_err(query):
    scores, y = arrays(query)
    place = np.argsort(np.argsort(-scores, kind="stable"), kind="stable")
    for i, j in zip(*list_preferred_pairs(y), strict=True):
        change = naive.swap_change(scores, y, i, j, partial(naive.err, max_grade=MAX_GRADE))
        assert (change > 0) == (place[i] > place[j])
        assert change != 0


@pytest.mark.paper("Burges 2010 Sec. 4")
@given(QUERY, st.integers(1, 10), st.sampled_from(["ndcg", "err"]))
def test_lambdarank_gradient_pair_by_pair(query, truncation, measure):
    scores, y = arrays(query)
    setting = {"truncation": truncation} if measure == "ndcg" else {"max_grade": MAX_GRADE}
    changes = {"ndcg": (ndcg_swap_change, naive.ndcg), "err": (err_swap_change, naive.err)}[measure]
    swap_change, evaluate = (partial(function, **setting) for function in changes)

    def weight(i, j):
        return abs(float(naive.swap_change(scores, y, i, j, evaluate)))

    cost, lambdas = lambdarank_gradient(scores, y, swap_change)
    # The roundings of the swap changes above, for up to 8 pairs a document, 36 a query, a cost of 11 a pair.
    assert_allclose(lambdas, naive.lambdas(scores, y, weight), rtol=0, atol=8 * 1e-14)
    assert_allclose(cost, naive.weighted_cost(scores, y, weight), rtol=0, atol=36 * 11 * 1e-14)


@pytest.mark.parametrize("name", GRADIENTS)
@given(scores=st.lists(st.floats(-1e300, 1e300), max_size=6), grade=st.integers(0, MAX_GRADE))
def test_a_query_of_no_documents_or_of_one_grade_has_zero_gradient(name, scores, grade):
    cost, lambdas = GRADIENTS[name](np.array(scores), np.full(len(scores), grade))
    assert cost == 0
    assert_array_equal(lambdas, np.zeros(len(scores)))
    assert lambdas.dtype == np.float64


@pytest.mark.parametrize("margin", [800.0, -800.0])
def test_far_apart_scores_neither_overflow_nor_lose_the_slope(margin):
    cost, lambdas = ranknet_gradient(np.array([margin, 0.0]), np.array([1, 0]))
    assert (cost, *lambdas) == ((0, 0, 0) if margin > 0 else (800, -1, 1))


@pytest.mark.parametrize(
    ("swap_change", "setting", "message"),
    [
        (ndcg_swap_change, {"truncation": 0}, "truncation is 0: it must be an integer of at least 1"),
        (err_swap_change, {"max_grade": 2}, "y at row 1 is 3: labels must be integers from 0 to 2"),
    ],
)
def test_bad_settings_are_refused(swap_change, setting, message):
    with pytest.raises(ValueError, match=message):
        swap_change(np.zeros(2), np.array([0, 3]), np.array([1]), np.array([0]), **setting)


@pytest.fixture
def listing(monkeypatch) -> Mock:
    """The function that lists the pairs of a block, watched."""
    watched = Mock(wraps=list_preferred_pairs)
    monkeypatch.setattr(pairwise_gradients, "list_preferred_pairs", watched)
    return watched


@pytest.mark.parametrize("name", GRADIENTS)
@pytest.mark.parametrize("n_pairs", [1, 50, 137, 40 * 40 - 1])
def test_blocks_of_pairs_change_no_bit_of_the_slopes(name, n_pairs, listing, monkeypatch):
    """Only the cost, a sum over all pairs, is added up block by block."""
    rng = np.random.default_rng(5)
    scores, y = rng.normal(size=40), rng.integers(0, MAX_GRADE + 1, 40)
    cost, lambdas = GRADIENTS[name](scores, y)
    listing.reset_mock()
    monkeypatch.setattr(pairwise_gradients, "MOST_PAIRS", n_pairs)
    blockwise, same = GRADIENTS[name](scores, y)
    assert_array_equal(same, lambdas)
    assert_allclose(blockwise, cost, rtol=1e-14, atol=0)
    assert listing.call_count == -(-40 // max(1, n_pairs // 40)) > 1


def test_a_query_of_up_to_1024_documents_is_one_block(listing):
    for n_documents, n_blocks in ((1024, 1), (1025, 2)):
        ranknet_gradient(np.zeros(n_documents), np.arange(n_documents) % 2)
        assert listing.call_count == n_blocks
        listing.reset_mock()


@pytest.mark.parametrize("name", GRADIENTS)
def test_memory_grows_with_the_documents_and_not_with_the_pairs(name):
    """A query of 2,500 documents has 2.5 million pairs with two grades or more apart: 150 MB all at once."""
    y = np.arange(2500) % (MAX_GRADE + 1)
    tracemalloc.start()
    GRADIENTS[name](np.cos(np.arange(2500.0)), y)
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 60 * 2**20

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from proofs_check.cocr.oerr import agree, dcg_bound, optimism, upper_bound
from proofs_check.engine import naive
from proofs_check.engine.exact import by_document, looks
from proofs_check.engine.instances import with_ties
from proofs_check.engine.strategies import some_ranking
from proofs_check.tests.nearness import assert_holds, searching
from refrank.cocr.costs import oerr, squared


@pytest.mark.paper("COCR Sec. 5.3, claim 5")
def test_the_sum_of_the_costs_is_a_factor_of_the_bound_on_dcg(finding):
    assert finding("cocr.oerr.variant-ndcg").verdict == "identity"


def test_ties_alone_by_hand():
    # y = yhat = (1, 1), pi in the listed order, rho reversed
    differences = [naive.stop((1, 1), (2, 1), i) - naive.stop((1, 1), (1, 2), i) for i in (0, 1)]
    assert differences == [Fraction(-1, 256), Fraction(1, 256)]
    assert sum(d**2 for d in differences) == Fraction(1, 32768)


def test_the_optimism_is_not_always_absent():
    # the premise of the row `cocr.oerr` and of its variants holds for instances with and without an error
    errors = [r.errors[agree(r).all(axis=1)] for r in with_ties(3)]
    assert set(np.concatenate(errors).tolist()) == {0, 1}


def test_one_grade_changes_the_later_products_ninefold():
    assert (1 - naive.relevance(3)) / (1 - naive.relevance(4)) == 9


@given(some_ranking(max_n=7))
def test_products_are_the_definition(r):
    y, g = r.y[0].tolist(), r.g[0].tolist()
    product = by_document(looks, r.y, r.g, r.scale)[0]
    for i in range(r.n):
        survived = Fraction(int(product[i]), 16 ** (r.n - 1))
        assert survived * naive.relevance(y[i]) == naive.stop(y, g, i)
    assert looks(r.y_hat, r.scale).shape == r.y_hat.shape


@searching
@given(some_ranking(min_n=2, max_n=16))
def test_what_holds_for_larger_n(r):
    assert_holds(optimism(r), upper_bound(r), dcg_bound(r))


def test_normalised_costs_by_grade():
    # the number of the K + 1 predictions whose normalised oERR cost is below the squared one, K = 4
    y = np.arange(5)
    ours, theirs = oerr(y, 4), squared(y, 4)
    below = ours * theirs.max(axis=1, keepdims=True) < theirs * ours.max(axis=1, keepdims=True)
    assert below.sum(axis=1).tolist() == [3, 3, 3, 1, 0]

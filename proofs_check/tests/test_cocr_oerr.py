from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given

from proofs_check.cocr import oerr as cocr_oerr
from proofs_check.cocr import oerr_shape as cocr_oerr_shape
from proofs_check.engine import naive
from proofs_check.cocr.oerr import agree, dcg_bound, optimism, products_of_documents, upper_bound
from proofs_check.cocr.theorem2 import stops
from proofs_check.engine.instances import with_ties
from proofs_check.engine.strategies import some_ranking
from refrank.cocr.costs import oerr, squared

ROWS = cocr_oerr.ROWS + cocr_oerr_shape.ROWS
IDENTITIES = (
    "cocr.oerr",
    "cocr.oerr.variant-ties-kept",
    "cocr.oerr.variant-ndcg",
    "cocr.oerr.variant-example",
)
REFUTED = {
    "cocr.oerr.step1": (
        "n=2, in the order of pi: y=(0, 0), yhat=(1, 0), g=(1, 2): P_2(rho,y) and P_2(pi,yhat), 1 != 15/16"
    ),
    "cocr.oerr.step2": "n=1, in the order of pi: y=(0,), yhat=(0,), g=(1,): 0 != 65535/16",
    "cocr.oerr.step3": "n=2, in the order of pi: y=(1, 0), yhat=(1, 1), g=(1, 2): 225/65536 != 1/256",
    "cocr.oerr.step4": "n=2, in the order of pi: y=(1, 1), yhat=(1, 1), g=(2, 1): 1/32768 > 0",
    "cocr.oerr.variant-unoptimistic": ("n=2, in the order of pi: y=(0, 1), yhat=(1, 1), g=(2, 1): 257/65536 > 1/256"),
    "cocr.oerr.variant-convex": "y=3, oERR=(49, 36, 16, 0), k=1: -13 > -20",
    "cocr.oerr.variant-normalised": "y=3, oERR=(49, 36, 16, 0, 64), k=0: times both maxima, 576 > 441",
    "cocr.oerr.variant-normalised-every-grade": "y=1, oERR=(1, 0, 4), k=0: times both maxima, 4 > 1",
}
SHAPES = {row.id: 12 for row in cocr_oerr_shape.ROWS} | {"cocr.oerr.variant-example": 4}


@pytest.mark.parametrize("id", [row.id for row in ROWS])
def test_verdict(id, finding, effort):
    found = finding(id)
    expected = "identity" if id in IDENTITIES else "holds"
    assert (found.verdict, found.counterexample) == (("refuted", REFUTED[id]) if id in REFUTED else (expected, None))
    if id not in REFUTED:
        assert found.exhaustive_n == SHAPES.get(id, effort.n_max)


def test_ties_alone_by_hand():
    # y = yhat = (1, 1), pi in the listed order, rho the other way round
    differences = [naive.stop((1, 1), (2, 1), i) - naive.stop((1, 1), (1, 2), i) for i in (0, 1)]
    assert differences == [Fraction(-1, 256), Fraction(1, 256)]
    assert sum(d**2 for d in differences) == Fraction(1, 32768)


def test_the_optimism_is_not_always_absent():
    # the premise of the row `cocr.oerr` and of its variants holds at instances with an error, and without
    errors = [r.errors[agree(r).all(axis=1)] for r in with_ties(3)]
    assert set(np.concatenate(errors).tolist()) == {0, 1}


def test_one_grade_changes_the_later_products_ninefold():
    assert (1 - naive.relevance(3)) / (1 - naive.relevance(4)) == 9


@given(some_ranking(max_n=7))
def test_products_are_the_definition(r):
    y, g = r.y[0].tolist(), r.g[0].tolist()
    product = products_of_documents(r.y, r.g)[0]
    for i in range(r.n):
        survived = Fraction(int(product[i]), 16 ** (r.n - 1))
        assert survived * naive.relevance(y[i]) == naive.stop(y, g, i)
    assert stops(r.y_hat).shape == r.y_hat.shape


@given(some_ranking(min_n=2, max_n=16))
def test_what_holds_for_larger_n(r):
    for comparison in (optimism(r), upper_bound(r), *dcg_bound(r)):
        assert not comparison.violated().any()


def test_normalised_costs_by_grade():
    # at how many of the K + 1 predictions the normalised oERR cost is below the squared one, K = 4
    y = np.arange(5)
    ours, theirs = oerr(y, 4), squared(y, 4)
    below = ours * theirs.max(axis=1, keepdims=True) < theirs * ours.max(axis=1, keepdims=True)
    assert below.sum(axis=1).tolist() == [3, 3, 3, 1, 0]


@given(r=some_ranking(min_n=1, max_n=20))
def test_another_implementation(r, needs):
    y, y_hat = r.y[0].astype(np.int64), r.y_hat[0].astype(np.int64)
    costs = np.asarray(needs("oerr")(y, 4))[np.arange(r.n), y_hat]
    assert costs.tolist() == [(2**a - 2**b) ** 2 for a, b in zip(y.tolist(), y_hat.tolist(), strict=True)]

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.instances import batch
from proofs_check.engine.strategies import some_ranking
from proofs_check.igbrt.perfect_ranker import err_of_quarters, perfect, step1


@given(some_ranking(min_n=2, max_n=14))
def test_for_larger_rankings(r):
    assert not perfect(r).violated().any()
    assert not any(comparison.violated().any() for comparison in step1(r))


@given(r=some_ranking(min_n=1, max_n=25), order=st.randoms(use_true_random=False))
def test_another_implementation(r, order, needs):
    err = needs("err")
    y = r.y[0].astype(np.int64)
    score = np.array(order.sample(range(r.n), r.n), dtype=float)
    # ERR of one query is at most 1 and a sum of at most 25 products of 25 factors: 25 * 26 roundings of it
    assert err(y, score) <= err(y, y.astype(float)) + 25 * 26 * 2.0**-53


def test_a_worse_ranking_is_strictly_worse():
    claim = perfect(batch(np.array([[0, 4], [3, 4], [4, 0]]), np.zeros((3, 2), dtype=int)))
    assert (claim.left < claim.right).tolist() == [True, True, False]


def test_err_of_quarters_by_hand():
    # R = 1/2, 1: 1/2 + (1/2)(1/2)(1) = 3/4, in units of 1/(4^2 * 2)
    assert err_of_quarters(np.array([[2, 4]]))[0] == 24

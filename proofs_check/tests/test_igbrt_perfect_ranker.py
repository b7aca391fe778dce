import numpy as np
from hypothesis import given

from proofs_check.engine.instances import batch
from proofs_check.engine.strategies import some_ranking
from proofs_check.igbrt.perfect_ranker import err_of_quarters, perfect, step1
from proofs_check.tests.nearness import assert_holds


@given(some_ranking(min_n=2, max_n=14))
def test_for_larger_rankings(r):
    assert_holds(perfect(r), step1(r))


def test_a_worse_ranking_is_strictly_worse():
    claim = perfect(batch(np.array([[0, 4], [3, 4], [4, 0]]), np.zeros((3, 2), dtype=int)))
    assert (claim.left < claim.right).tolist() == [True, True, False]


def test_err_of_quarters_by_hand():
    # R = 1/2, 1: 1/2 + (1/2)(1/2)(1) = 3/4, in units of 1/(4^2 * 2)
    assert err_of_quarters(np.array([[2, 4]]))[0] == 24

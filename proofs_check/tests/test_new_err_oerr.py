from fractions import Fraction
from itertools import pairwise
from math import pi

import numpy as np
from hypothesis import given

from proofs_check.engine.discounts import reciprocal
from proofs_check.engine.instances import batch
from proofs_check.engine.strategies import some_ranking
from proofs_check.new.err_oerr import centred, err_oerr, pairing_squared
from proofs_check.tests.nearness import assert_holds, searching


def k_squared(n):
    return Fraction(pairing_squared(n), int(reciprocal(n)[0]) ** 2)


def test_the_constant_rises_to_its_limit():
    values = [k_squared(n) for n in range(1, 80)]
    assert values[:5] == [0, Fraction(1, 2), Fraction(8, 9), Fraction(85, 72), Fraction(281, 200)]
    assert all(a < b for a, b in pairwise(values))
    # 2 sum 1/i^2 falls short of pi^2/3 by less than 2/n, and 4 H_n/(n+1) <= 4 (1 + log n)/(n + 1)
    assert pi**2 / 3 - (2 + 4 * (1 + np.log(79))) / 79 < values[-1] < pi**2 / 3


def test_where_the_bounds_are_attained(finding):
    assert finding("new.err_oerr.variant-centred").max_ratio == 1.0
    # one half of the gain of the two grades predicted for both documents: 17/2 instead of 16 and 1
    assert finding("new.err_oerr.variant-real-valued").max_ratio == 1.0
    assert 0.997 < finding("new.err_oerr").max_ratio < 1


def test_a_smaller_constant_is_caught():
    r = batch(np.array([[0, 4]]), np.array([[3, 3]]))
    claim = err_oerr(r)
    assert claim.right[0] * 0.99 < claim.left[0] <= claim.right[0]


@searching
@given(some_ranking(min_n=2, max_n=24))
def test_larger_n(r):
    assert_holds(err_oerr(r), centred(r))


def test_the_optimism_is_not_needed():
    # the worst ranker: pi reverses g; the sum of the costs still bounds the error
    r = batch(np.array([[0, 0, 4]]), np.array([[4, 4, 0]]))
    claim = err_oerr(r)
    assert 0 < claim.left[0] <= claim.right[0]

from math import pi, sqrt

import numpy as np
import pytest
from hypothesis import given

from proofs_check.engine.exact import discounted_looks, err, err_unit, unit
from proofs_check.engine.instances import batch, rankings
from proofs_check.engine.strategies import some_ranking
from proofs_check.igbrt.theorem1 import step7, sum_of_squares, theorem1
from proofs_check.igbrt.theorem1_mended import consequently, mended, moved, one_c, sharp, swap, twice
from proofs_check.tests.nearness import assert_holds, searching


@pytest.mark.paper("iGBRT Eq. 6", "iGBRT Eq. 7")
def test_eq6_is_an_identity_and_eq7_is_true(finding):
    eq6, eq7 = finding("igbrt.theorem1.step1"), finding("igbrt.theorem1.step2")
    assert [eq6.verdict, eq7.verdict] == ["identity", "holds"]


def test_the_sharp_constant_is_attained_at_every_size(finding):
    assert finding("igbrt.theorem1.variant-sharp").max_ratio == 1.0
    for n in (2, 3, 7, 30):
        y = np.array([[0] * (n - 1) + [4]])
        claim = sharp(batch(y, np.zeros_like(y)))
        assert claim.left[0] == claim.right[0]


def test_how_tight_the_others_are(finding):
    # one perfect document ranked last of 12, the largest size of the climbs: (15/16)(11/12) over the constant
    printed = finding("igbrt.theorem1").max_ratio
    assert 0.62 < printed < (15 / 16) / (15 * pi / (16 * sqrt(6)))
    assert finding("igbrt.theorem1.variant-mended").max_ratio == pytest.approx(printed / sqrt(2), rel=1e-9)


def test_the_printed_constant_never_says_anything():
    # ERR is at most 15/16 sum (1/16)^(i-1)/i = -15 log(1 - 1/16) < 0.97 for any n: all labels 4
    largest = max(err(group.y, 16).max() / unit(5, 16) for group in rankings(5))
    assert largest < -15 * np.log(15 / 16) < 0.97
    assert 15 * pi / (16 * sqrt(6)) > 1.2


def test_the_squares_come_close_to_twice_the_printed_sum():
    # labels 0, g the reverse of pi: sum (1/i - 1/(n+1-i))^2 -> pi^2/3 = 2 pi^2/6 as n grows
    def share(n):
        c = 1 / np.arange(1, n + 1)
        return ((c - c[::-1]) ** 2).sum() / (pi**2 / 6)

    assert share(7) > 1
    assert share(20_000) == pytest.approx(2, abs=3e-3)
    y = np.zeros((1, 8), dtype=int)
    claim = twice(batch(y, y, np.arange(8, 0, -1)))
    assert 2 * claim.left[0] > claim.right[0]  # more than the printed sum, at most twice


@searching
@given(some_ranking(min_n=2, max_n=12))
def test_for_larger_rankings(r):
    assert_holds(*(claim(r) for claim in (theorem1, step7, consequently, twice, mended, sharp, one_c, swap)))


def test_stopping_is_equation_5():
    # labels 4, 2, 0 in order: C = (1, (1/2)(1/16), (1/3)(1/16)(13/16))
    c, whole = discounted_looks(np.array([[4, 2, 0]]), 16), err_unit(3, 16)
    assert c.tolist() == [[whole, whole // 32, whole // 768 * 13]]
    assert err(np.array([[4, 2, 0]]), 16)[0] / unit(3, 16) == 0.943359375
    assert sum_of_squares(batch(np.array([[0, 0]]), np.array([[0, 0]])))[0] == 32**2 + 16**2
    r = batch(np.array([[0, 4]]), np.array([[1, 1]]))
    assert moved(discounted_looks(r.y, r.scale), r).tolist() == [[16, 32]]

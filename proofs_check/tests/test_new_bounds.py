from math import log2

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.discounts import logarithmic, swap_gain
from proofs_check.engine.exact import dcg_error, gain_difference
from proofs_check.engine.instances import batch
from proofs_check.engine.strategies import some_discount, some_ranking
from proofs_check.mcrank.lemma1 import spread
from proofs_check.new.dcg_threshold import bound, crossings, profiles, with_labels
from proofs_check.new.min_pairing import pairing
from proofs_check.ports.new import EXCHANGED, dcg_threshold, min_pairing
from proofs_check.tests.nearness import assert_below, assert_holds, searching


def test_the_threshold_bound_is_attained(finding):
    assert finding("new.dcg_threshold").max_ratio == 1.0
    assert finding("new.min_pairing").max_ratio > 0.997


@searching
@given(st.data())
def test_both_for_any_discount(data):
    r = data.draw(some_ranking(min_n=2, max_n=16))
    c = data.draw(some_discount(r.n))
    error = dcg_error(r.y, c)[0]
    assert_below(error**2, pairing(c) * (gain_difference(r)[0] ** 2).sum(), "pairing")
    assert_below(error, sum(2 ** (t - 1) * swap_gain(c, crossings(r, t))[0] for t in (1, 2, 3, 4)), "thresholds")


@given(some_ranking(min_n=2, max_n=16))
def test_thresholds_for_every_discount(r):
    assert_holds(bound(r), with_labels(r))


@pytest.mark.parametrize(
    ("sign", "base", "discount", "right"),
    [(-1, 2.0, log2, True), (1, 2.0, log2, False), (-1, 3.0, log2, False), (-1, 2.0, lambda i: i - 1, False)],
    ids=["right", "ranks by ascending score", "gain 3^y - 1", "discount 1/i"],
)
def test_a_wrong_port_does_not_pass(sign, base, discount, right):
    def dcg(y, score):
        ranked = [y[i] for i in sorted(range(len(y)), key=lambda i: sign * score[i])]
        return sum((base ** int(label) - 1) / discount(i) for i, label in enumerate(ranked, start=2))

    claims = [*dcg_threshold(dcg, EXCHANGED), *min_pairing(dcg, EXCHANGED)]
    assert all(claim.holds for claim in claims) == right


def test_every_profile_at_one_threshold_occurs():
    (cases,) = profiles(1, 5)
    pairs = {(int(u[0]), int(o[0])) for u, o in zip(cases.columns["U"], cases.columns["O"], strict=True)}
    assert pairs == {(u, o) for u in range(3) for o in range(3)}


def test_min_pairing_is_never_above_lemma1():
    for n in (2, 5, 10, 100):
        c = logarithmic(n)
        assert pairing(c) < 2 * spread(c) or n == 2
    # with a truncation the product is 0 and AM-GM gains nothing; the pairing still does
    c = np.where(np.arange(12) < 10, logarithmic(12), 0)
    assert pairing(c) < 0.6 * 2 * spread(c)


def test_swap_gain_is_the_largest_gain_of_m_swaps():
    c = np.array([60, 30, 20, 15, 12])
    assert swap_gain(c, np.array([0, 1, 2, 3, 9])).tolist() == [0, 48, 63, 63, 63]
    r = batch(np.array([[0, 0, 4, 4, 4]]), np.array([[4, 4, 4, 0, 0]]))
    assert dcg_error(r.y, c)[0] == 15 * 63 - 15 * 0 - 15 * (20 - 20)

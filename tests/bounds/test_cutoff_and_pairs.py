"""refrank.bounds at a cut-off, with the least factors, and of weighted pairs: against the sides of the statements."""

import math
import re

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.exact import relevance_gain
from proofs_check.engine.instances import Cases
from proofs_check.engine.strategies import some_discount, some_ranking
from proofs_check.ndcg import at_cutoff, cross_entropy, lambda_loss, xe_ndcg
from proofs_check.regret import pairwise
from refrank import bounds
from refrank.metrics import ndcg

# sums of at most 12 products, each a few roundings of numbers no larger than the bound itself
CLOSE = {"rel": 1e-11, "abs": 1e-11}
ROUNDING = 1e-11


@given(some_ranking(min_n=1, max_n=12).filter(lambda r: (r.y > 0).any()), st.none() | st.integers(1, 12))
def test_the_least_factor_and_the_cut_off_are_the_sides_of_the_statements(r, k):
    y, s, places = r.y[0].astype(np.int64), r.y_hat[0].astype(float), r.n if k is None else k
    least = float(cross_entropy.with_constant(cross_entropy.KAPPA, r).right[0])
    assert bounds.ndcg_least_cross_entropy(y, 2 * s) == pytest.approx(least, **CLOSE)
    factor = max((1 - (p <= places or k is None) / math.log2(1 + p)) / math.log(p) for p in range(2, 99))
    loss = bounds.ndcg_error_cross_entropy(y, 2 * s, k)
    assert loss == pytest.approx(factor * bounds.ndcg_cross_entropy(y, 2 * s), **CLOSE)
    log_places = {int(part.label[2:]): part for part in at_cutoff.log_places(r)}
    if k is not None and k <= r.n:
        assert bounds.ndcg_error_log_rank(y, 2 * s, k) == pytest.approx(float(log_places[k].right[0]), **CLOSE)
    missed = 1 - ndcg(y, -np.arange(r.n, dtype=float), k=k)
    assert missed <= min(loss, bounds.ndcg_error_log_rank(y, 2 * s, k)) + ROUNDING
    assert bounds.ndcg_error_log_rank(y, 2 * s, k) <= 1 + ROUNDING


@pytest.mark.parametrize("k", [None, *range(1, 13)])
def test_the_factor_at_a_cut_off_is_that_of_the_worst_place(k):
    others = -np.arange(98.0)
    missed = {place: 1 - ndcg([1] + [0] * 98, [1.5 - place, *others], k=k) for place in range(2, 100)}
    factor = max(value / math.log(place) for place, value in missed.items())
    assert bounds.ndcg_error_cross_entropy([0, 1], [0.0, 0.0], k) == pytest.approx(factor * math.log(2), rel=1e-14)


@given(some_ranking(min_n=1, max_n=8).filter(lambda r: (r.y > 0).any()), st.data())
def test_weights_of_distances_and_shifted_gains_are_those_of_the_statements(r, data):
    y, s = r.y[0].astype(np.int64), r.y_hat[0].astype(float)
    c = 1 / np.log2(np.arange(2, r.n + 2))
    exact = float(lambda_loss.wrong_pairs(relevance_gain(r.y).astype(float), c)[0])
    assert bounds.dcg_distance_swaps(c, y) == pytest.approx(exact, **CLOSE)
    assert bounds.dcg_distance_loss(c, y, s) == pytest.approx(float(lambda_loss.logistic(r).right[0]), **CLOSE)
    assert bounds.dcg_distance_swaps(c, y) <= bounds.dcg_distance_loss(c, y, s) + ROUNDING
    gamma = np.array(data.draw(st.lists(st.integers(0, 2), min_size=r.n, max_size=r.n)))
    case = Cases({"y": y[np.newaxis], "gamma": gamma[np.newaxis], "e^s": np.exp(s)[np.newaxis]})
    right = float(xe_ndcg.bounded(cross_entropy.KAPPA, case).right[0])
    assert bounds.ndcg_shifted_cross_entropy(y, s, gamma / 2) == pytest.approx(right, **CLOSE)


@given(st.integers(2, 6), st.data())
def test_the_regret_of_pairs_is_the_right_side(n, data):
    v = np.array(data.draw(st.lists(st.integers(0, 9), min_size=n, max_size=n)))
    beats = np.triu(np.array(data.draw(st.lists(st.booleans(), min_size=n * n, max_size=n * n))).reshape(n, n), 1)
    beats = beats | np.tril(~beats.T, -1)
    c = data.draw(some_discount(n)).astype(float)
    exact = 2 * float((c[:-1] - c[1:]).max()) * int(pairwise.regret_of_pairs(v[np.newaxis], beats[np.newaxis])[0])
    assert bounds.dcg_pair_regret(c, v, beats) == exact


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.ndcg_error_log_rank([0, 1], [0, 1], k=0), "k is 0: it must be an integer of at least 1"),
        (
            lambda: bounds.ndcg_shifted_cross_entropy([0, 1], [0, 1], [0.5, 1.5]),
            "gamma at row 1 is 1.5: gamma must be from 0 to 1",
        ),
        (
            lambda: bounds.ndcg_shifted_cross_entropy([0, 1], [0, 1], [0.5]),
            "gamma has shape (1,): it must have shape (n,), one entry",
        ),
        (
            lambda: bounds.dcg_distance_swaps([1, 0.9, 0], [0, 1, 2]),
            "discount at row 2 is 0.0: the steps c_r - c_(r+1) must",
        ),
        (
            lambda: bounds.dcg_pair_regret([1, 0], [0, 1], [[0, 1], [1, 0]]),
            "wins at row 0, column 1 is True: each pair",
        ),
        (
            lambda: bounds.dcg_pair_regret([1, 0], [0, 1], [[1, 1], [0, 0]]),
            "wins at row 0, column 0 is True: each pair",
        ),
        (lambda: bounds.dcg_pair_regret([1, 0], [0, 1, 2], [[0]]), "expected_gain has shape (3,): it must have shape"),
    ],
)
def test_a_broken_rule_is_told(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()

"""refrank.bounds of training losses, NDCG, noisy labels and rounds: against the exact sides, and against the errors."""

import math
import re
from fractions import Fraction
from itertools import combinations, permutations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine import naive
from proofs_check.engine.discounts import steps
from proofs_check.engine.exact import relevance_gain, unit
from proofs_check.engine.instances import Cases, stable_g
from proofs_check.engine.probabilities import left_over
from proofs_check.engine.strategies import some_discount, some_ranking
from proofs_check.losses import lambdarank
from proofs_check.ndcg import cross_entropy, essential_loss
from proofs_check.new.isotonic import distance
from proofs_check.new.min_pairing import pairing
from proofs_check.new.one_sided import right_side
from refrank import bounds
from refrank.metrics import dcg, err, ndcg

# Sums of at most 16^2 products, each a few roundings of numbers no larger than the bound itself.
CLOSE = {"rel": 1e-11, "abs": 1e-11}
ROUNDING = 1e-11  # of differences of two DCGs or ERRs, and of sides that are equal in real numbers
DISCOUNT = 1 / np.log2(np.arange(2, 40))


@st.composite
def class_probabilities(draw, max_grade=4):
    """Labels and probabilities in sixths, (n,) and (n, K + 1): exact quotients of integers."""
    n = draw(st.integers(1, 8))
    y = draw(st.lists(st.integers(0, max_grade), min_size=n, max_size=n))
    parts = st.lists(st.integers(0, max_grade) | st.sampled_from((0, max_grade)), min_size=6, max_size=6)
    counts = np.array([np.bincount(draw(parts), minlength=max_grade + 1) for _ in range(n)])
    return np.array(y), counts


@given(class_probabilities(), st.data())
def test_class_proba_is_the_exact_right_side_and_bounds_the_error(drawn, data):
    y, counts = drawn
    proba, n = counts / 6, len(y)
    case = Cases({"y": y[np.newaxis], "p": counts[np.newaxis]}, {"p": 6})
    c = data.draw(some_discount(n)).astype(float)
    rest = left_over(case)[0] / 6
    assert bounds.dcg_class_proba(c, y, proba) == pytest.approx(15 * (c[0] - c[-1]) * rest.sum(), **CLOSE)
    assert bounds.dcg_expected_relevance(c, y, proba) == pytest.approx(32 * (c[0] - c[-1]) * rest.sum(), **CLOSE)
    squares = float(pairing(c) * (rest**2).sum())
    assert bounds.dcg_class_proba_l2(c, y, proba) == pytest.approx(15 * math.sqrt(squares), **CLOSE)
    brier = float(pairing(c) * 148.8 * ((proba - (y[:, None] == np.arange(5))) ** 2).sum())
    assert bounds.dcg_brier(c, y, proba) == pytest.approx(math.sqrt(brier), **CLOSE)
    zero = [bounds.dcg_class_proba, bounds.dcg_expected_relevance, bounds.dcg_class_proba_l2, bounds.dcg_brier]
    assert {f(c, y, proba) == 0 for f in zero} == {not rest.any() or c[0] == c[-1]}
    # ties in the order of the rows: as good as any
    gain, relevance = counts @ relevance_gain(np.arange(5)), counts @ np.arange(5)
    error = dcg(y, y, k=None) - dcg(y, gain, k=None)
    assert error <= bounds.dcg_class_proba(DISCOUNT[:n], y, proba) + ROUNDING
    assert error <= min(f(DISCOUNT[:n], y, proba) for f in (bounds.dcg_class_proba_l2, bounds.dcg_brier)) + ROUNDING
    error = dcg(y, y, k=None) - dcg(y, relevance, k=None)
    assert error <= bounds.dcg_expected_relevance(DISCOUNT[:n], y, proba) + ROUNDING
    error = err(y, y, max_grade=4) - err(y, gain, max_grade=4)
    assert error <= bounds.err_class_proba(y, proba) + ROUNDING


@given(some_ranking(min_n=1, max_n=10), st.data())
def test_swaps_and_tasks_are_the_exact_right_sides(r, data):
    y = r.y[0].astype(np.int64)
    c = data.draw(some_discount(r.n))
    assert bounds.dcg_swaps(c, y) == int(lambdarank.sum_of_swaps(r, c)[0])  # integers below 2^53
    exact = Fraction(int(lambdarank.sum_of_err_swaps(r)[0]), unit(r.n, r.scale))
    assert bounds.err_swaps(y) == pytest.approx(float(exact), **CLOSE)
    scores = r.y_hat[0].astype(float)
    comparison = lambdarank.logistic(r)
    log = 1 / np.log2(np.arange(2, r.n + 2))
    assert bounds.lambda_loss(log, y, scores) == pytest.approx(float(comparison.right[0]), **CLOSE)
    assert bounds.dcg_swaps(log, y) <= bounds.lambda_loss(log, y, scores) + ROUNDING
    stable = type(r)(r.y, r.y_hat, stable_g(r.y), r.max_grade)
    weighted = sorted((2 ** int(v) - 1 for v in y), reverse=True) * (c - c[-1]) * essential_loss.wrong_tasks(stable)[0]
    assert bounds.essential_loss(c, y) == int(weighted.sum())
    exact = Fraction(int(essential_loss.err_tasks(stable).right[0]), unit(r.n, r.scale))
    assert bounds.err_essential_loss(y) == pytest.approx(float(exact), **CLOSE)


@given(some_ranking(min_n=1, max_n=12).filter(lambda r: (r.y > 0).any()), st.floats(0.1, 3))
def test_cross_entropies_are_their_definitions_and_bound_minus_log(r, scale):
    y, s = r.y[0].astype(np.int64), r.y_hat[0].astype(float)
    assert bounds.ndcg_cross_entropy(y, 2 * s) == pytest.approx(float(cross_entropy.ndcg_bound(r).right[0]), **CLOSE)
    assert bounds.ndcg_log_rank(y, 2 * s) == pytest.approx(float(cross_entropy.sharp(r).right[0]), **CLOSE)
    assert bounds.err_cross_entropy(y, 2 * s) == pytest.approx(float(cross_entropy.err_bound(r).right[0]), **CLOSE)
    position = -np.arange(r.n, dtype=float)
    worst = -math.log(ndcg(y, position, k=None))
    assert worst <= bounds.ndcg_log_rank(y, scale * s) + ROUNDING
    assert bounds.ndcg_log_rank(y, scale * s) <= bounds.ndcg_cross_entropy(y, scale * s) + ROUNDING
    worst = -math.log(err(y, position, max_grade=4) / err(y, y, max_grade=4))
    assert worst <= bounds.err_cross_entropy(y, scale * s) + ROUNDING


@given(some_ranking(min_n=1, max_n=12), st.data())
def test_one_sided_and_isotonic_are_the_exact_right_sides(r, data):
    y, c = r.y[0].astype(np.int64), data.draw(some_discount(r.n))
    z, f = relevance_gain(r.y)[0], relevance_gain(r.y_hat)[0]
    assert bounds.dcg_one_sided(c, z, f) == int(right_side(c, z - f).sum())
    exact = float(pairing(c)) * float(Fraction(int(distance(r)[0]), math.lcm(*range(1, r.n + 1))))
    # a distance of 0 is off by the rounding of means of gains up to 15
    assert bounds.dcg_isotonic(c, z) == pytest.approx(math.sqrt(exact), rel=1e-9, abs=1e-12 * float(c[0] + 1))
    assert dcg(y, y, k=None) - dcg(y, -np.arange(r.n), k=None) <= bounds.dcg_isotonic(DISCOUNT[: r.n], z) + ROUNDING
    assert err(y, y, max_grade=4) - err(y, -np.arange(r.n), max_grade=4) <= bounds.err_isotonic(y) + ROUNDING


@given(st.lists(st.integers(0, 16), min_size=1, max_size=6))
def test_the_regret_of_err_is_that_of_the_best_ranking_or_more(parts):
    relevance = [Fraction(part, 16) for part in parts]
    best = max(naive.err_of(order) for order in permutations(relevance))
    regret = float(best - naive.err_of(relevance))
    assert regret <= bounds.err_regret(np.array(parts) / 16) + ROUNDING


@given(st.lists(st.integers(-9, 9), min_size=1, max_size=9))
def test_a_cut_takes_off_its_share(residuals):
    r = np.array([*residuals, -sum(residuals)], dtype=float)
    n = len(r)
    gains = [r[:b].sum() ** 2 * n / (b * (n - b)) for b in range(1, n)]
    assert bounds.least_share_of_cut(n) * (r**2).sum() <= max(gains) * (1 + 1e-12)


def test_the_share_of_a_cut_is_attained():
    for n in (2, 3, 8):
        root = np.sqrt(np.arange(n + 1) * (n - np.arange(n + 1)) / n)
        r = (-1.0) ** np.arange(n) * (root[1:] + root[:-1])
        gains = [r[:b].sum() ** 2 * n / (b * (n - b)) for b in range(1, n)]
        assert max(gains) / (r**2).sum() == pytest.approx(bounds.least_share_of_cut(n), rel=1e-12)


@given(st.lists(st.tuples(st.booleans(), st.floats(0.01, 0.99)), min_size=1, max_size=6), st.floats(0.05, 0.95))
def test_a_newton_step_takes_off_what_is_promised(documents, factor):
    y, p = (np.array(part, dtype=float) for part in zip(*documents, strict=True))
    residual, curvature = (y - p).sum(), (p * (1 - p)).sum()
    t = factor * residual / curvature
    fall = -(np.logaddexp(np.log1p(-p), np.log(p) + t) - y * t).sum()
    promised = bounds.newton_decrease(residual, curvature, t)
    assert promised <= fall + 1e-9 * (1 + abs(promised))  # e^|t| of the promise is off by |t| roundings


@pytest.mark.parametrize(
    ("residual", "curvature", "step", "expected"),
    [
        (0.97, 0.03, 1000.0, -np.inf),
        (0.97, 0.03, -1000.0, -np.inf),
        (0.97, 0.0, 1000.0, 970.0),
        (1e308, 0.0, 1e3, np.inf),
        (-1.0, 0.0, 1e308, -1e308),
        (0.97, 5e-324, 710.0, 0.97 * 710),  # e^710 exceeds float64, and its product with H does not
        (1.0, 1e-300, 715.0, 715 - np.exp(715 - 300 * np.log(10))),
        (1e308, 1e308, 700.0, -np.inf),  # both terms exceed float64
        (1e308, 1e-300, 1e3, np.inf),
        (1.0, 2.0, 0.0, 0.0),
    ],
)
def test_a_step_of_any_size_has_its_value(residual, curvature, step, expected):
    # of exp, whose argument of up to 715 is rounded
    assert bounds.newton_decrease(residual, curvature, step) == pytest.approx(expected, rel=1e-12)


@pytest.mark.parametrize("wrong", [{"step": np.nan}, {"residual_sum": np.inf}, {"curvature_sum": -0.1}])
def test_what_is_no_leaf_is_refused(wrong):
    with pytest.raises(ValueError, match=f"^{next(iter(wrong))} is .*: it must be a "):
        bounds.newton_decrease(**{"residual_sum": 1.0, "curvature_sum": 1.0, "step": 1.0} | wrong)


def test_bounds_of_all_pairs_by_hand():
    y, c = np.array([1, 4, 0, 2]), np.array([9.0, 4.0, 1.0, 0.0])
    pairs = [(i, j) for i, j in combinations(range(4), 2) if y[i] < y[j]]
    assert bounds.dcg_swaps(c, y) == sum((c[i] - c[j]) * (2.0 ** y[j] - 2.0 ** y[i]) for i, j in pairs) == 91
    # tasks: 4 behind 1; 2 behind 1 and 0; 1 is in front of 0
    assert bounds.essential_loss(c, y) == 15 * 9 + 3 * 4
    assert steps(2).tolist() == [[1, 0], [1, 1]]


SURE = [[0.0, 1.0], [1.0, 0.0]]


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda: bounds.dcg_class_proba([1, 0], [0, 1], [0.5, 0.5]), "proba has shape (2,): it must have shape"),
        (lambda: bounds.dcg_class_proba([1, 0], [0, 0], [[1.0], [1.0]]), "(n, max_grade + 1), two grades or more"),
        (lambda: bounds.dcg_class_proba([1, 0], [0, 2], SURE), "y at row 1 is 2: "),
        (lambda: bounds.dcg_class_proba([1, 0], [0], SURE), "y has shape (1,): it must have shape (n,), one label"),
        (lambda: bounds.dcg_brier([1, 0, 0], [0, 1], SURE), "discount has shape (3,): it must have shape"),
        (lambda: bounds.err_class_proba([0, 1], [[0.5, 0.5], [1.5, -0.5]]), "proba at row 1, column 0 is 1.5: "),
        (lambda: bounds.err_class_proba([0, 1], [[0.5, 0.4], SURE[0]]), "the probabilities of a row must add up to 1"),
        (lambda: bounds.dcg_swaps([1, 0], [0, 1, 2]), "y has shape (3,): it must have shape (n,), one label"),
        (lambda: bounds.lambda_loss([1, 0], [0, 1], [0, 1]), "score at row 1 is 1.0: scores must not increase"),
        (lambda: bounds.ndcg_cross_entropy([0, 0], [0, 1]), "y has no positive label: it must have one"),
        (lambda: bounds.dcg_one_sided([1, 0], [0, 1], [0, 1]), "prediction at row 1 is 1.0: predictions must not"),
        (lambda: bounds.dcg_isotonic([1, 0], [0]), "gain has shape (1,): it must have shape (n,), one entry"),
        (lambda: bounds.err_regret([0.5, 1.5]), "expected_relevance at row 1 is 1.5: relevances must be from 0 to 1"),
        (lambda: bounds.least_share_of_cut(1), "n_values is 1: it must be"),
    ],
)
def test_a_broken_rule_is_told(call, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        call()

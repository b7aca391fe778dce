"""Bounds of NDCG: tasks and cross entropies from their definitions, at larger sizes, and with planted mistakes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine import naive
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import Cases, batch, rankings
from proofs_check.engine.records import CI
from proofs_check.engine.search import examine
from proofs_check.engine.strategies import some_ranking
from proofs_check.ndcg import at_cutoff, by_ideal, cross_entropy, essential_loss, lambda_loss, xe_ndcg
from proofs_check.tests.nearness import assert_below, assert_holds, searching


@searching
@given(some_ranking(min_n=2, max_n=10))
def test_essential_loss_at_larger_sizes(r):
    stable = batch(r.y, r.y_hat, max_grade=r.max_grade)
    assert_holds(essential_loss.essential(r), essential_loss.sharp(stable), essential_loss.err_tasks(stable))
    assert_holds(essential_loss.step1(stable), essential_loss.step2(r), label="step")


@given(some_ranking(min_n=1, max_n=8))
def test_wrong_tasks_are_the_definition(r):
    y, g = r.y[0].tolist(), r.g[0].tolist()
    left = sorted(range(r.n), key=lambda i: g[i])  # documents in the order of g; i is the place in pi
    expected = []
    while left:
        right, *others = left
        expected.append(int(any(i < right and y[i] < y[right] for i in others)))
        left = others
    assert essential_loss.wrong_tasks(r)[0].tolist() == expected


@searching
@given(some_ranking(min_n=1, max_n=12))
def test_cross_entropies_at_larger_sizes(r):
    claims = (cross_entropy.ndcg_bound, cross_entropy.sharp, cross_entropy.sharp_is_below, cross_entropy.err_bound)
    assert_holds(*(claim(r) for claim in (*claims, cross_entropy.places)))
    assert_holds(cross_entropy.with_constant(cross_entropy.KAPPA, r), label="kappa")


@searching
@given(st.lists(st.tuples(st.floats(0, 15), st.floats(-5, 5)), min_size=1, max_size=12), st.integers(1, 12))
def test_cross_entropy_from_its_definition(documents, k):
    """Any gains, any scores, ties the worst way round: the least factors, of -log NDCG and of 1 - NDCG@k."""
    documents = sorted(documents, key=lambda d: (-d[1], d[0]))
    gain, s = [z for z, _ in documents], [s for _, s in documents]
    if sum(gain) < 1e-9:
        return
    log_sum = math.log(sum(math.exp(v) for v in s))
    loss = sum(z * (log_sum - v) for z, v in zip(gain, s, strict=True)) / sum(gain)
    assert_below(-math.log(ndcg(gain, len(gain))), math.log2(math.log2(3)) * loss + 1e-12)
    factor = max((1 - (p <= k) / math.log2(1 + p)) / math.log(p) for p in range(2, 100))  # of the places, one by one
    assert at_cutoff.least_constant(k) == pytest.approx(factor, rel=1e-15)
    assert_below(1 - ndcg(gain, k), factor * loss + 1e-12, "at k")


def ndcg(gain, k):
    """NDCG@k of gains in the order of the ranking, from its definition."""
    orders = (gain, sorted(gain, reverse=True))
    dcg, best = (sum(z / math.log2(i + 1) for i, z in enumerate(order[:k], 1)) for order in orders)
    return dcg / best


CUT_OFF = (at_cutoff.by_lemma1, at_cutoff.by_errors, at_cutoff.by_thresholds, at_cutoff.by_gains, at_cutoff.by_isotonic)
CUT_OFF += (at_cutoff.by_tasks, at_cutoff.by_swaps, at_cutoff.log_loss, at_cutoff.log_places, at_cutoff.identity)


@searching
@given(some_ranking(min_n=2, max_n=12))
def test_bounds_at_a_cut_off_at_larger_sizes(r):
    stable = batch(r.y, r.y_hat, max_grade=r.max_grade)
    assert_holds(*(claim(stable) for claim in CUT_OFF))


@given(some_ranking(min_n=1, max_n=8), st.integers(1, 10))
def test_what_is_missed_at_k_is_the_definition(r, k):
    gain = [2.0 ** int(y) - 1 for y in r.y[0]]
    expected = 1 - ndcg(gain, k) if any(gain) else 0.0
    assert at_cutoff.missed(r, k)[0] == pytest.approx(expected, abs=1e-12)


@searching
@given(st.data())
def test_lambda_loss_for_any_gains_and_convex_discounts(data):
    """The cost, the pairs and the ideal, one by one in fractions."""
    n = data.draw(st.integers(2, 7))
    z = data.draw(st.lists(st.integers(0, 15), min_size=n, max_size=n))
    step = sorted(data.draw(st.lists(st.integers(0, 9), min_size=n - 1, max_size=n - 1)), reverse=True)
    c = np.array([sum(step[i:]) + 1 for i in range(n)])
    error = sum(int(a) * (b - v) for a, b, v in zip(c, sorted(z, reverse=True), z, strict=True))
    wrong = sum(step[j - i - 1] * max(z[j] - z[i], 0) for j in range(n) for i in range(j))
    assert int(lambda_loss.wrong_pairs(np.array([z]), c)[0]) == wrong
    assert_below(error, wrong)


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2), st.sampled_from(xe_ndcg.POWERS)), min_size=1, max_size=5)
)
def test_xe_ndcg_is_the_definition(documents):
    documents = sorted(documents, key=lambda d: -d[2])
    x = [2**y - g / 2 for y, g, _ in documents]
    if sum(x) == 0:
        return
    y, gamma, power = (np.array([column]) for column in zip(*documents, strict=True))
    case = Cases({"y": y, "gamma": gamma, "e^s": power})
    loss = sum(a * math.log(power.sum() / p) for a, p in zip(x, power[0].tolist(), strict=True)) / sum(x)
    comparison = xe_ndcg.bounded(1.0, case)
    assert comparison.right[0] == pytest.approx(loss, abs=1e-12)
    assert comparison.left[0] == pytest.approx(-math.log(ndcg(x, len(x))), abs=1e-12)
    assert_below(-math.log(ndcg(x, len(x))), cross_entropy.KAPPA * loss + 1e-12)


@given(some_ranking(min_n=1, max_n=7))
def test_stops_are_those_of_the_best_ranking(r):
    stable = batch(r.y, r.y_hat, max_grade=r.max_grade)
    y, g = r.y[0].tolist(), stable.g[0].tolist()
    computed = [Fraction(int(value), 16**r.n) for value in cross_entropy.stops_along_g(r)[0]]
    if r.n <= 3:  # integers below 2^53, which floats hold
        assert computed == [naive.stop(y, g, i) for i in range(r.n)]
    assert [float(v) for v in computed] == pytest.approx([float(naive.stop(y, g, i)) for i in range(r.n)], rel=1e-12)


# ---- planted mistakes ----


def with_the_next_discount(r):
    """c_{s+1} in place of c_s."""
    weighted = essential_loss.relevance_gain(essential_loss.ideal(r.y)) * essential_loss.wrong_tasks(r)
    c = np.arange(r.n - 1, -1, -1)
    yield Comparison(essential_loss.dcg_error(r.y, c), (weighted[:, :-1] * c[1:]).sum(axis=1))


def with_natural_logarithms(r):
    """The pairwise loss without the base 2: a tie costs less than 1."""
    comparison = essential_loss.below(essential_loss.pairwise)(r)
    return Comparison(comparison.left, comparison.right * math.log(2))


def with_99_percent(r):
    """Take 99% of log log2(1 + 1/rho), which is attained."""
    comparison = cross_entropy.sharp(r)
    return Comparison(comparison.left, 0.99 * comparison.right, slack=comparison.slack)


def with_half_the_ideal(r):
    for comparison in by_ideal.by_any_errors(r):
        yield Comparison(2 * comparison.left, comparison.right)


def with_too_small_a_constant(r):
    return cross_entropy.with_constant(0.99 * cross_entropy.KAPPA, r)


def with_the_constant_of_many_places(r):
    """0.5325 also for k <= 5."""
    loss = at_cutoff.LARGEST_A * cross_entropy.cross_entropy(cross_entropy.gains(r), r)
    return at_cutoff.rounded(at_cutoff.missed(r, 5), loss, r, "k=5")


def with_fewer_tasks(r):
    """The tasks s < k in place of s <= k."""
    weighted = essential_loss.relevance_gain(essential_loss.ideal(r.y)) * essential_loss.wrong_tasks(r)
    for k, c in at_cutoff.cutoffs(r.n):
        yield Comparison(essential_loss.dcg_error(r.y, c), (weighted[:, : k - 1] * c[: k - 1]).sum(axis=1))


def with_the_next_distance(r):
    """delta_{j-i+1} in place of delta_{j-i}."""
    for c in lambda_loss.convex_discounts(r.n):
        moved = np.append(c[1:], 0)
        yield Comparison(
            essential_loss.dcg_error(r.y, c), lambda_loss.wrong_pairs(lambda_loss.relevance_gain(r.y), moved)
        )


@pytest.mark.parametrize(
    "claim",
    [
        *(with_the_next_discount, with_natural_logarithms, with_99_percent, with_half_the_ideal),
        *(with_too_small_a_constant, with_the_constant_of_many_places, with_fewer_tasks, with_the_next_distance),
    ],
)
def test_a_planted_mistake_is_found(claim):
    largest = 6 if claim is with_the_constant_of_many_places else 5
    chosen = at_cutoff.last_of_ties if largest == 6 else rankings
    assert examine(claim, CI, instances=chosen, smallest=2, largest=largest, every_grade=False).verdict == "refuted"


def test_verdicts(finding):
    for row in ("essential_loss", "essential_loss.variant-err", "by_ideal.variant-errors"):
        assert finding(f"ndcg.{row}").max_ratio == 1
    # two documents that tie: log log2(3) against log 2
    ratio = math.log(math.log2(3)) / math.log(2)
    assert finding("ndcg.cross_entropy.variant-graded").max_ratio == pytest.approx(ratio, rel=1e-9)
    for row in ("variant-sharp", "variant-constant", "variant-err", "variant-mrr"):
        assert finding(f"ndcg.cross_entropy.{row}").max_ratio == pytest.approx(1, abs=1e-9)
    # line 6 is approached, and not attained
    assert 0.9999 < finding("ndcg.cross_entropy.variant-sharp-below").max_ratio < 1
    for row in ("at_cutoff.variant-cross-entropy", "at_cutoff.variant-log-places", "lambda_loss"):
        assert finding(f"ndcg.{row}").max_ratio == pytest.approx(1, abs=1e-12)
    assert finding("ndcg.xe_ndcg.variant-constant").max_ratio == pytest.approx(1, abs=1e-12)
    fails = ("by_ideal.variant-negative", "at_cutoff.variant-minus-log", "lambda_loss.variant-cut-off")
    assert {finding(f"ndcg.{row}").verdict for row in (*fails, "xe_ndcg.variant-usual-gain")} == {"fails"}

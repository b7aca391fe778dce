"""Bounds of NDCG: tasks and cross entropies from their definitions, at larger sizes, and with planted mistakes."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine import naive
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.instances import batch
from proofs_check.engine.records import CI
from proofs_check.engine.search import examine
from proofs_check.engine.strategies import some_ranking
from proofs_check.ndcg import by_ideal, cross_entropy, essential_loss
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


@searching
@given(st.lists(st.tuples(st.integers(0, 4), st.floats(-5, 5)), min_size=1, max_size=8))
def test_cross_entropy_from_its_definition(documents):
    documents = sorted(documents, key=lambda d: (-d[1], d[0]))  # ties the worst way round
    gain, s = [2**y - 1 for y, _ in documents], [s for _, s in documents]
    if sum(gain) == 0:
        return
    dcg, best = (
        sum(z / math.log2(i + 1) for i, z in enumerate(order, 1)) for order in (gain, sorted(gain, reverse=True))
    )
    log_sum = math.log(sum(math.exp(v) for v in s))
    loss = sum(z * (log_sum - v) for z, v in zip(gain, s, strict=True)) / sum(gain)
    assert_below(-math.log(dcg / best), loss + 1e-12)


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


@pytest.mark.parametrize(
    "claim", [with_the_next_discount, with_natural_logarithms, with_99_percent, with_half_the_ideal]
)
def test_a_planted_mistake_is_found(claim):
    assert examine(claim, CI, smallest=2, every_grade=False).verdict == "refuted"


def test_verdicts(finding):
    for row in ("essential_loss", "essential_loss.variant-err", "by_ideal.variant-errors"):
        assert finding(f"ndcg.{row}").max_ratio == 1
    # two documents that tie: log log2(3) against log 2
    ratio = math.log(math.log2(3)) / math.log(2)
    assert finding("ndcg.cross_entropy.variant-graded").max_ratio == pytest.approx(ratio, rel=1e-9)
    for row in ("variant-sharp", "variant-err", "variant-mrr"):
        assert finding(f"ndcg.cross_entropy.{row}").max_ratio == pytest.approx(1, abs=1e-9)

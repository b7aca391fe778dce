"""The engine: what is enumerated, and how a verdict is reached."""

from fractions import Fraction
from itertools import permutations, product
from math import comb, factorial

import numpy as np
import pytest

from proofs_check.engine.climbs import climb
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.discounts import at, reciprocal, steps
from proofs_check.engine.evidence import ClaimEvidence
from proofs_check.engine.exact import by_document, discounted_looks, err, err_unit, root_ceiling, unit
from proofs_check.engine.instances import Cases, batch, permuted, rankings, stable_g, with_ties
from proofs_check.engine.records import CI
from proofs_check.engine.search import examine

# ---- the instances are all rankings, each once up to renaming ----


def test_instances_are_all_rankings_up_to_renaming():
    # from the definition: labels, predictions and two permutations, pi sorting by yhat and g by y,
    # renamed so that pi is 1..n
    n, grades = 3, (0, 1, 2)
    expected = set()
    for y, y_hat in product(product(grades, repeat=n), repeat=2):
        for pi, g in product(permutations(range(1, n + 1)), repeat=2):
            pairs = [(i, j) for i in range(n) for j in range(n)]
            lawful = all(pi[i] < pi[j] for i, j in pairs if y_hat[i] > y_hat[j])
            lawful &= all(g[i] < g[j] for i, j in pairs if y[i] > y[j])
            if lawful:
                order = sorted(range(n), key=lambda i: pi[i])
                expected.add(tuple(tuple(part[i] for i in order) for part in (y, y_hat, g)))
    listed = [
        tuple(tuple(part[row].tolist()) for part in (group.y, group.y_hat, group.g))
        for group in with_ties(n, 2)
        for row in range(group.m)
    ]
    assert len(listed) == len(set(listed)) == factorial(n) * comb(n + 2, n) ** 2
    assert set(listed) == expected
    plain = {(tuple(r.y[i]), tuple(r.y_hat[i])) for r in rankings(n, 2) for i in range(r.m)}
    assert plain == {(y, y_hat) for y, y_hat, _ in expected}


def test_sizes_of_what_is_exhausted():
    for n in (1, 2, 4):
        assert sum(group.m for group in rankings(n)) == 5**n * comb(n + 4, n)
        assert sum(group.m for group in with_ties(n)) == factorial(n) * comb(n + 4, n) ** 2
        assert sum(group.m for group in permuted(n)) == factorial(n)


def test_g_is_a_perfect_ranking():
    for group in (*rankings(4), *with_ties(3)):
        by_g = np.empty_like(group.y)
        np.put_along_axis(by_g, np.asarray(group.g) - 1, group.y, axis=1)
        assert (np.diff(by_g, axis=1) <= 0).all()
    assert stable_g(np.array([[0, 4, 0, 4]])).tolist() == [[3, 1, 4, 2]]


# ---- exact quantities ----


def test_err_of_the_definition():
    for y in product((0, 1, 4), repeat=3):
        expected, looking = Fraction(0), Fraction(1)
        for i, label in enumerate(y, start=1):
            expected += looking * Fraction(2**label - 1, 16) / i
            looking *= 1 - Fraction(2**label - 1, 16)
        assert Fraction(int(err(np.array([y]), 16)[0]), unit(3, 16)) == expected


def test_err_is_exact_beyond_int64():
    y = batch(np.full((1, 30), 1), np.zeros((1, 30), dtype=int)).y
    expected = sum(Fraction(15, 16) ** (i - 1) * Fraction(1, 16 * i) for i in range(1, 31))
    assert Fraction(err(y, 16)[0], unit(30, 16)) == expected


def test_every_row_is_exact_at_larger_sizes():
    # above n = 6 all parts are Python integers, whose products with large units do not overflow
    r = batch(np.zeros((1, 30), dtype=int), np.full((1, 30), 4))
    assert all(part.dtype == object for part in (r.y, r.y_hat, r.g, r.errors, reciprocal(30)))
    assert (r.errors * 10**40)[0] == 30 * 10**40


def test_discount_at_a_document():
    y, g = np.array([[0, 4, 2]]), np.array([[3, 1, 2]])
    assert at(reciprocal(3), g).tolist() == [[2, 6, 3]]
    assert steps(3).tolist() == [[1, 0, 0], [1, 1, 0], [1, 1, 1]]
    # document 1 is third in g, after 4 and 2: (1/3)(1/16)(13/16)
    assert Fraction(int(by_document(discounted_looks, y, g, 16)[0, 0]), err_unit(3, 16)) == Fraction(13, 768)


@pytest.mark.parametrize("value", [0, 1, 2, 7, 8, 9, 10**40, 10**40 + 1])
@pytest.mark.parametrize("n", [1, 2, 3, 7])
def test_root_ceiling(value, n):
    root = root_ceiling(value, n)
    assert root**n >= value
    assert root == 0 or (root - 1) ** n < value


# ---- verdicts come from the evidence ----


def most_errors(r):
    return Comparison(r.errors, np.full(r.m, 3))


def test_a_false_claim_is_refuted_by_its_smallest_counterexample():
    finding = examine(most_errors, CI)
    assert (finding.verdict, finding.exhaustive_n) == ("refuted", 4)
    assert finding.counterexample == (
        "n=4, in the order of pi: y=(0, 0, 0, 0), yhat=(1, 1, 1, 1), g=(1, 2, 3, 4): 4 > 3"
    )
    backwards = examine(most_errors, CI, instances=lambda n, max_grade: reversed(list(rankings(n, max_grade))))
    assert backwards.counterexample == finding.counterexample


def test_a_claim_that_fails_only_beyond_the_exhausted_sizes_is_found_by_climbing():
    finding = examine(lambda r: Comparison(r.errors, np.full(r.m, 5)), CI)
    assert finding.verdict == "refuted"
    assert "n=6" in finding.counterexample
    assert examine(lambda r: Comparison(r.errors, np.full(r.m, 5)), CI, climbing=False).verdict == "holds"


def test_verdicts_of_true_claims():
    assert examine(lambda r: Comparison(r.errors, np.full(r.m, r.n)), CI).max_ratio == 1.0
    assert examine(lambda r: Comparison(r.errors, r.errors, "=="), CI).verdict == "identity"
    vacuous = examine(lambda r: Comparison(r.errors, np.full(r.m, r.n)), CI, vacuous=lambda max_grade: max_grade == 4)
    assert vacuous.verdict == "holds, vacuous"


def test_one_violated_comparison_of_several_is_enough():
    def true(r):
        return Comparison(r.errors, r.errors, "==")

    def false(r):
        return Comparison(r.errors, r.errors + 1, "==")

    assert examine(lambda r: (true(r), false(r)), CI).verdict == "refuted"
    assert examine(lambda r: (false(r), true(r)), CI).verdict == "refuted"


def test_nothing_checked_is_no_verdict():
    with pytest.raises(ValueError, match="nothing was checked"):
        examine(most_errors, CI, instances=lambda n, max_grade: iter(()))


def test_a_climb_ends_higher_than_it_began():
    for n, max_grade in ((6, 4), (12, 4), (3, 31)):
        evidence = ClaimEvidence(lambda r: Comparison(r.errors, np.full(r.m, r.n)))
        climb(evidence.claim, evidence, n, 5, max_grade, seed=0)
        assert (evidence.largest, evidence.bad) == (1.0, [])


def test_floats_are_compared_up_to_their_slack():
    off = np.array([0.0, 1e-9])
    assert Comparison(off, np.zeros(2)).find_violations().tolist() == [False, True]
    assert Comparison(off, np.zeros(2), slack=1e-8).find_violations().tolist() == [False, False]
    assert Comparison(off, np.zeros(2), "==", slack=1e-10).find_violations().tolist() == [False, True]
    with pytest.raises(ValueError, match="relation must be"):
        Comparison(off, off, "<").find_violations()


def test_ratios_of_squares_and_of_nothing():
    assert Comparison(np.array([4, 1, 0]), np.array([16, 0, 4]), squared=True).compute_ratios().tolist() == [0.5, 0, 0]


def test_a_premise_leaves_nothing_to_claim_elsewhere():
    everywhere = Comparison(np.array([3, 3]), np.array([1, 1]), squared=True, unit=2, label="L")
    claim = everywhere.keep_only(np.array([False, True]))
    assert claim.find_violations().tolist() == [False, True]
    assert (claim.left.tolist(), claim.right.tolist()) == ([0, 3], [0, 1])
    assert (claim.squared, claim.unit, claim.label) == (True, 2, "L")


def test_cases_are_shown_in_fractions():
    cases = Cases({"p": np.array([[1, 2], [3, 0]])}, {"p": 4})
    assert cases.describe(1) == "p=(3/4, 0)"
    assert cases.size()[:, 0].tolist() == [3, 3]


# ---- how far the right side may shrink ----


@pytest.mark.parametrize(
    ("right", "room"),
    [(lambda r: r.errors * 4, 0.75), (lambda r: r.errors, 0.0), (lambda r: r.errors * 0, "never binds")],
)
def test_what_may_be_taken_off_the_right_side(right, room):
    left = (lambda r: -r.errors) if room == "never binds" else (lambda r: r.errors)
    extra = 1 if room == "never binds" else 0
    assert examine(lambda r: Comparison(left(r), right(r) + extra), CI).may_shrink == room


def test_a_right_side_of_zero_has_no_room():
    finding = examine(lambda r: Comparison(r.errors * 0, r.errors * 0), CI)
    assert (finding.verdict, finding.may_shrink) == ("holds", "zero-sided")


# ---- other grades ----


def test_a_constant_of_the_papers_grades_is_found_out():
    # errors of one grade at most: true for K = 1, false from K = 2 on
    finding = examine(lambda r: Comparison(abs(r.y - r.y_hat).max(axis=1), np.ones(r.m, dtype=int)), CI)
    assert [lower.verdict for lower in finding.grades.values()] == ["holds", "refuted", "refuted", "refuted"]
    assert finding.grades[31].counterexample is not None

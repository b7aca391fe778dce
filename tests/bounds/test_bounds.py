"""refrank.bounds against the exact sides of proofs_check, and against the errors that refrank.metrics measures."""

import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from proofs_check.engine.discounts import reciprocal, swap_gain
from proofs_check.engine.exact import err_error, gain_difference, unit
from proofs_check.engine.instances import stable_g
from proofs_check.engine.strategies import some_discount, some_ranking
from proofs_check.igbrt.theorem1_mended import sharp
from proofs_check.mcrank.lemma1 import spread
from proofs_check.new.dcg_threshold import crossings
from proofs_check.new.min_pairing import pairing
from refrank import bounds
from refrank.bounds.report import DCG_BOUNDS, ERR_BOUNDS, NDCG_BOUNDS, report_bounds
from refrank.metrics import dcg, ndcg

# Sums of at most 16 products, each a few roundings of numbers no larger than the bound itself.
CLOSE = {"rel": 1e-12, "abs": 1e-12}
# The same for differences of two DCGs or ERRs, and for sides that are equal in real numbers.
ROUNDING = 1e-11


def floats(r):
    return r.y[0].astype(np.int64), r.y_hat[0].astype(np.int64)


@pytest.mark.paper("McRank Lemma 1", at="mcrank_lemma1")
@pytest.mark.paper("McRank Eq. 4")
@given(st.data())
def test_dcg_bounds_are_the_exact_right_sides(data):
    r = data.draw(some_ranking(min_n=1, max_n=16))
    c = data.draw(some_discount(r.n))
    y, y_hat = floats(r)
    squares = float((gain_difference(r) ** 2).sum())
    assert bounds.min_pairing(c, y, y_hat) == pytest.approx(math.sqrt(pairing(c) * squares), **CLOSE)
    exact = sum(2 ** (t - 1) * swap_gain(c, crossings(r, t))[0] for t in (1, 2, 3, 4))
    assert bounds.dcg_threshold(c, y, y_hat) == exact  # sums of integers below 2^53
    errors = int(r.errors[0])
    assert bounds.dcg_by_errors(c, errors) == 15 * swap_gain(c, errors)  # integers below 2^53
    lemma = 450 * errors * (float((c**2).sum()) - r.n * math.prod(float(v) ** (2 / r.n) for v in c))
    # both sides of the difference are at most sum c^2, so it is off by that times some roundings
    rounding = 1e-12 * 450 * errors * float((c**2).sum()) + 1e-300
    assert bounds.mcrank_lemma1(c, errors) ** 2 == pytest.approx(max(lemma, 0), rel=1e-9, abs=rounding)


@pytest.mark.paper("iGBRT Definition 1", "COCR Eq. 10")
@given(some_ranking(min_n=1, max_n=16))
def test_err_bounds_are_the_exact_right_sides(r):
    y, y_hat = floats(r)
    c = reciprocal(r.n)
    exact = sum(2 ** (t - 1) * swap_gain(c, crossings(r, t))[0] for t in (1, 2, 3, 4))
    assert bounds.err_threshold(y, y_hat) == pytest.approx(float(Fraction(int(exact), 16 * int(c[0]))), **CLOSE)
    k_n = sum((Fraction(1, i) - Fraction(1, r.n + 1 - i)) ** 2 for i in range(1, r.n + 1))
    squares = int((gain_difference(r) ** 2).sum())
    assert bounds.err_oerr(y, y_hat) == pytest.approx(math.sqrt(k_n * squares / 256), **CLOSE)
    ideal = sorted(y.tolist(), reverse=True)
    exact = sum(Fraction(2**a - 2**b, 16 * i) for i, (a, b) in enumerate(zip(ideal, y.tolist(), strict=True), 1))
    assert bounds.err_rr_dcg(y) == pytest.approx(float(exact), **CLOSE)
    worst = r.y[:, np.argsort(y)]
    exact = Fraction(int(err_error(worst, r.scale)[0]), unit(r.n, r.scale))
    assert bounds.largest_err_error(y) == pytest.approx(float(exact), **CLOSE)


@given(st.sampled_from((1, 2, 3, 4, 31)).flatmap(lambda k: some_ranking(min_n=1, max_n=12, max_grade=k)))
def test_the_least_constants_by_errors_are_the_exact_right_sides(r):
    errors = int(r.errors[0])
    exact = math.sqrt(Fraction(int(sharp(r).right[0]), unit(r.n, r.scale) ** 2))
    assert bounds.err_by_errors(r.n, errors, r.max_grade) == pytest.approx(exact, **CLOSE)
    c = np.arange(r.n, 0, -1)
    assert bounds.dcg_by_errors(c, errors, r.max_grade) == (r.scale - 1) * int(swap_gain(c, errors))


@pytest.mark.parametrize("max_grade", [1, 2, 3, 4, 31])
def test_a_mend_is_never_above_what_it_mends_at_any_grade(max_grade):
    for n, errors in ((2, 1), (2, 2), (9, 1), (30, 7)):
        assert bounds.err_by_errors(n, errors, max_grade) < bounds.igbrt_theorem1(errors, max_grade)
        c = 1 / np.log2(np.arange(2, n + 2))
        assert bounds.dcg_by_errors(c, errors, max_grade) < bounds.mcrank_lemma1(c, errors, max_grade)


@pytest.mark.paper("iGBRT Theorem 1")
@pytest.mark.parametrize(("n_errors", "max_grade"), [(0, 4), (1, 4), (9, 4), (4, 1)])
def test_the_printed_constant(n_errors, max_grade):
    top = 2**max_grade
    exact = (top - 1) / top * math.pi / math.sqrt(6) * math.sqrt(n_errors)
    assert bounds.igbrt_theorem1(n_errors, max_grade) == pytest.approx(exact, rel=1e-15)


@pytest.mark.paper("COCR Eq. 9")
@pytest.mark.paper("COCR Theorem 2")
@given(some_ranking(min_n=1, max_n=12))
def test_cocr_theorem2_is_its_definition(r):
    # F_i(order, y) document by document, in fractions; rho is r's g with ties as in pi
    y, y_hat = floats(r)
    rho = stable_g(r.y)[0].tolist()

    def stop(labels, position, i):
        probability = Fraction(int(2 ** labels[i] - 1), 16)
        for j in range(r.n):
            if position[j] < position[i]:
                probability *= 1 - Fraction(int(2 ** labels[j] - 1), 16)
        return probability

    pi = range(1, r.n + 1)
    places = sum((Fraction(1, a) - Fraction(1, b)) ** 2 for a, b in zip(rho, pi, strict=True))
    stops = sum((stop(y, rho, i) - stop(y_hat, pi, i)) ** 2 for i in range(r.n))
    assert bounds.cocr_theorem2(y, y_hat) == pytest.approx(math.sqrt(places * stops), **CLOSE)


@st.composite
def scored_queries(draw):
    n = draw(st.integers(1, 30))
    y = draw(st.lists(st.integers(0, 4), min_size=n, max_size=n))
    noise = st.floats(-3, 3) | st.sampled_from((0.0, 0.5, -0.5))
    score = [label + draw(noise) for label in y]
    qid = draw(st.lists(st.integers(0, 3), min_size=n, max_size=n))
    return np.array(y), np.array(score), qid


@given(scored_queries(), st.none() | st.integers(1, 12))
def test_no_error_exceeds_its_bounds_and_no_mend_what_it_mends(query, k):
    y, score, qid = query
    column = report_bounds(y, score, qid, k=k).per_query
    bounds = {"dcg": DCG_BOUNDS, "ndcg": NDCG_BOUNDS, "err": ERR_BOUNDS}
    largest = [(f"{metric}_error", f"largest_{metric}_error") for metric in bounds]
    bounded = [(f"{metric}_error", name) for metric, names in bounds.items() for name in names]
    # the mends are never above what they mend
    mended = [("err_rr_dcg", "err_threshold"), ("err_rr_dcg", "err_oerr")]
    mended += [("regression_error", "cossock_zhang_theorem2"), ("dcg_threshold", "dcg_by_errors")]
    for below, above in largest + bounded + mended:
        assert (column[below] <= column[above] * (1 + ROUNDING) + ROUNDING).all(), (below, above)
    assert (column["err_by_errors"] <= column["igbrt_theorem1"]).all()
    # near c_1 = .. = c_n Lemma 1 is the root of a difference that cancels: absolute 1e-6 is the root of 1e-12
    assert (column["min_pairing"] <= column["mcrank_lemma1"] * (1 + ROUNDING) + 1e-5).all()


@given(scored_queries(), st.none() | st.integers(1, 12))
def test_the_report_is_the_metrics_query_by_query(query, k):
    y, score, qid = query
    report = report_bounds(y, score, qid, k=k)
    best, reached = (dcg(y, by, qid, k=k, per_query=True) for by in (y, score))
    assert (report.per_query["dcg_error"] == best - reached).all()
    missed = np.where(best > 0, 1 - np.array(ndcg(y, score, qid, k=k, per_query=True)), 0)
    np.testing.assert_allclose(report.per_query["ndcg_error"], missed, rtol=0, atol=ROUNDING)
    assert report.k == k
    first = [qid.index(q) for q in dict.fromkeys(qid)]
    assert report.first_row.tolist() == first
    for place, row in enumerate(first):
        mine = np.array(qid) == qid[row]
        alone = report_bounds(y[mine], score[mine], k=k)
        for name, column in report.per_query.items():
            assert column[place] == alone.per_query[name][0], name
        assert report.n_errors[place] == (np.clip(np.rint(score[mine]), 0, 4) != y[mine]).sum()
    for name, column in report.per_query.items():
        assert report.mean[name] == math.fsum(column) / len(first)


@pytest.mark.paper("McRank Eq. 2", at="_evaluate_bounds")
def test_by_hand():
    # labels 0, 4, 1 ranked in that order, predicted 3, 3, 0; c = 1, 1/2 (i = 3), 1/log2(3) between
    c = [1.0, 1 / math.log2(3), 0.5]
    report = report_bounds([0, 4, 1], [2.9, 2.6, 0.2])
    assert report.mean["dcg_error"] == pytest.approx(15 * (1 - c[1]) + (c[1] - 0.5), rel=1e-14)
    assert report.n_errors.tolist() == [3]
    # across t=1: one over (0 as 3), one under (1 as 0); t=2, 3: one over; t=4: one under: 15 (c_1 - c_3)
    assert report.mean["dcg_threshold"] == 7.5
    assert report.mean["largest_dcg_error"] == pytest.approx(15 * 0.5, rel=1e-14)
    # ERR: best 15/16 + 1/16 1/16 1/2, this one 1/2 15/16 + 1/3 1/16 1/16
    assert report.mean["err_error"] == pytest.approx(15 / 32 + 1 / 512 - 1 / 768, rel=1e-13)
    # oERR costs 49, 64, 1 and K_3 = sqrt(8/9)
    assert report.mean["err_oerr"] == pytest.approx(math.sqrt(114 * 8 / 9) / 16, rel=1e-14)
    # gains 2^2.9 - 1, 2^2.6 - 1, 2^0.2 - 1 for 0, 15, 1
    miss = math.hypot(2**2.9 - 1, 2**2.6 - 16, 2**0.2 - 2)
    assert report.mean["regression_error"] == pytest.approx(math.sqrt(2 * 0.25) * miss, rel=1e-14)


@pytest.mark.parametrize("p", [1, 1.5, 2, 4, np.inf])
def test_the_sharp_regression_error_is_attained(p):
    # f = 0, pi the reverse, z_i = sign |c_i - c_{n+1-i}|^(p-1): docs/prove/bounds.md
    c = 1 / np.arange(1, 7)
    apart = c - c[::-1]
    z = np.sign(apart) * (abs(apart) == abs(apart).max() if p == np.inf else abs(apart) ** (p - 1))
    error = (apart * z).sum()
    assert bounds.regression_error(c, z[::-1], np.zeros(6), p) == pytest.approx(error, rel=1e-13)


@pytest.mark.parametrize("p", [1, 2, 3, np.inf])
def test_cossock_and_zhang_are_sharp_for_half_a_ranking(p):
    c, z, f = [3.0, 2.0, 0.0, 0.0], [1.0, 0.0, 7.0, 3.0], [4.0, 2.0, 1.0, 0.0]
    assert bounds.cossock_zhang_theorem2(c, z, f, p) == pytest.approx(bounds.regression_error(c, z, f, p), rel=1e-14)
    c[2] = 1.0
    assert p == np.inf or bounds.cossock_zhang_theorem2(c, z, f, p) > 1.05 * bounds.regression_error(c, z, f, p)


def test_lemma1_of_many_small_discounts():
    # prod c underflows to 0 from some 250 places on; in logarithms n prod c^(2/n) is what it should be
    c = np.linspace(0.06, 0.05, 400)
    assert c.prod() == 0.0
    assert bounds.mcrank_lemma1(c, 1) == pytest.approx(math.sqrt(450 * spread(c)), rel=1e-9)
    assert bounds.mcrank_lemma1(c, 1) < 0.2 * math.sqrt(450 * (c**2).sum())


@pytest.mark.parametrize(
    ("bound", "arguments", "message"),
    [
        (bounds.min_pairing, ([1, 2], [0, 1], [0, 1]), "discount at row 1 is 2.0: discounts must be finite and"),
        (bounds.min_pairing, ([3, 1, 2], [0, 1, 1], [0, 1, 1]), "discount at row 2 is 2.0: discounts must be finite"),
        (bounds.mcrank_lemma1, ([1, -1], 1), "discount at row 1 is -1.0: discounts must be finite, >= 0 and non-inc"),
        (bounds.min_pairing, ([np.nan, 1.0], [0, 1], [0, 1]), "discount at row 0 is nan"),
        (bounds.mcrank_lemma1, ([], 1), "discount is empty"),
        (bounds.mcrank_lemma1, ([1 + 1j, 1], 1), "discount has type complex128: discounts must be finite"),
        (bounds.dcg_isotonic, ([1, 0.5], [1, np.inf]), "gain at row 1 is inf: numbers must be finite"),
        (bounds.cossock_zhang_theorem2, ([1.0], [10**400], [0.0]), "gain has type object: numbers must be finite"),
        (bounds.cossock_zhang_theorem2, ([1.0], [0.0], [np.nan]), "prediction at row 0 is nan: numbers must be finite"),
        (bounds.dcg_brier, ([1.0], [0], [["0", "1"]]), "proba has type <U1: probabilities must be from 0 to 1"),
        (bounds.err_binary_errors, ([0], [[1j]]), "answers has type complex128: answers must be finite"),
        (bounds.err_regret, ([1j],), "expected_relevance has type complex128: relevances must be from 0 to 1"),
        (bounds.ndcg_shifted_cross_entropy, ([1, 0], [1.0, 0.0], [1j, 0]), "gamma has type complex128: gamma must"),
        *(
            (loss, (*query, [1.1e290, 0.0]), "score at row 0 is 1.1e+290: the scores of a loss must be at most 1e+290")
            for loss, query in (
                (bounds.ndcg_cross_entropy, ([1, 0],)),
                (bounds.dcg_distance_loss, ([1.0, 0.5], [1, 0])),
                (report_bounds, ([1, 0],)),
            )
        ),
        (bounds.mcrank_lemma1, ([[1.0]], 1), "discount has shape (1, 1)"),
        (bounds.err_oerr, ([], []), "y is empty"),
        (bounds.min_pairing, ([1.0, 0.5], [0, 1, 2], [0, 1]), "y_hat has shape (2,): it must have shape"),
        (bounds.min_pairing, ([1.0, 0.5], [0, 1, 2], [0, 1, 2]), "y has shape (3,): it must have shape"),
        (bounds.dcg_threshold, ([1.0, 0.5], [0, 1], [0]), "y_hat has shape (1,): it must have shape"),
        (bounds.dcg_threshold, ([1.0, 0.5], [0], [0]), "y has shape (1,): it must have shape"),
        (bounds.largest_dcg_error, ([1.0, 0.5], [0]), "y has shape (1,): it must have shape"),
        (bounds.min_pairing, ([1.0, 0.5], [0, -1], [0, 1]), "y at row 1 is -1: labels must be integers of at least 0"),
        (bounds.err_rr_dcg, ([0, 5],), "y at row 1 is 5: labels must be integers from 0 to 4"),
        (bounds.cocr_theorem2, ([0, 1], [0.5, 0]), "y_hat at row 0 is 0.5: labels must be integers from 0 to 4"),
        (bounds.cocr_theorem2, ([1, 0, 2], [3, 0, 1]), "y_hat at row 2 is 1: predicted grades must not increase"),
        (bounds.cocr_theorem2, ([1, 0], [0]), "y_hat has shape (1,): it must have shape"),
        (bounds.regression_error, ([1.0], [0.0, 1.0], [0.0]), "gain has shape (2,): it must have shape"),
        (bounds.cossock_zhang_theorem2, ([1.0], [0.0], []), "prediction has shape (0,): it must have shape"),
        (bounds.regression_error, ([1.0], [0.0], [0.0], 0.5), "p is 0.5: it must be a number from 1 to"),
        (report_bounds, ([5], [1.0]), "y at row 0 is 5: labels must be integers from 0 to 4"),
        (report_bounds, ([1], [1.0], None, 0), "max_grade is 0: it must be an integer from 1 to 31"),
        (report_bounds, ([1, 0], [1.0]), "score has shape (1,): it must have shape"),
    ],
)
def test_errors_name_the_argument(bound, arguments, message):
    with pytest.raises(ValueError, match="^" + re.escape(message)):
        bound(*arguments)


def test_equal_discounts_leave_nothing_to_lose_in_lemma1():
    # sum c^2 and n prod c^(2/n) agree up to some 100 roundings; rounded, the former may be the smaller one
    for n in range(2, 60):
        for value in (0.05, 0.1, 0.3, 0.7, 0.9):
            bound = bounds.mcrank_lemma1(np.full(n, value), 1)
            assert 0 <= bound < 15 * math.sqrt(2 * n * value**2 * 100 * 2.0**-53)

"""DCG, NDCG, ERR, RMSE: equal, bit for bit, to loops over the definitions; small values; row order."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from refrank.metrics import PRESETS, dcg, err, ndcg, rmse
from refrank.metrics.reciprocal_rank import compute_examination_probability
from tests.oracles import metrics as naive
from tests.strategies.metrics import CUTOFFS, SPECS, labels, rankings


def same_bits(found: np.ndarray, expected: list[float]) -> None:
    np.testing.assert_array_equal(found, np.array(expected), strict=True)


@pytest.mark.paper("McRank Eq. 1", at="dcg")
@pytest.mark.paper("McRank Eq. 2", at="tabulate_discounts")
@pytest.mark.paper("McRank Eq. 3", at="ndcg")
@given(rankings(), CUTOFFS, SPECS)
def test_dcg_and_ndcg_equal_the_definition(case, k, spec):
    y, score, qid, doc_id = case
    for metric, definition in ((dcg, naive.dcg_per_query), (ndcg, naive.ndcg_per_query)):
        found = metric(y, score, qid, k, spec, per_query=True, doc_id=doc_id)
        same_bits(found, definition(y, score, qid, k, spec, doc_id))


@pytest.mark.paper("COCR Eq. 8", at="compute_examination_probability")
@pytest.mark.paper("COCR Eq. 8", at="err")
@pytest.mark.paper("COCR Eq. 8", at="tabulate_stop_probability")
@pytest.mark.paper("iGBRT Eq. 4", "iGBRT Eq. 5")
@given(rankings(), CUTOFFS, SPECS.filter(lambda spec: spec.ties != "averaged"), st.integers(4, 6))
def test_err_equals_the_definition(case, k, spec, max_grade):
    y, score, qid, doc_id = case
    expected = naive.err_per_query(y, score, qid, k, spec, max_grade, doc_id)
    found = err(y, score, qid, k, spec, max_grade=max_grade, per_query=True, doc_id=doc_id)
    same_bits(found, expected)


def test_many_queries_in_many_blocks():
    """More documents than one block holds, lengths from 1 to 3000, scattered rows."""
    rng = np.random.default_rng(0)
    qid = rng.permutation(np.repeat(np.arange(900), np.minimum(rng.zipf(1.2, 900), 3000)))
    y, score = rng.integers(5, size=len(qid)), rng.integers(50, size=len(qid)) / 4
    assert len(qid) > 2**17
    plain = y.tolist(), score.tolist(), qid.tolist()
    same_bits(ndcg(y, score, qid, per_query=True), naive.ndcg_per_query(*plain, 10, PRESETS["paper"]))
    same_bits(err(y, score, qid, per_query=True), naive.err_per_query(*plain, None, PRESETS["paper"], 4))


SMALL = [
    (
        err,
        {(1,): 0.0625, (2,): 0.1875, (3,): 0.4375, (4,): 0.9375, (4, 2, 0): 0.943359375, (2, 4, 1): 0.5694173177083334},
    ),
    (ndcg, {(1, 2, 0): 0.7967075809905066, (2, 5, 1): 0.6905329824556825, (2, 5, 1, 9): 0.04333885914794999}),
    (ndcg, {(0, 0, 0): 0.0}),
    (dcg, {(2, 1, 0): 3.6309297535714578}),
]


@pytest.mark.parametrize(("metric", "expected"), SMALL)
def test_small_rankings(metric, expected):
    """At k=3, of labels in the order of their ranking."""
    assert {y: metric(y, range(len(y), 0, -1), k=3) for y in expected} == expected


def test_gdeval_of_a_small_ranking():
    """The TREC script prints five decimals: ERR@20 .10175, nDCG@20 .6201, ERR@2 .03125, nDCG@2 .17377."""
    y, score = [0, 1, 2, 1, 0], [5, 4, 3, 2, 1]
    printed = [f"{metric(y, score, k=k, spec='trec'):.5f}" for k in (20, 2) for metric in (err, ndcg)]
    assert printed == ["0.10175", "0.62010", "0.03125", "0.17377"]


@given(st.lists(st.tuples(st.integers(0, 4), st.integers(-64, 64)), min_size=1, max_size=20))
def test_rmse_equals_the_definition(pairs):
    """Scores in sixteenths: squares and sum are exact, so both sides round one division and one root."""
    y, sixteenths = zip(*pairs, strict=True)
    total = sum((Fraction(s, 16) - label) ** 2 for label, s in pairs)
    assert rmse(y, np.array(sixteenths) / 16) == math.sqrt(float(total) / len(pairs))


@given(st.data(), st.integers(1, 30))
def test_rmse_is_the_same_in_any_row_order(data, n):
    y, score = data.draw(labels(n)), data.draw(hnp.arrays(np.float64, n, elements=st.floats(-1e8, 1e8)))
    order = data.draw(st.permutations(range(n)))
    assert rmse(y, score) == rmse(y[order], score[order])


@pytest.mark.parametrize(
    "qid",
    [
        np.array([7, 7, 3, 3, 3]),
        np.array([7, 7, 3, 3, 3], dtype=np.uint8),
        np.array([0.5, 0.5, -1.0, -1.0, -1.0]),
        np.array(["q9", "q9", "q10", "q10", "q10"]),
        np.array([True, True, False, False, False]),
        np.array(["2020-01-02"] * 2 + ["2020-01-01"] * 3, dtype="datetime64[D]"),
        np.array([("a", 1), ("a", 1), None, None, None], dtype=object),
        ["1", "1", 1, 1, 1],
        [("de", 4), ("de", 4), ("fr", 4), ("fr", 4), ("fr", 4)],
        (frozenset("a"), frozenset("a"), b"x", b"x", b"x"),
    ],
)
def test_query_ids_of_any_type_in_order_of_appearance(qid):
    y, score = [0, 2, 1, 0, 2], [2.0, 1.0, 3.0, 2.0, 1.0]
    for rows in ([0, 1, 2, 3, 4], [2, 0, 3, 4, 1]):
        ids = qid[rows] if isinstance(qid, np.ndarray) else [qid[r] for r in rows]
        found = ndcg([y[r] for r in rows], [score[r] for r in rows], ids, per_query=True)
        two = [ndcg(y[:2], score[:2]), ndcg(y[2:], score[2:])]
        assert found.tolist() == (two if rows[0] == 0 else two[::-1])


def test_without_qid_all_rows_are_one_query_and_integral_floats_and_booleans_are_labels():
    assert ndcg([0, 2, 1], [1, 2, 3]) == ndcg([0, 2, 1], [1, 2, 3], qid=["q"] * 3)
    assert ndcg(np.array([0.0, 2.0, 1.0]), [1, 2, 3]) == ndcg([0, 2, 1], [1, 2, 3])
    assert ndcg(np.array([False, True]), [1, 0]) == ndcg([0, 1], [1, 0])


def test_examination_of_one_query_alone_is_the_product_of_not_stopping_before():
    assert compute_examination_probability(np.array([0.5, 0.25, 1.0])).tolist() == [1.0, 0.5, 0.375]

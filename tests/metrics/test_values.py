"""DCG, NDCG, ERR, RMSE and the discounts: equal, bit for bit, to loops over the definitions."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.metrics import PRESETS, dcg, err, ndcg, rmse
from refrank.metrics.discounts import tabulate_discounts
from tests.oracles import metrics as naive
from tests.strategies.metrics import CUTOFFS, SPECS, rankings


def same_bits(values: np.ndarray, expected: list[float]) -> None:
    np.testing.assert_array_equal(values, np.array(expected), strict=True)


@pytest.mark.paper("McRank Eq. 1", at="dcg")
@pytest.mark.paper("McRank Eq. 2", at="tabulate_discounts")
@pytest.mark.paper("McRank Eq. 3", at="ndcg")
@pytest.mark.paper("McRank Eq. 3", at="compute_ndcg")
@given(rankings(), CUTOFFS, SPECS)
def test_dcg_and_ndcg_equal_the_definition(case, k, spec):
    y, score, qid, doc_id = case
    for metric, definition in ((dcg, naive.dcg_per_query), (ndcg, naive.ndcg_per_query)):
        values = metric(y, score, qid, k, spec, per_query=True, doc_id=doc_id)
        same_bits(values, definition(y, score, qid, k, spec, doc_id))


@pytest.mark.paper("COCR Eq. 8", at="compute_examination_probability")
@pytest.mark.paper("COCR Eq. 8", at="expect_reciprocal_ranks")
@pytest.mark.paper("COCR Eq. 8", at="tabulate_stop_probability")
@pytest.mark.paper("iGBRT Eq. 4", "iGBRT Eq. 5")
@given(rankings(), CUTOFFS, SPECS.filter(lambda spec: spec.ties != "averaged"), st.integers(4, 6))
def test_err_equals_the_definition(case, k, spec, max_grade):
    y, score, qid, doc_id = case
    expected = naive.err_per_query(y, score, qid, k, spec, max_grade, doc_id)
    values = err(y, score, qid, k, spec, max_grade=max_grade, per_query=True, doc_id=doc_id)
    same_bits(values, expected)


def test_many_queries_in_many_blocks():
    """More documents than one block holds, lengths from 1 to 3000, scattered rows."""
    rng = np.random.default_rng(0)
    qid = rng.permutation(np.repeat(np.arange(900), np.minimum(rng.zipf(1.2, 900), 3000)))
    y, score = rng.integers(5, size=len(qid)), rng.integers(50, size=len(qid)) / 4
    assert len(qid) > 2**17
    plain = y.tolist(), score.tolist(), qid.tolist()
    same_bits(ndcg(y, score, qid, per_query=True), naive.ndcg_per_query(*plain, 10, PRESETS["paper"]))
    same_bits(err(y, score, qid, per_query=True), naive.err_per_query(*plain, None, PRESETS["paper"], 4))


@given(st.lists(st.tuples(st.integers(0, 53), st.floats(-1e8, 1e8)), min_size=1, max_size=30))
def test_rmse_equals_the_definition(pairs):
    """The sum of the rounded squares is exact, so the order of rows plays no part.

    A square is a product: C's `pow`, behind Python's `**` of floats, rounds 99999991.0**2 the wrong way.
    """
    y, score = zip(*pairs, strict=True)
    total = sum(Fraction((s - label) * (s - label)) for label, s in pairs)
    assert rmse(y, score) == math.sqrt(float(total) / len(pairs))


@given(st.integers(0, 300), st.none() | st.integers(1, 310), st.sampled_from(list(naive.DISCOUNTS)))
def test_every_discount_is_its_definition(n_positions, k, rule):
    expected = [naive.DISCOUNTS[rule](i) if k is None or i <= k else 0.0 for i in range(1, n_positions + 1)]
    assert tabulate_discounts(n_positions, k, rule).tolist() == expected


def test_the_default_is_the_papers_discount_and_nobody_can_write_into_the_table():
    assert tabulate_discounts(5).tolist() == tabulate_discounts(5, None, "log2(1+i)").tolist()
    with pytest.raises(ValueError, match="read-only"):
        tabulate_discounts(3)[0] = 2.0


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
        values = ndcg([y[r] for r in rows], [score[r] for r in rows], ids, per_query=True)
        two = [ndcg(y[:2], score[:2]), ndcg(y[2:], score[2:])]
        assert values.tolist() == (two if rows[0] == 0 else two[::-1])


def test_without_qid_all_rows_are_one_query_and_integral_floats_and_booleans_are_labels():
    assert ndcg([0, 2, 1], [1, 2, 3]) == ndcg([0, 2, 1], [1, 2, 3], qid=["q"] * 3)
    assert ndcg(np.array([0.0, 2.0, 1.0]), [1, 2, 3]) == ndcg([0, 2, 1], [1, 2, 3])
    assert ndcg(np.array([False, True]), [1, 0]) == ndcg([0, 1], [1, 0])

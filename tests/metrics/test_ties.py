"""The tie rules: averaged ties against every order, worst and best as the extremes, document ids."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.metrics import PRESETS, MetricSpec, dcg, err, ndcg
from refrank.metrics.ordering import rank_blocks
from refrank.metrics.queries import check_documents
from refrank.metrics.reciprocal_rank import average_examination_probability
from tests.oracles import metrics as naive
from tests.strategies.metrics import rankings

AVERAGED = MetricSpec("averaged", ties="averaged")
QUERIES = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 2)), min_size=1, max_size=6)
CUTOFFS = st.one_of(st.none(), st.integers(1, 7))
# A value is a sum of at most 7 rounded products of at most 14 factors below 1.
ROUNDING = 32 * np.finfo(float).eps


@given(QUERIES, CUTOFFS, st.integers(4, 5))
def test_averaged_err_is_the_mean_over_all_orders(query, k, max_grade):
    labels, scores = zip(*query, strict=True)
    exact = naive.exact_mean_err(labels, scores, k, max_grade)
    assert abs(Fraction(err(labels, scores, k=k, spec=AVERAGED, max_grade=max_grade)) - exact) < ROUNDING


@given(QUERIES, CUTOFFS, st.sampled_from(["2^y-1", "y"]), st.sampled_from(["log2(1+i)", "letor"]))
def test_averaged_dcg_is_the_mean_over_all_orders(query, k, gain, discount):
    labels, scores = zip(*query, strict=True)
    spec = MetricSpec("averaged", gain=gain, discount=discount, ties="averaged")
    mean = naive.mean_dcg(labels, scores, k, spec)
    # Both sides round; gains reach 15 and the sum 60.
    assert math.isclose(dcg(labels, scores, k=k, spec=spec), mean, rel_tol=ROUNDING, abs_tol=0)


@given(rankings())
def test_a_ranked_block_names_the_rows_of_the_input_however_they_are_scattered(case):
    y, score, qid, _ = case
    documents = check_documents(y, score, qid, None, PRESETS["paper"])
    rows_of = {}
    for block in rank_blocks(documents, None, PRESETS["paper"]):
        for query, rows in zip(block.query.tolist(), block.rows.tolist(), strict=True):
            rows_of[query] = [row for row in rows if row >= 0]
    for query, query_id in enumerate(dict.fromkeys(qid)):  # by first appearance
        assert rows_of.pop(query) == sorted((i for i, q in enumerate(qid) if q == query_id), key=lambda i: -score[i])
    assert not rows_of


@pytest.mark.parametrize("ties", ["stable", "worst", "best", "averaged", "document id descending"])
def test_documents_of_score_minus_infinity_come_before_no_others(ties):
    """Beside a longer query, a short one must not be ranked or averaged together with its padding."""
    spec, minus = MetricSpec(ties, ties=ties), -math.inf
    alone = [0, 3, 1], [minus, minus, minus]
    together = [0, 3, 1, 0, 0, 0, 1], [minus, minus, minus, 4.0, 3.0, 2.0, 1.0]
    qid = [1, 1, 1, 2, 2, 2, 2]
    for rows in (range(7), range(-4, 3)):  # the short query first, and last
        y, score, ids = ([column[row] for row in rows] for column in (*together, qid))
        place = ids[0] - 1  # of the short query, by first appearance
        for metric in (dcg, ndcg, err):
            assert metric(y, score, ids, spec=spec, per_query=True)[place] == metric(*alone, spec=spec)


def test_document_ids_descending_as_text_and_as_numbers():
    spec = MetricSpec("ids", ties="document id descending")
    y, score = [0, 3, 1], [1.0, 1.0, 1.0]
    assert ndcg(y, score, spec=spec, doc_id=["d9", "d10", "d2"]) == ndcg(y, [3, 1, 2])
    assert ndcg(y, score, spec=spec, doc_id=[9, 10, 2]) == ndcg(y, [2, 3, 1])
    assert ndcg(y, score, spec=spec) == ndcg(y, [1, 2, 3])  # row numbers


def test_a_long_tied_group_stays_a_distribution():
    """500 documents tied: the chances to stop somewhere and to look past the last one add up to 1."""
    stop = np.repeat([0.0, 0.0625, 0.9375], [300, 150, 50])
    average = average_examination_probability(stop)
    assert (np.diff(average) <= 0).all()
    assert average[0] == 1.0
    assert average[1] == pytest.approx(1 - stop.mean(), rel=1e-13)  # 200 steps of three roundings each
    assert average[-1] == pytest.approx(float(np.prod(1 - stop)), rel=1e-12)

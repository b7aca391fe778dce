"""Rows that are ranked again and again: a sort by query and score, and the values of `ndcg` and `err`."""

import numpy as np
import pytest

from refrank.metrics import PRESETS, err, ndcg
from refrank.metrics.reranking import RerankedRows

PAPER = PRESETS["paper"]


def draw(seed, n_samples=60, n_queries=9):
    """Labels, scores of which many tie, and query ids: scattered, of a few rows to many."""
    rng = np.random.default_rng(seed)
    qid = np.minimum(rng.geometric(0.3, n_samples), n_queries) * 7 % 5
    return rng.integers(0, 5, n_samples), np.rint(rng.normal(size=n_samples) * 4) / 4, qid


@pytest.mark.parametrize("is_sorted", [False, True])
def test_each_ranking_is_a_sort_by_query_and_score(is_sorted):
    labels, _, qid = draw(0)
    qid = np.sort(qid) if is_sorted else qid
    numbers = np.array([[*dict.fromkeys(qid.tolist())].index(query) for query in qid.tolist()])
    rows = RerankedRows(labels, qid, PAPER)
    for seed in range(1, 6):
        scores = draw(seed)[1]
        order = rows.list_rows(rows.rank(scores))
        assert order.tolist() == np.lexsort((-scores, numbers)).tolist()


def test_rows_without_a_score_are_last():
    rows = RerankedRows([0, 1, 2, 0], None, PAPER)
    scores = np.array([np.nan, 1.0, -np.inf, np.inf])
    assert rows.list_rows(rows.rank(scores)).tolist() == [3, 1, 0, 2]
    assert np.isnan(scores[0])


@pytest.mark.parametrize("highest", [3, 4, 5])
def test_metrics_are_those_of_the_paper_and_err_is_measured_where_its_convention_has_the_grades(highest):
    labels, _, qid = draw(0)
    labels[0] = highest
    labels[1:][labels[1:] > highest] = 0
    rows = RerankedRows(labels, qid, PAPER)
    for seed in range(1, 6):
        scores = draw(seed)[1]
        blocks = rows.rank(scores)
        for k in (1, 10):
            expected = ndcg(labels, scores, qid, k, PAPER, per_query=True)
            assert rows.measure_ndcg(blocks, k).tobytes() == expected.tobytes()
        if highest == 5:
            assert rows.measure_err(blocks) is None
        else:
            expected = err(labels, scores, qid, None, PAPER, per_query=True)
            assert rows.measure_err(blocks).tobytes() == expected.tobytes()


@pytest.mark.parametrize(("label", "is_grade"), [(0, True), (53, True), (54, False), (-1, False), (0.5, False)])
def test_grades_are_the_labels_that_the_metrics_take(label, is_grade):
    assert RerankedRows([label, 1], None, PAPER).has_grades is is_grade
    assert RerankedRows([np.nan, 1], None, PAPER).has_grades is False

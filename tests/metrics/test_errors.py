"""Bad input: a ValueError that names argument, place, value and rule; and what looks odd but is allowed."""

import math

import numpy as np
import pytest

from refrank.metrics import MetricSpec, dcg, err, explain, ndcg, rmse

METRICS = [dcg, ndcg, err, explain, rmse]
RANKING = [dcg, ndcg, err]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("y", "score", "message"),
    [
        ([], [], r"y is empty: there must be at least one document"),
        ([[1, 0]], [2, 1], r"y has shape \(1, 2\): it must have one dimension"),
        ([1, 0], [[2, 1]], r"score has shape \(1, 2\): it must have one dimension"),
        ([1, 0], [2, 1, 0], r"score has 3 entries, y has 2: they must be one a document each"),
        ([1, 0, 0], [2, math.nan, math.nan], r"score\[1\] is nan: a document without a score"),
        ([1, -1], [2, 1], r"y\[1\] is -1: labels must be integers from 0 to 53"),
        ([1, 0.5], [2, 1], r"y\[1\] is 0\.5: labels must be integers from 0 to 53"),
        ([math.nan, 0], [2, 1], r"y\[0\] is nan: labels must be integers from 0 to 53"),
        ([0, 54], [2, 1], r"y\[1\] is 54: labels must be integers from 0 to 53"),
        (["1", "0"], [2, 1], r"y has type <U1: labels must be numbers"),
        ([1, 0], ["2", "1"], r"score has type <U1: scores must be numbers"),
    ],
)
def test_bad_labels_and_scores(metric, y, score, message):
    with pytest.raises(ValueError, match=message):
        metric(y, score)


@pytest.mark.parametrize("metric", RANKING)
@pytest.mark.parametrize(
    ("qid", "message"),
    [
        ([1, 1], r"qid has 2 entries, y has 3: qid must be one id a document"),
        ([2, 1], r"qid has 2 entries, y has 3: its entries add up .* group sizes.*np\.repeat"),
        (np.array([[1, 1, 2]]), r"qid has shape \(1, 3\): it must have one dimension"),
        (np.array([1.0, 2.0, math.nan]), r"qid\[2\] is nan: a query id must equal itself"),
        ([1.0, math.nan, math.nan], r"qid holds nan: a query id must equal itself"),
        ([{1}, {1}, {2}], r"qid: unhashable type: 'set'; a query id must be a number, a string or hashable"),
    ],
)
def test_bad_query_ids(metric, qid, message):
    with pytest.raises(ValueError, match=message):
        metric([1, 0, 2], [3, 2, 1], qid)


@pytest.mark.parametrize("metric", [*RANKING, explain])
@pytest.mark.parametrize("k", [0, -1, 2.5, "10", True])
def test_bad_cutoff(metric, k):
    with pytest.raises(ValueError, match=rf"k={k!r}: must be a positive integer, or None for all documents"):
        metric([1], [1], k=k)


def test_label_above_the_highest_grade():
    with pytest.raises(ValueError, match=r"y\[2\] is 5: no label may be above the highest grade, max_grade=4"):
        err([0, 4, 5], [1, 2, 3])
    assert err([0, 4, 5], [1, 2, 3], max_grade=5) > 0


@pytest.mark.parametrize("max_grade", [0, 54, 2.0, "4"])
def test_bad_highest_grade(max_grade):
    with pytest.raises(ValueError, match=rf"max_grade={max_grade!r}: must be an integer from 1 to 53"):
        err([0], [1], max_grade=max_grade)
    with pytest.raises(ValueError, match=rf"max_grade={max_grade!r}: must be an integer from 1 to 53"):
        MetricSpec("bad", max_grade=max_grade)


def test_label_beyond_the_table_of_gains():
    with pytest.raises(ValueError, match="y holds label 5, but the gain table of spec 'letor' ends at label 4"):
        ndcg([5, 0], [2, 1], spec="letor")


def test_document_ids_of_another_length():
    with pytest.raises(ValueError, match="doc_id has 1 entries, y has 2"):
        ndcg([1, 0], [2, 1], spec="trec", doc_id=["a"])


def test_infinite_scores_rank_but_have_no_squared_error():
    assert ndcg([0, 2, 1], [-math.inf, math.inf, 0.0]) == 1.0
    with pytest.raises(ValueError, match=r"score\[1\] is inf: an infinite score has no squared error"):
        rmse([0, 2], [0.0, math.inf])


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"gain": "exp"}, r"gain='exp': must be one of '2\^y-1', 'y'"),
        ({"gain": ()}, r"gain=\(\): must be '2\^y-1', 'y' or a table"),
        ({"gain": [0.0, 1.0]}, r"gain=\[0.0, 1.0\]: must be '2\^y-1', 'y' or a table"),
        ({"gain": (1.0, 2.0)}, r"the entry of label 0 is 1.0; a table .* begins with 0"),
        ({"gain": (0.0, 2.0, 1.0)}, r"the entry of label 2 is 1.0; .* never decreases"),
        ({"gain": (0.0, math.inf)}, r"the entry of label 1 is inf; .* finite"),
        ({"discount": "log"}, r"discount='log': must be one of 'log2\(1\+i\)', 'ln\(1\+i\)', 'letor'"),
        (
            {"ties": "random"},
            "ties='random': must be one of 'stable', 'worst', 'best', 'averaged', 'document",
        ),
        ({"no_relevant": "none"}, "no_relevant='none': must be one of 'skip', 'error'"),
        ({"no_relevant": 2.0}, "no_relevant=2.0: must be a number from 0 to 1, 'skip' or 'error'"),
        ({"short": "pad"}, "short='pad': must be one of 'as is', 'zero'"),
    ],
)
def test_specs_that_mean_nothing_are_refused(choice, message):
    with pytest.raises(ValueError, match=message):
        MetricSpec("bad", **choice)


def test_one_document_and_one_query_and_the_highest_label():
    assert dcg([53], [0.0]) == 2.0**53 - 1
    assert ndcg([3], [0.0]) == 1.0
    assert err([4], [0.0]) == 0.9375
    assert rmse([3], [1.0]) == 2.0

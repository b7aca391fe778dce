"""MAP, MRR, precision and recall, and rankings that leave documents out: equal, bit for bit, to their definitions."""

import math
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.metrics import (
    MetricSpec,
    dcg,
    err,
    explain,
    mean_average_precision,
    mean_reciprocal_rank,
    ndcg,
    precision,
    recall,
)
from tests.oracles import metrics as naive
from tests.strategies.metrics import CUTOFFS, SPECS, rankings, runs

DEFINITIONS = {
    mean_average_precision: (naive.average_precision_per_query, naive.average_precision),
    mean_reciprocal_rank: (naive.reciprocal_rank_per_query, naive.reciprocal_rank),
    precision: (naive.precision_per_query, naive.precision),
    recall: (naive.recall_per_query, naive.recall),
}
BINARY = [*DEFINITIONS]
UNTIED = SPECS.filter(lambda spec: spec.ties != "averaged")
WITH_UNRANKED = SPECS.filter(lambda spec: spec.unranked != "error")
QUERIES = st.lists(st.tuples(st.integers(0, 2), st.integers(0, 2)), min_size=1, max_size=6)
ROUNDING = 32 * np.finfo(float).eps  # of a sum of at most 6 terms of a few operations each


def check(metric, definition, case, k, spec, **options):
    y, score, qid, doc_id = case
    values = metric(y, score, qid, k, spec, per_query=True, doc_id=doc_id, **options)
    np.testing.assert_array_equal(values, definition(y, score, qid, k, spec, *options.values(), doc_id), strict=True)


@given(rankings() | runs(), CUTOFFS, UNTIED)
def test_binary_metrics_equal_their_definitions(case, k, spec):
    if any(map(math.isnan, case[1])) and spec.unranked == "error":
        spec = replace(spec, unranked="as is")
    for metric, (definition, _) in DEFINITIONS.items():
        check(metric, definition, case, k, spec)


@given(runs(), CUTOFFS, WITH_UNRANKED)
def test_graded_metrics_of_runs_equal_their_definitions(case, k, spec):
    """The ideal DCG knows the documents that the ranking leaves out; no position does."""
    check(ndcg, naive.ndcg_per_query, case, k, spec)
    check(dcg, naive.dcg_per_query, case, k, spec)
    if spec.ties != "averaged":
        check(err, naive.err_per_query, case, k, spec, max_grade=4)


@given(QUERIES, st.none() | st.integers(1, 7), SPECS)
def test_averaged_ties_are_the_mean_over_all_orders(query, k, spec):
    labels, scores = zip(*query, strict=True)
    spec = replace(spec, ties="averaged", short="as is", relevant=1)
    if max(labels) == 0:
        return
    for metric, (_, value) in DEFINITIONS.items():
        exact = naive.exact_mean(value, labels, scores, k, spec)
        assert abs(Fraction(metric(labels, scores, k=k, spec=spec)) - exact) < ROUNDING, metric


@given(runs(), SPECS)
def test_tied_groups_of_a_run_hold_no_document_that_it_leaves_out(case, spec):
    """The ranked documents alone, with the labels of the others counted: a group of theirs would change the mean."""
    y, score, qid, doc_id = case
    spec = replace(spec, ties="averaged", unranked="as is", no_relevant=0.0, map_no_relevant=None, short="as is")
    kept = [row for row, s in enumerate(score) if not math.isnan(s)]
    if not kept:
        return
    columns = [[column[row] for row in kept] for column in case]
    hits = precision(y, score, qid, None, spec, True, doc_id)
    alone = precision(*columns[:3], None, spec, True, columns[3])
    places = [list(dict.fromkeys(qid)).index(query) for query in dict.fromkeys(columns[2])]
    np.testing.assert_array_equal(hits[places], alone)


@pytest.mark.parametrize("metric", BINARY)
def test_rules_for_queries_without_relevant_documents(metric):
    y, score, qid = [0, 0, 1], [2.0, 1.0, 1.0], [5, 5, 4]
    with pytest.raises(ValueError, match="y has no relevant document in query 0"):
        metric(y, score, qid, spec=MetricSpec("strict", no_relevant="error"))
    skipped = metric(y, score, qid, spec=MetricSpec("mine", no_relevant="skip"), per_query=True)
    assert np.isnan(skipped).tolist() == [True, False]
    (value, _) = metric(y, score, qid, spec=MetricSpec("mine", no_relevant=0.5), per_query=True)
    assert value == (0.5 if metric in (mean_average_precision, recall) else 0.0)
    assert np.isnan(metric([1, 1], [2, 1], spec=MetricSpec("mine", no_relevant="skip", relevant=2), per_query=True))


def test_the_divisors_of_the_tools():
    y, score = [1, 0, 1, 1, 0], [5, 4, 3, 2, 1]
    assert mean_average_precision(y, score, k=2) == 1 / 3
    assert mean_average_precision(y, score, k=2, spec="lightgbm") == 1 / 2
    assert precision(y, score, k=10) == 0.3
    assert precision(y, score, k=10, spec="catboost") == 0.6
    assert precision(y, score, k=None) == 0.6
    assert mean_average_precision([0], [1], spec="catboost") == 0.0
    assert recall([0], [1], spec="catboost") == 1.0


@pytest.mark.parametrize("metric", [ndcg, err, *BINARY])
def test_documents_without_a_rank(metric):
    """Score NaN: refused by conventions of files in which every row is ranked; -inf is not below it."""
    y, score, qid = [1, 0, 2, 1], [2.0, 1.0, math.nan, math.nan], [1, 1, 1, 2]
    with pytest.raises(ValueError, match="score at row 2 is nan: scores must be numbers and not NaN"):
        metric(y, score, qid)
    as_is, skip = (MetricSpec("run", unranked=rule) for rule in ("as is", "skip"))
    assert np.isnan(metric(y, score, qid, spec=skip, per_query=True)).tolist() == [False, True]
    assert metric(y, score, qid, spec=as_is, per_query=True)[1] == 0.0
    with pytest.raises(ValueError, match="score at row 1 is -inf: below documents without a rank there is no place"):
        metric(y, [2.0, -math.inf, math.nan, 1.0], qid, spec=skip)
    with pytest.raises(ValueError, match="no query a rank: every query is skipped"):
        metric([1], [math.nan], spec=skip)
    with pytest.raises(ValueError, match=r"score has shape \(1, 4\): it must have shape"):
        metric(y, [score], qid, spec=skip)


def test_what_is_explained_of_a_run_adds_up():
    spec = MetricSpec("run", unranked="as is")
    explanation = explain([1, 0, 2], [2.0, 1.0, math.nan], spec=spec)
    assert (
        explanation.ndcg == ndcg([1, 0, 2], [2.0, 1.0, math.nan], spec=spec) == explanation.dcg / explanation.ideal_dcg
    )
    assert [position.label for position in explanation.positions] == [1, 0, 0]


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"unranked": "zero"}, "unranked is 'zero': it must be one of 'error', 'as is', 'skip'"),
        ({"relevant": 0}, "relevant is 0: it must be an integer from 1 to 53"),
        ({"map_divisor": "k"}, "map_divisor is 'k': it must be one of 'relevant', 'at most k'"),
        ({"precision_divisor": "n"}, "precision_divisor is 'n': it must be one of 'k', 'at most documents'"),
        ({"map_no_relevant": 2}, "map_no_relevant is 2: it must be a number of at least 0 and at most 1"),
    ],
)
def test_rules_that_mean_nothing_are_refused(choice, message):
    with pytest.raises(ValueError, match=message):
        MetricSpec("bad", **choice)

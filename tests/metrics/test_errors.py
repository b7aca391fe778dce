"""Bad input: a ValueError that names argument, place, value and rule; and what looks odd but is allowed."""

import math

import numpy as np
import pytest

from refrank.metrics import (
    MetricSpec,
    bootstrap_interval,
    compare_systems,
    dcg,
    err,
    explain,
    ndcg,
    paired_test,
    randomization_test,
    rmse,
    unpaired_test,
    weighted_mean_of_queries,
)

METRICS = [dcg, ndcg, err, explain, rmse]
RANKING = [dcg, ndcg, err]


@pytest.mark.parametrize("metric", METRICS)
@pytest.mark.parametrize(
    ("y", "score", "message"),
    [
        ([], [], "y is empty: there must be at least one row"),
        ([[1, 0]], [2, 1], r"y has shape \(1, 2\): it must have shape \(n_samples,\)"),
        ([1, 0], [[2, 1]], r"score has shape \(1, 2\): it must have shape \(n_samples,\), one score per row of y"),
        ([1, 0], [2, 1, 0], r"score has shape \(3,\): .* one score per row of y, here \(2,\)"),
        ([1, 0, 0], [2, math.nan, math.nan], "score at row 1 is nan: scores must be numbers and not NaN"),
        ([1, -1], [2, 1], "y at row 1 is -1: labels must be integers from 0 to 53"),
        ([1, 0.5], [2, 1], r"y at row 1 is 0\.5: labels must be integers from 0 to 53"),
        ([1, 1.3], [2, 1], r"y at row 1 is 1\.3: labels must be integers from 0 to 53"),
        ([1, 2.7], [2, 1], r"y at row 1 is 2\.7: labels must be integers from 0 to 53"),
        ([math.nan, 0], [2, 1], "y at row 0 is nan: labels must be integers from 0 to 53"),
        ([0, 54], [2, 1], "y at row 1 is 54: labels must be integers from 0 to 53"),
        (["1", "0"], [2, 1], "y has type <U1: labels must be integers from 0 to 53"),
        ([1, 0], ["2", "1"], "score has type <U1: scores must be numbers"),
        ([1, 0], np.array(["2", 1], object), "score has type object: scores must be numbers"),
        ([1, 0], [2, 10**400], "score has type object: scores must be numbers"),
    ],
)
def test_bad_labels_and_scores(metric, y, score, message):
    with pytest.raises(ValueError, match=message):
        metric(y, score)


@pytest.mark.parametrize("metric", RANKING)
@pytest.mark.parametrize(
    ("qid", "message"),
    [
        ([1, 1], r"qid has shape \(2,\): it must have shape \(n_samples,\), one query id per row, here \(3,\)$"),
        ([2, 1], r"qid has shape \(2,\): .*; these look like group sizes: to get ids, pass np\.repeat\(np\.arange\("),
        (np.array([2, 1]), r"qid has shape \(2,\): .*; these look like group sizes: to get ids, pass np\.repeat"),
        ([("web", 1)], r"qid has shape \(1,\)"),
        (np.array([[1, 1, 2]]), r"qid has shape \(1, 3\): it must have shape"),
        (np.array([1.0, 2.0, math.nan]), "qid at row 2 is nan: a query id must be hashable and not NaN"),
        ([1.0, math.nan, math.nan], "qid at row 1 is nan: a query id must be hashable and not NaN"),
        ([1, {1}, {2}], r"qid at row 1 is \{1\}: a query id must be hashable and not NaN"),
    ],
)
def test_bad_query_ids(metric, qid, message):
    with pytest.raises(ValueError, match=message):
        metric([1, 0, 2], [3, 2, 1], qid)


@pytest.mark.parametrize("metric", [*RANKING, explain])
@pytest.mark.parametrize("k", [0, -1, 2.5, "10", True])
def test_bad_cutoff(metric, k):
    with pytest.raises(ValueError, match=f"k is {k!r}: it must be an integer of at least 1, or None for all documents"):
        metric([1], [1], k=k)


@pytest.mark.parametrize("max_grade", [0, 54, 2.0, "4"])
def test_bad_highest_grade(max_grade):
    for refused in (lambda: err([0], [1], max_grade=max_grade), lambda: MetricSpec("bad", max_grade=max_grade)):
        with pytest.raises(ValueError, match=rf"max_grade is {max_grade!r}: it must be an integer from 1 to 53"):
            refused()


@pytest.mark.parametrize(
    ("metric", "options", "message"),
    [
        (err, {}, "y at row 1 is 5: labels must be at most max_grade, 4"),
        (ndcg, {"spec": "letor"}, "y holds label 5: .* at most 4, where the gain table of spec 'letor' ends"),
        (ndcg, {"spec": "trec", "doc_id": ["a"]}, r"doc_id has shape \(1,\): .* one document id per row, here \(2,\)"),
        (rmse, {}, "score at row 1 is inf: an infinite score has no squared error"),
    ],
)
def test_what_one_metric_or_convention_refuses(metric, options, message):
    """Infinite scores rank, and a label of 5 has an ERR where 5 is the highest grade."""
    assert err([0, 5], [0.0, math.inf], max_grade=5) == 31 / 32
    with pytest.raises(ValueError, match=message):
        metric([0, 5], [0.0, math.inf], **options)


@pytest.mark.parametrize(
    ("choice", "message"),
    [
        ({"gain": "exp"}, r"gain is 'exp': it must be one of '2\^y-1', 'y'"),
        ({"gain": ()}, r"gain is \(\): it must be '2\^y-1', 'y' or a tuple"),
        ({"gain": [0.0, 1.0]}, r"gain is \[0.0, 1.0\]: it must be '2\^y-1', 'y' or a tuple"),
        ({"gain": (-1.0, 2.0)}, "gain at label 0 is -1.0: gains must .* begin with 0"),
        ({"gain": (1.0, 2.0)}, "gain at label 0 is 1.0: gains must .* begin with 0"),
        ({"gain": (0.0, 2.0, 1.0)}, "gain at label 2 is 1.0: gains must .* never decrease"),
        ({"gain": (0.0, math.inf)}, "gain at label 1 is inf: gains must be finite"),
        ({"discount": "log"}, r"discount is 'log': it must be one of 'log2\(1\+i\)', 'ln\(1\+i\)', 'letor'"),
        ({"ties": "random"}, "ties is 'random': it must be one of 'stable', 'worst', 'best', 'averaged', 'document"),
        ({"no_relevant": "none"}, "no_relevant is 'none': it must be one of 'skip', 'error'"),
        ({"no_relevant": 2.0}, "no_relevant is 2.0: it must be a number of at least 0 and at most 1"),
        ({"short": "pad"}, "short is 'pad': it must be one of 'as is', 'zero'"),
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


@pytest.mark.parametrize("name", ["y", "score", "qid", "doc_id"])
def test_masked_entries_are_refused(name):
    given = {"y": [0, 1, 2], "score": [3.0, 2.0, 1.0], "qid": [1, 1, 1], "doc_id": [5, 6, 7]}
    given[name] = np.ma.array(given[name], mask=[False, True, False])
    with pytest.raises(ValueError, match=f"^{name} at row 1 is masked: every entry must have a value"):
        ndcg(**given, spec="trec_eval")


MASKED = np.ma.array([0.1, 0.2, 0.4], mask=[False, True, False])
OF_PAIRS = (paired_test, compare_systems, bootstrap_interval, randomization_test)


@pytest.mark.parametrize("measure", OF_PAIRS, ids=lambda measure: measure.__name__)
def test_masked_values_of_queries_are_refused(measure):
    for name, values in (("a", (MASKED, MASKED.data)), ("b", (MASKED.data, MASKED))):
        with pytest.raises(ValueError, match=f"^{name} at row 1 is masked: every entry must have a value"):
            measure(*values)


VALUE = r"a value must be 0, or a number from 1e-50 to 1e\+50 in size, or NaN"


@pytest.mark.parametrize("measure", [*OF_PAIRS, unpaired_test], ids=lambda measure: measure.__name__)
@pytest.mark.parametrize(
    ("bad", "fault"),
    [
        ([0.1, math.inf, 0.4], "at row 1 is inf"),
        ([0.1, 0.2, -1.01e50], "at row 2 is -1.01e\\+50"),
        ([9.9e-51, 0.2, 0.4], "at row 0 is 9.9e-51"),
        (np.array([0.1, 0.2, 0.4]) + 0j, "has type complex128"),
        (["0.1", "0.2", "0.4"], "has type <U3"),
        (np.array([1, 2, 3], "M8[s]"), r"has type datetime64\[s\]"),
    ],
    ids=lambda bad: bad if isinstance(bad, str) else "",
)
def test_values_of_queries_are_numbers_whose_squares_do_not_overflow(measure, bad, fault):
    for name, values in (("a", (bad, [0.1, 0.2, 0.5])), ("b", ([0.1, 0.2, 0.5], bad))):
        with pytest.raises(ValueError, match=f"^({name}|values) {fault}: {VALUE}$"):
            measure(*values)


def test_masked_values_of_one_system_are_refused():
    for values in ((MASKED, MASKED.data), (MASKED.data, MASKED)):
        with pytest.raises(ValueError, match=r"^values at row 1 is masked: every entry must have a value"):
            unpaired_test(*values)


def test_masked_values_and_weights_of_a_mean_are_refused():
    for name, given in (("values", (MASKED, MASKED.data)), ("weight", (MASKED.data, MASKED))):
        with pytest.raises(ValueError, match=f"^{name} at row 1 is masked: every entry must have a value"):
            weighted_mean_of_queries(*given)

"""Metrics of many rows without query ids: a warning, of the line that called, and once per process."""

import warnings
from functools import partial

import numpy as np
import pytest

from refrank.bounds.report import report_bounds
from refrank.metrics import compare_presets, dcg, err, explain, ndcg, one_query
from refrank.metrics.one_query import OneQueryWarning

MOST = 200
Y = np.tile([0, 2, 1], 200)[: MOST + 1]
SCORE = np.arange(MOST + 1.0)
MEASURES = {"ndcg": ndcg, "dcg": dcg, "err": partial(err, max_grade=2), "presets": compare_presets}
measures = pytest.mark.parametrize("measure", [*MEASURES.values(), report_bounds], ids=[*MEASURES, "bounds"])


@measures
def test_many_rows_without_ids_are_warned_of(measure):
    message = r"^a metric got no qid: more than 200 rows are taken as one query\. .* Pass the query of each row\. "
    with pytest.warns(OneQueryWarning, match=message) as seen:
        measure(Y, SCORE)
    assert {warning.filename for warning in seen} == {__file__}


@measures
def test_other_rows_are_not_warned_of(measure):
    measure(Y[:MOST], SCORE[:MOST])  # an unexpected warning is an error
    measure(Y, SCORE, np.zeros(MOST + 1))
    measure(Y, SCORE, np.arange(MOST + 1) // 2)


def test_the_value_is_that_of_one_query():
    with pytest.warns(OneQueryWarning):
        assert ndcg(Y, SCORE) == ndcg(Y, SCORE, np.zeros(MOST + 1))


def test_one_query_is_explained_whatever_its_length():
    assert explain(Y, SCORE).ndcg == ndcg(Y, SCORE, np.zeros(MOST + 1))


def count_warnings(*actions):
    """Call a metric twice under each of these filters, one after another, and count the warnings that are shown."""
    counts = []
    for action in actions:
        with warnings.catch_warnings(record=True) as seen:
            warnings.simplefilter(action)
            for _ in range(2):
                ndcg(Y, SCORE)
        counts.append(len(seen))
    return counts


def test_it_is_shown_once_per_process(monkeypatch):
    monkeypatch.setattr(one_query, "SHOWN", set())
    assert count_warnings("ignore", "default", "default", "always") == [0, 1, 0, 2]

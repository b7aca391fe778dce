"""Measures by name: they read as they are written, and measure what the metric does."""

import numpy as np
import pytest

from refrank.metrics import PRESETS, Measure, err, ndcg, parse_measure
from refrank.metrics.measures import METRICS, RULES

Y, SCORE, QID = [1, 2, 0, 0, 3], [3.0, 2.0, 1.0, 2.0, 1.0], ["a", "a", "a", "b", "b"]


@pytest.mark.parametrize("spec", PRESETS.values(), ids=str)
@pytest.mark.parametrize("k", [None, 1, 10])
@pytest.mark.parametrize("metric", METRICS)
def test_a_measure_is_read_as_it_is_written(metric, k, spec):
    measure = Measure(metric, k, spec)
    if metric == "err" and spec.max_grade is None:
        with pytest.raises(ValueError, match=f"the convention {spec.name} has no ERR"):
            parse_measure(str(measure))
    else:
        assert parse_measure(str(measure)) == measure


def test_it_measures_each_query():
    np.testing.assert_array_equal(parse_measure("ndcg@2")(Y, SCORE, QID), ndcg(Y, SCORE, QID, 2, per_query=True))
    np.testing.assert_array_equal(
        parse_measure("err yahoo")(Y, SCORE, QID), err(Y, SCORE, QID, None, "yahoo", per_query=True)
    )


@pytest.mark.parametrize(
    ("text", "name"),
    [
        *(("nDCG@10", "ndcg@10"), ("ERR@20", "err@20"), ("MRR", "mrr"), ("RR@3", "mrr@3"), ("AP", "map")),
        *(("AP@5 trec_eval", "map@5 trec_eval"), ("P@5", "p@5"), ("Precision@5", "p@5"), ("Recall", "r")),
    ],
)
def test_the_spellings_of_other_programs(text, name):
    assert str(parse_measure(text)) == name


def test_every_metric_says_which_rules_decide_it():
    assert [*RULES] == [*METRICS]


@pytest.mark.parametrize(
    ("text", "fault"),
    [
        ("ndcg@ten", "measure is 'ndcg@ten': it must be a metric, \"@\" and a cut-off"),
        ("ndcg@0", "measure is 'ndcg@0': its cut-off must be at least 1"),
        ("auc", "measure is 'auc': it must be one of 'ndcg', "),
        ("ndcg@10 mine", "spec is 'mine': it must be one of 'paper', "),
        ("", "measure is ''"),
    ],
)
def test_a_text_that_names_no_measure_is_refused(text, fault):
    with pytest.raises(ValueError, match=fault):
        parse_measure(text)

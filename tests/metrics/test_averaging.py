"""From the values of queries to one figure: means, weighted means, and the weight of a query."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra import numpy as hnp

from refrank.metrics import mean_weight_per_query, ndcg, weighted_mean_of_queries
from tests.strategies.metrics import CUTOFFS, QIDS, SPECS, rankings

VALUES = st.integers(1, 12).flatmap(
    lambda n: hnp.arrays(np.float64, n, elements=st.floats(0, 1) | st.just(math.nan)).filter(
        lambda values: not np.isnan(values).all()
    )
)
WEIGHTS = st.sampled_from([0.0, 0.1, 1.0, 3.0, 1e10])


@given(rankings(), CUTOFFS, SPECS)
def test_mean_is_correctly_rounded_over_counted_queries(case, k, spec):
    y, score, qid, _ = case
    values = ndcg(y, score, qid, k, spec, per_query=True)
    counted = [Fraction(v) for v in values.tolist() if not math.isnan(v)]
    if counted:
        total = float(sum(counted, Fraction(0)))
        assert ndcg(y, score, qid, k, spec) == total / len(counted)
    else:
        with pytest.raises(ValueError, match="y has no relevant document in any query"):
            ndcg(y, score, qid, k, spec)


@given(VALUES, st.data())
def test_weighted_mean_is_that_of_exact_sums(values, data):
    weight = data.draw(hnp.arrays(np.float64, len(values), elements=WEIGHTS))
    pairs = [(v, w) for v, w in zip(values.tolist(), weight.tolist(), strict=True) if not math.isnan(v)]
    total = sum((Fraction(w) for _, w in pairs), Fraction(0))
    if total == 0:
        with pytest.raises(ValueError, match="weight is 0 for every counted query"):
            weighted_mean_of_queries(values, weight)
    else:
        # each product is rounded, then the two sums and the quotient
        exact = sum((Fraction(v * w) for v, w in pairs), Fraction(0))
        assert weighted_mean_of_queries(values, weight) == float(exact) / float(total)


@given(st.integers(1, 20).flatmap(lambda n: st.tuples(st.lists(QIDS, min_size=n, max_size=n), st.just(n))), st.data())
def test_the_weight_of_a_query_is_the_mean_of_its_rows(drawn, data):
    qid, n_samples = drawn
    weight = data.draw(hnp.arrays(np.float64, n_samples, elements=WEIGHTS).filter(np.any))
    expected = []
    for query in dict.fromkeys(qid):  # by first appearance
        mine = [Fraction(w) for w, of_row in zip(weight.tolist(), qid, strict=True) if of_row == query]
        expected.append(float(sum(mine, Fraction(0))) / len(mine))
    assert mean_weight_per_query(weight, qid, n_samples).tolist() == expected
    assert mean_weight_per_query(weight, None, n_samples).tolist() == [math.fsum(weight) / n_samples]


def test_weights_and_values_of_a_metric_stand_in_one_order():
    assert mean_weight_per_query(None, [1, 2, 1], 3) is None
    y, score, qid = [0, 1, 1, 0], [2.0, 1.0, 2.0, 1.0], ["late", "late", "early", "early"]
    values = ndcg(y, score, qid, per_query=True)
    weight = mean_weight_per_query([0.0, 0.0, 2.0, 4.0], qid, 4)
    assert weighted_mean_of_queries(values, weight) == values[1] == 1.0
    assert weighted_mean_of_queries(values, None) == ndcg(y, score, qid)


@pytest.mark.parametrize(
    ("mean", "arguments", "message"),
    [
        (weighted_mean_of_queries, ([0.5, 1.0], [1.0]), r"weight has shape \(1,\): .* one weight per query"),
        (weighted_mean_of_queries, ([0.5, 1.0], [1.0, -1.0]), r"weight at row 1 is -1\.0: weights must be"),
        (weighted_mean_of_queries, ([0.5, 1.0], [1.0, math.nan]), "weight at row 1 is nan: weights must be finite"),
        (weighted_mean_of_queries, ([math.nan, 1.0], [1.0, 0.0]), "weight is 0 for every counted query"),
        (weighted_mean_of_queries, ([math.nan], [1.0]), "every query is skipped"),
        (mean_weight_per_query, ([1.0], [1, 1], 2), r"sample_weight has shape \(1,\)"),
        (mean_weight_per_query, ([1.0, -2.0], [1, 1], 2), r"sample_weight at row 1 is -2\.0"),
        (mean_weight_per_query, ([1.0, 2.0], [1], 2), r"qid has shape \(1,\)"),
    ],
)
def test_bad_weights(mean, arguments, message):
    arrays = [np.array(values) if mean is weighted_mean_of_queries else values for values in arguments]
    with pytest.raises(ValueError, match=message):
        mean(*arrays)

"""The types of the metrics, which mypy checks (pyproject.toml): a float, or with `per_query` an array."""

from typing import assert_type

from refrank.arrays import Floats
from refrank.metrics import dcg, err, ndcg

Y, SCORE, QID = [1, 2, 0], [3.0, 2.0, 1.0], [7, 7, 8]


def test_a_mean_is_a_float() -> None:
    values = [
        assert_type(ndcg(Y, SCORE), float),
        assert_type(dcg(Y, SCORE, QID, 3, "yahoo", False), float),
        assert_type(err(Y, SCORE, QID, max_grade=3, per_query=False), float),
    ]
    assert [type(value) for value in values] == [float] * 3


def test_values_per_query_are_an_array() -> None:
    values = [
        assert_type(ndcg(Y, SCORE, QID, per_query=True), Floats),
        assert_type(dcg(Y, SCORE, QID, 3, "yahoo", per_query=True, doc_id=["a", "b", "a"]), Floats),
        assert_type(err(Y, SCORE, QID, max_grade=3, per_query=True), Floats),
    ]
    assert [value.shape for value in values] == [(2,)] * 3

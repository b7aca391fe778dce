"""Sparse features, and columns that hold no numbers: every door of every estimator takes or refuses them."""

import datetime
from functools import partial

import numpy as np
import pytest
from scipy import sparse
from sklearn.base import clone

from refrank import GBRTRanker, M5PRegressor
from refrank.estimators import feature_tables
from refrank.estimators.feature_tables import take_features
from refrank.estimators.registry import RANKERS
from tests.estimators.cases import fit, small

X = np.where(np.random.default_rng(0).random((60, 4)) < 0.6, 0.0, np.arange(240).reshape(60, 4) % 7)
Y = np.arange(60) % 3
KINDS = {name: partial(small, kind) for name, kind in RANKERS.items()} | {"m5p": M5PRegressor}
each = pytest.mark.parametrize("make", KINDS.values(), ids=KINDS)


def list_doors(estimator):
    """The methods that take features."""
    names = ("predict", "staged_predict", "score", "predict_proba", "prepare")
    doors = {"fit": lambda features: fit(clone(estimator), features, Y)}
    for name in names:
        if hasattr(estimator, name):
            more = {"score": (Y,) if isinstance(estimator, M5PRegressor) else (Y, np.zeros(60))}.get(name, ())
            doors[name] = lambda features, name=name, more=more: getattr(estimator, name)(features, *more)
    return doors


def bits(value):
    if isinstance(value, float):
        return value
    if isinstance(value, np.ndarray):
        return value.tobytes()
    return [part.tobytes() for part in value] if hasattr(value, "__next__") else None


@each
def test_a_sparse_matrix_gives_the_bits_of_the_array(make):
    dense, thin = list_doors(fit(make(), X, Y)), list_doors(fit(make(), sparse.csr_array(X), Y))
    for kind in (sparse.csc_matrix, sparse.coo_array):
        for name in dense.keys() - {"fit"}:
            assert bits(thin[name](kind(X))) == bits(dense[name](X)), name


def test_a_sparse_matrix_keeps_float32_and_what_it_stores():
    stored = sparse.csr_array((np.array([np.nan, 0.0, 3.0], np.float32), ([0, 1, 2], [0, 1, 1])), shape=(3, 2))
    dense = take_features(stored)
    assert dense.dtype == np.float32
    np.testing.assert_array_equal(dense, [[np.nan, 0], [0, 0], [0, 3]])
    assert take_features(sparse.csr_array(np.eye(2, dtype=np.int8))).dtype == np.float64


@each
def test_a_matrix_that_memory_does_not_hold_is_refused_with_its_bytes(make, monkeypatch):
    estimator = fit(make(), X, Y)
    monkeypatch.setattr(feature_tables, "count_memory", lambda: 60 * 4 * 8 - 1)
    for name, door in list_doors(estimator).items():
        with pytest.raises(ValueError, match=r"X is sparse, and takes 1920 bytes as the float64 array .* has 1919"):
            list(door(sparse.csr_array(X)) if name == "staged_predict" else [door(sparse.csr_array(X))])


def test_memory_that_there_is_not_is_named():
    huge = sparse.csr_array((2**31 - 1, 2**31 - 1))
    with pytest.raises(ValueError, match=f"takes {8 * (2**31 - 1) ** 2} bytes as the float64 array"):
        GBRTRanker().fit(huge, Y)
    with pytest.raises(ValueError, match="X has 2147483648 rows"):
        take_features(sparse.csr_array((2**31, 2)))

    class Full(sparse.csr_array):
        def toarray(self, *_, **__):
            raise MemoryError

    with pytest.raises(ValueError, match=r"takes 1920 bytes .* there is not as much memory"):
        take_features(Full(X))


DAYS = np.arange(60).astype("datetime64[D]")
OTHERS = {
    "text": np.where(X > 0, "1", "Oslo"),
    "numbers as text": X.astype(str),
    "bytes": X.astype("S"),
    "dates": np.column_stack([DAYS, DAYS]),
    "durations": np.column_stack([DAYS, DAYS]) - DAYS[0],
    "dates as objects": np.array([[1.0, datetime.date(2026, 1, 1)]] * 60, object),
    "stamps as objects": np.array([[1.0, np.datetime64("2026-01-01")]] * 60, object),
    "text as objects": np.array([[1.0, "Oslo"]] * 60, object),
    "a list": [[1.0, "Oslo"]] * 60,
}


@pytest.mark.parametrize("name", OTHERS)
@each
def test_what_holds_no_numbers_is_refused_at_every_door(make, name):
    kind = "dates" if name[:4] in ("date", "dura", "stam") else "text"
    column = 1 if "objects" in name or name == "a list" else 0
    recipe = r"astype\('datetime64\[D\]'\)" if kind == "dates" else "OneHotEncoder"
    estimator = fit(make(), X[:, :2], Y)
    for place, door in list_doors(estimator).items():
        with pytest.raises(
            ValueError, match=f"X at column {column} holds {kind}: a feature must be a number; .*{recipe}"
        ):
            list(door(OTHERS[name]) if place == "staged_predict" else [door(OTHERS[name])])


def test_columns_of_a_dataframe_are_named():
    pandas = pytest.importorskip("pandas")
    ranker = GBRTRanker(n_rounds=2)
    table = pandas.DataFrame({"qid": [f"q{i // 6}" for i in range(60)], "a": X[:, 0], "b": X[:, 1] > 0, "c": X[:, 2]})
    numbers = np.column_stack([X[:, 0], X[:, 1] > 0, X[:, 2]])
    expected = ranker.fit(numbers, Y).predict(numbers)
    assert ranker.fit(table, Y).n_queries_ == 10
    assert (ranker.predict(table) == expected).all()
    assert ranker.fit(table.astype({"a": "Int64", "b": "boolean"}), Y).predict(table).tolist() == expected.tolist()
    days = pandas.Series(DAYS.astype("M8[s]"))
    others = {
        "text": [table["qid"].astype(kind) for kind in ("object", "string", "category")],
        "dates": [days, days.dt.tz_localize("UTC"), days - days[0], days.dt.to_period("D"), days.dt.date],
    }
    others["text"].append(table["a"].astype("category"))
    for kind, columns in others.items():
        for values in columns:
            for door in (ranker.predict, ranker.prepare, lambda table: clone(ranker).fit(table, Y)):
                with pytest.raises(ValueError, match=rf"X at column 1 \('b'\) holds {kind}: .*(\['b'\]|X\['b'\])"):
                    door(table.assign(b=values))
    ids = table["qid"].astype("string")
    ids[3] = None
    with pytest.raises(ValueError, match="qid at row 3"):
        ranker.fit(table.assign(qid=ids), Y)


def test_columns_of_polars_are_named():
    polars = pytest.importorskip("polars")
    table = polars.DataFrame({"qid": [f"q{i // 6}" for i in range(60)], "a": X[:, 0], "b": X[:, 1]})
    ranker = GBRTRanker(n_rounds=2).fit(table, Y)
    assert ranker.n_queries_ == 10
    assert ranker.predict(table).tolist() == GBRTRanker(n_rounds=2).fit(X[:, :2], Y).predict(X[:, :2]).tolist()
    others = {"text": ["qid"], "dates": [DAYS.tolist()]}
    for kind, [values] in others.items():
        column = table["qid"] if values == "qid" else polars.Series(values)
        for other in (column, column.cast(polars.Categorical)) if kind == "text" else (column,):
            with pytest.raises(ValueError, match=rf"X at column 1 \('b'\) holds {kind}"):
                ranker.fit(table.with_columns(other.alias("b")), Y)

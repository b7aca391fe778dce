"""Query ids in a column of X, and what a ranker does where it gets none: the right number, a refusal or a warning."""

import warnings
from functools import partial

import numpy as np
import pytest
from sklearn.inspection import permutation_importance
from sklearn.linear_model import LinearRegression
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score, cross_validate, learning_curve
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import FunctionTransformer

from refrank import COCRRanker, GBRTRanker, LambdaRanker, LSBoostRanker
from refrank.datasets import cubic_polynomial
from refrank.metrics import one_query
from refrank.metrics.one_query import OneQueryWarning
from tests.estimators.cases import fit, rankers, small

DATA = cubic_polynomial(n_queries=30, n_docs=20, n_features=4, n_reference=2000)
QID = (DATA.qid * 7) % 31  # in no order
FOLDS = GroupKFold(n_splits=3)
RANKER = GBRTRanker(n_rounds=5, max_depth=3)


class Table:
    """A table as small as scikit-learn and refrank can use: columns by name, rows by number."""

    def __init__(self, columns):
        self.held = columns
        self.columns = [*columns]
        self.shape = len(next(iter(columns.values()))), len(columns)
        self.iloc = self

    def __len__(self):
        return self.shape[0]

    def __getitem__(self, names):
        return Table({name: self.held[name] for name in names}) if isinstance(names, list) else self.held[names]

    def take(self, rows, axis=0):
        return Table({name: values[rows] for name, values in self.held.items()})

    def copy(self):
        return Table({name: values.copy() for name, values in self.held.items()})

    def __array__(self, dtype=None, copy=None):
        return np.column_stack([*self.held.values()]).astype(dtype)


def make_table(kind, qid=QID, X=DATA.X):
    """The features and, unless it is None, the ids between two of them."""
    columns = {f"x{f}": values for f, values in enumerate(X.T)}
    columns = dict([*columns.items()][:2]) | ({} if qid is None else {"qid": qid}) | dict([*columns.items()][2:])
    return Table(columns) if kind == "stand-in" else pytest.importorskip(kind).DataFrame(columns)


tables = pytest.mark.parametrize("make", [partial(make_table, kind) for kind in ("stand-in", "pandas")], ids=["t", "p"])


def dcg(labels):
    return sum((2 ** int(label) - 1) / np.log2(place + 2) for place, label in enumerate(labels[:10]))


def rank_by_hand(scores, y=DATA.y, qid=QID):
    """The mean of the NDCG@10 of each query, from the definition; 0 where no document is relevant."""
    values = []
    for query in dict.fromkeys(qid.tolist()):
        rows = [row for row in range(len(y)) if qid[row] == query]
        ranked = sorted(rows, key=lambda row: -scores[row])
        best = dcg(sorted(y[rows].tolist(), reverse=True))
        values.append(dcg(y[ranked]) / best if best else 0.0)
    return sum(values) / len(values)


def score_folds_by_hand(ranker=RANKER):
    """The score of each fold, with arrays and ids."""
    return [
        rank_by_hand(
            ranker.fit(DATA.X[train], DATA.y[train], QID[train]).predict(DATA.X[test]), DATA.y[test], QID[test]
        )
        for train, test in FOLDS.split(DATA.X, DATA.y, QID)
    ]


@tables
def test_the_recipe_that_everybody_types_gives_the_score_per_query(make):
    expected = score_folds_by_hand()
    table = make()
    words = (RANKER, table, DATA.y)
    assert cross_val_score(*words, groups=QID, cv=FOLDS) == pytest.approx(expected, rel=1e-12)
    assert cross_validate(*words, groups=QID, cv=FOLDS)["test_score"] == pytest.approx(expected, rel=1e-12)
    search = GridSearchCV(RANKER, {"n_rounds": [2, 5]}, cv=FOLDS).fit(table, DATA.y, groups=QID)
    assert search.cv_results_["mean_test_score"][1] == pytest.approx(np.mean(expected), rel=1e-12)
    assert search.score(table, DATA.y) == pytest.approx(rank_by_hand(search.predict(table)), rel=1e-12)
    _, _, scores = learning_curve(*words, groups=QID, cv=FOLDS, train_sizes=[1.0])
    assert scores[0] == pytest.approx(expected, rel=1e-12)
    kept = make_pipeline(FunctionTransformer(), RANKER)
    assert cross_val_score(kept, table, DATA.y, groups=QID, cv=FOLDS) == pytest.approx(expected, rel=1e-12)


def test_the_importance_of_a_feature_is_counted_per_query():
    table = make_table("pandas")
    ranker = RANKER.fit(table, DATA.y)
    found = permutation_importance(ranker, table, DATA.y, n_repeats=1, random_state=0, max_samples=1.0)
    rng = np.random.RandomState(np.random.RandomState(0).randint(np.iinfo(np.int32).max + 1))
    order = rng.permutation(len(table))  # as scikit-learn shuffles the first column
    shuffled = np.column_stack([DATA.X[order, 0], DATA.X[:, 1:]])
    ranker = RANKER.fit(DATA.X, DATA.y, QID)
    lost = rank_by_hand(ranker.predict(DATA.X)) - rank_by_hand(ranker.predict(shuffled))
    assert found.importances_mean[0] == pytest.approx(lost, rel=1e-9)


@tables
@rankers
def test_a_column_of_ids_is_no_feature_and_the_ids_of_the_rows(make, Ranker):
    table, without = make(), make(None)
    ranker, plain = small(Ranker).fit(table, DATA.y), fit(small(Ranker), DATA.X, DATA.y, QID)
    assert (ranker.n_queries_, ranker.n_features_in_) == (30, 4)
    for rows in (table, without):
        assert np.array_equal(ranker.predict(rows), plain.predict(DATA.X))
    assert ranker.score(table, DATA.y) == plain.score(DATA.X, DATA.y, QID)
    assert ranker.score(without, DATA.y, QID) == plain.score(DATA.X, DATA.y, QID)
    for name in ("predict_proba", "predict_cumulative_proba", "decision_function", "predict_rank"):
        if hasattr(ranker, name) and getattr(ranker, "setting", "") != "regression":
            assert np.array_equal(getattr(ranker, name)(table), getattr(plain, name)(DATA.X))
    for ids in (QID, QID.tolist()):
        with pytest.raises(ValueError, match=r"^qid is given twice: as an argument, and as the column 'qid' of X"):
            small(Ranker).fit(table, DATA.y, ids)
        with pytest.raises(ValueError, match=r"^qid is given twice"):
            ranker.score(table, DATA.y, ids)


@tables
def test_the_validation_set_of_a_net_may_have_the_column(make):
    small = {"hidden": 2, "n_epochs": 3}
    table = LambdaRanker(**small).fit(make(), DATA.y, X_val=make(), y_val=DATA.y)
    arrays = LambdaRanker(**small).fit(DATA.X, DATA.y, QID, X_val=DATA.X, y_val=DATA.y, qid_val=QID)
    assert np.array_equal(table.history_, arrays.history_)
    with pytest.raises(ValueError, match=r"^qid_val is given twice"):
        LambdaRanker(**small).fit(make(), DATA.y, X_val=make(), y_val=DATA.y, qid_val=QID)


def test_ids_of_any_type_may_be_in_the_column():
    pandas = pytest.importorskip("pandas")
    named = pandas.Series([f"query {q}" for q in QID])
    for ids in (named, named.astype("category"), pandas.Series(QID, dtype="Int64"), pandas.Series(QID / 7)):
        table = make_table("pandas", ids)
        assert RANKER.fit(table, DATA.y).score(table, DATA.y) == RANKER.score(make_table("pandas"), DATA.y)
    for hole in (pandas.NA, np.nan):
        ids = pandas.Series([*QID[:-1].tolist(), hole], dtype=object)
        with pytest.raises(ValueError, match=r"qid at row 599 is .*a query id must be hashable and not NaN"):
            RANKER.fit(make_table("pandas", ids), DATA.y)


# Without ids


@pytest.mark.parametrize("ranker", [RANKER, COCRRanker(LinearRegression())], ids=["gbrt", "cocr"])
def test_many_rows_without_ids_are_warned_of(ranker):
    n = one_query.MOST_ROWS
    ranker.fit(DATA.X, DATA.y)
    recipe = r"more than 200 rows are taken as one query\..*DataFrame with a column qid.*set_score_request\(qid=True\)"
    with pytest.warns(OneQueryWarning, match=recipe) as seen:
        ranker.score(DATA.X, DATA.y)
    assert [warning.filename for warning in seen] == [__file__]
    for fitted, scored in ((n, n + 1), (n + 1, n)):
        ranker.fit(DATA.X[:fitted], DATA.y[:fitted])
        with pytest.warns(OneQueryWarning):
            ranker.score(DATA.X[:scored], DATA.y[:scored])
        ranker.score(DATA.X[:scored], DATA.y[:scored], np.zeros(scored))  # an unexpected warning is an error
    for qid in (None, np.zeros(600)):  # one query that is small, or that is said to be one
        ranker.fit(DATA.X[: n if qid is None else 600], DATA.y[: n if qid is None else 600], qid)
        ranker.score(DATA.X[:n], DATA.y[:n])


def test_a_net_that_learns_from_pairs_of_many_rows_without_ids_is_warned_of():
    n = one_query.MOST_ROWS
    net = LambdaRanker(hidden=2, n_epochs=1)
    with pytest.warns(OneQueryWarning, match=r"^fit got no qid, and compares documents of a query: more than 200 rows"):
        net.fit(DATA.X[: n + 1], DATA.y[: n + 1])
    for rows, qid in ((n, None), (n + 1, np.zeros(n + 1)), (600, QID)):
        net.fit(DATA.X[:rows], DATA.y[:rows], qid)  # an unexpected warning is an error
    with pytest.warns(OneQueryWarning, match=r"^fit got no qid_val") as seen:
        net.fit(DATA.X, DATA.y, QID, X_val=DATA.X, y_val=DATA.y)
    assert [warning.filename for warning in seen] == [__file__]


def test_the_recipe_on_arrays_without_ids_is_warned_of_once(monkeypatch):
    """Under Python's own filters, although scikit-learn changes them for each fold."""
    monkeypatch.setattr(one_query, "SHOWN", set())
    with warnings.catch_warnings(record=True) as seen:
        warnings.resetwarnings()
        for _ in range(2):
            cross_val_score(LSBoostRanker(n_rounds=1), DATA.X[:, :2], DATA.y, groups=QID, cv=GroupKFold(n_splits=2))
    assert [warning.category for warning in seen if "qid" in str(warning.message)] == [OneQueryWarning]


def test_an_error_that_the_warning_is_turned_into_leaves_no_number():
    with warnings.catch_warnings():
        warnings.simplefilter("error", OneQueryWarning)
        with pytest.raises(OneQueryWarning):
            cross_val_score(RANKER, DATA.X, DATA.y, groups=QID, cv=GroupKFold(n_splits=2), error_score="raise")

"""`refrank.estimators`: what a user of scikit-learn expects, and what bad input is told."""

import pickle
import re

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy import sparse
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from refrank import LADBoostRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.estimators import mcrank
from refrank.estimators.checks import check_finite
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.metrics import ndcg
from refrank.tree import Tree
from tests.strategies import SEEDS, RankingCase, qids, ranking_cases, rng_of, weights

RANKERS = [SoftmaxBoostRanker, OrdinalBoostRanker, LSBoostRanker, LADBoostRanker]
CLASS_RANKERS = RANKERS[:2]
rankers = pytest.mark.parametrize("Ranker", RANKERS)
class_rankers = pytest.mark.parametrize("Ranker", CLASS_RANKERS)
updates = pytest.mark.parametrize("update", ["sequential", "simultaneous"])


def small(Ranker, **changed):
    return Ranker(**{"n_rounds": 3, "n_leaves": 4, "learning_rate": 0.1, "n_threads": 1, **changed})


def data(n_samples=60, n_classes=4, seed=0, dtype=np.float64):
    """Labels that follow the features; twelve queries, in mixed order."""
    rng = rng_of(seed)
    X = rng.normal(size=(n_samples, 5)).astype(dtype)
    y = np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 1), 0, n_classes - 1).astype(np.int64)
    return X, y, rng.integers(0, 12, n_samples)


# --- scikit-learn's own rules ----------------------------------------------------------------------------------------

EXCEPTIONS = {
    "check_sample_weight_equivalence_on_dense_data": (
        "a row of weight 0 has no say in any sum, but its feature values are binned with the others: where they are "
        "new, cuts lie elsewhere than without the row (test_rows_of_weight_zero_are_not_there has what does hold)"
    ),
}


@parametrize_with_checks([small(Ranker) for Ranker in RANKERS], expected_failed_checks=lambda ranker: EXCEPTIONS)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@rankers
def test_clone_and_pickle_keep_parameters_and_every_bit_of_a_model(Ranker):
    X, y, qid = data()
    ranker = small(Ranker, min_samples_leaf=2, n_bins=300, growth=1.5).fit(X, y, qid)
    copy = clone(ranker)
    assert copy.get_params() == ranker.get_params()
    assert not hasattr(copy, "model_")
    again = pickle.loads(pickle.dumps(ranker))
    assert again.predict(X).tobytes() == ranker.predict(X).tobytes() == copy.fit(X, y).predict(X).tobytes()


@rankers
def test_a_pipeline_trains_and_scores(Ranker):
    X, y, _ = data()
    pipeline = make_pipeline(StandardScaler(), small(Ranker)).fit(X, y)
    alone = small(Ranker).fit(StandardScaler().fit_transform(X), y)
    assert pipeline.predict(X).tobytes() == alone.predict(StandardScaler().fit_transform(X)).tobytes()
    assert pipeline.score(X, y) == ndcg(y, pipeline.predict(X))


@rankers
def test_a_grid_search_keeps_queries_together_and_scores_by_query(Ranker):
    X, y, qid = data(120)
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = small(Ranker).set_fit_request(qid=True, sample_weight=False).set_score_request(qid=True)
        folds = GroupKFold(3)
        search = GridSearchCV(ranker, {"n_rounds": [1, 8]}, cv=folds.set_split_request(groups=True), refit=True)
        search.fit(X, y, qid=qid, groups=qid)
        by_hand = []
        for train, test in GroupKFold(3).split(X, y, qid):
            fitted = small(Ranker, n_rounds=8).fit(X[train], y[train], qid[train])
            by_hand.append(ndcg(y[test], fitted.predict(X[test]), qid[test]))
    found = [search.cv_results_[f"split{i}_test_score"][1] for i in range(3)]
    assert found == by_hand


@rankers
def test_cross_validation_without_routing(Ranker):
    X, y, qid = data(90)
    assert len(cross_val_score(small(Ranker), X, y, groups=qid, cv=GroupKFold(3))) == 3


# --- what predictions are --------------------------------------------------------------------------------------------


@rankers
def test_score_is_the_mean_ndcg_at_10_of_the_predictions(Ranker):
    X, y, qid = data()
    ranker = small(Ranker).fit(X, y, qid)
    assert ranker.score(X, y, qid) == ndcg(y, ranker.predict(X), qid, k=10)
    assert ranker.score(X, y) == ndcg(y, ranker.predict(X), k=10)
    assert ranker.score(X, y, qid) != ranker.score(X, y)
    assert type(ranker.score(X, y)) is float


@rankers
@updates
def test_staged_predictions_are_those_of_shorter_models(Ranker, update):
    X, y, _ = data()
    ranker = small(Ranker, update=update).fit(X, y)
    staged = list(ranker.staged_predict(X))
    assert len(staged) == ranker.n_rounds_ == 3
    assert staged[-1].tobytes() == ranker.predict(X).tobytes()
    for m, scores in enumerate(staged, start=1):
        assert scores.tobytes() == small(Ranker, update=update, n_rounds=m).fit(X, y).predict(X).tobytes()


@class_rankers
@updates
def test_class_probabilities_give_the_scores(Ranker, update):
    X, y, _ = data()
    ranker = small(Ranker, update=update, relevance="2^k-1").fit(X, y)
    proba = ranker.predict_proba(X)
    assert proba.shape == (60, 4)
    assert ranker.relevance_.tolist() == [0.0, 1.0, 3.0, 7.0]
    assert ranker.predict(X).tobytes() == expected_relevance(proba, ranker.relevance_).tobytes()
    np.testing.assert_allclose(proba.sum(axis=1), 1.0, rtol=0, atol=1e-15 * 4)  # four roundings


def test_the_choices_of_a_transform_change_the_scores():
    X, y, _ = data()
    by_table = {str(t): small(SoftmaxBoostRanker, relevance=t).fit(X, y).predict(X).tolist() for t in ("k", "2^k")}
    assert by_table["k"] != by_table["2^k"]
    doubled = small(SoftmaxBoostRanker, relevance=[0, 2, 4, 6]).fit(X, y).predict(X)
    assert doubled.tolist() == [2 * s for s in by_table["k"]]
    ls = small(LSBoostRanker).fit(X, y)
    assert ls.target_.tolist() == [0.0, 1.0, 3.0, 7.0]
    assert ls.predict(X).tolist() == small(LSBoostRanker, target=lambda k: 2.0**k - 1).fit(X, y).predict(X).tolist()
    assert ls.predict(X).tolist() != small(LSBoostRanker, target="k").fit(X, y).predict(X).tolist()


@class_rankers
def test_the_choice_of_update_is_made(Ranker):
    X, y, _ = data()
    one, other = (small(Ranker, update=update).fit(X, y).predict(X).tolist() for update in mcrank.SOFTMAX)
    assert one != other


def test_ls_boosting_has_one_tree_a_round_so_both_updates_are_one():
    X, y, _ = data()
    one, other = (small(LSBoostRanker, update=update).fit(X, y).predict(X).tobytes() for update in mcrank.SOFTMAX)
    assert one == other


def test_simultaneous_ordinal_boosting_grows_half_the_trees():
    X, y, _ = data()
    one, two = (small(OrdinalBoostRanker, update=u).fit(X, y).model_ for u in ("simultaneous", "sequential"))
    assert [len(trees) for trees in one.rounds[0]] == [1, 1, 1]
    assert [len(trees) for trees in two.rounds[0]] == [2, 2, 2]


# --- what changes no bit ---------------------------------------------------------------------------------------------


@rankers
@settings(max_examples=15)
@given(case=ranking_cases(), seed=SEEDS, drawn=st.data())
def test_ids_threads_types_and_the_order_of_rows_change_no_bit(Ranker, case: RankingCase, seed, drawn):
    rows = rng_of(seed).permutation(len(case.y))
    qid = drawn.draw(qids(len(case.y)))
    weight = drawn.draw(weights(len(case.y), ("none", "whole", "with zeros", "any")))
    plain = small(Ranker, n_classes=case.n_classes).fit(case.X, case.y, sample_weight=weight)
    other = small(Ranker, n_classes=case.n_classes, n_threads=3).fit(
        np.asfortranarray(case.X[rows].astype(np.float64)),
        case.y[rows].astype(np.float32).tolist(),
        [qid[i] for i in rows],
        sample_weight=None if weight is None else weight[rows],
    )
    assert plain.predict(case.X).tobytes() == other.predict(case.X).tobytes()
    other.score(case.X, case.y, qid)


@rankers
def test_parameters_and_input_are_left_alone(Ranker):
    X, y, qid = data(dtype=np.float32)
    before = X.copy(), y.copy(), qid.copy()
    ranker = small(Ranker)
    parameters = ranker.get_params()
    assert ranker.fit(X, y, qid) is ranker
    ranker.predict(X)
    assert ranker.get_params() == parameters
    for array, was in zip((X, y, qid), before, strict=True):
        np.testing.assert_array_equal(array, was, strict=True)


@rankers
def test_read_only_input_is_taken(Ranker):
    X, y, _ = data(dtype=np.float32)
    for array in (X, y):
        array.flags.writeable = False
    small(Ranker).fit(X, y).predict(X)


# --- edges that work -------------------------------------------------------------------------------------------------


@rankers
@updates
def test_an_empty_class_at_every_place(Ranker, update):
    X, y, _ = data(n_classes=5)
    for missing in range(5):
        kept = y != missing
        ranker = small(Ranker, update=update, n_classes=6).fit(X[kept], y[kept])
        assert ranker.n_classes_ == 6
        assert np.isfinite(ranker.predict(X)).all()


@rankers
def test_constant_features_give_one_score(Ranker):
    y = np.array([0, 1, 2, 1])
    scores = small(Ranker).fit(np.ones((4, 3)), y).predict(np.ones((2, 3)))
    assert scores[0] == scores[1]
    assert np.isfinite(scores).all()


@rankers
def test_numbers_of_other_types_and_few_rows_are_taken(Ranker):
    for y in ([False, True, True], np.array([0, 2, 1], np.uint8), [0.0, 1.0, 1.0], np.array([0, 1, 1], np.float16)):
        assert small(Ranker).fit([[0], [1], [2]], y).predict(np.array([[0], [1]], np.int8)).shape == (2,)


@rankers
def test_one_document_queries_and_queries_without_relevant_documents(Ranker):
    X, y, _ = data()
    ranker = small(Ranker).fit(X, y, np.arange(60))
    assert ranker.score(X, y, np.arange(60)) == np.mean(y > 0)  # each query of one relevant document is perfect
    assert ranker.score(X, np.zeros(60, int), np.arange(60) // 2) == 0.0


@pytest.mark.parametrize("Ranker", [LSBoostRanker, LADBoostRanker, SoftmaxBoostRanker])
@pytest.mark.parametrize("least", [1, 20])
def test_min_samples_leaf_reaches_the_trees(Ranker, least):
    X, y, qid = data()
    first = small(Ranker, n_rounds=1, min_samples_leaf=least).fit(X, y, qid).model_.rounds[0]
    tree = first if isinstance(first, Tree) else first[0]
    rows = [np.full(len(X), True)]  # the rows that come to each node, a parent before its children
    rows += [np.full(len(X), False)] * (len(tree.feature) - 1)
    for node in np.flatnonzero(tree.feature >= 0):
        left = X[:, tree.feature[node]] < tree.cut[node]
        rows[tree.left[node]], rows[tree.right[node]] = rows[node] & left, rows[node] & ~left
    fewest = min(int(rows[leaf].sum()) for leaf in np.flatnonzero(tree.feature < 0))
    assert fewest >= least
    assert (fewest < 20) == (least == 1)


@rankers
def test_more_leaves_than_rows(Ranker):
    assert len(small(Ranker, n_leaves=100, min_samples_leaf=50).fit([[0.0], [1.0]], [0, 1]).predict([[0.5]])) == 1


@rankers
def test_an_interrupt_keeps_the_rounds_done(Ranker, monkeypatch):
    X, y, _ = data()
    whole = small(Ranker, n_rounds=5).fit(X, y)

    def interrupted(turns, *args, **kwargs):
        for number, trees in enumerate(turns):
            if number == 3:
                raise KeyboardInterrupt
            yield trees

    monkeypatch.setattr(mcrank, "tqdm", interrupted)
    ranker = small(Ranker, n_rounds=5)
    with pytest.raises(KeyboardInterrupt):
        ranker.fit(X, y)
    assert ranker.n_rounds_ == 3
    assert ranker.predict(X).tobytes() == list(whole.staged_predict(X))[2].tobytes()


@rankers
@pytest.mark.parametrize("failure", ["interrupt", "labels"])
def test_a_second_fit_that_fails_leaves_no_model_of_the_first(Ranker, failure, monkeypatch):
    """The trees of the first fit would read columns that the second fit's data do not have."""
    X, y, _ = data()
    ranker = small(Ranker).fit(X, y)

    def interrupted(*args, **kwargs):
        raise KeyboardInterrupt

    if failure == "interrupt":
        monkeypatch.setattr(mcrank, "tqdm", interrupted)
    with pytest.raises((KeyboardInterrupt, ValueError)):
        ranker.fit(X[:, :2], y if failure == "interrupt" else -y)
    with pytest.raises(NotFittedError):
        ranker.predict(X[:, :2])


@pytest.mark.filterwarnings("ignore:overflow encountered in multiply:RuntimeWarning")
def test_products_of_weight_and_target_beyond_float64_are_refused():
    X, y, _ = data()
    with pytest.raises(ValueError, match=r"summed over rows is inf at row \d+: it must be finite"):
        small(LSBoostRanker, target=[0.0, 1e200, 2e200, 3e200]).fit(X, y, sample_weight=np.full(60, 1e150))


@rankers
def test_no_output_unless_asked(Ranker, capfd):
    X, y, _ = data()
    small(Ranker, verbose=1).fit(X, y)  # standard error is no terminal here
    assert capfd.readouterr() == ("", "")


# --- bad input -------------------------------------------------------------------------------------------------------


def changed(array, place, value):
    array = np.array(array, dtype=np.float64)
    array[place] = value
    return array


X_GOOD, Y_GOOD, QID_GOOD = data()
BAD_FITS = [
    ({"X": changed(X_GOOD, (7, 2), np.nan)}, "X at row 7, column 2 is NaN: every feature must be finite"),
    ({"X": changed(X_GOOD, (59, 4), -np.inf)}, "X at row 59, column 4 is -inf: every feature must be finite"),
    ({"y": changed(Y_GOOD, 5, -1)}, "y at row 5 is -1.0: labels must be integers of at least 0"),
    ({"y": changed(Y_GOOD, 8, 0.5)}, "y at row 8 is 0.5: labels must be integers of at least 0"),
    ({"y": Y_GOOD * 0 + 2}, "y is 2 in every row (60 sample(s)): a ranker needs labels of at least two classes"),
    ({"y": Y_GOOD.astype(str)}, "labels must be integers of at least 0"),
    ({"y": Y_GOOD[:-1]}, "inconsistent numbers of samples: [60, 59]"),
    ({"X": np.empty((0, 5)), "y": []}, "Found array with 0 sample(s) (shape=(0, 5)) while a minimum of 1 is required"),
    ({"X": X_GOOD[:, :0]}, "0 feature(s) (shape=(60, 0)) while a minimum of 1 is required"),
    ({"qid": QID_GOOD[:-1]}, "qid has 59 entries, y has 60: qid must be one id a document"),
    ({"qid": [20, 30, 10]}, "they look like group sizes; qid is one id a document: np.repeat(np.arange(len(sizes))"),
    ({"sample_weight": np.ones(59)}, "sample_weight has shape (59,): X has 60 rows, and each needs one weight"),
    (
        {"sample_weight": changed(np.ones(60), 3, -0.5)},
        "sample_weight at row 3 is -0.5: weights must be finite and not",
    ),
    ({"sample_weight": changed(np.ones(60), 9, np.nan)}, "sample_weight at row 9 is nan: weights must be finite"),
    ({"sample_weight": np.zeros(60)}, "sample_weight is zero in every row: some row must count"),
    ({"sample_weight": np.full(60, 1e307)}, "sample_weight adds up to more than the largest float64"),
]


@rankers
@pytest.mark.parametrize(("arguments", "message"), BAD_FITS, ids=[message[:40] for _, message in BAD_FITS])
def test_bad_data_is_named(Ranker, arguments, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        small(Ranker).fit(**{"X": X_GOOD, "y": Y_GOOD, **arguments})


BAD_PARAMETERS = [
    ({"n_leaves": 1}, "n_leaves is 1: it must be a whole number of at least 2"),
    ({"n_leaves": 2.5}, "n_leaves is 2.5: it must be a whole number of at least 2"),
    ({"n_rounds": 0}, "n_rounds is 0: it must be a whole number of at least 1"),
    ({"min_samples_leaf": True}, "min_samples_leaf is True: it must be a whole number of at least 1"),
    ({"n_bins": 1}, "n_bins is 1: it must be a whole number of at least 2"),
    ({"n_bins": 65537}, "n_bins is 65537: it must lie between 2 and 65536"),
    ({"growth": 1.0}, "growth is 1.0: the bin length must grow by a finite factor of at least 1.001"),
    ({"learning_rate": 0.0}, "learning_rate is 0.0: it must lie above 0 and be at most 1"),
    ({"learning_rate": 1.01}, "learning_rate is 1.01: it must lie above 0 and be at most 1"),
    ({"learning_rate": np.nan}, "learning_rate is nan: it must lie above 0 and be at most 1"),
    ({"learning_rate": "fast"}, "learning_rate is 'fast': it must lie above 0 and be at most 1"),
    ({"update": "both"}, "update is 'both': it must be one of 'sequential', 'simultaneous'"),
    ({"n_classes": 3}, "is 3: labels must be integers from 0 to n_classes - 1 = 2"),
    ({"n_classes": 1}, "n_classes is 1: it must be a whole number of at least 2"),
    ({"n_threads": 0}, "n_threads is 0: it must be a whole number of at least 1"),
]


@rankers
@pytest.mark.parametrize(("parameters", "message"), BAD_PARAMETERS, ids=[message[:30] for _, message in BAD_PARAMETERS])
def test_bad_parameters_are_named(Ranker, parameters, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        small(Ranker, **parameters).fit(X_GOOD, Y_GOOD)


@class_rankers
def test_a_relevance_that_does_not_increase_is_refused(Ranker):
    with pytest.raises(ValueError, match=r"relevance must increase, but goes from 5.0 at class 2 to 4.0 at class 3"):
        small(Ranker, relevance=[0, 1, 5, 4]).fit(X_GOOD, Y_GOOD)


@rankers
def test_bad_data_to_predict_are_named(Ranker):
    ranker = small(Ranker).fit(X_GOOD, Y_GOOD)
    with pytest.raises(ValueError, match="X at row 1, column 0 is NaN: every feature must be finite"):
        ranker.predict(changed(X_GOOD, (1, 0), np.nan))
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 5 features as input"):
        ranker.predict(X_GOOD[:, :4])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        ranker.predict(sparse.csr_array(X_GOOD))


def test_names_of_columns_stand_in_messages():
    """scikit-learn takes them from pandas and polars tables; neither is needed for refrank."""
    names = ["bm25", "length", "links", "age", "clicks"]
    with pytest.raises(ValueError, match=r"X at row 3, column 1 \(length\) is NaN: every feature must be finite"):
        check_finite(changed(X_GOOD, (3, 1), np.nan), names)


@rankers
def test_a_ranker_that_is_not_fitted_says_so(Ranker):
    for method in ("predict", "predict_proba"):
        if hasattr(Ranker, method):
            with pytest.raises(NotFittedError):
                getattr(small(Ranker), method)(X_GOOD)
    with pytest.raises(NotFittedError):
        next(small(Ranker).staged_predict(X_GOOD))

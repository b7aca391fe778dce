"""`refrank.estimators`: what a user of scikit-learn expects, what predictions are, and what changes no bit."""

import pickle

import numpy as np
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from refrank import LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.estimators import mcrank
from refrank.mcrank.expected_relevance import expected_relevance
from refrank.metrics import ndcg
from tests.estimators.boosters import RANKERS, class_rankers, data, rankers, small, updates
from tests.strategies import SEEDS, RankingCase, qids, ranking_cases, rng_of, weights

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

"""The three rankers of iGBRT: scikit-learn's rules, predictions, bad input."""

import pickle
import re
from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.exceptions import NotFittedError
from sklearn.utils.estimator_checks import parametrize_with_checks

from refrank import GBRTRanker, IGBRTRanker, RandomForestRanker
from refrank.estimators import tree_ranker
from refrank.estimators.igbrt import n_candidates
from refrank.metrics import ndcg
from refrank.trees.draws import draw
from tests.strategies import SEEDS, rng_of

SMALL = {RandomForestRanker: {"n_trees": 4}, GBRTRanker: {"n_rounds": 4}, IGBRTRanker: {"n_trees": 4, "n_rounds": 3}}
RANKERS = [*SMALL]
rankers = pytest.mark.parametrize("Ranker", RANKERS)
forests = pytest.mark.parametrize("Ranker", [RandomForestRanker, IGBRTRanker])
boosters = pytest.mark.parametrize("Ranker", [GBRTRanker, IGBRTRanker])
settings_ = pytest.mark.parametrize("setting", ["regression", "classification"])


def small(Ranker, **changed):
    return Ranker(**{"n_threads": 1, **SMALL[Ranker], **changed})


def data(n_samples=80, seed=0):
    rng = rng_of(seed)
    X = rng.normal(size=(n_samples, 6))
    y = np.clip(np.rint(X[:, 0] + X[:, 1] * X[:, 2] + 1), 0, 4).astype(np.int64)
    return X, y, rng.integers(0, 12, n_samples)


# --- scikit-learn's own rules ----------------------------------------------------------------------------------------

EQUIVALENCE = "check_sample_weight_equivalence_on_dense_data"


def exceptions(ranker) -> dict[str, str]:
    """Where scikit-learn asks for what cannot hold, and why."""
    if isinstance(ranker, GBRTRanker):
        return {EQUIVALENCE: "a row of weight 0 has no say in any sum, but its values are binned with the others"}
    return {EQUIVALENCE: "rows of a bootstrap are drawn by their number: without or with twice a row, others are drawn"}


@parametrize_with_checks(
    [small(Ranker, setting=setting) for Ranker in RANKERS for setting in ("regression", "classification")],
    expected_failed_checks=exceptions,
)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


def test_defaults_are_those_of_the_paper():
    """K = 0.1 f, d = 4, M_RF = 1000 of Sec. 7's two, alpha = 0.1; F starts at 0; regression, and NaN an error."""
    forest, boosted, both = RandomForestRanker(), GBRTRanker(), IGBRTRanker()
    assert (forest.n_trees, forest.max_features) == (both.n_trees, both.max_features) == (1000, 0.1)
    assert (boosted.max_depth, boosted.learning_rate) == (both.max_depth, both.learning_rate) == (4, 0.1)
    assert (boosted.n_rounds, both.n_rounds, boosted.initial) == (1000, 500, "zero")
    assert {ranker.setting for ranker in (forest, boosted, both)} == {"regression"}
    assert {ranker.missing for ranker in (forest, boosted, both)} == {None}


@rankers
@settings_
def test_clone_and_pickle_keep_parameters_and_every_bit_of_a_model(Ranker, setting):
    X, y, qid = data()
    ranker = small(Ranker, setting=setting, min_samples_leaf=2, n_bins=300, missing="inf").fit(X, y, qid)
    copy = clone(ranker)
    assert not hasattr(copy, "models_")
    again = pickle.loads(pickle.dumps(ranker))
    assert again.predict(X).tobytes() == ranker.predict(X).tobytes() == copy.fit(X, y).predict(X).tobytes()


@rankers
@settings_
def test_staged_predictions_are_those_of_shorter_models(Ranker, setting):
    X, y, _ = data()
    size = "n_rounds" if Ranker is not RandomForestRanker else "n_trees"
    ranker = small(Ranker, setting=setting).fit(X, y)
    staged = list(ranker.staged_predict(X))
    assert len(staged) == getattr(ranker, size)
    assert staged[-1].tobytes() == ranker.predict(X).tobytes()
    for m, scores in enumerate(staged, start=1):
        assert scores.tobytes() == small(Ranker, setting=setting, **{size: m}).fit(X, y).predict(X).tobytes()


@rankers
@settings_
def test_importances_are_shares_of_the_total_gain(Ranker, setting):
    X, y, _ = data()
    ranker = small(Ranker, setting=setting).fit(X, y)
    gains = [[] for _ in range(6)]
    for model in ranker.models_:
        forest = model.forest.trees if Ranker is IGBRTRanker else getattr(model, "trees", ())
        boosted = model.boosting.rounds if Ranker is IGBRTRanker else getattr(model, "rounds", ())
        for tree in (*forest, *boosted):
            for f, gain in zip(tree.feature.tolist(), tree.split_gain.tolist(), strict=True):
                if f >= 0:
                    gains[f].append(gain)
    totals = np.array([sum(of_feature) for of_feature in gains])
    np.testing.assert_allclose(
        ranker.feature_importances_, totals / totals.sum(), rtol=1e-12
    )  # another order of adding
    assert ranker.feature_importances_.sum() == pytest.approx(1.0, rel=1e-12)


def test_importances_of_gains_whose_sum_overflows():
    X, y, _ = data()
    ranker = small(RandomForestRanker).fit(X, y)
    (model,) = ranker.models_
    usual = ranker.feature_importances_
    largest = max(tree.split_gain.max() for tree in model.trees)
    total = max(ranker._importances(6)) * sum(tree.split_gain.sum() for tree in model.trees)  # of the first feature
    scale = 1.7e308 / total  # brings it just below the largest float64; with the others, the sum is above
    assert largest * scale < 1.7e308
    ranker.models_ = (
        replace(model, trees=tuple(replace(tree, split_gain=tree.split_gain * scale) for tree in model.trees)),
    )
    np.testing.assert_allclose(ranker._importances(6), usual, rtol=1e-12)  # scaled, each gain is rounded once more


@rankers
def test_the_score_is_ndcg_at_10(Ranker):
    X, y, qid = data()
    ranker = small(Ranker).fit(X, y, qid)
    assert ranker.score(X, y, qid) == ndcg(y, ranker.predict(X), qid, k=10)


@rankers
@pytest.mark.parametrize(("verbose", "disable"), [(0, True), (1, None)])
def test_progress_is_shown_where_asked_for(Ranker, verbose, disable, monkeypatch):
    """A bar for the forest and one for boosting; None shows it on a terminal alone."""
    bars = []

    def bar(turns, what, total, unit, disable):
        bars.append((what, total, unit, disable))
        return turns

    monkeypatch.setattr(tree_ranker, "tqdm", bar)
    X, y, _ = data()
    small(Ranker, verbose=verbose).fit(X, y)
    parts = {RandomForestRanker: [("forest", 4)], GBRTRanker: [("boosting", 4)]}
    expected = parts.get(Ranker, [("forest", 4), ("boosting", 3)])
    assert bars == [(what, total, "tree", disable) for what, total in expected]


# --- targets ---------------------------------------------------------------------------------------------------------


@rankers
@pytest.mark.parametrize("value", [0.0, 3.0, -2.5])
def test_constant_targets_are_learned_in_regression(Ranker, value):
    X, _, _ = data(20)
    ranker = small(Ranker).fit(X, np.full(20, value))
    expected = {RandomForestRanker: value, IGBRTRanker: value}.get(Ranker, value * (1 - 0.9**4))
    np.testing.assert_allclose(ranker.predict(X), expected, rtol=1e-14)  # four steps of alpha, rounded
    assert ranker.feature_importances_.tolist() == [0.0] * 6


@rankers
def test_constant_labels_are_an_error_in_classification(Ranker):
    X, _, _ = data(20)
    with pytest.raises(ValueError, match="y is 3 in every row"):
        small(Ranker, setting="classification").fit(X, np.full(20, 3))


@rankers
def test_real_targets_are_regressed_on_and_are_no_labels(Ranker):
    X, _, _ = data()
    y = X[:, 0] * 1e3 - 7.25
    assert np.corrcoef(small(Ranker).fit(X, y).predict(X), y)[0, 1] > 0.5
    with pytest.raises(ValueError, match=r"y at row 0 is .*: labels must be integers"):
        small(Ranker, setting="classification").fit(X, y)


@rankers
@settings(max_examples=10)
@given(SEEDS, st.sampled_from([1e-300, 1e-12, 1e12, 1e200]))
def test_targets_of_any_scale_give_finite_scores_and_importances(Ranker, seed, scale):
    X, _, _ = data(30)
    ranker = small(Ranker).fit(X, rng_of(seed).normal(size=30) * scale)
    assert np.isfinite(ranker.predict(X)).all()
    assert np.isfinite(ranker.feature_importances_).all()


@rankers
@settings_
def test_one_row_alone(Ranker, setting):
    ranker = small(Ranker, setting=setting)
    if setting == "classification":
        with pytest.raises(ValueError, match="1 sample"):
            ranker.fit([[1.0]], [2])
    else:
        ranker.fit([[1.0]], [2.0])
        assert ranker.predict([[1.0], [5.0]]).std() == 0


@rankers
def test_whole_weights_of_one_change_no_bit(Ranker):
    X, y, _ = data()
    plain, ones = (small(Ranker).fit(X, y, sample_weight=w).predict(X) for w in (None, np.ones(len(y))))
    assert plain.tobytes() == ones.tobytes()


@pytest.mark.parametrize(
    ("Ranker", "changed"),
    [(Ranker, {"setting": s}) for Ranker in RANKERS for s in ("regression", "classification")]
    + [(GBRTRanker, {"initial": "mean"})],
)
def test_labels_of_rows_without_weight_have_no_say(Ranker, changed):
    """Neither in the forest nor in boosting nor in the mean; with any weight they have one."""
    X, y, _ = data()
    out = np.arange(len(y)) % 3 == 0
    other = np.where(out, 4 - y, y)
    for weight, same in ((np.where(out, 0.0, 0.5), True), (np.where(out, 0.25, 0.5), False)):
        one, two = (small(Ranker, **changed).fit(X, labels, sample_weight=weight) for labels in (y, other))
        for model_1, model_2 in zip(one.models_, two.models_, strict=True):
            for trees_1, trees_2 in zip(parts_of(model_1), parts_of(model_2), strict=True):
                assert ([t.value.tolist() for t in trees_1] == [t.value.tolist() for t in trees_2]) == same
        assert (one.predict(X).tobytes() == two.predict(X).tobytes()) == same


def test_the_mean_to_start_from_is_weighted():
    X, y, _ = data()
    weight = np.arange(80) % 4 / 4
    ranker = GBRTRanker(n_rounds=1, initial="mean").fit(X, y, sample_weight=weight)
    assert ranker.models_[0].initial == np.sum(weight * y) / np.sum(weight)  # whole numbers of quarters: exact


def parts_of(model):
    """The trees of a forest, of boosting, or of both."""
    if hasattr(model, "boosting"):
        return [model.forest.trees, model.boosting.rounds]
    return [getattr(model, "trees", None) or model.rounds]


@rankers
@settings_
def test_a_leaf_holds_as_many_rows_as_asked_for(Ranker, setting):
    X, y, _ = data()
    for least in (1, 5):
        ranker = small(Ranker, setting=setting, min_samples_leaf=least).fit(X, y)
        for trees in (part for model in ranker.models_ for part in parts_of(model)):
            rows = [n for tree in trees for n in tree.n_node_samples[tree.feature < 0].tolist()]
            assert min(rows) >= least
            assert least == 5 or min(rows) < 5


@rankers
@pytest.mark.parametrize("missing", [None, "zero"])
def test_a_feature_of_two_bins_has_one_cut(Ranker, missing):
    X, y, _ = data()
    ranker = small(Ranker, n_bins=2, missing=missing).fit(X, y)
    trees = [tree for part in parts_of(ranker.models_[0]) for tree in part]
    for f in range(6):
        assert len({cut for tree in trees for cut in tree.cut[tree.feature == f].tolist()}) <= 1


# --- the seed --------------------------------------------------------------------------------------------------------


@forests
def test_an_integer_seed_is_the_seed(Ranker):
    X, y, _ = data()
    ranker = small(Ranker, random_state=11).fit(X, y)
    assert ranker.seed_ == 11
    again = small(Ranker, random_state=np.random.RandomState(11)).fit(X, y)
    assert again.seed_ == np.random.RandomState(11).randint(2**31 - 1)
    assert small(Ranker, random_state=again.seed_).fit(X, y).predict(X).tobytes() == again.predict(X).tobytes()


@forests
def test_the_second_problem_draws_from_a_stream_of_its_own(Ranker):
    X, y, _ = data()
    y = np.minimum(y, 2)
    both = small(Ranker, setting="classification", random_state=4).fit(X, y)
    alone = small(Ranker, random_state=draw(4, 1) >> 1).fit(X, (y < 2).astype(float))
    assert both.predict_cumulative_proba(X)[:, 1].tobytes() == alone.predict(X).tobytes()


# --- bad input -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("max_features", "n_features", "K"),
    [
        (0.1, 46, 4),
        (0.1, 136, 13),
        (0.1, 700, 70),
        (0.1, 3, 1),
        (1.0, 5, 5),
        (1, 5, 1),
        (5, 5, 5),
        (np.float32(0.5), 9, 4),
    ],
)
def test_k(max_features, n_features, K):
    assert n_candidates(max_features, n_features) == K


@forests
@pytest.mark.parametrize(
    ("max_features", "rule"),
    [
        (7, "max_features is 7: K must lie between 1 and the 6 features of X"),
        (0, "max_features is 0: K must lie between 1 and the 6 features of X"),
        (-1, "max_features is -1: K must lie"),
        (0.0, "max_features is 0.0: a share must lie above 0 and be at most 1"),
        (1.5, "max_features is 1.5: a share must lie"),
        (float("nan"), "max_features is nan: a share must lie"),
        (True, "max_features is True: it must be a share of the features, or their number"),
        ("sqrt", "max_features is 'sqrt': it must be a share"),
        (None, "max_features is None: it must be a share"),
    ],
)
def test_bad_k(Ranker, max_features, rule):
    X, y, _ = data()
    with pytest.raises(ValueError, match=re.escape(rule)):
        small(Ranker, max_features=max_features).fit(X, y)


COMMON = [
    ("setting", "ranking", "setting is 'ranking': it must be one of 'regression', 'classification'"),
    ("missing", "nan", "missing is 'nan': it must be one of 'zero', 'inf', 'mean', 'median', 'three-way'"),
    ("n_bins", 1, "n_bins is 1: it must be a whole number of at least 2"),
    ("n_bins", 70000, "n_bins is 70000: it must lie between 2 and 65536"),
    ("min_samples_leaf", 0, "min_samples_leaf is 0: it must be a whole number of at least 1"),
    ("n_threads", 0, "n_threads is 0: it must be a whole number of at least 1"),
    ("random_state", -1, "random_state is -1: it must be a whole number of at least 0"),
]
OWN = {
    RandomForestRanker: [("n_trees", 0, "n_trees is 0: it must be a whole number of at least 1")],
    GBRTRanker: [
        ("n_rounds", 0, "n_rounds is 0: it must be a whole number of at least 1"),
        ("n_rounds", 2.5, "n_rounds is 2.5: it must be a whole number of at least 1"),
        ("max_depth", 0, "max_depth is 0: it must be a whole number of at least 1"),
        ("learning_rate", 0.0, "learning_rate is 0.0: it must lie above 0 and be at most 1"),
        ("initial", "median", "initial is 'median': it must be one of 'zero', 'mean'"),
    ],
    IGBRTRanker: [
        ("n_trees", -1, "n_trees is -1: it must be a whole number of at least 0"),
        ("n_rounds", 0, "n_rounds is 0: it must be a whole number of at least 1"),
        ("max_depth", True, "max_depth is True: it must be a whole number of at least 1"),
        ("learning_rate", 2, "learning_rate is 2: it must lie above 0 and be at most 1"),
    ],
}


@pytest.mark.parametrize(
    ("Ranker", "name", "value", "rule"), [(Ranker, *case) for Ranker in RANKERS for case in COMMON + OWN[Ranker]]
)
def test_bad_parameters(Ranker, name, value, rule):
    X, y, _ = data()
    with pytest.raises(ValueError, match=re.escape(rule)):
        small(Ranker, **{name: value}).fit(X, y)


@rankers
def test_bad_weights_and_queries(Ranker):
    X, y, _ = data()
    with pytest.raises(ValueError, match=r"sample_weight at row 3 is -1\.0"):
        small(Ranker).fit(X, y, sample_weight=np.where(np.arange(80) == 3, -1.0, 1.0))
    with pytest.raises(ValueError, match="qid"):
        small(Ranker).fit(X, y, qid=np.zeros(3))
    with pytest.raises(ValueError, match="Input y contains infinity"):
        small(Ranker).fit(X, np.where(np.arange(80) == 2, np.inf, y))


@rankers
def test_probabilities_are_of_the_classification_setting(Ranker):
    X, y, _ = data()
    ranker = small(Ranker).fit(X, y)
    assert not hasattr(ranker, "predict_proba")  # scikit-learn's way to say so
    for method in (ranker.predict_cumulative_proba, ranker.count_violations):
        with pytest.raises(ValueError, match="setting is 'regression': class probabilities are learned with"):
            method(X)


@rankers
def test_what_is_not_fitted_does_not_predict(Ranker):
    X, y, _ = data()
    for call in (
        lambda ranker: ranker.predict(X),
        lambda ranker: ranker.predict_proba(X),
        lambda ranker: next(ranker.staged_predict(X)),
        lambda ranker: ranker.count_violations(X),
        lambda ranker: ranker.score(X, y),
    ):
        with pytest.raises(NotFittedError):
            call(small(Ranker, setting="classification"))

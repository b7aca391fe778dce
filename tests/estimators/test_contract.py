"""Contract of every estimator of the registry: scikit-learn's rules, parameters and docstrings, predictions, bits.

What fails, and what an interrupt leaves, is in test_unfinished.py; what one ranker alone does, in its own file.
"""

import pickle
import re
import subprocess
import sys
from pathlib import Path
from typing import Literal, get_args, get_origin, get_type_hints

import numpy as np
import pytest
import sklearn
from hypothesis import given, settings
from hypothesis import strategies as st
from sklearn.base import clone
from sklearn.ensemble import VotingRegressor
from sklearn.exceptions import NotFittedError
from sklearn.inspection import partial_dependence, permutation_importance
from sklearn.model_selection import GridSearchCV, GroupKFold
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils import estimator_checks
from sklearn.utils.estimator_checks import parametrize_with_checks

from refrank import GBRTRanker, IGBRTRanker, LambdaRanker, RandomForestRanker, estimators
from refrank.estimators.base import Ranker
from refrank.estimators.mcrank import BoostRanker
from refrank.metrics import ndcg
from tests.estimators import cases
from tests.estimators.cases import ESTIMATORS, QID, TURNS, VARIANTS, X, Y, data, each, fit, learned, same_bits, takes
from tests.strategies import SEEDS, RankingCase, qids, ranking_cases, rng_of, weights

estimators_ = each(ESTIMATORS)
variants = each(VARIANTS)
with_weights = each(cases.which(lambda estimator: takes(estimator, "sample_weight"), ESTIMATORS))


# --- scikit-learn's own rules, and what docs/use/scikit_learn.md says of them
OF_ANY_NUMBERS = (  # checks that train on numbers that are no grades
    "check_fit_check_is_fitted",
    "check_fit_idempotent",
    "check_n_features_in",
    "check_n_features_in_after_fitting",
    "check_regressor_data_not_an_array",
    "check_regressors_train",
)
OF_WEIGHTS = [f"check_sample_weight_equivalence_on_{kind}_data" for kind in ("dense", "sparse")]
OF_METHODS = "check_regressors_no_decision_function"
OF_SPARSE = ["check_estimator_sparse_array", "check_estimator_sparse_matrix"]


def excepted(estimator) -> dict[str, str]:
    """Where scikit-learn asks for what cannot hold, and why."""
    failing = {}
    if isinstance(estimator, RandomForestRanker | IGBRTRanker) or "Bagging" in repr(estimator):
        failing |= dict.fromkeys(OF_WEIGHTS, "rows of a bootstrap are drawn by their number")
    elif re.search("M5PRegressor|WekaLinear", repr(estimator)) and "counts" not in repr(estimator):
        failing |= dict.fromkeys(OF_WEIGHTS, "weights are costs there: a row of weight 2 is one row")
    if learns_grades(estimator):
        failing |= dict.fromkeys(OF_ANY_NUMBERS, "it learns grades, integers from 0")
        failing[OF_METHODS] = "it learns grades, and has their probabilities"
        if hasattr(estimator, "predict_proba"):
            failing |= dict.fromkeys(OF_SPARSE, "it has the probabilities of grades, and is no classifier")
    return failing


def learns_grades(estimator) -> bool:
    return isinstance(estimator, Ranker) and getattr(estimator, "setting", "classification") == "classification"


@each(cases.which(learns_grades))
@pytest.mark.parametrize("name", OF_ANY_NUMBERS)
def test_scikit_learn_checks_of_any_numbers_hold_on_grades(make, name):
    class Graded(type(make())):
        """A ranker to which numbers from -1.5 to 1.5 are grades from 0 to 3, and higher and lower ones these, too."""

        def fit(self, X, y, *others, **named):
            return super().fit(X, np.clip(np.rint(np.asarray(y, np.float64) + 1.5), 0, 3), *others, **named)

    getattr(estimator_checks, name)("Graded", Graded(**make().get_params(deep=False)))


@parametrize_with_checks([make() for make in ESTIMATORS.values()], expected_failed_checks=excepted, xfail_strict=True)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@variants
def test_tools_for_regressors_take_a_ranker(make):
    ranker, alone = fit(make()), fit(make(), qid=None)
    shown = partial_dependence(ranker, X, [0], grid_resolution=3)
    by_hand = [ranker.predict(cases.changed(X, (slice(None), 0), value)).mean() for value in shown["grid_values"][0]]
    assert shown["average"].tolist() == [by_hand]
    voting = VotingRegressor([("a", make()), ("b", make())]).fit(X, Y)
    assert same_bits(voting.predict(X), alone.predict(X))

    def measure(ranker, X, y):
        return ndcg(y, ranker.predict(X), QID)

    importances = permutation_importance(ranker, X, Y, scoring=measure, n_repeats=2, random_state=0).importances_mean
    assert importances.argmax() == 0 or isinstance(ranker, LambdaRanker)  # a net of three epochs knows little


@estimators_
def test_clone_and_pickle_keep_parameters_and_every_bit_of_a_model(make):
    estimator = fit(make())
    copy, again = clone(estimator), pickle.loads(pickle.dumps(estimator))
    assert repr(copy.get_params()) == repr(again.get_params()) == repr(make().get_params())
    assert learned(copy) == {}
    assert learned(again) == learned(estimator) == learned(fit(copy))
    assert same_bits(again.predict(X), estimator.predict(X), copy.predict(X))


@variants
def test_a_search_over_a_pipeline_routes_queries_and_weights(make):
    """And tunes the base of COCR, where that has something to tune."""
    X, y, qid = data(120)
    weight = 1.0 + np.arange(120) % 3
    tuned = [key for key in make().get_params() if key.removeprefix("base__") in (*TURNS, "min_instances")]
    grid, given = {key: [2, 4] for key in tuned} or {"n_classes": [4, 5]}, {"qid": True, "sample_weight": True}
    if not takes(make(), "sample_weight"):
        grid["truncation"], given = [10], {"qid": True}
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = make().set_fit_request(**given).set_score_request(qid=True, sample_weight=True)
        search = GridSearchCV(
            make_pipeline(StandardScaler().set_fit_request(sample_weight=False), ranker),
            {f"{type(ranker).__name__.lower()}__{key}": values for key, values in grid.items()},
            cv=GroupKFold(3).set_split_request(groups=True),
            error_score="raise",
        ).fit(X, y, qid=qid, sample_weight=weight, groups=qid)
    last = {key.split("__", 1)[1]: value for key, value in search.cv_results_["params"][-1].items()}
    by_hand = []
    for train, test in GroupKFold(3).split(X, y, qid):
        scaler = StandardScaler().fit(X[train])
        fitted = fit(make().set_params(**last), scaler.transform(X[train]), y[train], qid[train], weight[train])
        by_hand.append(fitted.score(scaler.transform(X[test]), y[test], qid[test], weight[test]))
    assert [search.cv_results_[f"split{i}_test_score"][-1] for i in range(3)] == by_hand
    assert np.isfinite(by_hand).all()


# --- parameters and their documentation
def section(Kind, title) -> dict[str, str]:
    """The names and types that a section of a docstring lists."""
    listed = re.search(rf"^    {title}\n    -+\n((?:    .+\n)+)", Kind.__doc__, re.MULTILINE)[1]
    return dict(re.findall(r"^    (\w+) : (.+)$", listed, re.MULTILINE))


@cases.kinds
def test_docstrings_list_the_parameters_with_their_choices(Kind):
    listed, hints = section(Kind, "Parameters"), get_type_hints(Kind)
    assert listed.keys() == cases.parameters_of(Kind).keys()
    for name, parameter in cases.parameters_of(Kind).items():
        parts = [hints[name], *get_args(hints[name])]
        choices = [choice for part in parts if get_origin(part) is Literal for choice in get_args(part)]
        assert str not in parts
        assert re.findall('"(.+?)"', listed[name].split(", default ")[0]) == choices
        assert not isinstance(parameter.default, str) or parameter.default in choices
        assert name != "random_state" or parameter.default == 0  # nothing is random unless asked for


@estimators_
def test_docstrings_list_what_is_learned(make):
    estimator = fit(make())
    described = section(type(estimator), "Attributes").keys()
    kept = {name for name in vars(estimator) if name.endswith("_")} | {"feature_names_in_"}
    ours = [Kind for Kind in type(estimator).__mro__ if Kind.__module__.startswith("refrank")]
    computed = {name for Kind in ours for name in vars(Kind) if name.endswith("_") and name[0] != "_"}
    of_one_setting = {
        "n_classes_",
        "oob_prediction_",
        "oob_score_",
        "unfinished_",
        "history_",
        "best_round_",
        "measure_",
    }
    assert kept | computed <= described <= kept | computed | of_one_setting


def test_mypy_catches_what_is_misspelt(tmp_path):
    pytest.importorskip("mypy")
    lines = ["from refrank import *", "def f() -> None:"]
    lines += [f"    {name}(1, n_round=3)" for name in estimators.__all__]
    lines += ["    SoftmaxBoostRanker(update='paralel')", "    COCRRanker(1, cost='oer')"]
    lines += ["    M5PRegressor(variant='wekka').predit([[1]])", "    GBRTRanker(missing='three way').predit([[1]])"]
    (tmp_path / "user.py").write_text("\n".join(lines))
    root = Path(estimators.__file__).parents[2]
    command = [sys.executable, "-m", "mypy", "--cache-dir", tmp_path, "--follow-imports=silent", tmp_path / "user.py"]
    printed = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout
    assert printed.count('Unexpected keyword argument "n_round"') == len(estimators.__all__), printed
    assert printed.count('has incompatible type "Literal[') == 4, printed
    assert printed.count('has no attribute "predit"') == 2, printed


@cases.rankers
def test_a_seed_is_an_integer_or_drawn(Ranker):
    if "random_state" not in cases.parameters_of(Ranker):
        pytest.skip("draws nothing")
    assert [fit(cases.small(Ranker, **seed)).seed_ for seed in ({}, {"random_state": 11})] == [0, 11]
    state = np.random.RandomState(11)
    drawn, after = (fit(cases.small(Ranker, random_state=state)) for _ in range(2))
    numbers = np.random.RandomState(11).randint(2**31 - 1, size=2)
    assert [drawn.seed_, after.seed_] == numbers.tolist()
    assert same_bits(drawn.predict(X), fit(cases.small(Ranker, random_state=drawn.seed_)).predict(X))
    draws_none = Ranker.algorithm in ("gbrt", "cocr")
    assert same_bits(drawn.predict(X), after.predict(X)) == draws_none


# --- what predictions are
@estimators_
def test_predictions_are_new_arrays_of_float64(make):
    X, y, qid = data(dtype=np.float32)
    estimator = fit(make(), X, y, qid)
    calls = [lambda: estimator.predict(X)]
    if hasattr(estimator, "staged_predict"):
        calls.append(lambda: next(estimator.staged_predict(X)))
    for method in ("predict_proba", "predict_cumulative_proba", "decision_function"):
        if hasattr(estimator, method) and getattr(estimator, "setting", "") != "regression":
            calls.append(lambda method=method: getattr(estimator, method)(X))
    for call in calls:
        first, second = call(), call()
        assert (first.dtype, len(first), first.flags.writeable) == (np.float64, 60, True)
        assert np.isfinite(first).all()
        again = second.tobytes()
        first[:] = np.nan
        assert second.tobytes() == call().tobytes() == again
    assert estimator.predict(X).shape == (60,)
    assert estimator.predict(X[:1]).shape == (1,)


@variants
def test_staged_predictions_are_those_of_shorter_models(make):
    ranker = make().fit(X, Y, QID)
    of_base = "base__" if ranker.algorithm == "cocr" else ""
    base = ranker.base if of_base else ranker
    assert hasattr(ranker, "staged_predict") == hasattr(base, "staged_predict")
    if hasattr(ranker, "staged_predict"):
        last = of_base + next(name for name in TURNS if hasattr(base, name))
        stages = list(ranker.staged_predict(X))
        assert len(stages) == ranker.get_params()[last]
        assert same_bits(stages[-1], ranker.predict(X))
        for m, scores in enumerate(stages, start=1):
            assert same_bits(scores, clone(ranker).set_params(**{last: m}).fit(X, Y, QID).predict(X))


@variants
def test_score_is_the_mean_ndcg_at_10_of_the_predictions(make):
    ranker = fit(make())
    scores = ranker.predict(X)
    assert ranker.score(X, Y, QID) == ndcg(Y, scores, QID, k=10, spec="paper")
    assert type(ranker.score(X, Y, QID)) is float
    weight = np.where(QID[0] == QID, 3.0, 1.0)
    values = ndcg(Y, scores, QID, k=10, per_query=True)
    of_query = [3.0 if q == QID[0] else 1.0 for q in dict.fromkeys(QID.tolist())]
    # a dozen products, added in another order
    np.testing.assert_allclose(ranker.score(X, Y, QID, weight), np.average(values, weights=of_query), rtol=1e-15 * 4)
    assert ranker.score(X, Y, QID, np.full(60, 0.5)) == pytest.approx(ranker.score(X, Y, QID), rel=1e-15 * 4)
    # 0 for a query without a relevant document
    assert ranker.score(X, np.zeros(60, int), QID) == 0.0
    assert ranker.score(X, Y, np.arange(60)) == np.mean(Y > 0)  # each query of one relevant document is perfect


@variants
def test_score_refuses_to_rank_all_queries_as_one(make):
    ranker = fit(make())
    with pytest.raises(ValueError, match=r"score needs qid: fit saw 12 queries, .*set_score_request\(qid=True\)"):
        ranker.score(X, Y)
    with pytest.raises(ValueError, match="qid has shape"):
        ranker.score(X, Y, QID[:-1])
    for qid in (None, np.full(60, 7)):
        assert ranker.fit(X, Y, qid).n_queries_ == 1
        assert ranker.score(X, Y) == ndcg(Y, ranker.predict(X), k=10, spec="paper")


# --- what changes no bit
@estimators_
def test_types_layouts_threads_and_what_was_fitted_before_change_no_bit(make):
    X, y, qid = data(dtype=np.float32)
    estimator = fit(make(), X, y, qid)
    expected, scores = learned(estimator), estimator.predict(X)
    for change in (
        {"X": np.asfortranarray(X)},
        {"X": np.repeat(X, 2, axis=0)[::2]},
        {"y": y.astype(np.float32).tolist()},
        {"qid": [f"query {q}" for q in qid]},
    ):
        assert learned(fit(make(), **{"X": X, "y": y, "qid": qid} | change)) == expected
    other = make()
    other.set_params(**{name: 3 for name in ("n_threads", "n_jobs", "base__n_threads") if name in other.get_params()})
    fit(other, X[::-1, :3], y, qid)  # another problem before
    assert learned(fit(other, X, y, qid)) == expected
    doubles = X.astype(np.float64)
    assert same_bits(other.predict(X), other.predict(doubles), other.predict(np.asfortranarray(X)), scores)
    assert same_bits(fit(make(), doubles, y, qid).predict(doubles), scores)


ORDERLESS = cases.which(lambda ranker: isinstance(ranker, BoostRanker | GBRTRanker) and takes(ranker, "sample_weight"))


@pytest.mark.filterwarnings("ignore:X at column.* the initial bin length")  # of some drawn features
@each(ORDERLESS)
@settings(max_examples=10)
@given(case=ranking_cases(), seed=SEEDS, drawn=st.data())
def test_the_order_of_rows_changes_no_bit(make, case: RankingCase, seed, drawn):
    rows = rng_of(seed).permutation(len(case.y))
    qid = drawn.draw(qids(len(case.y)))
    weight = drawn.draw(weights(len(case.y), ("none", "whole", "any")))
    ranker = make().set_params(n_classes=case.n_classes, n_bins=case.n_bins)
    plain = clone(ranker).fit(case.X, case.y, sample_weight=weight).predict(case.X)
    other = ranker.set_params(n_threads=3).fit(
        np.asfortranarray(case.X[rows].astype(np.float64)),
        case.y[rows].astype(np.float32).tolist(),
        [qid[i] for i in rows],
        sample_weight=None if weight is None else weight[rows],
    )
    assert same_bits(other.predict(case.X), plain)
    other.score(case.X, case.y, qid)


@with_weights
@pytest.mark.parametrize("others", ["None", "1", "1 to 3"])
def test_rows_of_weight_zero_are_not_there(make, others):
    """Their values are new bins, their labels new classes, their queries new queries, and they hold what is missing."""
    X, y, qid = data()
    out = np.arange(60) % 4 == 1
    weight = np.where(out, 0.0, 1.0 + np.arange(60) % 3 if others == "1 to 3" else 1.0)
    X[out] *= 3.7
    y[out] = 6
    qid = np.where(out, qid + 100, qid)
    with_them = fit(make(), X, y, qid, weight)
    # what takes no weights of one for none (COCR) is told of them in both
    left = None if others == "None" and not hasattr(with_them, "base") else weight[~out]
    without = fit(make(), X[~out], y[~out], qid[~out], left)
    assert same_bits(with_them.predict(X), without.predict(X))
    actual, expected = learned(with_them), learned(without)
    if hasattr(with_them, "oob_prediction_"):
        assert np.isnan(with_them.oob_prediction_[out]).all()
        assert same_bits(with_them.oob_prediction_[~out], without.oob_prediction_)
        del actual["oob_prediction_"], expected["oob_prediction_"]
    assert actual == expected


@with_weights
def test_weights_of_one_change_no_bit(make):
    without, ones = fit(make()), fit(make(), sample_weight=np.ones(60))
    assert same_bits(without.predict(X), ones.predict(X))
    assert getattr(without, "cost", None) == "oerr" or learned(without) == learned(ones)


@estimators_
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parameters_and_input_are_left_alone_and_may_be_read_only(make, dtype):
    arrays = [*data(dtype=dtype), np.ones(60)]
    for array in arrays:
        array.flags.writeable = False
    X, y, qid, weight = arrays
    estimator = make()
    parameters = repr(estimator.get_params())
    assert fit(estimator, X, y, qid, weight) is estimator
    estimator.predict(X)
    estimator.score(X, y, *([qid] if takes(estimator, "qid") else []))
    assert repr(estimator.get_params()) == parameters


# --- not fitted, and shown to people
@estimators_
def test_what_is_not_fitted_says_so(make):
    methods = ["predict", "staged_predict", "predict_proba", "predict_rank", "predict_cumulative_proba"]
    for method in [*methods, "decision_function", "count_violations", "score"]:
        if hasattr(make(), method):
            with pytest.raises(NotFittedError):
                list(getattr(make(), method)(*([X, Y] if method == "score" else [X])))
    assert not any(hasattr(make(), name) for name in ("model_", "n_rounds_", "n_trees_", "feature_importances_"))


@estimators_
def test_a_long_training_has_a_short_repr(make):
    X, y, qid = data(24)
    turns = {name: 40 for name in ("n_rounds", "n_trees") if name in make().get_params()}
    estimator = fit(make().set_params(**turns), np.hstack([X] * 30), y, qid)
    for shown in (estimator, getattr(estimator, "model_", None), getattr(estimator, "forest_", None)):
        assert len(repr(shown)) < 500

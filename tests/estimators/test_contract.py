"""What every estimator of the registry keeps: scikit-learn's rules, parameters and docstrings, predictions, bits.

What fails, and what an interrupt leaves, is in test_failures.py; what one ranker alone does, in the file of its paper.
"""

import ast
import inspect
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
from sklearn.exceptions import NotFittedError
from sklearn.model_selection import GridSearchCV, GroupKFold, cross_val_score
from sklearn.pipeline import make_pipeline
from sklearn.preprocessing import StandardScaler
from sklearn.utils.estimator_checks import parametrize_with_checks

from refrank import IGBRTRanker, LambdaRanker, RandomForestRanker, estimators
from refrank.metrics import ndcg
from tests.estimators.cases import (
    ESTIMATORS,
    TURNS,
    VARIANTS,
    data,
    each,
    fit,
    kinds,
    learned,
    parameters_of,
    rankers,
    shorter,
    small,
    takes,
    which,
)
from tests.strategies import SEEDS, RankingCase, qids, ranking_cases, rng_of, weights

estimators_ = each(ESTIMATORS)
variants = each(VARIANTS)
with_weights = each(which(lambda estimator: takes(estimator, "sample_weight"), ESTIMATORS))
staged = each(which(lambda ranker: hasattr(ranker, "staged_predict")))

# --- scikit-learn's own rules ----------------------------------------------------------------------------------------


def excepted(estimator) -> dict[str, str]:
    """Where scikit-learn asks for what cannot hold, and why."""
    bootstrap = isinstance(estimator, RandomForestRanker | IGBRTRanker) or "Bagging" in repr(estimator)
    reason = "rows of a bootstrap are drawn by their number: with twice a row, others are drawn"
    return {"check_sample_weight_equivalence_on_dense_data": reason} if bootstrap else {}


@parametrize_with_checks([make() for make in ESTIMATORS.values()], expected_failed_checks=excepted)
def test_scikit_learn_checks(estimator, check):
    check(estimator)


@estimators_
def test_clone_and_pickle_keep_parameters_and_every_bit_of_a_model(make):
    X, y, qid = data()
    estimator = fit(make(), X, y, qid)
    copy, again = clone(estimator), pickle.loads(pickle.dumps(estimator))
    assert repr(copy.get_params()) == repr(again.get_params()) == repr(make().get_params())
    assert learned(copy) == {}
    assert learned(again) == learned(estimator) == learned(fit(copy, X, y, qid))
    assert again.predict(X).tobytes() == estimator.predict(X).tobytes() == copy.predict(X).tobytes()


@kinds
def test_parameters_can_be_set_and_wrong_names_are_refused(Kind):
    estimator = small(Kind)
    for name, value in estimator.get_params(deep=False).items():
        assert getattr(estimator.set_params(**{name: value}), name) is value
    with pytest.raises(ValueError, match="Invalid parameter 'n_round' for estimator"):
        estimator.set_params(n_round=3)
    with pytest.raises(TypeError, match="unexpected keyword argument 'n_round'"):
        small(Kind, n_round=3)


@variants
def test_a_pipeline_trains_and_scores(make):
    X, y, _ = data()
    pipeline = make_pipeline(StandardScaler(), make()).fit(X, y)
    scaled = StandardScaler().fit_transform(X)
    assert pipeline.predict(X).tobytes() == make().fit(scaled, y).predict(scaled).tobytes()
    assert pipeline.score(X, y) == ndcg(y, pipeline.predict(X))


@variants
def test_a_search_over_a_pipeline_routes_queries_and_weights(make):
    X, y, qid = data(120)
    weight = 1.0 + np.arange(120) % 3
    name = type(make()).__name__.lower()
    turns = {key: [1, 4] for key in TURNS if key in make().get_params()} or {"n_classes": [4, 5]}
    if isinstance(make(), LambdaRanker):
        turns["truncation"], given = [10], {"qid": True}
    else:
        given = {"qid": True, "sample_weight": True}
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = make().set_fit_request(**given).set_score_request(qid=True, sample_weight=True)
        search = GridSearchCV(
            make_pipeline(StandardScaler().set_fit_request(sample_weight=False), ranker),
            {f"{name}__{key}": values for key, values in turns.items()},
            cv=GroupKFold(3).set_split_request(groups=True),
            error_score="raise",
        ).fit(X, y, qid=qid, sample_weight=weight, groups=qid)
    last = {key.split("__")[1]: value for key, value in search.cv_results_["params"][-1].items()}
    by_hand = []
    for train, test in GroupKFold(3).split(X, y, qid):
        scaler = StandardScaler().fit(X[train])
        fitted = fit(make().set_params(**last), scaler.transform(X[train]), y[train], qid[train], weight[train])
        by_hand.append(fitted.score(scaler.transform(X[test]), y[test], qid[test], weight[test]))
    assert [search.cv_results_[f"split{i}_test_score"][-1] for i in range(3)] == by_hand
    assert np.isfinite(by_hand).all()


@rankers
def test_cross_validation_scores_by_query_or_not_at_all(Ranker):
    X, y, qid = data(120)
    folds = GroupKFold(3)
    with pytest.raises(ValueError, match=r"score needs qid: fit saw .* queries.*route it: .*GroupKFold"):
        cross_val_score(small(Ranker), X, y, groups=qid, cv=folds, params={"qid": qid}, error_score="raise")
    with sklearn.config_context(enable_metadata_routing=True):
        ranker = small(Ranker).set_fit_request(qid=True).set_score_request(qid=True)
        folds = folds.set_split_request(groups=True)
        found = cross_val_score(ranker, X, y, cv=folds, params={"qid": qid, "groups": qid}, error_score="raise")
    by_hand = [
        small(Ranker).fit(X[train], y[train], qid[train]).score(X[test], y[test], qid[test])
        for train, test in GroupKFold(3).split(X, y, qid)
    ]
    assert found.tolist() == by_hand


# --- parameters and their documentation ------------------------------------------------------------------------------


def sections(docstring: str) -> dict[str, list[tuple[str, str]]]:
    """The (names, type) lines of each numpydoc section."""
    found, lines = {}, inspect.cleandoc(docstring).splitlines()
    title = ""
    for line, below in zip(lines, [*lines[1:], ""], strict=True):
        if below and set(below) == {"-"}:
            title = line
        elif title and " : " in line and not line.startswith(" "):
            found.setdefault(title, []).append(tuple(line.split(" : ", 1)))
    return found


@kinds
def test_docstrings_list_the_parameters_with_their_defaults(Kind):
    listed = dict(sections(Kind.__doc__)["Parameters"])
    assert set(listed) == set(parameters_of(Kind))
    for name, parameter in parameters_of(Kind).items():
        default = re.search(r"(?:, default (.+)|, (optional))$", listed[name])
        if parameter.default is inspect.Parameter.empty:
            assert default is None
        else:
            told = None if default[2] else float("nan") if default[1] == "NaN" else ast.literal_eval(default[1])
            assert repr(told) == repr(parameter.default), name


@estimators_
def test_docstrings_list_what_is_learned(make):
    X, y, qid = data()
    estimator = fit(make(), X, y, qid)
    described = {name for names, _ in sections(estimator.__doc__)["Attributes"] for name in names.split(", ")}
    kept = {name for name in vars(estimator) if name.endswith("_")} | {"feature_names_in_"}
    computed = {
        name
        for Kind in type(estimator).__mro__
        if Kind.__module__.startswith("refrank")
        for name in vars(Kind)
        if name.endswith("_") and not name.startswith("_")
    }
    assert kept | computed <= described
    assert all(name in kept | computed or name in SOMETIMES for name in described)


SOMETIMES = {"n_classes_", "oob_prediction_", "oob_score_"}  # of one setting only


@kinds
def test_the_hints_of_choices_are_literals(Kind):
    hints = get_type_hints(Kind.__init__ if "__init__" in vars(Kind) else Kind)
    types = dict(sections(Kind.__doc__)["Parameters"])
    for name, parameter in parameters_of(Kind).items():
        parts = [hints[name], *get_args(hints[name])]
        assert str not in parts
        choices = [choice for part in parts if get_origin(part) is Literal for choice in get_args(part)]
        assert re.findall('"(.+?)"', types[name].split(", default")[0]) == choices
        assert not isinstance(parameter.default, str) or parameter.default in choices


def test_mypy_catches_what_is_misspelt(tmp_path):
    pytest.importorskip("mypy")
    lines = ["from refrank import *", "def f() -> None:"]
    lines += [f"    {name}(1, n_round=3)" for name in estimators.__all__ if name != "M5PRegressor"]
    lines += ["    SoftmaxBoostRanker(update='paralel')", "    COCRRanker(1, cost='oer')"]
    lines += ["    GBRTRanker(missing='three way').predit([[1]])"]
    (tmp_path / "user.py").write_text("\n".join(lines))
    root = Path(estimators.__file__).parents[2]
    command = [sys.executable, "-m", "mypy", "--cache-dir", tmp_path, "--follow-imports=silent", tmp_path / "user.py"]
    told = subprocess.run(command, cwd=root, capture_output=True, text=True, check=False).stdout
    assert told.count('Unexpected keyword argument "n_round"') == len(estimators.__all__) - 1, told
    assert told.count('has incompatible type "Literal[') == 3, told
    assert 'has no attribute "predit"' in told


@rankers
def test_nothing_is_random_unless_asked_for(Ranker):
    if "random_state" in parameters_of(Ranker):
        assert parameters_of(Ranker)["random_state"].default == 0


# --- what predictions are --------------------------------------------------------------------------------------------


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
        assert (first.dtype, len(first)) == (np.float64, 60)
        assert first.flags.writeable
        assert np.isfinite(first).all()
        again = second.tobytes()
        first[:] = np.nan
        assert second.tobytes() == call().tobytes() == again
    assert estimator.predict(X).shape == (60,)
    assert estimator.predict(X[:1]).shape == (1,)


@staged
def test_staged_predictions_are_those_of_shorter_models(make):
    X, y, qid = data()
    ranker = make().fit(X, y, qid)
    last = next(name for name in TURNS if hasattr(ranker, name))
    stages = list(ranker.staged_predict(X))
    assert len(stages) == getattr(ranker, last)
    assert stages[-1].tobytes() == ranker.predict(X).tobytes()
    for m, scores in enumerate(stages, start=1):
        assert scores.tobytes() == shorter(ranker, **{last: m}).fit(X, y, qid).predict(X).tobytes()


def test_cocr_has_no_stages():
    assert [name for name, make in VARIANTS.items() if not hasattr(make(), "staged_predict")] == [
        name for name in VARIANTS if name.startswith("cocr")
    ]


@variants
def test_score_is_the_mean_ndcg_at_10_of_the_predictions(make):
    X, y, qid = data()
    ranker = fit(make(), X, y, qid)
    scores = ranker.predict(X)
    assert ranker.score(X, y, qid) == ndcg(y, scores, qid, k=10, spec="paper")
    assert type(ranker.score(X, y, qid)) is float
    weight = np.where(qid == qid[0], 3.0, 1.0)
    values = ndcg(y, scores, qid, k=10, per_query=True)
    of_query = [3.0 if q == qid[0] else 1.0 for q in dict.fromkeys(qid.tolist())]
    # a dozen products, added in another order
    np.testing.assert_allclose(ranker.score(X, y, qid, weight), np.average(values, weights=of_query), rtol=1e-15 * 4)
    assert ranker.score(X, y, qid, np.full(60, 0.5)) == pytest.approx(ranker.score(X, y, qid), rel=1e-15 * 4)
    # 0 for a query without a relevant document
    assert ranker.score(X, np.zeros(60, int), qid) == 0.0
    assert ranker.score(X, y, np.arange(60)) == np.mean(y > 0)  # each query of one relevant document is perfect


@variants
def test_score_refuses_to_rank_all_queries_as_one(make):
    X, y, qid = data()
    ranker = fit(make(), X, y, qid)
    with pytest.raises(ValueError, match=r"score needs qid: fit saw 12 queries, .*set_score_request\(qid=True\)"):
        ranker.score(X, y)
    with pytest.raises(ValueError, match="qid has shape"):
        ranker.score(X, y, qid[:-1])
    for one in (None, np.full(60, 7)):
        ranker.fit(X, y, one)
        assert ranker.n_queries_ == 1
        assert ranker.score(X, y) == ndcg(y, ranker.predict(X), k=10, spec="paper")


# --- what changes no bit ---------------------------------------------------------------------------------------------


@estimators_
def test_types_layouts_threads_and_what_was_fitted_before_change_no_bit(make):
    X, y, qid = data(dtype=np.float32)
    expected = learned(fit(make(), X, y, qid))
    scores = fit(make(), X, y, qid).predict(X).tobytes()
    for change in (
        {"X": np.asfortranarray(X)},
        {"X": np.repeat(X, 2, axis=0)[::2]},
        {"y": y.astype(np.float32).tolist()},
        {"qid": [f"query {q}" for q in qid]},
    ):
        assert learned(fit(make(), **{"X": X, "y": y, "qid": qid} | change)) == expected
    other = make()
    for threads in ("n_threads", "n_jobs"):
        if threads in other.get_params():
            other.set_params(**{threads: 3})
    if hasattr(getattr(other, "base", None), "n_threads"):
        other.set_params(base__n_threads=3)
    fit(other, X[::-1, :3], y, qid)  # another problem before
    assert learned(fit(other, X, y, qid)) == expected
    doubles = X.astype(np.float64)
    assert other.predict(X).tobytes() == scores
    assert other.predict(np.asfortranarray(X)).tobytes() == scores
    assert fit(make(), doubles, y, qid).predict(doubles).tobytes() == other.predict(doubles).tobytes() == scores


ORDERLESS = which(
    lambda ranker: (
        type(ranker).__name__.removesuffix("Ranker").endswith(("Boost", "GBRT")) and not isinstance(ranker, IGBRTRanker)
    )
)


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
    assert other.predict(case.X).tobytes() == plain.tobytes()
    other.score(case.X, case.y, qid)


def test_the_order_of_rows_is_tested_where_it_plays_no_part():
    assert {name.split(",")[0] for name in ORDERLESS} == {"softmax", "ordinal", "ls", "lad", "gbrt"}


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
    left = None if others == "None" else weight[~out]
    with_them, without = fit(make(), X, y, qid, weight), fit(make(), X[~out], y[~out], qid[~out], left)
    if others == "None" and hasattr(with_them, "base"):
        left = np.ones(45)  # what takes no weights of one for none is told of them in both
        without = fit(make(), X[~out], y[~out], qid[~out], left)
    assert with_them.predict(X).tobytes() == without.predict(X).tobytes()
    known, expected = learned(with_them), learned(without)
    if hasattr(with_them, "oob_prediction_"):
        assert np.isnan(with_them.oob_prediction_[out]).all()
        assert with_them.oob_prediction_[~out].tobytes() == without.oob_prediction_.tobytes()
        del known["oob_prediction_"], expected["oob_prediction_"]
    assert known == expected


@with_weights
def test_weights_of_one_change_no_bit(make):
    X, y, qid = data()
    if getattr(make(), "cost", None) == "oerr":
        assert fit(make(), X, y, qid).predict(X).tobytes() == fit(make(), X, y, qid, np.ones(60)).predict(X).tobytes()
    else:
        assert learned(fit(make(), X, y, qid)) == learned(fit(make(), X, y, qid, np.ones(60)))


@estimators_
@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_parameters_and_input_are_left_alone_and_may_be_read_only(make, dtype):
    X, y, qid = data(dtype=dtype)
    weight = np.ones(60)
    before = [array.copy() for array in (X, y, qid, weight)]
    for array in (X, y, qid, weight):
        array.flags.writeable = False
    estimator = make()
    parameters = repr(estimator.get_params())
    assert fit(estimator, X, y, qid, weight) is estimator
    estimator.predict(X)
    estimator.score(X, y, *([qid] if takes(estimator, "qid") else []))
    assert repr(estimator.get_params()) == parameters
    for array, was in zip((X, y, qid, weight), before, strict=True):
        np.testing.assert_array_equal(array, was, strict=True)


# --- not fitted, and shown to people ---------------------------------------------------------------------------------


@estimators_
def test_what_is_not_fitted_says_so(make):
    X, y, _ = data()
    methods = ["predict", "staged_predict", "predict_proba", "predict_rank", "predict_cumulative_proba"]
    for method in [*methods, "decision_function", "count_violations", "score"]:
        if hasattr(make(), method):
            with pytest.raises(NotFittedError):
                list(getattr(make(), method)(*([X, y] if method == "score" else [X])))
    assert not any(hasattr(make(), name) for name in ("model_", "n_rounds_", "n_trees_", "feature_importances_"))


@estimators_
def test_a_long_training_has_a_short_repr(make, request):
    if isinstance(make(), LambdaRanker):
        reason = "TwoLayerNet, of refrank/mcrank, prints its arrays"
        request.applymarker(pytest.mark.xfail(raises=AssertionError, strict=True, reason=reason))
    X, y, qid = data(24)
    X = np.hstack([X] * 30)
    turns = {name: 1000 for name in ("n_rounds", "n_trees") if name in make().get_params()}
    estimator = fit(make().set_params(**turns), X, y, qid)
    for shown in (estimator, estimator.model_, getattr(estimator, "forest_", None)):
        assert len(repr(shown)) < 2000

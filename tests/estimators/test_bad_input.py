"""Bad data and parameters: one error that names argument, value, place and rule, for every ranker that takes them."""

import re

import numpy as np
import pytest
from scipy import sparse

from refrank import LambdaRanker
from refrank.checks import check_finite
from tests.estimators.cases import TURNS, VARIANTS, changed, data, each, fit, parameters_of, takes, which

X, Y, QID = data()
variants = each(VARIANTS)
of_classes = which(lambda ranker: hasattr(ranker, "n_classes") and getattr(ranker, "setting", "") != "regression")
of_grades = which(lambda ranker: isinstance(ranker, LambdaRanker))


@variants
@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"y": Y[:-1]}, "inconsistent numbers of samples: [60, 59]"),
        ({"y": Y.astype(str)}, "y has type <U21: "),
        ({"X": np.empty((0, 5)), "y": []}, "Found array with 0 sample(s) (shape=(0, 5)) while a minimum of 1 is requ"),
        ({"X": X[:, :0]}, "0 feature(s) (shape=(60, 0)) while a minimum of 1 is required"),
        ({"qid": QID[:-1]}, "qid has shape (59,): it must have shape (n_samples,), one query id per row, here (60,)"),
        ({"qid": [20, 30, 10]}, "for group sizes, pass np.repeat(np.arange(len(sizes)), sizes)"),
        (
            {"sample_weight": np.ones(59)},
            "sample_weight has shape (59,): it must have shape (n_samples,), one weight per row of X, here (60,)",
        ),
        (
            {"sample_weight": changed(np.ones(60), 3, -0.5)},
            "sample_weight at row 3 is -0.5: weights must be finite and not negative",
        ),
        (
            {"sample_weight": changed(np.ones(60), 9, np.nan)},
            "sample_weight at row 9 is nan: weights must be finite and not negative",
        ),
        ({"sample_weight": np.zeros(60)}, "sample_weight is zero in every row: some row must count"),
        ({"sample_weight": np.full(60, 1e307)}, "sample_weight adds up to more than the largest float64: the sum must"),
    ],
    ids=lambda case: case[:30] if isinstance(case, str) else "",
)
def test_bad_data_is_named(make, arguments, message):
    if "sample_weight" in arguments and not takes(make(), "sample_weight"):
        pytest.skip("takes no weights")
    with pytest.raises(ValueError, match=re.escape(message)):
        make().fit(**{"X": X, "y": Y, **arguments})


@each(which(lambda ranker: not hasattr(ranker, "base")))
@pytest.mark.parametrize(
    ("place", "value", "shown"), [((7, 2), np.nan, "NaN"), ((59, 4), -np.inf, "-inf"), ((0, 0), np.inf, "inf")]
)
def test_bad_features_are_named(make, place, value, shown):
    ranker, bad = make(), changed(X, place, value)
    if shown == "NaN" and getattr(ranker, "missing", None):
        assert np.isfinite(fit(ranker, bad, Y).predict(bad)).all()
        return
    message = f"X at row {place[0]}, column {place[1]} is {shown}: every feature must be finite"
    with pytest.raises(ValueError, match=message):
        fit(ranker, bad, Y)
    ranker = fit(make(), X, Y)
    with pytest.raises(ValueError, match=message):
        ranker.predict(bad)


@variants
def test_bad_rows_to_predict_are_refused(make):
    ranker = fit(make(), X, Y)
    with pytest.raises(ValueError, match=r"X has 4 features, but .* is expecting 5 features as input"):
        ranker.predict(X[:, :4])
    with pytest.raises(TypeError, match=r"[Ss]parse"):
        ranker.predict(sparse.csr_array(X))


def test_names_of_columns_stand_in_messages():
    """scikit-learn takes them from pandas and polars tables; neither is needed for refrank."""
    names = ["bm25", "length", "links", "age", "clicks"]
    with pytest.raises(ValueError, match=r"X at row 3, column 1 \(length\) is NaN: every feature must be finite"):
        check_finite(changed(X, (3, 1), np.nan), names)


@each(of_classes | of_grades)
@pytest.mark.parametrize(
    ("y", "message"),
    [
        (changed(Y, 5, -1), "y at row 5 is -1.0: labels must be integers "),
        (changed(Y, 8, 0.5), "y at row 8 is 0.5: labels must be integers "),
        (Y.astype(str), "labels must be integers "),
    ],
)
def test_bad_labels_are_named(make, y, message):
    with pytest.raises(ValueError, match=re.escape(message)):
        fit(make(), X, y)


@each(of_classes)
def test_labels_are_of_several_classes_and_of_those_that_n_classes_says(make):
    with pytest.raises(ValueError, match=r"y is 2 in every row \(60 sample\(s\)\): a ranker needs labels of"):
        fit(make(), X, Y * 0 + 2)
    with pytest.raises(ValueError, match=r"y at row \d+ is 3: labels must be integers from 0 to n_classes - 1 = 2"):
        fit(make().set_params(n_classes=3), X, Y)
    with pytest.raises(ValueError, match="n_classes is 1: it must be an integer of at least 2"):
        fit(make().set_params(n_classes=1), X, Y)
    assert fit(make().set_params(n_classes=6), X, Y).n_classes_ == 6


@each(which(lambda ranker: getattr(ranker, "setting", "") == "regression"))
def test_targets_of_a_regression_are_finite(make):
    for value in (np.inf, np.nan):
        with pytest.raises(ValueError, match=r"infinity|NaN"):
            fit(make(), X, changed(Y, 2, value))


@each(of_classes)
@pytest.mark.parametrize("weighted", [False, True])
def test_more_than_64_classes_are_asked_about(make, weighted):
    """One label of 1,000,000 would train for ever. A row of weight 0 is not counted, and keeps its number."""
    ranker = make()
    weight = np.where(np.arange(60) == 2, 0.0, 1.0) if weighted else None
    for label in (64, 1_000_000):
        y = Y.copy()
        y[9] = label
        told = rf"y at row 9 is {label}: more than 64 classes .*; to train on them, pass n_classes"
        with pytest.raises(ValueError, match=told):
            fit(ranker, X, y, None, weight)
    if hasattr(ranker, "cost"):
        return  # costs have a scale of 32 grades, whatever n_classes says
    y[9] = 63
    y[2] = 1_000_000 if weighted else 0
    assert fit(ranker, X, y, None, weight).n_classes_ == 64
    y[9], y[2] = 70, 0
    assert fit(ranker.set_params(n_classes=71), X, y, None, weight).n_classes_ == 71


COUNT, NUMBER = "it must be an integer of at least 1", "it must be a number above 0 and at most 1"
SHARE = "it must be a share of the features, above 0 and at most 1, or their number, an integer of at least 1"
GRADE, WIDTH = "it must be an integer from 1 to 53", "it must be an integer from 2 to 65536"
RULES = [  # parameters, values that break their rule, and the rule
    ("n_rounds hidden n_epochs truncation max_depth min_samples_leaf", (0, -1, 2.5, True, "3", None), COUNT),
    ("n_threads", (0, 2.5, True), COUNT),
    ("n_leaves", (1, 2.5), "it must be an integer of at least 2"),
    ("n_trees", (-1, 2.5), "it must be an integer of at least "),
    ("n_bins", (1, 65537), WIDTH),
    ("growth", (1.0, "2"), "it must be a number at least 1.001"),
    ("learning_rate decay", (0.0, -0.1, np.nan, "fast", True, None), NUMBER),
    ("decay", (1.5,), NUMBER),
    ("max_grade", (0, 54, 2.5, "4"), GRADE),
    ("random_state", (-1, True), "it must be an integer of at least 0"),
    ("update", ("both", None), "it must be one of 'sequential', 'simultaneous'"),
    ("setting", ("ranking",), "it must be one of 'regression', 'classification'"),
    ("missing", ("nan",), "it must be one of 'zero', 'inf', 'mean', 'median', 'three-way'"),
    ("missing_value", ("NA", True), "it must be NaN, or a number that says missing"),
    ("initial", ("median",), "it must be one of 'zero', 'mean'"),
    ("objective", ("map", None, ["err"]), "it must be one of 'ndcg', 'err', 'ranknet'"),
    ("cost", ("hinge",), "it must be one of 'absolute', 'squared', 'oerr'"),
    ("n_jobs", (0, "2"), "it must be None, or an integer other than 0"),
    ("max_features", (6,), "it must be at most 5, as many as X has"),
    ("max_features", (0, -1, True), COUNT),
    ("max_features", (1.5, 0.0, np.nan, "sqrt", None), SHARE),
]
BAD_PARAMETERS = [
    pytest.param(make, name, value, rule, id=f"{algorithm}, {name}={value!r}")
    for names, values, rule in RULES
    for name in names.split()
    for value in values
    for algorithm, make in VARIANTS.items()
    if "," not in algorithm and name in parameters_of(type(make()))
]


@pytest.mark.parametrize(("make", "name", "value", "rule"), BAD_PARAMETERS)
def test_bad_parameters_are_named(make, name, value, rule):
    if isinstance(make(), LambdaRanker) and name == "learning_rate":  # a step, which may be longer than 1
        rule = rule.removesuffix(" 1")
    with pytest.raises(ValueError, match=re.escape(f"{name} is {value!r}: {rule}")):
        fit(make().set_params(**{name: value}), X, Y, QID)


@variants
def test_a_value_of_any_length_makes_a_short_message(make):
    name = next(name for name in (*TURNS, "n_jobs") if name in make().get_params())
    with pytest.raises(ValueError, match=f"^{name} is ") as fault:
        fit(make().set_params(**{name: "long" * 100_000}), X, Y)
    assert len(str(fault.value)) < 200

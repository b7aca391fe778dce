"""Bad data, parameters and models: refused by an error that names argument, value, place and rule."""

import re
import reprlib
import sys
from dataclasses import replace

import numpy as np
import pytest

from refrank import GBRTRanker, LambdaRanker
from refrank.checks import check_finite, check_integer, check_number, check_table_size
from refrank.trees.model.ensemble import Ensemble
from tests.estimators import cases
from tests.estimators.cases import ESTIMATORS, QID, TURNS, VARIANTS, X, Y, changed, each, fit, which

of_classes = which(lambda ranker: hasattr(ranker, "n_classes") and getattr(ranker, "setting", "") != "regression")
of_grades = which(lambda ranker: isinstance(ranker, LambdaRanker))
regressions = which(
    lambda estimator: getattr(estimator, "setting", "") == "regression" or hasattr(estimator, "variant"), ESTIMATORS
)
of_trees = which(lambda ranker: isinstance(fit(ranker).model_, Ensemble))
without_base = which(lambda estimator: not hasattr(estimator, "base"), ESTIMATORS)

ONES, WEIGHTS = np.ones(60), "weights must be finite and not negative"
BAD_DATA = [
    ({"y": Y[:-1]}, r"inconsistent numbers of samples: \[60, 59\]|y has shape \(59,\): .*, here \(60,\)"),
    ({"y": Y.astype(str)}, "y has type <U21: "),
    ({"qid": QID[:-1]}, r"qid has shape \(59,\): .* shape \(n_samples,\), one query id per row, here \(60,\)"),
    ({"qid": [20, 30, 10]}, r"group sizes: to get ids, pass np\.repeat\(np\.arange\(len\(sizes\)\), sizes\)"),
    ({"sample_weight": ONES[1:]}, r"sample_weight has shape \(59,\): .*, one weight per row of X, here \(60,\)"),
    ({"sample_weight": ONES[:, None]}, r"sample_weight has shape \(60, 1\): it must have shape \(n_samples,\)"),
    ({"sample_weight": changed(ONES, 3, -0.5)}, f"sample_weight at row 3 is -0.5: {WEIGHTS}"),
    ({"sample_weight": changed(ONES, 9, np.nan)}, f"sample_weight at row 9 is nan: {WEIGHTS}"),
    ({"sample_weight": ONES.astype("M8[s]")}, rf"sample_weight has type datetime64\[s\]: {WEIGHTS}"),
    ({"sample_weight": ONES + 1j}, f"sample_weight has type complex128: {WEIGHTS}"),
    ({"sample_weight": [10**400] * 60}, f"sample_weight has type object: {WEIGHTS}"),
    ({"sample_weight": ONES * 0}, "sample_weight is zero in every row: some row must count"),
    ({"sample_weight": ONES * 1e307}, "sample_weight adds up to more than the largest float64: the sum must"),
]


@each(ESTIMATORS)
@pytest.mark.parametrize(("arguments", "message"), BAD_DATA, ids=[message[:40] for _, message in BAD_DATA])
def test_bad_data_is_named(make, arguments, message):
    if not all(cases.takes(make(), name) for name in arguments):
        pytest.skip("takes no weights, or no queries")
    with pytest.raises(ValueError, match=message):
        make().fit(**{"X": X, "y": Y} | arguments)


@each(without_base)
@pytest.mark.parametrize(
    ("place", "value", "shown"), [((7, 2), np.nan, "NaN"), ((59, 4), -np.inf, "-inf"), ((0, 0), np.inf, "inf")]
)
def test_bad_features_are_named(make, place, value, shown):
    estimator, bad = make(), changed(X, place, value)
    if shown == "NaN" and getattr(estimator, "missing", None):
        assert np.isfinite(fit(estimator, bad).predict(bad)).all()
        return
    message = f"X at row {place[0]}, column {place[1]} is {shown}: every feature must be finite"
    with pytest.raises(ValueError, match=message):
        fit(estimator, bad)
    with pytest.raises(ValueError, match=message):
        fit(make()).predict(bad)


def test_names_of_columns_stand_in_messages():
    """scikit-learn takes them from pandas and polars tables; neither is needed for refrank."""
    names = ["bm25", "length", "links", "age", "clicks"]
    with pytest.raises(ValueError, match=r"X at row 3, column 1 \(length\) is NaN: every feature must be finite"):
        check_finite(changed(X, (3, 1), np.nan), names)


@each(of_classes | of_grades)
@pytest.mark.parametrize(("row", "label"), [(5, -1.0), (8, 0.5)])
def test_bad_labels_are_named(make, row, label):
    with pytest.raises(ValueError, match=f"y at row {row} is {label}: labels must be integers "):
        fit(make(), X, changed(Y, row, label))


@each(of_classes)
def test_labels_are_of_several_classes_and_of_those_that_n_classes_says(make):
    with pytest.raises(ValueError, match=r"y is 2 in every row \(60 sample\(s\)\): a ranker needs labels of"):
        fit(make(), X, Y * 0 + 2)
    with pytest.raises(ValueError, match=r"y at row \d+ is 3: labels must be integers from 0 to n_classes - 1 = 2"):
        fit(make().set_params(n_classes=3))
    for n_classes in (1, 10**9):
        with pytest.raises(ValueError, match=f"n_classes is {n_classes}: it must be an integer from 2 to 1024"):
            fit(make().set_params(n_classes=n_classes))
    assert fit(make().set_params(n_classes=6)).n_classes_ == 6


@each(regressions)
def test_targets_of_a_regression_are_finite(make):
    message = (
        r"infinity|NaN|y at row 2 is (inf|nan|1.1e\+290): (a target of regression must be fin|numbers must be at most)"
    )
    for value in (np.inf, np.nan, 1.1e290):
        with pytest.raises(ValueError, match=message):
            fit(make(), X, changed(Y, 2, value))
    if not hasattr(make(), "variant"):  # of M5P, which squares them
        assert np.isfinite(fit(make(), X, 1e290 * np.sign(Y - 1.0)).predict(X)).all()


@each(of_classes)
@pytest.mark.parametrize("weighted", [False, True])
def test_more_than_64_classes_are_asked_about(make, weighted):
    """One label of 1,000,000 would train forever. A row of weight 0 is not counted, and keeps its number."""
    if weighted and not cases.takes(make(), "sample_weight"):
        return
    weight = np.where(np.arange(60) == 0, 0.0, 0.5) if weighted else None
    for label in (64, 1_000_000):
        message = rf"y at row 9 is {label}: more than 64 classes .*; to train on them, pass n_classes"
        with pytest.raises(ValueError, match=message):
            fit(make(), X, changed(Y, 9, label), None, weight)
    if not hasattr(make(), "cost"):  # costs have a scale of 32 grades, whatever n_classes says
        y = changed(changed(Y, 9, 63), 0, 1_000_000 if weighted else 0)
        assert fit(make(), X, y, None, weight).n_classes_ == 64
        y = changed(changed(Y, 9, 70), 2, 0)
        assert fit(make().set_params(n_classes=71), X, y, None, weight).n_classes_ == 71


COUNT, NUMBER = "it must be an integer of at least 1", "it must be a number above 0 and at most 1"
SHARE = "it must be a share of the features, above 0 and at most 1, or their number, an integer of at least 1"
RULES = [  # parameters, values that break their rule, and the rule
    ("n_rounds hidden n_epochs patience truncation max_depth min_samples_leaf", (0, -1, 2.5, True, "3", None), COUNT),
    ("n_threads", (0, 2.5, True), COUNT),
    ("n_leaves", (1, 2.5), "it must be an integer of at least 2"),
    ("n_trees", (-1, 2.5), COUNT),
    ("n_bins", (1, 65537), "it must be an integer from 2 to 65536"),
    ("growth", (1.0, "2"), "it must be a number of at least 1.001"),
    ("learning_rate decay", (0.0, -0.1, np.nan, np.inf, "fast", True, None), NUMBER),
    ("decay", (1.5,), NUMBER),
    ("max_grade", (0, 54, 2.5, "4"), "it must be an integer from 1 to 53"),
    ("random_state", (-1, True, 2**128), f"it must be an integer from 0 to {2**128 - 1}"),
    ("update", ("both", None), "it must be one of 'sequential', 'simultaneous'"),
    ("base_class", ("median", None), "it must be one of 'best', 'worst'"),
    ("setting", ("ranking",), "it must be one of 'regression', 'classification'"),
    ("missing", ("nan",), "it must be one of 'zero', '-inf', 'inf', 'mean', 'median', 'three-way'"),
    ("missing_value", ("NA", True), "it must be NaN, or a number that says missing"),
    ("clip", (1,), "it must be True, False or 'each-round'"),
    ("warm_start", (1,), "it must be True or False"),
    ("initial", ("median",), "it must be one of 'zero', 'mean'"),
    ("objective", ("map", None, ["err"]), "it must be one of 'ndcg', 'err', 'ranknet'"),
    ("schedule", ("time", None), "it must be one of 'validation', 'cost'"),
    ("cost", ("hinge",), "it must be one of 'absolute', 'squared', 'oerr'"),
    ("variant", ("m5",), "it must be one of 'weka', 'published'"),
    ("weights", ("cost", None), "it must be one of 'importance', 'weka', 'counts'"),
    ("min_instances", (1, np.nan, "4"), "it must be a number of at least 2"),
    ("ridge", (0.0, np.nan, "4"), "it must be a number of at least 1e-15"),
    ("n_jobs", (0, "2", True, False, 2.0), "it must be None, or an integer other than 0"),
    ("max_features", (6,), "it must be at most 5, as many as X has"),
    ("max_features", (0, -1, True), COUNT),
    ("max_features", (1.5, 0.0, np.nan, "sqrt", None), SHARE),
]
OWN_RULES = {
    ("abc-logitboost", "update"): "it must be one of 'simultaneous'",
    ("robust-logitboost", "update"): "it must be one of 'simultaneous'",
    ("igbrt", "n_trees"): "it must be an integer of at least 0",
    ("lambdarank", "learning_rate"): "it must be a number above 0 and at most 1",
}
BAD_PARAMETERS = [
    pytest.param(make, name, value, rule, id=f"{algorithm}, {name}={value!r}")
    for names, values, rule in RULES
    for name in names.split()
    for value in values
    for algorithm, make in ESTIMATORS.items()
    if "," not in algorithm and name in cases.parameters_of(type(make()))
]


@pytest.mark.parametrize(("make", "name", "value", "rule"), BAD_PARAMETERS)
def test_bad_parameters_are_named(make, name, value, rule):
    rule = OWN_RULES.get((make().algorithm, name), rule)
    with pytest.raises(ValueError, match=f"^{re.escape(f'{name} is {value!r}: {rule}')}$"):
        fit(make().set_params(**{name: value}))


COUNTS = {name for names, _, rule in RULES if "an integer" in rule for name in names.split()} | {"n_classes", "verbose"}
BEYOND = [
    pytest.param(make, name, value, id=f"{algorithm}, {name}={value:.0e}")
    for algorithm, make in ESTIMATORS.items()
    for name in sorted(COUNTS & set(cases.parameters_of(type(make()))) - {"random_state", "verbose"})
    for value in (2**31, 2**63, 10**30)
]


@pytest.mark.parametrize(("make", "name", "value"), BEYOND)
def test_integers_beyond_int32_are_refused_or_mean_all_there_is(make, name, value):
    """They are refused before anything is allocated, and never end in an OverflowError."""
    estimator = make().set_params(**{name: value})
    if name == "n_jobs":
        fit(estimator)
        return
    rule = r"it must be (an integer (of at most|from \d+ to) \d+|at most 5, as many as X has)$"
    with pytest.raises(ValueError, match=rf"^{name} is {reprlib.repr(value)}: {rule}"):
        fit(estimator)


def test_the_bounds_themselves_are_lawful():
    check_table_size((2**31 - 1, 2**31 - 1))
    assert [check_integer("n_leaves", value, 2) for value in (2, 2**31 - 1)] == [2, 2**31 - 1]
    assert [check_integer("n_bins", value, 2, 65536) for value in (2, 65536)] == [2, 65536]
    assert check_number("ridge", 1e-15, at_least=1e-15) == 1e-15
    assert check_number("learning_rate", 1, above=0, at_most=1) == 1.0


@pytest.mark.parametrize("value", [np.inf, -np.inf, sys.float_info.max, -sys.float_info.max, 10**308, np.int8(0)])
def test_every_float_may_say_missing(value):
    holes = np.where(np.arange(60) % 7 == 0, float(value), X[:, 0])[:, np.newaxis]
    assert fit(GBRTRanker(n_rounds=1, missing="zero", missing_value=value), holes).missing_value == value


@each(which(lambda estimator: "random_state" in estimator.get_params()))
def test_the_largest_seed_is_taken(make):
    estimator = fit(make().set_params(random_state=2**128 - 1))
    assert getattr(estimator, "seed_", 2**128 - 1) == 2**128 - 1


@pytest.mark.parametrize("value", [10**400, -(10**400)])
def test_numbers_beyond_float64_are_named(value):
    with pytest.raises(ValueError, match=r"^learning_rate is -?1000.*: it must be a number above 0"):
        fit(GBRTRanker(learning_rate=value))
    with pytest.raises(ValueError, match=r"^missing_value is -?1000.*: it must be NaN, or a number that says missing"):
        fit(GBRTRanker(missing="zero", missing_value=value))


class UnreadTable:
    """A table whose shape may be asked for, and not its entries."""

    def __init__(self, shape):
        self.shape = shape

    def __array__(self, *_, **__):
        pytest.fail("it is read")


@each(without_base | which(lambda estimator: hasattr(estimator, "base")))
@pytest.mark.parametrize("shape", [(2**31, 1), (1, 2**31)])
def test_tables_that_int32_does_not_number_are_refused_before_they_are_read(make, shape):
    large, estimator = UnreadTable(shape), make()
    what = "rows" if shape[0] > 1 else "columns"
    message = f"X has 2147483648 {what}: there must be at most 2147483647, the highest int32"
    with pytest.raises(ValueError, match=message):
        estimator.fit(large, np.broadcast_to(0, shape[:1]))
    if hasattr(estimator, "prepare"):
        with pytest.raises(ValueError, match=message):
            estimator.prepare(large)


@each(VARIANTS)
def test_a_value_of_any_length_makes_a_short_message(make):
    name = next(name for name in (*TURNS, "n_jobs") if name in make().get_params())
    with pytest.raises(ValueError, match=f"^{name} is ") as fault:
        fit(make().set_params(**{name: "long" * 100_000}))
    assert len(str(fault.value)) < 200


# --- models that no fit made, by hand or from a pickle
ONE_COLUMN = ("m5p", "m5p, weights=weka", "m5p, weights=counts")  # their trees read no more of them here


@each({name: make for name, make in ESTIMATORS.items() if name not in ONE_COLUMN})
def test_a_matrix_with_fewer_columns_than_the_model_reads_is_refused(make):
    estimator, narrow = fit(make()), X[:, :1].copy()
    with pytest.raises(ValueError, match=r"X has 1 features, but .* is expecting 5"):
        estimator.predict(narrow)
    estimator.n_features_in_ = 1
    for call in ("predict", "staged_predict", "predict_proba"):
        if hasattr(estimator, call):
            with pytest.raises(ValueError, match=r"feature|columns|shape"):
                list(getattr(estimator, call)(narrow))


@each(of_trees)
@pytest.mark.parametrize("name", ["forest_", "model_"])
def test_a_tree_that_reads_a_column_too_many_is_refused(make, name):
    """Other trees that lead nowhere are in tests/trees/test_tree.py."""
    ranker = fit(make())
    if name in vars(ranker):
        (first, *others), *rounds = getattr(ranker, name).rounds
        harmed = ((replace(first, feature=np.full_like(first.feature, 5)), *others), *rounds)
        setattr(ranker, name, replace(getattr(ranker, name), rounds=harmed))
        for call in ("predict", "staged_predict"):
            with pytest.raises(ValueError, match="feature of node 0 in tree 0 is 5: it must be -1"):
                list(getattr(ranker, call)(X))


def mask(values, *place):
    """The values under a mask of one entry."""
    masked = np.ma.array(values, copy=True)
    masked[place] = np.ma.masked
    return masked


@each(ESTIMATORS)
def test_masked_entries_are_refused_and_masks_without_one_are_not(make):
    estimator = fit(make())
    scores = estimator.predict(X)
    for given, said in (
        ({"X": mask(X, 7, 2)}, "X at row 7, column 2 is masked: every entry must have a value"),
        ({"y": mask(Y, 5)}, "y at row 5 is masked: every entry must have a value"),
        ({"qid": mask(QID, 9)}, "qid at row 9 is masked: every entry must have a value"),
        ({"sample_weight": mask(np.ones(60), 0)}, "sample_weight at row 0 is masked: every entry must have a value"),
    ):
        if {*given} <= {"X", "y"} or cases.takes(make(), next(iter(given))):
            with pytest.raises(ValueError, match=f"^{said}"):
                fit(make(), **given)
    with pytest.raises(ValueError, match=r"^X at row 7, column 2 is masked"):
        estimator.predict(mask(X, 7, 2))
    whole = {name: np.ma.array(values) for name, values in (("X", X), ("y", Y), ("qid", QID))}
    assert np.array_equal(fit(make(), **whole).predict(np.ma.array(X, mask=False)), scores)

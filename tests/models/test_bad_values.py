"""A value that breaks a rule, in an array or in the head: a ValueError that names it."""

import copy

import numpy as np
import pytest
from sklearn.linear_model import RidgeCV

from refrank.cocr.reduction import COCRModel, Constant
from refrank.models.learned import check_costs
from tests.models.kinds import train
from tests.models.members import fault_of, write
from tests.models.test_hostile import put

TREES, H = "model_.rounds", "model_.soft_classifiers.1.regressor"
L, P = "model.learned", "model.parameters"
N_NODES, SHAPE, RATE = f"{TREES}.n_nodes.npy", f"{L}.{TREES}.shape", f"{L}.model_.learning_rate"
B, REGRESSOR, DRAWN = f"{P}.base.parameters", f"{L}.{H}.learned", f"{H}.estimators_features_.0.npy"


def shorter(array):
    return array[:-1]


# by kind: a place; of an array, an entry and what it becomes, or another array; of the head, a value; and the message
BAD = {
    "softmax": [
        (f"{TREES}.feature.npy", (0, 99), "model_.feature of node 0 in tree 0 is 99"),
        (f"{TREES}.feature.npy", (0, -2), "model_.feature of node 0"),
        (f"{TREES}.left.npy", ("last cut", 0), "is 0: it must be a later node"),
        (f"{TREES}.right.npy", ("last cut", 10**6), "model_.right of node"),
        (f"{TREES}.cut.npy", (0, np.nan), "model_.cut at row 0 is nan: it must not be NaN"),
        (f"{TREES}.value.npy", (0, np.inf), "model_.value at row 0 is inf: it must be finite"),
        (
            f"{TREES}.value.npy",
            (0, -1.1e290),
            "model_.value at row 0 is -1.1e+290: it must be finite, and at most",
        ),
        (N_NODES, (0, 0), f"{TREES}.feature has shape"),
        (N_NODES, (0, 2**62), "by n_nodes.npy it must have shape"),
        (N_NODES, (0, -1), f"{TREES}.n_nodes must be a row of integers of at least 0"),
        ("relevance_.npy", (2, np.nan), "relevance_ at row 2 is nan"),
        ("relevance_.npy", (2, 1.0), "must increase"),
        ("format", "another", "format must be"),
        ("version", 2, "version is 2: this release reads 3"),
        ("version", 1, "version is 1"),
        ("version", 3.0, "version is 3.0: this release reads 3"),
        ("version", [[1] * 1000] * 1000, "version is [["),
        ("more", 1, "format, version and model only"),
        ("model", [], "model is []: it must be an object"),
        ("model.type", "SVR", "type is 'SVR': it must be one of ABCLogitBoostRanker, COCRRanker"),
        ("model.type", {}, "type is {}"),
        ("model.type", "LSBoostRanker", "parameters has no field target"),
        (f"{P}", {}, "parameters has no field missing"),
        (f"{P}.n_threads", 10**9, "parameters has a field 'n_threads'"),
        (f"{P}.__class__", "x", "parameters has a field '__class__'"),
        (f"{P}.n_rounds", 0, "n_rounds is 0: it must be an integer of at least 1"),
        (f"{P}.n_rounds", True, "n_rounds is True"),
        (f"{P}.update", "both", "update is 'both': it must be of type"),
        (f"{P}.relevance", "x", "relevance is 'x'"),
        (f"{L}.n_features_in_", 0, "n_features_in_ is 0"),
        (f"{L}.n_features_in_", 2.0, "n_features_in_ is 2.0"),
        (f"{L}.n_features_in_", True, "n_features_in_ is True: it must be of type int"),
        (f"{L}.n_features_in_", 1, "feature of node"),
        (f"{L}.n_classes_", 5, "relevance_ has shape (6,)"),
        (f"{L}.n_classes_", 1, "n_classes_ is 1: it must be an integer from 2 to"),
        (f"{L}.n_classes_", 2**31, "n_classes_ is 2147483648: it must be an integer from 2 to 2147483647"),
        (f"{L}.n_queries_", 0, "n_queries_ is 0"),
        (f"{L}.feature_names_in_", ["a"], "feature_names_in_ has 1 entries: it must have 5"),
        (f"{L}.feature_names_in_", ["a", "b", "c", "d", 1], "feature_names_in_ is ('a', 'b', 'c', 'd', 1)"),
        (f"{L}.epochs_", 1, "learned has a field 'epochs_'"),
        (f"{L}.check_parameters", 1, "learned has a field 'check_parameters'"),
        (f"{L}.predict", 1, "learned has a field 'predict'"),
        (RATE, 1, "model_.learning_rate is 1: it must be of type float"),
        (RATE, 0.0, "model_.learning_rate is 0.0: it must be a number above 0 and"),
        (RATE, 1.5, "model_.learning_rate is 1.5: it must be a number above 0 and"),
        (f"{L}.model_.initial.0", {"float": "nan"}, "model_.initial is nan"),
        (f"{L}.model_.initial", [0.0], "model_.rounds[0] has 6 trees: it must have 1"),
        (f"{L}.model_.rounds.cut", {"npy": "x.npy"}, f"in a member of the file, {TREES}.cut.npy"),
        (SHAPE, [3, 4], "model_.rounds[0] has 4 trees: it must have 6"),
        (SHAPE, [2, 5], "is (2, 5): it must be the numbers of records, in all 12"),
        (SHAPE, [2, 7], "is (2, 7): it must be the numbers of records, in all 12"),
        (SHAPE, [1, 2, 6], "is (1, 2, 6): it must be the numbers of records, in all"),
        (SHAPE, [-2, -6], "is (-2, -6): it must be the numbers of records, in all"),
        (SHAPE, [10**9, 0], "model_.rounds.shape"),
        (f"{TREES}.split_gain.npy", (0, -1.0), "model_.split_gain at row 0 is -1.0: it must be at le"),
        (f"{TREES}.split_gain.npy", (0, np.nan), "model_.split_gain at row 0 is nan: it must be at"),
        (f"{TREES}.n_node_samples.npy", (0, -1), "model_.n_node_samples at row 0 is -1: it must"),
        (f"{TREES}.value.npy", lambda value: value.astype("f4"), "model_.rounds.value is array"),
        (N_NODES, lambda n_nodes: n_nodes[:, np.newaxis], f"{TREES}.n_nodes must be a row of integers of at least 0"),
        (f"{L}.model_.rounds", [], "model_.rounds must not be empty"),
        (f"{P}.growth", 1.0, "growth is 1.0: it must be a number of at least 1.001"),
        (f"{P}.n_classes", 1, "n_classes is 1"),
        (f"{P}.learning_rate", 10**400, "learning_rate is 1000"),
        (f"{P}.relevance", [0.0], "relevance has shape (1,)"),
        (f"{P}.relevance", [0.0, 1.0, 2.0, 2.0, 3.0, 4.0], "relevance at row 3 is 2.0: values must increase"),
        (f"{P}.relevance", [10**400] * 6, "relevance is [1000"),
    ],
    "igbrt of classes": [
        ("fill_.npy", (0, np.nan), "fill_ at row 0 is nan"),
        ("forest_.rounds.left.npy", ("last cut", 0), "forest_.left of node"),
        (f"{P}.setting", "both", "setting is 'both'"),
        (f"{P}.setting", "regression", "n_classes_"),
        (f"{P}.missing", None, "fill_ must be there where missing is"),
        (f"{P}.missing_value", "0", "missing_value is '0'"),
        (f"{P}.clip", 1, "clip is 1"),
        (f"{P}.random_state", 5, "random_state is 5: it must be seed_"),
        (f"{P}.random_state", -1, "random_state is -1"),
        (f"{L}.seed_", -1, "seed_ is -1: it must be an integer from 0 to"),
        ("fill_.npy", shorter, "fill_ has shape (4,): it must have shape (n_features_in_,), here (5,)"),
        (f"{L}.fill_", None, "fill_ must be there where missing is: three-way"),
        (f"{P}.max_features", 6, "max_features is 6: it must be at most 5"),
        (f"{P}.max_features", 0.0, "max_features is 0.0"),
    ],
    "lambdarank": [
        ("model_.feature_scale.npy", (0, np.inf), "model_.feature_scale at row 0 is inf: it must"),
        (f"{L}.best_round_", 0, "best_round_ is 0: it must be an integer from 1 to 2147483647"),
        (f"{L}.best_round_", "1", "best_round_ is '1'"),
        (f"{L}.best_round_", 9, "best_round_ is 9: it must be "),
        (f"{L}.max_grade_", 0, "max_grade_ is 0"),
        (f"{L}.n_features_in_", 2, "feature_mean has shape (5,)"),
        ("history_.npy", lambda history: history[:, np.newaxis], "history_ has shape (3, 1): it must have shape"),
        ("history_.npy", lambda history: history[:0], "history_ has shape (0,): it must have shape"),
        ("costs_.npy", lambda costs: costs[:0], "costs_ has 0 entries: it must have 1 to 3"),
        ("costs_.npy", lambda costs: np.tile(costs, 2), "costs_ has 6 entries: it must have 1 to 3"),
        ("history_.npy", (1, -np.inf), "history_ at row 1 is -inf: means must be finite"),
        ("costs_.npy", (0, np.nan), "costs_ at row 0 is nan: costs must be finite"),
        ("learning_rates_.npy", (2, np.inf), "learning_rates_ at row 2 is inf: rates must be finite and above 0"),
        ("learning_rates_.npy", (1, 0.0), "learning_rates_ at row 1 is 0.0: rates must be finite and above 0"),
        ("learning_rates_.npy", shorter, "learning_rates_ has shape (2,): it must have shape"),
    ],
    "m5p": [
        ("model_.feature.npy", (0, 5), "model_.feature at row 0 is 5"),
        (f"{P}.min_instances", 1, "min_instances is 1: it must be a number of at least 2"),
    ],
    "cocr over m5p": [
        (f"{H}.model_.left.npy", (0, 0), f"{H}.model_.left at row 0 is 0"),
        (f"{B}.min_instances", 1, "base.min_instances is 1: it must be a number of at least 2"),
    ],
    "cocr": [
        (f"{H}.coef_.npy", (0, np.nan), f"{H}.coef_ at row 0 is nan: it must be finite"),
        ("cost_table_.npy", ((1, 1), 3), "cost at row 1, column 1 is 3"),
        ("cost_table_.npy", ((0, 1), -1), "cost at row 0, column 1 is -1"),
        (f"{P}.base", 1, "base is 1"),
        (f"{P}.base.type", "SVR", "base.type is 'SVR'"),
        (f"{P}.n_jobs", 10**6, "n_jobs is 1000000"),
        (f"{L}.model_.soft_classifiers", [], "soft_classifiers has 0 entries: it must have 5"),
        (f"{L}.model_.soft_classifiers.0", {"type": "Constant", "value": 0.5}, "must be 0 or 1"),
        (f"{L}.cost_shape_.convex", [], "cost_shape_ must be that of cost_table_"),
        (f"{H}.coef_.npy", shorter, "coef_ has shape (4,): it must have shape of the features, here (5,)"),
        (f"{REGRESSOR}.intercept_", {"float": "inf"}, "intercept_ at row 0 is inf: it must be finite"),
        (f"{P}.cost", [[0.0, 1.0], [1.0, 0.0]], "cost has shape (2, 2)"),
        (f"{P}.n_jobs", True, "n_jobs is True"),
    ],
    "cocr over bagged ridge": [
        (DRAWN, (0, 5), "is 5: features must be integers from 0 to 4"),
        (f"{H}.estimators_features_.2.npy", (1, -1), "features_.2 at row 1 is -1: features"),
        (DRAWN, shorter, "estimators_features_.0 has shape (1,): it must have shape (n_f"),
        (f"{L}.{H}.parameters.n_estimators", 7, "estimators_ and estimators_features_ must have 7 entries, of n_es"),
        (f"{L}.{H}.parameters.n_estimators", 2, "must have 2 entries, of n_es"),
        (f"{B}.estimator", None, "base.estimator is None: a bag in a file says its own"),
    ],
    "ordinal": [
        (f"{L}.constants_", [None] * 4, "constants_ must have 5 entries"),
        (f"{L}.constants_.0", 0.5, "constants_"),
        (f"{L}.constants_.0", None, "model_ has 4 outputs"),
    ],
    "weka-linear": [
        ("coef_.npy", (0, np.nan), "coef_ at row 0 is nan: it must be finite"),
        ("coef_.npy", shorter, "coef_ has shape (4,): it must have shape of the features, here (5,)"),
        (f"{L}.intercept_", {"float": "-inf"}, "intercept_ at row 0 is -inf: it must be finite"),
    ],
    "cocr over gbrt": [
        (f"{REGRESSOR}.n_features_in_", 6, "regressor.n_features_in_ is 6: it must be the ranker's"),
        (f"{B}.random_state", -1, "base.random_state is -1: it must be an integer from 0 to"),
        (f"{B}.n_classes", 1, "base.n_classes is 1: it must be an integer from 2 to 1024"),
        (f"{B}.missing_value", 10**400, "base.missing_value is 1000"),
    ],
    "cocr over ridge": [(f"{B}.alpha_per_target", 10**400, "base.parameters are not those of a RidgeCV: ")],
    "own target": [(f"{P}.target", {"float": "nan"}, "target is nan")],
}


@pytest.mark.parametrize(("name", "place", "value", "message"), [(name, *row) for name in BAD for row in BAD[name]])
def test_a_bad_value_is_named(tmp_path, parts, name, place, value, message):
    members = parts[name]
    if callable(value):
        members = {**members, place: value(members[place])}
    elif place.endswith(".npy"):
        (at, entry), array = value, members[place].copy()
        if at == "last cut":
            at = np.flatnonzero(members[f"{place.rsplit('.', 2)[0]}.feature.npy"] >= 0)[-1]
        array[at] = entry
        members = {**members, place: array}
    else:
        members = put(members, [int(key) if key.isdecimal() else key for key in place.split(".")], value)
    write(tmp_path / "m", members)
    fault_of(tmp_path / "m", message)


def test_whatever_scikit_learn_raises_of_its_parameters_is_about_them(tmp_path, parts, monkeypatch):
    def fail(_):
        raise TypeError("'<' not supported")

    write(tmp_path / "m", parts["cocr over ridge"])
    monkeypatch.setattr(RidgeCV, "_validate_params", fail)
    fault_of(tmp_path / "m", "base.parameters are not those of a RidgeCV: '<' not supported")


@pytest.mark.parametrize("n_answers", range(8))
@pytest.mark.parametrize("finished", [True, False])
def test_costs_of_six_grades_ask_for_five_answers_and_an_unfinished_training_has_fewer(finished, n_answers):
    ranker = copy.copy(train("cocr"))
    answers = COCRModel(tuple(Constant(1.0) for _ in range(n_answers)))
    if finished:
        ranker.model_ = answers
    else:
        del ranker.model_
        ranker.unfinished_ = answers
    if n_answers == 5 if finished else 1 <= n_answers <= 4:
        return check_costs(ranker)
    message = "model_.soft_classifiers has . entries: it must have 5"
    with pytest.raises(ValueError, match=message if finished else "unfinished_.* has . entries: it must have 1 to 4"):
        check_costs(ranker)

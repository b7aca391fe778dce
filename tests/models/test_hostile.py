"""A field or an array that is not as written: a ValueError that names it, or a model that stays in its arrays."""

import copy
import re
from functools import reduce
from operator import getitem

import numpy as np
import pytest

from refrank.models import load_model
from refrank.models.learned import SCIKIT
from tests.models.kinds import train
from tests.models.members import HEAD, KINDS, answer, fault_of, refused_or_harmless, write

kinds = pytest.mark.parametrize("name", KINDS)
NAN = {"float": "nan"}
WRONG = [None, -2, 10**6, 10**400, 0.5, "x", [], {}, True, [[1]], NAN, {"type": "Ensemble"}, {"npy": "a.npy"}]


def is_first(place):
    """Of regressors that are alike, one is damaged: the first problem that is not one-sided, the first of a bag."""
    return not re.search(r"soft_classifiers\.[2-9]|estimators_\.[1-9]", ".".join(map(str, place)))


def places(value, path=()):
    """Every place in a document, except the document."""
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in list(items):
        if is_first((*path, key)):
            yield (*path, key)
            yield from places(item, (*path, key))


def put(members, place, *value):
    """The members with another value in a place of the head, or without one."""
    changed = copy.deepcopy(members[HEAD])
    inner = reduce(getitem, place[:-1], changed)
    if value:
        inner[place[-1]] = value[0]
    else:
        del inner[place[-1]]
    return {**members, HEAD: changed}


@kinds
def test_each_field_is_needed_and_of_another_type_refused_or_harmless(tmp_path, parts, name):
    path, members = tmp_path / "m", parts[name]
    write(path, members)
    assert answer(load_model(path), name) == answer(train(name), name)
    for number, place in enumerate(places(members[HEAD])):
        if isinstance(place[-1], str):
            write(path, put(members, place))
            if place[-2:-1] == ("parameters",) and reduce(getitem, place[:-2], members[HEAD])["type"] in SCIKIT:
                refused_or_harmless(path, name)  # of scikit-learn, what is not said is the default
            else:
                fault_of(path)
        for value in WRONG[number % 3 :: 3]:
            write(path, put(members, place, value))
            refused_or_harmless(path, name)


@kinds
def test_each_array_is_needed_whole_of_its_type_and_in_range(tmp_path, parts, name):
    path, members = tmp_path / "m", parts[name]
    for member, array in members.items():
        if member == HEAD:
            continue
        write(path, {key: value for key, value in members.items() if key != member})
        fault_of(path, member)
        if not is_first([member]):
            continue
        integers = array.dtype.kind in "iu"
        with np.errstate(invalid="ignore"):
            other = array.astype(np.float32 if integers else np.int64)
        for changed in (array[:-1], array[..., np.newaxis], np.concatenate([array, array]), array.astype("U3"), other):
            same = changed.shape == array.shape and (changed.dtype == array.dtype or "cost_table_" in member)
            if not same and not member.endswith("alphas.npy"):  # a parameter: any array will do
                write(path, {**members, member: changed})
                fault_of(path)
        for value in (-7, 0, 5, 2**31 - 1) if integers else (np.nan, np.inf, -1e308):
            for at in {0, array.size // 2, array.size - 1} if array.size else ():
                changed = array.copy()
                changed.flat[at] = np.array(value).astype(array.dtype)
                write(path, {**members, member: changed})
                refused_or_harmless(path, name)


TREES, H = "model_.rounds", "model_.soft_classifiers.1.regressor"
L, P = "model.learned", "model.parameters"


@pytest.mark.parametrize(
    ("name", "place", "value", "message"),
    [
        # of an array: an entry, and what it becomes
        ("softmax", f"{TREES}.feature.npy", (0, 99), "model_.feature of node 0 in tree 0 is 99"),
        ("softmax", f"{TREES}.feature.npy", (0, -2), "model_.feature of node 0"),
        ("softmax", f"{TREES}.left.npy", ("last cut", 0), "is 0: it must be a later node"),
        ("softmax", f"{TREES}.right.npy", ("last cut", 10**6), "model_.right of node"),
        ("softmax", f"{TREES}.cut.npy", (0, np.nan), "model_.cut at row 0 is nan: it must not be NaN"),
        ("softmax", f"{TREES}.value.npy", (0, np.inf), "model_.value at row 0 is inf: it must be finite"),
        ("softmax", f"{TREES}.n_nodes.npy", (0, 0), f"{TREES}.feature has shape"),
        ("softmax", f"{TREES}.n_nodes.npy", (0, 2**62), "by n_nodes.npy it must have shape"),
        ("softmax", f"{TREES}.n_nodes.npy", (0, -1), f"{TREES}.n_nodes must be a row of integers of at least 0"),
        ("softmax", "relevance_.npy", (2, np.nan), "relevance_ at row 2 is nan"),
        ("softmax", "relevance_.npy", (2, 1.0), "must increase"),
        ("igbrt of classes", "fill_.npy", (0, np.nan), "fill_ at row 0 is nan"),
        ("igbrt of classes", "forest_.rounds.left.npy", ("last cut", 0), "forest_.left of node"),
        ("lambdarank", "model_.feature_scale.npy", (0, np.inf), "model_.feature_scale at row 0 is inf: it must"),
        ("m5p", "model_.feature.npy", (0, 5), "model_.feature at row 0 is 5"),
        ("cocr over m5p", f"{H}.model_.left.npy", (0, 0), f"{H}.model_.left at row 0 is 0"),
        ("cocr", f"{H}.coef_.npy", (0, np.nan), f"{H}.coef_ at row 0 is nan: it must be finite"),
        ("cocr", "cost_table_.npy", ((1, 1), 3), "cost at row 1, column 1 is 3"),
        ("cocr", "cost_table_.npy", ((0, 1), -1), "cost at row 0, column 1 is -1"),
        (
            "cocr over bagged ridge",
            f"{H}.estimators_features_.0.npy",
            (0, 5),
            "is 5: features must be integers from 0 to 4",
        ),
        ("cocr over bagged ridge", f"{H}.estimators_features_.2.npy", (1, -1), "features_.2 at row 1 is -1: features"),
        # of the head
        ("softmax", "format", "another", "format must be"),
        ("softmax", "version", 3, "version is 3: this release reads 2"),
        ("softmax", "version", 1, "version is 1"),
        ("softmax", "version", 2.0, "version is 2.0: this release reads 2"),
        ("softmax", "version", [[1] * 1000] * 1000, "version is [["),
        ("softmax", "more", 1, "format, version and model only"),
        ("softmax", "model", [], "model is []: it must be an object"),
        ("softmax", "model.type", "SVR", "type is 'SVR': it must be one of COCRRanker"),
        ("softmax", "model.type", {}, "type is {}"),
        ("softmax", "model.type", "LSBoostRanker", "parameters has no field target"),
        ("softmax", f"{P}", {}, "parameters has no field n_rounds"),
        ("softmax", f"{P}.n_threads", 10**9, "parameters has a field 'n_threads'"),
        ("softmax", f"{P}.__class__", "x", "parameters has a field '__class__'"),
        ("softmax", f"{P}.n_rounds", 0, "n_rounds is 0: it must be an integer of at least 1"),
        ("softmax", f"{P}.n_rounds", True, "n_rounds is True"),
        ("softmax", f"{P}.update", "both", "update is 'both': it must be of type"),
        ("softmax", f"{P}.relevance", "x", "relevance is 'x'"),
        ("softmax", f"{L}.n_features_in_", 0, "n_features_in_ is 0"),
        ("softmax", f"{L}.n_features_in_", 2.0, "n_features_in_ is 2.0"),
        ("softmax", f"{L}.n_features_in_", True, "n_features_in_ is True: it must be of type int"),
        ("softmax", f"{L}.n_features_in_", 1, "feature of node"),
        ("softmax", f"{L}.n_classes_", 5, "relevance_ has shape (6,)"),
        ("softmax", f"{L}.n_classes_", 1, "n_classes_ is 1: it must be an integer from 2 to"),
        ("softmax", f"{L}.n_classes_", 2**31, "n_classes_ is 2147483648: it must be an integer from 2 to 2147483647"),
        ("softmax", f"{L}.n_queries_", 0, "n_queries_ is 0"),
        ("softmax", f"{L}.feature_names_in_", ["a"], "feature_names_in_ has 1 entries: it must have 5"),
        ("softmax", f"{L}.feature_names_in_", ["a", "b", "c", "d", 1], "feature_names_in_ is ('a', 'b', 'c', 'd', 1)"),
        ("softmax", f"{L}.epochs_", 1, "learned has a field 'epochs_'"),
        ("softmax", f"{L}.check_parameters", 1, "learned has a field 'check_parameters'"),
        ("softmax", f"{L}.predict", 1, "learned has a field 'predict'"),
        ("softmax", f"{L}.model_.learning_rate", 1, "model_.learning_rate is 1: it must be of type float"),
        (
            "softmax",
            f"{L}.model_.learning_rate",
            0.0,
            "model_.learning_rate is 0.0: it must be a number above 0 and",
        ),
        (
            "softmax",
            f"{L}.model_.learning_rate",
            1.5,
            "model_.learning_rate is 1.5: it must be a number above 0 and",
        ),
        ("softmax", f"{L}.model_.initial.0", {"float": "nan"}, "model_.initial is nan"),
        ("softmax", f"{L}.model_.initial", [0.0], "model_.rounds[0] has 6 trees: it must have 1"),
        ("softmax", f"{L}.model_.rounds.cut", {"npy": "x.npy"}, f"in a member of the file, {TREES}.cut.npy"),
        ("softmax", f"{L}.model_.rounds.shape", [3, 4], "model_.rounds[0] has 4 trees: it must have 6"),
        ("softmax", f"{L}.model_.rounds.shape", [2, 5], "is (2, 5): it must be the numbers of records, in all 12"),
        ("softmax", f"{L}.model_.rounds.shape", [2, 7], "is (2, 7): it must be the numbers of records, in all 12"),
        ("softmax", f"{L}.model_.rounds.shape", [1, 2, 6], "is (1, 2, 6): it must be the numbers of records, in all"),
        ("softmax", f"{L}.model_.rounds.shape", [-2, -6], "is (-2, -6): it must be the numbers of records, in all"),
        ("softmax", f"{L}.model_.rounds.shape", [10**9, 0], "model_.rounds.shape"),
        ("ordinal", f"{L}.constants_", [None] * 4, "constants_ must have 5 entries"),
        ("ordinal", f"{L}.constants_.0", 0.5, "constants_"),
        ("ordinal", f"{L}.constants_.0", None, "model_ has 4 outputs"),
        ("igbrt of classes", f"{P}.setting", "both", "setting is 'both'"),
        ("igbrt of classes", f"{P}.setting", "regression", "n_classes_"),
        ("igbrt of classes", f"{P}.missing", None, "fill_ must be there where missing is"),
        ("igbrt of classes", f"{P}.missing_value", "0", "missing_value is '0'"),
        ("igbrt of classes", f"{P}.clip", 1, "clip is 1"),
        ("igbrt of classes", f"{P}.random_state", 5, "random_state is 5: it must be seed_"),
        ("igbrt of classes", f"{P}.random_state", -1, "random_state is -1"),
        ("igbrt of classes", f"{L}.seed_", -1, "seed_ is -1: it must be an integer from 0 to"),
        ("lambdarank", f"{L}.best_epoch_", 0, "best_epoch_ is 0: it must be an integer from 1 to 2147483647"),
        ("lambdarank", f"{L}.best_epoch_", "1", "best_epoch_ is '1'"),
        ("lambdarank", f"{L}.max_grade_", 0, "max_grade_ is 0"),
        ("lambdarank", f"{L}.n_features_in_", 2, "feature_mean has shape (5,)"),
        ("cocr", f"{P}.base", 1, "base is 1"),
        ("cocr", f"{P}.base.type", "SVR", "base.type is 'SVR'"),
        ("cocr", f"{P}.n_jobs", 10**6, "n_jobs is 1000000"),
        ("cocr", f"{L}.model_.soft_classifiers", [], "soft_classifiers has 0 entries: it must have 5"),
        ("cocr", f"{L}.model_.soft_classifiers.0", {"type": "Constant", "value": 0.5}, "must be 0 or 1"),
        ("cocr", f"{L}.cost_shape_.convex", [], "cost_shape_ must be that of cost_table_"),
    ],
)
def test_a_bad_value_is_named(tmp_path, parts, name, place, value, message):
    members = parts[name]
    if place.endswith(".npy"):
        (at, entry), array = value, members[place].copy()
        if at == "last cut":
            at = np.flatnonzero(members[f"{place.rsplit('.', 2)[0]}.feature.npy"] >= 0)[-1]
        array[at] = entry
        write(tmp_path / "m", {**members, place: array})
    else:
        write(tmp_path / "m", put(members, [int(key) if key.isdecimal() else key for key in place.split(".")], value))
    fault_of(tmp_path / "m", message)


def test_problems_that_are_all_constant_leave_no_ensemble(tmp_path, parts):
    members = parts["ordinal"]
    held = reduce(getitem, ["model", "learned"], members[HEAD])
    constants = [1.0] * len(held["constants_"])
    for place, value in (("constants_", constants), ("model_.initial", []), ("model_.rounds", [])):
        members = put(members, ["model", "learned", *place.split(".")], value)
    write(tmp_path / "m", {name: array for name, array in members.items() if ".rounds." not in name})
    fault_of(tmp_path / "m", "model_.rounds must not be empty")


def test_a_net_without_hidden_units_is_refused(tmp_path, parts):
    arrays = {name: array for name, array in parts["lambdarank"].items() if "net_.hid" in name or "model_." in name}
    arrays = {name: array for name, array in arrays.items() if "feature" not in name}
    write(tmp_path / "m", parts["lambdarank"] | {name: array[..., :0] for name, array in arrays.items()})
    fault_of(tmp_path / "m", "at least one hidden unit")


def test_estimators_in_estimators_without_end(tmp_path, parts):
    place = ["model", "parameters", "base"]
    inner = reduce(getitem, place, parts["cocr"][HEAD])
    for _ in range(30):  # each asks the next twice: without a bound, loading would not end
        inner = {"type": "BaggingRegressor", "parameters": {"estimator": inner}}
    write(tmp_path / "m", put(parts["cocr"], place, inner))
    fault_of(tmp_path / "m", "nested too deeply")

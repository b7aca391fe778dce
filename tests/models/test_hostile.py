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

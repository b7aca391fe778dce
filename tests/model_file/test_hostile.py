"""A damaged or hostile model file is a ValueError that names file and field, or a model that stays in its arrays."""

import copy
import io
import json
import re
import warnings
import zipfile
from contextlib import suppress
from functools import reduce
from operator import getitem

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.model_file import describe_model, load_model, save_model
from refrank.model_file.learned import SCIKIT
from tests.model_file.kinds import rows_for, train

KINDS = (
    *("softmax", "ordinal", "mirrored", "own target", "igbrt of classes", "lambdarank", "m5p", "cocr", "cocr over m5p"),
    *("cocr over bagged ridge", "cocr over ridge", "cocr over gbrt"),
)
kinds = pytest.mark.parametrize("name", KINDS)
NAN = {"float": "nan"}
WRONG = [None, -2, 10**6, 10**400, 0.5, "x", [], {}, True, [[1]], NAN, {"type": "Ensemble"}, {"npy": "a.npy"}]


@pytest.fixture(scope="module")
def parts(tmp_path_factory):
    """The head and the arrays of the file of each kind."""
    found = {}
    for name in KINDS:
        path = tmp_path_factory.getbasetemp() / "whole"
        save_model(train(name), path)
        with zipfile.ZipFile(path) as file:
            members = {member: file.read(member) for member in file.namelist()}
        head = json.loads(members.pop("head.json"))
        found[name] = head, {member: np.load(io.BytesIO(content)) for member, content in members.items()}
    return found


def write(path, head, arrays, compression=zipfile.ZIP_STORED):
    """Write a file as another program may; an array can be given as its bytes."""
    with zipfile.ZipFile(path, "w", compression) as file:
        file.writestr("head.json", head if isinstance(head, str) else json.dumps(head))
        for member, array in arrays.items():
            content = io.BytesIO()
            if not isinstance(array, bytes):
                np.lib.format.write_array(content, array, version=(1, 0))
            file.writestr(member, array if isinstance(array, bytes) else content.getvalue())


def fault_of(path, *told):
    with pytest.raises(ValueError, match="is not a refrank model") as found:
        load_model(path)
    check_message(str(found.value), path, *told)


def check_message(message, path, *told):
    assert message.startswith(f"{path} is not a refrank model: ")
    assert "\n" not in message
    assert len(message) < 600, message
    assert all(part in message for part in told), message


def refused_or_harmless(path, name):
    """Load a file; what is read predicts, or refuses the rows, and is described, whatever it says."""
    with np.errstate(all="ignore"), warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            estimator = load_model(path)
        except ValueError as fault:
            return check_message(str(fault), path)
        with suppress(ValueError):
            estimator.predict(rows_for(name))
        assert describe_model(path)


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


def put(head, place, *value):
    """A copy of the head with another value in a place, or without one."""
    changed = copy.deepcopy(head)
    inner = reduce(getitem, place[:-1], changed)
    if value:
        inner[place[-1]] = value[0]
    else:
        del inner[place[-1]]
    return changed


@kinds
def test_each_field_is_needed(tmp_path, parts, name):
    head, arrays = parts[name]
    path = tmp_path / "m"
    write(path, head, arrays)
    assert load_model(path).predict(rows_for(name)).tobytes() == train(name).predict(rows_for(name)).tobytes()
    for place in places(head):
        if isinstance(place[-1], str):
            write(path, put(head, place), arrays)
            if place[-2:-1] == ("parameters",) and reduce(getitem, place[:-2], head)["type"] in SCIKIT:
                refused_or_harmless(path, name)  # of scikit-learn, what is not said is the default
            else:
                fault_of(path)


@kinds
def test_each_value_of_another_type_is_refused_or_harmless(tmp_path, parts, name):
    head, arrays = parts[name]
    path = tmp_path / "m"
    for number, place in enumerate(places(head)):
        for value in WRONG[number % 3 :: 3]:
            write(path, put(head, place, value), arrays)
            refused_or_harmless(path, name)


@kinds
def test_each_array_is_needed_whole_of_its_type_and_in_range(tmp_path, parts, name):
    head, arrays = parts[name]
    path = tmp_path / "m"
    for member, array in arrays.items():
        write(path, head, {key: value for key, value in arrays.items() if key != member})
        fault_of(path, member)
        if not is_first([member]):
            continue
        with np.errstate(invalid="ignore"):
            other = array.astype(np.float32 if array.dtype.kind in "iu" else np.int64)
        for changed in (array[:-1], array[..., np.newaxis], np.concatenate([array, array]), array.astype("U3"), other):
            same = changed.shape == array.shape and (changed.dtype == array.dtype or "cost_table_" in member)
            if not same and not member.endswith("alphas.npy"):  # a parameter: any array will do
                write(path, head, {**arrays, member: changed})
                fault_of(path)
        for value in (-7, 0, 5, 2**31 - 1) if array.dtype.kind in "iu" else (np.nan, np.inf, -1e308):
            for at in {0, array.size // 2, array.size - 1} if array.size else ():
                changed = array.copy()
                changed.flat[at] = np.array(value).astype(array.dtype)
                write(path, head, {**arrays, member: changed})
                refused_or_harmless(path, name)


TREES, H = "model_.rounds", "model_.soft_classifiers.1.regressor"


@pytest.mark.parametrize(
    ("name", "member", "at", "value", "told"),
    [
        ("softmax", f"{TREES}.feature", 0, 99, "model_.feature of node 0 in tree 0 is 99"),
        ("softmax", f"{TREES}.feature", 0, -2, "model_.feature of node 0"),
        ("softmax", f"{TREES}.left", "last cut", 0, "is 0: it must be a later node"),
        ("softmax", f"{TREES}.right", "last cut", 10**6, "model_.right of node"),
        ("softmax", f"{TREES}.cut", 0, np.nan, "model_.cut at row 0 is nan: it must not be NaN"),
        ("softmax", f"{TREES}.value", 0, np.inf, "model_.value at row 0 is inf: it must be finite"),
        ("softmax", f"{TREES}.n_nodes", 0, 0, f"{TREES}.feature has shape"),
        ("softmax", f"{TREES}.n_nodes", 0, 2**62, "by n_nodes.npy it must have shape"),
        ("softmax", f"{TREES}.n_nodes", 0, -1, f"{TREES}.n_nodes must be a row of integers of at least 0"),
        ("softmax", "relevance_", 2, np.nan, "relevance_ at row 2 is nan"),
        ("softmax", "relevance_", 2, 1.0, "must increase"),
        ("igbrt of classes", "fill_", 0, np.nan, "fill_ at row 0 is nan"),
        ("igbrt of classes", "forest_.rounds.left", "last cut", 0, "forest_.left of node"),
        ("lambdarank", "model_.feature_scale", 0, np.inf, "model_.feature_scale at row 0 is inf: it must be finite"),
        ("m5p", "model_.feature", 0, 5, "model_.feature at row 0 is 5"),
        ("m5p", "model_.left", 0, 0, "model_.left at row 0 is 0: a child must be a later node"),
        ("m5p", "model_.models.coefficients", 0, np.nan, "finite"),
        ("cocr over m5p", f"{H}.model_.left", 0, 0, f"{H}.model_.left at row 0 is 0"),
        ("cocr", f"{H}.coef_", 0, np.nan, f"{H}.coef_ at row 0 is nan: it must be finite"),
        ("cocr", "cost_table_", (1, 1), 3, "cost at row 1, column 1 is 3"),
        ("cocr", "cost_table_", (0, 1), -1, "cost at row 0, column 1 is -1"),
        ("cocr over bagged ridge", f"{H}.estimators_features_.0", 0, 5, "features_.0 at row 0 is 5: features must be"),
        ("cocr over bagged ridge", f"{H}.estimators_features_.2", 1, -1, "features_.2 at row 1 is -1: features must"),
    ],
)
def test_a_bad_entry_is_named(tmp_path, parts, name, member, at, value, told):
    head, arrays = parts[name]
    changed = arrays[f"{member}.npy"].copy()
    if at == "last cut":
        at = np.flatnonzero(arrays[f"{member.rpartition('.')[0]}.feature.npy"] >= 0)[-1]
    changed[at] = value
    write(tmp_path / "m", head, {**arrays, f"{member}.npy": changed})
    fault_of(tmp_path / "m", told)


L, P = "model.learned", "model.parameters"


@pytest.mark.parametrize(
    ("name", "place", "value", "told"),
    [
        ("softmax", "format", "another", "format must be"),
        ("softmax", "version", 3, "version is 3: this release reads 2"),
        ("softmax", "version", 1, "version is 1"),
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
        ("softmax", f"{P}.update", "both", "update is 'both'"),
        ("softmax", f"{P}.relevance", "x", "relevance is 'x'"),
        ("softmax", f"{L}.n_features_in_", 0, "n_features_in_ is 0"),
        ("softmax", f"{L}.n_features_in_", 2.0, "n_features_in_ is 2.0"),
        ("softmax", f"{L}.n_features_in_", 1, "feature of node"),
        ("softmax", f"{L}.n_classes_", 5, "relevance_ has shape (6,)"),
        ("softmax", f"{L}.n_queries_", 0, "n_queries_ is 0"),
        ("softmax", f"{L}.feature_names_in_", ["a"], "feature_names_in_ has 1 entries: it must have 5"),
        ("softmax", f"{L}.feature_names_in_", ["a", "b", "c", "d", 1], "feature_names_in_ is ('a', 'b', 'c', 'd', 1)"),
        ("softmax", f"{L}.epochs_", 1, "learned has a field 'epochs_'"),
        ("softmax", f"{L}._check_parameters", 1, "learned has a field '_check_parameters'"),
        ("softmax", f"{L}.predict", 1, "learned has a field 'predict'"),
        ("softmax", f"{L}.model_.learning_rate", 0, "model_.learning_rate is 0"),
        ("softmax", f"{L}.model_.initial.0", {"float": "nan"}, "model_.initial is nan"),
        ("softmax", f"{L}.model_.initial", [0.0], "model_.rounds[0] has 6 trees: it must have 1"),
        ("softmax", f"{L}.model_.rounds.shape", [3, 4], "model_.rounds[0] has 4 trees: it must have 6"),
        ("softmax", f"{L}.model_.rounds.shape", [10**9, 0], "model_.rounds.shape"),
        ("ordinal", f"{L}.constants_", [None] * 4, "constants_ must have 5 entries"),
        ("ordinal", f"{L}.constants_.0", 0.5, "constants_"),
        ("ordinal", f"{L}.constants_.0", None, "model_ has 4 outputs"),
        ("igbrt of classes", f"{P}.setting", "both", "setting is 'both'"),
        ("igbrt of classes", f"{P}.setting", "regression", "n_classes_"),
        ("igbrt of classes", f"{P}.missing", None, "fill_ must be there where missing is"),
        ("igbrt of classes", f"{P}.missing_value", "0", "missing_value is '0'"),
        ("igbrt of classes", f"{P}.clip", 1, "clip is 1"),
        ("igbrt of classes", f"{P}.random_state", -1, "random_state is -1"),
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
def test_a_bad_value_is_named(tmp_path, parts, name, place, value, told):
    head, arrays = parts[name]
    place = [int(key) if key.isdecimal() else key for key in place.split(".")]
    write(tmp_path / "m", put(head, place, value), arrays)
    fault_of(tmp_path / "m", told)


def test_a_shape_that_does_not_fit_is_named(tmp_path, parts):
    head, arrays = parts["lambdarank"]
    for member, array in arrays.items():
        write(tmp_path / "m", head, {**arrays, member: array[:-1]})
        fault_of(tmp_path / "m", "has shape")
    empty = {member: array[..., :0] for member, array in arrays.items()} | {
        f"model_.feature_{name}.npy": np.zeros(5) for name in ("mean", "scale")
    }
    write(tmp_path / "m", head, empty)
    fault_of(tmp_path / "m", "at least one hidden unit")


def test_what_runs_or_grows_is_not_read(tmp_path, parts):
    """Pickles, objects, and headers that promise more than there is."""
    head, arrays = parts["own target"]
    objects = io.BytesIO()
    np.save(objects, np.array([print], dtype=object), allow_pickle=True)
    header = b"{'descr': '<f8', 'fortran_order': False, 'shape': (%s,), }"
    contents = [objects.getvalue(), b"", b"\x93NUMPY", b"\x93NUMPY\x03\x00" + bytes(200)]
    for length, told in (
        *((b"\x40\x00", header % size) for size in (b"7", b"9" * 30, b"-6")),
        *((b"\xff\xff", header % b"6"), (b"\x40\x00", header.replace(b"f8", b"f9") % b"6")),
    ):
        contents.append(b"\x93NUMPY\x01\x00" + length + told.ljust(63) + b"\n" + bytes(48))
    for content in contents:
        write(tmp_path / "m", head, {**arrays, "target_.npy": content})
        fault_of(tmp_path / "m", "target_.npy")


def test_members_missing_added_doubled_or_compressed(tmp_path, parts):
    head, arrays = parts["own target"]
    path = tmp_path / "m"
    write(path, head, arrays, zipfile.ZIP_DEFLATED)
    fault_of(path, "stored, not compressed")
    write(path, head, {**arrays, "more.npy": np.zeros(1)})
    fault_of(path, "it has a member more.npy that head.json does not name")
    for name in ("more.txt", "folder/", "../../m"):
        write(path, head, {**arrays, name: b""})
        fault_of(path, f"it has a member {name!r}")
    with pytest.warns(UserWarning, match="Duplicate"), zipfile.ZipFile(path, "a") as file:
        file.writestr("head.json", "{}")
    fault_of(path, "each have a name and bytes of their own")
    with zipfile.ZipFile(path, "w") as file:
        file.writestr("target_.npy", b"")
    fault_of(path, "it has no member head.json")


MODEL = '{"format": "refrank model", "version": 2, "model": '


@pytest.mark.parametrize(
    ("head", "told"),
    [
        *(("", ""), ("[]", "format must be"), ("null", "format must be"), ("[" * 100_000, "nested too deeply")),
        (MODEL + '{"type": ' * 100_000, "nested too deeply"),
        ('{"format": "refrank model", "version": ' + "9" * 10_000 + "}", ""),
        (MODEL + "NaN}", "head.json is 'NaN': it must be JSON"),
        ('{"format": "refrank forest", "version": 1}', "written by an earlier refrank, and must be trained again"),
    ],
)
def test_heads_that_are_no_heads(tmp_path, head, told):
    write(tmp_path / "m", head, {})
    fault_of(tmp_path / "m", told)


def test_estimators_in_estimators_without_end(tmp_path, parts):
    head, arrays = parts["cocr"]
    inner = head["model"]["parameters"]["base"]
    for _ in range(30):  # each asks the next twice: without a bound, loading would not end
        inner = {"type": "BaggingRegressor", "parameters": {"estimator": inner}}
    write(tmp_path / "m", put(head, ["model", "parameters", "base"], inner), arrays)
    fault_of(tmp_path / "m", "nested too deeply")


VERSION_1 = b'{"format":"refrank model","version":1,"algorithm":"ls"}'
PICKLE = b"\x80\x04\x95"


@pytest.mark.parametrize("content", [b"", b"refrank", b"\xff\xfe\x00", PICKLE, b"[" * 100_000, b"{}", VERSION_1])
def test_what_is_no_model_at_all(tmp_path, content):
    (tmp_path / "m").write_bytes(content)
    fault_of(tmp_path / "m", "an earlier refrank, and must be trained again" if content == VERSION_1 else "")


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(OSError, match=r"none\.model"):
        load_model(tmp_path / "none.model")
    fault_of(tmp_path, "it is a directory")


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "m"
    save_model(train("ordinal"), path)
    return path.read_bytes()


def test_a_file_cut_short_anywhere(tmp_path, whole):
    for length in range(0, len(whole) - 1, 61):
        (tmp_path / "m").write_bytes(whole[:length])
        fault_of(tmp_path / "m")


@given(place=st.integers(0, 10**6), byte=st.integers(1, 255))
def test_one_wrong_byte_is_refused_or_harmless(tmp_path_factory, whole, place, byte):
    """The checksums of the zip see every change of a member."""
    damaged = bytearray(whole)
    damaged[place % len(damaged)] ^= byte
    path = tmp_path_factory.getbasetemp() / "damaged"
    path.write_bytes(damaged)
    try:
        loaded = load_model(path)
    except ValueError:
        fault_of(path)
    else:
        assert loaded.predict(rows_for("ordinal")).tobytes() == train("ordinal").predict(rows_for("ordinal")).tobytes()


@given(data=st.data())
def test_one_wrong_byte_with_its_checksum_mended(tmp_path_factory, parts, data):
    name = data.draw(st.sampled_from(KINDS))
    head, arrays = parts[name]
    contents = {}
    for member, array in arrays.items():
        stream = io.BytesIO()
        np.save(stream, array)
        contents[member] = bytearray(stream.getvalue())
    contents["head.json"] = bytearray(json.dumps(head).encode())
    member = data.draw(st.sampled_from(sorted(contents)))
    contents[member][data.draw(st.integers(0, len(contents[member]) - 1))] ^= data.draw(st.integers(1, 255))
    path = tmp_path_factory.getbasetemp() / "mended"
    with zipfile.ZipFile(path, "w") as file:
        for key, content in contents.items():
            file.writestr(key, bytes(content))
    refused_or_harmless(path, name)

"""Damaged, truncated and hostile files: one sentence that names the place, or a model that predicts."""

import json
import re
import warnings
from functools import cache

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank import GBRTRanker, SoftmaxBoostRanker
from refrank.models import save_model
from refrank.models.exchange.formats import FORMATS
from refrank.models.exchange.importing import import_model
from refrank.models.exchange.packing import make_portable
from refrank.models.exchange.ubjson import loads
from refrank.models.exchange.xgboost_reader import turn
from tests.models.kinds import HOLES, X, Y
from tests.models.members import HEAD
from tests.models.test_hostile import put

SOURCES = ("lightgbm", "ranklib", "xgboost json", "xgboost ubj")
WHAT = {"lightgbm": "a LightGBM model", "xgboost": "an XGBoost model", "ranklib": "a RankLib ensemble"}
MARKERS = {str: b"S", int: b"l", float: b"d"}


@cache
def make_content(source):
    """A small model of three classes, or one that knows missing entries."""
    if source == "lightgbm":
        ranker = SoftmaxBoostRanker(n_rounds=2, n_leaves=3).fit(X, Y - 1)
        return FORMATS["lightgbm"].write(make_portable(ranker))
    if source == "ranklib":
        return FORMATS[source].write(make_portable(GBRTRanker(n_rounds=2, max_depth=2).fit(X, Y)))
    ranker = GBRTRanker(n_rounds=2, max_depth=2, missing="mean").fit(HOLES, Y)
    content = FORMATS["xgboost"].write(make_portable(ranker))
    return content if source == "xgboost json" else write_ubjson(json.loads(content))


def write_ubjson(value):
    """The binary form, as XGBoost lays it out: arrays of numbers of one type, others of counted values."""
    if isinstance(value, dict):
        return b"{" + b"".join(write_text(name) + write_ubjson(held) for name, held in value.items()) + b"}"
    if isinstance(value, list):
        kinds = {type(item) for item in value}
        count = b"L" + len(value).to_bytes(8, "big")
        if kinds in ({int}, {float}):
            kind = np.dtype(">i4" if kinds == {int} else ">f4")
            return b"[$" + MARKERS[kinds.pop()] + b"#" + count + np.array(value).astype(kind).tobytes()
        return b"[#" + count + b"".join(map(write_ubjson, value))
    if isinstance(value, str):
        return b"S" + write_text(value)
    return b"l" + int(value).to_bytes(4, "big")


def write_text(text):
    return b"L" + len(text).to_bytes(8, "big") + text.encode()


def fault_of(content, source, folder):
    """The one sentence about a file; "" if it is a model, which then predicts and can be saved."""
    path = folder / "m"
    path.write_bytes(content)
    beginning = f"{path} is not {WHAT[source]}: "
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            ranker = import_model(path, source)
        except ValueError as fault:
            sentence = str(fault)
        else:
            if ranker.n_features_in_ < 1000:
                rows = np.zeros((3, ranker.n_features_in_))
                rows[1], rows[2] = np.nan, 1e30
                assert np.isfinite(ranker.predict(rows)).all()
                save_model(ranker, folder / "saved")
            return ""
    assert sentence.startswith(beginning)
    assert sentence.isprintable()  # and on one line
    assert len(sentence) < len(beginning) + 400
    return sentence.removeprefix(beginning)


def replace_once(content, old, new):
    assert old in content, old
    return content.replace(old, new, 1)


TEXT = {
    "": "it does not begin with the line 'tree'",
    "treetop\nend of trees": "it does not begin with the line 'tree'",
    "a\nend of trees": "it does not begin with the line 'tree'",
    "tree": "it ends before the line 'end of trees'",
    "tree\nversion=v9\nend of trees": "version is 'v9': it must be one of v2, v3, v4",
}
EDITS = {
    ("num_class=3", "num_class=3\nnum_class=3"): "'num_class' is given twice",
    ("num_tree_per_iteration=3", "num_tree_per_iteration=0"): "num_tree_per_iteration is 0: it must be at least 1",
    ("num_tree_per_iteration=3", "num_tree_per_iteration=4"): "it has 6 trees: they must be rounds of 4",
    ("num_tree_per_iteration=3", "num_tree_per_iteration=1000000000000"): "it has 6 trees",
    ("max_feature_idx=4", "max_feature_idx=2000000000"): "max_feature_idx is 2000000000: feature_names has 5 names",
    ("objective=multiclass", "objective=multiclassova"): "objective is 'multiclassova num_class:3': with 3 outputs it",
    ("Tree=1", "Tree=2"): "tree 1 is called '2'",
    ("num_leaves=3", "num_leaves=0"): "tree 0: num_leaves is 0: it must be at least 1",
    ("num_leaves=3", f"num_leaves={10**18 - 1}"): f"tree 0: leaf_value has 3 numbers: it must have {10**18 - 1}",
    ("num_cat=0", "num_cat=1"): "tree 0: num_cat is 1: refrank has no categorical cuts",
    ("is_linear=0", "is_linear=1"): "tree 0: is_linear is '1': refrank has no linear leaves",
    ("decision_type=0 0", "decision_type=1 0"): "tree 0: decision_type is 1: it must be an ordered cut",
    ("decision_type=0 0", "decision_type=12 0"): "tree 0: decision_type is 12: it must be an ordered cut",
    ("left_child=", "left_child=0 "): "tree 0: left_child has 3 numbers: it must have 2",
    ("threshold=", "threshold=nan "): "tree 0: threshold has 3 numbers",
    ("leaf_value=", "leaf_value=1_0 "): "tree 0: leaf_value has 4 numbers",
    ("end of trees", "end"): "'end' is given twice|it ends before the line 'end of trees'",
}


@pytest.mark.parametrize("text", TEXT)
def test_what_is_not_a_text_model_is_said(tmp_path, text):
    assert fault_of(text.encode(), "lightgbm", tmp_path) == TEXT[text]


@pytest.mark.parametrize(("old", "new"), EDITS)
def test_the_fault_of_an_edited_text_names_its_place(tmp_path, old, new):
    content = replace_once(make_content("lightgbm"), old.encode(), new.encode())
    assert re.match(EDITS[old, new], fault_of(content, "lightgbm", tmp_path))


@pytest.mark.parametrize(
    ("field", "words", "fault"),
    [
        ("left_child", "1 1", "tree 0: its children must be each node but the root, once"),
        ("left_child", "0 -2", "tree 0: its children must be each node but the root, once"),
        ("right_child", "-9 -3", "tree 0: its children must be each node but the root, once"),
        ("split_feature", "-1 0", "tree 0: split_feature must be at least 0"),
        ("split_feature", "5 0", "the feature of node 0 of tree 0 is 5: it must be below 5, the number of features"),
        ("threshold", "nan 0", "tree 0: threshold must be a number"),
        ("threshold", "0x1p3 0", "tree 0: threshold is '0x1p3': it must be a number"),
        ("leaf_value", "inf 0 0", "value at row 1 is inf: it must be finite"),
        ("leaf_value", "0 0 1e999", "value at row"),
        ("leaf_value", "0 0 " + "1" * 41, "tree 0: leaf_value is '111"),
        ("internal_count", "9" * 18 + " " + "9" * 19, "tree 0: internal_count is '9999"),
    ],
)
def test_the_fault_of_a_field_names_its_place(tmp_path, field, words, fault):
    text = make_content("lightgbm").decode()
    content = re.sub(rf"^{field}=.*$", f"{field}={words}", text, count=1, flags=re.MULTILINE)
    assert fault_of(content.encode(), "lightgbm", tmp_path).startswith(fault)


def change_json(path, value):
    """The JSON model with another value at a place, names and numbers joined by dots; None takes it out."""
    model = json.loads(make_content("xgboost json"))
    place = [int(name) if name.isdigit() else name for name in path.split(".")]
    changed = put({HEAD: model}, place, *([] if value is None else [value]))
    return json.dumps(changed[HEAD]).encode()


MODEL = "learner.gradient_booster.model"
TREE = f"{MODEL}.trees.0"
JSON_FAULTS = [
    ("learner", None, "learner is not there"),
    ("learner", 3, "learner is 3: it must be of type dict"),
    ("learner.gradient_booster.name", "gblinear", "gradient_booster.name is 'gblinear': it must be gbtree or dart"),
    ("learner.gradient_booster.name", "dart", "weight_drop is not there"),
    ("learner.objective.name", "user:own", "objective is 'user:own': it must be one of reg:squarederror"),
    ("learner.learner_model_param.num_class", "3", "objective is 'reg:squarederror': with 3 classes it must be multi:"),
    ("learner.learner_model_param.num_class", "-3", "num_class is '-3': it must be a string of digits"),
    ("learner.learner_model_param.num_target", "2", "num_target is 2: several targets are not a ranking"),
    ("learner.learner_model_param.num_feature", "2", "the feature of node "),
    ("learner.learner_model_param.num_feature", "99999999999", "the number of features, once per rule for missing"),
    ("learner.learner_model_param.base_score", "nan", "base_score is 'nan': it must be finite numbers"),
    ("learner.learner_model_param.base_score", "[1,2]", "base_score must be one number, or 1 in brackets"),
    (f"{MODEL}.trees", [], "tree_info has 2 numbers: it must have 0"),
    (f"{MODEL}.tree_info", [0, 1], "tree_info must be outputs from 0 to 0"),
    (f"{MODEL}.tree_info", [0, 0.5], "tree_info has numbers of type float64: they must be integers"),
    (f"{TREE}.tree_param.num_nodes", "0", "tree 0: num_nodes is 0: it must be at least 1"),
    (f"{TREE}.tree_param.num_nodes", "99999999999", "tree 0: left_children has 7 numbers"),
    (f"{TREE}.tree_param.size_leaf_vector", "2", "tree 0: size_leaf_vector is 2: refrank has leaves of one value"),
    (f"{TREE}.split_type", [1, 0, 0, 0, 0, 0, 0], "tree 0: split_type is not 0 everywhere: refrank has no categorical"),
    (f"{TREE}.left_children", [0, 3, 5, -1, -1, -1, -1], "a child of node 0 of tree 0 is 0: it must be one of its 7"),
    (f"{TREE}.left_children", [7, 3, 5, -1, -1, -1, -1], "a child of node 0 of tree 0 is 7: it must be one of its 7"),
    (f"{TREE}.left_children", [2, 3, 5, -1, -1, -1, -1], "a child of node 0 of tree 0 is 2: it must be one of its 7"),
    (f"{TREE}.left_children", [-1, 3, 5, -1, -1, -1, -1], "tree 0: a node must have two children or none"),
    (f"{TREE}.left_children", [10**30, 3, 5, -1, -1, -1, -1], "tree 0: left_children has numbers of type"),
    (f"{TREE}.left_children", "1234567", "tree 0: left_children is '1234567': it must be a row of numbers"),
    (f"{TREE}.left_children", [[1], 3, 5, -1, -1, -1, -1], "tree 0: left_children is [[1]"),
    (f"{TREE}.default_left", [2, 0, 0, 0, 0, 0, 0], "tree 0: default_left must be 0 or 1"),
    (f"{TREE}.default_left", [-1, 0, 0, 0, 0, 0, 0], "tree 0: default_left must be 0 or 1"),
    (f"{TREE}.default_left", [0.5] * 7, "tree 0: default_left has numbers of type float64: they must be integers"),
    (f"{TREE}.id", None, "id is not there"),
    (f"{TREE}.id", "0", "id is '0': it must be of type int"),
    (f"{TREE}.id", 1, "id is [1, 1]: it must be in each tree another number from 0 to 1"),
    (f"{TREE}.id", 2, "id is [2, 1]: it must be in each tree another number from 0 to 1"),
    (f"{MODEL}.weight_drop", [0.5], "weight_drop has 1 numbers: it must have 2"),
    (f"{TREE}.split_indices", [-1, 0, 0, 0, 0, 0, 0], "tree 0: split_indices must be at least 0"),
    (f"{TREE}.split_conditions", [float("nan")] * 7, "cut at row 0 is nan: it must not be NaN"),
    (f"{TREE}.split_conditions", [1e39] * 7, "value at row 3 is inf: it must be finite"),
]


@pytest.mark.parametrize(("path", "value", "fault"), JSON_FAULTS, ids=range(len(JSON_FAULTS)))
def test_the_fault_of_a_json_model_names_its_place(tmp_path, path, value, fault):
    assert fault_of(change_json(path, value), "xgboost", tmp_path).startswith(fault)


HUGE = (2**62).to_bytes(8, "big")
NOT_MODELS = (
    *(b"", b"{", b"{}", b"[1]", b"\x00" * 9, b'{"a": 1, "a": 2}', b'{"a": ' + b"9" * 9999),
    *(b'{"learner":' * 99999, b"{U\x01a" * 99999, b"[" * 99999),
    *(b"{U\x01a[$l#L" + HUGE, b"{U\x01a[#L" + HUGE, b"{i\xffa", b"{L" + HUGE),
    b"{U\x01a[$l#L" + (-1).to_bytes(8, "big", signed=True),
)


@pytest.mark.parametrize("content", NOT_MODELS, ids=range(len(NOT_MODELS)))
def test_no_bytes_ask_for_more_than_their_size(tmp_path, content):
    for source in WHAT:
        assert fault_of(content, source, tmp_path)


@pytest.mark.parametrize(("path", "value"), [("num_class", "1"), ("num_class", "0"), ("num_target", None)])
def test_one_output_is_said_in_several_ways(tmp_path, path, value):
    """One class is none; and what is older than several targets does not count them."""
    (tmp_path / "as it is").write_bytes(make_content("xgboost json"))
    (tmp_path / "changed").write_bytes(change_json(f"learner.learner_model_param.{path}", value))
    ours, theirs = (import_model(tmp_path / name, "xgboost") for name in ("as it is", "changed"))
    assert np.array_equal(ours.predict(HOLES), theirs.predict(HOLES))


@pytest.mark.parametrize(
    ("score", "objective"), [(0.0, "binary:logistic"), (1.0, "binary:logistic"), (0.0, "count:poisson")]
)
def test_a_start_without_a_logarithm_is_refused(score, objective):
    with pytest.raises(ValueError, match=f"^base_score is {score}: with objective {objective} it must be "):
        turn(score, objective)


@pytest.mark.parametrize(("n", "message"), [(b"i\xff", "byte 4: -1 values"), (b"i\x09", "byte 4: 9 values")])
def test_a_length_that_the_bytes_do_not_hold_is_refused(n, message):
    with pytest.raises(ValueError, match=f"^{message} must follow, of 2 bytes"):
        loads(b"[#" + n + b"ZZ")


def list_arrays(value):
    """A document with lists in place of the arrays of numbers."""
    if isinstance(value, dict):
        return {name: list_arrays(item) for name, item in value.items()}
    return [list_arrays(item) for item in value] if isinstance(value, list | np.ndarray) else value


def test_ubjson_is_json_in_binary():
    model = json.loads(make_content("xgboost json"))
    expected = {**model, "more": {"none": None}}
    content = write_ubjson(model)[:-1] + write_text("more") + b"{" + write_text("none") + b"Z}}"
    assert list_arrays(loads(content)) == expected
    assert loads(b"[TFi\xffU\xffI\xff\xfed\x3f\x80\x00\x00]") == [True, False, -1, 255, -2, 1.0]


def test_both_forms_of_an_xgboost_model_are_one_model(tmp_path):
    rankers = []
    for source in SOURCES[2:]:
        (tmp_path / "m").write_bytes(make_content(source))
        rankers.append(import_model(tmp_path / "m", "xgboost"))
    assert np.array_equal(rankers[0].predict(HOLES), rankers[1].predict(HOLES))


@st.composite
def mutated(draw, source):
    """A file with some bytes changed, a piece taken out or repeated, or the end cut off."""
    content = bytearray(make_content(source))
    for _ in range(draw(st.integers(1, 3))):
        at = draw(st.integers(0, len(content) - 1))
        length = draw(st.integers(1, 40))
        way = draw(st.sampled_from(["byte", "digit", "cut", "take out", "repeat", "insert"]))
        if way == "byte":
            content[at] = draw(st.integers(0, 255))
        elif way == "digit":
            content[at] = draw(st.sampled_from(list(b"0123456789-.e \n")))
        elif way == "cut":
            del content[max(1, at) :]
        elif way == "take out":
            del content[at : at + length]
        elif way == "repeat":
            content[at:at] = content[at : at + length]
        else:
            content[at:at] = draw(st.binary(max_size=9))
        if not content:
            content = bytearray(b"{")
    return bytes(content)


@pytest.mark.parametrize("source", SOURCES)
@given(data=st.data())
def test_a_mutated_file_is_a_model_or_one_sentence(tmp_path_factory, source, data):
    fault_of(data.draw(mutated(source)), source.split()[0], tmp_path_factory.getbasetemp())


def test_a_folder_and_a_file_that_is_not_there(tmp_path):
    with pytest.raises(ValueError, match="is not a LightGBM model: it is a directory"):
        import_model(tmp_path, "lightgbm")
    with pytest.raises(FileNotFoundError):
        import_model(tmp_path / "none", "xgboost")
    with pytest.raises(ValueError, match="source is 'catboost': it must be one of 'lightgbm', 'xgboost'"):
        import_model(tmp_path / "none", "catboost")

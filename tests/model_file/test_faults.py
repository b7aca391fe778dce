"""A damaged or hostile model file is a ValueError that names file and field."""

import json
import os

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.model_file import RANKERS, load_model, save_model
from refrank.model_file.paths import check_paths_end
from tests.model_file.models import MODELS, lacking_a_field, replaced

TREE = ["model", "rounds", 0, 1]  # of softmax: class 1, whose root has a cut


def fault_of(path, *parts):
    with pytest.raises(ValueError) as failure:  # noqa: PT011 -- the parts are the match
        load_model(path)
    message = str(failure.value)
    assert message.startswith(f"{path} is no refrank model: ")
    assert "\n" not in message
    assert len(message) < 500
    for part in parts:
        assert part in message, message


@pytest.mark.parametrize(
    ("algorithm", "place", "value", "parts"),
    [
        ("softmax", ["format"], "another", ['"format"']),
        ("softmax", ["version"], 2, ['"version" is 2', "reads version 1"]),
        ("softmax", ["version"], [[1] * 1000] * 1000, ['"version"']),
        ("softmax", ["algorithm"], "svm", ['"algorithm"', "softmax, ordinal, ls"]),
        ("softmax", ["algorithm"], {}, ['"algorithm"']),
        ("softmax", ["algorithm"], "ls", ['"parameters"']),
        ("softmax", ["parameters"], {}, ['"parameters"']),
        ("softmax", ["parameters", "n_threads"], 10**9, ['"parameters"']),
        ("softmax", ["parameters", "__class__"], "x", ['"parameters"']),
        ("softmax", ["n_features"], 0, ['"n_features"']),
        ("softmax", ["n_features"], 2.0, ['"n_features"']),
        ("softmax", ["n_features"], True, ['"n_features"']),
        ("softmax", ["n_features"], 10**400, ['"n_features"']),
        ("softmax", ["n_features"], 1, ['"model.rounds[', '.feature" must lie between -1 and 0']),
        ("softmax", ["n_classes"], 10**9, ['"table" has 5']),
        ("softmax", ["n_classes"], 1, ['"n_classes"']),
        ("softmax", ["feature_names"], ["a"], ['"feature_names"', "2 entries"]),
        ("softmax", ["feature_names"], ["a", 1], ['"feature_names"', "strings"]),
        ("softmax", ["table"], [0, 1, 2, 3], ['"table" has 4']),
        ("softmax", ["table"], [0, 1, 2, 3, "4"], ['"table"', "numbers"]),
        ("softmax", ["table"], [0, 1, 2, 3, float("nan")], ['"table"', "finite"]),
        ("softmax", ["table"], [0, 1, 2, 3, float("inf")], ['"table"', "finite"]),
        ("softmax", ["table"], [0, 1, 2, 3, 10**400], ['"table"', "finite"]),
        ("softmax", ["model"], [], ['"model"']),
        ("softmax", ["model", "n_classes"], 4, ['"model.n_classes" is 4']),
        ("softmax", ["model", "learning_rate"], 0, ['"model.learning_rate"']),
        ("softmax", ["model", "learning_rate"], "0.1", ['"model.learning_rate"']),
        ("softmax", ["model", "learning_rate"], 10**400, ['"model.learning_rate"']),
        ("softmax", ["model", "rounds"], [], ['"model.rounds"', "at least one"]),
        ("softmax", ["model", "rounds"], {}, ['"model.rounds"']),
        ("softmax", ["model", "rounds", 1], [], ['"model.rounds[1]"', "5 trees"]),
        ("softmax", [*TREE], 7, ['"model.rounds[0][1]"']),
        ("softmax", [*TREE, "feature"], [], ['"model.rounds[0][1].']),
        ("softmax", [*TREE, "feature", 0], -2, ['"model.rounds[0][1].feature"', "between -1 and 1"]),
        ("softmax", [*TREE, "feature", 0], 2, ['"model.rounds[0][1].feature"']),
        ("softmax", [*TREE, "feature", 0], 2**31, ['"model.rounds[0][1].feature"', "int32"]),
        ("softmax", [*TREE, "feature", 0], 0.0, ['"model.rounds[0][1].feature"', "whole"]),
        ("softmax", [*TREE, "feature", 0], True, ['"model.rounds[0][1].feature"', "whole"]),
        ("softmax", [*TREE, "left", 0], 0, ['"model.rounds[0][1].left"', "later node"]),
        ("softmax", [*TREE, "right", 0], -1, ['"model.rounds[0][1].right"', "later node"]),
        ("softmax", [*TREE, "right", 0], 10**6, ['"model.rounds[0][1].right"', "later node"]),
        ("softmax", [*TREE, "cut", 0], None, ['"model.rounds[0][1].cut"', "finite numbers"]),
        ("softmax", [*TREE, "value"], "1.0", ['"model.rounds[0][1].value"']),
        ("softmax", [*TREE, "value"], [[1.0]], ['"model.rounds[0][1].value"']),
        ("softmax", [*TREE, "n_node_samples"], [1], ['"model.rounds[0][1].n_node_samples" has 1']),
        ("ordinal", ["model", "constants"], [0, None, None], ['"model.constants"', "4 entries"]),
        ("ordinal", ["model", "constants", 0], 0.5, ['"model.constants"']),
        ("ordinal", ["model", "constants", 1], 1, ['"model.rounds[0][1]"', "0 trees"]),
        ("ordinal", ["model", "constants", 0], None, ['"model.rounds[0][0]"', "1 or 2 trees"]),
        ("ordinal", ["model", "rounds", 0], [], ['"model.rounds[0]"', "4 entries"]),
        ("ordinal", ["model", "rounds", 1, 1], [], ['"model.rounds[1][1]"', "2 trees"]),
        ("ls", ["model", "initial"], None, ['"model.initial"']),
        ("ls", ["model", "initial"], float("nan"), ['"model.initial"']),
        ("ls", ["model", "rounds", 0], [], ['"model.rounds[0]"']),
    ],
)
def test_a_bad_field_is_named(tmp_path, algorithm, place, value, parts):
    path = tmp_path / "bad.json"
    save_model(MODELS[algorithm], path)
    path.write_text(json.dumps(replaced(json.loads(path.read_text()), place, value)))
    fault_of(path, *parts)


@pytest.mark.parametrize("side", ["left", "right"])
def test_a_child_is_a_later_node_of_the_same_tree(side):
    """Two trees of three nodes, one after the other: 1 and 2 are later nodes of each root, 3 is the other tree's."""
    nodes = {
        "feature": np.array([0, -1, -1, 0, -1, -1]),
        "left": np.array([1, 0, 0, 1, 0, 0]),
        "right": np.array([2, 0, 0, 2, 0, 0]),
    }
    for root in (0, 3):
        for child in range(-1, 5):
            changed = {**nodes, side: np.where(np.arange(6) == root, child, nodes[side])}
            if child in (1, 2):
                check_paths_end(changed, np.array([3, 3]), 1, "the {}")
            else:
                with pytest.raises(ValueError, match=f"the {side} must name a later node of the tree"):
                    check_paths_end(changed, np.array([3, 3]), 1, "the {}")


def test_a_problem_has_as_many_trees_in_every_round(tmp_path):
    """One tree or two are both fine, but not one after two: the scores would take it for a mirrored problem."""
    path = tmp_path / "bad.json"
    save_model(MODELS["ordinal"], path)
    document = json.loads(path.read_text())
    document["model"]["rounds"][1][1].pop()
    path.write_text(json.dumps(document))
    fault_of(path, '"model.rounds[1][1]" must be a list of 2 trees')


@pytest.mark.parametrize("algorithm", sorted(RANKERS))
def test_a_missing_field_is_named(tmp_path, algorithm):
    path = tmp_path / "bad.json"
    save_model(MODELS[algorithm], path)
    for place, document in lacking_a_field(json.loads(path.read_text())):
        path.write_text(json.dumps(document))
        fault_of(path, f'"{place}"')


@pytest.mark.parametrize(
    "content",
    [
        b"",
        b"refrank",
        b"[]",
        b"null",
        b"\xff\xfe\x00",
        b"\x80\x04\x95",  # a pickle
        b"[" * 100_000,
        b'{"format": ' * 100_000,
        b'{"format": "refrank model", "version": ' + b"9" * 10_000 + b"}",
    ],
)
def test_what_is_no_model_at_all_is_refused(tmp_path, content):
    path = tmp_path / "bad.json"
    path.write_bytes(content)
    fault_of(path)


@pytest.fixture(scope="module")
def whole(tmp_path_factory):
    path = tmp_path_factory.mktemp("whole") / "m.json"
    save_model(MODELS["ordinal"], path)
    return path.read_bytes()


def test_a_file_cut_short_anywhere_is_refused(tmp_path, whole):
    path = tmp_path / "bad.json"
    for length in range(0, len(whole) - 2, 97):  # the last two bytes are } and the end of the line
        path.write_bytes(whole[:length])
        fault_of(path)


@given(place=st.integers(0, 10**6), byte=st.sampled_from(b'0123456789-.,:[]{}"e \x00\xff'))
def test_one_wrong_byte_is_refused_or_harmless(tmp_path_factory, whole, place, byte):
    """Whatever is read can be followed to its end: no crash, no endless loop, finite scores."""
    damaged = bytearray(whole)
    damaged[place % len(damaged)] = byte
    path = tmp_path_factory.getbasetemp() / "damaged.json"
    path.write_bytes(damaged)
    try:
        ranker = load_model(path)
    except ValueError:
        fault_of(path)
    else:
        rows = np.zeros((2, min(ranker.n_features_in_, 100)))  # a wrong byte in "n_features" can make it large
        if rows.shape[1] == ranker.n_features_in_:
            assert np.isfinite(ranker.predict(rows)).all()


def test_a_missing_file_is_an_os_error(tmp_path):
    with pytest.raises(OSError, match=r"none\.json"):
        load_model(tmp_path / "none.json")
    with pytest.raises(OSError, match=os.path.basename(tmp_path)):
        load_model(tmp_path)

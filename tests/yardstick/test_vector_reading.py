"""Reading vectors that anybody may have written: one sentence, with file and place; nothing is executed."""

import copy
import json
import os

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstick.vectors.files import FOLDER, SCHEMA_FILE
from yardstick.vectors.reading import load_own, load_vectors

SCHEMA = json.loads((FOLDER / SCHEMA_FILE).read_text())
ONE = np.array(1.5)
ARRAY = {"dtype": "float64", "shape": [], "values": [1.5]}
CASE = {
    "id": "small/double/one",
    "function": "double",
    "result": "valid",
    "paper": "Eq. 1",
    "comment": "Twice.",
    "input": {"x": ARRAY, "way": "up"},
    "answers": [{"output": {"y": ARRAY}}],
}
FAULT = {
    **{name: CASE[name] for name in ("function", "paper", "comment")},
    **{"id": "small/double/one/half", "result": "invalid", "input_of": "small/double/one"},
    "answers": [{"flag": "half", "output": {"y": ARRAY}}],
}
FUNCTION = {
    "text": "Twice.",
    "paper": "Eq. 1",
    "inputs": {"x": "float64", "way": "a text"},
    "outputs": {"y": "float64"},
}
DOCUMENT = {
    "format": "refrank-vectors",
    "version": 1,
    "family": "small",
    "text": "Small.",
    "functions": {"double": FUNCTION},
    "notes": {"half": "Half of it."},
    "cases": [CASE, FAULT],
}


def write(folder, document):
    (folder / "small.json").write_text(document if isinstance(document, str) else json.dumps(document))
    return folder


def test_a_small_file_is_read(tmp_path):
    vectors = load_vectors(write(tmp_path, DOCUMENT))
    case, fault = vectors.cases
    assert (case.input["way"], case.answers[0].output["y"]) == ("up", ONE)
    assert fault.input is case.input
    assert (fault.of, fault.answers[0].flag) == ("small/double/one", "half")
    jsonschema.Draft202012Validator(SCHEMA).validate(DOCUMENT)


AT_CASE = r"'small/double/one', case 0 of .*small\.json"
CHANGES = [  # the place of a field, what stands there, whether the schema sees it, and what is said
    (("format",), "vectors", True, r"^format of .*small\.json is 'vectors': it must be 'refrank-vectors'$"),
    (("version",), 2, True, r"^version of .* is 2: it must be 1$"),
    (("version",), True, True, r"^version of .* is True: it must be 1$"),
    (("extra",), 1, True, r"small\.json has field 'extra': its fields must be of format, version, .*$"),
    (("family",), "", True, "^family of .* is '': it must be a printable text of 1 to 2000 characters$"),
    (("family",), "a/b", True, "^family of .* is 'a/b': it must be a name of at most 80 characters, of the form"),
    (("cases", 0, "id"), "small", True, "^id of case 0 of .* is 'small': it must be a name of at most 160 characters"),
    (("cases", 0, "id"), "small/" + "a" * 160, True, "^id of case 0 of .* must be a name of at most 160 characters"),
    (
        ("cases", 0, "comment"),
        "\x1b[2J",
        False,
        r"^comment of case 0 of .* is '\\x1b\[2J': it must be a printable text",
    ),
    (("notes", "not a name"), "x", True, "^field of notes of .* is 'not a name': it must be a name"),
    (("functions",), [], True, r"^functions of .* is \[\]: it must be an object$"),
    (("functions", "double", "code"), "exit()", True, "^double of functions of .* has field 'code'"),
    (("functions", "double", "text"), 7, True, "^text of double of functions of .* is 7: it must be a printable text"),
    (("notes", "half"), None, True, "^half of notes of .* is None: it must be a printable text"),
    (("cases",), {}, True, r"^cases of .* is \{\}: it must be a list$"),
    (("cases", 0), 5, True, r"^case 0 of .* is 5: it must be an object$"),
    (("cases", 0, "exec"), "1", True, "^case 0 of .* has field 'exec'"),
    (
        ("cases", 0, "function"),
        "triple",
        False,
        rf"^function of {AT_CASE} is 'triple': it must be one of the file's",
    ),
    (
        ("cases", 0, "result"),
        "right",
        True,
        rf"^result of {AT_CASE} is 'right': it must be one of valid, accep",
    ),
    (
        ("cases", 0, "flags"),
        ["half", "new"],
        False,
        rf"^flags of {AT_CASE} has 'new': it must be one of the file's",
    ),
    (("cases", 0, "ulps"), -1, True, rf"^ulps of {AT_CASE} is -1: it must be an integer from 1 to 2\^53 - 1$"),
    (("cases", 0, "ulps"), 0, True, rf"^ulps of {AT_CASE} is 0"),
    (("cases", 0, "ulps"), 1.5, True, rf"^ulps of {AT_CASE} is 1\.5"),
    (("cases", 0, "input", "z"), ARRAY, False, rf"^inputs of {AT_CASE} are \['way', 'x', 'z'\]: they must be x, way$"),
    (("cases", 0, "input", "way"), {"dtype": "float64"}, True, rf"^shape of way of input of {AT_CASE} is None"),
    (("cases", 0, "input", "way"), [3], True, rf"^way of input of {AT_CASE} is 3: it must be a printable text"),
    (("cases", 0, "input_of"), "small/double/one", True, rf"^{AT_CASE} has both: it must have input or input_of$"),
    (("cases", 0, "answers"), [], True, rf"^answers of {AT_CASE} are 0: valid must have from 1 to 1$"),
    (
        ("cases", 0, "answers", 0, "flag"),
        "half",
        False,
        rf"^answer 0 of {AT_CASE} has flag 'half': of result valid",
    ),
    (("cases", 0, "answers", 0, "output"), {}, False, rf"^outputs of answer 0 of {AT_CASE} are \[\]: they must be y$"),
    (("cases", 0, "answers", 0, "output", "y", "shape"), [2], False, "^y of output of answer 0 of .* is 1 entries"),
    (("cases", 0, "answers", 0, "output", "y", "shape"), [2**40], False, r"^shape of y of output of answer 0"),
    (("cases", 1, "id"), "small/double/one", False, "^id of 'small/double/one', case 1 of .* is not new"),
    (
        ("cases", 1, "input_of"),
        "small/other",
        False,
        "^input_of of .*case 1 of .* is 'small/other': it must be the id",
    ),
    (("cases", 1, "answers"), [], False, "^input_of of .*, case 1 of .*: only a fault shares an input"),
    (("cases", 1, "answers", 0, "flag"), "", True, "^flag of answer 0 of .* is '': it must be a printable text"),
]


@pytest.mark.parametrize(("place", "value", "seen", "sentence"), CHANGES, ids=range(len(CHANGES)))
def test_a_damaged_field_is_named(tmp_path, place, value, seen, sentence):
    document = copy.deepcopy(DOCUMENT)
    at = document
    for step in place[:-1]:
        at = at[step]
    at[place[-1]] = value
    with pytest.raises(ValueError, match=sentence) as fault:
        load_vectors(write(tmp_path, document))
    assert "\n" not in str(fault.value)
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(document) != seen


@pytest.mark.parametrize("field", ["format", "version", "family", "text", "functions", "notes", "cases"])
def test_a_missing_field_is_named(tmp_path, field):
    with pytest.raises(ValueError, match=f"small.json has no field '{field}': it must have format, version"):
        load_vectors(write(tmp_path, {name: value for name, value in DOCUMENT.items() if name != field}))


@pytest.mark.parametrize("field", ["id", "function", "result", "paper", "comment", "answers"])
def test_a_missing_field_of_a_case_is_named(tmp_path, field):
    case = {name: value for name, value in CASE.items() if name != field}
    with pytest.raises(ValueError, match=f"case 0 of .*small.json has no field '{field}': it must have id, function"):
        load_vectors(write(tmp_path, {**DOCUMENT, "cases": [case]}))


TEXTS = {
    "": "small.json is not JSON",
    "[1": "small.json is not JSON",
    "[]": r"small.json is \[\]: it must be an object",
    "[" * 10**5: "nested too deeply|not JSON",
    '{"a": 1, "a": 2}': "has a field twice: a",
    '{"a": NaN}': "holds NaN: numbers must be finite",
    '{"a": 1e999}': "holds 1e999: numbers must be finite",
    json.dumps({"\x1b[2J": 1}): r"has field '\\x1b\[2J'",
}


@pytest.mark.parametrize(("text", "sentence"), TEXTS.items(), ids=range(len(TEXTS)))
def test_another_text_is_refused_in_one_line(tmp_path, text, sentence):
    with pytest.raises(ValueError, match=sentence) as fault:
        load_vectors(write(tmp_path, text))
    assert str(fault.value).isprintable()


def test_bytes_that_are_no_text_are_refused(tmp_path):
    (tmp_path / "small.json").write_bytes(b"\xff\xfe")
    with pytest.raises(ValueError, match=r"small.json is not UTF-8"):
        load_vectors(tmp_path)


def test_a_folder_without_vectors_is_refused(tmp_path):
    with pytest.raises(ValueError, match=r"has 0 JSON files beside schema.json"):
        load_vectors(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_vectors(tmp_path / "none")


def test_what_is_not_a_file_is_not_opened(tmp_path):
    os.mkfifo(tmp_path / "small.json")
    with pytest.raises(ValueError, match=r"small.json is not a file"):
        load_vectors(tmp_path)


def test_a_file_that_is_too_long_is_refused_before_it_is_parsed(tmp_path):
    with open(tmp_path / "small.json", "wb") as file:
        file.truncate(2**24 + 1)
    with pytest.raises(ValueError, match=r"small.json is longer than 2\^24 bytes"):
        load_vectors(tmp_path)


def test_a_family_and_a_function_have_one_file(tmp_path):
    write(tmp_path, DOCUMENT)
    (tmp_path / "twin.json").write_text(json.dumps(DOCUMENT))
    with pytest.raises(ValueError, match=r"family of .*twin.json is 'small': another file has it"):
        load_vectors(tmp_path)
    (tmp_path / "twin.json").write_text(json.dumps({**DOCUMENT, "family": "twin"}))
    with pytest.raises(ValueError, match=r"functions of .*twin.json has 'double': another file has it"):
        load_vectors(tmp_path)


DRAWS = (FOLDER / "draws.json").read_bytes()


@given(at=st.integers(0, len(DRAWS) - 1), byte=st.integers(0, 255), cut=st.booleans())
def test_any_damage_to_a_byte_is_one_sentence_or_none(tmp_path_factory, at, byte, cut):
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "draws.json").write_bytes(DRAWS[:at] if cut else DRAWS[:at] + bytes([byte]) + DRAWS[at + 1 :])
    fault = find_fault(folder)
    assert fault is None or ("draws.json" in fault and "\n" not in fault)


def find_fault(folder):
    """Message about a folder; None where there is none."""
    try:
        load_vectors(folder)
    except ValueError as fault:
        return str(fault)
    return None


def test_the_committed_folder_is_read():
    assert len(load_own().cases) > 600

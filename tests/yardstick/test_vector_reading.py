"""Reading vectors that anybody may have written: one sentence, with file and place; nothing is executed."""

import copy
import json
import os
import re

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstick.vectors import reading
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


DEEP = json.loads("[" * 500 + "]" * 500)
AT_CASE = r"'small/double/one', case 0 of .*small\.json"
BY_SCHEMA = [  # the place of a field, what stands there, and what is said of it, after the place and the file
    (("format",), "vectors", "is 'vectors': schema.json asks for const 'refrank-vectors'"),
    (("version",), 2, "is 2: schema.json asks for const 1"),
    (("version",), True, "is True: schema.json asks for const 1"),
    (("family",), "", "is '': schema.json asks for pattern"),
    (("family",), "a/b", r"is 'a/b': schema.json asks for pattern '\^\[A-Za-z\]"),
    (("cases", 0, "id"), "small", "is 'small': schema.json asks for pattern"),
    (("cases", 0, "id"), "small/" + "a" * 160, "is 'small/aaa.*': schema.json asks for maxLength 160"),
    (("cases", 0, "comment"), "", "is '': schema.json asks for minLength 1"),
    (("functions",), [], r"is \[\]: schema.json asks for type 'object'"),
    (("functions", "double", "text"), 7, "is 7: schema.json asks for type 'string'"),
    (("notes", "half"), None, "is None: schema.json asks for type 'string'"),
    (("cases",), {}, r"is \{\}: schema.json asks for type 'array'"),
    (("cases", 0), 5, "is 5: schema.json asks for type 'object'"),
    (("cases", 0, "result"), "right", "is 'right': schema.json asks for enum .*'valid', 'acceptable', 'invalid'"),
    (("cases", 0, "flags"), ["half", "half"], "is .*: schema.json asks for uniqueItems True"),
    (("cases", 0, "ulps"), -1, "is -1: schema.json asks for minimum 1"),
    (("cases", 0, "ulps"), 0, "is 0: schema.json asks for minimum 1"),
    (("cases", 0, "ulps"), 1.5, r"is 1\.5: schema.json asks for type 'integer'"),
    (("cases", 0, "input", "way"), [3], r"is \[3\]: schema.json asks for anyOf"),
    (("cases", 0, "answers"), [], r"is \[\]: schema.json asks for minItems 1"),
    (("cases", 1, "answers", 0, "flag"), "", "is '': schema.json asks for pattern"),
]
OTHERS = [  # the place of a field, what stands there, whether the schema sees it, and what is said
    (("extra",), 1, True, r"small\.json: Additional properties are not allowed \('extra' was unexpected\)$"),
    (("notes", "not a name"), "x", True, "^notes of .* is 'not a name': schema.json asks for pattern"),
    (("notes", "name\n"), "x", False, r"small\.json has the text 'name\\n': each character must be printable$"),
    (("functions", "double", "code"), "exit()", True, r"^functions.double of .*: .* \('code' was unexpected\)$"),
    (("cases", 0, "exec"), "1", True, r"^cases\[0\] of .*: .* \('exec' was unexpected\)$"),
    (("cases", 0, "input_of"), "small/double/one", True, r"^cases\[0\] of .*: schema.json asks for oneOf"),
    (("cases", 0, "comment"), "\x1b[2J", False, r"has the text '\\x1b\[2J': each character must be printable$"),
    (("cases", 0, "function"), "triple", False, rf"^function of {AT_CASE} is 'triple': it must be one of the file's"),
    (("cases", 0, "flags"), ["half", "new"], False, rf"^flag of {AT_CASE} is 'new': it must be one of the file's"),
    (("cases", 0, "ulps"), 1.0, False, rf"^ulps of {AT_CASE} is 1\.0: it must be an integer below 2\^53$"),
    (("cases", 0, "ulps"), 2**53, False, rf"^ulps of {AT_CASE} is 9007199254740992: it must be an integer below"),
    (("cases", 0, "input", "z"), ARRAY, False, rf"^input of {AT_CASE} has \['way', 'x', 'z'\]: it must have x, way$"),
    (("cases", 0, "input", "way"), {"dtype": "float64"}, True, rf"^shape of way of input of {AT_CASE} is None"),
    (("cases", 0, "answers", 0, "flag"), "half", False, rf"^answer 0 of {AT_CASE} has flag 'half': of result valid"),
    (("cases", 0, "answers", 0, "output"), {}, False, rf"^output of answer 0 of {AT_CASE} has \[\]: it must have y$"),
    (("cases", 0, "answers", 0, "output", "y", "shape"), [2], False, "^y of output of answer 0 of .* is 1 entries"),
    (("cases", 0, "answers", 0, "output", "y", "shape"), [2**40], False, r"^shape of y of output of answer 0"),
    (("cases", 0, "answers", 0, "output", "y", "values"), DEEP, True, r"^y of output of .* at entry 0 is \[\[\["),
    (("cases", 1, "id"), "small/double/one", False, "^id of 'small/double/one', case 1 of .* is not new"),
    (("cases", 1, "input_of"), "small/other", False, "^input_of of .*case 1 of .* is 'small/other': it must be the id"),
    (("cases", 1, "answers"), [], False, "^input_of of .*, case 1 of .*: only a fault shares an input"),
]


def name_path(place):
    """The path of a field, as a message has it."""
    return "".join(f"[{step}]" if isinstance(step, int) else f".{step}" for step in place).removeprefix(".")


CHANGES = [
    *(
        (place, value, True, rf"^{re.escape(name_path(place))} of .*small\.json {rule}")
        for place, value, rule in BY_SCHEMA
    ),
    *OTHERS,
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


@pytest.mark.parametrize(
    ("place", "field"),
    [
        *(("", field) for field in ("format", "version", "family", "text", "functions", "notes", "cases")),
        *((r"cases\[0\] of ", field) for field in ("id", "function", "result", "paper", "comment", "answers")),
    ],
)
def test_a_missing_field_is_named(tmp_path, place, field):
    document = copy.deepcopy(DOCUMENT)
    del (document["cases"][0] if place else document)[field]
    with pytest.raises(ValueError, match=rf"^{place}\S*small.json: '{field}' is a required property$"):
        load_vectors(write(tmp_path, document))


TEXTS = {
    "": "small.json is not JSON",
    "[1": "small.json is not JSON",
    "[]": r"small.json is \[\]: schema.json asks for type 'object'",
    "[" * 10**5: "nested too deeply|not JSON",
    '{"a": 1, "a": 2}': "has a field twice: a",
    '{"a": NaN}': "holds NaN: numbers must be finite",
    '{"a": 1e999}': "holds 1e999: numbers must be finite",
    json.dumps({**DOCUMENT, "\x1b[2J": 1}): r"Additional properties are not allowed \('\\x1b\[2J' was unexpected\)",
}


@pytest.mark.parametrize(("text", "sentence"), TEXTS.items(), ids=range(len(TEXTS)))
def test_another_text_is_refused_in_one_line(tmp_path, text, sentence):
    with pytest.raises(ValueError, match=sentence) as fault:
        load_vectors(write(tmp_path, text))
    assert str(fault.value).isprintable()


FILES = {  # how a file is made, and what is said of its folder
    "no text": (lambda path: path.write_bytes(b"\xff\xfe"), r"small.json is not UTF-8"),
    "none": (lambda path: None, r"has 0 JSON files beside schema.json"),
    "a pipe": (os.mkfifo, r"small.json: it is not a regular file, but a pipe"),
    "a long file": (
        lambda path: path.write_bytes(bytes(2**21 + 1)),
        r"has 2097153 bytes: a file of vectors has at most 2097152",
    ),
}


@pytest.mark.parametrize(("make", "sentence"), FILES.values(), ids=FILES)
def test_other_files_are_refused_before_they_are_parsed(tmp_path, make, sentence):
    make(tmp_path / "small.json")
    with pytest.raises(ValueError, match=sentence):
        load_vectors(tmp_path)
    with pytest.raises(FileNotFoundError):
        load_vectors(tmp_path / "none")


def test_a_folder_has_a_bound(tmp_path, monkeypatch):
    path = write(tmp_path, DOCUMENT) / "small.json"
    monkeypatch.setattr(reading, "MOST_BYTES", path.stat().st_size)
    load_vectors(tmp_path)
    (tmp_path / "twin.json").write_text("{}")
    with pytest.raises(ValueError, match=r"twin\.json is beyond the \d+ bytes that the files of a folder may have"):
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

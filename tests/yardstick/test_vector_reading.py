"""Reading vectors that anybody may have written: one sentence, with file and place; nothing is executed."""

import copy
import json
import os

import jsonschema
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from yardstick.vectors import reading
from yardstick.vectors.files import FOLDER, SCHEMA_FILE
from yardstick.vectors.reading import load_vectors

SCHEMA = json.loads((FOLDER / SCHEMA_FILE).read_text())
ARRAY = {"dtype": "float64", "shape": [], "values": [1.5]}
CASE = {
    **{"id": "small/double/plain", "function": "double", "result": "valid", "paper": "Eq. 1", "comment": "Twice."},
    **{"input": {"x": ARRAY, "way": "up"}, "answers": [{"output": {"y": ARRAY}}]},
}
FAULT = {
    **{name: CASE[name] for name in ("function", "paper", "comment")},
    **{"id": "small/double/plain/half", "result": "invalid", "input_of": "small/double/plain"},
    "answers": [{"flag": "half", "output": {"y": ARRAY}}],
}
INPUTS, OUTPUTS = {"x": "float64", "way": "a text"}, {"y": "float64"}
DOCUMENT = {
    **{"format": "refrank-vectors", "version": 1, "family": "small", "text": "Small."},
    "functions": {"double": {"text": "Twice.", "paper": "Eq. 1", "inputs": INPUTS, "outputs": OUTPUTS}},
    "notes": {"half": "Half of it."},
    "cases": [CASE, FAULT],
}


def write(folder, document, name="small.json"):
    (folder / name).write_text(json.dumps(document))
    return folder


def test_a_small_file_is_read(tmp_path):
    case, fault = load_vectors(write(tmp_path, DOCUMENT)).cases
    assert (case.input["way"], case.answers[0].output["y"]) == ("up", np.array(1.5))
    assert fault.input is case.input
    assert (fault.of, fault.answers[0].flag) == (case.id, "half")


DEEP = json.loads("[" * 500 + "]" * 500)
OMITTED = object()
FILE, AT_CASE, AT_FAULT = r".*small\.json", r"'small/double/plain', case 0 of .*small\.json", ".*/half', case 1 of .*"
CHANGES = [  # the place of a field, what stands there, whether the schema sees it, and what is said
    ("version", 2, True, f"^version of {FILE} is 2: schema.json asks for const 1$"),
    ("version", True, True, f"^version of {FILE} is True: schema.json asks for const 1$"),
    ("family", "a/b", True, rf"^family of {FILE} is 'a/b': schema.json asks for pattern '\^\[A-Za-z\]"),
    ("functions/double/code", "exit()", True, rf"^functions.double of {FILE}: .* \('code' was unexpected\)$"),
    ("notes/half", OMITTED, False, f"^flag of {AT_FAULT} is 'half': it must be one of the file's notes"),
    ("notes/not a name", "x", True, f"^notes of {FILE} is 'not a name': schema.json asks for pattern"),
    ("notes/name\n", "x", True, rf"^notes of {FILE} is 'name\\n': schema.json asks for not {{'pattern': "),
    ("text", OMITTED, True, f"^{FILE}: 'text' is a required property$"),
    ("extra", 1, True, rf"^{FILE}: Additional properties are not allowed \('extra' was unexpected\)$"),
    ("cases/0/comment", "", True, rf"^cases\[0\].comment of {FILE} is '': schema.json asks for minLength 1"),
    ("cases/0/comment", "\x1b[2J", True, rf"^cases\[0\].comment of {FILE} is '\\x1b\[2J': schema.json asks for not "),
    ("cases/0/comment", "\ud800", True, rf"^cases\[0\].comment of {FILE} is '\\ud800': schema.json asks for not "),
    ("cases/0/id", "small/" + "a" * 160, True, rf"^cases\[0\].id of {FILE} is 'small/aaa.*: .* maxLength 160"),
    ("cases/1/id", "small/double/plain", False, "^id of 'small/double/plain', case 1 of .* is not new"),
    ("cases/0/function", "triple", False, f"^function of {AT_CASE} is 'triple': it must be one of the file's"),
    ("cases/0/result", "right", True, rf"^cases\[0\].result of {FILE} is 'right': schema.json asks for enum"),
    ("cases/0/flags", ["half", "new"], False, f"^flag of {AT_CASE} is 'new': it must be one of the file's notes"),
    ("cases/0/ulps", 0, True, rf"^cases\[0\].ulps of {FILE} is 0: schema.json asks for minimum 1"),
    ("cases/0/ulps", 2**53, True, rf"^cases\[0\].ulps of {FILE} is .*: schema.json asks for maximum"),
    ("cases/0/input/z", ARRAY, False, rf"^input of {AT_CASE} has \['way', 'x', 'z'\]: it must have x, way$"),
    ("cases/0/input/way", {"dtype": "float64"}, True, f"^shape of way of input of {AT_CASE} is None"),
    ("cases/0/input_of", "small/double/plain", True, rf"^cases\[0\] of {FILE} .*: schema.json asks for oneOf"),
    ("cases/1/input_of", "small/other", False, f"^input_of of {AT_FAULT} is 'small/other': it must be the id of a"),
    ("cases/0/answers", [], True, rf"^cases\[0\].answers of {FILE} is \[\]: schema.json asks for minItems 1"),
    ("cases/1/result", "acceptable", True, rf"^cases\[1\].* of {FILE} is .*: schema.json asks for "),
    ("cases/0/answers/0/flag", "half", True, rf"^cases\[0\].answers\[0\] of {FILE} is .*: schema.json asks for not"),
    ("cases/1/answers/0/flag", OMITTED, True, rf"^cases\[1\].answers\[0\] of {FILE}: 'flag' is a required property"),
    ("cases/0/answers/0/output", {}, False, rf"^output of answer 0 of {AT_CASE} has \[\]: it must have y$"),
    ("cases/0/answers/0/output/y/shape", [2], False, "^y of output of answer 0 of .* is 1 entries"),
    ("cases/0/answers/0/output/y/shape", [2**40], False, "^shape of y of output of answer 0"),
    ("cases/0/answers/0/output/y/values", DEEP, True, r"^y of output of .* at entry 0 is \[\[\["),
]


@pytest.mark.parametrize(("place", "value", "seen", "sentence"), CHANGES, ids=range(len(CHANGES)))
def test_a_damaged_field_is_named(tmp_path, place, value, seen, sentence):
    at = document = copy.deepcopy(DOCUMENT)
    *steps, last = [int(step) if step.isdigit() else step for step in place.split("/")]
    for step in steps:
        at = at[step]
    at[last] = value
    if value is OMITTED:
        del at[last]
    with pytest.raises(ValueError, match=sentence) as fault:
        load_vectors(write(tmp_path, document))
    assert "\n" not in str(fault.value)
    assert jsonschema.Draft202012Validator(SCHEMA).is_valid(document) != seen


FILES = [  # the content of a file beside a right one, or what makes it, and what is said
    (b"[1", "twin.json is not JSON"),
    (b"[]", r"twin.json is \[\]: schema.json asks for type 'object'"),
    ({**DOCUMENT, "\x1b[2J": 1}, r"properties are not allowed \('\\x1b\[2J' was unexpected\)"),
    (bytes(2**21 + 1), "has 2097153 bytes: a file of vectors has at most 2097152"),
    (os.mkfifo, "twin.json: it is not a regular file, but a pipe"),
    (DOCUMENT, r"family of .*twin.json has 'small': another file has it"),
    ({**DOCUMENT, "family": "twin"}, r"functions of .*twin.json has 'double': another file has it"),
    ({**DOCUMENT, "text": "x" * 999}, r"twin.json is beyond the \d+ bytes that the files of a folder may have"),
]


@pytest.mark.parametrize(("content", "sentence"), FILES, ids=range(len(FILES)))
def test_another_file_is_refused_in_one_line(tmp_path, monkeypatch, content, sentence):
    with pytest.raises(ValueError, match=r"has 0 JSON files beside schema.json"):
        load_vectors(tmp_path)
    path = write(tmp_path, DOCUMENT) / "twin.json"
    if callable(content):
        content(path)
    else:
        path.write_bytes(content if isinstance(content, bytes) else json.dumps(content).encode())
    monkeypatch.setattr(reading, "MOST_BYTES", 2 * len(json.dumps(DOCUMENT)) + 99)
    with pytest.raises(ValueError, match=sentence) as fault:
        load_vectors(tmp_path)
    assert str(fault.value).isprintable()


DRAWS = (FOLDER / "draws.json").read_bytes()


@given(at=st.integers(0, len(DRAWS) - 1), byte=st.integers(0, 255), cut=st.booleans())
def test_any_damage_to_a_byte_is_one_sentence_or_none(tmp_path_factory, at, byte, cut):
    folder = tmp_path_factory.mktemp("damaged")
    (folder / "draws.json").write_bytes(DRAWS[:at] if cut else DRAWS[:at] + bytes([byte]) + DRAWS[at + 1 :])
    said = "draws.json"
    try:
        load_vectors(folder)
    except ValueError as fault:
        said = str(fault)
    assert "draws.json" in said
    assert "\n" not in said

"""Read a folder of vectors that anybody may have written: bounded, checked, and never executed.

A fault is a ValueError that names the file and the place. schema.json defines the form of a file. In addition, texts
must be printable, a case must have the inputs and outputs of its function, ids must be unique, flags explained, and the
case that shares a fault's input present.
"""

import json
import os
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from refrank.checks import print_text
from refrank.datasets.foreign_file import read_file
from refrank.strict_json import parse_json
from yardstick.numbers.encoding import decode, show
from yardstick.vectors.case import Answer, Case, Signature, Value
from yardstick.vectors.files import FAMILIES, FOLDER, SCHEMA_FILE, STREAMS_FILE

BESIDE = (SCHEMA_FILE, STREAMS_FILE)
MOST_FILES, MOST_BYTES = 64, 2**22  # of a folder: comparing a megabyte with the schema may take seconds


@dataclass(frozen=True, eq=False)
class Vectors:
    """The vectors of a folder."""

    cases: tuple[Case, ...]
    functions: Mapping[str, Signature]
    notes: Mapping[str, Mapping[str, str]]  # family -> flag -> its explanation


def load_vectors(folder: str | os.PathLike[str] | None = None) -> Vectors:
    """Read all files of a folder of vectors.

    Parameters
    ----------
    folder : path, optional
        As `refrank vectors DIR` writes it; by default, the vectors of this version.

    Returns
    -------
    Vectors

    Raises
    ------
    ValueError
        If a file has another form; the message names the file and the place.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> load_vectors().functions["ndcg"].paper
    'McRank Eq. 3'
    """
    folder = Path(FOLDER if folder is None else folder)
    paths = [path for path in folder.iterdir() if path.suffix == ".json" and path.name not in BESIDE]
    if not 0 < len(paths) <= MOST_FILES:
        rule = f"it must have from 1 to {MOST_FILES} files of vectors"
        raise ValueError(
            f"{print_text(str(folder), 200)} has {len(paths)} JSON files beside {' and '.join(BESIDE)}: {rule}"
        )
    cases: dict[str, Case] = {}
    functions: dict[str, Signature] = {}
    notes: dict[str, Mapping[str, str]] = {}
    n_bytes = 0
    for path in sorted(paths, key=place_file):
        name, content = print_text(str(path), 200), read_file(path, "file of vectors")
        n_bytes += len(content)
        if n_bytes > MOST_BYTES:
            raise ValueError(f"{name} is beyond the {MOST_BYTES} bytes that the files of a folder may have together")
        document = parse_json(content, name)
        if folder != FOLDER:  # the package's own files are tested
            check_form(document, name)
        family, described = document["family"], document["functions"]
        if family in notes:
            raise ValueError(f"family of {name} is {show(family)}: another file has it")
        if twice := described.keys() & functions.keys():
            raise ValueError(f"functions of {name} has {show(min(twice))}: another file has it")
        notes[family] = document["notes"]
        own = {key: Signature(key, **fields) for key, fields in described.items()}
        functions |= own
        for number, fields in enumerate(document["cases"]):
            case = read_case(fields, f"{fields['id']!r}, case {number} of {name}", own, notes[family], cases)
            cases[case.id] = case
    return Vectors(tuple(cases.values()), functions, notes)


@cache
def load_own() -> Vectors:
    """Read the vectors of this version once."""
    return load_vectors()


def explain_flag(case: Case, flag: str) -> str:
    """Explain a flag of a case of this version."""
    return load_own().notes[case.id.partition("/")[0]][flag]


def place_file(path: Path) -> tuple[int, str]:
    """Order files by FAMILIES, and others after them by their names."""
    return FAMILIES.index(path.stem) if path.stem in FAMILIES else len(FAMILIES), path.name


def check_form(document: Any, name: str) -> None:
    """Refuse the first departure from schema.json, and texts that a terminal cannot show."""
    for fault in make_validator().iter_errors(document):
        path = print_text(fault.json_path.lstrip("$."), 200)
        place = f"{path} of {name}" if path else name
        if fault.validator in ("required", "additionalProperties"):  # the message names the field
            raise ValueError(f"{place}: {print_text(fault.message, 200)}")
        rule = f"{fault.validator} {show(fault.validator_value)}"
        raise ValueError(f"{place} is {show(fault.instance)}: schema.json asks for {rule}")
    for text in find_texts(document):
        if not text.isprintable():
            raise ValueError(f"{name} has the text {show(text)}: each character must be printable")


@cache
def make_validator() -> Any:
    """Make the validator of a file, except for arrays, which `decode` reads."""
    from jsonschema import Draft202012Validator

    schema = json.loads((FOLDER / SCHEMA_FILE).read_text(encoding="utf-8"))
    schema["$defs"]["array"] = {"type": "object"}
    return Draft202012Validator(schema)


def find_texts(document: Any) -> Iterator[str]:
    """Yield all names and texts of a document at any depth."""
    waiting = [document]
    while waiting:
        part = waiting.pop()
        if isinstance(part, str):
            yield part
        elif isinstance(part, list | dict):
            waiting += [*part, *part.values()] if isinstance(part, dict) else part


def read_case(
    fields: Mapping[str, Any],
    name: str,
    functions: Mapping[str, Signature],
    notes: Mapping[str, str],
    before: Mapping[str, Case],
) -> Case:
    """Read one case; `before` are the cases before it in the file."""
    id, function, result, of = fields["id"], fields["function"], fields["result"], fields.get("input_of", "")
    if id in before:
        raise ValueError(f"id of {name} is not new: each case must have its own")
    if function not in functions:
        raise ValueError(f"function of {name} is {show(function)}: it must be one of the file's functions")
    signature, flags, answers = functions[function], tuple(fields.get("flags", ())), []
    for number, answer in enumerate(fields["answers"]):
        place, flag = f"answer {number} of {name}", answer.get("flag", "")
        if (flag == "") != (result == "valid"):
            rule = f"it must {'not ' * (result == 'valid')}have one"
            raise ValueError(f"{place} has flag {show(flag)}: of result {result} {rule}")
        answers.append(Answer(read_arrays(answer["output"], signature.outputs, f"output of {place}"), flag))
    for flag in (*flags, *(answer.flag for answer in answers if answer.flag)):
        if flag not in notes:
            raise ValueError(f"flag of {name} is {show(flag)}: it must be one of the file's notes")
    if not of:
        input: Mapping[str, Value] = read_arrays(fields["input"], signature.inputs, f"input of {name}")
    elif of not in before:
        raise ValueError(f"input_of of {name} is {show(of)}: it must be the id of a case before it")
    elif not (result == "invalid" and answers and before[of].function == function):
        raise ValueError(f"input_of of {name} is {show(of)}: only a fault shares an input, that of the same function")
    else:
        input = before[of].input
    ulps = fields.get("ulps", before[of].ulps if of else 0)
    if type(ulps) is not int or ulps >= 2**53:
        raise ValueError(f"ulps of {name} is {show(ulps)}: it must be an integer below 2^53")
    return Case(id, function, input, result, tuple(answers), fields["paper"], fields["comment"], flags, ulps, of)


def read_arrays(document: Mapping[str, Any], names: Mapping[str, str], name: str) -> dict[str, Any]:
    """Read the inputs or outputs of a function."""
    if document.keys() != names.keys():
        raise ValueError(f"{name} has {show(sorted(document))}: it must have {', '.join(names)}")
    return {key: read_value(value, f"{key} of {name}") for key, value in document.items()}


def read_value(document: Any, name: str) -> Value:
    """Read an array, a text, texts, or nothing."""
    if isinstance(document, list):
        return tuple(document)
    return decode(document, name) if isinstance(document, dict) else document

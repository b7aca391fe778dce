"""Read a folder of vectors that anybody may have written: bounded, checked, and never executed.

A fault is a ValueError that names the file and the place. schema.json defines the form of a file. In addition, a case
must have the inputs and outputs of its function, ids must be unique, flags explained, and the case present whose input
a fault shares.
"""

import json
import os
from collections.abc import Mapping
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
    """Read all files of a folder of vectors, as `refrank vectors DIR` writes it; by default, those of this version.

    A ValueError names the file and the place where one has another form.
    """
    folder = Path(FOLDER if folder is None else folder)
    paths = [path for path in folder.iterdir() if path.suffix == ".json" and path.name not in BESIDE]
    if not 0 < len(paths) <= MOST_FILES:
        place = f"{print_text(str(folder), 200)} has {len(paths)} JSON files beside {' and '.join(BESIDE)}"
        raise ValueError(f"{place}: it must have from 1 to {MOST_FILES} files of vectors")
    cases: dict[str, Case] = {}
    functions: dict[str, Signature] = {}
    notes: dict[str, Mapping[str, str]] = {}
    n_bytes = 0
    for path in sorted(paths, key=lambda path: ([*FAMILIES, path.stem].index(path.stem), path.name)):
        name, content = print_text(str(path), 200), read_file(path, "file of vectors")
        n_bytes += len(content)
        if n_bytes > MOST_BYTES:
            raise ValueError(f"{name} is beyond the {MOST_BYTES} bytes that the files of a folder may have together")
        document = parse_json(content, name)
        if folder != FOLDER:  # the package's own files are tested
            check_form(document, name)
        own = {key: Signature(key, **fields) for key, fields in document["functions"].items()}
        family = document["family"]
        for field, twice in (("family", {family} & notes.keys()), ("functions", own.keys() & functions.keys())):
            if twice:
                raise ValueError(f"{field} of {name} has {show(min(twice))}: another file has it")
        notes[family] = document["notes"]
        functions |= own
        for number, fields in enumerate(document["cases"]):
            case = read_case(fields, f"{fields['id']!r}, case {number} of {name}", own, notes[family], cases)
            cases[case.id] = case
    return Vectors(tuple(cases.values()), functions, notes)


@cache
def load_own() -> Vectors:
    """Read the vectors of this version once."""
    return load_vectors()


def check_form(document: Any, name: str) -> None:
    """Refuse the first departure from schema.json."""
    for fault in make_validator().iter_errors(document):
        path = print_text(fault.json_path.lstrip("$."), 200)
        place = f"{path} of {name}" if path else name
        if fault.validator in ("required", "additionalProperties"):  # the message names the field
            raise ValueError(f"{place}: {print_text(fault.message, 200)}")
        rule = f"{fault.validator} {show(fault.validator_value)}"
        raise ValueError(f"{place} is {show(fault.instance)}: schema.json asks for {rule}")


@cache
def make_validator() -> Any:
    """Make the validator of a file, except for arrays, which `decode` reads."""
    from jsonschema import Draft202012Validator

    schema = json.loads((FOLDER / SCHEMA_FILE).read_text(encoding="utf-8"))
    schema["$defs"]["array"] = {"type": "object"}
    return Draft202012Validator(schema)


def read_case(
    fields: Mapping[str, Any],
    name: str,
    functions: Mapping[str, Signature],
    notes: Mapping[str, str],
    before: Mapping[str, Case],
) -> Case:
    """Read one case; `before` are the cases before it."""
    id, function, of, flags = fields["id"], fields["function"], fields.get("input_of", ""), fields.get("flags", [])
    if id in before:
        raise ValueError(f"id of {name} is not new: each case must have its own")
    if function not in functions:
        raise ValueError(f"function of {name} is {show(function)}: it must be one of the file's functions")
    answers = []
    for number, answer in enumerate(fields["answers"]):
        output = read_arrays(answer["output"], functions[function].outputs, f"output of answer {number} of {name}")
        answers.append(Answer(output, answer.get("flag", "")))
    for flag in (*flags, *(answer.flag for answer in answers if answer.flag)):
        if flag not in notes:
            raise ValueError(f"flag of {name} is {show(flag)}: it must be one of the file's notes")
    if not of:
        input: Mapping[str, Value] = read_arrays(fields["input"], functions[function].inputs, f"input of {name}")
    elif of in before and before[of].function == function:
        input = before[of].input
    else:
        raise ValueError(f"input_of of {name} is {show(of)}: it must be the id of a case before it, of its function")
    ulps = int(fields.get("ulps", before[of].ulps if of else 0))
    texts = fields["paper"], fields["comment"]
    return Case(id, function, input, fields["result"], tuple(answers), *texts, tuple(flags), ulps, of)


def read_arrays(document: Mapping[str, Any], names: Mapping[str, str], name: str) -> dict[str, Any]:
    """Read the inputs or outputs of a function: arrays, texts, lists of texts, and nulls."""
    if document.keys() != names.keys():
        raise ValueError(f"{name} has {show(sorted(document))}: it must have {', '.join(names)}")
    read = {key: tuple(value) if isinstance(value, list) else value for key, value in document.items()}
    return {key: decode(value, f"{key} of {name}") if isinstance(value, dict) else value for key, value in read.items()}

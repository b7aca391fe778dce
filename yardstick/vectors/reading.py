"""Reading a folder of vectors that anybody may have written: checked field by field, bounded, and never executed.

A fault is a ValueError that names the file and the place. The same rules are in schema.json. Beyond them, a case has
the inputs and outputs of its function, ids are unique, and a fault finds the case whose input it shares.
"""

import os
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Any

from refrank.checks import print_text
from refrank.strict_json import parse_json
from yardstick.numbers.encoding import decode, show
from yardstick.vectors.case import Answer, Case, Signature, Value
from yardstick.vectors.fields import ID, read_list, read_name, read_object, read_table, read_text
from yardstick.vectors.files import FAMILIES, FOLDER, SCHEMA_FILE

FORMAT, VERSION = "refrank-vectors", 1
MOST_BYTES = 2**24  # of a file
MOST_FILES = 64


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
        If a file is not such a file; it names the file and the place.
    OSError
        If a file cannot be read.

    Examples
    --------
    >>> load_vectors().functions["ndcg"].paper
    'McRank Eq. 3'
    """
    folder = Path(FOLDER if folder is None else folder)
    paths = [path for path in folder.iterdir() if path.suffix == ".json" and path.name != SCHEMA_FILE]
    if not 0 < len(paths) <= MOST_FILES:
        rule = f"it must have from 1 to {MOST_FILES} files of vectors"
        raise ValueError(f"{print_text(str(folder), 200)} has {len(paths)} JSON files beside {SCHEMA_FILE}: {rule}")
    cases: dict[str, Case] = {}
    functions: dict[str, Signature] = {}
    notes: dict[str, Mapping[str, str]] = {}
    for path in sorted(paths, key=place_file):
        name = print_text(str(path), 200)
        document = read_document(path, name)
        family = document["family"]
        if family in notes:
            raise ValueError(f"family of {name} is {show(family)}: another file has it")
        notes[family] = read_table(document["notes"], f"notes of {name}", read_text)
        described = read_table(document["functions"], f"functions of {name}", read_description)
        own = {key: Signature(key, *description) for key, description in described.items()}
        twice = own.keys() & functions.keys()
        if twice:
            raise ValueError(f"functions of {name} has {show(min(twice))}: another file has it")
        functions |= own
        for number, fields in enumerate(read_list(document["cases"], f"cases of {name}")):
            case = read_case(fields, f"case {number} of {name}", own, notes[family], cases)
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


def read_document(path: Path, name: str) -> dict[str, Any]:
    """Read a file of JSON, and check its head."""
    if not path.is_file():
        raise ValueError(f"{name} is not a file: it must be a file of vectors")
    with open(path, "rb") as file:
        text = file.read(MOST_BYTES + 1)
    if len(text) > MOST_BYTES:
        raise ValueError(f"{name} is longer than 2^24 bytes: it must be shorter")
    document = read_object(
        parse_json(text, name), name, ["format", "version", "family", "text", "functions", "notes", "cases"]
    )
    if document["format"] != FORMAT:
        raise ValueError(f"format of {name} is {show(document['format'])}: it must be {FORMAT!r}")
    if type(document["version"]) is not int or document["version"] != VERSION:
        raise ValueError(f"version of {name} is {show(document['version'])}: it must be {VERSION}")
    read_text(document["text"], f"text of {name}")
    read_name(document["family"], f"family of {name}")
    return document


def read_description(document: Any, name: str) -> tuple[Any, ...]:
    """Read the fields of a signature after its name."""
    fields = read_object(document, name, ("text", "paper", "inputs", "outputs"))
    text, paper = (read_text(fields[key], f"{key} of {name}") for key in ("text", "paper"))
    inputs, outputs = (read_table(fields[key], f"{key} of {name}", read_text) for key in ("inputs", "outputs"))
    return text, paper, inputs, outputs


def read_case(
    document: Any,
    name: str,
    functions: Mapping[str, Signature],
    notes: Mapping[str, str],
    before: Mapping[str, Case],
) -> Case:
    """Read one case; `before` are the cases that stand before it."""
    needed = ("id", "function", "result", "paper", "comment", "answers")
    fields = read_object(document, name, needed, ("flags", "ulps", "input", "input_of"))
    id = read_name(fields["id"], f"id of {name}", ID)
    function, result, paper, comment = (read_text(fields[key], f"{key} of {name}") for key in needed[1:-1])
    name = f"{print_text(id, 80)!r}, {name}"
    if id in before:
        raise ValueError(f"id of {name} is not new: each case must have its own")
    if function not in functions:
        raise ValueError(f"function of {name} is {show(function)}: it must be one of the file's functions")
    signature = functions[function]
    answers = tuple(
        read_answer(answer, f"answer {number} of {name}", signature, notes)
        for number, answer in enumerate(read_list(fields["answers"], f"answers of {name}"))
    )
    check_answers(answers, result, name)
    flags = tuple(
        read_flag(flag, f"flags of {name}", notes) for flag in read_list(fields.get("flags", []), f"flags of {name}")
    )
    ulps = fields.get("ulps", 0)
    if type(ulps) is not int or not 0 <= ulps < 2**53 or ("ulps" in fields and ulps == 0):
        raise ValueError(f"ulps of {name} is {show(ulps)}: it must be an integer from 1 to 2^53 - 1")
    of, input = read_input(fields, name, signature, before)
    if of and not (result == "invalid" and answers and before[of].function == function):
        raise ValueError(f"input_of of {name} is {show(of)}: only a fault shares an input, that of the same function")
    return Case(id, function, input, result, answers, paper, comment, flags, ulps or (before[of].ulps if of else 0), of)  # type: ignore[arg-type]


def check_answers(answers: tuple[Answer, ...], result: str, name: str) -> None:
    """Check that a result has its number of answers, and their flags."""
    counts = {"valid": (1, 1), "acceptable": (2, 100), "invalid": (0, 1)}
    if result not in counts:
        raise ValueError(f"result of {name} is {show(result)}: it must be one of {', '.join(counts)}")
    least, most = counts[result]
    if not least <= len(answers) <= most:
        raise ValueError(f"answers of {name} are {len(answers)}: {result} must have from {least} to {most}")
    for number, answer in enumerate(answers):
        if (answer.flag == "") != (result == "valid"):
            rule = "must not have" if result == "valid" else "must have"
            place = f"answer {number} of {name} has flag {show(answer.flag)}"
            raise ValueError(f"{place}: of result {result} it {rule} one")


def read_input(
    fields: Mapping[str, Any], name: str, signature: Signature, before: Mapping[str, Case]
) -> tuple[str, Mapping[str, Value]]:
    """Read the input of a case, or find the case whose input it shares."""
    if ("input" in fields) == ("input_of" in fields):
        raise ValueError(f"{name} has {'both' if 'input' in fields else 'neither'}: it must have input or input_of")
    if "input_of" in fields:
        of = read_text(fields["input_of"], f"input_of of {name}")
        if of not in before:
            raise ValueError(f"input_of of {name} is {show(of)}: it must be the id of a case before it")
        return of, before[of].input
    given = read_table(fields["input"], f"input of {name}", read_value)
    if set(given) != set(signature.inputs):
        rule = f"they must be {', '.join(signature.inputs)}"
        raise ValueError(f"inputs of {name} are {show(sorted(given))}: {rule}")
    return "", given


def read_answer(document: Any, name: str, signature: Signature, notes: Mapping[str, str]) -> Answer:
    """Read one answer."""
    fields = read_object(document, name, ("output",), ("flag",))
    flag = read_flag(fields["flag"], f"flag of {name}", notes) if "flag" in fields else ""
    output = read_table(fields["output"], f"output of {name}", decode)
    if set(output) != set(signature.outputs):
        rule = f"they must be {', '.join(signature.outputs)}"
        raise ValueError(f"outputs of {name} are {show(sorted(output))}: {rule}")
    return Answer({key: output[key] for key in signature.outputs}, flag)


def read_flag(document: Any, name: str, notes: Mapping[str, str]) -> str:
    """Read a flag that the file explains."""
    if read_text(document, name) not in notes:
        raise ValueError(f"{name} has {show(document)}: it must be one of the file's notes")
    return str(document)


def read_value(document: Any, name: str) -> Value:
    """Read an input: an array, a text, texts, or nothing."""
    if document is None or isinstance(document, str):
        return None if document is None else read_text(document, name)
    if isinstance(document, list):
        return tuple(read_text(text, name) for text in document)
    return decode(document, name)

"""The files of the vectors in the package: README.md, schema.json, a file per family, and streams.json.

`python -m generators.vectors` computes the families, and `python -m generators.streams` the streams. schema.json, which
is written by hand, has the form of a family for readers in other languages.
"""

import json
import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path
from typing import Any, NamedTuple

from refrank.datasets.whole_file import replace_file
from yardstick.numbers.encoding import decode
from yardstick.vectors.case import Answer, Case, Signature

FOLDER = Path(__file__).with_name("data")
SCHEMA_FILE, STREAMS_FILE = "schema.json", "streams.json"
FORMAT, VERSION = "refrank-vectors", 1
FAMILIES = (  # in order of computation
    *("numbers", "draws", "binning", "splits", "leaves", "trees", "rounds", "regression", "probabilities"),
    *("boosting", "igbrt", "cocr", "metrics", "conventions", "binary", "lambdas", "successors", "shards"),
)
FILES = ("README.md", SCHEMA_FILE, STREAMS_FILE, *(f"{family}.json" for family in FAMILIES))


def copy_vectors(folder: str | os.PathLike[str]) -> list[Path]:
    """Copy the files of the vectors to a folder, and return the copies; each file is replaced whole."""
    Path(folder).mkdir(parents=True, exist_ok=True)
    return [write_file(Path(folder, name), (FOLDER / name).read_text(encoding="utf-8")) for name in FILES]


def write_file(path: Path, text: str) -> Path:
    """Replace a file whole, or leave the old one as it is after an error; return its path."""
    with replace_file(path) as file:
        file.write(text.encode())
    return path


class Vectors(NamedTuple):
    """The vectors of all families."""

    cases: tuple[Case, ...]
    functions: Mapping[str, Signature]
    notes: Mapping[str, Mapping[str, str]]  # family -> flag -> its explanation


@cache
def load_vectors() -> Vectors:
    """Read the vectors of this version, once."""
    cases: dict[str, Case] = {}
    functions: dict[str, Signature] = {}
    notes: dict[str, Mapping[str, str]] = {}
    for family in FAMILIES:
        document = json.loads((FOLDER / f"{family}.json").read_text(encoding="utf-8"))
        functions |= {name: Signature(name, **fields) for name, fields in document["functions"].items()}
        notes[family] = document["notes"]
        for fields in document["cases"]:
            cases[fields["id"]] = read_case(fields, cases)
    return Vectors(tuple(cases.values()), functions, notes)


def read_case(fields: Mapping[str, Any], before: Mapping[str, Case]) -> Case:
    """Read a case; an invalid one may have the input of a case before it."""
    of, flags = before.get(fields.get("input_of", "")), tuple(fields.get("flags", ()))
    input = of.input if of else read_values(fields["input"])
    answers = tuple(Answer(read_values(answer["output"]), answer.get("flag", "")) for answer in fields["answers"])
    ulps, id = fields.get("ulps", of.ulps if of else 0), of.id if of else ""
    texts = fields["paper"], fields["comment"]
    return Case(fields["id"], fields["function"], input, fields["result"], answers, *texts, flags, ulps, id)


def read_values(values: Mapping[str, Any]) -> dict[str, Any]:
    """Read inputs or outputs: arrays, texts, lists of texts, and nulls."""
    read = {name: tuple(value) if isinstance(value, list) else value for name, value in values.items()}
    return {name: decode(value, name) if isinstance(value, dict) else value for name, value in read.items()}

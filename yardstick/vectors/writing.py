"""Writing the vectors: a folder of JSON files, one per family, that needs no Python to be used.

    README.md       the format, and every flag
    schema.json     the form of a file (yardstick/vectors/schema.py)
    metrics.json    a family: its functions, its flags, its cases

The bytes are the same on every machine and with every version of NumPy.
"""

import json
import os
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from refrank.datasets.whole_file import replace_file
from yardstick.numbers.encoding import encode
from yardstick.vectors.cases import FAMILIES, Case, Family
from yardstick.vectors.cases.case import Value
from yardstick.vectors.schema import FORMAT, SCHEMA, VERSION

README = """\
# refrank-vectors

{n_cases} cases with which to test a port of McRank, iGBRT or COCR, function by function. They need no Python: the files
are JSON, and every float is there in decimal and in hexadecimal, as C's `strtod` reads it. `refrank vectors DIR` writes
the folder anew, to the byte.

## A file

| field | what |
|---|---|
| `format`, `version` | `"{format}"`, {version} |
| `family`, `text` | its name and what it holds |
| `functions` | what each computes, where it is defined, its inputs and outputs with types and shapes |
| `notes` | each flag, explained |
| `cases` | the cases |

`schema.json` is a JSON Schema (2020-12) of such a file.

## A case

| field | what |
|---|---|
| `id` | family, function and name; stable from version to version |
| `function` | one of `functions` |
| `result` | `valid`, `acceptable` or `invalid` |
| `paper`, `comment` | the place in the paper, and what the case is for |
| `input` | a value under the name of each input: an array, a text, a list of texts, or `null` |
| `input_of` | in place of `input`: the id of the case whose input this is |
| `answers` | a list of `{{"output": ..., "flag": ...}}`, where `output` has an array under each name |
| `flags` | names that are explained in `notes` |
| `ulps` | tolerance of floats; without it, every bit counts |

- `valid` has one answer, the right one.
- `acceptable` has several: the papers leave a choice, and each lawful answer has the flag of its choice. The first one
  is refrank's own.
- `invalid` has one answer or none. With an answer, this is what a port with a fault computes from the input of another
  case; the flag names the fault. Without an answer, the input must be refused.

`ulps` counts units in the last place of the largest finite entry of an output.

## An array

    {{"dtype": "float64", "shape": [2], "values": [0.1, "-inf"], "hex": ["0x1.999999999999ap-4", "-inf"]}}

`dtype` is `float64`, `int64` or `uint64`; `shape` is `[]` for a single number; `values` has the entries in C order,
`hex` the same floats. Read either. Zeros have signs. A nan is equal to any other.

## How to use it

For each case of a function that you have, read the input, call your function, and compare:

1. `valid`: the output must be equal to the answer, in every bit, or within `ulps`.
2. `acceptable`: the output must be equal to one of the answers.
3. `invalid`: the output must differ from the answer. If it is equal, your port has the fault that the flag names.
   Without an answer, your function must refuse the input.

In Python, `yardstick.vectors.running.run_vectors` does this.

## Families

| file | cases | what |
|---|---|---|
{families}

## Flags

| flag | what |
|---|---|
{flags}
"""


def write_vectors(folder: str | os.PathLike[str]) -> list[Path]:
    """Write the folder, and return its files; each file is replaced whole.

    Raises an OSError that names the path if it cannot be written.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     [file.name for file in write_vectors(folder)][:3]
    ['README.md', 'schema.json', 'numbers.json']
    """
    Path(folder).mkdir(parents=True, exist_ok=True)
    written = []
    for name, text in make_files().items():
        path = Path(folder, name)
        with replace_file(path) as file:
            file.write(text.encode())
        written.append(path)
    return written


def make_files() -> dict[str, str]:
    """Compute all cases, and return the text of each file by its name."""
    computed = {family.name: (family, list(family.cases())) for family in FAMILIES}
    documents = {f"{name}.json": print_family(family, cases) for name, (family, cases) in computed.items()}
    return {"README.md": print_readme(computed), "schema.json": f"{json.dumps(SCHEMA, indent=1)}\n", **documents}


def print_readme(computed: Mapping[str, tuple[Family, list[Case]]]) -> str:
    """Write README.md."""
    families = [f"| `{name}.json` | {len(cases)} | {family.text} |" for name, (family, cases) in computed.items()]
    notes = {flag: text for family, cases in computed.values() for flag, text in family.notes(cases).items()}
    return README.format(
        n_cases=f"{sum(len(cases) for _, cases in computed.values()):,}",
        format=FORMAT,
        version=VERSION,
        families="\n".join(families),
        flags="\n".join(f"| `{flag}` | {notes[flag]} |" for flag in sorted(notes)),
    )


def print_family(family: Family, cases: list[Case]) -> str:
    """Write a family as JSON: a line per field of a case, so that a change is a change of few lines."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "family": family.name,
        "text": family.text,
        "functions": {
            one.name: {"text": one.text, "paper": one.paper, "inputs": dict(one.inputs), "outputs": dict(one.outputs)}
            for one in family.functions
        },
        "notes": family.notes(cases),
    }
    lines = json.dumps(head, indent=1, ensure_ascii=False).removesuffix("\n}")
    return f'{lines},\n "cases": [\n' + ",\n".join(map(print_case, cases)) + "\n ]\n}\n"


def print_case(case: Case) -> str:
    """Write one case."""
    fields = ",\n".join(f"   {json.dumps(key)}: {value}" for key, value in list_fields(case))
    return f"  {{\n{fields}\n  }}"


def list_fields(case: Case) -> Iterator[tuple[str, str]]:
    """Yield the fields of a case, each as JSON."""
    for key in ("id", "function", "result", "paper", "comment"):
        yield key, json.dumps(getattr(case, key), ensure_ascii=False)
    if case.flags:
        yield "flags", json.dumps(case.flags)
    if case.ulps:
        yield "ulps", str(case.ulps)
    if case.of:
        yield "input_of", json.dumps(case.of)
    else:
        yield "input", print_table({name: encode_value(value) for name, value in case.input.items()})
    answers = []
    for one in case.answers:
        flag = f'"flag": {json.dumps(one.flag)}, ' if one.flag else ""
        output = print_table({name: encode(array) for name, array in one.output.items()})
        answers.append(f'{{{flag}"output": {output}}}')
    yield "answers", f"[{', '.join(answers)}]"


def print_table(values: Mapping[str, Any]) -> str:
    """Write an object, a field per line."""
    fields = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in values.items()
    )
    return f"{{\n{fields}\n   }}"


def encode_value(value: Value) -> Any:
    """Turn an input into what JSON holds."""
    if isinstance(value, np.ndarray):
        return encode(value)
    return list(value) if isinstance(value, tuple) else value

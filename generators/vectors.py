"""Write the vectors: `python -m generators.vectors` rewrites yardstick/vectors/data/, except schema.json.

A changed number shows up as a change in that folder. The bytes are the same on every machine and with every
version of NumPy.
"""

import json
import re
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from generators.cases import FAMILIES
from generators.cases.making import Case, Family, Value
from yardstick.numbers.encoding import encode
from yardstick.vectors.files import FOLDER, FORMAT, VERSION, write_file


def write_vectors(folder: Path = FOLDER) -> list[Path]:
    """Write the computed files, and return their paths."""
    return [write_file(folder / name, text) for name, text in make_files().items()]


def make_files() -> dict[str, str]:
    """Compute all cases, and return the text of each file by its name."""
    computed = {family.name: (family, list(family.list_cases())) for family in FAMILIES}
    documents = {f"{name}.json": print_family(family, cases) for name, (family, cases) in computed.items()}
    return {"README.md": print_readme(computed), **documents}


def print_readme(computed: Mapping[str, tuple[Family, list[Case]]]) -> str:
    """Write README.md with its prose unchanged, and current numbers of cases and tables of families and flags."""
    families = [f"| `{name}.json` | {len(cases)} | {family.text} |" for name, (family, cases) in computed.items()]
    notes = {flag: text for family, cases in computed.values() for flag, text in family.explain_flags(cases).items()}
    flags = [f"| `{flag}` | {notes[flag]} |" for flag in sorted(notes)]
    prose, _, _ = (FOLDER / "README.md").read_text(encoding="utf-8").partition("## Families")
    n_cases = sum(len(cases) for _, cases in computed.values())
    tables = ["## Families\n", "| file | cases | what |", "|---|---|---|", *families]
    tables += ["\n## Flags\n", "| flag | what |", "|---|---|", *flags]
    return re.sub(r"^[\d,]+ cases", f"{n_cases:,} cases", prose, flags=re.MULTILINE) + "\n".join(tables) + "\n"


def print_family(family: Family, cases: list[Case]) -> str:
    """Write a family as JSON, with a line per field of a case, so that a change affects few lines."""
    head = {
        "format": FORMAT,
        "version": VERSION,
        "family": family.name,
        "text": family.text,
        "functions": {
            function.name: {
                key: getattr(function, key)
                for key in ("text", "paper", "formula", "inputs", "outputs")
                if getattr(function, key)
            }
            for function in family.functions
        },
        "notes": family.explain_flags(cases),
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
    for answer in case.answers:
        flag = f'"flag": {json.dumps(answer.flag)}, ' if answer.flag else ""
        output = print_table({name: encode(array) for name, array in answer.output.items()})
        answers.append(f'{{{flag}"output": {output}}}')
    yield "answers", f"[{', '.join(answers)}]"


def print_table(values: Mapping[str, Any]) -> str:
    """Write an object, a field per line."""
    fields = ",\n".join(
        f"    {json.dumps(name)}: {json.dumps(value, allow_nan=False)}" for name, value in values.items()
    )
    return f"{{\n{fields}\n   }}"


def encode_value(value: Value) -> Any:
    """Convert an input to its form in JSON."""
    if isinstance(value, np.ndarray):
        return encode(value)
    return list(value) if isinstance(value, tuple) else value


if __name__ == "__main__":
    for path in write_vectors():
        print(path)

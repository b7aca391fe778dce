"""Questions to Coq once all files are compiled: each statement in full, and the axioms that the theorems rest on.

`python -m proofs_check.formal.trust FOLDER` writes three files beside the .v files of a folder:

    Statements.v  prints every definition and every theorem
    Axioms.v      prints what all theorems and computed examples rest on, except those of files named Log*.v
    Reals.v       prints what those of Log*.v rest on

It refuses files in which a word could make Coq accept what is not proved.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterator
from pathlib import Path

from proofs_check.formal.theorems import Theorem, read_sources, read_theorems

UNPROVED = re.compile(
    r"\b(Admitted|Admit Obligations|admit|give_up|Axioms?|Parameters?|Conjectures?|bypass_check|type-in-type"
    r"|(?:Guard|Positivity|Universe) Checking)\b"
)
STATED = re.compile(r"(?m)^[ \t]*(?:Definition|Fixpoint|Inductive|Record|Structure)\s+([\w']+)")
EXAMPLE = re.compile(r"(?m)^[ \t]*Example\s+([\w']+)")
ABBREVIATION = re.compile(r"(?m)^Notation\s+([\w']+)\s")
OPENED = re.compile(r"(?m)^(?:(?:From \w+ )?(?:Require|Import|Export)|(?:Local )?Open Scope) .*\.$")
OPTIONS = """Set Printing Width 118.
Set Printing Depth 1000.
Set Printing Parentheses.
Unset Printing Implicit Defensive.
"""


def remove_comments(source: str) -> str:
    """Replace comments, also nested ones, by a space.

    >>> remove_comments("a (* b (* c *) d *) e")
    'a   e'
    """
    while (stripped := re.sub(r"\(\*(?:(?!\(\*|\*\)).)*\*\)", " ", source, flags=re.S)) != source:
        source = stripped
    return source


def find_faults(folder: Path) -> Iterator[str]:
    """Yield a sentence for each theorem without rows, and each word by which Coq accepts what has no proof."""
    files: dict[str, str] = {}
    for theorem in read_theorems(folder):
        if not theorem.text:
            yield f"{theorem.file} {theorem.name}: above a theorem stands a comment (* row, row: text *)"
        if theorem.name in files:
            yield f"{theorem.file} {theorem.name}: {files[theorem.name]} has a theorem of this name, too"
        files[theorem.name] = theorem.file
    for file, source in read_sources(folder).items():
        for word in dict.fromkeys(UNPROVED.findall(remove_comments(source))):
            yield f"{file} has {word}: what is not proved is accepted"


def write_statements(theorems: list[Theorem], sources: dict[str, str]) -> Iterator[str]:
    """Yield the lines that print what is defined and what is proved, file by file, with the notations of the file."""
    yield OPTIONS
    for file, source in sources.items():
        own = [theorem.name for theorem in theorems if theorem.file == file]
        if EXAMPLE.search(source) and not own:
            continue
        stem, outside = file.removesuffix(".v"), source.partition("\nSection ")[0]
        yield f"Module Of{stem}.\n{chr(10).join(OPENED.findall(source))}\nFrom Refrank Require Import {stem}."
        yield f'Goal True. idtac "== {file}". Abort.'
        yield from (f"Print {name}." for name in [*ABBREVIATION.findall(outside), *STATED.findall(source)])
        yield from (f"Check @{name}." for name in own)
        yield f"End Of{stem}.\n"


def write_assumptions(names: dict[str, list[str]]) -> Iterator[str]:
    """Yield the lines that print what the named theorems of some files rest on, together."""
    if names:
        yield f"From Refrank Require {' '.join(names)}."
        listed = ", ".join(f"@{stem}.{name}" for stem, own in names.items() for name in own)
        yield f"Definition all_of_them := ({listed})."
        yield "Print Assumptions all_of_them."


def write_queries(folder: Path) -> None:
    """Write Statements.v, Axioms.v and Reals.v."""
    theorems = read_theorems(folder)
    sources = {file: remove_comments(source) for file, source in read_sources(folder).items()}
    of_logarithms: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    for file, source in sources.items():
        own = [theorem.name for theorem in theorems if theorem.file == file]
        if own := list(dict.fromkeys([*own, *EXAMPLE.findall(source)])):
            (of_logarithms if file.startswith("Log") else others)[file.removesuffix(".v")] = own
    for name, lines in (
        ("Statements", write_statements(theorems, sources)),
        ("Axioms", write_assumptions(others)),
        ("Reals", write_assumptions(of_logarithms)),
    ):
        (folder / f"{name}.v").write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(folder: str) -> int:
    """Write the three files, or print why those of the folder are refused."""
    faults = [*find_faults(Path(folder))]
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        write_queries(Path(folder))
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))

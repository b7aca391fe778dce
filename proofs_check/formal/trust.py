"""Questions to Coq: how it has read each statement, and on which axioms the theorems rest.

`python -m proofs_check.formal.trust FOLDER` adds lines to the end of each .v file of a folder, which print what it
defines and proves, with all parentheses and the notations of the file. It also writes two files:

    Axioms.v  prints what all theorems and computed examples rest on, except those of files named Log*.v
    Reals.v   prints what those of Log*.v rest on

It refuses files in which a word could make Coq accept what is not proved.
"""

from __future__ import annotations

import re
import sys
from collections.abc import Iterable, Iterator, Mapping
from pathlib import Path

from proofs_check.formal.theorems import read_sources, read_theorems

UNPROVED = re.compile(
    r"\b(Admitted|Admit Obligations|admit|give_up|Axioms?|Parameters?|Conjectures?|bypass_check|type-in-type"
    r"|(?:Guard|Positivity|Universe) Checking)\b"
)
STATED = re.compile(r"(?m)^[ \t]*(?:Definition|Fixpoint|Inductive|Record|Structure)\s+([\w']+)")
EXAMPLE = re.compile(r"(?m)^[ \t]*Example\s+([\w']+)")
ABBREVIATION = re.compile(r"(?m)^(?:Local )?Notation\s+([\w']+)\s")
SECTION = re.compile(r"(?ms)^Section (\w+)\..*?^End \1\.")  # an abbreviation ends with its section
SYMBOL = re.compile(r"(?m)^[ \t]*(?:Local |Global |#\[.*?\] *)?(Notation \"|Infix|Coercion|Canonical)")
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
        bare = remove_comments(source)
        for word in dict.fromkeys(UNPROVED.findall(bare)):
            yield f"{file} has {word}: what is not proved is accepted"
        for word in dict.fromkeys(SYMBOL.findall(bare)):
            yield f"{file} has {word}: a printed statement could mean something else"


def write_statements(file: str, source: str, names: Iterable[str]) -> Iterator[str]:
    """Yield the lines that print what a file defines, and the theorems of these names."""
    yield f'{OPTIONS}Goal True. idtac "== {file}". Abort.'
    yield from (f"Print {name}." for name in [*ABBREVIATION.findall(SECTION.sub("", source)), *STATED.findall(source)])
    yield from (f"Check @{name}." for name in names)


def write_assumptions(names: Mapping[str, Iterable[str]]) -> Iterator[str]:
    """Yield the lines that print what the named theorems of some files rest on, together."""
    if names:
        yield f"From Refrank Require {' '.join(names)}."
        yield "Definition all_of_them : True :="
        yield from (f"  let _ := @{stem}.{name} in" for stem, own in names.items() for name in own)
        yield "  I.\nPrint Assumptions all_of_them."


def write_queries(folder: Path) -> None:
    """Add the questions on statements to the files, and write Axioms.v and Reals.v."""
    theorems = read_theorems(folder)
    of_logarithms: dict[str, list[str]] = {}
    others: dict[str, list[str]] = {}
    texts = {}
    for file, text in read_sources(folder).items():
        own, source = [theorem.name for theorem in theorems if theorem.file == file], remove_comments(text)
        examples = EXAMPLE.findall(source)
        if own or not examples:  # not the examples of Vectors.v, which are many
            texts[file] = [text, *write_statements(file, source, own)]
        if own or examples:
            names = of_logarithms if file.startswith("Log") else others
            names[file.removesuffix(".v")] = list(dict.fromkeys([*own, *examples]))
    texts |= {"Axioms.v": [*write_assumptions(others)], "Reals.v": [*write_assumptions(of_logarithms)]}
    for file, lines in texts.items():
        (folder / file).write_text("\n".join(lines) + "\n", encoding="utf-8")


def main(folder: str) -> int:
    """Write the questions, or print why the files are refused."""
    faults = [*find_faults(Path(folder))]
    for fault in faults:
        print(fault, file=sys.stderr)
    if not faults:
        write_queries(Path(folder))
    return int(bool(faults))


if __name__ == "__main__":
    raise SystemExit(main(sys.argv[1]))

"""The theorems of the .v files, the rows of the table that they settle, and what Coq prints of them.

A comment above each theorem begins with its rows:

    (* mcrank.lemma1.step2, cossock_zhang.thm2.step1: DCG is largest when documents are ranked by their gains *)
    Theorem dcg_perfect c g z : ...

These comments are the one list of rows and theorems. A theorem that settles no row has `without a row` in their place.
An `Example` with such a comment refutes a row that is false.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from pathlib import Path

FOLDER = Path(__file__).parent
STATEMENTS = FOLDER / "statements.txt"
WITHOUT = "without a row"
ROW = r"[a-z_]+\.[A-Za-z0-9_.-]+"
COMMENT = re.compile(rf"\(\* (?P<rows>{ROW}(?:,\s+{ROW})*|{WITHOUT}): (?P<text>(?:(?!\*\)|\(\*).)*) \*\)\s*$", re.S)
THEOREM = re.compile(r"(?m)^[ \t]*(Theorem|Example)\s+([\w']+)")
PRINTED = re.compile(r"(?m)^(?!end\n)([\w']+)\n((?: {5}.*\n?)+)")


@dataclass(frozen=True)
class Theorem:
    """A theorem, or an example that refutes rows: the rows, its file and name, and its comment without the rows."""

    rows: tuple[str, ...]
    file: str
    name: str
    text: str
    refutes: bool = False


def read_sources(folder: Path) -> dict[str, str]:
    """Map the names of the .v files of a folder, in order, to their texts."""
    return {path.name: path.read_text(encoding="utf-8") for path in sorted(folder.glob("*.v"))}


def read_theorems(folder: Path = FOLDER) -> list[Theorem]:
    """Read the theorems of all files, and the examples with rows; `find_faults` of trust.py asks for the comments."""
    theorems = []
    for file, source in read_sources(folder).items():
        for match in THEOREM.finditer(source):
            comment = COMMENT.search(source[: match.start()])
            rows, text = (comment["rows"], comment["text"]) if comment else (WITHOUT, "")
            settled = () if rows == WITHOUT else tuple(re.split(r",\s+", rows))
            if settled or match[1] == "Theorem":
                theorems.append(Theorem(settled, file, match[2], " ".join(text.split()), match[1] == "Example"))
    return theorems


@cache
def name_theorems() -> Mapping[str, str]:
    """Map each row that is settled to the files and names of its theorems: `Bounds.v err_below_rr_dcg`."""
    names: dict[str, list[str]] = {}
    for theorem in read_theorems():
        for row in theorem.rows:
            names.setdefault(row, []).append(f"{theorem.file} {theorem.name}")
    return {row: ", ".join(listed) for row, listed in names.items()}


def read_statements(file: Path = STATEMENTS) -> dict[str, str]:
    """Map each theorem to its statement, as Coq prints it in full."""
    return {name: text for name, text in PRINTED.findall(file.read_text(encoding="utf-8"))}

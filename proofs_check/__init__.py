"""Check of every lemma of the three papers and every step of its proof: true, vacuous or refuted.

One module per statement, in one folder per paper. The module's docstring is the statement and its proof as printed;
each printed line is a function that compares both sides on a batch of rankings; `ROWS` lists these functions in
printed order. `python -m proofs_check` settles the rows and prints its findings. Read `mcrank/lemma1.py` first, then
`engine/instances.py` (what is enumerated), `engine/exact.py` (how rounding is avoided) and `engine/search.py` (how a
verdict is reached).

The folders `mcrank`, `igbrt`, `cocr` and `trees` hold the papers' statements; `new`, `losses`, `ndcg` and `regret` hold
statements that are proved here or in the related literature. `ports` applies the statements to the functions of another
implementation; `smt` holds statements that an SMT solver settles for all real numbers,
`formal` theorems for every n that Coq's kernel checks.

To add a statement, put a module with `ROWS` into a folder of statements, or into a new folder. To settle a module of
your own, anywhere, run `python -m proofs_check --module my.rows`.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from importlib import import_module
from pkgutil import iter_modules

from proofs_check.engine.records import Row
from proofs_check.formal.claims import name_examples
from proofs_check.formal.theorems import name_theorems
from proofs_check.smt import KINDS

# of prefixes; others follow by name
ORDER = ("mcrank", "cossock_zhang", "igbrt", "cocr", "lin_li", "trees", "new", "losses", "ndcg", "regret")
WITHOUT_STATEMENTS = ("engine", "formal", "ports", "smt", "tests")


def group_statements(rows: Iterable[Row] | None = None) -> dict[str, list[Row]]:
    """Map each statement id to its rows, by default `list_rows`: prefixes in the order of `ORDER`, statements by id."""
    grouped: dict[str, list[Row]] = {}
    for row in list_rows() if rows is None else rows:
        grouped.setdefault(".".join(row.id.split(".")[:2]), []).append(row)
    return dict(sorted(grouped.items(), key=lambda item: place(item[0])))


def place(id: str) -> tuple[int, str]:
    """Compute the sort key of a statement."""
    prefix = id.split(".")[0]
    return ORDER.index(prefix) if prefix in ORDER else len(ORDER), id


def list_rows() -> Iterator[Row]:
    """Yield the `ROWS` of all modules in the folders of statements."""
    for folder in iter_modules(__path__):
        if folder.ispkg and folder.name not in WITHOUT_STATEMENTS:
            package = import_module(f"{__name__}.{folder.name}")
            for module in iter_modules(package.__path__):
                yield from read_rows(f"{package.__name__}.{module.name}")


def read_rows(module: str) -> Iterator[Row]:
    """Yield the `ROWS` of a module; its docstring is the proof of rows without another, and `KINDS` has their kinds."""
    theorems = {**name_theorems(), **name_examples()}
    for row in getattr(import_module(module), "ROWS", []):
        proof, kind = row.proof or f"docstring of {module}", KINDS.get(row.id, row.kind)
        yield replace(row, proof=proof, kind=kind, formal=theorems.get(row.id, ""))

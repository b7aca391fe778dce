"""Every lemma of the three papers and every step of its proof, checked: true, vacuous or refuted.

One module per statement, in one folder per paper. The module's docstring is the statement and its proof as printed;
each printed line is a function that compares both sides on a batch of rankings; `ROWS` lists these functions in
printed order. `python -m proofs_check` settles the rows and prints its findings. Read `mcrank/lemma1.py` first, then
`engine/instances.py` (what is enumerated), `engine/exact.py` (how rounding is avoided) and `engine/search.py` (how a
verdict is reached).

`ports` holds what the statements say of the functions of another implementation.

To add a statement, put a module with `ROWS` into a folder of statements, or into a new one: it is found there.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from proofs_check.engine.records import Row

ORDER = ("mcrank", "cossock_zhang", "igbrt", "cocr", "lin_li", "trees", "new")  # of prefixes; others follow by name
WITHOUT_STATEMENTS = ("engine", "ports", "tests")


def statements() -> dict[str, list[Row]]:
    """Map each statement id to its rows: prefixes in the order of `ORDER`, statements by id."""
    found: dict[str, list[Row]] = {}
    for row in every_row():
        found.setdefault(".".join(row.id.split(".")[:2]), []).append(row)
    return dict(sorted(found.items(), key=lambda item: place(item[0])))


def place(id: str) -> tuple[int, str]:
    """Compute the sort key of a statement."""
    prefix = id.split(".")[0]
    return ORDER.index(prefix) if prefix in ORDER else len(ORDER), id


def every_row() -> Iterator[Row]:
    """Yield the `ROWS` of all modules in the folders of statements."""
    for folder in iter_modules(__path__):
        if folder.ispkg and folder.name not in WITHOUT_STATEMENTS:
            package = import_module(f"{__name__}.{folder.name}")
            for module in iter_modules(package.__path__):
                yield from getattr(import_module(f"{package.__name__}.{module.name}"), "ROWS", [])

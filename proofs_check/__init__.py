"""Every lemma of the three papers and every step of its proof, checked: true, vacuous or refuted.

One module per statement. Its docstring is the statement and its proof as printed; each printed line is a
function that compares both sides on a batch of rankings; `ROWS` lists them in the printed order. `python -m
proofs_check` walks the rows and prints what it found. Reading order: `mcrank_lemma1` is the model;
`instances` says what is enumerated, `exact` how nothing is rounded, `search` how a verdict is reached.
"""

from __future__ import annotations

from collections.abc import Iterator
from importlib import import_module
from pkgutil import iter_modules

from proofs_check.records import Row

PAPERS = ("mcrank", "cossock_zhang", "igbrt", "cocr", "lin_li", "trees", "new")


def statements() -> dict[str, list[Row]]:
    """Statement id -> its rows, papers in the order of `PAPERS`, statements by id."""
    found: dict[str, list[Row]] = {}
    for row in every_row():
        found.setdefault(".".join(row.id.split(".")[:2]), []).append(row)
    return dict(sorted(found.items(), key=lambda item: (PAPERS.index(item[0].split(".")[0]), item[0])))


def every_row() -> Iterator[Row]:
    """The rows of all statement modules: a module of this package that has `ROWS` is one."""
    for module in iter_modules(__path__):
        if module.name.startswith(("test_", "conftest", "figure", "__main__")):
            continue
        yield from getattr(import_module(f"{__name__}.{module.name}"), "ROWS", [])

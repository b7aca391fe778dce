"""A store of cells: the arrays behind a table or figure, each computed once and kept in a file.

A cell is found again if its name, the data, the setting, the convention and refrank's own code are the same. Comments
and docstrings do not count. So an interrupted run resumes where it stopped, and a run with any change keeps its own
cells beside the old ones.

In the modules that make cells, an axis `n_queries` is over the queries of a split, in the order of their first rows.
Beside its own arrays each file holds:

    array                             shape
    qid_train, qid_valid, qid_test    (n_queries,)    their ids, in that order
    made_with                         ()              JSON text: data, setting, convention, release, code

`docs/use/compare.md` lists the arrays of all cells.
"""

import ast
import hashlib
import json
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from functools import cache, cached_property
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.datasets import Fold
from refrank.datasets.array_file import read_arrays
from refrank.datasets.foreign_file import read_file
from refrank.datasets.whole_file import replace_file
from refrank.reproduce.run import get_splits

Arrays = dict[str, NDArray[Any]]
SOURCES = (".py", ".pyx", ".pxi", ".h")


@dataclass(frozen=True, eq=False)
class CellStore:
    """The cells of one fold, in one setting, by one convention."""

    folder: Path  # holds one file per cell, NAME-KEY.npz
    fold: Fold  # identified by its content
    setting: Mapping[str, Any]  # everything else that the arrays depend on, in types that JSON can hold
    convention: object  # of the metrics, identified by its text

    @cached_property
    def made_with(self) -> str:
        """Everything that all cells of the store depend on, as JSON."""
        parts = {"data": compute_checksum(self.fold), "setting": dict(self.setting), "convention": str(self.convention)}
        parts |= {"refrank": metadata.version("refrank"), "code": compute_code_checksum()}
        return json.dumps(parts, sort_keys=True)

    @cached_property
    def query_ids(self) -> Arrays:
        """The ids of the queries of each split, in order of first appearance, (n_queries,)."""
        return {
            f"qid_{split}": np.array([*dict.fromkeys(data.qid.tolist())])
            for split, data in get_splits(self.fold).items()
        }

    def fetch(self, name: str, compute: Callable[[], Arrays]) -> Arrays:
        """Return the arrays of a cell from its file, or compute and keep them."""
        if (arrays := self.read(path := self.place(name))) is None:
            arrays = compute()
            self.write(path, arrays)
        return arrays

    def place(self, name: str) -> Path:
        """Return the path of a cell."""
        key = hashlib.sha256(self.made_with.encode()).hexdigest()[:12]
        return self.folder / f"{name.replace(' ', '-')}-{key}.npz"

    def read(self, path: Path) -> Arrays | None:
        """Read a cell; None if it is missing, damaged, or made from other inputs.

        Raises an OSError or a ValueError that names it if it cannot be read: it may hold hours of work.
        """
        try:
            content = read_file(path, "cell")
        except FileNotFoundError:
            return None
        try:
            cell = read_arrays(content)
            for name in self.query_ids:
                del cell[name]  # a file without them has an earlier layout
        except Exception:  # damaged bytes raise errors of many kinds
            return None
        return cell if str(cell.pop("made_with", "")) == self.made_with else None

    def write(self, path: Path, arrays: Arrays) -> None:
        """Write a cell as a whole or not at all."""
        path.parent.mkdir(parents=True, exist_ok=True)
        held: dict[str, Any] = {**arrays, **self.query_ids, "made_with": np.array(self.made_with)}
        with replace_file(path) as file:
            np.savez(file, **held)


@cache
def compute_code_checksum() -> str:
    """Compute a name for the code behind the cells, which changes with the code of any file of refrank."""
    digest, folder = hashlib.sha256(), Path(__file__).parents[1]
    for path in sorted(path for path in folder.rglob("*") if path.suffix in SOURCES):
        content = path.read_bytes()
        if path.suffix == ".py":
            content = ast.dump(WithoutDocstrings().visit(ast.parse(content))).encode()
        digest.update(f"{path.relative_to(folder).as_posix()} {len(content)}\n".encode() + content)
    return digest.hexdigest()


class WithoutDocstrings(ast.NodeTransformer):
    """The syntax of a module without its docstrings, which compute nothing."""

    def visit_Expr(self, node: ast.Expr) -> ast.Expr | None:
        """Drop a statement that is a constant."""
        return None if isinstance(node.value, ast.Constant) else node


def compute_checksum(fold: Fold) -> str:
    """Compute a name for the data of a fold, which changes with any feature, label or query number."""
    digest = hashlib.sha256()
    for data in get_splits(fold).values():
        for array in (data.X, data.y, data.qid):
            digest.update(f"{array.dtype.str}{array.shape}".encode())
            digest.update(np.ascontiguousarray(array).data)
    return digest.hexdigest()

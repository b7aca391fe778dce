"""A cell of a table or figure: arrays that are computed once and kept in a file, so that an interrupted run goes on."""

import hashlib
import json
import zipfile
from collections.abc import Callable
from importlib import metadata
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.datasets.folds import SPLITS, Fold

Arrays = dict[str, NDArray[Any]]
Keep = Callable[[str, Callable[[], Arrays]], Arrays]  # (name of a cell, what computes it) -> its arrays


def kept_cell(path: Path, way: dict[str, Any], compute: Callable[[], Arrays]) -> Arrays:
    """Return a cell's arrays: from its file where it was finished before in the same way, else computed now.

    Parameters
    ----------
    path : Path
        The file, `.npz`.
    way : dict
        What the arrays depend on, to be written as JSON: setting, convention. The release is added.
    compute : function
        Returns the arrays, by name.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder, "cell.npz")
    ...     for seed in (1, 1, 2):
    ...         _ = kept_cell(path, {"seed": seed}, lambda: print("computed") or {"a": np.zeros(1)})
    computed
    computed
    """
    made_with = json.dumps(way | {"refrank": metadata.version("refrank")}, sort_keys=True)
    found = finished(path, made_with)
    if found is not None:
        return found
    arrays = compute()
    unfinished = path.with_suffix(".part.npz")
    np.savez(unfinished, allow_pickle=False, **arrays, made_with=np.array(made_with))
    unfinished.replace(path)
    return arrays


def finished(path: Path, made_with: str) -> Arrays | None:
    """Read a cell, if it is there, whole, and made in this way."""
    try:
        with open(path, "rb") as file, np.load(file, allow_pickle=False) as arrays:
            found = dict(arrays)
    except (FileNotFoundError, EOFError, KeyError, ValueError, zipfile.BadZipFile):
        return None
    return found if str(found.pop("made_with", "")) == made_with else None


def keeper(folder: Path, way: dict[str, Any]) -> Keep:
    """Bind what all cells of a run share: what is left is the name of a cell, and what computes it."""
    return lambda name, compute: kept_cell(folder / f"{name}.npz", way, compute)


def checksum(fold: Fold) -> str:
    """Name the data of a fold: other features, labels or queries, another name.

    Examples
    --------
    >>> from dataclasses import replace
    >>> from refrank.reproduce.artificial import artificial_fold
    >>> fold = artificial_fold("artificial", (4, 2, 3), seed=0)
    >>> checksum(fold) == checksum(replace(fold, name="other"))
    True
    >>> checksum(fold) == checksum(replace(fold, test=replace(fold.test, y=fold.test.y[::-1])))
    False
    """
    digest = hashlib.sha256()
    for split in SPLITS:
        for array in (getattr(fold, split).X, getattr(fold, split).y, getattr(fold, split).qid):
            digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()

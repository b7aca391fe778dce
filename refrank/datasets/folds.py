"""Collections of ranking data that come in folds: training, validation and test files, in the layouts of public sets.

    Fold1/train.txt  Fold1/vali.txt  Fold1/test.txt  Fold2/...     LETOR 3.0 and 4.0, MSLR-WEB10K and -WEB30K
    S1.txt  S2.txt  S3.txt  S4.txt  S5.txt                         LETOR's parts, of which the folds are made
    set1.train.txt  set1.valid.txt  set1.test.txt  set2.train.txt  Yahoo! Learning to Rank Challenge; a set is a fold
    train.txt  vali.txt  test.txt                                  one fold

Fold i of k parts trains on S_i, ..., S_(i+k-3), joined in this order, validates on the next part and tests on the one
after it; after S_k comes S_1. That is LETOR's table of folds where k is 5. Any file may be gzipped (`.txt.gz`), and the
validation file may be called `vali` or `valid`. A name is that of one file: `test.txt`
beside `test.txt.gz` is an error.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path

import numpy as np
from numpy.typing import DTypeLike

from refrank.datasets.letor import LetorData, load_letor

LAYOUTS = "Fold1/train.txt ..., S1.txt ... S5.txt, set1.train.txt ..., or train.txt, vali.txt and test.txt"
SPLITS = ("train", "valid", "test")  # the parts of a `Fold`, by their names
Places = tuple[tuple[Path, ...], tuple[Path, ...], tuple[Path, ...]]  # the files of each split


@dataclass(frozen=True, eq=False)
class Fold:
    """One division of a collection; the three splits have equally many features."""

    name: str  # "Fold1", or "set1" for Yahoo!'s
    train: LetorData
    valid: LetorData
    test: LetorData


def load_folds(
    directory: str | os.PathLike[str],
    n_features: int | None = None,
    absent: float = 0.0,
    dtype: DTypeLike = np.float32,
    unlabelled: str = "error",
) -> Iterator[Fold]:
    """Load the folds of a collection, one after another; only one is held at a time.

    Parameters
    ----------
    directory : str or path-like
        A folder in one of the layouts above.
    n_features, absent, dtype, unlabelled
        As in `load_letor`. By default a fold has as many features as the highest index in its files.

    Yields
    ------
    Fold
        In the order of their numbers.

    Raises
    ------
    ValueError
        Where the folder has none of the layouts, a fold lacks a file, two joined parts hold one query, or a file is
        bad; the message names the place and the rule.
    OSError
        Where there is no such folder, or a file cannot be opened.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     for part in range(1, 6):
    ...         _ = Path(folder, f"S{part}.txt").write_text(f"1 qid:{part} 1:0.5\\n0 qid:{part} {part}:1\\n")
    ...     for fold in load_folds(folder):
    ...         print(fold.name, fold.train.X.shape, *(set(part.qid.tolist()) for part in (fold.train, fold.test)))
    Fold1 (6, 5) {1, 2, 3} {5}
    Fold2 (6, 5) {2, 3, 4} {1}
    Fold3 (6, 5) {3, 4, 5} {2}
    Fold4 (6, 5) {1, 4, 5} {3}
    Fold5 (6, 5) {1, 2, 5} {4}
    """
    for name, places in find_folds(directory).items():
        yield load_fold(name, places, n_features, absent, dtype, unlabelled)


def load_fold(
    name: str,
    places: Places,
    n_features: int | None = None,
    absent: float = 0.0,
    dtype: DTypeLike = np.float32,
    unlabelled: str = "error",
) -> Fold:
    """Load one of the folds that `find_folds` found; arguments and errors are those of `load_folds`."""
    parts = [[load_letor(path, n_features, absent, dtype, unlabelled) for path in paths] for paths in places]
    width = max(part.X.shape[1] for files in parts for part in files)
    train, valid, test = (
        joined([widened(part, width, absent) for part in files], paths)
        for files, paths in zip(parts, places, strict=True)
    )
    return Fold(name, train, valid, test)


def find_folds(directory: str | os.PathLike[str]) -> dict[str, Places]:
    """Find the files of each fold, without reading them.

    Returns
    -------
    dict from the name of a fold to the paths of its training, validation and test files

    Raises
    ------
    ValueError
        Where the folder has none of the layouts, or a fold lacks a file, or holds one twice; the message names the
        folder, the file and the rule.
    OSError
        Where there is no such folder.
    """
    directory = Path(directory)
    if not directory.is_dir():
        raise FileNotFoundError(f"{directory}: there is no such folder; folds are in one, as {LAYOUTS}")
    if folders := numbered(directory, r"Fold(\d+)"):
        return {folder.name: one_fold(folder) for folder in folders.values()}
    if sets := numbered(directory, r"set(\d+)\.(train|vali|valid|test)\.txt(\.gz)?"):
        return {f"set{number}": one_fold(directory, f"set{number}.") for number in sets}
    if parts := numbered(directory, r"S([1-9]\d*)\.txt(\.gz)?"):
        rule = "folds are made of all parts S1, S2, ..., three at the least"
        files = [only_file(directory, (f"S{i}.txt",), rule) for i in range(1, max(3, *parts) + 1)]
        return {f"Fold{i}": rotated(files, i) for i in range(1, len(files) + 1)}
    if any(re.fullmatch(r"(train|vali|valid|test)\.txt(\.gz)?", path.name) for path in directory.iterdir()):
        return {directory.resolve().name: one_fold(directory)}
    raise ValueError(f"{directory} holds no folds in a layout that is known: {LAYOUTS}")


def numbered(directory: Path, pattern: str) -> dict[int, Path]:
    """Find the entries of a folder whose names match, one for each number in them, ascending."""
    found = ((re.fullmatch(pattern, path.name), path) for path in directory.iterdir())
    return dict(sorted((int(match[1]), path) for match, path in found if match))


def one_fold(directory: Path, prefix: str = "") -> Places:
    """Find the training, validation and test file of a folder."""
    rule = "a fold needs its training, validation and test file"
    train, valid, test = (
        (only_file(directory, tuple(f"{prefix}{name}.txt" for name in names), rule),)
        for names in (("train",), ("vali", "valid"), ("test",))
    )
    return train, valid, test


def only_file(directory: Path, names: tuple[str, ...], rule: str) -> Path:
    """Return the one file of these names, gzipped or not; the rule says why there has to be one."""
    choices = [directory / f"{name}{end}" for name in names for end in ("", ".gz")]
    there = [path for path in choices if path.is_file()]
    if not there:
        others = ", ".join(path.name for path in choices[1:])
        raise ValueError(f"{directory} lacks {names[0]} (or {others}): {rule}")
    if len(there) > 1:
        held = " and ".join(path.name for path in there)
        raise ValueError(f"{directory} holds more than one of a kind, {held}: {rule}, and each once")
    return there[0]


def rotated(parts: list[Path], i: int) -> Places:
    """Divide parts into those of fold i, from 1: training begins with S_i.

    Examples
    --------
    >>> train, valid, test = rotated([Path("S1"), Path("S2"), Path("S3"), Path("S4")], 2)
    >>> [path.name for path in (*train, *valid, *test)]
    ['S2', 'S3', 'S4', 'S1']
    """
    *train, valid, test = parts[i - 1 :] + parts[: i - 1]
    return tuple(train), (valid,), (test,)


def widened(data: LetorData, n_features: int, absent: float) -> LetorData:
    """Add columns of absent features, which a file need not list, up to n_features."""
    missing = n_features - data.X.shape[1]
    return replace(data, X=np.pad(data.X, ((0, 0), (0, missing)), constant_values=absent)) if missing else data


def joined(parts: list[LetorData], paths: tuple[Path, ...]) -> LetorData:
    """Put parts one below the other; a query belongs to one of them."""
    if len(parts) == 1:
        return parts[0]
    seen: dict[int, Path] = {}
    for part, path in zip(parts, paths, strict=True):
        for query in np.unique(part.qid).tolist():
            if query in seen:
                raise ValueError(f"{path}: query {query} is in {seen[query]} too, so its documents would be mixed")
            seen[query] = path
    X, y, qid = (np.concatenate([getattr(part, name) for part in parts]) for name in ("X", "y", "qid"))
    return LetorData(X, y, qid, tuple(chain.from_iterable(part.comments for part in parts)))

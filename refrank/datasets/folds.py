"""Collections of ranking data that come in folds: training, validation and test files, in the layouts of public sets.

    Fold1/train.txt  Fold1/vali.txt  Fold1/test.txt  Fold2/...     LETOR 3.0 and 4.0, MSLR-WEB10K and -WEB30K
    S1.txt  S2.txt  S3.txt  S4.txt  S5.txt                         LETOR's parts, of which the folds are made
    set1.train.txt  set1.valid.txt  set1.test.txt  set2.train.txt  Yahoo! Learning to Rank Challenge; a set is a fold
    train.txt  vali.txt  test.txt                                  one fold

Fold i of k parts trains on S_i, ..., S_(i+k-3), joined in this order, validates on the next part and tests on the one
after it; after S_k comes S_1. That is LETOR's table of folds where k is 5. Any file may be gzipped (`.txt.gz`), and the
validation file may be called `vali` or `valid`.
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
Places = tuple[tuple[Path, ...], tuple[Path, ...], tuple[Path, ...]]  # the files of train, valid and test


@dataclass(frozen=True, eq=False)
class Fold:
    """One division of a collection; the three parts have equally many features."""

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
        bad.
    OSError
        Where a file cannot be opened.

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
    for name, places in find_folds(Path(directory)).items():
        parts = [[load_letor(path, n_features, absent, dtype, unlabelled) for path in paths] for paths in places]
        width = max(part.X.shape[1] for files in parts for part in files)
        train, valid, test = (
            joined([widened(part, width, absent) for part in files], paths)
            for files, paths in zip(parts, places, strict=True)
        )
        yield Fold(name, train, valid, test)


def find_folds(directory: Path) -> dict[str, Places]:
    """Find the files of each fold.

    Returns
    -------
    dict from the name of a fold to the paths of its training, validation and test files

    Raises
    ------
    ValueError
        Where the folder has none of the layouts, or a fold lacks a file.
    """
    if folders := numbered(directory, r"Fold(\d+)"):
        return {folder.name: one_fold(folder) for folder in folders.values()}
    if sets := numbered(directory, r"set(\d+)\.train\.txt(\.gz)?"):
        return {f"set{number}": one_fold(directory, f"set{number}.") for number in sets}
    parts = numbered(directory, r"S(\d+)\.txt(\.gz)?")
    if len(parts) >= 3 and [*parts] == [*range(1, len(parts) + 1)]:
        return {f"Fold{i}": rotated([*parts.values()], i) for i in parts}
    if any(directory.glob("train.txt*")):
        return {directory.name: one_fold(directory)}
    raise ValueError(f"{directory} holds no folds in a layout that is known: {LAYOUTS}")


def numbered(directory: Path, pattern: str) -> dict[int, Path]:
    """Find the entries of a folder whose names match, by the number in the name, ascending."""
    found = ((re.fullmatch(pattern, path.name), path) for path in directory.iterdir())
    return dict(sorted((int(match[1]), path) for match, path in found if match))


def one_fold(directory: Path, prefix: str = "") -> Places:
    """Find the training, validation and test file of a folder."""
    files = []
    for names in (("train",), ("vali", "valid"), ("test",)):
        choices = [directory / f"{prefix}{name}.txt{end}" for name in names for end in ("", ".gz")]
        there = [path for path in choices if path.exists()]
        if len(there) != 1:
            held = "none" if not there else "more than one"
            raise ValueError(f"{directory} needs one of {', '.join(path.name for path in choices)}, and holds {held}")
        files.append((there[0],))
    train, valid, test = files
    return train, valid, test


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

"""Collections of ranking data in folds: training, validation and test files, in the layouts of the public collections.

    Fold1/train.txt  Fold1/vali.txt  Fold1/test.txt  Fold2/...     LETOR 3.0 and 4.0, MSLR-WEB10K and -WEB30K
    S1.txt  S2.txt  S3.txt  S4.txt  S5.txt                         the parts of LETOR, from which folds are made
    set1.train.txt  set1.valid.txt  set1.test.txt  set2.train.txt  Yahoo! Learning to Rank Challenge; a set is a fold
    train.txt  vali.txt  test.txt                                  one fold

Fold i of k parts trains on S_i, ..., S_(i+k-3), joined in this order, validates on the next part and tests on the one
after it; S_1 follows S_k. For k = 5 this is LETOR's table of folds. Any file may be gzipped (`.txt.gz`), and the
validation file may be called `vali` or `valid`, but each file must exist only once: `test.txt` beside
`test.txt.gz` is an error.
"""

import os
import re
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from refrank.datasets.letor import LetorData, Unlabelled, load_letor

LAYOUTS = "Fold1/train.txt ..., S1.txt ... S5.txt, set1.train.txt ..., or train.txt, vali.txt and test.txt"
SPLITS = ("train", "valid", "test")  # the names of the data sets of a `Fold`
SplitFiles = tuple[tuple[Path, ...], tuple[Path, ...], tuple[Path, ...]]  # the files of each split


@dataclass(frozen=True, eq=False)
class Fold:
    """One division of a collection into splits with equally many features.

    Parameters
    ----------
    name : str
        "Fold1", "set1" for a set of Yahoo!, or the name of the folder.
    train, valid, test : LetorData
    """

    name: str
    train: LetorData
    valid: LetorData
    test: LetorData

    def __repr__(self) -> str:
        """Return a summary on one line."""
        sizes = (
            f"{split} {len(data.y)} rows of {len(np.unique(data.qid))} queries"
            for split, data in zip(SPLITS, (self.train, self.valid, self.test), strict=True)
        )
        return f"Fold({self.name}: {', '.join(sizes)}; {self.train.X.shape[1]} features)"


def load_folds(
    directory: str | os.PathLike[str],
    n_features: int | None = None,
    absent: float = 0.0,
    dtype: DTypeLike = np.float32,
    unlabelled: Unlabelled = "error",
    *,
    cache: bool = False,
) -> Iterator[Fold]:
    """Load the folds of a collection one after another, holding one at a time.

    Parameters
    ----------
    directory : str or path-like
        A folder in a layout of LETOR, MSLR-WEB or Yahoo!, or of one fold, as listed at the top of this module.
    n_features : int or None, default None
        Number of columns of X; a higher index in a file is a fault. None: the highest index in the files of the fold.
    absent, dtype, unlabelled, cache : as in `load_letor`
        Each file has a cache of its own.

    Yields
    ------
    Fold, in the order of their numbers

    Raises
    ------
    ValueError
        If the folder has none of the layouts, a fold lacks a file or has it twice, two joined parts share a query, or a
        file breaks a rule of `load_letor`; the error names the place and the rule.
    OSError
        If there is no such folder, or a file cannot be opened.

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
        yield load_fold(name, places, absent, n_features=n_features, dtype=dtype, unlabelled=unlabelled, cache=cache)


def find_folds(directory: str | os.PathLike[str]) -> dict[str, SplitFiles]:
    """Find the training, validation and test files of each fold, by its name, without reading them."""
    directory = Path(directory)
    if not directory.is_dir():
        raise FileNotFoundError(f"{directory} is not a folder: folds are read from a folder that contains {LAYOUTS}")
    if folders := _find_numbered(directory, r"Fold(\d+)"):
        return {folder.name: _find_splits(folder) for folder in folders.values()}
    if sets := _find_numbered(directory, r"set(\d+)\.(train|vali|valid|test)\.txt(\.gz)?"):
        return {f"set{number}": _find_splits(directory, f"set{number}.") for number in sets}
    if parts := _find_numbered(directory, r"S([1-9]\d*)\.txt(\.gz)?"):
        rule = "folds are made of all parts S1, S2, ..., at least three"
        files = tuple(_find_file(directory, (f"S{i}.txt",), rule) for i in range(1, max(3, *parts) + 1))
        turns = (files[i:] + files[:i] for i in range(len(files)))
        return {f"Fold{i}": (turn[:-2], turn[-2:-1], turn[-1:]) for i, turn in enumerate(turns, start=1)}
    if any(re.fullmatch(r"(train|vali|valid|test)\.txt(\.gz)?", path.name) for path in directory.iterdir()):
        return {directory.resolve().name: _find_splits(directory)}
    raise ValueError(f"{directory} contains no folds in a known layout: {LAYOUTS}")


def _find_numbered(directory: Path, pattern: str) -> dict[int, Path]:
    """Find the entries of a folder whose names match, one per number in them, in increasing order."""
    matches = ((re.fullmatch(pattern, path.name), path) for path in directory.iterdir())
    return dict(sorted((int(match[1]), path) for match, path in matches if match))


def _find_splits(directory: Path, prefix: str = "") -> SplitFiles:
    """Find the training, validation and test file of a folder."""
    rule = "a fold needs its training, validation and test file"
    choices = (("train.txt",), ("vali.txt", "valid.txt"), ("test.txt",))
    train, valid, test = ((_find_file(directory, tuple(prefix + name for name in names), rule),) for names in choices)
    return train, valid, test


def _find_file(directory: Path, names: tuple[str, ...], rule: str) -> Path:
    """Find the one file of these names, gzipped or not; the rule says why it is needed."""
    choices = [directory / f"{name}{end}" for name in names for end in ("", ".gz")]
    there = [path for path in choices if path.is_file()]
    if not there:
        others = ", ".join(path.name for path in choices[1:])
        raise ValueError(f"{directory} lacks {names[0]} (or {others}): {rule}")
    if len(there) > 1:
        raise ValueError(f"{directory} contains {' and '.join(path.name for path in there)}: {rule}, each only once")
    return there[0]


def load_fold(name: str, places: SplitFiles, absent: float = 0.0, **reading: Any) -> Fold:
    """Load one of the folds that `find_folds` found, as `load_letor` does; files of one split are joined in order."""
    parts = [[load_letor(path, absent=absent, **reading) for path in paths] for paths in places]
    width = max(part.X.shape[1] for files in parts for part in files)
    return Fold(name, *(_join(files, paths, width, absent) for files, paths in zip(parts, places, strict=True)))


def _join(parts: list[LetorData], paths: tuple[Path, ...], n_features: int, absent: float) -> LetorData:
    """Stack the rows of parts, with columns for features that no part lists; no two parts may share a query."""
    for i, part in enumerate(parts):
        if missing := n_features - part.X.shape[1]:
            parts[i] = replace(part, X=np.pad(part.X, ((0, 0), (0, missing)), constant_values=absent))
    if len(parts) == 1:
        return parts[0]
    seen: dict[int, Path] = {}
    for part, path in zip(parts, paths, strict=True):
        for query in np.unique(part.qid).tolist():
            if query in seen:
                raise ValueError(f"{path}: query {query} is also in {seen[query]}: joined files must not share queries")
            seen[query] = path
    X, y, qid = (np.concatenate([getattr(part, name) for part in parts]) for name in ("X", "y", "qid"))
    return LetorData(X, y, qid, tuple(chain.from_iterable(part.comments for part in parts)))

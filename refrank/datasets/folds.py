"""Collections of ranking data in folds: training, validation and test files, in the layouts of the public collections.

`layouts` has the table of layouts, and finds the files; `held_out` draws validation queries where no file holds them.
"""

import os
from collections.abc import Iterator
from dataclasses import dataclass, replace
from itertools import chain
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import DTypeLike

from refrank.datasets.held_out import hold_out
from refrank.datasets.layouts import SPLITS, SplitFiles, find_folds
from refrank.datasets.letor import LetorData, Unlabelled
from refrank.datasets.tables import load_data


@dataclass(frozen=True, eq=False)
class Fold:
    """One division of a collection into splits with equally many features.

    Parameters
    ----------
    name : str
        "Fold1", "set1" for a set of Yahoo!, or the name of the folder that contains the files.
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
    absent: float | None = None,
    dtype: DTypeLike = np.float32,
    unlabelled: Unlabelled = "error",
    *,
    valid_share: float | None = None,
    **reading: Any,
) -> Iterator[Fold]:
    """Load the folds of a collection one after another, holding one at a time.

    Parameters
    ----------
    directory : str or path-like
        A folder in a layout of LETOR, MSLR-WEB, Yahoo! or Istella, or of one fold, as listed in
        `refrank.datasets.layouts`; or a folder that contains one such folder.
    n_features : int or None, default None
        Number of columns of X; a higher index in a file is a fault. None: the highest index in the files of the fold.
    absent : float or None, default None
        Value of a feature that a row does not list. None: 0 in lines of LETOR, and a gap in a table is a fault.
    dtype, unlabelled : as in `load_letor`
    valid_share : float or None, default None
        The share of the training queries that are held out for validation, above 0 and at most .5, where there is no
        validation file; `refrank.datasets.held_out` has the rule. None: each fold needs a validation file.
    reading : keyword arguments
        `sentinel` and `cache`, as in `load_letor`, and `columns` of tables. Each file has a cache of its own.

    Yields
    ------
    Fold, in the order of their numbers

    Raises
    ------
    ValueError
        If the folder has none of the layouts, several of its folders have one, a fold lacks a file or has it twice, two
        joined parts share a query, `valid_share` is given where there is a validation file, or a file breaks a rule of
        `load_letor`; the error names the place and the rule.
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
    reading |= {"n_features": n_features, "dtype": dtype, "unlabelled": unlabelled}
    for name, places in find_folds(directory, draw_valid=valid_share is not None).items():
        yield load_fold(name, places, absent, valid_share, **reading)


def load_fold(
    name: str, places: SplitFiles, absent: float | None = None, valid_share: float | None = None, **reading: Any
) -> Fold:
    """Load one of the folds that `find_folds` found, as `load_letor` does; files of one split are joined in order.

    Without a validation file, `valid_share` of the training queries are held out.
    """
    parts = [[load_data(path, absent=absent, **reading) for path in paths] for paths in places]
    check_names(parts, places)
    width = max(part.X.shape[1] for files in parts for part in files)
    splits = [_join(files, paths, width, absent or 0.0) for files, paths in zip(parts, places, strict=True) if files]
    if valid_share is not None:
        train, test = splits
        splits = [*hold_out(train, valid_share), test]
    return Fold(name, *splits)


def check_names(parts: list[list[LetorData]], places: SplitFiles) -> None:
    """Refuse tables of one fold that have other features, or in another order."""
    for part, path in zip(chain(*parts), chain(*places), strict=True):
        if part.names != parts[0][0].names:
            raise ValueError(f"{path} has other columns of features than {places[0][0]}, or in another order")


def _join(parts: list[LetorData], paths: tuple[Path, ...], n_features: int, absent: float) -> LetorData:
    """Stack the rows of parts, with columns for features that no part lists; no two parts may share a query."""
    for i, part in enumerate(parts):
        if missing := n_features - part.X.shape[1]:
            parts[i] = replace(part, X=np.pad(part.X, ((0, 0), (0, missing)), constant_values=absent))
    if len(parts) == 1:
        return parts[0]
    seen: dict[str, Path] = {}
    for part, path in zip(parts, paths, strict=True):
        for query in map(str, np.unique(part.qid).tolist()):  # joined with text, integers become text
            if query in seen:
                raise ValueError(f"{path}: query {query} is also in {seen[query]}: joined files must not share queries")
            seen[query] = path
    X, y, qid = (np.concatenate([getattr(part, name) for part in parts]) for name in ("X", "y", "qid"))
    return LetorData(X, y, qid, tuple(chain.from_iterable(part.comments for part in parts)))

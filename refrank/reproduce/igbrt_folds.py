"""Train, validation and test sets: folders of LETOR files as they are given out, or the artificial data with holes.

    folder holds                                            is
    Fold1/train.txt, Fold1/vali.txt, Fold1/test.txt, ...    LETOR and MSLR folds
    S1.txt .. S5.txt                                        the five parts of a LETOR collection, joined into its folds
    set1.train.txt, set1.valid.txt, set1.test.txt, ...      Yahoo's
    train.txt, vali.txt, test.txt                           one set

Each name may end in .gz too. A feature that a line does not list is NaN here.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

import numpy as np

from refrank.datasets import LetorData, cubic_polynomial, load_letor

SPLITS = ("train", "valid", "test")
Files = dict[str, tuple[Path, ...]]  # the files of each split


@dataclass(frozen=True, eq=False)
class Fold:
    """One data set; all three splits have the same number of features, and each keeps its own queries."""

    name: str
    train: LetorData
    valid: LetorData
    test: LetorData


def find_folds(folder: Path) -> dict[str, Files]:
    """Find the files of each fold.

    Raises
    ------
    ValueError
        Where the folder has none of the layouts, or a fold lacks a file.
    """
    if not folder.is_dir():
        raise ValueError(f"--data is {folder}: there is no such folder")
    names = {path.name.removesuffix(".gz") for path in folder.iterdir()}
    folds = sorted(path.name for path in folder.iterdir() if path.is_dir() and re.fullmatch(r"Fold\d+", path.name))
    sets = sorted({match[1] for name in names if (match := re.fullmatch(r"(set\d+)\.(train|valid|test)\.txt", name))})
    if folds:
        return {fold: files_of(folder / fold, "train.txt", "vali.txt", "test.txt") for fold in folds}
    if any(re.fullmatch(r"S[1-5]\.txt", name) for name in names):
        parts = [there(folder, f"S{i}.txt") for i in range(1, 6)]
        # three parts to train on, the next one to choose by, the next one to test on
        return {
            f"Fold{i + 1}": {
                "train": tuple(parts[(i + j) % 5] for j in range(3)),
                "valid": (parts[(i + 3) % 5],),
                "test": (parts[(i + 4) % 5],),
            }
            for i in range(5)
        }
    if sets:
        return {name: files_of(folder, *(f"{name}.{split}.txt" for split in SPLITS)) for name in sets}
    if names & {"train.txt", "vali.txt", "test.txt"}:
        return {folder.resolve().name: files_of(folder, "train.txt", "vali.txt", "test.txt")}
    raise ValueError(
        f"--data is {folder}: it holds neither Fold1/train.txt ..., S1.txt .. S5.txt, set1.train.txt ... nor train.txt"
    )


def files_of(folder: Path, *names: str) -> Files:
    """Find the three files of a fold."""
    return {split: (there(folder, name),) for split, name in zip(SPLITS, names, strict=True)}


def there(folder: Path, name: str) -> Path:
    """Return a file, or its .gz."""
    for path in (folder / name, folder / f"{name}.gz"):
        if path.is_file():
            return path
    raise ValueError(f"{folder} lacks {name}: a fold needs its training, validation and test file")


def load_folds(folder: Path) -> Iterator[Fold]:
    """Read one fold after the other."""
    for name, files in find_folds(folder).items():
        read = {split: joined([load_letor(path, absent=np.nan) for path in files[split]]) for split in SPLITS}
        width = max(data.X.shape[1] for data in read.values())
        yield Fold(name, *(widened(read[split], width) for split in SPLITS))


def joined(parts: list[LetorData]) -> LetorData:
    """Put the rows of several files one after the other."""
    width = max(part.X.shape[1] for part in parts)
    parts = [widened(part, width) for part in parts]
    X, y, qid = (np.concatenate([getattr(part, name) for part in parts]) for name in ("X", "y", "qid"))
    return LetorData(X, y, qid, ())


def widened(data: LetorData, n_features: int) -> LetorData:
    """Add the last features that no line of a file lists."""
    more = n_features - data.X.shape[1]
    X = np.pad(data.X, ((0, 0), (0, more)), constant_values=np.nan) if more else data.X
    return LetorData(X, data.y, data.qid, ())


def artificial_fold(n_queries: tuple[int, int, int], share: float, seed: int) -> Fold:
    """Make the artificial data of McRank Sec. 6.1, with a share of the features missing at random."""
    rng = np.random.default_rng(seed)
    made = []
    for split, n in enumerate(n_queries):
        data = cubic_polynomial(n, random_state=3 * seed + split, polynomial_seed=seed)
        X = np.where(rng.random(data.X.shape) < share, np.float32(np.nan), data.X)
        made.append(LetorData(X, data.y, data.qid, ()))
    return Fold(f"artificial {seed}", *made)

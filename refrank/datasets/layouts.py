"""Where the public collections keep the files of their folds: a table of layouts, and the search for the files.

    collection                           its files, beside each other or a folder for each fold
    LETOR 3.0 and 4.0, MSLR-WEB          Fold1/train.txt         Fold1/vali.txt           Fold1/test.txt     Fold2/...
    OHSUMED and .gov of LETOR 2.0        Fold1/trainingset.txt   Fold1/validationset.txt  Fold1/testset.txt  Fold2/...
    Yahoo! Learning to Rank Challenge    set1.train.txt          set1.valid.txt           set1.test.txt      set2...
    LETOR 3.0 and 4.0, in parts          S1.txt  S2.txt  S3.txt  S4.txt  S5.txt, from which folds are made
    Istella-S; Istella, `sample/`        train.txt               vali.txt                 test.txt
    Istella, `full/`                     train.txt               none: `valid_share`      test.txt

Fold i of k parts trains on S_i, ..., S_(i+k-3), joined in this order, validates on the next part and tests on the one
after it; S_1 follows S_k. For k = 5 this is LETOR's table of folds. Any file may be gzipped (`.txt.gz`) or a table
(`.csv`, `.tsv`, `.parquet`), but must exist only once: `test.txt` beside `test.txt.gz` is an error.

A collection may lie one folder down, as archives are unpacked: `MQ2008/Fold1/...` is found from the folder that
contains `MQ2008`, if no other folder beside it contains folds.
"""

import os
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path

SPLITS = ("train", "valid", "test")  # the names of the data sets of a fold
SplitFiles = tuple[tuple[Path, ...], tuple[Path, ...], tuple[Path, ...]]  # of each split; validation may have none
FindFiles = Callable[[Path, Sequence[str], bool], dict[str, SplitFiles]]  # by folder, numbers, and whether to draw
SPLIT_NAMES = (("train", "trainingset"), ("vali", "valid", "validationset"), ("test", "testset"))
ENDS = (".txt", ".txt.gz", ".csv", ".csv.gz", ".tsv", ".tsv.gz", ".parquet")  # of lines of LETOR, and of tables
END = rf"({'|'.join(map(re.escape, ENDS))})"
SPLIT_FILE = rf"({'|'.join(name for names in SPLIT_NAMES for name in names)}){END}"


@dataclass(frozen=True)
class Layout:
    """One way to lay out the files of a collection."""

    example: str  # in messages
    entry: str  # pattern of an entry of the folder that tells the layout; `number` is its fold, its part, or nothing
    find: FindFiles


def find_folds(directory: str | os.PathLike[str], *, draw_valid: bool = False) -> dict[str, SplitFiles]:
    """Find the training, validation and test files of each fold, by its name, without reading them.

    `draw_valid`: validation queries will be drawn from the training file, so there must be no validation file.
    """
    directory = Path(directory)
    if not directory.is_dir():
        raise FileNotFoundError(f"{directory} is not a folder: folds are read from a folder that contains {EXAMPLES}")
    if here := find_layout(directory):
        return here[0].find(directory, here[1], draw_valid)
    folders = sorted(path for path in directory.iterdir() if path.is_dir())
    below = {folder: of_folder for folder in folders if (of_folder := find_layout(folder))}
    if len(below) > 1:
        names = ", ".join(folder.name for folder in below)
        raise ValueError(f"{directory} contains folds in {names}: it must be one of these folders")
    if not below:
        raise ValueError(f"{directory} contains no folds in a known layout, nor does a folder in it: {EXAMPLES}")
    [(folder, (layout, numbers))] = below.items()
    return layout.find(folder, numbers, draw_valid)


def find_layout(directory: Path) -> tuple[Layout, list[str]] | None:
    """Find the first layout of the table in which a folder has an entry, and the numbers of its entries, increasing."""
    names = [path.name for path in directory.iterdir()]
    for layout in LAYOUTS:
        if numbers := {match["number"] for name in names if (match := re.fullmatch(layout.entry, name))}:
            return layout, sorted(numbers, key=lambda number: int(number or 0))
    return None


def find_splits(
    name: str, prefix: str, directory: Path, numbers: Sequence[str], draw_valid: bool
) -> dict[str, SplitFiles]:
    """Find the files of folds that have a file for each split; a fold without a name has that of the folder."""
    folds: dict[str, SplitFiles] = {}
    for number in numbers:
        place = directory / prefix.format(number)
        folder, start = (place, "") if place.is_dir() else (directory, prefix.format(number))
        train, valid, test = ([f"{start}{word}" for word in words] for words in SPLIT_NAMES)
        rule = "a fold needs its training, validation and test file"
        fold = name.format(number) or name_folder(directory)
        train_file = find_file(folder, train, rule)
        held_out = find_validation(folder, valid, rule, draw_valid)
        folds[fold] = ((train_file,), held_out, (find_file(folder, test, rule),))
    return folds


def name_folder(directory: Path) -> str:
    """Name a folder, also one that is called "." or is a link.

    >>> name_folder(Path()) == Path.cwd().name, name_folder(Path("data/mslr/../mq2008"))
    (True, 'mq2008')
    """
    return os.path.basename(os.path.realpath(directory))  # which, unlike `Path.resolve`, takes links in a circle


def find_validation(directory: Path, names: Sequence[str], rule: str, draw_valid: bool) -> tuple[Path, ...]:
    """Find the validation file; if validation queries are drawn, refuse it."""
    if not draw_valid:
        return (find_file(directory, names, f"{rule}; valid_share draws validation queries"),)
    for path in list_files(directory, names):
        raise ValueError(f"{directory} contains {path.name}: valid_share is for folds without a validation file")
    return ()


def join_parts(directory: Path, numbers: Sequence[str], draw_valid: bool) -> dict[str, SplitFiles]:
    """Make k folds of the parts S1, ..., Sk."""
    if draw_valid:
        raise ValueError(f"{directory} contains S{numbers[0]}.txt: valid_share is for folds without a validation part")
    rule = "folds are made of all parts S1, S2, ..., at least three"
    parts = range(1, max(3, *map(int, numbers)) + 1)
    files = tuple(find_file(directory, [f"S{part}"], rule) for part in parts)
    turns = (files[i:] + files[:i] for i in range(len(files)))
    return {f"Fold{i}": (turn[:-2], turn[-2:-1], turn[-1:]) for i, turn in enumerate(turns, start=1)}


def find_file(directory: Path, names: Sequence[str], rule: str) -> Path:
    """Find the one file of these names, with any end; the rule says why it is needed."""
    there = list_files(directory, names)
    if not there:
        others = ", ".join(f"{name}{end}" for name in names for end in ENDS[:2])
        raise ValueError(f"{directory} lacks {others.replace(', ', ' (or ', 1)}): {rule}")
    if len(there) > 1:
        raise ValueError(f"{directory} contains {' and '.join(path.name for path in there)}: {rule}, each only once")
    return there[0]


def list_files(directory: Path, names: Sequence[str]) -> list[Path]:
    """List the files of these names, with any end."""
    return [path for name in names for end in ENDS if (path := directory / f"{name}{end}").is_file()]


LAYOUTS = (
    Layout("Fold1/train.txt ...", r"Fold(?P<number>\d+)", partial(find_splits, "Fold{}", "Fold{}")),
    Layout("set1.train.txt ...", rf"set(?P<number>\d+)\.{SPLIT_FILE}", partial(find_splits, "set{}", "set{}.")),
    Layout("S1.txt ... S5.txt", rf"S(?P<number>[1-9]\d*){END}", join_parts),
    Layout("train.txt, vali.txt and test.txt", rf"(?P<number>){SPLIT_FILE}", partial(find_splits, "", "")),
)
EXAMPLES = f"{', '.join(layout.example for layout in LAYOUTS[:-1])}, or {LAYOUTS[-1].example}"

"""Inputs of a command: files by name, and standard input as "-"."""

import os
import sys
from collections.abc import Sequence
from typing import BinaryIO

from refrank.checks import print_text

FILE = "LETOR file, .gz of one, or - for standard input"
FILES = f"{FILE}; several with --cluster"
SCORES = "one score per row, or - for standard input"
N_FEATURES = "features of a row; by default the highest index in the file"
CACHE = "keep what was read in the user's folder of caches, for the next time; no effect on pipes and standard input"


def check_inputs(*names: str | None) -> None:
    """Refuse two inputs that are both standard input, before either is read.

    >>> check_inputs("-", "-")
    Traceback (most recent call last):
    ValueError: - is given twice: standard input can be read only once
    """
    if names.count("-") > 1:
        raise ValueError("- is given twice: standard input can be read only once")


def check_not_read(flag: str, target: str, *names: str | None) -> None:
    """Refuse an output file, named by a flag, that is also an input."""
    for name in names:
        if name is not None and os.path.exists(name) and os.path.exists(target) and os.path.samefile(name, target):
            raise ValueError(f"{flag} {target}: it is {name}, which is read")


def check_names(file: str, names: Sequence[str], expected: Sequence[str]) -> None:
    """Refuse features with other names than those of the training, or in another order; some files have no names.

    >>> check_names("new.csv", ("age", "links"), ("links", "age"))
    Traceback (most recent call last):
    ValueError: new.csv has 'age' in the place of 'links': features must have the names of the training, in their order
    """
    for name, own in zip(names, expected, strict=False):
        if name != own:
            has = f"{print_text(repr(name), 80)} in the place of {print_text(repr(own), 80)}"
            raise ValueError(f"{file} has {has}: features must have the names of the training, in their order")


def check_n_features(n_features: int | None, *scores: str | None) -> None:
    """Refuse a number of features if all rankings are models, which know theirs.

    >>> check_n_features(46, None)
    Traceback (most recent call last):
    ValueError: --n-features works with --scores only: a model knows its features
    """
    if n_features is not None and not any(scores):
        raise ValueError("--n-features works with --scores only: a model knows its features")


def open_input(name: str) -> str | BinaryIO:
    """Return the input that a name denotes: a file, or standard input."""
    if name != "-":
        return name
    if sys.stdin is None:
        raise ValueError("- is standard input, which is closed")
    return sys.stdin.buffer

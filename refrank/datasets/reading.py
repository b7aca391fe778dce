"""How the files of a command are read: a record, chosen once and taken by everything that reads."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from os import PathLike
from typing import Any, Literal, get_args

import numpy as np

from refrank.datasets.folds import Fold, load_folds
from refrank.datasets.layouts import find_folds
from refrank.datasets.letor import LetorData, Unlabelled, load_letor
from refrank.datasets.letor_text import MOST_X_BYTES, X_FLOOR, TableSizeError
from refrank.datasets.source import Input, Source, open_source

Dtype = Literal["float32", "float64"]
USUAL_COLUMNS = 4096  # of a model; beyond, the text must account for the memory of X
DTYPES: tuple[Dtype, ...] = get_args(Dtype)


@dataclass(frozen=True)
class Reading:
    """Arguments of `load_letor` and `load_folds` that are the same for every file."""

    unlabelled: Unlabelled = "error"
    sentinel: float | None = None
    dtype: Dtype = "float32"
    valid_share: float | None = None  # of folds alone
    cache: bool = False  # changes no number

    def load(self, path: Input | Source, n_features: int | None = None, absent: float = 0.0) -> LetorData:
        """Load a file, as `load_letor` does; refuse more columns than the text accounts for, as a model may state."""
        options = (self.dtype, self.unlabelled)
        with open_source(path) as source:
            check_columns(source, n_features or 0, np.dtype(self.dtype).itemsize)
            return load_letor(source, n_features, absent, *options, sentinel=self.sentinel, cache=self.cache)

    def load_folds(self, directory: str | PathLike[str], absent: float = 0.0) -> Iterator[Fold]:
        """Load the folds of a collection, as `refrank.datasets.load_folds` does."""
        reading = {field.name: getattr(self, field.name) for field in fields(self)}
        return load_folds(directory, absent=absent, **reading)

    def list_folds(self, directory: str | PathLike[str]) -> list[str]:
        """List the names of the folds of a collection."""
        return [*find_folds(directory, draw_valid=self.valid_share is not None)]

    def describe(self) -> str:
        """Describe how rows are read, in the heading of a table.

        >>> Reading(sentinel=-999.0, valid_share=0.2).describe()
        'rows of label -1: error; sentinel -999.0; 0.2 of the training queries validate'
        """
        words = {"sentinel": "sentinel {}", "dtype": "{}", "valid_share": "{} of the training queries validate"}
        changes = self.list_changes()
        of_changes = [text.format(changes[name]) for name, text in words.items() if name in changes]
        return "; ".join([f"rows of label -1: {self.unlabelled}", *of_changes])

    @property
    def suffix(self) -> str:
        """Return the end of the names of files whose numbers depend on the reading; nothing for the default.

        >>> Reading("zero", 1e30, "float64", valid_share=0.2, cache=True).suffix
        '-zero-sentinel-1e+30-float64-valid-0.2'
        """
        words = {"sentinel": "sentinel-", "valid_share": "valid-"}
        return "".join(f"-{words.get(name, '')}{value}" for name, value in self.list_changes().items())

    def list_changes(self) -> dict[str, Any]:
        """List the arguments that differ from their defaults and change numbers, by name."""
        given = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in given.items() if value != default and name != "cache"}


PLAIN = Reading()  # as `load_letor` reads without arguments


def check_columns(source: Source, n_features: int, itemsize: int) -> None:
    """Refuse more than 4096 columns if X would take far more memory than the text: a small model may state any number.

    Raises a TableSizeError, which is a ValueError.
    """
    if n_features <= USUAL_COLUMNS:
        return
    n_lines = n_bytes = 0
    for line in source.read_lines():
        n_lines, n_bytes = n_lines + bool(line.partition(b"#")[0].strip()), n_bytes + len(line)
    size, most = n_lines * n_features * itemsize, max(MOST_X_BYTES * n_bytes, X_FLOOR)
    if size > most:
        asked = f"{source.name}: {n_lines} rows x {n_features} columns, as the model states, take {size} bytes"
        raise TableSizeError(f"{asked}: X may take at most {most}, for {n_bytes} bytes of text")

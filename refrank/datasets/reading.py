"""How the files of a command are read: a record, chosen once and taken by everything that reads."""

from collections.abc import Iterator
from dataclasses import dataclass, fields
from os import PathLike
from typing import Literal, get_args

from refrank.datasets.folds import Fold, load_folds
from refrank.datasets.layouts import find_folds
from refrank.datasets.letor import LetorData, Unlabelled, load_letor
from refrank.datasets.source import Input, Source

Dtype = Literal["float32", "float64"]
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
        """Load a file, as `load_letor` does."""
        options = (self.dtype, self.unlabelled)
        return load_letor(path, n_features, absent, *options, sentinel=self.sentinel, cache=self.cache)

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
        return "; ".join([f"rows of label -1: {self.unlabelled}", *self._list_changes()])

    def _list_changes(self) -> list[str]:
        """List what changes numbers beside the rule for rows of label -1."""
        sentinel = [] if self.sentinel is None else [f"sentinel {self.sentinel}"]
        dtype = [] if self.dtype == "float32" else [self.dtype]
        return sentinel + dtype + ([f"{self.valid_share} of the training queries validate"] if self.valid_share else [])

    @property
    def suffix(self) -> str:
        """Return the end of the names of files whose numbers depend on the reading; nothing for the default.

        >>> Reading(unlabelled="zero", dtype="float64").suffix
        '-zero-float64'
        """
        words = {
            self.unlabelled: self.unlabelled != "error",
            f"sentinel-{self.sentinel}": self.sentinel is not None,
            self.dtype: self.dtype != "float32",
            f"valid-{self.valid_share}": self.valid_share is not None,
        }
        return "".join(f"-{word}" for word, differs in words.items() if differs)


PLAIN = Reading()  # as `load_letor` reads without arguments

"""How the files of a command are read: a record, chosen once and taken by everything that reads."""

import math
from collections.abc import Iterator
from dataclasses import dataclass, fields, replace
from os import PathLike
from typing import Any, Literal, get_args

import numpy as np

from refrank.datasets.columns import Columns
from refrank.datasets.folds import Fold, load_folds
from refrank.datasets.layouts import find_folds
from refrank.datasets.letor import LetorData, Unlabelled
from refrank.datasets.letor_text import MOST_X_BYTES, X_FLOOR, TableSizeError
from refrank.datasets.source import Input, Source, open_source
from refrank.datasets.tables import is_table, load_data

Dtype = Literal["float32", "float64"]
Absent = Literal["zero", "nan"]
USUAL_COLUMNS = 4096  # of a model; beyond, the text must account for the memory of X
DTYPES: tuple[Dtype, ...] = get_args(Dtype)
ABSENT: tuple[Absent, ...] = get_args(Absent)
VALUES = {None: None, "zero": 0.0, "nan": math.nan}


@dataclass(frozen=True)
class Reading:
    """Arguments of `load_letor`, `load_table` and `load_folds` that are the same for every file."""

    unlabelled: Unlabelled = "error"
    sentinel: float | None = None
    dtype: Dtype = "float32"
    columns: Columns | None = None  # of a table
    valid_share: float | None = None  # of folds alone
    absent: Absent | None = None
    cache: bool = False  # changes no number

    def load(
        self, path: Input | Source, n_features: int | None = None, absent: float | None = None, to_score: bool = False
    ) -> LetorData:
        """Load a file, as `load_data` does; refuse more columns than the text accounts for, as a model may state.

        A table whose rows are only `to_score` may lack the columns of labels and queries.
        """
        options: dict[str, Any] = {"dtype": self.dtype, "unlabelled": self.unlabelled}
        columns = self.columns
        with open_source(path) as source:
            if columns is not None or is_table(source.name):
                columns = replace(columns or Columns(), optional=to_score)
            else:
                check_columns(source, n_features or 0, np.dtype(self.dtype).itemsize)
            options["columns"] = columns
            return load_data(source, n_features, absent, **options, sentinel=self.sentinel, cache=self.cache)

    def choose_absent(self, ranker: Any = None) -> float | None:
        """Choose the value of what a row does not list, which a ranker for the rows may know: its `missing_value`.

        None: as without a choice, 0 for a line of LETOR, and no value for a gap in a table. Raises a ValueError if
        `absent` contradicts the ranker, which would take such an entry for another one in training or prediction.

        >>> from refrank import GBRTRanker
        >>> Reading().choose_absent(GBRTRanker(missing="mean"))
        nan
        >>> Reading(absent="nan").choose_absent(GBRTRanker())
        Traceback (most recent call last):
        ValueError: absent is 'nan': GBRTRanker takes NaN only with missing, and then takes it for a gap
        """
        value = VALUES[self.absent]
        ranker = getattr(ranker, "base", ranker)
        if getattr(ranker, "missing", None) is not None:
            marker = float(ranker.missing_value)
            if value is not None and not (value == marker or (math.isnan(value) and math.isnan(marker))):
                rule = f"missing_value is {marker}, which stands for what a row does not list"
                raise ValueError(f"absent is {self.absent!r}: {rule}")
            return marker
        if value is not None and math.isnan(value) and ranker is not None and not has_nan_tag(ranker):
            rule = "takes NaN only with missing, and then takes it for a gap"
            if not hasattr(ranker, "missing"):
                rule = "takes no NaN; in Python, sklearn.impute.SimpleImputer fills gaps before it"
            raise ValueError(f"absent is 'nan': {type(ranker).__name__} {rule}")
        return value

    def load_folds(self, directory: str | PathLike[str], tells_gaps: bool = False) -> Iterator[Fold]:
        """Load the folds of a collection, as `refrank.datasets.load_folds` does.

        Raises a ValueError for gaps as zeros where the caller must tell them apart, `tells_gaps`.
        """
        if tells_gaps and self.absent == "zero":
            raise ValueError("absent is 'zero': it must be nan here, where gaps are told from zeros")
        reading = {field.name: getattr(self, field.name) for field in fields(self) if field.name != "absent"}
        return load_folds(directory, absent=math.nan if tells_gaps else VALUES[self.absent], **reading)

    def list_folds(self, directory: str | PathLike[str]) -> list[str]:
        """List the names of the folds of a collection."""
        return [*find_folds(directory, draw_valid=self.valid_share is not None)]

    def describe(self) -> str:
        """Describe how rows are read, in the heading of a table.

        >>> Reading(sentinel=-999.0, valid_share=0.2).describe()
        'rows of label -1: error; sentinel -999.0; 0.2 of the training queries validate'
        """
        words = {
            "sentinel": "sentinel {}",
            "dtype": "{}",
            "absent": "absent features {}",
            "columns": "columns {}",
            "valid_share": "{} of the training queries validate",
        }
        changes = self.list_changes()
        of_changes = [text.format(changes[name]) for name, text in words.items() if name in changes]
        return "; ".join([f"rows of label -1: {self.unlabelled}", *of_changes])

    @property
    def suffix(self) -> str:
        """Return the end of the names of files whose numbers depend on the reading; nothing for the default.

        >>> Reading("zero", 1e30, "float64", valid_share=0.2, cache=True).suffix
        '-zero-sentinel-1e+30-float64-valid-0.2'
        """
        words = {"sentinel": "sentinel-", "valid_share": "valid-", "absent": "absent-"}
        return "".join(f"-{words.get(name, '')}{value}" for name, value in self.list_changes().items())

    def list_changes(self) -> dict[str, Any]:
        """List the arguments that differ from their defaults and change numbers, by name."""
        given = {field.name: (getattr(self, field.name), field.default) for field in fields(self)}
        return {name: value for name, (value, default) in given.items() if value != default and name != "cache"}


def has_nan_tag(ranker: Any) -> bool:
    """Return whether a ranker takes NaN, as its tags say."""
    return bool(ranker.__sklearn_tags__().input_tags.allow_nan)


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

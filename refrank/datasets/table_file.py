"""Tables in text files, with a row per document: CSV, and the same with tabs, semicolons or bars between the columns.

    label,qid,bm25,pagerank,url
    2,alpha,13.5,0.25,a.org
    0,alpha,7,,b.org

`columns` has the roles of the columns. Python's `csv` reads the fields, so a quoted field may hold the delimiter and
ends of lines. A feature is a number as in LETOR files, to the same bit; an empty field, NA, NaN and null say that
there is none.
"""

import csv
import math
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from itertools import chain, islice
from operator import itemgetter
from reprlib import repr as short
from typing import NoReturn

import numpy as np

from refrank.arrays import Floats
from refrank.checks import print_text
from refrank.datasets.columns import ColumnPlaces, Columns, MissingColumnError, explain_text, find_places
from refrank.datasets.letor_fault import MAX_LABEL, explain_label
from refrank.datasets.letor_text import MOST_EMPTY, ParsedRows, Request, allocate_table, collect_ids
from refrank.datasets.query_texts import ID_RULE, is_query_id, read_id
from refrank.datasets.source import CHANGED, NoRowsError, Source
from refrank.datasets.unzipped import UnreadableError

DELIMITERS = (",", "\t", ";", "|")
MISSING = frozenset({"", "na", "nan", "null"})  # in small letters
BLOCK_CELLS = 2**17  # read at a time
ONE_QUERY = "1"  # of rows without a column of queries
NO_GAPS = "a gap needs a meaning: absent=0 (--absent zero) reads 0, and a ranker with `missing` has a rule for gaps"
Row = tuple[int, list[str]]  # the line on which it ends, from 1, and its fields
Refuse = Callable[[int, int, str], NoReturn]  # of a row of a block and a column, from 0: it breaks this rule


def read_table(request: Request, columns: Columns) -> ParsedRows:
    """Read the rows of a table; refuse its first fault, with its place."""
    sizes = count_lines(request.source)
    names, rows = read_heading(request.source, columns)
    return Table(request, columns, names).read(rows, *sizes)


def count_lines(source: Source) -> tuple[int, int]:
    """Count the lines that are not blank, and the bytes of all."""
    n_lines = n_bytes = 0
    for line in source.read_lines():
        n_lines, n_bytes = n_lines + (not line.isspace()), n_bytes + len(line)
    return n_lines, n_bytes


def read_heading(source: Source, columns: Columns) -> tuple[list[str], Iterator[Row]]:
    """Read the names of all columns, "1", "2", ... where they have none; return them, and the rows of data."""
    rows = read_fields(source, columns.delimiter)
    first = next(rows, None)
    if first is None:
        raise NoRowsError(f"{source.name}: the file contains no line of data")
    if columns.are_numbers:
        return [str(place) for place, _ in enumerate(first[1], start=1)], chain([first], rows)
    return [text.strip() for text in first[1]], rows


def read_fields(source: Source, delimiter: str | None) -> Iterator[Row]:
    """Yield the fields of each row; blank lines are skipped."""
    name, n_empty = source.name, 0
    lines = (read_id(line) for line in source.read_lines())
    first = next(lines, "")
    sign = "\t" if delimiter == "tab" else delimiter or find_delimiter(first)
    reader = csv.reader(chain([first], lines), delimiter=sign, strict=True)
    try:
        for fields in reader:
            if fields:
                yield reader.line_num, fields
            elif (n_empty := n_empty + 1) > MOST_EMPTY:
                raise UnreadableError(
                    f"{name}: more than {MOST_EMPTY} lines hold no data: they are taken for a mistake"
                )
    except csv.Error as fault:
        raise ValueError(f"{name}, line {reader.line_num}: {print_text(str(fault), 100)}") from fault


def find_delimiter(line: str) -> str:
    """Find the delimiter of a text: the most frequent one in its first line.

    >>> find_delimiter("label;qid;price, EUR"), find_delimiter("label")
    (';', ',')
    """
    return max(DELIMITERS, key=line.count)


def find_own_places(request: Request, columns: Columns, names: Sequence[str]) -> ColumnPlaces:
    """Find the columns of each role; a fault names the file. A model may state the number of features."""
    name = request.source.name
    try:
        places = find_places(columns, names)
    except MissingColumnError as fault:
        raise MissingColumnError(f"{name} {fault}") from None
    except ValueError as fault:
        raise ValueError(f"{name} {fault}") from None
    if request.n_features not in (None, len(places.features)):
        raise ValueError(f"{name} has {len(places.features)} columns of features: there must be {request.n_features}")
    return places


class Table:
    """A table in a text file, and the places of its columns."""

    def __init__(self, request: Request, columns: Columns, names: list[str]) -> None:
        self.request, self.names, self.file = request, names, request.source.name
        self.places = find_own_places(request, columns, names)
        label, features = self.places.label, self.places.features
        self.cells = (features[0] if label is None else label), *features  # without labels, any number in their place

    def read(self, rows: Iterator[Row], n_lines: int, n_bytes: int) -> ParsedRows:
        """Read the rows of a text of so many lines and bytes."""
        X = allocate_table(self.request, n_lines, len(self.places.features), n_bytes)  # no more rows than lines
        y, ids = np.empty(n_lines, np.int64), list[str]()
        while block := [*islice(rows, max(1, BLOCK_CELLS // len(self.names)))]:
            start, stop = len(ids), len(ids) + len(block)
            if stop > n_lines:
                raise UnreadableError(f"{self.file}: {CHANGED}")
            y[start:stop], X[start:stop], of_block = self.read_block(block)
            ids += of_block
        if not ids:
            raise NoRowsError(f"{self.file}: the file contains no line of data")
        return X[: len(ids)], y[: len(ids)], collect_ids(ids, n_bytes), ("",) * len(ids)

    def read_block(self, block: list[Row]) -> tuple[Floats, Floats, list[str]]:
        """Read labels, (n_rows,), features, (n_rows, n_features), and query ids of some rows."""
        for line, fields in block:
            if len(fields) != len(self.names):
                rule = f"each row must have {len(self.names)}, as the first line"
                raise ValueError(f"{self.file}, line {line} has {len(fields)} columns: {rule}")
        at = self.places.qid
        ids = [ONE_QUERY] * len(block) if at is None else [fields[at].strip() for _, fields in block]
        wrong = {text for text in dict.fromkeys(ids) if not is_query_id(text)}
        if wrong and at is not None:
            self.refuse(block, next(row for row, text in enumerate(ids) if text in wrong), at, ID_RULE)
        take = itemgetter(*self.cells)
        numbers = self.read_numbers(block, [*chain.from_iterable(take(fields) for _, fields in block)])
        cells = numbers.reshape(len(block), len(self.cells))  # the label, and the features
        refuse = partial(self.refuse, block)
        labels = check_labels(self.request, self.places, cells[:, 0], refuse)
        return labels, fill_gaps(self.request, self.places, cells[:, 1:], refuse), ids

    def read_numbers(self, block: list[Row], texts: list[str]) -> Floats:
        """Read the numbers that texts spell, (n_texts,), and NaN for empty ones."""
        joined = "".join(texts)
        plain = "_" not in joined and joined.isascii()  # Python's float allows more than these
        try:
            if plain:
                return np.fromiter(map(float, texts), np.float64, len(texts))
        except ValueError:  # a text says that there is no number, or is none
            pass
        numbers = [read_number(text) for text in texts]
        if None in numbers:
            row, cell = divmod(numbers.index(None), len(self.cells))
            place = self.cells[cell]
            rule = explain_label("a label", None, self.request.lowest)
            is_label = place == self.places.label
            self.refuse(block, row, place, rule if is_label else explain_text(self.names[place], block[row][1][place]))
        return np.array(numbers, np.float64)

    def refuse(self, block: list[Row], row: int, place: int, rule: str) -> NoReturn:
        """Refuse a field."""
        line, fields = block[row]
        raise ValueError(
            f"{self.file}, line {line}, column {name_column(self.names, place)}: {short(fields[place])}: {rule}"
        )


def name_column(names: Sequence[str], place: int) -> str:
    """Name a column by its number, from 1, and by its name if it has another.

    >>> name_column(["label", "qid"], 1), name_column(["1", "2"], 1)
    ("2 ('qid')", '2')
    """
    name = short(names[place])
    return f"{place + 1}" if name == repr(str(place + 1)) else f"{place + 1} ({name})"


def check_labels(request: Request, places: ColumnPlaces, labels: Floats, refuse: Refuse) -> Floats:
    """Refuse a label, (n_rows,), that is not an integer within its bounds; without a column of labels, return 0s."""
    if places.label is None:
        return np.zeros_like(labels)
    lawful = (labels >= request.lowest) & (labels <= MAX_LABEL) & (labels == np.floor(labels))
    if not lawful.all():
        row = int(np.argmin(lawful))
        refuse(row, places.label, explain_label("a label", labels[row], request.lowest))
    return labels


def fill_gaps(request: Request, places: ColumnPlaces, values: Floats, refuse: Refuse) -> Floats:
    """Give features, (n_rows, n_features), that are NaN or the sentinel their value; refuse what is not finite."""
    gaps = np.isnan(values) | (values == request.sentinel)
    with np.errstate(over="ignore"):
        wrong = ~np.isfinite(np.where(gaps, 0.0, values).astype(request.dtype))
    if request.must_list:
        wrong |= gaps
    if wrong.any():
        row, column = (int(at) for at in np.argwhere(wrong)[0])
        rule = NO_GAPS if gaps[row, column] else f"a feature value must be a finite {request.dtype}"
        refuse(row, places.features[column], rule)
    return np.where(gaps, request.absent, values)


def read_number(text: str) -> float | None:
    """Read a number in ASCII digits without underscores; NaN if the text says that there is none, None for any other.

    >>> read_number(" 1e3 "), read_number("NA"), read_number("1_0"), read_number("Oslo")
    (1000.0, nan, None, None)
    """
    if text.strip().lower() in MISSING:
        return math.nan
    try:
        return float(text) if text.isascii() and "_" not in text else None
    except ValueError:
        return None

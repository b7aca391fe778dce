"""Roles of the columns of a table: the label, the query, and those to leave out; all others are features.

A column is called by its name, or, in a file that names none, by its number from 1.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from reprlib import repr as short

from refrank.checks import print_text

MOST_SHOWN = 160  # characters of a list of names
DATE = re.compile(r"\d{4}-\d\d-\d\d|\d\d?[/.]\d\d?[/.]\d{4}")


@dataclass(frozen=True)
class Columns:
    """The columns of a table that are no features, and the sign between two columns of a text.

    Parameters
    ----------
    label, qid : str
        The columns of the labels and of the ids of the queries: their names, or "1", "2", ... in a file without names.
    ignore : tuple of str, default ()
        The columns that are left out.
    delimiter : str or None, default None
        One character, or "tab"; None: the one of comma, tab, semicolon and bar that is most frequent in the first line.
    optional : bool, default False
        Whether the columns of the labels and the queries may be absent, as of rows to be scored: labels are then 0, and
        all rows are one query.
    """

    label: str = "label"
    qid: str = "qid"
    ignore: tuple[str, ...] = ()
    delimiter: str | None = None
    optional: bool = False

    def __post_init__(self) -> None:
        """Refuse a delimiter that breaks its rule."""
        sign = "," if self.delimiter in (None, "tab") else self.delimiter
        if not isinstance(sign, str) or len(sign) != 1 or sign in '"\r\n':
            raise ValueError(f"delimiter is {short(self.delimiter)}: it must be one character, or tab")

    def __str__(self) -> str:
        """Return a text for the name of a file."""
        words = filter(None, (self.label, self.qid, *self.ignore, self.delimiter))
        return re.sub(r"[^\w.]", "_", "-".join(words)).replace("_", "-")

    @property
    def roles(self) -> dict[str, str]:
        """The columns that are called, with their roles."""
        return dict.fromkeys(self.ignore, "ignore") | {self.qid: "qid", self.label: "label"}

    @property
    def are_numbers(self) -> bool:
        """Whether the columns are called by number, so that the first line of a text holds a row."""
        return all(name.isdecimal() for name in self.roles)


@dataclass(frozen=True)
class ColumnPlaces:
    """Where the columns of each role stand in a table, from 0."""

    label: int | None  # None: there is no such column
    qid: int | None
    features: tuple[int, ...]
    names: tuple[str, ...]  # of the features


class MissingColumnError(ValueError):
    """A column that is called, and is not there."""


def find_places(columns: Columns, names: Sequence[str]) -> ColumnPlaces:
    """Find the columns of each role among all columns of a table, which have these names.

    Raises a MissingColumnError, which is a ValueError, for a column that is not there; a ValueError for a role that is
    given twice, for a name that two columns have, and where no feature is left.

    >>> find_places(Columns("y", "q", ("url",)), ["q", "url", "y", "bm25"])
    ColumnPlaces(label=2, qid=0, features=(3,), names=('bm25',))
    >>> find_places(Columns(), ["rel", "qid", "bm25"])
    Traceback (most recent call last):
    refrank.datasets.columns.MissingColumnError: has no column 'label': its columns are 'rel', 'qid', 'bm25'
    """
    if len(columns.roles) < 2 + len(columns.ignore):
        raise ValueError(f"has roles {columns}: label, qid and each column to ignore must be different columns")
    places = {name: place for place, name in enumerate(names)}
    for name in columns.roles:
        if name not in places and not (columns.optional and name in (columns.label, columns.qid)):
            shown = print_text(", ".join(map(repr, names[:MOST_SHOWN])), MOST_SHOWN)
            raise MissingColumnError(f"has no column {name!r}: its columns are {shown}")
    if len(places) < len(names):
        twice = next(name for place, name in enumerate(names) if places[name] != place)
        raise ValueError(f"has two columns {print_text(repr(twice), 80)}: each must have a name of its own")
    for name in names:
        if not name.isprintable():
            raise ValueError(f"has a column {print_text(repr(name), 80)}: a name must be printable")
    features = [place for place, name in enumerate(names) if name not in columns.roles]
    if not features:
        raise ValueError("has no column of features: all of its columns have other roles")
    roles = places.get(columns.label), places.get(columns.qid)
    return ColumnPlaces(*roles, (*features,), tuple(names[at] for at in features))


def explain_text(name: str, text: str) -> str:
    """Explain what to do about a feature that is not a number: a date, or a category.

    >>> explain_text("shop", "Oslo")
    "a feature must be a number: leave the column out (ignore), or encode it first, as by pandas.get_dummies(table, \
columns=['shop'])"
    """
    recipe = f"pandas.get_dummies(table, columns=[{name!r}])"
    if DATE.match(text):
        recipe = f"(table[{name!r}] - pandas.Timestamp('2000-01-01')).dt.days"
    return f"a feature must be a number: leave the column out (ignore), or encode it first, as by {recipe}"

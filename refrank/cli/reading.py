"""The flags that say how the files of a command are read, the same for all commands that read rows."""

import argparse
from dataclasses import fields
from typing import Any

from refrank.cli.inputs import CACHE
from refrank.datasets.columns import Columns
from refrank.datasets.letor import UNLABELLED_RULES
from refrank.datasets.reading import ABSENT, DTYPES, PLAIN, Reading

UNLABELLED = (
    "rule for rows of label -1, which were not judged: error (default), zero gives label 0, drop leaves them out"
)
SENTINEL = "listed value that means missing, such as 1.79769313486e+308 (Istella); it is read as if it were not listed"
DTYPE = "type of the features; default float32"
SHARE = "share of the training queries that validate, where a collection has no validation file"


LABEL = "CSV or Parquet: column of the labels, by name, or by number from 1 in a file without names; default label"
QID = "column of the query ids; default qid"
IGNORE = "columns to leave out; all others are features"
DELIMITER = "sign between two columns of a text, or tab; default the most frequent of , tab ; |"
ABSENT_HELP = (
    "value of a feature that a line does not list, and of a gap in a table; default what marks gaps of a ranker with "
    "missing, else zero, and in a table a gap is then an error"
)
GAPS = "value of a feature that a row does not list; default zero in lines, and an error in tables; igbrt has nan"


def add_reading(command: argparse.ArgumentParser | argparse._ArgumentGroup, folds: str = "") -> None:
    """Add the flags of a `Reading`; `folds`: the argument that names the folder of the files."""
    of = f"{folds}: " if folds else ""
    command.add_argument("--unlabelled", choices=UNLABELLED_RULES, default=PLAIN.unlabelled, help=of + UNLABELLED)
    command.add_argument("--sentinel", type=float, default=PLAIN.sentinel, metavar="VALUE", help=of + SENTINEL)
    command.add_argument("--dtype", choices=DTYPES, default=PLAIN.dtype, help=of + DTYPE)
    command.add_argument("--label", default=argparse.SUPPRESS, metavar="COLUMN", help=of + LABEL)
    command.add_argument("--qid", default=argparse.SUPPRESS, metavar="COLUMN", help=of + QID)
    command.add_argument(
        "--ignore", action="extend", nargs="+", default=argparse.SUPPRESS, metavar="COLUMN", help=of + IGNORE
    )
    command.add_argument("--delimiter", default=argparse.SUPPRESS, metavar="SIGN", help=of + DELIMITER)
    if folds:
        command.add_argument("--valid-share", type=float, default=PLAIN.valid_share, metavar="SHARE", help=of + SHARE)
    command.add_argument("--absent", choices=ABSENT, default=PLAIN.absent, help=of + (GAPS if folds else ABSENT_HELP))
    command.add_argument("--cache", action="store_true", default=PLAIN.cache, help=of + CACHE)


def take_reading(flags: dict[str, Any]) -> Reading:
    """Take the flags of a `Reading` out of those of a command, and return the record."""
    columns: dict[str, Any] = {field.name: flags.pop(field.name, None) for field in fields(Columns)}
    given: dict[str, Any] = {
        name: tuple(value) if name == "ignore" else value for name, value in columns.items() if value is not None
    }
    reading = {field.name: flags.pop(field.name) for field in fields(Reading) if field.name in flags}
    return Reading(**reading, columns=Columns(**given) if given else None)

"""The flags that say how the files of a command are read, the same for all commands that read rows."""

import argparse
from dataclasses import fields
from typing import Any

from refrank.cli.inputs import CACHE
from refrank.datasets.letor import UNLABELLED_RULES
from refrank.datasets.reading import DTYPES, PLAIN, Reading

UNLABELLED = (
    "rule for rows of label -1, which were not judged: error (default), zero gives label 0, drop leaves them out"
)
SENTINEL = "listed value that means missing, such as 1.79769313486e+308 (Istella); it is read as if it were not listed"
DTYPE = "type of the features; default float32"
SHARE = "share of the training queries that validate, where a collection has no validation file"


def add_reading(command: argparse.ArgumentParser | argparse._ArgumentGroup, folds: bool = False) -> None:
    """Add the flags of a `Reading`; `folds`: of the files below --data."""
    of = "--data: " if folds else ""
    command.add_argument("--unlabelled", choices=UNLABELLED_RULES, default=PLAIN.unlabelled, help=of + UNLABELLED)
    command.add_argument("--sentinel", type=float, default=PLAIN.sentinel, metavar="VALUE", help=of + SENTINEL)
    command.add_argument("--dtype", choices=DTYPES, default=PLAIN.dtype, help=of + DTYPE)
    if folds:
        command.add_argument("--valid-share", type=float, default=PLAIN.valid_share, metavar="SHARE", help=of + SHARE)
    command.add_argument("--cache", action="store_true", default=PLAIN.cache, help=of + CACHE)


def take_reading(flags: dict[str, Any]) -> Reading:
    """Take the flags of a `Reading` out of those of a command, and return the record."""
    return Reading(**{field.name: flags.pop(field.name) for field in fields(Reading) if field.name in flags})

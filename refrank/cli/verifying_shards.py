"""`refrank verify-shards`: one round of a model, derived once more from the shards on which it was trained."""

import argparse
import json
from collections.abc import Iterator
from functools import partial
from operator import index
from typing import Any

import numpy as np

from refrank.arrays import Ints
from refrank.cli.inputs import check_inputs, check_not_read
from refrank.cli.prediction import read_rows
from refrank.cli.reading import add_reading, take_reading
from refrank.datasets.foreign_file import open_file
from refrank.datasets.strict_json import parse_json
from refrank.datasets.whole_file import check_target, replace_file

DIFFERS = 3  # exit code


def add_flags(command: argparse.ArgumentParser) -> None:
    """Add the arguments of `refrank verify-shards`."""
    command.epilog = (
        "Exit code 3: a number differs. A file of joins has a line for each, "
        '{"kind": "histogram", "joined": [INTEGERS]}: docs/port/shards.md'
    )
    command.add_argument("model", metavar="MODEL", help="model file")
    command.add_argument("shards", nargs="+", metavar="SHARD", help="files of LETOR lines, in any order of the rows")
    command.add_argument("--round", type=int, dest="number", metavar="M", help="the round, from 1; by default the last")
    command.add_argument("--joins", metavar="FILE", help="joins of another program in this round, to be compared")
    command.add_argument("--write", metavar="FILE", help="where to write the joins of the round")
    add_reading(command)


def run(model: str, shards: list[str], number: int | None, joins: str | None, write: str | None, **flags: Any) -> int:
    """Print whether the round follows from the shards, or the first number that does not."""
    from refrank.estimators.derived_round import derive_round, find_join_difference, find_tree_difference
    from refrank.estimators.sharded import ShardSource
    from refrank.models import load_model

    check_inputs(*shards)
    if write is not None:
        check_target(write)
        check_not_read("--write", write, model, joins, *shards)
    ranker, reading = load_model(model), take_reading(flags)
    sources = [ShardSource(file, partial(read_rows, ranker, file, reading)) for file in shards]
    number = len(getattr(ranker.model_, "rounds", ())) if number is None else number
    derived = derive_round(ranker, sources, number)
    if write is not None:
        with replace_file(write) as file:
            for join in derived.joins:
                file.write(json.dumps({"kind": join.kind, "joined": join.joined.tolist()}).encode() + b"\n")
    difference = None if joins is None else find_join_difference(derived.joins, read_joins(joins))
    difference = difference or find_tree_difference(ranker.model_.rounds[number - 1], derived.trees)
    n_bytes = sum(join.joined.nbytes for join in derived.joins)
    print(f"round {number}: {len(derived.joins)} joins of {n_bytes:,} bytes, {len(derived.trees)} trees")
    print(difference or "equal")
    return DIFFERS if difference else 0


def read_joins(file: str) -> Iterator[tuple[str, Ints]]:
    """Read the joins of another program, line by line."""
    with open_file(file, "records of a trace") as lines:
        for number, line in enumerate(lines, start=1):
            join = parse_json(line, f"{file}, line {number},")
            try:
                yield join["kind"], np.array([*map(index, join["joined"])], np.int64)
            except (KeyError, TypeError, ValueError, OverflowError):
                rule = 'a join must be {"kind": TEXT, "joined": [INTEGERS]}'
                raise ValueError(f"{file}, line {number}: {rule}") from None

"""Small trainings of every kind, and traces of them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from refrank.estimators import M5PRegressor
from yardstick.divergence.comparing import judge_trace
from yardstick.numbers.digest import digest
from yardstick.scorecard.training_rows import LabelledRows
from yardstick.scorecard.trainings import TRAININGS as OF_TREES
from yardstick.scorecard.trainings import ScoredTraining
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.sizes import Size
from yardstick.traces.stages import Place, Record
from yardstick.traces.tracing import describe_training, record_training
from yardstick.traces.writer import TraceWriter, Values

DATA = OF_TREES["ls"].rows
X = DATA.X
WEIGHT = np.random.default_rng(0).integers(1, 4, len(X)) / 2.0

TRAININGS: dict[str, ScoredTraining] = {
    **OF_TREES,
    "lambdarank": ScoredTraining("lambdarank", {"n_epochs": 2}, DATA),
    "cocr over m5p": ScoredTraining("cocr", {"base": M5PRegressor()}, DATA),
}


def make(name: str) -> Any:
    """Make the ranker of a training."""
    return TRAININGS[name].make_ranker()


def rows_of(name: str) -> LabelledRows:
    """Make the rows of a training."""
    return TRAININGS[name].rows if name in TRAININGS else DATA


def record(
    folder: Path,
    ranker: Any,
    values: Values = "json",
    weight: Any = None,
    change: Callable[[Record, Any], Record | None] = lambda record, keep: record,
    rows: LabelledRows = DATA,
) -> Trace:
    """Write the trace of a training, each record changed or, for None, left out, and open it."""
    with TraceWriter(folder, values, describe_training(ranker, rows.X, rows.qid)) as writer:

        def write(written: Record) -> None:
            written = change(written, writer.keep)
            if written is not None:
                writer.write(written)

        given = rows.weight if weight is None else weight
        record_training(ranker, rows.X, rows.y, rows.qid, writer.keep, write, given)
    return open_trace(folder)


def follow(trace: Trace) -> Iterator[str]:
    """Judge a trace of refrank by itself; yield the stages of the records that agree, which are all."""
    comparison = judge_trace(trace)
    assert {verdict for of in comparison.counts.values() for verdict in of} == {"agrees"}, comparison.counts
    assert comparison.n_shared == trace.manifest["n_records"]
    yield from (stage for stage, of in comparison.counts.items() for _ in range(of["agrees"]))


def check_size(trace: Trace, size: Size) -> None:
    """Check what is said beforehand of a trace's size: its records, and its bytes within a factor of 2."""
    assert size.n_records == trace.manifest["n_records"]
    taken = sum(path.stat().st_size for path in trace.folder.rglob("*") if path.is_file())
    assert taken / 2 <= size.n_bytes <= 2 * taken


def add(field, index, amount):
    """Edit a record: add to an entry."""

    def edit(arrays):
        arrays[field][index] += amount

    return edit


def step_up(field, index):
    """Edit a record: put the next float in the place of an entry."""

    def edit(arrays):
        arrays[field][index] = np.nextafter(arrays[field][index], np.inf)

    return edit


def swap(field, i, j):
    """Edit a record: let two entries change places."""

    def edit(arrays):
        arrays[field][[i, j]] = arrays[field][[j, i]]

    return edit


def edit_line(folder: Path, number: int, change: Callable[[dict[str, Any]], str | None]) -> None:
    """Change a line of the records in place, or put the text that `change` returns there."""
    lines = (folder / "records.jsonl").read_text().splitlines()
    document = json.loads(lines[number])
    lines[number] = change(document) or json.dumps(document)
    (folder / "records.jsonl").write_text("\n".join(lines) + "\n")


def changed(
    folder: Path,
    ranker: Any,
    stage: str,
    place: Place,
    edit: Callable[[dict[str, Any]], None],
    rows: LabelledRows = DATA,
) -> Trace:
    """Write a trace in which one record is edited: edit(fields as arrays) changes them in place."""

    def change(written, keep):
        if (written.stage, written.place) != (stage, place):
            return written
        arrays = {key: np.array(field.values) for key, field in written.fields.items()}
        edit(arrays)
        if "sums" in arrays:
            arrays["digests"] = np.array([digest(sums) for sums in arrays["sums"]], np.uint64)
        return replace(written, fields={key: keep(values) for key, values in arrays.items()})

    return record(folder, ranker, change=change, rows=rows)

"""Small trainings of every kind, and traces of them."""

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np

from refrank.estimators import M5PRegressor
from refrank.estimators.registry import RANKERS
from yardstick.divergence.comparing import make_ranker
from yardstick.divergence.consequences import models
from yardstick.divergence.consequences.evidence import Evidence
from yardstick.divergence.judging import CONSEQUENCES
from yardstick.numbers.digest import digest
from yardstick.scorecard.training_rows import LabelledRows, make_rows
from yardstick.scorecard.trainings import TRAININGS as OF_TREES
from yardstick.scorecard.trainings import ScoredTraining
from yardstick.traces.models import TracedModel
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.records import index_records
from yardstick.traces.stages import STAGES, Place, Record
from yardstick.traces.tracing import describe_training, record_training
from yardstick.traces.writer import TraceWriter, Values

DATA = make_rows()
X = DATA.X
WEIGHT = np.random.default_rng(0).integers(1, 4, len(X)) / 2.0

TRAININGS: dict[str, ScoredTraining] = {
    **OF_TREES,
    "lambdarank": ScoredTraining("lambdarank", {"n_epochs": 2}),
    "cocr over m5p": ScoredTraining("cocr", {"base": M5PRegressor()}),
}


def make(name: str) -> Any:
    """Make the ranker of a training."""
    return RANKERS[TRAININGS[name].algorithm](**TRAININGS[name].parameters)


def rows_of(name: str) -> LabelledRows:
    """Make the rows of a training."""
    return TRAININGS[name].rows() if name in TRAININGS else DATA


def record(
    folder: Path,
    ranker: Any,
    values: Values = "json",
    weight: Any = None,
    change: Callable[[Record, Any], Record] = lambda record, keep: record,
    rows: LabelledRows = DATA,
) -> Trace:
    """Write the trace of a training, each record changed, and open it."""
    with TraceWriter(folder, values, describe_training(ranker, rows.X, rows.qid)) as writer:
        keep, write = writer.keep, lambda written: writer.write(change(written, writer.keep))
        record_training(ranker, rows.X, rows.y, rows.qid, keep, write, rows.weight if weight is None else weight)
    return open_trace(folder)


def follow(trace: Trace) -> Iterator[str]:
    """Work out each record but the data again from those before it, and yield the stages of those that agree."""
    records = index_records(trace)
    evidence = Evidence(make_ranker(trace), records, records)
    consequences = models.CONSEQUENCES if isinstance(evidence.ranker, TracedModel) else CONSEQUENCES
    for (stage, place), kept in records.items():
        if stage != "data":
            expected = consequences[stage](evidence, place)
            compared = STAGES[stage].fields.keys() & kept.fields.keys()
            for field in compared:
                assert digest(expected[field]) == kept.fields[field].digest, (stage, place, field)
            if compared:
                yield stage


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
    """Change a line of the records in place, or put the text that `change` returns there; the index stays."""
    lines = (folder / "records.jsonl").read_text().splitlines()
    document = json.loads(lines[number])
    lines[number] = change(document) or json.dumps(document)
    (folder / "records.jsonl").write_text("\n".join(lines) + "\n")


def changed(folder: Path, ranker: Any, stage: str, place: Place, edit: Callable[[dict[str, Any]], None]) -> Trace:
    """Write a trace in which one record is edited: edit(fields as arrays) changes them in place."""

    def change(written, keep):
        if (written.stage, written.place) != (stage, place):
            return written
        arrays = {key: np.array(field.values) for key, field in written.fields.items()}
        edit(arrays)
        if "sums" in arrays:
            arrays["digests"] = np.array([digest(sums) for sums in arrays["sums"]], np.uint64)
        return replace(written, fields={key: keep(values) for key, values in arrays.items()})

    return record(folder, ranker, change=change)

"""Small trainings of every kind, traces of them, and ports that tell something else."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from refrank.estimators import M5PRegressor
from yardstick.divergence.comparing import judge_trace
from yardstick.numbers.digest import digest
from yardstick.scorecard.trainings import TRAININGS as OF_TREES
from yardstick.scorecard.trainings import ScoredTraining
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.stages import LabelledRows, Place, make_record
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
Arrays = dict[str, Any]
Change = Callable[[str, Place, Arrays], Arrays | None]  # of a record: other arrays, or None for no record


def make(name: str) -> Any:
    """Make the ranker of a training."""
    return TRAININGS[name].make_ranker()


def rows_of(name: str) -> LabelledRows:
    """Make the rows of a training."""
    return TRAININGS[name].rows


def record(folder: Path, ranker: Any, values: Values = "json", rows: LabelledRows = DATA) -> Trace:
    """Write the trace of a training, and open it."""
    with TraceWriter(folder, values, describe_training(ranker, rows)) as writer:
        record_training(ranker, rows, writer.keep, writer.write)
    return open_trace(folder)


def rewrite(folder: Path, trace: Trace, change: Change) -> Trace:
    """Write a trace again, as that of a port whose records are changed, and open it."""
    with TraceWriter(folder, "json", trace.manifest) as writer:
        for of in trace.records():
            arrays = change(of.stage, of.place, {name: np.array(of.values(name)) for name in of.fields})
            if arrays and "sums" in arrays:
                arrays["digests"] = np.array([digest(sums) for sums in arrays["sums"]], np.uint64)
            if arrays:
                writer.write(make_record(writer.keep, of.stage, of.place, **arrays))
    return open_trace(folder)


def edit_at(stage: str, place: Place | None, edit: Callable[[Arrays], object]) -> Change:
    """Return a change of one record, or of all records of a stage: edit(arrays) changes them in place."""

    def change(at: str, where: Place, arrays: Arrays) -> Arrays:
        if at == stage and place in (None, where):
            edit(arrays)
        return arrays

    return change


def follow(trace: Trace) -> Iterator[str]:
    """Judge a trace of refrank by itself; yield the stages of the records that agree, which are all."""
    comparison = judge_trace(trace)
    assert {verdict for of in comparison.counts.values() for verdict in of} == {"agrees"}, comparison.counts
    assert comparison.n_shared == trace.manifest["n_records"]
    yield from (stage for stage, of in comparison.counts.items() for _ in range(of["agrees"]))


def check_size(trace: Trace, n_records: int, n_bytes: int) -> None:
    """Check what is said beforehand of a trace's size: its records, and its bytes within a factor of 2."""
    assert n_records == trace.manifest["n_records"]
    taken = sum(path.stat().st_size for path in trace.folder.rglob("*") if path.is_file())
    assert taken / 2 <= n_bytes <= 2 * taken


def put(field, index, make_entry):
    """Edit a record: put what is made of an entry, or of several, in its place."""

    def edit(arrays):
        arrays[field][index] = make_entry(arrays[field][index])

    return edit


def add(field, index, amount):
    """Edit a record: add to an entry."""
    return put(field, index, lambda entry: entry + amount)


def step_up(field, index):
    """Edit a record: put the next float in the place of an entry."""
    return put(field, index, lambda entry: np.nextafter(entry, np.inf))

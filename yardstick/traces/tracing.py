"""A recorded training: the records of every stage, in order, while a ranker is fitted (stages.py).

data          the rows
each turn     what it tells (recording.py), and the ranking after it (ranking.py)
the end       the ranking scores of the rows, their order, and the quality of the ranking

The size of a trace is predicted from its first turns, which are trained, measured and forgotten.
"""

import math
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from importlib import metadata
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from refrank.arrays import Matrix
from refrank.checks import print_text
from refrank.estimators import COCRRanker
from refrank.estimators.base import Ranker
from refrank.metrics.queries import number_queries
from refrank.trees import engine
from refrank.trees.contest import ComparingSplitter
from refrank.trees.engine import use_splitter
from yardstick.numbers.encoding import name_type, write_entries
from yardstick.traces.ranking import CONVENTION, record_ranking
from yardstick.traces.recording import Recorder
from yardstick.traces.stages import Field, Keep, LabelledRows, Place, Record, Taker
from yardstick.traces.writer import ALWAYS, MOST_IN_LINE, Values

MEASURED = 2  # turns of a kind: the others are as large as the last
SAMPLE = 512  # entries of a field that are written to measure it
MANIFEST_SIZE, RECORD, FIELD, TENSOR = 1000, 120, 75, 90  # bytes; of the last three, without the entries
Sizes = Mapping[Values, tuple[int, int]]  # records and bytes
TURNS: Mapping[str, str] = {"n_rounds": "round", "n_epochs": "round", "n_trees": "tree"}  # parameter -> part of a place


def record_training(ranker: Ranker, rows: LabelledRows, keep: Keep, write: Callable[[Record], None]) -> None:
    """Fit a ranker exactly as `fit` does, to the bit, and have `write` take the records of every stage, in order."""
    recorder = Recorder(ranker, Taker(keep, write))
    train_recorded(recorder, rows, ComparingSplitter(engine.DEFAULT_SPLITTER))
    record_ranking(ranker, rows, recorder.taker)


def tell_training(ranker: Ranker, X: Matrix, y: Any, qid: Any, tell: Callable[[str, Any, Any], None]) -> dict[str, Any]:
    """Fit a ranker, have `tell` take the stage, place and arrays of each record, and describe the training.

    This is the entry point `refrank.recorder`.
    """
    rows = LabelledRows(X, y, qid)

    def write(record: Record) -> None:
        tell(record.stage, record.place.list_parts(), {name: record.values(name) for name in record.fields})

    record_training(ranker, rows, copy_whole, write)
    return describe_training(ranker, rows)


def train_recorded(recorder: Recorder, rows: LabelledRows, splitter: Any) -> None:
    """Fit the ranker of a recorder, which is told the rows and all that happens, on a splitter that compares cuts."""
    ranker, taker = recorder.ranker, recorder.taker
    take_rows(taker, rows)

    trained = rows if rows.weight is None else rows.keep(rows.weight > 0)

    def monitor(_: int, so_far: Callable[[], Any]) -> None:
        recorder.end_turn(trained, so_far)

    weighted = {} if rows.weight is None else {"sample_weight": rows.weight}
    in_turn = {"n_jobs": 1} if isinstance(ranker, COCRRanker) else {}  # its problems: this changes no bit
    before = {name: getattr(ranker, name) for name in in_turn}
    try:
        with use_splitter(splitter, recorder.watch):
            ranker.set_params(**in_turn).fit(rows.X, rows.y, rows.qid, **weighted, monitor=monitor)
    finally:
        ranker.set_params(**before)


def take_rows(taker: Taker, rows: LabelledRows) -> None:
    """Have the rows taken."""
    given = rows._replace(y=np.asarray(rows.y, np.float64), qid=number_queries(rows.qid, len(rows.X)))
    taker.take("data", Place(), **{name: values for name, values in given._asdict().items() if values is not None})


def describe_training(ranker: Ranker, rows: LabelledRows) -> dict[str, Any]:
    """Describe a training, for the manifest of its trace."""
    return {
        **describe_ranker(ranker),
        "writer": f"refrank {metadata.version('refrank')}, {engine.splitter_name()}",
        "n_samples": len(rows.X),
        "n_features": rows.X.shape[1],
        "n_queries": int(number_queries(rows.qid, len(rows.X)).max()) + 1,
        "convention": CONVENTION,
    }


def describe_ranker(ranker: Ranker) -> dict[str, Any]:
    """Describe a ranker, or the base of one."""
    parameters = ranker.get_params(deep=False)
    return {
        "algorithm": ranker.algorithm,
        "parameters": {name: describe_parameter(value) for name, value in parameters.items()},
    }


def describe_parameter(value: Any) -> Any:
    """Write a parameter in JSON: its numbers, texts, lists and rankers, and of other values an object with the repr."""
    if value is None or isinstance(value, str | bool | int) or (isinstance(value, float) and math.isfinite(value)):
        return value
    if isinstance(value, list | tuple):
        return [describe_parameter(entry) for entry in value]
    if isinstance(value, np.ndarray):
        return describe_parameter(value.tolist())
    if isinstance(value, Ranker):
        return describe_ranker(value)
    return {"repr": print_text(repr(value), 400)}


def predict_sizes(ranker: Ranker, rows: LabelledRows) -> Sizes:
    """Predict the size of a training's trace from its first turns, for each choice of entries, within a factor of 2."""
    first, n_turns = clone(ranker), dict[str, int]()
    turning = getattr(first, "base", first)
    for name in TURNS.keys() & turning.get_params(deep=False).keys():
        n_turns[TURNS[name]] = getattr(turning, name)
        turning.set_params(**{name: min(MEASURED, n_turns[TURNS[name]])})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the training itself will warn
        return measure_sizes(partial(record_training, first, rows), n_turns)


def measure_sizes(record: Callable[[Keep, Callable[[Record], None]], None], n_turns: Mapping[str, int]) -> Sizes:
    """Measure the records that `record` writes; count those of the last turn measured for all turns that follow it."""
    sizes: dict[Values, Any] = {values: np.array([0.0, MANIFEST_SIZE]) for values in MOST_IN_LINE}

    def write(written: Record) -> None:
        n_copies = 1
        for part, last in (("round", MEASURED), ("tree", MEASURED - 1)):
            if getattr(written.place, part) == last:
                n_copies = n_turns[part] - MEASURED + 1
        for values in sizes:
            sizes[values] += n_copies, n_copies * measure_record(written, values)

    record(copy_whole, write)
    return {values: (int(size[0]), int(size[1])) for values, size in sizes.items()}


def copy_whole(values: NDArray[Any]) -> Field:
    """Make a field with a copy of an array, and without its digest."""
    return Field(name_type(values.dtype), values.shape, 0, values.copy())


def measure_record(record: Record, values: Values) -> float:
    """Measure a record in a trace with these entries, in bytes, from some of the entries of each field."""
    n_bytes = float(RECORD)
    for field in record.fields.values():
        entries = np.ravel(cast(NDArray[Any], field.values))
        n_bytes += FIELD
        if values == "digests" and entries.size > ALWAYS and record.stage != "data":
            continue
        if entries.size > MOST_IN_LINE[values]:
            n_bytes += TENSOR + entries.nbytes
        else:
            sample = entries[:: -(-entries.size // SAMPLE) or 1]
            n_bytes += len(write_entries(sample, exact_alone=values == "digests")) * entries.size / max(1, sample.size)
    return n_bytes

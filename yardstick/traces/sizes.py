"""The size of a trace before it is written: that of its first turns, which are trained, measured and forgotten."""

import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone

from refrank.arrays import Floats, Matrix
from refrank.estimators.base import Ranker
from yardstick.numbers.encoding import name_type, write_entries
from yardstick.traces.stages import Field, Keep, Record
from yardstick.traces.tracing import record_training
from yardstick.traces.writer import ALWAYS, MOST_IN_LINE, Values

MEASURED = 2  # turns of a kind: the others are as large as the last
SAMPLE = 512  # entries of a field that are written to measure it
MANIFEST_SIZE, RECORD, FIELD, TENSOR = 1000, 120, 75, 90  # bytes; of the last three, without the entries
TURNS: Mapping[str, str] = {"n_rounds": "round", "n_epochs": "round", "n_trees": "tree"}  # parameter -> part of a place


class Size(NamedTuple):
    """Estimate of the size of a trace."""

    n_records: int
    n_bytes: int


Sizes = Mapping[Values, Size]


def predict_sizes(
    ranker: Ranker, X: Matrix, y: NDArray[Any], qid: NDArray[Any] | None, sample_weight: Floats | None = None
) -> Sizes:
    """Predict the size of the trace of a training, for each choice of its entries, within a factor of 2.

    A copy of the ranker is trained for its first turns; the arguments, and a ValueError, are those of `fit`.
    """
    first, n_turns = clone(ranker), dict[str, int]()
    turning = getattr(first, "base", first)
    for name in TURNS.keys() & turning.get_params(deep=False).keys():
        n_turns[TURNS[name]] = getattr(turning, name)
        turning.set_params(**{name: min(MEASURED, n_turns[TURNS[name]])})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the training itself will warn
        return measure_sizes(partial(record_training, first, X, y, qid, sample_weight=sample_weight), n_turns)


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

    record(lambda values: Field(name_type(values.dtype), values.shape, 0, values.copy()), write)
    return {values: Size(int(size[0]), int(size[1])) for values, size in sizes.items()}


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

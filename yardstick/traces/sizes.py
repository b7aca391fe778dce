"""The size of a trace before it is written: that of its first turns, which are trained, measured and forgotten."""

import math
import warnings
from collections.abc import Callable, Mapping
from functools import partial
from typing import Any, NamedTuple, get_args

import numpy as np
from numpy.typing import NDArray
from sklearn.base import clone
from sklearn.dummy import DummyRegressor

from refrank.arrays import Floats, Matrix
from refrank.estimators import COCRRanker, GBRTRanker
from refrank.estimators.base import Ranker
from yardstick.numbers.encoding import name_type, write_entries
from yardstick.traces.stages import Field, Keep, Record
from yardstick.traces.tracing import record_training
from yardstick.traces.writer import ALWAYS, MOST_IN_LINE, Values, write_place, write_type

MEASURED = 2  # turns of a kind: the others are as large as the last
SAMPLE = 512  # entries of a field that are written to measure it
TENSOR = 90  # bytes that a file of tensors has besides the entries of one
ABOUT, MANIFEST_SIZE = 2**63, 1000  # a digest of average length; bytes
FIT_IN_JSON = 2**24  # bytes: a trace up to this size is written wholly in JSON, unless the user chooses otherwise
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

    Parameters
    ----------
    ranker : Ranker
        It is left as it is: a copy is trained for its first turns.
    X, y, qid, sample_weight : arrays of shape (n_samples, n_features), (n_samples,), (n_samples,), (n_samples,)
        As in `fit`.

    Returns
    -------
    dict of str to Size

    Raises
    ------
    ValueError
        As `fit`.

    Examples
    --------
    >>> from refrank import LSBoostRanker
    >>> X, y = np.arange(5000.0).reshape(1000, 5), np.arange(1000) % 3
    >>> sizes = predict_sizes(LSBoostRanker(n_rounds=10), X, y, None)
    >>> sizes["digests"].n_records, sizes["digests"].n_bytes < sizes["json"].n_bytes
    (96, True)
    """
    first: Any = clone(ranker)
    if isinstance(first, COCRRanker) and not isinstance(first.base, GBRTRanker):
        first.base = DummyRegressor()  # it is in no record
    turning, n_turns = getattr(first, "base", first), {part: 0 for part in TURNS.values()}
    for name in TURNS.keys() & turning.get_params(deep=False).keys():
        n_turns[TURNS[name]] = getattr(turning, name)
        turning.set_params(**{name: min(MEASURED, getattr(turning, name))})
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")  # the training itself will warn
        return measure_sizes(partial(record_training, first, X, y, qid, sample_weight=sample_weight), n_turns)


def measure_sizes(record: Callable[[Keep, Callable[[Record], None]], None], n_turns: Mapping[str, int]) -> Sizes:
    """Measure the records that `record` writes; count those of the last turn measured for all turns that follow it."""
    kinds: tuple[Values, ...] = get_args(Values)
    sizes = {values: np.array([0.0, MANIFEST_SIZE]) for values in kinds}

    def write(written: Record) -> None:
        n_copies = 1
        for part, number in zip(("round", "tree"), (written.place.round, written.place.tree), strict=True):
            if number is not None and number - (part == "round") == MEASURED - 1:
                n_copies = n_turns[part] - MEASURED + 1
        for values in sizes:
            sizes[values] += n_copies, n_copies * measure_record(written, values)

    record(keep_undigested, write)
    return {values: Size(int(size[0]), int(size[1])) for values, size in sizes.items()}


def keep_undigested(values: NDArray[Any]) -> Field:
    """Make a field, with a digest of average length."""
    return Field(name_type(values.dtype), values.shape, ABOUT, values.copy())


def measure_record(record: Record, values: Values) -> float:
    """Measure a record in a trace with these entries, in bytes: its line, its entry in the index, and its tensors."""
    frame = len(f'{{"stage":"{record.stage}","at":{write_place(record.place)},"fields":{{}},"chain":"{0:016}"}}\n') + 16
    return frame + sum(measure_field(record.stage, *named, values) for named in record.fields.items())


def measure_field(stage: str, name: str, field: Field, values: Values) -> float:
    """Measure a field, from some of its entries."""
    size = math.prod(field.shape)
    n_bytes = len(f'"{name}":{{{write_type(field.dtype, field.shape)},"digest":"{0:016x}"}},')
    if values == "digests" and size > ALWAYS and stage != "data":
        return n_bytes
    assert field.values is not None
    entries = field.values.ravel()[:: -(-size // SAMPLE) or 1]
    if size > MOST_IN_LINE[values]:
        return n_bytes + TENSOR + size * entries.itemsize
    return n_bytes + len(write_entries(entries, exact_alone=values == "digests")) * size / max(1, entries.size)


def choose_values(sizes: Sizes) -> Values:
    """Choose the contents of a trace by its size: all entries of a small case, digests of a large one."""
    return "json" if sizes["json"].n_bytes <= FIT_IN_JSON else "digests"

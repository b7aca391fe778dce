"""A page of Python in its own process (yardstick/processes.py): it trains there, or answers calls of its functions.

A training sends messages like the lines of a trace; the last one says how it ended:

    {"stage": "scores", "at": {"round": 1, "output": 0}, "fields": {"values": {...}}}    numbers/encoding.py
    {"ended": "done"}, or "not offered", or the fault

Each call of a function (calls.py) gets one answer:

    {"table": "FUNCTIONS", "name": "ndcg", "arguments": ..., "named": ...}     messages.py
    {"value": ...}, or {"fault": ["ZeroDivisionError", "division by zero"]}
"""

import os
import runpy
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints
from refrank.checks import print_text
from yardstick.numbers.encoding import encode
from yardstick.processes import Channel, Message
from yardstick.scorecard.messages import pack, unpack
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.stages import FLOAT, STAGES, Place
from yardstick.vectors.streams import add_streams

NOT_OFFERED = "not offered"


@dataclass(frozen=True, eq=False)
class AdapterCall:
    """A training requested of a port."""

    algorithm: str
    parameters: Mapping[str, Any]  # parameters of the ranker, as in the manifest of a trace
    X: Floats  # (n_samples, n_features)
    y: Ints  # (n_samples,)
    qid: Ints  # (n_samples,): 0, 1, ..., query after query
    weight: Floats | None  # (n_samples,)
    cuts: Floats  # of all features, ascending in each: the golden bins, for a port that has no binning
    offsets: Ints  # (n_features + 1,): cuts of feature f begin at cuts[offsets[f] - f]


def train_page(channel: Channel, source: str, golden: str) -> None:
    """Have a page train on the rows of a golden trace; send its records, and finally how it ended."""
    try:
        read_page(source)["train"](make_call(open_trace(golden)), make_tell(channel.send))
    except NotImplementedError:
        channel.send({"ended": NOT_OFFERED})
    except Exception as fault:
        channel.send({"ended": print_text(f"{type(fault).__name__}: {fault}", 300)})
    else:
        channel.send({"ended": "done"})


def answer_calls(channel: Channel, source: str) -> None:
    """Answer calls of a page's functions until the stream ends."""
    page = read_page(source)
    for call in channel:
        channel.send(answer(page, call))


def answer(page: Mapping[str, Any], call: Message) -> Message:
    """Call a function of a page; return its answer as a message."""
    try:
        function = page[call["table"]][call["name"]]
        return {"value": pack(function(*unpack(call["arguments"]), **unpack(call["named"])))}
    except (Exception, SystemExit) as fault:
        return {"fault": [type(fault).__name__, print_text(str(fault), 300)]}


def read_page(source: str) -> dict[str, Any]:
    """Execute a page of Python, which may import modules beside it; return its globals."""
    if not os.path.exists(source):
        raise FileNotFoundError(f"{source}: there must be a file of this name")
    beside = str(Path(source).resolve().parent)
    sys.path.insert(0, beside)
    try:
        return add_streams(runpy.run_path(source))
    except Exception as fault:
        raise ValueError(f"{source} failed: {type(fault).__name__}: {print_text(str(fault), 200)}") from fault
    finally:
        sys.path.remove(beside)


def make_call(golden: Trace) -> AdapterCall:
    """Make the call that a golden trace describes."""
    records = {record.stage: record for record in golden.records() if record.stage in ("data", "bins")}
    data, bins = records["data"], records.get("bins")
    arrays = {name: data.values(name) for name in data.fields}
    X, y, qid = (arrays[name] for name in ("X", "y", "qid"))
    assert X is not None
    assert y is not None
    assert qid is not None
    cuts, offsets = (None if bins is None else bins.values(name) for name in ("cuts", "offsets"))
    return AdapterCall(
        golden.manifest["algorithm"],
        golden.manifest["parameters"],
        X.astype(np.float64),
        y.astype(np.int64),
        qid,
        arrays.get("weight"),
        np.zeros(0) if cuts is None else cuts,
        np.arange(X.shape[1] + 1) if offsets is None else offsets,
    )


def make_tell(send: Callable[[Message], None]) -> Callable[..., None]:
    """Make the `tell` function of a page: it checks each field once, and sends it."""
    sent: set[tuple[str, Place, str]] = set()

    def tell(
        stage: str, round: int | None = None, tree: int | None = None, output: int | None = None, **arrays: Any
    ) -> None:
        if stage not in STAGES:
            raise ValueError(f"stage is {stage!r}: it must be one of {', '.join(STAGES)}")
        kinds = {**STAGES[stage].fields, **STAGES[stage].beside}
        for name in arrays:
            if name not in kinds:
                raise ValueError(f"stage {stage} has no field {name!r}: its fields are {', '.join(kinds)}")
        fields = {name: as_numbers(array, kinds[name], f"{name} of stage {stage}") for name, array in arrays.items()}
        place = Place(*(None if number is None else int(number) for number in (round, tree, output)))
        for name in arrays:
            if (stage, place, name) in sent:
                raise ValueError(f"{name} of stage {stage} is told twice{f', at {place}' if str(place) else ''}")
        sent.update((stage, place, name) for name in arrays)
        at = {name: number for name, number in place._asdict().items() if number is not None}
        send({"stage": stage, "at": at, "fields": {name: encode(values) for name, values in fields.items()}})

    return tell


def as_numbers(values: Any, kind: str, name: str) -> NDArray[Any]:
    """Return a value from a port as an array of one of the types of a trace."""
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise ValueError(f"{name} is of {array.dtype}: it must be of numbers")
    if kind == FLOAT:
        return array if array.dtype == np.float32 else array.astype(np.float64)
    if array.dtype.kind == "f" and (array != np.rint(array)).any():
        raise ValueError(f"{name} is of {array.dtype}: it must be of integers")
    return array if array.dtype.kind == "u" else array.astype(np.int64)

"""A page of Python at its training, in a process of its own: `python -m ... PAGE GOLDEN`.

It says what it is told on its stdout, in lines of JSON like those of a trace, which the other side (adapters.py) reads
without executing anything. The last line says how it ended:

    {"stage": "scores", "at": {"round": 1, "output": 0}, "fields": {"values": {...}}}    numbers/encoding.py
    {"ended": "done"}, or "not offered", or the fault

What the page prints goes to stderr, also where a library prints it.
"""

import json
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
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.stages import FLOAT, STAGES, Place

NOT_OFFERED = "not offered"
Say = Callable[[Mapping[str, Any]], None]  # of one message


@dataclass(frozen=True, eq=False)
class Case:
    """One training that a port is asked for."""

    algorithm: str
    parameters: Mapping[str, Any]  # of the ranker, as in the manifest of a trace
    X: Floats  # (n_samples, n_features)
    y: Ints  # (n_samples,)
    qid: Ints  # (n_samples,): 0, 1, ..., query after query
    weight: Floats | None  # (n_samples,)
    cuts: Floats  # of all features, ascending in each: the golden bins, for a port that makes none
    offsets: Ints  # (n_features + 1,): cuts of feature f begin at cuts[offsets[f] - f]


def train_page(source: str, golden: Path, say: Say) -> None:
    """Have a page train, and say what it tells, and at last how it ended.

    Parameters
    ----------
    source : str
        The file.
    golden : path
        The folder of the golden trace, which holds the rows.
    say : function
        Takes each message.
    """
    try:
        read_page(source)["train"](make_case(open_trace(golden)), make_tell(say))
    except NotImplementedError:
        say({"ended": NOT_OFFERED})
    except Exception as fault:
        say({"ended": print_text(f"{type(fault).__name__}: {fault}", 300)})
    else:
        say({"ended": "done"})


def read_page(source: str) -> dict[str, Any]:
    """Execute a page of Python, which may import what lies beside it; return what it defines."""
    if not os.path.exists(source):
        raise FileNotFoundError(f"{source}: there must be a file of this name")
    beside = str(Path(source).resolve().parent)
    sys.path.insert(0, beside)
    try:
        return runpy.run_path(source)
    except Exception as fault:
        raise ValueError(f"{source} failed: {type(fault).__name__}: {print_text(str(fault), 200)}") from fault
    finally:
        sys.path.remove(beside)


def make_case(golden: Trace) -> Case:
    """Make the case of a golden trace."""
    records = {record.stage: record for record in golden.records() if record.stage in ("data", "bins")}
    data, bins = records["data"], records.get("bins")
    arrays = {name: data.values(name) for name in data.fields}
    X, y, qid = (arrays[name] for name in ("X", "y", "qid"))
    assert X is not None
    assert y is not None
    assert qid is not None
    cuts, offsets = (None if bins is None else bins.values(name) for name in ("cuts", "offsets"))
    return Case(
        golden.manifest["algorithm"],
        golden.manifest["parameters"],
        X.astype(np.float64),
        y.astype(np.int64),
        qid,
        arrays.get("weight"),
        np.zeros(0) if cuts is None else cuts,
        np.arange(X.shape[1] + 1) if offsets is None else offsets,
    )


def make_tell(say: Say) -> Callable[..., None]:
    """Make the function that a page calls: it checks what it is told, each field once, and says it."""
    told: set[tuple[str, Place, str]] = set()

    def tell(
        stage: str, round: int | None = None, tree: int | None = None, output: int | None = None, **arrays: Any
    ) -> None:
        if stage not in STAGES:
            raise ValueError(f"stage is {stage!r}: it must be one of {', '.join(STAGES)}")
        known = {**STAGES[stage].fields, **STAGES[stage].beside}
        for name in arrays:
            if name not in known:
                raise ValueError(f"stage {stage} has no field {name!r}: its fields are {', '.join(known)}")
        fields = {name: as_numbers(one, known[name], f"{name} of stage {stage}") for name, one in arrays.items()}
        place = Place(*(None if number is None else int(number) for number in (round, tree, output)))
        for name in arrays:
            if (stage, place, name) in told:
                raise ValueError(f"{name} of stage {stage} is told twice{f', at {place}' if str(place) else ''}")
        told.update((stage, place, name) for name in arrays)
        at = {name: number for name, number in place._asdict().items() if number is not None}
        say({"stage": stage, "at": at, "fields": {name: encode(values) for name, values in fields.items()}})

    return tell


def as_numbers(values: Any, kind: str, name: str) -> NDArray[Any]:
    """Return what a port tells as an array of one of the types of a trace."""
    array = np.asarray(values)
    if array.dtype.kind not in "iufb":
        raise ValueError(f"{name} is of {array.dtype}: it must be of numbers")
    if kind == FLOAT:
        return array if array.dtype == np.float32 else array.astype(np.float64)
    if array.dtype.kind == "f" and (array != np.rint(array)).any():
        raise ValueError(f"{name} is of {array.dtype}: it must be of integers")
    return array if array.dtype.kind == "u" else array.astype(np.int64)


def main(source: str, golden: str) -> None:
    """Train, and write what is said to the stdout that this process began with."""
    with open(os.dup(1), "w", encoding="ascii") as messages:
        os.dup2(2, 1)
        train_page(source, Path(golden), lambda message: print(json.dumps(message), file=messages, flush=True))


if __name__ == "__main__":
    main(*sys.argv[1:])

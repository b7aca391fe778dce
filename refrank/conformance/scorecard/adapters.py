"""A port, as refrank asks it: a page of Python, or a command that reads one trace folder and writes another.

A page of Python is a file with any of these; what is absent is "not offered":

    NAME = "my port"                     what reports call it
    def train(case, tell): ...           one training, told stage by stage; raise NotImplementedError for others
    FUNCTIONS = {"ndcg": my_ndcg, ...}   single functions, for the vectors (refrank/conformance/vectors/running.py)

`tell(stage, round=1, output=0, values=array)` keeps one record (refrank/conformance/traces/stages.py), in any order.
Arrays are NumPy's, or lists. A command is called as `COMMAND GOLDEN OUT`: it finds the rows in the record "data" of the
folder GOLDEN, and the parameters in its manifest, and writes a trace to the folder OUT, which does not exist. Its exit
code is 0; or 77, where it does not offer the algorithm.

An adapter is the user's own program, and it is executed. Traces, which anybody may have written, are not.
"""

import multiprocessing
import os
import runpy
import shlex
import subprocess
import time
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.checks import print_text
from refrank.conformance.traces.reader import Trace, open_trace
from refrank.conformance.traces.stages import FLOAT, STAGES, Place, Record
from refrank.conformance.traces.writer import TraceWriter

NOT_OFFERED_CODE = 77
SECONDS = 600.0  # that a command may take for one training


@dataclass(frozen=True, eq=False)
class Case:
    """One training that a port is asked for."""

    algorithm: str
    parameters: Mapping[str, Any]  # of the ranker, as in the manifest of a trace
    X: NDArray[np.float64]  # (n_samples, n_features)
    y: NDArray[np.int64]  # (n_samples,)
    qid: NDArray[np.int64]  # (n_samples,): 0, 1, ..., query after query
    weight: NDArray[np.float64] | None  # (n_samples,)
    cuts: NDArray[np.float64]  # of all features, ascending in each: the golden bins, for a port that makes none
    offsets: NDArray[np.int64]  # (n_features + 1,): cuts of feature f begin at cuts[offsets[f] - f]


@dataclass(frozen=True)
class Adapter:
    """A port."""

    name: str
    run: Callable[[Trace, Path], Trace | None]  # golden trace, new folder -> its trace; None: not offered
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def load_adapter(source: str, start: str = "spawn") -> Adapter:
    """Load a port: the name of a Python file, or a command.

    Parameters
    ----------
    source : str
        A name that ends in .py is a file.
    start : "spawn" or "fork"
        How the process that trains is started (`multiprocessing`).

    Raises
    ------
    ValueError
        If the file fails when it is executed, or defines nothing that refrank asks for.
    """
    if not source.endswith(".py"):
        return Adapter(source, lambda golden, folder: run_command(source, golden, folder))
    page = read_page(source)
    train, functions = page.get("train"), page.get("FUNCTIONS", {})
    if not callable(train) and not functions:
        raise ValueError(f"{source} defines neither train nor FUNCTIONS: nothing can be compared")
    if not isinstance(functions, Mapping) or not all(map(callable, functions.values())):
        raise ValueError(f"FUNCTIONS of {source} is {type(functions).__name__}: it must map names to functions")

    def run(golden: Trace, folder: Path) -> Trace | None:
        return run_apart(source, golden, folder, start) if callable(train) else None

    return Adapter(str(page.get("NAME", Path(source).stem)), run, functions)


def read_page(source: str) -> dict[str, Any]:
    """Execute a page of Python; return what it defines."""
    if not os.path.exists(source):
        raise FileNotFoundError(f"{source}: there must be a file of this name")
    try:
        return runpy.run_path(source)
    except Exception as fault:
        raise ValueError(f"{source} failed: {type(fault).__name__}: {print_text(str(fault), 200)}") from fault


Told = dict[tuple[str, Place], dict[str, NDArray[Any]]]


def run_apart(source: str, golden: Trace, folder: Path, start: str) -> Trace | None:
    """Have a page of Python train in a process of its own, which a library may bring down; keep what it has told."""
    context: Any = multiprocessing.get_context(start)
    ours, theirs = context.Pipe(duplex=False)
    child = context.Process(target=train_in_child, args=(source, golden.folder, theirs))
    child.start()
    theirs.close()
    told: Told = {}
    try:
        ended = listen(ours, told)
        if ended == "":  # the pipe is closed
            child.join()
            ended = f"signal {-child.exitcode}" if child.exitcode < 0 else f"exit code {child.exitcode}"
    finally:
        child.kill()
        child.join()
    if ended == "not offered":
        return None
    manifest: dict[str, Any] = {"algorithm": golden.manifest["algorithm"], "parameters": {}}
    with TraceWriter(folder, "json", manifest if ended == "done" else {**manifest, "ended": ended}) as writer:
        for (stage, place), arrays in told.items():
            writer.write(Record(stage, place, {name: writer.keep(values) for name, values in arrays.items()}))
    return open_trace(folder)


def listen(pipe: Any, told: Told) -> str:
    """Keep what a child tells; return how it ended: "done", "not offered", its fault, or "" where it is gone."""
    end = time.monotonic() + SECONDS
    while pipe.poll(max(0.0, end - time.monotonic())):
        try:
            message = pipe.recv()
        except EOFError:
            return ""
        if isinstance(message, str):
            return message
        stage, place, arrays = message
        told.setdefault((stage, Place(*place)), {}).update(arrays)
    return f"not within {SECONDS:g} s"


def train_in_child(source: str, golden: Path, pipe: Any) -> None:
    """Train, send what is told, and at last how it ended."""

    def tell(
        stage: str, round: int | None = None, tree: int | None = None, output: int | None = None, **arrays: Any
    ) -> None:
        if stage not in STAGES:
            raise ValueError(f"stage is {stage!r}: it must be one of {', '.join(STAGES)}")
        known = {**STAGES[stage].fields, **STAGES[stage].beside}
        for name in arrays:
            if name not in known:
                raise ValueError(f"stage {stage} has no field {name!r}: its fields are {', '.join(known)}")
        kept = {name: as_numbers(one, known[name], f"{name} of stage {stage}") for name, one in arrays.items()}
        pipe.send((stage, (round, tree, output), kept))

    try:
        read_page(source)["train"](make_case(open_trace(golden)), tell)
    except NotImplementedError:
        pipe.send("not offered")
    except Exception as fault:
        pipe.send(print_text(f"{type(fault).__name__}: {fault}", 300))
    else:
        pipe.send("done")


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


def run_command(command: str, golden: Trace, folder: Path) -> Trace | None:
    """Have a command train."""
    words = [*shlex.split(command), str(golden.folder), str(folder)]
    try:
        done = subprocess.run(words, capture_output=True, text=True, timeout=SECONDS, check=False)
    except subprocess.TimeoutExpired:
        raise ValueError(f"{command} did not end within {SECONDS:g} s") from None
    if done.returncode == NOT_OFFERED_CODE:
        return None
    if done.returncode != 0:
        last = done.stderr.strip().rsplit("\n", 1)[-1]
        raise ValueError(f"{command} ended with exit code {done.returncode}: {print_text(last, 200)}")
    return open_trace(folder)

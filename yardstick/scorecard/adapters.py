"""The interface of a port: a page of Python, or a command that reads one trace folder and writes another.

A page of Python is a file with any of these; absent parts are "not offered":

    NAME = "my port"                     its name in reports
    def train(case, tell): ...           one training, told stage by stage; raise NotImplementedError for others
    FUNCTIONS = {"ndcg": my_ndcg, ...}   single functions, for the vectors (yardstick/vectors/running.py)
    LEMMAS = {"dcg": my_dcg, ...}        functions of the lemmas (proofs_check/engine/implementation.py)

`tell(stage, round=1, output=0, values=array)` keeps one record (yardstick/traces/stages.py), in any order.
Arrays are NumPy's, or lists. A command is called as `COMMAND GOLDEN OUT`: it finds the rows in the record "data" of the
folder GOLDEN, and the parameters in its manifest, and writes a trace to the folder OUT, which does not exist. Its exit
code is 0, or 77 if it does not offer the algorithm.

A page is executed once in refrank's own process, to find what it offers. It trains in a new process (page.py), and
its functions are called in another (calls.py), which a library may crash. There it finds modules on refrank's module
path, and beside itself while it is loaded. Its output goes to stderr.

An adapter is the user's own program, and it is executed. Traces, which anybody may have written, are not executed; nor
are the messages of a process.
"""

import os
import shlex
import subprocess
import time
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from threading import Thread
from typing import Any

from refrank.checks import print_text
from yardstick.processes import ENDING, Worker
from yardstick.programs import describe_end, end, start
from yardstick.scorecard.calls import Calls
from yardstick.scorecard.lemmas import check_lemmas
from yardstick.scorecard.page import NOT_OFFERED, read_page, train_page
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.stages import Field, Place, Record
from yardstick.traces.writer import TraceWriter

NOT_OFFERED_CODE = 77
MOST_SAID = 2**12  # bytes of the errors of a command that are kept, and as many again
SECONDS = 600.0  # time limit of a port for one training


@dataclass(frozen=True)
class Adapter:
    """A port."""

    name: str
    run: Callable[[Trace, Path], Trace | None]  # golden trace, new folder -> its trace; None: not offered
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    lemmas: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def load_adapter(source: str) -> Adapter:
    """Load a port from a Python file or a command.

    Parameters
    ----------
    source : str
        A name that ends in .py is a file.

    Raises
    ------
    ValueError
        If the file fails when it is executed, or defines nothing that refrank can test.
    """
    if not source.endswith(".py"):
        return Adapter(source, lambda golden, folder: run_command(source, golden, folder))
    page = read_page(source)
    train, functions, lemmas = page.get("train"), page.get("FUNCTIONS", {}), page.get("LEMMAS", {})
    if not callable(train) and not functions and not lemmas:
        raise ValueError(f"{source} defines none of train, FUNCTIONS and LEMMAS: nothing can be compared")
    if not isinstance(functions, Mapping) or not all(map(callable, functions.values())):
        raise ValueError(f"FUNCTIONS of {source} is {type(functions).__name__}: it must map names to functions")
    if lemmas:
        check_lemmas(source, lemmas)

    def run(golden: Trace, folder: Path) -> Trace | None:
        return run_page(source, golden, folder) if callable(train) else None

    calls = Calls(source)
    offered = (calls.offer(table, held) for table, held in (("FUNCTIONS", functions), ("LEMMAS", lemmas)))
    return Adapter(str(page.get("NAME", Path(source).stem)), run, *offered)


def run_page(source: str, golden: Trace, folder: Path) -> Trace | None:
    """Have a page of Python train in its own process; keep its records."""
    records: dict[tuple[str, Place], dict[str, Field]] = {}
    ended, began = "", time.monotonic()
    with Worker(train_page, source, str(golden.folder), name=source) as worker:
        while not ended:
            try:
                message = worker.receive(SECONDS, began)
            except (ChildProcessError, TimeoutError) as fault:
                message = {"ended": str(fault)}
            if "ended" in message:
                ended = str(message["ended"])
            else:
                record = golden.read_record(message, f"a message of {source}", 0)
                records.setdefault((record.stage, record.place), {}).update(record.fields)
    if ended == NOT_OFFERED:
        return None
    manifest: dict[str, Any] = {"algorithm": golden.manifest["algorithm"], "parameters": {}}
    with TraceWriter(folder, "json", manifest if ended == "done" else {**manifest, "ended": ended}) as writer:
        for (stage, place), fields in records.items():
            writer.write(Record(stage, place, fields))
    return open_trace(folder)


def run_command(command: str, golden: Trace, folder: Path) -> Trace | None:
    """Have a command train."""
    words = [*shlex.split(command), str(golden.folder), str(folder)]
    child = start(words, stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE)
    assert child.stderr is not None
    pieces = deque[bytes](maxlen=2)  # the last
    reader = Thread(target=keep_last, args=(os.dup(child.stderr.fileno()), pieces), daemon=True)
    reader.start()
    try:
        child.wait(SECONDS)
        reader.join(ENDING)
    except subprocess.TimeoutExpired:
        raise ValueError(f"{command} did not return within {SECONDS:g} seconds") from None
    finally:
        end(child)
    if child.returncode == NOT_OFFERED_CODE:
        return None
    if child.returncode != 0:
        last = b"".join(pieces).decode("utf-8", "replace").strip().rsplit("\n", 1)[-1]
        raise ValueError(f"{command} ended with {describe_end(child.returncode)}: {print_text(last, 200)}")
    return open_trace(folder)


def keep_last(descriptor: int, pieces: deque[bytes]) -> None:
    """Read a pipe to its end, and keep the last pieces."""
    with open(descriptor, "rb", buffering=0) as pipe:
        pieces.extend(iter(partial(pipe.read, MOST_SAID), b""))

"""A port as the scorecard asks it: its trainings become traces, and its functions those of Python.

It is a page of Python (page.py) or a program that speaks the same messages (docs/port/another_language.md), and it is
executed: it is the user's own. It runs in a process, which starts when it is first asked, and again after its end: a
crash or a hang becomes an error of the question. What it sends is data (messages.py).
"""

import os
import shlex
import shutil
import time
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from refrank.checks import print_text
from yardstick.numbers.encoding import show
from yardstick.processes import Message, Worker, run_program
from yardstick.scorecard.lemmas import name_arguments
from yardstick.scorecard.messages import pack, read_answer, read_array
from yardstick.scorecard.page import serve_page
from yardstick.traces.reader import Trace, open_trace, read_record
from yardstick.traces.stages import FLOAT, Field, Place, Record, make_field
from yardstick.traces.writer import TraceWriter

SECONDS, LONG = 60.0, 600.0  # time limits: of a call; of a training, and of a start
LONGEST = 300  # characters of what a port says
ANSWERS = {"value"}, {"fault"}, {"not offered"}


@dataclass(frozen=True)
class Adapter:
    """A port."""

    name: str
    run: Callable[[Trace, Path], Trace | None]  # golden trace, new folder -> its trace; None: not offered
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    lemmas: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def load_adapter(source: str, seconds: float | None = None, **limits: int) -> Adapter:
    """Start a port, a file of Python or a command, and find what it offers; all within some seconds, if they are given.

    `limits` are those of a `Worker`. A ValueError says that the port cannot be used.
    """
    calls = Calls(source, seconds, **limits)
    try:
        offer = calls.start()
    except (ChildProcessError, TimeoutError) as end:
        raise ValueError(f"{source} {end}, before it said what it offers") from None
    if "fault" in offer:
        raise ValueError(print_text(str(offer["fault"]), LONGEST))
    name, offers = print_text(str(offer.get("name", source)), 80), offer.get("offers")
    if not isinstance(offers, list) or not all(isinstance(call, str) for call in offers):
        raise ValueError(f'{source} offers {show(offers)}: it must be a list of texts such as "function ndcg"')
    functions, lemmas = (
        [call.removeprefix(kind) for call in offers if call.startswith(kind)] for kind in ("function ", "lemma ")
    )
    return Adapter(
        name,
        partial(run_training, calls),
        {name: partial(calls.call, f"function {name}", ()) for name in functions},
        {name: partial(calls.call, f"lemma {name}", names) for name, names in name_arguments(source, lemmas).items()},
    )


class Calls:
    """The process of a port, which answers questions, and ends with this."""

    def __init__(self, source: str, seconds: float | None = None, **limits: int) -> None:
        self.source, self.seconds, self.limits, self.began = source, seconds, limits, 0.0
        self.worker: Worker | None = None
        self.given_up: dict[str, str] = {}  # those that did not return, which are not asked again

    def start(self) -> Message:
        """Start the process; return the message by which it says what it offers."""
        name, at_once = self.source, {"PYTHONUNBUFFERED": "1"}  # the process may be ended at any time
        if name.endswith(".py") and os.path.exists(name):
            self.worker = Worker(serve_page, name, name=name, environment=at_once, **self.limits)
        elif (words := shlex.split(name)) and shutil.which(words[0]) is not None:
            self.worker = Worker(run_program, os.environ.get("PYTHONPATH", ""), *words, name=name)
        else:
            raise FileNotFoundError(f"{name}: there must be a file of Python, or a program, of this name")
        self.began = time.monotonic()
        return self.worker.receive(self.seconds or LONG, self.began)

    def call(self, call: str, names: Sequence[str], *values: Any, **named: Any) -> Any:
        """Call a function of the port, with values of arguments of these names, and further arguments."""
        answer = self.ask(call, dict(zip(names, values, strict=False)) | named)
        return answer if call == "function stream" else read_answer(answer)  # a digest

    def ask(self, call: str, arguments: Mapping[str, Any], keep: Callable[[Message], None] | None = None) -> Any:
        """Ask a question, and return its answer in JSON.

        A call is a kind and a name: "function ndcg", "lemma dcg" or "training ls". Of a training, `keep` takes each
        record, and may raise a ValueError. What comes in the place of an answer is raised: NotImplementedError, if the
        port does not offer it for these arguments; ChildProcessError, if the process ends; TimeoutError; ValueError,
        if it sends something else; or an error of the kind that the port names.
        """
        if call in self.given_up:
            raise TimeoutError(self.given_up[call])
        question = {"call": call, "arguments": pack(arguments)}
        try:
            if self.worker is None:
                self.start()
            assert self.worker is not None
            self.worker.send(question)
            began, seconds = time.monotonic(), SECONDS if keep is None else LONG
            if self.seconds is not None:
                began, seconds = self.began, self.seconds
            while "stage" in (answer := self.worker.receive(seconds, began)) and keep is not None:
                keep(answer)
            if answer.keys() not in ANSWERS:
                raise ValueError(f"{self.source} sent a message other than an answer")
        except (ChildProcessError, TimeoutError, ValueError) as fault:
            if self.worker is not None:  # what it sends next may answer this question
                self.worker.close()
            self.worker = None
            if isinstance(fault, TimeoutError):
                self.given_up[call] = str(fault)
            raise
        [(kind, content)] = answer.items()
        if kind == "value":
            return content
        text = print_text(str(content), LONGEST)
        if kind == "not offered":
            raise NotImplementedError(text)
        name, colon, words = text.partition(": ")
        raise type(name, (Exception,), {})(words) if colon else Exception(text)


def run_training(calls: Calls, golden: Trace, folder: Path) -> Trace | None:
    """Have a port train on the rows of a golden trace; keep its records, also if it fails."""
    records: dict[tuple[str, Place], dict[str, Field]] = {}
    manifest = {"algorithm": golden.manifest["algorithm"], "parameters": {}}

    def keep(message: Message) -> None:
        name = f"a message of stage {show(message['stage'])} of {calls.source}"
        record = read_record(message, name, read_field)
        kept = records.setdefault((record.stage, record.place), {})
        if twice := kept.keys() & record.fields.keys():
            at = f", at {record.place}" if str(record.place) else ""
            raise ValueError(f"{min(twice)} of stage {record.stage} is told twice{at}")
        kept.update(record.fields)

    try:
        calls.ask(f"training {manifest['algorithm']}", list_arguments(golden), keep)
    except NotImplementedError:
        return None
    except Exception as fault:
        own = type(fault) in (ValueError, ChildProcessError, TimeoutError)
        manifest["ended"] = print_text(str(fault) if own else f"{type(fault).__name__}: {fault}", 600)
    with TraceWriter(folder, "json", manifest) as writer:
        for (stage, place), fields in records.items():
            writer.write(Record(stage, place, fields))
    return open_trace(folder)


def list_arguments(golden: Trace) -> dict[str, Any]:
    """List the arguments of the training that a golden trace describes, by its first two records."""
    first = islice(golden.records(), 2)
    given: dict[str, Any] = {name: field.values for record in first for name, field in record.fields.items()}
    absent = {"weight": None, "cuts": np.empty(0), "offsets": np.arange(given["X"].shape[1] + 1)}  # without bins
    given = absent | given | {"y": given["y"].astype(np.int64), "parameters": golden.manifest["parameters"]}
    return {name: given[name] for name in ("parameters", "X", "y", "qid", "weight", "cuts", "offsets")}


def read_field(document: Any, name: str, _: str, kind: str) -> Field:
    """Read a field that a port tells: 1 may stand for 1.0, and 2.0 for 2."""
    array = read_array(document, name)
    if kind == FLOAT and array.dtype.kind != "f":
        array = array.astype(np.float64)
    elif kind != FLOAT and array.dtype.kind == "f" and ((array == np.rint(array)) & (abs(array) < 2.0**63)).all():
        array = array.astype(np.int64)
    return make_field(array)

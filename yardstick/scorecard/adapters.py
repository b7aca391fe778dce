"""A port as the scorecard asks it: its trainings become traces, and its functions those of Python.

It is a page of Python (page.py) or a program that speaks the same messages (docs/port/another_language.md), and it is
executed: it is the user's own. Traces, which anybody may have written, are not; nor are messages (calls.py).
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import partial
from pathlib import Path
from typing import Any

import numpy as np

from refrank.checks import print_text
from yardstick.numbers.encoding import FLOATS, encode, show
from yardstick.processes import Message
from yardstick.scorecard.calls import Calls
from yardstick.scorecard.lemmas import name_arguments
from yardstick.scorecard.messages import read_answer, read_array
from yardstick.scorecard.page import make_call
from yardstick.traces.reader import Trace, open_trace
from yardstick.traces.stages import FLOAT, STAGES, Field, Place, Record
from yardstick.traces.writer import TraceWriter


@dataclass(frozen=True)
class Adapter:
    """A port."""

    name: str
    run: Callable[[Trace, Path], Trace | None]  # golden trace, new folder -> its trace; None: not offered
    functions: Mapping[str, Callable[..., Any]] = field(default_factory=dict)
    lemmas: Mapping[str, Callable[..., Any]] = field(default_factory=dict)


def load_adapter(source: str) -> Adapter:
    """Start a port, a file of Python or a command, and find what it offers; a ValueError says if it cannot."""
    calls = Calls(source)
    try:
        offer = calls.start()
    except (ChildProcessError, TimeoutError) as end:
        raise ValueError(f"{source} {end}, before it said what it offers") from None
    if "fault" in offer:
        raise ValueError(print_text(str(offer["fault"]), 400))
    name, offers = offer.get("name", source), offer.get("offers")
    if not isinstance(offers, list) or not all(isinstance(call, str) for call in offers):
        raise ValueError(f'{source} offers {show(offers)}: it must be a list of texts such as "function ndcg"')
    functions, lemmas = (
        [call.partition(" ")[2] for call in offers if call.startswith(kind)] for kind in ("function ", "lemma ")
    )

    def make(call: str, names: Sequence[str] = ()) -> Callable[..., Any]:
        read = str if call == "function stream" else read_answer  # a digest
        return lambda *values, **named: read(calls.ask(call, dict(zip(names, values, strict=False)) | named))

    return Adapter(
        print_text(str(name), 80),
        partial(run_training, calls),
        {name: make(f"function {name}") for name in functions},
        {name: make(f"lemma {name}", names) for name, names in name_arguments(source, lemmas).items()},
    )


def run_training(calls: Calls, golden: Trace, folder: Path) -> Trace | None:
    """Have a port train on the rows of a golden trace; keep its records, also if it fails."""
    records: dict[tuple[str, Place], dict[str, Field]] = {}
    sender, manifest = f"a message of {calls.source}", {"algorithm": golden.manifest["algorithm"], "parameters": {}}

    def keep(message: Message) -> None:
        record = golden.read_record(write_fields(message, sender), sender, 0)
        kept = records.setdefault((record.stage, record.place), {})
        if twice := kept.keys() & record.fields.keys():
            at = f", at {record.place}" if str(record.place) else ""
            raise ValueError(f"{min(twice)} of stage {record.stage} is told twice{at}")
        kept.update(record.fields)

    arguments = {**vars(make_call(golden))}
    try:
        calls.ask(f"training {arguments.pop('algorithm')}", arguments, keep)
    except NotImplementedError:
        return None
    except Exception as fault:
        own = type(fault) in (ValueError, ChildProcessError, TimeoutError)
        manifest["ended"] = print_text(str(fault) if own else f"{type(fault).__name__}: {fault}", 600)
    with TraceWriter(folder, "json", manifest) as writer:
        for (stage, place), fields in records.items():
            writer.write(Record(stage, place, fields))
    return open_trace(folder)


def write_fields(message: Message, sender: str) -> Message:
    """Write the fields of a record as arrays of the types of their stage; `read_record` names other faults."""
    stage, fields = message["stage"], message.get("fields")
    if not isinstance(stage, str) or stage not in STAGES or not isinstance(fields, dict):
        return message
    kinds, written = {**STAGES[stage].fields, **STAGES[stage].beside}, dict(fields)
    for name in kinds.keys() & fields.keys():
        document, is_float = fields[name], kinds[name] == FLOAT
        if not isinstance(document, dict) or (document.get("dtype") in FLOATS) != is_float:
            title = f"{name} of stage {stage} of {sender}"
            array = read_array(document, title)
            if is_float:
                array = array.astype(np.float64)
            elif array.dtype.kind == "f":
                if not ((array == np.rint(array)) & (abs(array) < 2.0**63)).all():
                    raise ValueError(f"{title} is of {array.dtype}: it must be of integers")
                array = array.astype(np.int64)
            written[name] = encode(array)
    return {**message, "fields": written}

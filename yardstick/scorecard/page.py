"""A page of Python in its own process (yardstick/processes.py), where it answers questions (adapters.py).

docs/port/conformance.md shows one, with NAME, train, FUNCTIONS and LEMMAS; what it lacks is "not offered", as is what
raises NotImplementedError. A page without the last three offers what has a name of the vectors. `case` has `algorithm`,
and the arguments of a training (docs/port/another_language.md). `tell(stage, round=1, output=0, values=array)` keeps
one record (yardstick/traces/stages.py), in any order. Arrays are NumPy's, or lists. A page finds modules on refrank's
module path, and then beside itself. Its output goes to stderr.
"""

import os
import runpy
import sys
import traceback
from collections.abc import Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from refrank.checks import print_text
from yardstick.processes import Channel, Message
from yardstick.scorecard.messages import pack, pack_array, unpack
from yardstick.vectors.reading import load_vectors
from yardstick.vectors.streams import offer_streams

TABLES = {"function": "FUNCTIONS", "lemma": "LEMMAS"}  # of a page, by the kind of a question


def serve_page(channel: Channel, source: str) -> None:
    """Send the offers of a page, and answer questions until the stream ends."""
    try:
        page = read_page(source)
    except (Exception, SystemExit) as fault:
        channel.send({"fault": f"{source} failed: {describe_fault(fault, source)}"})
        return
    channel.send(describe_offer(page, source))
    for question in channel:
        channel.send(answer(page, question, channel, source))


def read_page(source: str) -> dict[str, Any]:
    """Execute a page of Python, which may import modules beside it; return its globals."""
    sys.path.append(str(Path(source).resolve().parent))  # none of them stands for one of Python or of a package
    page = runpy.run_path(os.path.abspath(source))
    if not any(map(page.get, ("train", *TABLES.values()))):
        page["FUNCTIONS"] = {name: page[name] for name in load_vectors().functions if callable(page.get(name))}
    functions = page.get("FUNCTIONS")
    return {**page, "FUNCTIONS": offer_streams(functions)} if functions and isinstance(functions, Mapping) else page


def describe_offer(page: Mapping[str, Any], source: str) -> Message:
    """Name what a page offers, or its fault."""
    if not callable(page.get("train")) and not page.get("FUNCTIONS") and not page.get("LEMMAS"):
        rule = "train, FUNCTIONS and LEMMAS, and no function of the vectors"
        return {"fault": f"{source} defines none of {rule}: nothing can be compared"}
    offers = []
    for kind, table in TABLES.items():
        functions = page.get(table, {})
        if not isinstance(functions, Mapping) or not all(map(callable, functions.values())):
            return {"fault": f"{table} of {source} is {type(functions).__name__}: it must map names to functions"}
        offers += [f"{kind} {name}" for name in functions]
    return {"name": str(page.get("NAME", Path(source).stem)), "offers": offers}


def answer(page: Mapping[str, Any], question: Message, channel: Channel, source: str) -> Message:
    """Train, or call a function of a page; return the answer as a message."""
    kind, _, name = question["call"].partition(" ")
    arguments = unpack(question["arguments"])
    try:
        if kind == "lemma":
            return {"value": pack(page["LEMMAS"][name](*arguments.values()))}
        if kind == "function":
            return {"value": pack(page["FUNCTIONS"][name](**arguments))}
        if "train" not in page:
            raise NotImplementedError(kind)
        page["train"](SimpleNamespace(algorithm=name, **arguments), partial(tell, channel))
        return {"value": None}
    except NotImplementedError as fault:
        return {"not offered": str(fault)}
    except (Exception, SystemExit) as fault:
        return {"fault": describe_fault(fault, source)}


def describe_fault(fault: BaseException, source: str) -> str:
    """Describe an error of a page, with the last line of the page in its traceback."""
    name = os.path.abspath(source)  # as its frames have it
    lines = [frame for frame in traceback.extract_tb(fault.__traceback__) if frame.filename == name]
    at = f" (line {lines[-1].lineno}: {str(lines[-1].line)[:80]})" if lines else ""
    return print_text(f"{type(fault).__name__}: {str(fault)[:200]}{at}", 300)


def tell(channel: Channel, stage: str, round: Any = None, tree: Any = None, output: Any = None, **arrays: Any) -> None:
    """Send a record."""
    place = {"round": round, "tree": tree, "output": output}
    at = {name: int(number) for name, number in place.items() if number is not None}
    channel.send({"stage": stage, "at": at, "fields": {name: pack_array(values) for name, values in arrays.items()}})

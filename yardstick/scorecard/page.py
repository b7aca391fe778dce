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
from collections.abc import Callable, Mapping
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

from refrank.checks import print_text
from yardstick.processes import Channel, Message
from yardstick.scorecard.messages import pack, pack_array, unpack
from yardstick.vectors.files import load_vectors
from yardstick.vectors.streams import offer_streams


def serve_page(channel: Channel, source: str) -> None:
    """Send the offers of a page, and answer questions until the stream ends."""
    try:
        page = read_page(source)
        offered = list_offered(page)
        if not offered and "train" not in page:
            raise ValueError("it defines none of train, FUNCTIONS and LEMMAS, and no function of the vectors")
    except (Exception, SystemExit) as fault:
        channel.send({"fault": f"{source} failed: {describe_fault(fault, source)}"})
        return
    channel.send({"name": str(page.get("NAME", Path(source).stem)), "offers": [*offered]})
    for question in channel:
        try:
            channel.send({"value": answer(page, offered, question, channel)})
        except NotImplementedError as fault:
            channel.send({"not offered": str(fault)})
        except (Exception, SystemExit) as fault:
            channel.send({"fault": describe_fault(fault, source)})


def read_page(source: str) -> dict[str, Any]:
    """Execute a page of Python, which may import modules beside it; return its globals."""
    sys.path.append(str(Path(source).resolve().parent))  # none of them stands for one of Python or of a package
    return runpy.run_path(os.path.abspath(source))


def list_offered(page: Mapping[str, Any]) -> dict[str, Callable[..., Any]]:
    """List the functions of a page by the calls that ask for them."""
    functions, lemmas = (dict(page.get(table, {})) for table in ("FUNCTIONS", "LEMMAS"))
    if not functions and not lemmas and "train" not in page:
        functions = {name: page[name] for name in load_vectors().functions if callable(page.get(name))}
    of_kind = {"function": offer_streams(functions) if functions else {}, "lemma": lemmas}
    return {f"{kind} {name}": function for kind, table in of_kind.items() for name, function in table.items()}


def answer(page: Mapping[str, Any], offered: Mapping[str, Any], question: Message, channel: Channel) -> Any:
    """Train, or call a function of a page; return the answer in JSON."""
    call, arguments = question["call"], unpack(question["arguments"])
    kind, _, name = call.partition(" ")
    if call in offered:
        return pack(offered[call](*arguments.values()) if kind == "lemma" else offered[call](**arguments))
    if "train" not in page:
        raise NotImplementedError(kind)
    page["train"](SimpleNamespace(algorithm=name, **arguments), partial(tell, channel))
    return None


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

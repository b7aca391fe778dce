"""A page of Python in its own process (yardstick/processes.py), where it answers questions (calls.py).

A page is a file with any of these; absent parts are "not offered", as is what raises NotImplementedError:

    NAME = "my port"                     its name in reports
    def train(case, tell): ...           one training, told stage by stage
    FUNCTIONS = {"ndcg": my_ndcg, ...}   single functions, for the vectors (yardstick/vectors/running.py)
    LEMMAS = {"dcg": my_dcg, ...}        functions of the lemmas (proofs_check/engine/implementation.py)

`tell(stage, round=1, output=0, values=array)` keeps one record (yardstick/traces/stages.py), in any order.
Arrays are NumPy's, or lists. A page finds modules on refrank's module path, and beside itself while it is loaded. Its
output goes to stderr.
"""

import runpy
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from itertools import islice
from pathlib import Path
from typing import Any

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.checks import print_text
from yardstick.processes import Channel, Message
from yardstick.scorecard.messages import pack, pack_array, unpack
from yardstick.traces.reader import Trace
from yardstick.vectors.streams import add_streams

TABLES = {"function": "FUNCTIONS", "lemma": "LEMMAS"}  # of a page, by the kind of a question


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


def make_call(golden: Trace) -> AdapterCall:
    """Make the call that a golden trace describes, by its first two records."""
    stages = {record.stage: record.fields for record in islice(golden.records(), 2)}
    given: dict[str, Any] = {name: field.values for of in stages.values() for name, field in of.items()}
    X, y, qid, weight = given["X"].astype(float), given["y"].astype(np.int64), given["qid"], given.get("weight")
    cuts, offsets = given.get("cuts", np.zeros(0)), given.get("offsets", np.arange(X.shape[1] + 1))
    of = golden.manifest
    return AdapterCall(of["algorithm"], of["parameters"], X, y, qid, weight, cuts, offsets)


def serve_page(channel: Channel, source: str) -> None:
    """Send the offers of a page, and answer questions until the stream ends."""
    try:
        page = read_page(source)
        channel.send(describe_offer(page, source))
    except Exception as fault:
        channel.send({"fault": print_text(str(fault), 300)})
        return
    for question in channel:
        channel.send(answer(page, question, channel.send))


def read_page(source: str) -> dict[str, Any]:
    """Execute a page of Python, which may import modules beside it; return its globals."""
    beside = str(Path(source).resolve().parent)
    sys.path.insert(0, beside)
    try:
        return add_streams(runpy.run_path(source))
    except Exception as fault:
        raise ValueError(f"{source} failed: {type(fault).__name__}: {print_text(str(fault), 200)}") from fault
    finally:
        sys.path.remove(beside)


def describe_offer(page: Mapping[str, Any], source: str) -> Message:
    """Name what a page offers."""
    if not callable(page.get("train")) and not page.get("FUNCTIONS") and not page.get("LEMMAS"):
        raise ValueError(f"{source} defines none of train, FUNCTIONS and LEMMAS: nothing can be compared")
    offers = []
    for kind, table in TABLES.items():
        functions = page.get(table, {})
        if not isinstance(functions, Mapping) or not all(map(callable, functions.values())):
            raise ValueError(f"{table} of {source} is {type(functions).__name__}: it must map names to functions")
        offers += [f"{kind} {name}" for name in functions]
    return {"name": str(page.get("NAME", Path(source).stem)), "offers": offers}


def answer(page: Mapping[str, Any], question: Message, send: Callable[[Message], None]) -> Message:
    """Train, or call a function of a page; return the answer as a message."""
    kind, _, name = question["call"].partition(" ")
    arguments = unpack(question["arguments"])
    try:
        if kind == "lemma":
            value = page["LEMMAS"][name](*arguments.values())
        elif kind == "function":
            value = page["FUNCTIONS"][name](**arguments)
        elif "train" in page:
            value = page["train"](AdapterCall(name, **arguments), make_tell(send))
        else:
            raise NotImplementedError(kind)
        return {"value": None if kind == "training" else pack(value)}
    except NotImplementedError as fault:
        return {"not offered": str(fault)}
    except (Exception, SystemExit) as fault:
        return {"fault": print_text(f"{type(fault).__name__}: {fault}", 300)}


def make_tell(send: Callable[[Message], None]) -> Callable[..., None]:
    """Make the `tell` function of a page, which sends a record."""

    def tell(
        stage: str, round: int | None = None, tree: int | None = None, output: int | None = None, **arrays: Any
    ) -> None:
        place = {"round": round, "tree": tree, "output": output}
        at = {name: int(number) for name, number in place.items() if number is not None}
        send({"stage": stage, "at": at, "fields": {name: pack_array(values) for name, values in arrays.items()}})

    return tell

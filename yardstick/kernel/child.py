"""A library of the splitter's functions, judged in its own process, so that a crash or a hang ends only that process.

The process sends these messages:

    {"begin": "refrank_histogram in the case 'one row'"}    what happens next
    {"verdict": {...}}                                      a function is done (`yardstick/kernel/report.py`)
    {"refused": "libport.so is not ..."}                    the library does not load
    {"end": true}                                           all is done
"""

import os
import warnings
from collections.abc import Collection, Iterator
from dataclasses import asdict
from functools import partial
from typing import Any

from refrank.checks import print_text
from refrank.datasets.foreign_file import check_file
from refrank.trees.foreign.splitter import load_splitter
from yardstick.kernel.cases import list_cases
from yardstick.kernel.verdict import Verdict, judge
from yardstick.processes import Channel, Worker


def judge_library(path: str, functions: Collection[str], time_limit: float) -> Iterator[dict[str, Any]]:
    """Judge these functions of a library in its own process; yield a verdict for each.

    Parameters
    ----------
    path : str
        The library.
    functions : collection of str
        Names of functions, without the prefix.
    time_limit : float
        Seconds that a case may take.

    Yields
    ------
    dict
        The verdict on a function, as an object of JSON.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not such a library; or if it crashes, ends the process or does not return: the function and case are
        named.
    """
    check_file(path, "shared library")
    name, step = print_text(os.path.basename(path), 60), "loading it"
    # on its own: the library that REFRANK_SPLITTER names may be this one
    with Worker(judge_here, path, *functions, name=name, environment={"REFRANK_SPLITTER": ""}) as worker:
        while True:
            try:
                message = worker.receive(time_limit)
            except (ChildProcessError, TimeoutError) as fault:
                raise ValueError(f"{name}: {step} {fault}") from None
            if "refused" in message:
                raise ValueError(message["refused"])
            if "end" in message:
                return
            step = message.get("begin", step)
            if "verdict" in message:
                yield message["verdict"]


def judge_here(channel: Channel, path: str, *functions: str) -> None:
    """Judge these functions in this process."""
    warnings.simplefilter("ignore")
    channel.send({"begin": "loading it"})
    try:
        library = load_splitter(path)
        if not library.offered:
            raise ValueError(f"{library.name} offers no function of refrank/kernel/refrank_splitter.h but its version")
    except (ValueError, OSError) as fault:
        channel.send({"refused": str(fault)})
        return
    for function, cases in list_cases(functions).items():
        verdict = Verdict(function, len(cases), offered=False)
        if function in library.offered:
            verdict = judge(library, function, cases, partial(send_step, channel, function))
        channel.send({"verdict": asdict(verdict)})
    channel.send({"end": True})


def send_step(channel: Channel, function: str, case: str) -> None:
    """Send the name of the case that begins."""
    channel.send({"begin": f"refrank_{function} in the case '{case}'"})

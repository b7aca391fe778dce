"""A library of the splitter's functions, judged in its own process, so that a crash or a hang ends only that process.

The process says with which function and case it begins, and finally sends the verdicts, or a refusal.
"""

import os
import warnings
from collections.abc import Collection

from refrank.checks import print_text
from refrank.datasets.foreign_file import check_file
from refrank.trees.foreign.splitter import load_splitter
from yardstick.kernel.cases import list_cases
from yardstick.kernel.verdict import Verdict, judge
from yardstick.processes import Channel, Message, Worker


def judge_library(path: str, functions: Collection[str], time_limit: float) -> list[Verdict]:
    """Judge these functions of a library in its own process, some seconds per case; return a verdict on each.

    An OSError says that the file cannot be read, a ValueError that it is not such a library; or that it crashes, ends
    the process or does not return, in which function and case.
    """
    check_file(path, "shared library")
    name, message = print_text(os.path.basename(path), 60), Message(begin="loading it")
    # on its own: the library that REFRANK_SPLITTER names may be this one
    with Worker(judge_here, path, *functions, name=name, environment={"REFRANK_SPLITTER": ""}) as worker:
        while "begin" in message:
            try:
                message = worker.receive(time_limit)
            except (ChildProcessError, TimeoutError) as fault:
                raise ValueError(f"{name}: {message['begin']} {fault}") from None
    if "refused" in message:
        raise ValueError(message["refused"])
    verdicts: list[Verdict] = message["verdicts"]
    return verdicts


def judge_here(channel: Channel, path: str, *functions: str) -> None:
    """Judge these functions in this process."""
    warnings.simplefilter("ignore")
    try:
        library = load_splitter(path)
        if not library.offered:
            raise ValueError(f"{library.name} offers no function of refrank/kernel/refrank_splitter.h but its version")
    except (ValueError, OSError) as fault:
        channel.send({"refused": str(fault)})
        return
    asked = list_cases(functions).items()
    channel.send({"verdicts": [judge(library, *each, lambda step: channel.send({"begin": step})) for each in asked]})

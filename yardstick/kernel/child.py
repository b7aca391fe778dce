"""A process of its own for a library, so that a crash or a hang ends that process alone.

It writes one JSON object per line to what was its standard output; what the library prints goes to standard error.

    {"begin": ["histogram", "one row"]}     a case is about to run; ["", ""]: the library is being loaded
    {"verdict": {...}}                      a function is done (`yardstick/kernel/document.py`)
    {"refused": "libport.so is not ..."}    the library does not load
    {"end": true}                           all is done
"""

import json
import os
import subprocess
import sys
from collections.abc import Collection, Iterator
from contextlib import suppress
from queue import Empty
from typing import Any

from refrank.checks import print_text
from refrank.trees.foreign.splitter import load_splitter
from yardstick.kernel.cases import list_cases
from yardstick.kernel.document import Document, as_document
from yardstick.kernel.verdict import judge
from yardstick.processes import find_end, make_environment, read_lines, run_apart

START = "import sys; from yardstick.kernel.child import run; run(sys.argv[1], sys.argv[2:])"


def judge_library(path: str, functions: Collection[str], time_limit: float) -> Iterator[Document]:
    """Judge these functions of a library in a process of its own; yield a verdict for each.

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
        The verdict on a function, as JSON has it.

    Raises
    ------
    OSError
        If the file cannot be read.
    ValueError
        If it is not such a library; or if it crashes, ends the process or does not return: the function and case are
        named.
    """
    with open(path, "rb"):
        pass
    name, at = print_text(os.path.basename(path), 60), ["", ""]
    environment = {key: value for key, value in make_environment().items() if key != "REFRANK_SPLITTER"}
    command = [sys.executable, "-P", "-W", "ignore", "-c", START, path, *functions]
    with run_apart(command, env=environment, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE) as child:
        assert child.stdout is not None
        lines = read_lines(child.stdout)
        while True:
            try:
                said = read_line(lines.get(timeout=time_limit), name)
            except Empty:
                raise ValueError(f"{name}: {describe(at)} did not return within {time_limit:g} seconds") from None
            if said is None:
                raise ValueError(f"{name}: {describe(at)} ended the process ({find_end(child)})")
            if "refused" in said:
                raise ValueError(said["refused"])
            if "end" in said:
                return
            at = said.get("begin", at)
            if "verdict" in said:
                yield said["verdict"]


def read_line(line: bytes, name: str) -> dict[str, Any] | None:
    """Read an object; None at the end of the lines."""
    if not line:
        return None
    with suppress(ValueError):
        said = json.loads(line)
        if isinstance(said, dict):
            return said
    raise ValueError(f"{name} wrote to a file that it did not open: {print_text(line.decode('utf-8', 'replace'), 80)}")


def describe(at: list[str]) -> str:
    """Name what was running."""
    function, case = at
    return f"refrank_{function} in the case '{case}'" if function else "loading it"


def run(path: str, functions: Collection[str]) -> None:
    """Judge these functions in this process, and write the lines."""
    stream = os.fdopen(os.dup(1), "w", encoding="utf-8")
    os.dup2(2, 1)

    def say(**said: Any) -> None:
        stream.write(json.dumps(said) + "\n")
        stream.flush()

    say(begin=["", ""])
    try:
        library = load_splitter(path)
        if not library.offered:
            raise ValueError(f"{library.name} offers no function of refrank/kernel/refrank_splitter.h but its version")
    except (ValueError, OSError) as fault:
        say(refused=str(fault))
        return
    for function, cases in list_cases(functions).items():
        if function in library.offered:
            verdict = judge(library, function, cases, lambda case: say(begin=[case.function, case.name]))
            say(verdict=as_document(verdict))
        else:
            say(verdict={"function": function, "offered": False, "cases": len(cases)})
    say(end=True)

"""Calling the functions of a page of Python in a process of its own: a crash or a hang is an error of the call.

The process (function_child.py) is started by the first call, and again by the first one after its end. It ends with the
`Calls` that started it.
"""

import builtins
import json
import subprocess
import sys
import weakref
from collections.abc import Callable, Iterable, Mapping
from contextlib import ExitStack, suppress
from functools import partial
from queue import Empty, Queue
from typing import Any

from refrank.strict_json import parse_json
from yardstick.processes import find_end, make_environment, read_lines, run_apart
from yardstick.scorecard import function_child
from yardstick.scorecard.messages import pack, unpack

SECONDS = 60.0  # that a call may take


class Calls:
    """The functions of a page.

    Parameters
    ----------
    source : str
        The file.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.running = ExitStack()
        self.child: subprocess.Popen[bytes] | None = None
        self.lines: Queue[bytes] = Queue()
        self.given_up: dict[tuple[str, str], str] = {}  # functions that did not return, which are not asked again
        weakref.finalize(self, self.running.close)

    def offer(self, table: str, names: Iterable[str]) -> Mapping[str, Callable[..., Any]]:
        """Return functions that call those of a table of the page, by their names."""
        return {name: partial(self.call, table, name) for name in names}

    def call(self, table: str, name: str, *arguments: Any, **named: Any) -> Any:
        """Call a function.

        Raises
        ------
        ChildProcessError
            If the process ends.
        TimeoutError
            If the function does not return in time.
        Exception
            Of the kind that the function raises.
        """
        if (table, name) in self.given_up:
            raise TimeoutError(self.given_up[table, name])
        question = {"table": table, "name": name, "arguments": pack(arguments), "named": pack(named)}
        child = self.child or self.start()
        assert child.stdin is not None
        with suppress(BrokenPipeError):  # how it has ended is told below
            child.stdin.write(json.dumps(question).encode() + b"\n")
            child.stdin.flush()
        try:
            said = parse_json(self.hear(child), f"an answer of {self.source}")
        except TimeoutError as fault:
            self.given_up[table, name] = str(fault)
            raise
        if "fault" not in said:
            return unpack(said["value"])
        raise make_fault(*said["fault"])

    def start(self) -> subprocess.Popen[bytes]:
        """Start the process."""
        command = [sys.executable, "-P", "-m", function_child.__name__, self.source]
        child = self.running.enter_context(
            run_apart(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=make_environment())
        )
        assert child.stdout is not None
        self.child, self.lines = child, read_lines(child.stdout)
        return child

    def hear(self, child: subprocess.Popen[bytes]) -> bytes:
        """Return the answer to a call; where none comes, end the process, and say why."""
        try:
            line = self.lines.get(timeout=SECONDS)
        except Empty:
            self.end()
            raise TimeoutError(f"it did not return within {SECONDS:g} s") from None
        if line.endswith(b"\n"):
            return line
        ended = find_end(child)
        self.end()
        raise ChildProcessError(f"it ended the process ({ended})")

    def end(self) -> None:
        """End the process."""
        self.running.pop_all().close()
        self.child = None


def make_fault(kind: str, told: str) -> Exception:
    """Make an error of a kind; one that Python itself does not know, or not with a text alone, is named in the text.

    >>> make_fault("ZeroDivisionError", "division by zero"), make_fault("Rude", "no")
    (ZeroDivisionError('division by zero'), RuntimeError('Rude: no'))
    """
    known: Any = getattr(builtins, kind, None)
    if isinstance(known, type) and issubclass(known, Exception):
        with suppress(TypeError):
            return known(told)
    return RuntimeError(f"{kind}: {told}")

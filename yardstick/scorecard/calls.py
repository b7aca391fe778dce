"""Call the functions of a page of Python in their own process: a crash or a hang becomes an error of the call.

The first call starts the process (`answer_calls` in page.py); the first call after its end starts it again. It ends
with the `Calls` that started it.
"""

import builtins
from collections.abc import Callable, Iterable, Mapping
from contextlib import suppress
from functools import partial
from typing import Any

from yardstick.processes import Worker
from yardstick.scorecard.messages import pack, unpack
from yardstick.scorecard.page import answer_calls

SECONDS = 60.0  # time limit of a call


class Calls:
    """The functions of a page.

    Parameters
    ----------
    source : str
        The file.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.worker: Worker | None = None
        self.given_up: dict[tuple[str, str], str] = {}  # functions that did not return, which are not called again

    def offer(self, table: str, names: Iterable[str]) -> Mapping[str, Callable[..., Any]]:
        """Return functions, by name, that call those of a table of the page."""
        return {name: partial(self.call, table, name) for name in names}

    def call(self, table: str, name: str, *arguments: Any, **named: Any) -> Any:
        """Call a function.

        Raises
        ------
        ChildProcessError
            If the process ends.
        TimeoutError
            If the function does not return in time.
        ValueError
            If the process sends something else than an answer.
        Exception
            Of the kind that the function raises.
        """
        if (table, name) in self.given_up:
            raise TimeoutError(self.given_up[table, name])
        question = {"table": table, "name": name, "arguments": pack(arguments), "named": pack(named)}
        if self.worker is None:
            self.worker = Worker(answer_calls, self.source, name=self.source)
        self.worker.send(question)
        try:
            answer = self.worker.receive(SECONDS)
            fault = answer.get("fault", ["", ""])
            is_fault = isinstance(fault, list) and [*map(type, fault)] == [str, str]
            if answer.keys() not in ({"value"}, {"fault"}) or not is_fault:
                raise ValueError(f"{self.source} sent a message other than an answer")
            value = unpack(answer.get("value"))
        except (ChildProcessError, TimeoutError, ValueError) as end:
            self.worker.close()  # what comes next may answer this call
            self.worker = None
            if isinstance(end, ValueError):
                raise
            if isinstance(end, TimeoutError):
                self.given_up[table, name] = f"it {end}"
            raise type(end)(f"it {end}") from None
        if "fault" not in answer:
            return value
        raise make_fault(*fault)


def make_fault(kind: str, text: str) -> Exception:
    """Make an error of a kind; if no built-in error of this name takes a single text, put the name into the text.

    >>> make_fault("ZeroDivisionError", "division by zero"), make_fault("Rude", "no")
    (ZeroDivisionError('division by zero'), RuntimeError('Rude: no'))
    """
    builtin: Any = getattr(builtins, kind, None)
    if isinstance(builtin, type) and issubclass(builtin, Exception):
        with suppress(TypeError):
            return builtin(text)
    return RuntimeError(f"{kind}: {text}")

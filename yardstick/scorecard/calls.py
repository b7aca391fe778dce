"""Ask a port, a page of Python or a program, in its own process: a crash or a hang becomes an error of the question.

The process starts when it is first asked, and again after its end; it ends with the `Calls` that started it.
"""

import os
import shlex
import shutil
import time
from collections.abc import Callable, Mapping
from typing import Any

from refrank.checks import print_text
from yardstick.processes import Message, Worker, run_program
from yardstick.scorecard.messages import pack
from yardstick.scorecard.page import serve_page

SECONDS, LONG = 60.0, 600.0  # time limits: of a call; of a training, and of a start
LONGEST = 300  # characters of what a port says
ANSWERS = {"value"}, {"fault"}, {"not offered"}


class Calls:
    """A port, a file of Python or a command, that answers questions (docs/port/another_language.md)."""

    def __init__(self, source: str) -> None:
        self.source = source
        self.worker: Worker | None = None
        self.given_up: dict[str, str] = {}  # those that did not return, which are not asked again

    def start(self) -> Message:
        """Start the process; return the message by which it says what it offers."""
        self.worker = start_worker(self.source)
        return self.worker.receive(LONG)

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
            while "stage" in (answer := self.worker.receive(seconds, began)) and keep is not None:
                keep(answer)
            if answer.keys() not in ANSWERS:
                raise ValueError(f"{self.source} sent a message other than an answer")
        except (ChildProcessError, TimeoutError, ValueError) as fault:
            if self.worker is not None:  # what it sends next may answer this question
                self.worker.close()
            self.worker = None
            if isinstance(fault, ValueError):
                raise
            if isinstance(fault, TimeoutError):
                self.given_up[call] = f"it {fault}"
            raise type(fault)(f"it {fault}") from None
        [(kind, content)] = answer.items()
        if kind == "value":
            return content
        text = print_text(str(content), LONGEST)
        raise NotImplementedError(text) if kind == "not offered" else make_fault(text)


def start_worker(source: str) -> Worker:
    """Start the process of a port; a FileNotFoundError says that the file or the program does not exist."""
    if source.endswith(".py") and os.path.exists(source):
        return Worker(serve_page, source, name=source)
    words = shlex.split(source)
    if not words or shutil.which(words[0]) is None:
        kind = "file" if source.endswith(".py") and len(words) == 1 else "program"
        raise FileNotFoundError(f"{source}: there must be a {kind} of this name")
    return Worker(run_program, os.environ.get("PYTHONPATH", ""), *words, name=source)


def make_fault(text: str) -> Exception:
    """Make an error of the kind that comes before the colon.

    >>> make_fault("ZeroDivisionError: division by zero")
    ZeroDivisionError('division by zero')
    """
    kind, colon, words = text.partition(": ")
    fault: Exception = type(kind if colon else "Fault", (Exception,), {})(words if colon else text)
    return fault

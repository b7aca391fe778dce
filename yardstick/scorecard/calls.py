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
    """A port that answers questions (docs/port/another_language.md).

    Parameters
    ----------
    source : str
        A file of Python, or a command.
    """

    def __init__(self, source: str) -> None:
        self.source = source
        self.worker: Worker | None = None
        self.given_up: dict[str, str] = {}  # those that did not return, which are not asked again

    def start(self) -> Message:
        """Start the process; return the message by which it says what it offers."""
        function, words = choose_start(self.source)
        self.worker = Worker(function, *words, name=self.source)
        return self.worker.receive(LONG)

    def end(self) -> None:
        """End the process."""
        if self.worker is not None:
            self.worker.close()
        self.worker = None

    def ask(self, call: str, arguments: Mapping[str, Any], keep: Callable[[Message], None] | None = None) -> Any:
        """Ask a question.

        Parameters
        ----------
        call : str
            Kind and name: "function ndcg", "lemma dcg" (a function of the lemmas) or "training ls".
        arguments : mapping of str
        keep : function, optional
            Of a training: takes each record, and may raise a ValueError.

        Returns
        -------
        object
            The answer in JSON.

        Raises
        ------
        NotImplementedError
            If the port does not offer it for these arguments.
        ChildProcessError
            If the process ends.
        TimeoutError
            If there is no answer in time.
        ValueError
            If the process sends something else than an answer.
        Exception
            Of the kind that the port names.
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
            self.end()  # what comes next may answer this question
            if isinstance(fault, ValueError):
                raise
            if isinstance(fault, TimeoutError):
                self.given_up[call] = f"it {fault}"
            raise type(fault)(f"it {fault}") from None
        [(kind, content)] = answer.items()
        if kind != "value":
            text = print_text(str(content), LONGEST)
            raise NotImplementedError(text) if kind == "not offered" else make_fault(text)
        return content


def choose_start(source: str) -> tuple[Callable[..., None], list[str]]:
    """Return the function that starts a port in its process, and its arguments.

    Raises
    ------
    FileNotFoundError
        If the file or the program does not exist.
    """
    if source.endswith(".py") and (os.path.exists(source) or len(shlex.split(source)) == 1):
        if not os.path.exists(source):
            raise FileNotFoundError(f"{source}: there must be a file of this name")
        return serve_page, [source]
    words = shlex.split(source)
    if not words or shutil.which(words[0]) is None:
        raise FileNotFoundError(f"{source}: there must be a program of this name")
    return run_program, [os.environ.get("PYTHONPATH", ""), *words]


def make_fault(text: str) -> Exception:
    """Make an error of the kind that comes before the colon.

    >>> make_fault("ZeroDivisionError: division by zero")
    ZeroDivisionError('division by zero')
    """
    kind, colon, words = text.partition(": ")
    fault: Exception = type(kind if colon else "Fault", (Exception,), {})(words if colon else text)
    return fault

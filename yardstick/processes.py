"""Run foreign programs, each in its own process: a crash, an endless loop or a flood ends only that process.

A `Worker` runs a function of the yardstick that calls foreign code. Each side sends messages, JSON objects:

    with Worker(answer, "page.py") as worker:            def answer(channel, page):
        worker.send({"name": "ndcg"})                        for message in channel:
        worker.receive(seconds=60)                               channel.send({"value": 0.5})

`Worker(run_program, "", "node", "port.js")` runs another program in the place of Python, which reads and writes them. A
message is data: reading it executes nothing. What the foreign code prints goes to stderr. After an end, the next
request for a message raises an error that names the end:

    ended the process (SIGSEGV)           ChildProcessError; also (exit code 3), (its stream is closed)
    did not return within 60 seconds      TimeoutError

A message has at most 2^24 bytes, all that answer one have 2^28, and few wait to be received: a flood fills no memory.
"""

import json
import os
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from importlib import import_module
from queue import Empty, Full, Queue
from threading import Event, Thread
from typing import IO, Any, Self

from refrank.checks import print_text
from refrank.strict_json import parse_json
from yardstick.programs import describe_end, end, find_memory, limit, list_search_path, start, take_orphans

ENDING = 5.0  # seconds
LONGEST, MOST_BYTES = 2**24, 2**28  # of a message, and of all messages that answer one
WAITING = 8  # messages that are read before they are asked for
START = "from yardstick.processes import serve; serve()"

Message = dict[str, Any]


class Worker:
    """A function in its own process, which ends with the worker.

    Parameters
    ----------
    function : function
        Called there with a `Channel` and the arguments; it is defined at the top level of a module.
    *arguments : str
    name : str, default "the port"
        Name of the foreign code in errors.
    memory : int, optional
        Bytes that the process may use, if the system can limit them; the machine's memory by default.
    file_size : int, optional
        Bytes of each file that the process may write, if the system can limit them; no limit by default.
    quiet : bool, default False
        Whether to drop printed output.
    environment : mapping of str, optional
        Variables to set.
    """

    def __init__(
        self,
        function: Callable[..., None],
        *arguments: str,
        name: str = "the port",
        memory: int | None = None,
        file_size: int = 0,
        quiet: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        words = [function.__module__, function.__name__, str(memory or find_memory()), str(file_size), *arguments]
        self.name = name
        self.child = start(
            [sys.executable, "-P", "-c", START, *words],  # no fork: it lacks the threads of OpenMP, and would hang
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(list_search_path()), **(environment or {})},
        )
        self.lines, self.n_bytes, closed = Queue[bytes](WAITING), 0, Event()
        self.close = weakref.finalize(self, end_worker, self.child, closed)
        Thread(target=read_lines, args=(self.child.stdout, self.lines, closed), daemon=True).start()

    def __enter__(self) -> Self:
        """Return the worker."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.close()

    def send(self, message: Message) -> None:
        """Send a message; the answer shows whether it arrived. A process that does not read holds nobody up."""
        self.n_bytes, line = 0, json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        Thread(target=write_line, args=(self.child.stdin, line), daemon=True).start()

    def receive(self, seconds: float, since: float | None = None) -> Message:
        """Wait for the next message.

        Parameters
        ----------
        seconds : float
            How long to wait.
        since : float, optional
            Start of the time, by `time.monotonic`; now by default.

        Raises
        ------
        TimeoutError
            If none comes in time.
        ChildProcessError
            If the process ends, or closes its stream.
        ValueError
            If the input is not a message, or is too long.
        """
        try:
            line = self.lines.get(timeout=seconds if since is None else max(0.0, since + seconds - time.monotonic()))
        except Empty:
            raise TimeoutError(f"did not return within {seconds:g} seconds") from None
        self.n_bytes += len(line)
        for n_bytes, most, what in ((len(line), LONGEST, "a message"), (self.n_bytes, MOST_BYTES, "messages")):
            if n_bytes > most:
                raise ValueError(f"{self.name} sent {what} of more than {most} bytes")
        if not line.endswith(b"\n"):  # empty, or broken off
            raise ChildProcessError(f"ended the process ({self.find_end()})")
        with suppress(ValueError):
            message = parse_json(line, "a message")
            if isinstance(message, dict):
                return message
        said = print_text(line.decode("utf-8", "replace"), 80)
        raise ValueError(f"{self.name} wrote to a file that it did not open: {said}")

    def find_end(self) -> str:
        """Wait for the end of the process, and name it; a process may also live on with its stream closed."""
        try:
            return describe_end(self.child.wait(ENDING))
        except subprocess.TimeoutExpired:
            return "its stream is closed"


def end_worker(child: subprocess.Popen[bytes], closed: Event) -> None:
    """End the process of a worker, and the thread that reads its lines."""
    closed.set()
    end(child)


def write_line(stream: IO[bytes], line: bytes) -> None:
    """Write a line, unless the process ends."""
    with suppress(BrokenPipeError, ValueError):
        stream.write(line)
        stream.flush()


def read_lines(stream: IO[bytes], lines: Queue[bytes], closed: Event) -> None:
    """Read the lines of a stream as they are taken, and an empty one at its end, until the worker is closed."""
    with stream:
        line = b"\n"
        while line and not closed.is_set():
            line = stream.readline(LONGEST + 1)
            while not closed.is_set():
                with suppress(Full):
                    lines.put(line, timeout=ENDING / 10)
                    break


class Channel:
    """Worker's side of the stream: it takes over stdin and stdout; foreign code reads nothing and prints to stderr."""

    def __init__(self) -> None:
        self.calls, self.answers = open(os.dup(0), "rb"), open(os.dup(1), "w", encoding="ascii")  # noqa: SIM115
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        print(json.dumps(message), file=self.answers, flush=True)

    def __iter__(self) -> Iterator[Message]:
        """Yield the incoming messages until the stream ends."""
        return map(json.loads, self.calls)


def run_program(channel: Channel, path: str, *words: str) -> None:
    """Run a command in the place of this process, with the limits that are set and with `path` as PYTHONPATH."""
    os.dup2(channel.calls.fileno(), 0)
    os.dup2(channel.answers.fileno(), 1)
    os.execvpe(words[0], words, {**os.environ, "PYTHONPATH": path})


def serve() -> None:
    """Run the function of a `Worker` in its process."""
    _, module, function, memory, file_size, *arguments = sys.argv
    channel = Channel()
    take_orphans()
    limit(int(memory), int(file_size))
    getattr(import_module(module), function)(channel, *arguments)

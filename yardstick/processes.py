"""Run foreign programs, each in a process of its own: a crash, an endless loop or a flood ends that process alone.

A `Worker` runs a function of the yardstick that calls foreign code. Each side sends messages, JSON objects:

    with Worker(answer, "page.py") as worker:            def answer(channel, page):
        worker.send({"name": "ndcg"})                        for message in channel:
        worker.receive(seconds=60)                               channel.send({"value": 0.5})

A message is data: reading it executes nothing. What the foreign code prints goes to stderr. An end has one of these
names, and the next one asked for a message says why there is none:

    ended the process (SIGSEGV)           ChildProcessError; also (exit code 3), (its stream is closed)
    did not return within 60 seconds      TimeoutError
"""

import json
import os
import signal
import subprocess
import sys
import time
import weakref
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import suppress
from importlib import import_module
from queue import Empty, Queue
from threading import Thread
from typing import IO, Any, Self

from refrank.checks import print_text
from refrank.strict_json import parse_json

ENDING = 5.0  # seconds
LONGEST = 2**31  # bytes of a message
START = "from yardstick.processes import serve; serve()"

Message = dict[str, Any]


class Worker:
    """A function in a process of its own, which ends with the worker.

    Parameters
    ----------
    function : function
        Called there with a `Channel` and the arguments; it stands at the top of a module.
    *arguments : str
    name : str, default "the port"
        The foreign code, in errors.
    memory : int, optional
        Bytes that the process may fill, where the system can limit them; those of the machine by default.
    quiet : bool, default False
        Whether what is printed is dropped.
    environment : mapping of str, optional
        Variables to set.
    """

    def __init__(
        self,
        function: Callable[..., None],
        *arguments: str,
        name: str = "the port",
        memory: int | None = None,
        quiet: bool = False,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        words = [function.__module__, function.__name__, str(memory or find_memory()), *arguments]
        self.name = name
        self.child = start(
            [sys.executable, "-P", "-c", START, *words],  # anew: a fork lacks the threads of OpenMP, and would hang
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL if quiet else None,
            # the paths by which modules are found here
            env={**os.environ, "PYTHONPATH": os.pathsep.join(map(os.path.abspath, sys.path)), **(environment or {})},
        )
        self.close = weakref.finalize(self, end, self.child)
        self.lines = read_lines(self.child.stdout)

    def __enter__(self) -> Self:
        """Return the worker."""
        return self

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.close()

    def send(self, message: Message) -> None:
        """Send a message; whether it arrives is seen from the answer."""
        assert self.child.stdin is not None
        with suppress(BrokenPipeError):
            self.child.stdin.write(json.dumps(message).encode() + b"\n")
            self.child.stdin.flush()

    def receive(self, seconds: float, since: float | None = None) -> Message:
        """Wait for the next message.

        Parameters
        ----------
        seconds : float
            How long to wait.
        since : float, optional
            When the time begins, by `time.monotonic`; now by default.

        Raises
        ------
        TimeoutError
            If none comes in time.
        ChildProcessError
            If the process ends, or closes its stream.
        ValueError
            If what comes is not a message.
        """
        try:
            line = self.lines.get(timeout=seconds if since is None else max(0.0, since + seconds - time.monotonic()))
        except Empty:
            raise TimeoutError(f"did not return within {seconds:g} seconds") from None
        if not line.endswith(b"\n"):  # empty, or broken off
            raise ChildProcessError(f"ended the process ({self.find_end()})")
        with suppress(ValueError):
            message = parse_json(line, "a message")
            if isinstance(message, dict):
                return message
        said = print_text(line.decode("utf-8", "replace"), 80)
        raise ValueError(f"{self.name} wrote to a file that it did not open: {said}")

    def find_end(self) -> str:
        """Wait for the end of the process, and name it; it may live on with its stream closed."""
        try:
            return describe_end(self.child.wait(ENDING))
        except subprocess.TimeoutExpired:
            return "its stream is closed"


def start(command: Sequence[str], **streams: Any) -> subprocess.Popen[bytes]:
    """Start a program, which may start others; take the streams as `subprocess.Popen` does."""
    return subprocess.Popen(command, start_new_session=True, **streams)


def end(child: subprocess.Popen[bytes]) -> None:
    """End a program and what it has started, which may outlive it and hold its streams open."""
    if os.name == "posix":
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)
    child.kill()
    child.wait()
    for stream in (child.stdin, child.stderr):  # `read_lines` closes what it reads
        if stream is not None:
            with suppress(BrokenPipeError):
                stream.close()


def find_memory() -> int:
    """Return the memory of the machine in bytes; 0 where the system does not tell."""
    try:
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    except (AttributeError, ValueError, OSError):
        return 0


def read_lines(stream: IO[bytes] | None) -> "Queue[bytes]":
    """Read the lines of a stream as they come, and an empty one at its end."""
    assert stream is not None
    lines: Queue[bytes] = Queue()

    def read() -> None:
        with stream:
            while line := stream.readline(LONGEST):
                lines.put(line)
        lines.put(b"")

    Thread(target=read, daemon=True).start()
    return lines


def describe_end(code: int) -> str:
    """Name how a process ended.

    >>> describe_end(-11), describe_end(3)
    ('SIGSEGV', 'exit code 3')
    """
    if code < 0:
        with suppress(ValueError):
            return signal.Signals(-code).name
        return f"signal {-code}"
    return f"exit code {code}"


class Channel:
    """The end of a worker's process: it takes stdin and stdout from the foreign code, which gets nothing and stderr."""

    def __init__(self) -> None:
        self.calls, self.answers = open(os.dup(0), "rb"), open(os.dup(1), "w", encoding="ascii")  # noqa: SIM115
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        os.dup2(2, 1)

    def send(self, message: Mapping[str, Any]) -> None:
        """Send a message."""
        print(json.dumps(message), file=self.answers, flush=True)

    def __iter__(self) -> Iterator[Message]:
        """Yield the messages that come, until there are no more."""
        return map(json.loads, self.calls)


def serve() -> None:
    """Run the function of a `Worker`, in its process."""
    _, module, function, memory, *arguments = sys.argv
    channel = Channel()
    limit_memory(int(memory))
    getattr(import_module(module), function)(channel, *arguments)


def limit_memory(n_bytes: int) -> None:
    """Limit what the process may fill, so that a function that fills it fails by itself."""
    with suppress(ImportError, ValueError, OSError):
        resource: Any = import_module("resource")
        # not RLIMIT_AS: devices and garbage collectors reserve addresses that nothing ever fills
        resource.setrlimit(resource.RLIMIT_DATA, (n_bytes or resource.RLIM_INFINITY,) * 2)

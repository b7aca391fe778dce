"""Run foreign programs, each in its own process: a crash, an endless loop or a flood ends only that process.

A `Worker` runs a function of the yardstick that calls foreign code. Each side sends messages, JSON objects:

    with Worker(answer, "page.py") as worker:            def answer(channel, page):
        worker.send({"name": "ndcg"})                        for message in channel:
        worker.receive(seconds=60)                               channel.send({"value": 0.5})

`Worker(run_program, "", "node", "port.js")` runs another program in the place of Python, which reads and writes them. A
message is data: reading it executes nothing. What the foreign code prints goes to stderr. A message has at most 2^24
bytes, all that answer one have 2^28, and each is read when it is asked for: a flood fills no memory.
"""

import ctypes
import json
import os
import signal
import subprocess
import sys
import sysconfig
import time
import weakref
from collections.abc import Callable, Iterator, Mapping
from contextlib import AbstractContextManager, suppress
from importlib import import_module
from pathlib import Path
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from refrank.checks import print_text
from refrank.datasets.strict_json import parse_json

ENDING = 5.0  # seconds
LONGEST, MOST_BYTES = 2**24, 2**28  # of a message, and of all messages that answer one
SEARCHES = 100  # for descendants; each ends what it finds
SET_CHILD_SUBREAPER = 36  # PR_SET_CHILD_SUBREAPER, of <sys/prctl.h>
START = "from yardstick.processes import serve; serve()"

Message = dict[str, Any]


class Worker(AbstractContextManager["Worker"]):
    """A function in its own process, which ends with the worker; it is called with a `Channel` and the arguments.

    The function is defined at the top level of a module, and `name` is that of the foreign code in errors. The process
    may use so many bytes of memory, by default the machine's, and of each file that it writes, 0 for no limit, if the
    system can limit them. `environment` are variables to set.
    """

    def __init__(
        self,
        function: Callable[..., None],
        *arguments: str,
        name: str = "the port",
        memory: int | None = None,
        file_size: int = 0,
        environment: Mapping[str, str] | None = None,
    ) -> None:
        words = [function.__module__, function.__name__, str(memory or find_memory()), str(file_size), *arguments]
        self.name, self.n_bytes = name, 0
        self.child = subprocess.Popen(
            [sys.executable, "-P", "-c", START, *words],  # no fork: it lacks the threads of OpenMP, and would hang
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env={**os.environ, "PYTHONPATH": os.pathsep.join(list_search_path()), **(environment or {})},
            start_new_session=True,
        )
        self.wanted, self.lines = SimpleQueue[bool](), SimpleQueue[bytes]()
        self.close = weakref.finalize(self, end_worker, self.child, self.wanted)
        Thread(target=read_lines, args=(self.child.stdout, self.wanted, self.lines), daemon=True).start()

    def __exit__(self, *_: object) -> None:
        """End the process."""
        self.close()

    def send(self, message: Message) -> None:
        """Send a message; the answer shows whether it arrived. A process that does not read holds nobody up."""
        self.n_bytes, line = 0, json.dumps(message, allow_nan=False, separators=(",", ":")).encode() + b"\n"
        Thread(target=write_line, args=(self.child.stdin, line), daemon=True).start()

    def receive(self, seconds: float, since: float | None = None) -> Message:
        """Wait for the next message for some seconds, which count from `since`, by `time.monotonic`, or from now.

        Raises a TimeoutError if none comes in time, a ChildProcessError if the process ends or closes its stream, and a
        ValueError if what comes is not a message, or too long: then the worker is of no more use.
        """
        self.wanted.put(True)
        try:
            line = self.lines.get(timeout=seconds if since is None else max(0.0, since + seconds - time.monotonic()))
        except Empty:
            raise TimeoutError(f"did not return within {seconds:g} seconds") from None
        self.n_bytes += len(line)
        for n_bytes, most, what in ((len(line), LONGEST, "a message"), (self.n_bytes, MOST_BYTES, "messages")):
            if n_bytes > most:
                raise ValueError(f"{self.name} sent {what} of more than {most} bytes")
        if not line.endswith(b"\n"):  # empty, or broken off
            raise ChildProcessError(f"ended the process ({self.describe_end()})")
        with suppress(ValueError):
            message = parse_json(line, "a message")
            if isinstance(message, dict):
                return message
        said = print_text(line.decode("utf-8", "replace"), 80)
        raise ValueError(f"{self.name} wrote to a file that it did not open: {said}")

    def describe_end(self) -> str:
        """Wait for the end of the process, and name it; a process may also live on with its stream closed."""
        try:
            code = self.child.wait(ENDING)
        except subprocess.TimeoutExpired:
            return "its stream is closed"
        with suppress(ValueError):
            return signal.Signals(-code).name
        return f"exit code {code}" if code >= 0 else f"signal {-code}"


def end_worker(child: subprocess.Popen[bytes], wanted: SimpleQueue[bool]) -> None:
    """End the process of a worker, and the thread that reads its lines."""
    wanted.put(False)
    end(child)
    if child.stdin is not None:
        with suppress(BrokenPipeError):
            child.stdin.close()


def write_line(stream: IO[bytes], line: bytes) -> None:
    """Write a line, unless the process ends."""
    with suppress(BrokenPipeError, ValueError):
        stream.write(line)
        stream.flush()


def read_lines(stream: IO[bytes], wanted: SimpleQueue[bool], lines: SimpleQueue[bytes]) -> None:
    """Read the lines of a stream, each when it is wanted, and empty ones after its end; close it at last."""
    with stream:
        while wanted.get():
            lines.put(stream.readline(LONGEST + 1))


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
    limit(int(memory), int(file_size))
    getattr(import_module(module), function)(channel, *arguments)


def end(program: subprocess.Popen[bytes]) -> None:
    """End a program, its process group and its descendants, which may outlive it and hold its streams open."""
    if os.name == "posix":
        program.send_signal(signal.SIGSTOP)  # it starts nothing more
        ended: set[int] = set()
        for _ in range(SEARCHES):
            others = {*list_descendants(program.pid)} - ended
            if not others:
                break
            for other in others:
                with suppress(ProcessLookupError):
                    os.kill(other, signal.SIGKILL)
            ended |= others
        with suppress(ProcessLookupError):
            os.killpg(program.pid, signal.SIGKILL)
    program.kill()
    program.wait()


def list_descendants(process: int) -> Iterator[int]:
    """List the children of a process and their descendants; none where the system has no list of children."""
    for path in Path(f"/proc/{process}/task").glob("*/children"):
        with suppress(OSError):  # it has ended
            for child in map(int, path.read_text().split()):
                yield child
                yield from list_descendants(child)


def limit(memory: int, file_size: int) -> None:
    """Limit this process and what it starts: bytes of memory, and of each file that it writes; 0 sets no limit.

    What exceeds a limit fails by itself: by a MemoryError, or by an OSError. A system without limits sets none. Linux
    gives this process the orphans among its descendants, so they are found although the process between has ended.
    """
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).prctl(SET_CHILD_SUBREAPER, 1, 0, 0, 0)
    with suppress(ImportError, ValueError, OSError):
        resource: Any = import_module("resource")
        # not RLIMIT_AS: devices and garbage collectors reserve addresses that stay empty
        for kind, n_bytes in ((resource.RLIMIT_DATA, memory), (resource.RLIMIT_FSIZE, file_size)):
            resource.setrlimit(kind, (n_bytes or resource.RLIM_INFINITY,) * 2)


def find_memory() -> int:
    """Return the memory of the machine in bytes; 0 if the system does not report it."""
    with suppress(AttributeError, ValueError, OSError):
        return os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return 0


def list_search_path() -> list[str]:
    """List the folders of this process's modules, those of Python first: no other file stands for one of these."""
    library = {os.path.realpath(sysconfig.get_path(name)) for name in ("stdlib", "platstdlib")}
    library |= {os.path.join(folder, "lib-dynload") for folder in library}
    return sorted(map(os.path.abspath, sys.path), key=lambda folder: os.path.realpath(folder) not in library)

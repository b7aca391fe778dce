"""Programs that are not refrank's, each in a process of its own: a crash, an endless loop or a flood ends there."""

import os
import signal
import subprocess
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager, suppress
from queue import Queue
from threading import Thread
from typing import IO, Any

ENDING = 5.0  # seconds


@contextmanager
def run_apart(command: Sequence[str], **streams: Any) -> Iterator[subprocess.Popen[bytes]]:
    """Start a program; when the block is left, end it and what it has started.

    Parameters
    ----------
    command : sequence of str
        The program and its arguments.
    **streams
        As `subprocess.Popen` takes them.

    Yields
    ------
    subprocess.Popen
    """
    child = subprocess.Popen(command, start_new_session=True, **streams)
    try:
        yield child
    finally:
        if os.name == "posix":
            with suppress(ProcessLookupError):
                os.killpg(child.pid, signal.SIGKILL)  # what it has started may outlive it, and hold its streams open
        child.kill()
        child.wait()
        for stream in (child.stdin, child.stderr):  # `read_lines` closes what it reads
            if stream is not None:
                with suppress(BrokenPipeError):
                    stream.close()


def make_environment() -> dict[str, str]:
    """Make the environment in which another Python finds modules where this one finds them."""
    return {**os.environ, "PYTHONPATH": os.pathsep.join(os.path.abspath(place) for place in sys.path)}


def read_lines(stream: IO[bytes]) -> "Queue[bytes]":
    """Read the lines of a stream as they come, and an empty one at its end."""
    lines: Queue[bytes] = Queue()

    def read() -> None:
        with stream:
            for line in stream:
                lines.put(line)
        lines.put(b"")

    Thread(target=read, daemon=True).start()
    return lines


def find_end(child: subprocess.Popen[bytes]) -> str:
    """Wait for the end of a program that says nothing more, and name it; it may live on with its stream closed."""
    try:
        return describe_end(child.wait(ENDING))
    except subprocess.TimeoutExpired:
        return "its stream is closed"


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

"""Shards as processes of this machine: `local:4`. Each is a Python of its own, which sends messages through pipes.

A process ends when its pipe does, so none is left behind if the driver is killed.
"""

import os
import pickle
import signal
import struct
import subprocess
import sys
from collections.abc import Mapping
from contextlib import suppress
from queue import Empty, SimpleQueue
from threading import Thread
from typing import IO, Any

from refrank.cluster.driver import Lost
from refrank.cluster.joins import Message
from refrank.cluster.member import Program, run_member

START = "from refrank.cluster.local import serve; serve()"
SIZE = struct.Struct("<Q")  # bytes of the message that follows


class Process:
    """The line to a process."""

    def __init__(
        self, place: int, n_shards: int, program: Program, source: Any, state: Any, environment: Mapping[str, str]
    ) -> None:
        self.name = f"shard {place} ({source})"
        words, pipe = [sys.executable, "-W", "ignore", "-c", START], subprocess.PIPE  # shard 0 keeps warnings
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, env={**os.environ, **environment})
        self.messages: SimpleQueue[Message | None] = SimpleQueue()
        Thread(target=self.read, daemon=True).start()
        self.send((program, place, n_shards, source, state))

    def read(self) -> None:
        """Read messages until the process ends."""
        with suppress(EOFError, OSError, ValueError):
            while True:
                self.messages.put(read_message(self.process.stdout))
        self.messages.put(None)

    def send(self, answer: Any) -> None:
        """Answer the message received last."""
        try:
            write_message(self.process.stdin, answer)
        except OSError:
            raise Lost(self.describe_end()) from None

    def receive(self, limit: float) -> Message:
        """Wait for a message."""
        try:
            message = self.messages.get(timeout=limit)
        except Empty:
            raise Lost(f"{self.name} has not answered for {limit:g} s") from None
        if message is None:
            raise Lost(self.describe_end())
        return message

    def describe_end(self) -> str:
        """Describe how the process ended."""
        with suppress(subprocess.TimeoutExpired):
            self.process.wait(timeout=1)
        return f"{self.name}: its process ended with code {self.process.returncode}"

    def end(self) -> None:
        """Kill the process."""
        self.process.kill()
        self.process.wait()
        for pipe in (self.process.stdin, self.process.stdout):
            with suppress(OSError):
                pipe.close()  # type: ignore[union-attr]


def serve() -> None:
    """Run as a shard: read the program, run it, and send its messages."""
    for name in ("SIGINT", "SIGHUP"):  # they are the driver's, which shares the terminal
        if hasattr(signal, name):
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    reader, writer = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what is printed is no message

    def talk(message: Message) -> Any:
        write_message(writer, message)
        return read_message(reader)

    with suppress(EOFError, OSError):  # the driver is gone
        program, place, n_shards, source, state = read_message(reader)
        write_message(writer, run_member(program, place, n_shards, source, state, talk))


def write_message(pipe: IO[bytes] | None, message: Any) -> None:
    """Write a message: its size, and its bytes."""
    data = pickle.dumps(message, protocol=5)
    assert pipe is not None
    pipe.write(SIZE.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def read_message(pipe: IO[bytes] | None) -> Any:
    """Read a message; raise an EOFError where there is none."""
    assert pipe is not None
    head = pipe.read(SIZE.size)
    if len(head) < SIZE.size:
        raise EOFError
    [size] = SIZE.unpack(head)
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return pickle.loads(data)

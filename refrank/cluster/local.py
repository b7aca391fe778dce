"""Shards as processes of this machine: `local:4`. Each is a Python of its own, which sends messages through pipes.

A process ends when its pipe does, so none is left behind if the driver is killed. Threads read and write the pipes, on
both sides: so no message waits for another, however large the two are, and the driver never waits for a process longer
than it means to.
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
from typing import IO, Any, cast

from refrank.cluster.driver import Lost
from refrank.cluster.joins import Message
from refrank.cluster.member import Program, run_member

START = "from refrank.cluster.local import serve; serve()"
RULE = "a function must be one of a module that a process can import"
SIZE = struct.Struct("<Q")  # bytes of the message that follows


class Process:
    """The line to a process."""

    def __init__(
        self, place: int, n_shards: int, program: Program, source: Any, state: Any, environment: Mapping[str, str]
    ) -> None:
        self.name = f"shard {place} ({source})"
        try:
            given = pickle.dumps((program, place, n_shards, source, state), protocol=5)
        except Exception as fault:  # pickle raises whatever what it meets does
            raise ValueError(f"{self.name} and its ranker cannot be sent to a process: {fault}; {RULE}") from None
        words, pipe = [sys.executable, "-u", "-W", "ignore", "-c", START], subprocess.PIPE  # shard 0 keeps warnings
        path = {"PYTHONPATH": os.pathsep.join(sys.path)}
        own = {**environment, **os.environ, **path}  # the user's holds
        # a group of its own is not interrupted by the terminal
        self.process = subprocess.Popen(words, stdin=pipe, stdout=pipe, env=own, process_group=0)
        self.messages: SimpleQueue[Message | None] = SimpleQueue()
        self.answers: SimpleQueue[bytes | None] = SimpleQueue()
        self.threads = [Thread(target=work, daemon=True) for work in (self.read, self.write)]
        for thread in self.threads:
            thread.start()
        self.answers.put(given)

    def read(self) -> None:
        """Read messages until the process ends."""
        with suppress(Exception), cast(IO[bytes], self.process.stdout) as pipe:
            while True:
                self.messages.put(pickle.loads(read_bytes(pipe)))
        self.messages.put(None)

    def write(self) -> None:
        """Write answers until the line or the process ends."""
        with suppress(OSError), cast(IO[bytes], self.process.stdin) as pipe:
            while (data := self.answers.get()) is not None:
                write_bytes(pipe, data)

    def send(self, answer: Any) -> None:
        """Answer the message received last."""
        self.answers.put(pickle.dumps(answer, protocol=5))

    def receive(self, limit: float) -> Message:
        """Wait for a message."""
        try:
            message = self.messages.get(timeout=limit)
        except Empty:
            raise Lost(f"{self.name} has not answered for {limit:g} s") from None
        if message is None:
            self.messages.put(None)  # none will come
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
        self.answers.put(None)
        for thread in self.threads:
            thread.join(1.0)  # a child of the process may hold its pipe


def serve() -> None:
    """Run as a shard: read the program, run it, and send its messages."""
    for name in ("SIGINT", "SIGTERM", "SIGHUP"):  # they are the driver's, which asks for the finished turns
        if hasattr(signal, name):  # a terminal of Windows interrupts all, and has no SIGHUP
            signal.signal(getattr(signal, name), signal.SIG_IGN)
    reader, writer = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # prints are not messages
    answers: SimpleQueue[bytes] = SimpleQueue()

    def read() -> None:
        with suppress(Exception):
            while True:
                answers.put(read_bytes(reader))
        os._exit(1)  # the driver is gone

    def talk(message: Message) -> Any:
        write_bytes(writer, pickle.dumps(message, protocol=5))
        return pickle.loads(answers.get())

    Thread(target=read, daemon=True).start()
    try:
        program, place, n_shards, source, state = pickle.loads(answers.get())
    except Exception as fault:
        talk(Message("fault", ValueError(f"a process cannot read what it is sent: {fault}; {RULE}")))
    else:
        write_bytes(writer, pickle.dumps(run_member(program, place, n_shards, source, state, talk), protocol=5))
    answers.get()  # for the end, since Python does not end well while a thread reads


def write_bytes(pipe: IO[bytes], data: bytes) -> None:
    """Write a message: its size, and its bytes."""
    pipe.write(SIZE.pack(len(data)))
    pipe.write(data)
    pipe.flush()


def read_bytes(pipe: IO[bytes]) -> bytes:
    """Read a message; raise an EOFError where there is none."""
    head = pipe.read(SIZE.size)
    if len(head) < SIZE.size:
        raise EOFError
    [size] = SIZE.unpack(head)
    data = pipe.read(size)
    if len(data) < size:
        raise EOFError
    return data

"""Workers: messages and their ends, a bound on time and memory, and processes that leave nothing behind."""

import os
import sys
import time
from pathlib import Path

import pytest

from yardstick.processes import Channel, Worker


def echo(channel: Channel, *arguments: str) -> None:
    channel.send({"arguments": arguments, "process": os.getpid(), "stdin": os.read(0, 9).decode()})
    for message in channel:
        channel.send(message)


def start(channel: Channel, *kinds: str) -> None:
    """Start processes that hold the stream open: in this group, in a session of its own, as a daemon."""
    for kind in kinds:
        if os.fork() == 0:
            if kind != "group":
                os.setsid()
            if kind != "daemon" or os.fork() == 0:
                channel.send({"process": os.getpid()})
                time.sleep(100)
            os._exit(0)
    time.sleep(100 if len(kinds) > 1 else 0)


def fill(channel: Channel, n_bytes: str) -> None:
    try:
        channel.send({"n_bytes": len(bytearray(int(n_bytes)))})
    except MemoryError:
        channel.send({"n_bytes": None})


def has_ended(process: int) -> bool:
    """Whether a process is gone, or a zombie that whoever adopted it will bury."""
    try:
        return Path(f"/proc/{process}/stat").read_text().rpartition(") ")[2].startswith("Z")
    except OSError:
        return True


def test_messages_go_there_and_back_and_the_bytes_of_each_answer_are_bounded_not_those_of_all(monkeypatch):
    monkeypatch.setattr("yardstick.processes.MOST_BYTES", 999)
    with Worker(echo, "one", "two") as worker:
        first = worker.receive(60)
        assert (first["arguments"], first["stdin"]) == (["one", "two"], "")
        assert first["process"] != os.getpid()
        for message in ({"a": [1.5, None, "\n\u00e9"]}, *[{"a": "x" * 500}] * 4):
            worker.send(message)
            assert worker.receive(60) == message
    assert has_ended(first["process"])


@pytest.mark.skipif(sys.platform != "linux", reason="other systems list no descendants")
@pytest.mark.parametrize("kinds", [("group",), ("group", "session", "daemon")])
def test_time_counts_from_now_or_from_the_beginning_and_what_a_process_starts_ends_with_it(kinds):
    with Worker(start, *kinds) as worker:
        processes = [worker.receive(60)["process"] for _ in kinds]
        began = time.monotonic()
        for since in (None, began, began - 9):
            with pytest.raises(TimeoutError, match=r"^did not return within 0.3 seconds$"):
                worker.receive(0.3, since)
        assert time.monotonic() - began < 30
    assert len({*processes}) == len(kinds)
    deadline = time.monotonic() + 30
    while not all(map(has_ended, processes)):
        assert time.monotonic() < deadline, "a process that the worker's has started lives on"
        time.sleep(0.05)


@pytest.mark.parametrize(("memory", "n_bytes"), [(2**31, 2**26), (2**31, 2**32), (None, 2**50)])
def test_memory_is_bounded(memory, n_bytes):
    with Worker(fill, str(n_bytes), memory=memory) as worker:
        assert worker.receive(60) == {"n_bytes": n_bytes if n_bytes == 2**26 else None}

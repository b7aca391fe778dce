"""Workers: messages and their ends, a bound on time and memory, and processes that leave nothing behind."""

import os
import time
from pathlib import Path

import pytest

from yardstick.processes import Channel, Worker


def echo(channel: Channel, *arguments: str) -> None:
    channel.send({"arguments": arguments, "process": os.getpid(), "stdin": os.read(0, 9).decode()})
    for message in channel:
        channel.send(message)


def write(channel: Channel, text: str, code: str) -> None:
    channel.answers.write(text)
    channel.answers.flush()
    os._exit(int(code))


def hang(channel: Channel) -> None:
    channel.send({"process": os.getpid()})
    if os.fork() == 0:
        channel.send({"process": os.getpid()})
    time.sleep(100)


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


def test_messages_go_there_and_back():
    with Worker(echo, "one", "two") as worker:
        first = worker.receive(60)
        assert (first["arguments"], first["stdin"]) == (["one", "two"], "")
        assert first["process"] != os.getpid()
        worker.send({"a": [1.5, None, "\n\u00e9"]})
        assert worker.receive(60) == {"a": [1.5, None, "\n\u00e9"]}
    assert has_ended(first["process"])


def test_the_bytes_of_each_answer_are_bounded_not_those_of_all(monkeypatch):
    monkeypatch.setattr("yardstick.processes.MOST_BYTES", 999)
    with Worker(echo) as worker:
        worker.receive(60)
        for _ in range(5):
            worker.send({"a": "x" * 500})
            worker.receive(60)


@pytest.mark.parametrize(
    ("text", "code", "ended"),
    [
        ("", "0", r"^ended the process \(exit code 0\)$"),
        ('{"ended": "do', "6", r"^ended the process \(exit code 6\)$"),  # broken off
        ('{"ended": "done"}', "6", r"^ended the process \(exit code 6\)$"),
        ("{'ended': 'done'}\n", "6", "^the port wrote to a file that it did not open: "),
        ("[1]\n", "6", r"^the port wrote to a file that it did not open: \[1\]"),
        ('{"a": 1, "a": 2}\n', "6", "^the port wrote to a file"),
        ("cos\nsystem\n(S'echo'\ntR.\n", "6", "^the port wrote to a file that it did not open: cos"),  # a pickle
    ],
)
def test_what_is_not_a_message_is_no_answer(text, code, ended):
    with Worker(write, text, code) as worker, pytest.raises((ChildProcessError, ValueError), match=ended):
        worker.receive(60)


def test_whole_messages_before_the_end_are_received():
    with Worker(write, '{"a": 1}\n{"b": 2}\n{', "6") as worker:
        assert [worker.receive(60), worker.receive(60)] == [{"a": 1}, {"b": 2}]
        for _ in range(2):
            with pytest.raises(ChildProcessError, match="exit code 6"):
                worker.receive(60)


def test_time_counts_from_now_or_from_the_beginning():
    with Worker(hang) as worker:
        processes = [worker.receive(60)["process"] for _ in range(2)]
        began = time.monotonic()
        for since in (None, began, began - 9):
            with pytest.raises(TimeoutError, match=r"^did not return within 0.3 seconds$"):
                worker.receive(0.3, since)
        assert time.monotonic() - began < 30
    assert len({*processes}) == 2
    deadline = time.monotonic() + 30
    while not all(map(has_ended, processes)):
        assert time.monotonic() < deadline, "a process that the worker's has started lives on"
        time.sleep(0.05)


@pytest.mark.parametrize(("memory", "n_bytes"), [(2**31, 2**26), (2**31, 2**32), (None, 2**50)])
def test_memory_is_bounded(memory, n_bytes):
    with Worker(fill, str(n_bytes), memory=memory) as worker:
        assert worker.receive(60) == {"n_bytes": n_bytes if n_bytes == 2**26 else None}

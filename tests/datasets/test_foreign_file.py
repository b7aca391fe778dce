"""foreign_file: regular files only, at once, whole, and no longer than their kind may be."""

import errno
import io
import os
import re
import signal
import socket
from pathlib import Path

import pytest

from refrank.cli import main
from refrank.datasets import foreign_file
from refrank.datasets.foreign_file import MOST_BYTES, check_file, read_file


@pytest.fixture(autouse=True)
def _no_waiting():
    """Fail a test that waits for five seconds: opening a pipe would wait for its writer for ever."""
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits"))
    signal.alarm(5)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes to be named")
@pytest.mark.parametrize("read", [check_file, read_file])
def test_what_is_no_regular_file_is_refused_at_once_by_what_it_is(tmp_path, read):
    os.mkfifo(tmp_path / "pipe")
    (tmp_path / "link").symlink_to("/dev/zero")
    for path, what in ((tmp_path / "pipe", "a pipe"), (tmp_path / "link", "a device"), ("/dev/zero", "a device")):
        with pytest.raises(ValueError, match=f"^{path}: it is not a regular file, but {what}$"):
            read(path, "cell")
    with pytest.raises(ValueError, match=f"^{tmp_path}: it is a directory$"):
        read(tmp_path, "cell")
    with socket.socket(socket.AF_UNIX) as own:
        own.bind(str(tmp_path / "s"))
        with pytest.raises(OSError, match=str(tmp_path / "s")) as fault:
            read(tmp_path / "s", "cell")
    assert fault.value.errno == errno.ENXIO


@pytest.mark.parametrize("kind", MOST_BYTES)
def test_a_kind_has_its_bytes_and_no_more(tmp_path, kind):
    with open(tmp_path / "f", "wb") as file:
        file.truncate(MOST_BYTES[kind])  # a hole, which takes no room
    check_file(tmp_path / "f", kind)
    os.truncate(tmp_path / "f", MOST_BYTES[kind] + 1)
    rule = f"f has {MOST_BYTES[kind] + 1} bytes: a {kind} has at most {MOST_BYTES[kind]}$"
    with pytest.raises(ValueError, match=rule):
        check_file(tmp_path / "f", kind)


class Faulty(io.FileIO):
    """A file that fails, or ends early, at its first or second read."""

    fault, at = None, 0

    def readinto(self, place):
        return self.answer(lambda: super(Faulty, self).readinto(place))

    def readall(self):
        return self.answer(super().readall)

    def read(self, size=-1):
        return self.answer(lambda: super(Faulty, self).read(size))

    def answer(self, read):
        Faulty.at -= 1
        if Faulty.at == 0:
            raise OSError(Faulty.fault, os.strerror(Faulty.fault))
        return read()


@pytest.mark.parametrize("fault", [errno.EIO, errno.ESTALE])
def test_a_fault_of_the_disk_names_the_file(tmp_path, monkeypatch, fault):
    path = tmp_path / "f"
    path.write_bytes(b"all of it")
    monkeypatch.setattr(Faulty, "fault", fault)
    monkeypatch.setattr(Faulty, "at", 1)
    monkeypatch.setattr(foreign_file, "open", lambda path, *_, **__: io.BufferedReader(Faulty(path)), raising=False)
    with pytest.raises(OSError, match=str(path)) as raised:
        read_file(path, "cell")
    assert (raised.value.errno, raised.value.filename) == (fault, str(path))
    assert read_file(path, "cell") == b"all of it"  # and is no part of the next reading


@pytest.mark.parametrize("size", [0, 4, 100])
def test_a_file_that_shrinks_or_grows_while_it_is_read_is_refused(tmp_path, monkeypatch, size):
    path, before = tmp_path / "f", os.fstat
    path.write_bytes(b"all of it")
    sizes = [size]

    def look(number):
        state = before(number)
        if sizes:
            os.truncate(path, sizes.pop())
        return state

    monkeypatch.setattr(os, "fstat", look)
    with pytest.raises(ValueError, match=f"^{path}: it changed while it was read$"):
        read_file(path, "cell")


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="there are no pipes to be named")
@pytest.mark.parametrize("place", ["manifest.json", "records.jsonl"])
@pytest.mark.parametrize("plant", [os.mkfifo, lambda path: path.symlink_to("/dev/zero")])
def test_conform_diff_neither_waits_nor_fills_memory(tmp_path, capsys, place, plant):
    head = '{"format": "refrank-trace", "version": %d, "algorithm": "softmax"}'
    from yardstick.traces.writer import MANIFEST, RECORDS, VERSION

    assert place in (MANIFEST, RECORDS)
    (tmp_path / MANIFEST).write_text(head % VERSION)
    (tmp_path / RECORDS).write_text("")
    (tmp_path / place).unlink()
    plant(tmp_path / place)
    assert main(["conform", "diff", str(tmp_path), str(tmp_path)]) == 2
    assert f"{tmp_path / place}: it is not a regular file, but a " in capsys.readouterr().err


def test_the_table_of_bytes_is_that_of_the_promises():
    text = (Path(__file__).parents[2] / "docs" / "reference" / "promises.md").read_text()
    rows = re.findall(r"^    (\S.*?) +2\^(\d+)$", text, re.MULTILINE)
    assert {kind: 2 ** int(exponent) for kind, exponent in rows} == MOST_BYTES

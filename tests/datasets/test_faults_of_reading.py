"""Each read of each kind of file fails, is short or meets a change: what is read is the same, or one sentence names it.

A raw file stands in for that of the system: what reads it by its name or its number would pass by the faults, so each
test asks that its fault happened.
"""

import errno
import io
import os

import pytest

from refrank.datasets import foreign_file, source
from tests.datasets.foreign_kinds import KINDS
from tests.datasets.inputs import GOOD

MOST_READS = 4  # of a file that are disturbed in turn


class Disturbed(io.FileIO):
    """A file whose reads are counted; `disturb(path, number, n_bytes)` may raise, and says how many bytes to read."""

    def __init__(self, path, disturb):
        super().__init__(path)
        self.path, self.disturb, self.n_reads = path, disturb, 0

    def readinto(self, place):
        self.n_reads += 1
        return super().readinto(memoryview(place)[: self.disturb(self.path, self.n_reads, len(place))])

    def readall(self):
        pieces = iter(lambda: self.read(4096), b"")
        return b"".join(pieces)

    def read(self, size=-1):
        if size < 0:
            return self.readall()
        piece = bytearray(size)
        return bytes(piece[: self.readinto(piece)])


def read_disturbed(monkeypatch, path, read, disturb):
    """Read a file; return its value, or the sentence about it, and the number of its raw reads."""
    files = []

    def open_disturbed(name, mode, **others):
        if os.fspath(name) != os.fspath(path):
            return open(name, mode, **others)
        files.append(Disturbed(path, disturb))
        return io.BufferedReader(files[-1])

    with monkeypatch.context() as patch:
        for module in (foreign_file, source):
            patch.setattr(module, "open", open_disturbed, raising=False)
        try:
            value = read(path)
        except (OSError, ValueError) as fault:
            value = fault
    assert files
    return value, max(file.n_reads for file in files)


def undisturbed(path, number, n_bytes):
    return n_bytes


def shorten(path, number, n_bytes):
    return min(n_bytes, 1 + 30 * number % 100)


def interrupt(path, number, n_bytes):
    if number == 1:
        raise InterruptedError(errno.EINTR, os.strerror(errno.EINTR))
    return n_bytes


def fail_from(place, code):
    """A disk that fails goes on failing: rows are read a second time, by the slower loader, where the first fails."""

    def disturb(path, number, n_bytes):
        if number >= place:
            raise OSError(code, os.strerror(code))
        return n_bytes

    return disturb


def change_at(place, change):
    def disturb(path, number, n_bytes):
        if number == place:
            change(path)
        return n_bytes

    return disturb


def grow(path):
    with open(path, "ab") as file:
        file.write(GOOD)


def halve(path):
    os.truncate(path, os.path.getsize(path) // 2)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"cache"}))
def test_short_and_interrupted_reads_change_nothing(tmp_path, monkeypatch, kind):
    make, read = KINDS[kind]
    path = make(tmp_path)
    expected, n_reads = read_disturbed(monkeypatch, path, read, undisturbed)
    assert not isinstance(expected, Exception)
    value, n_short = read_disturbed(monkeypatch, path, read, shorten)
    assert n_short > n_reads
    assert value == expected
    assert read_disturbed(monkeypatch, path, read, interrupt)[0] == expected


DISTURBANCES = {
    "EIO": lambda place: fail_from(place, errno.EIO),
    "ESTALE": lambda place: fail_from(place, errno.ESTALE),
    "shrunk": lambda place: change_at(place, halve),
    "emptied": lambda place: change_at(place, lambda path: os.truncate(path, 0)),
    "grown": lambda place: change_at(place, grow),
}


@pytest.mark.parametrize("name", DISTURBANCES)
@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"cache"}))
def test_a_file_that_cannot_be_read_or_changes_is_one_sentence_that_names_it(tmp_path, monkeypatch, kind, name):
    make, read = KINDS[kind]
    path = make(tmp_path)
    content = path.read_bytes()
    expected, n_reads = read_disturbed(monkeypatch, path, read, undisturbed)
    assert n_reads >= 1
    for place in range(1, min(n_reads, MOST_READS) + 1):
        fault, _ = read_disturbed(monkeypatch, path, read, DISTURBANCES[name](place))
        assert isinstance(fault, OSError if name.startswith("E") else ValueError), fault
        assert str(path) in str(fault)
        assert name.startswith("E") or "changed while it was read" in str(fault)
        assert "\n" not in str(fault)
        path.write_bytes(content)
        assert read(path) == expected  # the next reading sees nothing of it


@pytest.mark.parametrize("name", DISTURBANCES)
def test_a_cache_that_cannot_be_read_is_only_missed(tmp_path, monkeypatch, name):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path))
    make, read = KINDS["cache"]
    path = make(tmp_path)
    content = path.read_bytes()
    expected, n_reads = read_disturbed(monkeypatch, path, read, undisturbed)
    for place in range(1, n_reads + 1):
        path.write_bytes(content)
        assert read_disturbed(monkeypatch, path, read, DISTURBANCES[name](place))[0] == expected
    path.write_bytes(content)
    assert read_disturbed(monkeypatch, path, read, shorten)[0] == expected

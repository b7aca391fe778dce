"""An input that does not end does not fill the disk: its copy leaves a share of the free space, and is removed."""

import contextlib
import io
import os
import subprocess
import sys
import tempfile
from types import SimpleNamespace

import pytest

from refrank.datasets import load_letor, source
from refrank.datasets.source import COPY_BYTES, open_source
from tests.cli.command_line import ENVIRONMENT

LINE = b"1 qid:1 1:1\n"
TOLD = r"does not end soon enough: its copy must leave 1/10 of the {n_free} bytes that were free in {folder}; save it"


class Endless(io.RawIOBase):
    """Short lines without end; what reads on for ever fails, before it fills the disk of the test."""

    n_read = 0

    def readable(self):
        return True

    def readinto(self, buffer):
        self.n_read += len(buffer)
        assert self.n_read <= 64 * COPY_BYTES
        buffer[:] = (LINE * (len(buffer) // len(LINE) + 1))[: len(buffer)]
        return len(buffer)


@pytest.fixture
def disk(monkeypatch):
    """A disk on which so many bytes are free, and which sees what is written to temporary files."""
    made: list = []
    state = SimpleNamespace(n_free=0, made=made, others=0)

    def make_file(make=tempfile.TemporaryFile):
        made.append(make())
        return made[-1]

    def count_free(folder):
        assert folder == tempfile.gettempdir()
        return SimpleNamespace(free=state.n_free - state.others - sum(file.tell() for file in made if not file.closed))

    monkeypatch.setattr(source.tempfile, "TemporaryFile", make_file)
    monkeypatch.setattr(source.shutil, "disk_usage", count_free)
    return state


def read_all(given):
    """The number of bytes of an input."""
    with open_source(given) as opened:
        return sum(map(len, opened.read_lines()))


@pytest.mark.parametrize("n_free", [0, 1, COPY_BYTES, 20 * COPY_BYTES])
def test_an_endless_input_is_refused_and_leaves_a_tenth_of_the_disk_free(disk, n_free):
    disk.n_free = n_free
    message = TOLD.format(n_free=n_free, folder=tempfile.gettempdir())
    with pytest.raises(ValueError, match=f"^the input {message}"):
        read_all(io.BufferedReader(Endless()))
    [copy] = disk.made
    assert copy.closed  # and with it, its space is free: it has no name


def test_a_copy_takes_nine_tenths_of_what_is_free_and_no_more(disk):
    n_bytes = 9 * COPY_BYTES
    content = (LINE * n_bytes)[:n_bytes]
    disk.n_free = 10 * COPY_BYTES
    assert read_all(io.BytesIO(content)) == n_bytes
    with pytest.raises(ValueError, match="the input does not end soon enough"):
        read_all(io.BytesIO(content + b"1"))
    disk.n_free -= 10
    with pytest.raises(ValueError, match="the input does not end soon enough"):
        read_all(io.BytesIO(content))
    assert all(copy.closed for copy in disk.made)


def test_what_others_write_meanwhile_counts(disk):
    disk.n_free = 20 * COPY_BYTES

    class Beside(Endless):
        def readinto(self, buffer):
            disk.others += 4 * len(buffer)
            return super().readinto(buffer)

    with pytest.raises(ValueError, match="the input does not end soon enough"):
        read_all(io.BufferedReader(Beside()))
    assert disk.others == 16 * COPY_BYTES


def test_a_file_on_disk_is_not_copied(disk, tmp_path):
    (tmp_path / "t.txt").write_bytes(LINE)
    assert len(load_letor(tmp_path / "t.txt").y) == 1
    assert disk.made == []


def test_a_copy_that_fails_in_the_middle_is_removed(disk):
    disk.n_free = 2**40

    class Broken(Endless):
        def readinto(self, buffer):
            if disk.made[0].tell() > 2 * COPY_BYTES:
                raise OSError(5, "Input/output error")
            return super().readinto(buffer)

    with pytest.raises(OSError, match="Input/output error: 'the input'"):
        read_all(io.BufferedReader(Broken()))
    assert disk.made[0].closed


@pytest.mark.skipif(not os.path.exists("/usr/bin/yes"), reason="the command yes is missing")
def test_the_command_ends_on_an_endless_pipe(tmp_path):
    """On a disk of 8 MiB, as the command sees it."""
    code = """if True:
        import shutil, sys
        from types import SimpleNamespace
        from refrank.cli import main
        left = iter(range(2**23, 0, -(2**20)))
        shutil.disk_usage = lambda folder: SimpleNamespace(free=next(left))
        sys.exit(main())"""
    (tmp_path / "scores.txt").write_text("1\n")
    with subprocess.Popen(["yes", LINE.decode().strip()], stdout=subprocess.PIPE) as pipe:
        words = [sys.executable, "-W", "ignore", "-c", code, "evaluate", "-", "--scores", "scores.txt"]
        ended = subprocess.run(words, stdin=pipe.stdout, cwd=tmp_path, env=ENVIRONMENT, capture_output=True, text=True)
        with contextlib.suppress(ProcessLookupError):
            pipe.terminate()
    assert ended.returncode == 2
    message = "refrank: error: <stdin> does not end soon enough: its copy must leave 1/10 of the 8"
    assert ended.stderr.startswith(message)
    assert os.listdir(tmp_path) == ["scores.txt"]

"""A file that changes while it is read is refused, and one that grows comes to an end."""

import gzip
import io
import os
from threading import Event, Thread

import numpy as np
import pytest

from refrank.datasets import letor_loader, letor_text, load_letor
from refrank.datasets.letor_cache import describe
from refrank.datasets.letor_text import Request
from refrank.datasets.scores import read_scores
from refrank.datasets.source import Source, open_source
from tests.datasets.inputs import GOOD, outcome


def change(path, how):
    if how == "appended":
        with path.open("ab") as file:
            file.write(GOOD)
    elif how == "rewritten":
        path.write_bytes(path.read_bytes().replace(b"0 qid", b"3 qid"))  # of the same size
        os.utime(path, ns=(1, path.stat().st_mtime_ns + 1))
    elif how == "replaced":
        stat = path.stat()
        path.with_name("other").write_bytes(path.read_bytes())
        os.utime(path.with_name("other"), ns=(stat.st_atime_ns, stat.st_mtime_ns))
        path.with_name("other").replace(path)
    elif how == "emptied":
        path.write_bytes(b"")
    else:
        path.unlink()


@pytest.mark.usefixtures("by_extension")
@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize("how", ["appended", "rewritten", "replaced", "emptied", "removed"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, how, turn, end, cache):
    path = tmp_path / f"file{end}"
    path.write_bytes(gzip.compress(GOOD) if end else GOOD)
    open_text, turns = Source.open_text, []

    def open_changing(self):
        turns.append(self)
        if len(turns) == turn:
            change(path, how)
        return open_text(self)

    monkeypatch.setattr(Source, "open_text", open_changing)
    with pytest.raises(ValueError) as caught:  # noqa: PT011 (the whole message is compared below)
        load_letor(path, cache=cache)
    assert str(caught.value) == f"{path}: the file changed while it was read: read it again"
    assert not [name for name in os.listdir(tmp_path) if "cache" in name]


def test_a_file_that_another_thread_appends_to_is_refused_or_read_as_it_was(tmp_path):
    path = tmp_path / "log"
    path.write_bytes(GOOD * 20_000)
    stopped = Event()

    def append():
        with path.open("ab", buffering=0) as file:
            while not stopped.wait(0.0002):
                file.write(GOOD)

    writer = Thread(target=append)
    writer.start()
    refused = 0
    try:
        for _ in range(5):
            read = outcome(load_letor, path)
            refused += read == ("", ": the file changed while it was read: read it again")
            assert refused or isinstance(read[0], tuple)
    finally:
        stopped.set()
        writer.join()
    assert refused > 0
    assert len(load_letor(path).y) * len(GOOD) == 2 * path.stat().st_size


class Growing(io.RawIOBase):
    """A file to which another program writes as fast as it is read."""

    n_read = 0

    def readable(self):
        return True

    def readinto(self, place):
        n_read = min(len(place), 2**24 - self.n_read) // len(GOOD) * len(GOOD)  # not for ever, should the test fail
        place[:n_read] = GOOD * (n_read // len(GOOD))
        self.n_read += n_read
        return n_read


@pytest.mark.usefixtures("by_extension")
@pytest.mark.parametrize("read", [load_letor, read_scores])
def test_a_file_that_grows_as_fast_as_it_is_read_comes_to_an_end(tmp_path, monkeypatch, read):
    path, passes = tmp_path / "growing", []
    path.write_bytes(GOOD)
    monkeypatch.setattr(Source, "rewind", lambda self: passes.append(Growing()) or io.BufferedReader(passes[-1]))
    monkeypatch.setattr("refrank.datasets.scores.float", lambda line: 0.0, raising=False)
    with pytest.raises(ValueError, match="growing: the file changed while it was read: read it again"):
        read(path)
    assert passes
    assert max(text.n_read for text in passes) <= 2 * letor_text.PIECE_BYTES
    with open_source(path) as opened:
        describe(Request(opened, None, 0.0, np.dtype(np.float32), 0))
    assert passes[-1].n_read <= 2 * io.DEFAULT_BUFFER_SIZE


def test_what_stands_before_the_start_is_no_part_of_a_file(tmp_path):
    path = tmp_path / "later"
    path.write_bytes(b"before\n" + GOOD)
    with open(path, "rb") as file:
        file.readline()
        with open_source(file) as opened:
            assert opened.n_stored == len(GOOD)
            opened.check_length(len(GOOD))
            with pytest.raises(ValueError, match="later: the file changed while it was read"):
                opened.check_length(len(GOOD) + 1)


@pytest.mark.kernel
@pytest.mark.parametrize("n_lines", [1, 2, 4, 9])
def test_the_extension_fills_no_more_rows_than_were_counted(compiled_letor, monkeypatch, n_lines):
    """Rows beyond would be written where no array is; the loader reads the file once more."""
    lines, filled = b"1 qid:1 1:2\n", []

    class Watched:
        find_rows = staticmethod(compiled_letor.find_rows)

        def parse_rows(self, piece, starts, absent, sentinel, X, y, *others):
            filled.append(len(X))
            assert len(starts) == len(X) == len(y)
            return compiled_letor.parse_rows(piece, starts, absent, sentinel, X, y, *others)

    contents = [lines * 3, *[lines * n_lines] * 3]
    monkeypatch.setattr(letor_text, "COMPILED", Watched())
    monkeypatch.setattr(Source, "open_text", lambda self: io.BufferedReader(io.BytesIO(contents.pop(0))))
    assert load_letor(io.BytesIO()).y.tolist() == [1] * n_lines
    assert (sum(filled), contents) == (n_lines if n_lines < 3 else 0, [])


@pytest.mark.parametrize("n_lines", [1, 2, 4])
@pytest.mark.parametrize("block_rows", [1, 2, 4096])
def test_rows_that_are_counted_and_read_agree(tmp_path, monkeypatch, n_lines, block_rows):
    """Even if nothing else notices the change: no label is ever returned that was not read."""
    monkeypatch.setattr(letor_text, "COMPILED", None)
    monkeypatch.setattr(letor_loader, "BLOCK_ROWS", block_rows)
    contents = [[b"1 qid:1 1:2\n"] * 3, [b"1 qid:1 1:2\n"] * n_lines]
    monkeypatch.setattr(Source, "read_lines", lambda self: iter(contents.pop(0)))
    with pytest.raises(ValueError, match="the input: the file changed while it was read"):
        load_letor(io.BytesIO())
    assert contents == []

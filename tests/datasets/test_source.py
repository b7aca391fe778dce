"""source: every kind of input gives what a regular file gives, is opened once, and is bounded by what it holds."""

import contextlib
import gzip
import io
import os
import tracemalloc
from threading import Event, Thread

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from refrank.datasets import letor_loader, letor_text, load_letor, source, unzipped
from refrank.datasets.letor_cache import describe
from refrank.datasets.letor_text import Request
from refrank.datasets.scores import read_scores
from refrank.datasets.source import Source, open_source
from tests.strategies.letor import damaged_files, files

needs_pipes = pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="pipes have no names here")
GOOD = b"1 qid:1 1:2\n0 qid:1 2:1 # b\n"


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return tmp_path_factory.mktemp("source")


@contextlib.contextmanager
def fed(write, *arguments):
    """Feed a pipe from a thread, as another program would; its reader may leave early."""

    def feed():
        with contextlib.suppress(BrokenPipeError):
            write(*arguments)

    writer = Thread(target=feed, daemon=True)
    writer.start()
    yield
    writer.join(10)
    assert not writer.is_alive()


@contextlib.contextmanager
def as_file(folder, content, end):
    path = folder / f"file{end}"
    path.write_bytes(content)
    yield path


@contextlib.contextmanager
def as_fifo(folder, content, end):
    path = folder / f"fifo{end}"
    path.unlink(missing_ok=True)
    os.mkfifo(path)
    with fed(path.write_bytes, content):
        yield path


@contextlib.contextmanager
def as_pipe(folder, content, end):
    """A shell's <(...), under a name that ends as asked."""
    reader, writer = os.pipe()
    path = folder / f"pipe{end}"
    path.unlink(missing_ok=True)
    path.symlink_to(f"/dev/fd/{reader}")

    def write():
        with open(writer, "wb") as file:
            file.write(content)

    with fed(write):
        yield path
        os.close(reader)


@contextlib.contextmanager
def as_bytes(folder, content, end):
    file = io.BytesIO(b"x" + content)
    file.seek(1)
    yield gzip.GzipFile(fileobj=file) if end else file


@contextlib.contextmanager
def as_open_file(folder, content, end):
    path = folder / "open"
    path.write_bytes(b"before\n" + content)
    with open(path, "rb") as file:
        assert file.readline() == b"before\n"
        yield gzip.GzipFile(fileobj=file) if end else file


@contextlib.contextmanager
def as_unbuffered_file(folder, content, end):
    path = folder / f"unbuffered{end}"
    path.write_bytes(content)
    with gzip.open(path) if end else open(path, "rb", buffering=0) as file:
        yield file


@contextlib.contextmanager
def as_buffered_bytes(folder, content, end):
    file = io.BytesIO(content)
    yield io.BufferedReader(gzip.GzipFile(fileobj=file) if end else file)


KINDS = [as_buffered_bytes, as_file, as_fifo, as_pipe, as_bytes, as_open_file, as_unbuffered_file]


def name_of(given):
    name = given if isinstance(given, os.PathLike) else getattr(given, "name", None)
    return str(name or "the input") if isinstance(name, str | os.PathLike) else "the input"


def outcome(read, given, *arguments):
    """Every bit of what is read, or what the message says of the input."""
    name = name_of(given)
    try:
        data = read(given, *arguments)
    except ValueError as fault:
        return str(fault).partition(name)[::2]
    if isinstance(data, np.ndarray):
        return data.tobytes()
    return *((array.dtype, array.shape, array.tobytes()) for array in (data.X, data.y, data.qid)), data.comments


def check_letor(folder, kind, end, content, n_features, by_kernel):
    plain = folder / "plain"
    plain.write_bytes(content)
    with pytest.MonkeyPatch.context() as patch:
        if not by_kernel:
            patch.setattr(letor_text, "KERNEL", None)
        expected = outcome(load_letor, plain, n_features)
        with kind(folder, gzip.compress(content) if end else content, end) as opened:
            assert outcome(load_letor, opened, n_features) == expected
            assert not getattr(opened, "closed", False)


def check_scores(folder, kind, end, content):
    plain = folder / "plain"
    plain.write_bytes(content)
    expected = outcome(read_scores, plain)
    with kind(folder, gzip.compress(content) if end else content, end) as opened:
        assert outcome(read_scores, opened) == expected


EACH_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)
EACH_END = pytest.mark.parametrize("end", ["", ".gz"])
ENDS = st.sampled_from(["", ".gz"])
BAD = [b"", b"x", b"0 qid:1", GOOD + b"0 qid:2 1:1e99", b"\n" + GOOD + b"1 1:2\n", b"0 qid:1 2147483647:1\n"]


@needs_pipes
@pytest.mark.parametrize("by_kernel", [True, False])
@EACH_END
@EACH_KIND
def test_every_kind_of_input_is_read_or_refused_like_a_file(folder, kind, end, by_kernel):
    for content in (GOOD, *BAD):
        check_letor(folder, kind, end, content, None, by_kernel)
    for content in (b"1\n2", b"1\n\n", b"1\n1_0\n", b""):
        check_scores(folder, kind, end, content)


@needs_pipes
@given(
    kind=st.sampled_from(KINDS),
    end=ENDS,
    content=files() | damaged_files(),
    n_features=st.sampled_from([None, 12]),
    by_kernel=st.booleans(),
)
def test_any_text_is_the_same_from_every_kind_of_input(folder, kind, end, content, n_features, by_kernel):
    check_letor(folder, kind, end, content, n_features, by_kernel)


@needs_pipes
@given(
    kind=st.sampled_from(KINDS),
    end=ENDS,
    lines=st.lists(st.floats(allow_nan=False).map(repr) | st.text("0123456789.e_ \r", max_size=9), max_size=9),
)
def test_any_scores_are_the_same_from_every_kind_of_input(folder, kind, end, lines):
    check_scores(folder, kind, end, "\n".join(lines).encode())


@needs_pipes
@EACH_KIND
def test_an_input_of_no_bytes(folder, kind):
    with kind(folder, b"", "") as given, pytest.raises(ValueError, match="the file contains no line of data"):
        load_letor(given)


@needs_pipes
@pytest.mark.parametrize("n_lines", [10, 300_000])
def test_a_pipe_is_read_whole(folder, n_lines):
    """More than a pipe holds at a time, and more than is copied at a time."""
    lines = b"".join(b"%d qid:%d 1:%d\n" % (i % 5, i // 10, i) for i in range(n_lines))
    with as_pipe(folder, lines, "") as path:
        data = load_letor(path)
    np.testing.assert_array_equal(data.X[:, 0], np.arange(n_lines, dtype=np.float32))
    np.testing.assert_array_equal(data.y, np.arange(n_lines) % 5)


def test_a_path_is_opened_once(folder, monkeypatch):
    path = folder / "once"
    path.write_bytes(GOOD + b"0 qid:2 1:x\n")  # which every pass meets
    opened = []
    monkeypatch.setattr("builtins.open", lambda *arguments, open=open: opened.append(arguments) or open(*arguments))
    with pytest.raises(ValueError, match="line 3, column 11"):
        load_letor(path, cache=True)
    assert [name for name, *_ in opened if name == path] == [path]


def test_what_is_no_file_is_refused():
    for path in (None, 3, [GOOD], io.StringIO(GOOD.decode())):
        with pytest.raises(ValueError, match="binary mode"):
            load_letor(path)


def test_a_file_that_is_open_for_writing_or_as_text_is_refused(folder):
    path = folder / "written"
    with open(path, "wb") as file, pytest.raises(ValueError, match="written cannot be read: a file must be open in"):
        load_letor(file)
    path.write_bytes(GOOD)
    with open(path, encoding="utf-8") as file, pytest.raises(ValueError, match="written cannot be read"):
        load_letor(file)


@needs_pipes
def test_a_pipe_that_does_not_wait_is_not_read_in_part(folder):
    """What has not arrived yet is not the end."""
    reader, writer = os.pipe()
    os.set_blocking(reader, False)
    with open(reader, "rb") as file, open(writer, "wb"), pytest.raises(ValueError, match="wait for what it reads"):
        load_letor(file)


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


@pytest.mark.parametrize("by_kernel", [True, False])
@pytest.mark.parametrize("cache", [True, False])
@pytest.mark.parametrize("end", ["", ".gz"])
@pytest.mark.parametrize("turn", [1, 2])
@pytest.mark.parametrize("how", ["appended", "rewritten", "replaced", "emptied", "removed"])
def test_a_file_that_changes_while_it_is_read_is_refused(tmp_path, monkeypatch, how, turn, end, cache, by_kernel):
    if not by_kernel:
        monkeypatch.setattr(letor_text, "KERNEL", None)
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
            found = outcome(load_letor, path)
            refused += found == ("", ": the file changed while it was read: read it again")
            assert refused or isinstance(found[0], tuple)
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


@pytest.mark.parametrize(("read", "by_kernel"), [(load_letor, True), (load_letor, False), (read_scores, False)])
def test_a_file_that_grows_as_fast_as_it_is_read_comes_to_an_end(folder, monkeypatch, read, by_kernel):
    if not by_kernel:
        monkeypatch.setattr(letor_text, "KERNEL", None)
    path, passes = folder / "growing", []
    path.write_bytes(GOOD)
    monkeypatch.setattr(Source, "rewind", lambda self: passes.append(Growing()) or io.BufferedReader(passes[-1]))
    monkeypatch.setattr("refrank.datasets.scores.float", lambda line: 0.0, raising=False)
    with pytest.raises(ValueError, match="growing: the file changed while it was read: read it again"):
        read(path)
    assert passes
    assert max(one.n_read for one in passes) <= 2 * letor_text.PIECE_BYTES
    with open_source(path) as opened:
        describe(Request(opened, None, 0.0, np.dtype(np.float32), 0))
    assert passes[-1].n_read <= 2 * io.DEFAULT_BUFFER_SIZE


@pytest.mark.parametrize("n_lines", [1, 2, 4])
@pytest.mark.parametrize("block_rows", [1, 2, 4096])
def test_rows_that_are_counted_and_read_agree(tmp_path, monkeypatch, n_lines, block_rows):
    """Even if nothing else notices the change: no label is ever returned that was not read."""
    monkeypatch.setattr(letor_text, "KERNEL", None)
    monkeypatch.setattr(letor_loader, "BLOCK_ROWS", block_rows)
    contents = [[b"1 qid:1 1:2\n"] * 3, [b"1 qid:1 1:2\n"] * n_lines]
    monkeypatch.setattr(Source, "read_lines", lambda self: iter(contents.pop(0)))
    with pytest.raises(ValueError, match="the input: the file changed while it was read"):
        load_letor(io.BytesIO())
    assert contents == []


@pytest.mark.parametrize("by_kernel", [True, False])
def test_memory_is_bounded_by_the_bytes_of_text(folder, monkeypatch, by_kernel):
    if not by_kernel:
        monkeypatch.setattr(letor_text, "KERNEL", None)
    path = folder / "far"
    path.write_bytes(b"0 qid:1 2147483647:1\n")
    tracemalloc.start()
    with pytest.raises(
        ValueError, match=r"far: 1 rows x 2147483647 columns of float32 take 8589934588 bytes: X may ta"
    ):
        load_letor(path)
    assert tracemalloc.get_traced_memory()[1] < 2**21
    tracemalloc.stop()
    # exactly at the bound, and one entry beyond it
    for line, n_columns in ((b"0 qid:1 4:1", 4), (b"0 qid:1 4:1\n", 4), (b"\n# heading\n0 qid:1 7:1 # x\n", 7)):
        path.write_bytes(line)
        n_bytes = len(line) + (not line.endswith(b"\n"))
        monkeypatch.setattr(letor_text, "X_FLOOR", 0)
        monkeypatch.setattr(letor_text, "MOST_X_BYTES", 4 * n_columns / n_bytes)
        assert load_letor(path).X.shape == (1, n_columns)
        with pytest.raises(
            ValueError, match=f"columns of float64 take {8 * n_columns} bytes: .*the {n_bytes} bytes of"
        ):
            load_letor(path, dtype="float64")
        assert load_letor(path, n_columns, dtype="float64").X.shape == (1, n_columns)
        monkeypatch.setattr(letor_text, "X_FLOOR", 8 * n_columns)
        assert load_letor(path, dtype="float64").X.shape == (1, n_columns)


def test_a_sparse_collection_is_within_the_bound(folder, monkeypatch):
    """60 of 700 columns, as in the Yahoo! challenge, in float64 and with values of three characters."""
    monkeypatch.setattr(letor_text, "X_FLOOR", 0)
    path = folder / "sparse"
    listed = (range(1 + i % 11, 701, 11) for i in range(50))
    path.write_text("".join(f"0 qid:1 {' '.join(f'{j}:.{j % 90 + 10}' for j in row[-60:])}\n" for row in listed))
    assert load_letor(path, dtype="float64").X.nbytes > 50 * 690 * 8


@pytest.mark.parametrize("failure", [MemoryError, ValueError])
def test_memory_that_there_is_not_is_named(folder, monkeypatch, failure):
    path = folder / "wide"
    path.write_bytes(GOOD)

    def refuse(shape, *arguments, empty=np.empty):
        if shape == (2, 2**31 - 1):
            raise failure
        return empty(shape, *arguments)

    monkeypatch.setattr(np, "empty", refuse)
    with pytest.raises(
        ValueError, match="wide: 2 rows x 2147483647 columns of float32 take 17179869176 bytes: there is"
    ):
        load_letor(path, n_features=2**31 - 1)


@pytest.mark.parametrize("by_kernel", [True, False])
@pytest.mark.parametrize("as_text", [True, False])
def test_a_line_has_a_bound(folder, monkeypatch, as_text, by_kernel):
    if not by_kernel:
        monkeypatch.setattr(letor_text, "KERNEL", None)
    monkeypatch.setattr(letor_text, "PIECE_BYTES", 16)  # a line that is longer than a piece is read too
    path = folder / "line"
    for line in (b"1 qid:1 1:2 # abcde\n", b"1 qid:1 1:2 # abcdef"):
        monkeypatch.setattr(source, "MOST_LINE_BYTES", len(line))
        path.write_bytes(b"\n" + line)
        assert load_letor(path if as_text else io.BytesIO(path.read_bytes())).y.tolist() == [1]
        monkeypatch.setattr(source, "MOST_LINE_BYTES", len(line) - 1)
        with pytest.raises(
            ValueError, match=f"(line|the input), line 2: a line must have at most {len(line) - 1} bytes"
        ):
            load_letor(path if as_text else io.BytesIO(path.read_bytes()))


@needs_pipes
def test_an_endless_line_is_not_copied_to_the_disk(monkeypatch):
    monkeypatch.setattr(source, "MOST_LINE_BYTES", 2**21)
    for read in (load_letor, read_scores):
        with pytest.raises(ValueError, match=r"/dev/zero, line 1: a line must have at most 2097152 bytes"):
            read("/dev/zero")
    with pytest.raises(ValueError, match="/dev/null: the file contains no line of data"):
        load_letor("/dev/null")


@pytest.mark.parametrize("by_kernel", [True, False])
def test_a_gzip_bomb_is_refused_before_it_is_unpacked(folder, monkeypatch, by_kernel):
    if not by_kernel:
        monkeypatch.setattr(letor_text, "KERNEL", None)
    path = folder / "bomb.gz"
    path.write_bytes(gzip.compress(b"0 qid:1 1:1\n" * 10**5))  # 1.2 MB in 4 kB
    assert len(load_letor(path).y) == 10**5  # below the floor
    monkeypatch.setattr(unzipped, "UNPACKED_FLOOR", 10**5)
    most_bytes, n_read, read = 200 * path.stat().st_size, [], gzip.GzipFile.read
    monkeypatch.setattr(gzip.GzipFile, "read", lambda *words: n_read.append(len(text := read(*words))) or text)
    with pytest.raises(ValueError, match=rf"bomb\.gz unpacks to more than {most_bytes} bytes: .* unpack it first"):
        load_letor(path)
    assert sum(n_read) <= (1 + by_kernel) * (most_bytes + 1)  # each reader meets it once


def test_a_message_is_short_however_long_the_text(folder):
    path, long = folder / "long", b"9" * 10**6
    for line in (
        b"?" + long,
        b"1 qid:" + long,
        b"1 qid:1 " + long,
        b"1 qid:1 1:" + long,
        b"1 qid:1 " + long + b":1",
        b"x" + long,
    ):
        path.write_bytes(line + b"\n")
        for read in (load_letor, read_scores):
            with pytest.raises(ValueError, match="line 1") as caught:
                read(path)
            assert len(str(caught.value)) < len(str(path)) + 200


def test_an_error_of_the_operating_system_bears_the_name(folder, monkeypatch):
    path = folder / "unreadable"
    path.write_bytes(GOOD)

    def fail(self):
        raise OSError(5, "Input/output error")

    monkeypatch.setattr(Source, "rewind", fail)
    for read in (load_letor, read_scores):
        with pytest.raises(OSError, match=r"Input/output error.*unreadable"):
            read(path)
    with pytest.raises(FileNotFoundError, match="nowhere"):
        load_letor(folder / "nowhere")


def test_a_source_that_is_open_is_read_again(folder):
    path = folder / "again"
    path.write_bytes(GOOD)
    with open_source(path) as opened, open_source(opened) as again:
        assert again is opened
        for n_features in (2, 5):
            assert load_letor(opened, n_features).X.shape == (2, n_features)

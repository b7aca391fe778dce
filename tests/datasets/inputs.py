"""The kinds of input that the door opens, and all that is read of one."""

import contextlib
import gzip
import io
import os
import tracemalloc
from threading import Thread

import numpy as np
import pytest

needs_pipes = pytest.mark.skipif(not os.path.exists("/dev/fd"), reason="pipes have no names here")
GOOD = b"1 qid:1 1:2\n0 qid:1 2:1 # b\n"


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
EACH_KIND = pytest.mark.parametrize("kind", KINDS, ids=lambda kind: kind.__name__)


def traced(make):
    """Make something; return it and the most bytes that Python held meanwhile."""
    tracemalloc.start()
    try:
        made = make()
        return made, tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()


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

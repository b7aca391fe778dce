"""The one door for files that anybody may have written: regular files only, and no more bytes than their kind may have.

A pipe, a device, a folder or a socket is refused at once, and never waited for. Text alone may come from a pipe
(`refrank.datasets.source`, which has bounds of its own).
"""

import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from io import BufferedReader

MOST_BYTES = {  # of a file, by its kind; docs/reference/promises.md has the table
    "model": 2**32,
    "export": 2**32,
    "cache": 2**36,
    "cell": 2**32,
    "manifest of a trace": 2**24,
    "records of a trace": 2**40,
    "tensors of a trace": 2**34,
    "list of deviations": 2**16,
    "command": 2**20,
    "homework": 2**20,
    "file of verdicts": 2**20,
    "shared library": 2**30,
}
CHANGED = "it changed while it was read"
KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}


@contextmanager
def open_file(path: str | os.PathLike[str], kind: str) -> Iterator[BufferedReader]:
    """Open a regular file of a kind for reading.

    Raises a ValueError that names the path if it is not a regular file, is too long, or has changed when the block
    ends; an OSError that names it if it cannot be read.

    Examples
    --------
    >>> with open_file("/dev/null", "cell") as file:
    ...     file.read()
    Traceback (most recent call last):
    ValueError: /dev/null: it is not a regular file, but a device
    """
    with _open_checked(path, kind) as (file, _):
        yield file


def read_file(path: str | os.PathLike[str], kind: str) -> bytes:
    """Read a regular file of a kind, once and as a whole; the errors are those of `open_file`."""
    with _open_checked(path, kind) as (file, n_bytes):
        content = file.read(n_bytes)
        if len(content) != n_bytes:
            raise ValueError(f"{os.fsdecode(path)}: {CHANGED}")
    return content


def check_file(path: str | os.PathLike[str], kind: str) -> None:
    """Refuse a path that `open_file` refuses, for a reader that opens it by its name."""
    with open_file(path, kind):
        pass


@contextmanager
def _open_checked(path: str | os.PathLike[str], kind: str) -> Iterator[tuple[BufferedReader, int]]:
    """Open a file, and give it with the number of its bytes."""
    name = os.fsdecode(path)
    if os.path.isdir(path):  # which Python reports without what it is
        raise ValueError(f"{name}: it is a directory")
    at_once = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)  # a pipe would wait for its writer
    try:
        with open(path, "rb", opener=lambda place, flags: os.open(place, flags | at_once)) as file:
            state = os.fstat(file.fileno())
            if not stat.S_ISREG(state.st_mode):
                sort = KINDS.get(stat.S_IFMT(state.st_mode), "another kind")
                raise ValueError(f"{name}: it is not a regular file, but {sort}")
            if state.st_size > MOST_BYTES[kind]:
                raise ValueError(f"{name} has {state.st_size} bytes: a {kind} has at most {MOST_BYTES[kind]}")
            try:
                yield file, state.st_size
            except ValueError:
                _check_unchanged(file, state, name)  # which explains the fault better
                raise
            _check_unchanged(file, state, name)
    except OSError as fault:
        if fault.filename is not None:  # perhaps that of another file
            raise
        raise OSError(fault.errno, fault.strerror or str(fault), name) from None


def _check_unchanged(file: BufferedReader, before: os.stat_result, name: str) -> None:
    """Refuse a file whose size or time is another than before."""
    after = os.fstat(file.fileno())
    if (after.st_size, after.st_mtime_ns) != (before.st_size, before.st_mtime_ns):
        raise ValueError(f"{name}: {CHANGED}")

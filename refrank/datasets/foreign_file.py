"""The one door for files that anybody may have written: regular files only, and no more bytes than their kind may have.

A pipe, a device, a folder or a socket is refused at once, and never waited for. Text alone may come from a pipe
(`refrank.datasets.source`, which has bounds of its own).
"""

import os
import stat
from typing import BinaryIO

MOST_BYTES = {  # of a file, by its kind; docs/reference/promises.md has the table
    "model": 2**32,
    "export": 2**32,
    "cache": 2**36,
    "cell": 2**32,
    "manifest of a trace": 2**24,
    "records of a trace": 2**40,
    "index of a trace": 2**36,
    "tensors of a trace": 2**36,
    "list of deviations": 2**20,
    "file of vectors": 2**24,
    "homework": 2**20,
    "file of verdicts": 2**20,
    "shared library": 2**30,
}
KINDS = {stat.S_IFIFO: "a pipe", stat.S_IFCHR: "a device", stat.S_IFBLK: "a device", stat.S_IFSOCK: "a socket"}


def open_file(path: str | os.PathLike[str], kind: str) -> BinaryIO:
    """Open a regular file of a kind for reading; the caller closes it.

    Raises a ValueError that names the path if it is not a regular file, or is too long; an OSError if it cannot be
    opened.

    Examples
    --------
    >>> open_file("/dev/null", "cell")
    Traceback (most recent call last):
    ValueError: /dev/null: it is not a regular file, but a device
    """
    return _open_checked(path, kind)[0]


def read_file(path: str | os.PathLike[str], kind: str) -> bytes:
    """Read a regular file of a kind, once and as a whole.

    Raises a ValueError that names the path if `open_file` does, or if the file changes while it is read; an OSError
    that names it if it cannot be read.
    """
    name = os.fsdecode(path)
    try:
        file, before = _open_checked(path, kind)
        with file:
            content = file.read(before.st_size)
            after = os.fstat(file.fileno())
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror or str(fault), name) from None
    same = len(content) == before.st_size == after.st_size and before.st_mtime_ns == after.st_mtime_ns
    if not same:
        raise ValueError(f"{name}: it changed while it was read")
    return content


def check_file(path: str | os.PathLike[str], kind: str) -> None:
    """Refuse a path that `open_file` refuses, for a reader that opens it by its name."""
    open_file(path, kind).close()


def _open_checked(path: str | os.PathLike[str], kind: str) -> tuple[BinaryIO, os.stat_result]:
    """Open a file, and return it with its state at that time."""
    name = os.fsdecode(path)
    if os.path.isdir(path):  # which Python reports without what it is
        raise ValueError(f"{name}: it is a directory")
    at_once = getattr(os, "O_NONBLOCK", 0) | getattr(os, "O_CLOEXEC", 0)  # a pipe would wait for its writer
    file = open(path, "rb", opener=lambda place, flags: os.open(place, flags | at_once))  # noqa: SIM115
    try:
        state = os.fstat(file.fileno())
        if not stat.S_ISREG(state.st_mode):
            sort = KINDS.get(stat.S_IFMT(state.st_mode), "another kind")
            raise ValueError(f"{name}: it is not a regular file, but {sort}")
        if state.st_size > MOST_BYTES[kind]:
            raise ValueError(f"{name} has {state.st_size} bytes: a {kind} has at most {MOST_BYTES[kind]}")
    except BaseException:
        file.close()
        raise
    return file, state

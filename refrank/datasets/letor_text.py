"""The common form of a LETOR file, read by the kernel: `letor` reads every other form with scikit-learn's loader.

The text passes twice through one small buffer, in pieces of whole lines: first the rows are counted, then X, y and qid
are filled. So no more memory is needed than for the result.
"""

import gzip
import io
import os
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.datasets.letor_fault import MAX_INDEX
from refrank.kernel import KERNEL, resolve_threads

PIECE_BYTES = 2**19  # stays in a core's cache between finding the rows and reading them
Rows = tuple[NDArray[np.floating], NDArray[np.int64], NDArray[np.int64], tuple[str, ...]]  # X, y, qid, comments


@dataclass(frozen=True)
class Request:
    """A file, and how to read it."""

    path: str | os.PathLike[str]
    n_features: int | None  # None: the highest index in the file
    absent: float  # the value of a feature that a line does not list, rounded to dtype
    dtype: np.dtype[Any]  # of X
    lowest: int  # the lowest label allowed, 0 or -1

    @property
    def highest_index(self) -> int:
        """Return the highest feature index allowed."""
        return self.n_features or MAX_INDEX


def parse_file(request: Request) -> Rows | None:
    """Read the rows of a file; None without the kernel, or if anything in the file is not of the common form."""
    if KERNEL is None or not Path(os.fsdecode(request.path)).is_file():  # a pipe cannot be read twice
        return None
    n_threads = resolve_threads()
    try:
        buffer = bytearray(PIECE_BYTES)
        n_samples = highest = 0
        for piece in _read_pieces(request.path, buffer):
            starts, index = KERNEL.find_rows(piece)
            n_samples, highest = n_samples + len(starts), max(highest, index)
        width = request.n_features or highest
        if n_samples == 0 or width == 0 or highest > request.highest_index:
            return None
        X = np.empty((n_samples, width), request.dtype)
        y, qid = np.empty(n_samples, np.int64), np.empty(n_samples, np.int64)
        comments: list[str] = []
        for piece in _read_pieces(request.path, buffer):
            starts, _ = KERNEL.find_rows(piece)
            rows, marks = slice(len(comments), len(comments) + len(starts)), np.empty((len(starts), 2), np.int64)
            if rows.stop > n_samples:  # the file has grown
                return None
            if KERNEL.parse_rows(piece, starts, request.absent, X[rows], y[rows], qid[rows], marks, n_threads):
                return None
            comments += _read_comments(piece, marks)
    except (OSError, EOFError, OverflowError, MemoryError, zlib.error):
        return None  # the loader meets the same fault, and names it
    if len(comments) < n_samples or y.min() < request.lowest:
        return None
    return X, y, qid, tuple(comments)


def open_text(path: str | os.PathLike[str]) -> io.BufferedIOBase:
    """Open a file, to be decompressed while it is read if its name ends in `.gz`."""
    return gzip.open(path) if is_zipped(path) else open(path, "rb")


def is_zipped(path: str | os.PathLike[str]) -> bool:
    """Return whether the name of a file ends in `.gz`."""
    return os.fsdecode(path).endswith(".gz")


def _read_pieces(path: str | os.PathLike[str], buffer: bytearray) -> Iterator[memoryview]:
    """Yield the text in pieces that end with a newline; the buffer holds one at a time."""
    text, kept = memoryview(buffer), 0
    with open_text(path) as file:
        while n_read := file.readinto(text[kept:-1]):  # the last place is for the newline that the last line may lack
            end = buffer.rfind(b"\n", kept, kept + n_read) + 1
            kept += n_read
            if end:
                yield text[:end]
                text[: kept - end] = text[end:kept]
                kept -= end
            if kept == len(buffer) - 1:
                raise OverflowError("a line is longer than a piece")
    if kept:
        buffer[kept] = ord("\n")
        yield text[: kept + 1]


def _read_comments(piece: memoryview, marks: NDArray[np.int64]) -> list[str]:
    """Read the comments between the marks (start, stop), (n_rows, 2)."""
    if (marks[:, 0] == marks[:, 1]).all():
        return [""] * len(marks)
    return [read_comment(bytes(piece[start:stop])) for start, stop in marks.tolist()]


def read_comment(text: bytes) -> str:
    """Read a comment, which need not be UTF-8."""
    return text.strip().decode("utf-8", "backslashreplace")

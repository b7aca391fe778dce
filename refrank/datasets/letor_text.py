"""The common form of a LETOR file, read by the extension `_letor.pyx`; scikit-learn's loader reads every other form.

The text passes twice through one small buffer, in pieces of whole lines: first the rows are counted, then X, y and qid
are filled. No more memory is needed than for the result.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from refrank.arrays import Ints, Matrix
from refrank.datasets.columns import Columns
from refrank.datasets.letor_fault import MAX_INDEX
from refrank.datasets.query_texts import QueryIds, make_query_ids, read_id
from refrank.datasets.source import Source
from refrank.kernel import load_extension, resolve_threads

COMPILED = load_extension("refrank.datasets._letor")  # None: scikit-learn's loader reads the text
PIECE_BYTES = 2**19  # stays in a core's cache between finding the rows and reading them

# A few bytes of text can name a very high column, and X is dense. A listed feature takes about 8 bytes of text, and an
# entry of X at most 8: files that list 1 of 64 columns pass. Those of the Yahoo! challenge list more than 1 of 12.
MOST_X_BYTES = 64  # per byte of text
X_FLOOR = 2**28  # bytes that any machine has
MOST_EMPTY = 2**22  # lines without data: a megabyte of gzip unpacks to 2^30 of them, each of which takes time

ParsedRows = tuple[Matrix, Ints, QueryIds, tuple[str, ...]]  # X, y, qid, comments


@dataclass(frozen=True)
class Request:
    """An input, and how to read it."""

    source: Source
    n_features: int | None  # None: the highest index in the file
    absent: float  # the value of a feature that a line does not list, rounded to dtype
    dtype: np.dtype[Any]  # of X
    lowest: int  # the lowest label allowed, 0 or -1
    sentinel: float = np.nan  # the listed value that is read as absent, compared as float64; NaN: none
    columns: Columns | None = None  # of a table; None: lines of LETOR
    must_list: bool = False  # whether a gap of a table is a fault

    @property
    def highest_index(self) -> int:
        """Return the highest feature index allowed."""
        return self.n_features or MAX_INDEX


def parse_file(request: Request) -> ParsedRows | None:
    """Read the rows of a file; None without the extension, or if anything in the file is not of the common form."""
    if COMPILED is None:
        return None
    n_threads = resolve_threads()
    try:
        buffer = bytearray(PIECE_BYTES)
        n_samples = highest = n_bytes = n_lines = 0
        for piece in _read_pieces(request.source, buffer):
            starts, index = COMPILED.find_rows(piece)
            n_samples, highest, n_bytes = n_samples + len(starts), max(highest, index), n_bytes + len(piece)
            n_lines += buffer.count(b"\n", 0, len(piece))
            if n_lines - n_samples > MOST_EMPTY:
                return None  # the loader refuses it
        width = request.n_features or highest
        if n_samples == 0 or width == 0:
            return None
        X = allocate_table(request, n_samples, width, n_bytes)
        y, qid = np.empty(n_samples, np.int64), np.empty(n_samples, np.int64)
        comments: list[str] = []
        n_named = 0
        for piece in _read_pieces(request.source, buffer):
            starts, _ = COMPILED.find_rows(piece)
            rows, marks = slice(len(comments), len(comments) + len(starts)), np.empty((len(starts), 2), np.int64)
            if rows.stop > n_samples:  # the file has grown
                return None
            table = X[rows], y[rows], qid[rows]
            options = request.absent, request.sentinel
            n_irregular, n_texts = COMPILED.parse_rows(piece, starts, *options, *table, marks, n_threads)
            if n_irregular:
                return None
            n_named += n_texts
            comments += _read_comments(piece, marks)
        if len(comments) < n_samples or y.min() < request.lowest:
            return None
        if n_named == 0:
            return X, y, qid, tuple(comments)
        texts: list[str] = []
        for piece in _read_pieces(request.source, buffer):
            texts += _read_ids(piece, COMPILED.find_rows(piece)[0].tolist())
        return (X, y, collect_ids(texts, n_bytes), tuple(comments)) if len(texts) == n_samples else None
    except (OSError, OverflowError, MemoryError, ValueError):
        return None  # the loader finds the same fault, and names it


class TableSizeError(ValueError):
    """A table of features that is too large."""


def allocate_table(request: Request, n_samples: int, n_features: int, n_bytes: int) -> Matrix:
    """Allocate X; bound its size by the bytes of text, unless the caller gave the number of columns."""
    size = n_samples * n_features * request.dtype.itemsize
    asked = f"{n_samples} rows x {n_features} columns of {request.dtype} take {size} bytes"
    if request.n_features is None and size > max(MOST_X_BYTES * n_bytes, X_FLOOR):
        rule = f"X may take at most {MOST_X_BYTES} times the {n_bytes} bytes of text, or {X_FLOOR}"
        raise TableSizeError(f"{asked}: {rule}; pass n_features if there are so many columns")
    try:
        return np.empty((n_samples, n_features), request.dtype)
    except (MemoryError, ValueError) as failure:  # the latter where no array can be that large
        raise TableSizeError(f"{asked}: there is not as much memory") from failure


def collect_ids(texts: list[str], n_bytes: int) -> QueryIds:
    """Return the query of each row, (n_samples,), from its text; bound the size of an array of long ones."""
    longest = max(map(len, texts))
    size, most = 4 * len(texts) * longest, max(MOST_X_BYTES * n_bytes, X_FLOOR)
    if size > most:
        asked = f"{len(texts)} query ids of up to {longest} characters take {size} bytes"
        raise TableSizeError(f"{asked}: they may take at most {most}; number the queries instead")
    return make_query_ids(texts)


def _read_pieces(source: Source, buffer: bytearray) -> Iterator[memoryview]:
    """Yield the text in pieces that end with a newline; the buffer holds one at a time."""
    file, text, kept, n_bytes = source.open_text(), memoryview(buffer), 0, 0
    while n_read := file.readinto(text[kept:-1]):  # the last place is for the newline that the last line may lack
        end = buffer.rfind(b"\n", kept, kept + n_read) + 1
        kept, n_bytes = kept + n_read, n_bytes + n_read
        source.check_length(n_bytes)
        if end:
            yield text[:end]
            text[: kept - end] = text[end:kept]
            kept -= end
        if kept == len(buffer) - 1:
            raise OverflowError("a line is longer than a piece")
    if kept:
        buffer[kept] = ord("\n")
        yield text[: kept + 1]


def _read_comments(piece: memoryview, marks: Ints) -> list[str]:
    """Read the comments between the marks (start, stop), (n_rows, 2)."""
    if (marks[:, 0] == marks[:, 1]).all():
        return [""] * len(marks)
    return [read_comment(bytes(piece[start:stop])) for start, stop in marks.tolist()]


def _read_ids(piece: memoryview, starts: list[int]) -> list[str]:
    """Read the ids of the queries of rows of the common form, which start at these places."""
    lines = (bytes(piece[start:stop]) for start, stop in zip(starts, [*starts, len(piece)][1:], strict=True))
    return [read_id(line.split(None, 2)[1].removeprefix(b"qid:").partition(b"#")[0]) for line in lines]


def read_comment(text: bytes) -> str:
    """Read a comment, which need not be UTF-8."""
    return text.strip().decode("utf-8", "backslashreplace")

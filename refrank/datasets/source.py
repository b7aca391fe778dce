"""Text input: each input is opened once, and every pass reads the same open file.

A regular file is read in place. Input that can be read only once (a pipe, a FIFO, a device, a file object that is
not a file on disk) is first copied into a temporary file without a name. Then a second pass sees what the first one
saw, or the input is refused:

    a file that changes while it is read                    a line longer than MOST_LINE_BYTES
    a pipe whose copy would fill the temporary folder
    a gzip file that is damaged, or unpacks to far more than text packs into
"""

import io
import os
import shutil
import stat
import tempfile
from codecs import BOM_UTF8
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from reprlib import repr as short
from typing import BinaryIO, TypeGuard

from refrank.datasets.unzipped import UnreadableError, UnzippedText

MOST_LINE_BYTES = 2**24  # 100,000 features with 17 digits each take a seventh of it
CHANGED = "the file changed while it was read: read it again"
COPY_BYTES = 2**20
KEPT_FREE = 10  # one part in this many of the space that is free when a copy begins stays free
UNZIP_BYTES = 2**16  # at a time, where lines are read
PATH = (str, bytes, os.PathLike)
Input = str | os.PathLike[str] | BinaryIO
Buffered = io.BufferedReader | io.BufferedRandom
Stamp = tuple[int, int, int]


class NoRowsError(ValueError):
    """An input without a row, which a shard of others may be."""


@dataclass(frozen=True, eq=False)
class Source:
    """An input that is open; each pass over it begins at its start."""

    name: str  # in messages
    file: Buffered  # a regular file or a temporary copy
    start: int  # offset of the input in the file
    zipped: bool  # whether it is to be decompressed
    path: Path | None  # of a regular file
    stamp: Stamp | None  # changes when a regular file does; None for a copy, which no other program can change

    @property
    def n_stored(self) -> int:
        """Return the size of a regular file when it was opened, less the bytes before the start."""
        return self.stamp[1] - self.start if self.stamp else 0

    def rewind(self) -> Buffered:
        """Go back to the start; return the file as it is stored."""
        self.file.seek(self.start)
        return self.file

    def open_text(self) -> Buffered:
        """Go back to the start; return the text, decompressed while it is read. The caller leaves it open.

        The mark of UTF-8, which some programs write first, is passed over.
        """
        text = self.rewind()
        if self.zipped:
            n_zipped = self.file.seek(0, os.SEEK_END)
            text = io.BufferedReader(UnzippedText(self.name, self.rewind(), n_zipped), UNZIP_BYTES)
        if text.peek(len(BOM_UTF8)).startswith(BOM_UTF8):
            text.read(len(BOM_UTF8))
        return text

    def read_lines(self) -> Iterator[bytes]:
        """Yield the lines of the text, each with its end."""
        text, n_bytes = self.open_text(), 0
        for number, line in enumerate(iter(partial(text.readline, MOST_LINE_BYTES + 1), b""), start=1):
            _check_line(self.name, number, len(line))
            n_bytes += len(line)
            self.check_length(n_bytes)
            yield line

    def check_length(self, n_bytes: int) -> None:
        """Refuse a file that has given more bytes than it held: a file that is always written to would never end."""
        if self.stamp is not None and not self.zipped and n_bytes > self.n_stored:
            raise UnreadableError(f"{self.name}: {CHANGED}")

    def check_unchanged(self) -> None:
        """Refuse a regular file that has changed since it was opened, or has been replaced."""
        if self.stamp is None:
            return
        try:
            stamps = [os.fstat(self.file.fileno()), *([os.stat(self.path)] if self.path else [])]
        except FileNotFoundError:
            stamps = []
        if not stamps or any(_find_stamp(stamp) != self.stamp for stamp in stamps):
            raise UnreadableError(f"{self.name}: {CHANGED}")


@contextmanager
def open_source(given: Input | Source) -> Iterator[Source]:
    """Open a path, or a binary file from its current position; a source that is already open is read again.

    At the end, a file that has changed is refused, and an error of the operating system names the input.
    """
    if isinstance(given, Source):
        yield given
        return
    name, by_path = _find_name(given), isinstance(given, PATH)
    zipped = by_path and name.endswith(".gz")
    try:  # a file that is open already is left open at the end
        with open(given, "rb") if isinstance(given, PATH) else nullcontext(given) as file:
            if _is_regular(file):
                path, stamp = Path(name) if by_path else None, _find_stamp(os.fstat(file.fileno()))
                source = Source(name, file, file.tell(), zipped, path, stamp)
                try:
                    yield source
                except ValueError:
                    source.check_unchanged()  # which explains the fault better
                    raise
                source.check_unchanged()
            else:
                with _copy(file, name, zipped) as copy:
                    yield Source(name, copy, 0, zipped, None, None)
    except OSError as failure:
        if failure.errno is not None and failure.filename is None:
            failure.filename = name
        raise


def _find_name(given: Input) -> str:
    """Find the name of an input in messages."""
    if isinstance(given, PATH):
        return os.fsdecode(given)
    if not hasattr(given, "read"):
        raise ValueError(f"path is {short(given)}: it must be a path, or a file that is open in binary mode")
    name = getattr(given, "name", None)
    return name if name and isinstance(name, str) else "the input"


def _is_regular(file: BinaryIO) -> TypeGuard[Buffered]:
    """Return whether this is a file on disk as Python opens it, not one that unpacks or decodes what it reads."""
    plain = isinstance(file, io.BufferedReader | io.BufferedRandom) and isinstance(file.raw, io.FileIO)
    return plain and stat.S_ISREG(os.fstat(file.fileno()).st_mode)


def _find_stamp(status: os.stat_result) -> Stamp:
    """Return a stamp that tells one state of a regular file from another."""
    return status.st_ino, status.st_size, status.st_mtime_ns


@contextmanager
def _copy(file: BinaryIO, name: str, zipped: bool) -> Iterator[Buffered]:
    """Copy an input into a temporary file without a name; an endless one does not fill the disk."""
    with tempfile.TemporaryFile() as copy:
        n_free = _count_free()
        number, length = 1, 0  # of the line that the copy has reached
        while (piece := _read_piece(file, name)) != b"":
            if _count_free() - len(piece) < n_free // KEPT_FREE:
                rule = f"must leave 1/{KEPT_FREE} of the {n_free} bytes that were free in {tempfile.gettempdir()}"
                fault = f"{name} does not end soon enough: its copy {rule}"
                raise UnreadableError(f"{fault}; save it as a file, or set TMPDIR")
            copy.write(piece)
            if not zipped:
                end = piece.rfind(b"\n") + 1
                number, length = number + piece.count(b"\n"), len(piece) - end + (0 if end else length)
                _check_line(name, number, length)
        yield copy


def _read_piece(file: BinaryIO, name: str) -> bytes:
    """Read some bytes, none at the end of the input."""
    try:
        piece = file.read(COPY_BYTES)
    except io.UnsupportedOperation:
        piece = None
    if not isinstance(piece, bytes):  # text, or None where nothing has arrived yet
        raise UnreadableError(f"{name} cannot be read: a file must be open in binary mode, and wait for what it reads")
    return piece


def _count_free() -> int:
    """Count the free bytes where temporary files are kept; other programs use them, too."""
    return shutil.disk_usage(tempfile.gettempdir()).free


def _check_line(name: str, number: int, length: int) -> None:
    """Refuse a line that is too long."""
    if length > MOST_LINE_BYTES:
        raise UnreadableError(
            f"{name}, line {number}: a line must have at most {MOST_LINE_BYTES} bytes, its end included"
        )

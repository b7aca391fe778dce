"""Files that are not what they are read as: their format, by their first bytes, and the command that reads them."""

import codecs
import csv
import shlex
import zlib
from collections.abc import Callable, Sequence
from dataclasses import dataclass

from refrank.checks import print_text
from refrank.datasets.columns import MOST_SHOWN, Columns, MissingColumnError
from refrank.datasets.parquet_file import list_columns
from refrank.datasets.query_texts import read_id
from refrank.datasets.source import Source
from refrank.datasets.table_file import find_delimiter, read_number
from refrank.datasets.unzipped import UnreadableError

HEAD_BYTES = 2**16
UTF_16 = (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE)
MOST_ROWS = 20
PARQUET = b"PAR1"
LABELS = ("label", "relevance", "rel", "grade", "judgment", "judgement", "target", "y")
QUERIES = ("qid", "query_id", "queryid", "query", "srch_id", "session", "group", "q")


@dataclass(frozen=True)
class FileFormat:
    """A format of files, and what makes text of one."""

    name: str
    start: bytes
    advice: str
    program: str = ""  # reads a file that it names, and writes text
    unpack: Callable[[bytes], bytes] = bytes  # what that program writes


FORMATS = (
    FileFormat("gzip", b"\x1f\x8b", "call it .gz", "zcat", lambda head: unpack_some(head)),
    FileFormat("bzip2", b"BZh", "unpack it", "bzcat"),
    FileFormat("xz", b"\xfd7zXZ\0", "unpack it", "xzcat"),
    FileFormat("Zstandard", b"\x28\xb5\x2f\xfd", "unpack it", "zstdcat"),
    FileFormat("an Excel workbook", b"PK\x03\x04\x14\0\x06\0", "save it as CSV"),
    FileFormat("a zip archive", b"PK\x03\x04", "unpack it", "unzip -p"),
    *(
        FileFormat("UTF-16", mark, "save it as UTF-8", "iconv -f UTF-16 -t UTF-8", lambda head: encode_some(head))
        for mark in UTF_16
    ),
    FileFormat("a web page", b"<!DOCTYPE", "fetch the data themselves"),
    FileFormat("a web page", b"<html", "fetch the data themselves"),
    FileFormat("HDF5", b"\x89HDF\r\n\x1a\n", "save its table as CSV or Parquet"),
    FileFormat("NumPy's format", b"\x93NUMPY", "load it by numpy.load, and train in Python"),
)


class OtherFormatError(ValueError):
    """A file in another format: what it looks like, and how it is read."""

    def __init__(self, file: str, looks: str, advice: str, program: str = "", flags: Sequence[str] = ()) -> None:
        super().__init__(f"{file} looks like {looks}: {advice}")
        self.file, self.looks, self.program, self.flags = file, looks, program, flags

    def suggest(self, words: Sequence[str]) -> str:
        """Suggest the command that reads the file, instead of `refrank` and these words; else return the message.

        >>> words = ["train", "a b.csv", "--model", "m"]
        >>> OtherFormatError("a b.csv", "gzip", "unpack it", "zcat").suggest(words)
        "a b.csv looks like gzip; here is the command: zcat 'a b.csv' | refrank train - --model m"
        """
        given = "-" if self.file == "<stdin>" else self.file
        if given not in words or not (self.program or self.flags):
            return str(self)
        words, place = [*words], [*words].index(given)
        before = ""
        if self.program:
            before = f"{self.program} {'' if given == '-' else shlex.quote(given) + ' '}| "
            words[place] = "-"
        more = () if {"--label", "--qid"} & {*words} else self.flags
        command = before + shlex.join(["refrank", *words, *more])
        return f"{self.file} looks like {self.looks}; here is the command: {command}"


def recognize(source: Source, fault: ValueError, columns: Columns | None) -> OtherFormatError | None:
    """Recognise a file that was refused as a table, or without columns as lines of LETOR; None if it is what it is."""
    try:
        head = source.open_text().read(HEAD_BYTES)
    except UnreadableError:
        return None
    for kind in FORMATS:
        if head.startswith(kind.start):
            table = recognize_text(source.name, kind.unpack(head), columns is None)
            return OtherFormatError(source.name, kind.name, kind.advice, kind.program, table.flags if table else ())
    unnamed = isinstance(fault, MissingColumnError) and columns == Columns()
    if (columns is None or unnamed) and head.startswith(PARQUET):
        return suggest_roles(source.name, "Parquet", *list_columns(source))
    if columns is None or unnamed:
        return recognize_text(source.name, head, columns is None)
    return None


def unpack_some(content: bytes) -> bytes:
    """Unpack the first bytes of a gzip file, or as many as are whole."""
    try:
        return zlib.decompressobj(wbits=31).decompress(content, HEAD_BYTES)
    except zlib.error:
        return b""


def encode_some(content: bytes) -> bytes:
    """Turn the first bytes of a text in UTF-16 into UTF-8."""
    return content.decode("utf-16", "ignore").encode("utf-8", "ignore")


def recognize_text(file: str, head: bytes, as_lines: bool) -> OtherFormatError | None:
    """Recognise a table by the first lines of a text: at least three columns, and as many in each line."""
    lines = [read_id(line) for line in head.splitlines() if line.strip()][: 1 + MOST_ROWS]
    if len(lines) < 2 or (as_lines and "qid:" in lines[0]):
        return None
    sign = find_delimiter(lines[0])
    try:
        first, *rows = csv.reader(lines, delimiter=sign, strict=True)
    except csv.Error:
        return None
    if len(first) < 3 or any(len(row) != len(first) for row in rows):
        return None
    names = [text.strip() for text in first]
    if any(read_number(text) is not None for text in first):
        names = [str(place) for place, _ in enumerate(first, start=1)]
    texts = [name for place, name in enumerate(names) if any(read_number(row[place]) is None for row in rows)]
    return suggest_roles(file, "CSV", names, texts)


def suggest_roles(file: str, name: str, names: Sequence[str], texts: Sequence[str]) -> OtherFormatError:
    """Suggest the label and the query among the columns of a table, and leave out those of text."""
    usual = {"label": (*LABELS, "1"), "qid": (*QUERIES, "2")}  # a table without names has columns 1, 2, ...
    roles = {role: next((name for name in names if name.lower() in words), "NAME") for role, words in usual.items()}
    ignored = [name for name in texts if name not in roles.values()]
    flags = ["--label", roles["label"], "--qid", roles["qid"], *(["--ignore", *ignored] if ignored else [])]
    shown = print_text(", ".join(names[:MOST_SHOWN]), MOST_SHOWN)
    columns = ", ".join(map(repr, (roles["label"], roles["qid"], tuple(ignored))[: 2 + bool(ignored)]))
    advice = f"refrank.datasets.load_table(path, Columns({columns})) reads it"
    return OtherFormatError(file, f"{name} with the columns {shown}" if shown else name, advice, flags=flags)

"""Reader of UBJSON as XGBoost writes it: binary JSON, with arrays of one type stored as numbers.

    marker                     value
    Z, T, F                    null, true, false
    i, U, I, l, L              big-endian integer of 1, 1, 2, 4 or 8 bytes; U is unsigned
    d, D                       float of 4 or 8 bytes
    S                          string: an integer length, then its bytes in UTF-8
    [ ... ]                    array
    [$ type # length ...       array of numbers of one type, which becomes a NumPy array
    [# length ...              array of that many values
    { name value ... }         object; a name is a string without its marker

A length is checked against the remaining bytes before anything of that size is created.
"""

import struct
from typing import Any

import numpy as np

NUMBERS = {"i": ">b", "U": ">B", "I": ">h", "l": ">i", "L": ">q", "d": ">f", "D": ">d"}  # for struct and NumPy
INTEGERS = "iUIlL"
DEEPEST = 32  # depth of nested objects and arrays; XGBoost needs 8
PLAIN = {"Z": None, "T": True, "F": False}


def loads(content: bytes) -> Any:
    """Read one value, which must be the whole content; a ValueError names the byte where this fails.

    >>> loads(b"{U" + bytes([1]) + b"a[$i#U" + bytes([2, 1, 255]) + b"}")
    {'a': array([ 1, -1], dtype=int8)}
    """
    reader = Reader(content)
    value = reader.read_value(reader.take_marker(), 0)
    if reader.place != len(content):
        raise ValueError(f"byte {reader.place}: the model ends before the file does")
    return value


class Reader:
    """A position in the content."""

    def __init__(self, content: bytes) -> None:
        self.content, self.place = content, 0

    def take(self, n: int) -> bytes:
        """Read the next n bytes."""
        if not 0 <= n <= len(self.content) - self.place:
            raise ValueError(f"byte {self.place}: {n} bytes must follow, of {len(self.content) - self.place}")
        self.place += n
        return self.content[self.place - n : self.place]

    def take_marker(self) -> str:
        """Read a marker, one byte."""
        return chr(self.take(1)[0])

    def read_number(self, marker: str) -> Any:
        """Read a number of a type."""
        form = NUMBERS[marker]
        return struct.unpack(form, self.take(struct.calcsize(form)))[0]

    def read_length(self) -> int:
        """Read a length: an integer of any type."""
        marker = self.take_marker()
        if marker not in INTEGERS:
            raise ValueError(f"byte {self.place - 1}: it must be the type of an integer, a length")
        return int(self.read_number(marker))

    def read_string(self) -> str:
        """Read a length and that many bytes."""
        return str(self.take(self.read_length()), "utf-8")

    def read_value(self, marker: str, depth: int) -> Any:
        """Read the value after a marker."""
        if depth > DEEPEST:
            raise ValueError(f"byte {self.place}: it is nested too deeply")
        if marker in PLAIN:
            return PLAIN[marker]
        if marker in NUMBERS:
            return self.read_number(marker)
        if marker == "S":
            return self.read_string()
        if marker == "[":
            return self.read_array(depth)
        if marker == "{":
            return self.read_object(depth)
        raise ValueError(f"byte {self.place - 1}: {marker!r} is not a type of UBJSON")

    def read_array(self, depth: int) -> Any:
        """Read an array of one of the three forms, after its bracket."""
        marker = self.take_marker()
        if marker == "$":
            kind = self.take_marker()
            if kind not in NUMBERS or self.take_marker() != "#":
                raise ValueError(f"byte {self.place - 1}: it must be an array of numbers, with a length")
            entry = np.dtype(NUMBERS[kind])
            content = self.take(self.read_length() * entry.itemsize)
            return np.frombuffer(content, entry).astype(entry.newbyteorder("="))
        if marker == "#":
            n = self.read_length()
            if not 0 <= n <= len(self.content) - self.place:
                raise ValueError(
                    f"byte {self.place}: {n} values must follow, of {len(self.content) - self.place} bytes"
                )
            return [self.read_value(self.take_marker(), depth + 1) for _ in range(n)]
        values = []
        while marker != "]":
            values.append(self.read_value(marker, depth + 1))
            marker = self.take_marker()
        return values

    def read_object(self, depth: int) -> dict[str, Any]:
        """Read an object after its brace; each name occurs once."""
        held: dict[str, Any] = {}
        while self.content[self.place : self.place + 1] != b"}":
            name = self.read_string()
            if name in held:
                raise ValueError(f"byte {self.place}: {name[:40]!r} is there twice")
            held[name] = self.read_value(self.take_marker(), depth + 1)
        self.take(1)
        return held

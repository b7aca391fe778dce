"""Reading what anyone may have written: a file once and whole, JSON strictly, and each fault in one sentence."""

import json
import math
import os
import stat
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from reprlib import repr as short
from typing import Any, NoReturn

from refrank.checks import print_text

MOST_DIGITS = 1000  # of an integer, which are quadratic work; of a seed, say


@contextmanager
def open_foreign(path: str | os.PathLike[str], kind: str) -> Iterator[bytes]:
    """Read a regular file; whatever its content raises becomes one ValueError, "PATH is not KIND: why".

    An OSError that names the file says that it could not be read. Memory is the machine's: that error passes.
    """
    name = os.fsdecode(path)
    try:
        require(not os.path.isdir(path), "it is a directory")
        yield read_file(path)
    except MemoryError:  # what is asked for is bounded by the file
        raise
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror or str(fault), name) from None
    except Exception as fault:  # no list of what reading these bytes can raise would be complete
        words = "it is nested too deeply" if isinstance(fault, RecursionError) else " ".join(str(fault).split())
        raise ValueError(f"{print_text(name, 200)} is not {kind}: {print_text(words, 360)}") from None


def read_file(path: str | os.PathLike[str]) -> bytes:
    """Read a regular file, once and whole: nothing that has no end, or that changes meanwhile."""

    def open_at_once(name: str, flags: int) -> int:
        return os.open(name, flags | getattr(os, "O_NONBLOCK", 0))  # a pipe would wait for its writer

    with open(path, "rb", opener=open_at_once) as file:
        before = os.fstat(file.fileno())
        require(stat.S_ISREG(before.st_mode), "it is not a regular file")
        content = file.read(before.st_size)
        after = os.fstat(file.fileno())
    same = len(content) == before.st_size == after.st_size and before.st_mtime_ns == after.st_mtime_ns
    require(same, "it changed while it was read")
    return content


def read_strict_json(content: bytes, name: str) -> Any:
    """Read JSON whose objects have each field once, and whose numbers are finite and not longer than they need be."""

    def read_float(digits: str) -> float:
        return float(digits) if math.isfinite(float(digits)) else refuse(name, digits, "a finite number")

    def read_integer(digits: str) -> int:
        n_digits = len(digits.lstrip("-"))
        return int(digits) if n_digits <= MOST_DIGITS else refuse(name, digits, f"of at most {MOST_DIGITS} digits")

    read_constant = partial(refuse, name, rule="JSON")
    return read_json(content, name, parse_float=read_float, parse_int=read_integer, parse_constant=read_constant)


def read_json(content: bytes, name: str, **parsers: Any) -> Any:
    """Read JSON whose objects have each field once, with the parsers of `json.loads`."""

    def hold(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        fields = dict(pairs)
        require(len(fields) == len(pairs), f"{name} has an object with a field twice, among {short([*fields])}")
        return fields

    try:
        return json.loads(str(content, "utf-8"), object_pairs_hook=hold, **parsers)
    except (json.JSONDecodeError, UnicodeDecodeError) as fault:
        raise ValueError(f"{name} is not JSON: {fault}") from None


def require(holds: object, fault: str) -> None:
    """Raise a ValueError unless something holds."""
    if not holds:
        raise ValueError(fault)


def refuse(where: str, value: object, rule: str) -> NoReturn:
    """Raise the ValueError of a value that breaks its rule."""
    words = " ".join(short(value).split())
    raise ValueError(f"{where} is {words if len(words) < 80 else words[:76] + ' ...'}: it must be {rule}")


@contextmanager
def prefix_faults(where: str) -> Iterator[None]:
    """Put a place, which ends in a dot, in front of the names in faults."""
    try:
        yield
    except ValueError as fault:
        raise ValueError(f"{where}{fault}") from None

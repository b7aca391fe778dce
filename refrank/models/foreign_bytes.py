"""Reading of untrusted files: each file once and as a whole, each fault in one sentence."""

import os
from collections.abc import Iterator
from contextlib import contextmanager
from reprlib import repr as short
from typing import NoReturn

from refrank.checks import print_text
from refrank.datasets.foreign_file import read_file


@contextmanager
def open_foreign(path: str | os.PathLike[str], kind: str) -> Iterator[bytes]:
    """Read a regular file; any error from its content becomes one ValueError, "PATH is not KIND: why".

    An OSError that names the file means that it cannot be read. A MemoryError passes, since it is the machine's.
    """
    name = os.fsdecode(path)
    try:
        yield read_file(path, "model")
    except MemoryError:  # the size of the file bounds the request
        raise
    except OSError as fault:
        raise OSError(fault.errno, fault.strerror or str(fault), name) from None
    except Exception as fault:  # no list of the errors that these bytes can raise is complete
        said = "it is nested too deeply" if isinstance(fault, RecursionError) else str(fault).removeprefix(f"{name}: ")
        words = " ".join(said.split())
        raise ValueError(f"{print_text(name, 200)} is not {kind}: {print_text(words, 360)}") from None


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
    """Prefix the names in faults with a place, which ends in a dot."""
    try:
        yield
    except ValueError as fault:
        raise ValueError(f"{where}{fault}") from None

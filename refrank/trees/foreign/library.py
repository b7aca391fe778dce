"""A shared library that implements refrank/kernel/refrank_splitter.h: its functions, found and called by ctypes.

symbol                      in code        meaning
refrank_splitter_version    VERSION        what the library was compiled for; another one is refused
refrank_NAME                read_header    a function; its result is an int64
"""

import ctypes
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.checks import print_text
from refrank.trees.foreign.contiguous import Result
from refrank.trees.foreign.header import read_header

VERSION = 1
NO_MEMORY = -1  # REFRANK_NO_MEMORY


class Library:
    """The functions of a shared library, by name."""

    def __init__(self, path: str) -> None:
        self.name = print_text(os.path.basename(path), 60)
        with open(path, "rb"):  # a file that cannot be read is an OSError, as everywhere
            pass
        try:
            library = ctypes.CDLL(os.path.abspath(path))  # as it is named, and not found elsewhere
        except OSError as fault:
            reason = print_text(str(fault), 200)
            raise ValueError(f"{self.name} is not a shared library that loads here: {reason}") from None
        check_version(self.name, library)
        self.functions: dict[str, Any] = {}
        for name, parameters in read_header().items():
            function = getattr(library, f"refrank_{name}", None)
            if function is not None:
                function.argtypes = [parameter.ctype for parameter in parameters]
                function.restype = ctypes.c_int64
                self.functions[name] = function

    def call(self, name: str, *arguments: Result | NDArray[Any] | float | None, at_most: int = 0) -> int:
        """Call a function on arrays and numbers; return its result, which must be from 0 to `at_most`."""
        results = [argument for argument in arguments if isinstance(argument, Result)]
        plain = (argument.array if isinstance(argument, Result) else argument for argument in arguments)
        handed = (argument.ctypes.data if isinstance(argument, np.ndarray) else argument for argument in plain)
        returned: int = self.functions[name](*handed)
        if any(result.overrun for result in results):
            raise ValueError(f"{self.name}: refrank_{name} writes beyond the end of a result, or before its beginning")
        if returned == NO_MEMORY:
            raise MemoryError(f"{self.name}: refrank_{name} could not allocate its memory")
        self.check(name, "", returned, 0, at_most)
        return returned

    def check(self, name: str, what: str, value: int, lowest: int, highest: int) -> None:
        """Refuse a number of the library's that refrank would use as a place or a size, if it is out of bounds."""
        if not lowest <= value <= highest:
            rule = str(lowest) if lowest == highest else f"an integer from {lowest} to {highest}"
            raise ValueError(f"{self.name}: {what or 'the result'} of refrank_{name} is {value}: it must be {rule}")


def check_version(name: str, library: ctypes.CDLL) -> None:
    """Refuse a library that does not report this version of the header."""
    version = getattr(library, "refrank_splitter_version", None)
    if version is None:
        rule = "it must export refrank_splitter_version (refrank/kernel/refrank_splitter.h)"
        raise ValueError(f"{name} is not a library of splitter functions: {rule}")
    version.argtypes, version.restype = [], ctypes.c_int32
    returned = version()
    if returned != VERSION:
        raise ValueError(f"{name}: refrank_splitter_version() is {returned}: it must be {VERSION}")

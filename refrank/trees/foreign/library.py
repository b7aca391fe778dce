"""A shared library that implements refrank/kernel/refrank_splitter.h: its functions, found and called by ctypes.

symbol                      in code      meaning
refrank_splitter_version    VERSION      what the library was compiled for; another one is refused
refrank_NAME                SIGNATURES   the types of its arguments, by their letters; its result is an int64

letter    p           i          l          d         k
type      a pointer   int32_t    int64_t    double    uint64_t
"""

import ctypes
import os
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.checks import print_text
from refrank.trees.foreign.contiguous import Result

VERSION = 1
NO_MEMORY = -1  # REFRANK_NO_MEMORY
TYPES = {"p": ctypes.c_void_p, "i": ctypes.c_int32, "l": ctypes.c_int64, "d": ctypes.c_double, "k": ctypes.c_uint64}
SIGNATURES = {
    "bin_starts": "p i l d l p",
    "quantize": "p i l l p p p i i",
    "largest_magnitude": "p l p i",
    "round_to_grid": "p l i p i",
    "histogram": "p i l p l p l p p p i",
    "root_sums": "p i l p l p l p i",
    "best_split": "p l p l p l l p p i",
    "best_split_inside": "p i l p l p p p p l p p p l l p p i",
    "partition": "p i l p l l l i",
    "leaf_sums": "p l i p p l p i",
    "add_to_leaves": "p l p p l p i",
    "add_trees": "p i l l p l p p p p p l p i",
    "exp": "p l p",
    "softmax": "p l l l l p i",
    "grow_deep": "p i l l p p l p p p p l l l k l p p p p p p p p",
}


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
        for name, letters in SIGNATURES.items():
            function = getattr(library, f"refrank_{name}", None)
            if function is not None:
                function.argtypes = [TYPES[letter] for letter in letters.split()]
                function.restype = ctypes.c_int64
                self.functions[name] = function

    def call(self, name: str, *arguments: Result | NDArray[Any] | float | None, at_most: int = 0) -> int:
        """Call a function on arrays and numbers; return its result, which must be from 0 to `at_most`."""
        results = [one for one in arguments if isinstance(one, Result)]
        plain = (one.array if isinstance(one, Result) else one for one in arguments)
        found: int = self.functions[name](*(one.ctypes.data if isinstance(one, np.ndarray) else one for one in plain))
        if any(result.overrun for result in results):
            raise ValueError(f"{self.name}: refrank_{name} writes beyond the end of a result, or before its beginning")
        if found == NO_MEMORY:
            raise MemoryError(f"{self.name}: refrank_{name} could not allocate its memory")
        self.check(name, "", found, 0, at_most)
        return found

    def check(self, name: str, what: str, value: int, lowest: int, highest: int) -> None:
        """Refuse a number of the library's that refrank would use as a place or a size, and is out of bounds."""
        if not lowest <= value <= highest:
            rule = str(lowest) if lowest == highest else f"an integer from {lowest} to {highest}"
            raise ValueError(f"{self.name}: {what or 'the result'} of refrank_{name} is {value}: it must be {rule}")


def check_version(name: str, library: ctypes.CDLL) -> None:
    """Refuse a library that does not say that it implements this version of the header."""
    version = getattr(library, "refrank_splitter_version", None)
    if version is None:
        rule = "it must export refrank_splitter_version (refrank/kernel/refrank_splitter.h)"
        raise ValueError(f"{name} is not a library of splitter functions: {rule}")
    version.argtypes, version.restype = [], ctypes.c_int32
    found = version()
    if found != VERSION:
        raise ValueError(f"{name}: refrank_splitter_version() is {found}: it must be {VERSION}")

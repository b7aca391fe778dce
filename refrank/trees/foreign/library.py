"""A shared library that implements refrank/kernel/refrank_splitter.h: its functions, found by ctypes.

symbol                      in code        meaning
refrank_splitter_version    VERSION        what the library was compiled for; another one is refused
refrank_NAME                read_header    a function; its result is an int64
"""

import ctypes
import os
from typing import Any

from refrank.checks import print_text
from refrank.trees.foreign.header import read_header

VERSION = 1


def load_library(path: str) -> tuple[str, dict[str, Any]]:
    """Load a shared library; return its name for errors, and the functions of the header that it exports."""
    name = print_text(os.path.basename(path), 60)
    with open(path, "rb"):  # a file that cannot be read is an OSError, as everywhere
        pass
    try:
        library = ctypes.CDLL(os.path.abspath(path))  # as it is named, and not found elsewhere
    except OSError as fault:
        reason = print_text(str(fault), 200)
        raise ValueError(f"{name} is not a shared library that loads here: {reason}") from None
    check_version(name, library)
    functions: dict[str, Any] = {}
    for function, parameters in read_header().items():
        exported = getattr(library, f"refrank_{function}", None)
        if exported is not None:
            exported.argtypes = [parameter.ctype for parameter in parameters]
            exported.restype = ctypes.c_int64
            functions[function] = exported
    return name, functions


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

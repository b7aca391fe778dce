"""A cache beside a LETOR file: NAME.refrank-cache.npz holds the rows that were last read from it.

It is used only if it is whole, and was made from the same content, read in the same way.
"""

import hashlib
import json
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.datasets.letor_text import ParsedRows, Request
from refrank.datasets.whole_file import replace_file

FORMAT = 1  # raise it when the same file and request give other rows, or rows are stored in another way
PIECE_BYTES = 2**18
NAMES = ("X", "y", "qid", "comments", "made_with")


def fetch_rows(request: Request, read: Callable[[Request], ParsedRows]) -> ParsedRows:
    """Return the rows of a file: from its cache if that is still valid, else read from the file and cached."""
    path = request.source.path
    if path is None:  # a pipe, or standard input
        return read(request)
    cache = path.with_name(f"{path.name}.refrank-cache.npz")
    made_with = describe(request)
    rows = read_cache(cache, made_with)
    if rows is None:
        rows = read(request)
        request.source.check_unchanged()
        if describe(request) == made_with:  # nor has its content changed unnoticed
            try:
                write_cache(cache, made_with, rows)
            except (OSError, ValueError) as failure:  # ValueError: a device of that name
                warnings.warn(f"{cache} could not be written: {failure}", RuntimeWarning, stacklevel=3)
    return rows


def describe(request: Request) -> str:
    """Describe what the rows depend on, as JSON: the file's bytes, not its name or its time."""
    file, content, left = request.source.rewind(), hashlib.blake2b(), request.source.n_stored
    piece = memoryview(bytearray(PIECE_BYTES))
    while n_read := file.readinto(piece[:left]):  # not beyond what it held when it was opened: it may grow
        content.update(piece[:n_read])
        left -= n_read
    absent = np.array(request.absent).tobytes().hex()  # NaN has several encodings
    kind = (request.source.zipped, request.n_features, request.dtype.name)
    options = (*kind, absent, repr(request.sentinel), request.lowest)
    return json.dumps({"format": FORMAT, "content": content.hexdigest(), "options": options})


def read_cache(cache: Path, made_with: str) -> ParsedRows | None:
    """Read a cache; None if there is none, or it is damaged or was made from other input."""
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with zipfile.ZipFile(cache) as members:
            for name in reversed(NAMES):  # made_with first
                with members.open(f"{name}.npy") as member:
                    arrays[name] = np.lib.format.read_array(member, allow_pickle=False)
                    if member.read(1):  # to the end, where zipfile compares the checksum
                        return None
                if str(arrays["made_with"]) != made_with:
                    return None
        comments = arrays["comments"].tobytes().decode().split("\n")
        return arrays["X"], arrays["y"], arrays["qid"], tuple(comments)
    except Exception:  # damaged bytes raise errors of many kinds, and each means: read the file again
        return None


def write_cache(cache: Path, made_with: str, rows: ParsedRows) -> None:
    """Write a cache whole, or not at all."""
    X, y, qid, comments = rows
    text = np.frombuffer("\n".join(comments).encode(), np.uint8)  # a comment ends with its line, so it has no newline
    arrays: dict[str, Any] = dict(zip(NAMES, (X, y, qid, text, np.array(made_with)), strict=True))
    with replace_file(cache) as file:
        np.savez(file, **arrays)

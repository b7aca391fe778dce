"""Caches of LETOR files, in the user's own folder of caches: each holds the rows that were last read from one file.

A cache is used only if it is whole, was made from the same content, read in the same way, and holds what text may hold.
None lies beside the data, where the author of the data could plant one, or a link in its place.
"""

import hashlib
import json
import os
import stat
import warnings
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.datasets.array_file import read_array
from refrank.datasets.foreign_file import open_file
from refrank.datasets.letor_fault import MAX_LABEL
from refrank.datasets.letor_text import ParsedRows, Request
from refrank.datasets.whole_file import replace_file

FORMAT = 4  # raise it when the same file and request give other rows, or rows are stored in another way
PIECE_BYTES = 2**18
NAMES = ("X", "y", "qid", "comments", "digest", "made_with")


def fetch_rows(request: Request, read: Callable[[Request], ParsedRows]) -> ParsedRows:
    """Return the rows of a file: from its cache if that is still valid, else read from the file and cached."""
    path = request.source.path
    if path is None:  # a pipe, or standard input
        return read(request)
    cache = place_cache(path)
    made_with = describe(request)
    rows = read_cache(cache, made_with) if is_own(cache.parent) else None
    if rows is None or not is_text_like(rows, request):
        rows = read(request)
        request.source.check_unchanged()
        if describe(request) == made_with:  # nor has its content changed unnoticed
            try:
                make_folder(cache.parent)
                write_cache(cache, made_with, rows)
            except (OSError, ValueError) as failure:  # ValueError: a device of that name
                warnings.warn(f"{cache} could not be written: {failure}", RuntimeWarning, stacklevel=4)
    return rows


def place_cache(path: Path) -> Path:
    """Return the place of the cache of a file, in the user's folder of caches (XDG_CACHE_HOME, or ~/.cache)."""
    home = os.environ.get("XDG_CACHE_HOME", "")
    folder = Path(home) if os.path.isabs(home) else Path.home() / ".cache"
    key = hashlib.blake2b(os.fsencode(os.path.realpath(path)), digest_size=16).hexdigest()
    return folder / "refrank" / f"{key}.npz"


def make_folder(folder: Path) -> None:
    """Make the folder of caches, for the user alone; refuse one that somebody else may write to."""
    folder.parent.mkdir(parents=True, exist_ok=True)
    folder.mkdir(mode=0o700, exist_ok=True)
    if not is_own(folder):
        raise ValueError(f"{folder} must be a folder of the user, to which nobody else may write")


def is_own(folder: Path) -> bool:
    """Return whether a path is a folder, not a link to one, of the user, to which nobody else may write."""
    try:
        state = folder.lstat()
    except OSError:
        return False
    own = os.name == "nt" or (state.st_uid == os.geteuid() and not state.st_mode & 0o022)
    return stat.S_ISDIR(state.st_mode) and own


def is_text_like(rows: ParsedRows, request: Request) -> bool:
    """Return whether rows of a cache are such as the text of the request may hold."""
    X, y, qid, comments = rows
    n_samples = len(comments)
    shapes = X.ndim == 2 and X.shape[0] == n_samples and y.shape == qid.shape == (n_samples,) and X.shape[1] >= 1
    kinds = (X.dtype, y.dtype) == (request.dtype, np.int64) and X.flags.c_contiguous
    kinds = kinds and (qid.dtype == np.int64 or qid.dtype.kind == "U")
    if not shapes or not kinds or request.n_features not in (None, X.shape[1]):
        return False
    odd = X[~np.isfinite(X)]  # what text may not list is the absent value
    absent = np.full(len(odd), request.absent, X.dtype)
    return bool(np.array_equal(odd, absent, equal_nan=True) and y.min() >= request.lowest and y.max() <= MAX_LABEL)


def describe(request: Request) -> str:
    """Describe what the rows depend on, as JSON: the file's bytes, not its name or its time."""
    file, content, left = request.source.rewind(), hashlib.blake2b(), request.source.n_stored
    piece = memoryview(bytearray(PIECE_BYTES))
    while n_read := file.readinto(piece[:left]):  # not beyond what it held when it was opened: it may grow
        content.update(piece[:n_read])
        left -= n_read
    absent = np.array(request.absent).tobytes().hex()  # NaN has several encodings
    kind = (request.source.zipped, request.n_features, request.dtype.name)
    options = (*kind, absent, repr(request.sentinel), request.lowest, repr(request.columns), request.must_list)
    return json.dumps({"format": FORMAT, "content": content.hexdigest(), "options": options})


def read_cache(cache: Path, made_with: str) -> ParsedRows | None:
    """Read a cache; None if there is none, or it is damaged or was made from other input."""
    arrays: dict[str, NDArray[Any]] = {}
    try:
        with open_file(cache, "cache") as file, zipfile.ZipFile(file) as members:
            for name in reversed(NAMES):  # made_with first
                arrays[name] = read_array(members, name)
                if str(arrays["made_with"]) != made_with:
                    return None
        if str(arrays["digest"]) != digest_arrays(*(arrays[name] for name in NAMES[:4])):
            return None
        comments = arrays["comments"].tobytes().decode().split("\n")
        return arrays["X"], arrays["y"], arrays["qid"], tuple(comments)
    except Exception:  # damaged bytes raise errors of many kinds, and each means: read the file again
        return None


def digest_arrays(*arrays: NDArray[Any]) -> str:
    """Digest shapes, types and entries of arrays."""
    content = hashlib.blake2b()
    for array in arrays:
        content.update(f"{array.shape} {array.dtype.str}".encode())
        content.update(np.ascontiguousarray(array).reshape(-1).view(np.uint8).data)
    return content.hexdigest()


def write_cache(cache: Path, made_with: str, rows: ParsedRows) -> None:
    """Write a cache whole, or not at all; a link in its place goes, and what it names stays."""
    X, y, qid, comments = rows
    text = np.frombuffer("\n".join(comments).encode(), np.uint8)  # a comment ends with its line, so it has no newline
    digest = digest_arrays(X, y, qid, text)
    arrays: dict[str, Any] = dict(zip(NAMES, (X, y, qid, text, np.array(digest), np.array(made_with)), strict=True))
    if cache.is_symlink():
        cache.unlink()
    with replace_file(cache) as file:
        np.savez(file, **arrays)

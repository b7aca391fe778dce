"""The file itself: a zip of `head.json` and `.npy` arrays, whose bytes depend on these alone."""

import json
import math
import os
import re
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from reprlib import repr as short
from typing import Any, BinaryIO

import numpy as np
from numpy.typing import NDArray

FORMAT, VERSION = "refrank model", 2
HEAD = "head.json"
EARLIER = "it was written by an earlier refrank, and must be trained again"
DTYPES = ("<f4", "<f8", "<i4", "<i8", "|u1")
NPY = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '(...)', 'fortran_order': (True|False), 'shape': \((\d[\d, ]{0,99})\), \} *\n",
    re.DOTALL,
)


@contextmanager
def replacement(path: str | os.PathLike[str]) -> Iterator[Path]:
    """Yield a path to write to; at the end its file replaces the target, unless writing failed.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     with replacement(Path(folder, "a.txt")) as unfinished:
    ...         _ = unfinished.write_text("whole")
    ...     [(path.name, path.read_text()) for path in Path(folder).iterdir()]
    [('a.txt', 'whole')]
    """
    target = Path(path)
    unfinished = target.with_name(target.name + ".part")
    try:
        yield unfinished
        os.replace(unfinished, target)
    finally:  # a full disk leaves nothing behind
        unfinished.unlink(missing_ok=True)


def write_archive(path: str | os.PathLike[str], model: dict[str, Any], arrays: dict[str, NDArray[Any]]) -> None:
    """Write a file whole, or not at all.

    Parameters
    ----------
    path : path
    model : dict
        The entry "model" of the head.
    arrays : dict of arrays
        What `model` refers to, by name.

    Raises
    ------
    OSError
        If the file cannot be written.
    """
    head = {"format": FORMAT, "version": VERSION, "model": model}
    members = {f"{name}.npy": array for name, array in arrays.items()} | {HEAD: head}
    with replacement(path) as unfinished, zipfile.ZipFile(unfinished, "w") as file:
        for name in sorted(members):
            content = write_npy(members[name]) if name != HEAD else json.dumps(head, indent=1, allow_nan=False).encode()
            info = zipfile.ZipInfo(name)  # of 1980, stored
            info.create_system, info.external_attr = 3, 0o644 << 16  # as on Unix, on every system
            file.writestr(info, content)


def write_npy(array: NDArray[Any]) -> bytes:
    """Write an array as NumPy's format 1.0 has it; NumPy's own writer pads by its version.

    Examples
    --------
    >>> import io
    >>> np.load(io.BytesIO(write_npy(np.array([[1, 2]]))))
    array([[1, 2]])
    """
    by_columns = array.flags.f_contiguous and not array.flags.c_contiguous
    kind = array.dtype.newbyteorder("<")
    header = f"{{'descr': '{kind.str}', 'fortran_order': {by_columns}, 'shape': {array.shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    order = array.astype(kind, copy=False).tobytes("F" if by_columns else "C")
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + order


def read_archive(stream: BinaryIO) -> tuple[Any, dict[str, NDArray[Any]]]:
    """Read the entry "model" of a head, and the arrays by name; nothing is unpacked, and nothing runs.

    Raises
    ------
    ValueError
        If the file is not of this format and version; zipfile raises errors of its own.
    """
    size = stream.seek(0, os.SEEK_END)
    stream.seek(0)
    if stream.read(1) == b"{":
        raise ValueError(EARLIER if b'"refrank model"' in stream.read(99) else "it is not a zip file")
    with zipfile.ZipFile(stream) as file:
        members = {info.filename: info for info in file.infolist()}
        if any(info.compress_type != zipfile.ZIP_STORED for info in members.values()):
            raise ValueError("its members must be stored, not compressed")
        if len(members) < len(file.infolist()) or sum(info.file_size for info in members.values()) > size:
            raise ValueError("its members must each have a name and bytes of their own")
        if HEAD not in members:
            raise ValueError(f"it has no member {HEAD}")
        model = read_head(file.read(HEAD))
        wrong = [name for name in members if name != HEAD and not name.endswith(".npy")]
        if wrong:
            raise ValueError(f"it has a member {short(wrong[0])}: members must be {HEAD} and .npy arrays")
        return model, {name[:-4]: read_npy(file.read(name), name) for name in members if name != HEAD}


def read_head(content: bytes) -> Any:
    """Return what the head says of the model."""

    def refuse(word: str) -> None:
        raise ValueError(f"{HEAD} holds {word}, which is not JSON")

    head = json.loads(content.decode(), parse_constant=refuse)
    if not isinstance(head, dict) or head.get("format") != FORMAT:
        old = isinstance(head, dict) and head.get("format") == "refrank forest"
        raise ValueError(EARLIER if old else f'format must be "{FORMAT}"')
    if head.get("version") != VERSION or type(head["version"]) is not int:
        raise ValueError(f"version is {short(head.get('version'))}: this release reads version {VERSION}")
    if head.keys() != {"format", "version", "model"}:
        raise ValueError(f"{HEAD} must have the fields format, version and model only")
    return head["model"]


def read_npy(content: bytes, name: str) -> NDArray[Any]:
    """Read an array as `write_npy` wrote it, exactly as long as its bytes."""
    header = NPY.match(content)
    if header is None or int.from_bytes(header[1], "little") != header.end() - 10 or header[2].decode() not in DTYPES:
        raise ValueError(f"{name} must be a .npy array of version 1.0, of one of the types {', '.join(DTYPES)}")
    shape = tuple(int(length) for length in header[4].decode().split(",") if length.strip())
    kind = np.dtype(header[2].decode())
    if math.prod(shape) * kind.itemsize != len(content) - header.end():
        raise ValueError(f"{name} has shape {shape} of {kind}: it must have as many bytes as that")
    array = np.frombuffer(bytearray(content[header.end() :]), kind)  # of its own: it can be written to
    return array.reshape(shape, order="F" if header[3] == b"True" else "C").astype(kind.newbyteorder("="), copy=False)

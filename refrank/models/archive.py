"""The file format: a zip of `head.json` and `.npy` arrays, whose bytes depend on these only; and its checks."""

import io
import json
import math
import os
import zipfile
from reprlib import repr as short
from typing import Any

import numpy as np
from numpy.lib import format as npy
from numpy.typing import NDArray

from refrank.datasets.strict_json import parse_json
from refrank.datasets.whole_file import replace_file
from refrank.models.foreign_bytes import require

Arrays = dict[str, NDArray[Any]]  # keyed by their places in the model
FORMAT, VERSION, HEAD = "refrank model", 3, "head.json"
EARLIER = "it was written by an earlier refrank, and must be trained again"
DTYPES = ("<f4", "<f8", "<i4", "<i8", "|u1")
LONGEST_HEADER = 256  # bytes of an array's header


def write_archive(path: str | os.PathLike[str], model: Any, arrays: Arrays) -> None:
    """Write a file as a whole or not at all (`refrank.datasets.whole_file`)."""
    head = json.dumps({"format": FORMAT, "version": VERSION, "model": model}, indent=1, allow_nan=False)
    members = {f"{name}.npy": write_npy(array) for name, array in arrays.items()} | {HEAD: head.encode()}
    with replace_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name)  # dated 1980, stored
            info.create_system, info.external_attr = 3, 0o644 << 16  # as on Unix, whatever the system
            archive.writestr(info, members[name])


def write_npy(array: NDArray[Any]) -> bytes:
    """Write an array in NumPy's format 1.0, little-endian."""
    file = io.BytesIO()
    npy.write_array(file, array.astype(array.dtype.newbyteorder("<"), copy=False), (1, 0), allow_pickle=False)
    return file.getvalue()


def read_archive(content: bytes) -> tuple[Any, Arrays]:
    """Read the head's model and the arrays, without unpacking files or running code."""
    require(not (content[:1] == b"{" and b'"refrank model"' in content[:99]), EARLIER)
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {info.filename: info for info in file.infolist()}
        n_bytes = sum(info.file_size for info in members.values())
        apart = len(members) == len(file.infolist()) and n_bytes <= len(content)
        apart = apart and all(info.compress_type == zipfile.ZIP_STORED for info in members.values())
        require(apart, "its members must be stored, not compressed, and each have a name and bytes of their own")
        require(HEAD in members, f"it has no member {HEAD}")
        for name in members:
            is_member = name == HEAD or name.endswith(".npy")
            require(is_member, f"it has a member {short(name)}: members are {HEAD} and .npy arrays")
        contents = {name: file.read(name) for name in members}
    head = parse_json(contents.pop(HEAD), HEAD)
    head = head if isinstance(head, dict) else {}
    require(head.get("format") != "refrank forest", EARLIER)
    require(head.get("format") == FORMAT, f'format must be "{FORMAT}"')
    version = head.get("version")
    require(type(version) is int and version == VERSION, f"version is {short(version)}: this release reads {VERSION}")
    require(head.keys() == {"format", "version", "model"}, f"{HEAD} must hold format, version and model only")
    return head["model"], {name[:-4]: read_npy(content, name) for name, content in contents.items()}


def read_npy(content: bytes, name: str) -> NDArray[Any]:
    """Read an array that `write_npy` wrote, whose length must match its bytes."""
    file = io.BytesIO(content)
    try:
        require(npy.read_magic(file) == (1, 0), "another version")
        shape, by_columns, kind = npy.read_array_header_1_0(file, LONGEST_HEADER)
        require(kind.str in DTYPES and min(shape, default=0) >= 0, "another type")
    except Exception:  # NumPy parses the header as a Python expression
        rule = f"a .npy array of version 1.0, of one of the types {', '.join(DTYPES)}"
        raise ValueError(f"{name} must be {rule}") from None
    whole = math.prod(shape) * kind.itemsize == len(content) - file.tell()
    require(whole, f"{name} has shape {short(shape)} of {kind}: it must have as many bytes as that")
    array = np.frombuffer(bytearray(memoryview(content)[file.tell() :]), kind)  # a copy, which can be written to
    return array.reshape(shape, order="F" if by_columns else "C").astype(kind.newbyteorder("="), copy=False)

"""The file itself, a zip of `head.json` and `.npy` arrays whose bytes depend on these alone; and its faults."""

import io
import json
import math
import os
import re
import stat
import zipfile
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial
from reprlib import repr as short
from typing import Any, NoReturn

import numpy as np
from numpy.typing import NDArray

from refrank.datasets.whole_file import replace_file

Arrays = dict[str, NDArray[Any]]  # by their places in the model
FORMAT, VERSION, HEAD = "refrank model", 2, "head.json"
EARLIER = "it was written by an earlier refrank, and must be trained again"
DTYPES = ("<f4", "<f8", "<i4", "<i8", "|u1")
MOST_DIGITS = 1000  # of an integer, which are quadratic work; of a seed, say
NPY = re.compile(
    rb"\x93NUMPY\x01\x00(..)\{'descr': '(...)', 'fortran_order': (True|False), 'shape': \((\d[\d, ]{0,99})\), \} *\n",
    re.DOTALL,
)


def write_archive(path: str | os.PathLike[str], model: Any, arrays: Arrays) -> None:
    """Write a file whole, or not at all (`refrank.datasets.whole_file`)."""
    head = json.dumps({"format": FORMAT, "version": VERSION, "model": model}, indent=1, allow_nan=False)
    members = {f"{name}.npy": write_npy(array) for name, array in arrays.items()} | {HEAD: head.encode()}
    with replace_file(path) as file, zipfile.ZipFile(file, "w") as archive:
        for name in sorted(members):
            info = zipfile.ZipInfo(name)  # of 1980, stored
            info.create_system, info.external_attr = 3, 0o644 << 16  # as on Unix, on every system
            archive.writestr(info, members[name])


def write_npy(array: NDArray[Any]) -> bytes:
    """Write an array as NumPy's format 1.0 has it; NumPy's own writer pads by its version."""
    by_columns = array.flags.f_contiguous and not array.flags.c_contiguous
    kind = array.dtype.newbyteorder("<")
    header = f"{{'descr': '{kind.str}', 'fortran_order': {by_columns}, 'shape': {array.shape}, }}"
    header += " " * (-(len(header) + 11) % 64) + "\n"
    entries = array.astype(kind, copy=False).tobytes("F" if by_columns else "C")
    return b"\x93NUMPY\x01\x00" + len(header).to_bytes(2, "little") + header.encode() + entries


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


def read_archive(content: bytes) -> tuple[Any, Arrays]:
    """Read the model in the head, and the arrays; nothing is unpacked, and nothing runs."""
    require(not (content[:1] == b"{" and b'"refrank model"' in content[:99]), EARLIER)
    with zipfile.ZipFile(io.BytesIO(content)) as file:
        members = {info.filename: info for info in file.infolist()}
        own = len(members) == len(file.infolist()) and sum(info.file_size for info in members.values()) <= len(content)
        own = own and all(info.compress_type == zipfile.ZIP_STORED for info in members.values())
        require(own, "its members must be stored, not compressed, and each have a name and bytes of their own")
        require(HEAD in members, f"it has no member {HEAD}")
        for name in members:
            known = name == HEAD or name.endswith(".npy")
            require(known, f"it has a member {short(name)}: members are {HEAD} and .npy arrays")
        contents = {name: file.read(name) for name in members}
    head = read_head(contents.pop(HEAD))
    head = head if isinstance(head, dict) else {}
    require(head.get("format") != "refrank forest", EARLIER)
    require(head.get("format") == FORMAT, f'format must be "{FORMAT}"')
    version = head.get("version")
    require(type(version) is int and version == VERSION, f"version is {short(version)}: this release reads {VERSION}")
    require(head.keys() == {"format", "version", "model"}, f"{HEAD} must hold format, version and model only")
    return head["model"], {name[:-4]: read_npy(content, name) for name, content in contents.items()}


def read_head(content: bytes) -> Any:
    """Read JSON whose objects have each field once, and whose numbers are finite and not longer than they need be."""

    def hold(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        held = dict(pairs)
        require(len(held) == len(pairs), f"{HEAD} has an object with a field twice, among {short([*held])}")
        return held

    def read_float(digits: str) -> float:
        return float(digits) if math.isfinite(float(digits)) else refuse(HEAD, digits, "a finite number")

    def read_integer(digits: str) -> int:
        n_digits = len(digits.lstrip("-"))
        return int(digits) if n_digits <= MOST_DIGITS else refuse(HEAD, digits, f"of at most {MOST_DIGITS} digits")

    read_constant = partial(refuse, HEAD, rule="JSON")
    try:
        return json.loads(
            str(content, "utf-8"),
            object_pairs_hook=hold,
            parse_float=read_float,
            parse_int=read_integer,
            parse_constant=read_constant,
        )
    except (json.JSONDecodeError, UnicodeDecodeError) as fault:
        raise ValueError(f"{HEAD} is not JSON: {fault}") from None


def read_npy(content: bytes, name: str) -> NDArray[Any]:
    """Read an array as `write_npy` wrote it, exactly as long as its bytes."""
    header = NPY.match(content)
    if header is None or int.from_bytes(header[1], "little") != header.end() - 10 or header[2].decode() not in DTYPES:
        raise ValueError(f"{name} must be a .npy array of version 1.0, of one of the types {', '.join(DTYPES)}")
    kind, shape = np.dtype(header[2].decode()), tuple(int(n) for n in header[4].decode().split(",") if n.strip())
    whole = math.prod(shape) * kind.itemsize == len(content) - header.end()
    require(whole, f"{name} has shape {short(shape)} of {kind}: it must have as many bytes as that")
    array = np.frombuffer(bytearray(memoryview(content)[header.end() :]), kind)  # of its own: it can be written to
    return array.reshape(shape, order="F" if header[3] == b"True" else "C").astype(kind.newbyteorder("="), copy=False)


def require(holds: object, fault: str) -> None:
    """Raise a ValueError unless something holds."""
    if not holds:
        raise ValueError(fault)


def refuse(where: str, value: object, rule: str) -> NoReturn:
    """Raise the ValueError of a value that breaks its rule."""
    told = " ".join(short(value).split())
    raise ValueError(f"{where} is {told if len(told) < 80 else told[:76] + ' ...'}: it must be {rule}")


@contextmanager
def prefix_faults(where: str) -> Iterator[None]:
    """Put a place, which ends in a dot, in front of the names in faults."""
    try:
        yield
    except ValueError as fault:
        raise ValueError(f"{where}{fault}") from None

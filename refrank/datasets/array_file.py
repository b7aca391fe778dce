"""Arrays in a file that `np.savez` wrote, or that somebody else made to look so.

An array takes memory only where its header asks for the very bytes that are stored for it, and nothing is unpickled.
"""

import io
import math
import zipfile
from typing import Any

from numpy.lib import format as npy
from numpy.typing import NDArray


def read_arrays(content: bytes) -> dict[str, NDArray[Any]]:
    """Read all arrays of a file from its bytes; the errors are those of `read_array`."""
    with zipfile.ZipFile(io.BytesIO(content)) as members:
        if sum(info.file_size for info in members.infolist()) > len(content):
            raise ValueError("each array must have bytes of its own")
        names = [place.removesuffix(".npy") for place in members.namelist()]
        return {name: read_array(members, name) for name in names}


def read_array(members: zipfile.ZipFile, name: str) -> NDArray[Any]:
    """Read an array of a file.

    Raises a KeyError, a ValueError or a `zipfile.BadZipFile` if it is missing, is not stored as its header says, or is
    damaged.
    """
    info = members.getinfo(f"{name}.npy")
    with members.open(info) as member:
        npy.read_magic(member)
        shape, _, kind = npy.read_array_header_1_0(member)
        n_bytes = math.prod(shape) * kind.itemsize + member.tell()
    stored = info.compress_type == zipfile.ZIP_STORED and n_bytes == info.file_size == info.compress_size
    if kind.hasobject or not stored:
        raise ValueError(f"{name} is not stored as its header says")
    with members.open(info) as member:
        array: NDArray[Any] = npy.read_array(member, allow_pickle=False)
        if member.read(1):  # to the end, where zipfile compares the checksum
            raise ValueError(f"{name} is longer than its header says")
    return array

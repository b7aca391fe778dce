"""Numbers in JSON: decimal for people, hexadecimal for programs.

    {"dtype": "float64", "shape": [2], "values": [0.1, "-inf"], "hex": ["0x1.999999999999ap-4", "-inf"]}

    dtype     float64, float32, int64, int32, int16, int8, uint64, uint32, uint16, uint8
    shape     of the array; [] for a single number
    values    the entries in C order: integers exactly; floats in the fewest digits that name them; "nan", "inf", "-inf"
    hex       the same floats, as C's strtod reads and its %a prints them
    text      the same integers in digits, where one is beyond 2^53: JSON.parse of JavaScript rounds such numbers

A reader takes any of the lists: `decode` requires at least one, and equal numbers in two.
"""

import json
import math
import re
import struct
from collections.abc import Mapping
from functools import cache, partial
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from refrank.checks import print_text

FLOATS = ("float64", "float32")
INTEGERS = ("int64", "int32", "int16", "int8", "uint64", "uint32", "uint16", "uint8")
MOST_DIMENSIONS = 4
AT_ONCE = 2**12  # integers written at a time: as objects they take eight times the memory
SAFE = 2**53  # a float64 holds every integer up to this


def encode(values: ArrayLike) -> dict[str, Any]:
    """Write an array of one of the types above as JSON; another type is a ValueError."""
    array = np.asarray(values)
    dtype = check_type(name_type(array.dtype), "values")
    return {"dtype": dtype, "shape": list(array.shape), **json.loads(f"{{{write_entries(array)}}}")}


def write_entries(values: NDArray[Any], exact_alone: bool = False) -> str:
    """Write the entries of an array in JSON, without the braces of an object around them.

    With `exact_alone`, floats are written in hexadecimal alone, which takes a third of the time.
    """
    if values.dtype.kind != "f":
        own = values.ravel()
        pieces = (str(own[i : i + AT_ONCE].tolist())[1:-1] for i in range(0, own.size, AT_ONCE))
        written = ",".join(pieces).replace(" ", "")
        is_wide = own.itemsize == 8 and own.size > 0 and (own.max() > SAFE or own.min() < -SAFE)
        quoted = written.replace(",", '","')
        return f'"values":[{written}]' + (f',"text":["{quoted}"]' if is_wide else "")
    entries = values.ravel().tolist()  # Python floats for float32 too: the same numbers
    quoted = '","'.join(map(float.hex, entries))
    exact = f'"hex":["{quoted}"]' if entries else '"hex":[]'
    if exact_alone:
        return exact
    if not np.isfinite(values).all():
        entries = [entry if math.isfinite(entry) else str(entry) for entry in entries]
    return f'"values":{json.dumps(entries, separators=(",", ":"))},{exact}'


@cache  # NumPy builds the name anew each time, which takes longer than a digest
def name_type(dtype: np.dtype[Any]) -> str:
    """Return the name of a type."""
    return dtype.name


def decode(document: object, name: str = "array") -> NDArray[Any]:
    """Read an array from what a JSON parser returns; errors call it `name`.

    Raises a ValueError if the document has another form, the number of its entries differs from its shape, or a number
    does not fit its type.
    """
    if not isinstance(document, Mapping):
        raise ValueError(f"{name} is {show(document)}: it must be an object with dtype, shape and values")
    dtype, shape = check_type(document.get("dtype"), name), read_shape(document.get("shape"), name)
    exact = "hex" if dtype in FLOATS else "text"
    titles = {key: title for key, title in {"values": name, exact: f"{exact} of {name}"}.items() if key in document}
    read = [read_entries(document[key], math.prod(shape), dtype, title) for key, title in titles.items()]
    if not read:
        rule = "it must have values, hex of floats, or text of integers"
        raise ValueError(f"{name} has keys {show(sorted(map(str, document)))}: {rule}")
    for i, (ours, other) in enumerate(zip(read[0], read[-1], strict=True) if len(read) == 2 else ()):
        if repr(ours) != repr(other):
            rule = "both must be the same number"
            raise ValueError(f"{name} at entry {i} is {ours!r}, and in {exact} {other!r}: {rule}")
    return np.array(read[0], dtype).reshape(shape)


def check_type(dtype: object, name: str) -> str:
    """Return the type of an array that a document may have."""
    if not isinstance(dtype, str) or dtype not in (*FLOATS, *INTEGERS):
        raise ValueError(f"dtype of {name} is {show(dtype)}: it must be one of {', '.join((*FLOATS, *INTEGERS))}")
    return dtype


def read_shape(shape: Any, name: str) -> list[int]:
    """Read the shape of an array."""
    lengths: list[Any] = shape if isinstance(shape, list) else [None]
    if len(lengths) > MOST_DIMENSIONS or not all(type(length) is int and 0 <= length < 2**31 for length in lengths):
        rule = f"it must be a list of at most {MOST_DIMENSIONS} integers of at least 0"
        raise ValueError(f"shape of {name} is {show(shape)}: {rule}")
    return lengths


def read_entries(entries: Any, n_entries: int, dtype: str, name: str) -> list[Any]:
    """Read a list of entries; their number must fit the shape, and each must have the type."""
    if not isinstance(entries, list) or len(entries) != n_entries:
        shown = f"{len(entries)} entries" if isinstance(entries, list) else show(entries)
        raise ValueError(f"{name} is {shown}: its shape wants a list of {n_entries} entries")
    if dtype in FLOATS:
        numbers = [*map(partial(read_float, form="d" if dtype == "float64" else "f"), entries)]
    else:
        bounds = np.iinfo(dtype)
        numbers = [*map(partial(read_integer, bounds=range(int(bounds.min), int(bounds.max) + 1)), entries)]
    if None in numbers:
        at = numbers.index(None)
        rule = f"it must be a number of type {dtype}, or its text in {'hex' if dtype in FLOATS else 'digits'}"
        raise ValueError(f"{name} at entry {at} is {show(entries[at])}: {rule}")
    return numbers


def read_integer(entry: Any, bounds: range) -> int | None:
    """Read an integer within bounds: a number, or a text in decimal digits."""
    number = int(entry) if isinstance(entry, str) and re.fullmatch("-?[0-9]{1,20}", entry) else entry
    return number if type(number) is int and number in bounds else None


def read_float(entry: Any, form: str) -> float | None:
    """Read a float that its type holds, of form d or f: a number, a text in hex, "nan", "inf" or "-inf"."""
    try:
        if isinstance(entry, str) and (entry in ("nan", "inf", "-inf") or "0x" in entry[:3]) and len(entry) <= 40:
            entry = float.fromhex(entry)
        elif type(entry) not in (int, float) or not math.isfinite(entry):
            return None
        (number,) = struct.unpack(form, struct.pack(form, entry))
        return number if number == entry or math.isnan(number) else None
    except (ValueError, OverflowError):
        return None


def show(value: object) -> str:
    """Write a value of an untrusted document in a few printable characters."""
    return print_text(repr(value)[:200], 60)

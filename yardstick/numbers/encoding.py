"""Numbers in JSON: decimal for people, hexadecimal for programs.

    {"dtype": "float64", "shape": [2], "values": [0.1, "-inf"], "hex": ["0x1.999999999999ap-4", "-inf"]}

    dtype     float64, float32, int64, int32, int16, int8, uint64, uint32, uint16, uint8
    shape     of the array; [] for a single number
    values    the entries in C order: integers exactly; floats in the fewest digits that name them; "nan", "inf", "-inf"
    hex       the same floats, as C's strtod reads and its %a prints them; absent beside integers
    text      the same integers in digits, where one is beyond 2^53: JSON.parse of JavaScript rounds such numbers

A reader may take either list: `decode` requires at least one, and equal numbers in both if both are present.
"""

import math
import re
from collections.abc import Callable, Mapping
from functools import cache
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
    """Write an array as JSON.

    Parameters
    ----------
    values : array of any shape
        Of one of the types above.

    Returns
    -------
    dict

    Raises
    ------
    ValueError
        If it has another type.

    Examples
    --------
    >>> encode(np.array([0.5, -np.inf]))
    {'dtype': 'float64', 'shape': [2], 'values': [0.5, '-inf'], 'hex': ['0x1.0000000000000p-1', '-inf']}
    >>> encode(np.int64(2**60 + 1))
    {'dtype': 'int64', 'shape': [], 'values': [1152921504606846977], 'text': ['1152921504606846977']}
    """
    array = np.asarray(values)
    name = name_type(array.dtype)
    document: dict[str, Any] = {"dtype": name, "shape": list(array.shape)}
    entries = array.ravel().tolist()  # Python floats for float32 too: the same numbers
    if name in INTEGERS:
        text = {"text": [str(entry) for entry in entries]} if has_wide(array) else {}
        return {**document, "values": entries, **text}
    if name not in FLOATS:
        raise ValueError(f"values has type {array.dtype}: it must be one of {', '.join((*FLOATS, *INTEGERS))}")
    decimal = [entry if math.isfinite(entry) else str(entry) for entry in entries]
    return {**document, "values": decimal, "hex": [entry.hex() for entry in entries]}


def write_entries(values: NDArray[Any], exact_alone: bool = False) -> str:
    """Write the entries of an array as `json.dumps` writes those of `encode`, several times faster.

    Parameters
    ----------
    values : array of any shape
        Of one of the types above.
    exact_alone : bool, default False
        Omit decimal floats: writing hexadecimal alone takes a third of the time.

    Returns
    -------
    str
        The members of `encode` but for the type and the shape, without the braces of an object around them.

    Examples
    --------
    >>> write_entries(np.array([0.5, np.nan]))
    '"values":[0.5,"nan"],"hex":["0x1.0000000000000p-1","nan"]'
    >>> write_entries(np.array([0.5, np.nan]), exact_alone=True)
    '"hex":["0x1.0000000000000p-1","nan"]'
    """
    if values.dtype.kind != "f":
        own = values.ravel()
        pieces = (write_list(own[i : i + AT_ONCE].tolist())[1:-1] for i in range(0, len(own), AT_ONCE))
        text = f',"text":{write_list([*map(str, own.tolist())])}' if has_wide(values) else ""
        return f'"values":[{",".join(pieces)}]{text}'
    entries = values.ravel().tolist()
    words = '","'.join([entry.hex() for entry in entries])
    exact = f'"hex":["{words}"]' if entries else '"hex":[]'
    if exact_alone:
        return exact
    if not np.isfinite(values).all():
        entries = encode(values)["values"]
    return f'"values":{write_list(entries)},{exact}'


def has_wide(values: NDArray[Any]) -> bool:
    """Return whether an array of integers has one beyond 2^53."""
    return values.dtype.itemsize == 8 and values.size > 0 and (values.max() > SAFE or values.min() < -SAFE)


def write_list(entries: list[Any]) -> str:
    """Write numbers, and words without quotes, as JSON does."""
    return str(entries).replace(" ", "").replace("'", '"')


@cache  # NumPy builds the name anew each time, which takes longer than a digest
def name_type(dtype: np.dtype[Any]) -> str:
    """Return the name of a type."""
    return dtype.name


def decode(document: object, name: str = "array") -> NDArray[Any]:
    """Read an array from JSON.

    Parameters
    ----------
    document : object
        Output of a JSON parser.
    name : str
        Name of the array in errors.

    Returns
    -------
    array

    Raises
    ------
    ValueError
        If the document has another form, the number of its entries differs from its shape, or a number does not fit
        its type.

    Examples
    --------
    >>> decode({"dtype": "float64", "shape": [], "hex": ["0x1.8p+1"]})
    array(3.)
    >>> decode({"dtype": "int8", "shape": [2], "values": [1, 128]}, "codes")
    Traceback (most recent call last):
    ValueError: codes at entry 1 is 128: it must be an int8
    """
    if not isinstance(document, Mapping):
        raise ValueError(f"{name} is {show(document)}: it must be an object with dtype, shape and values")
    dtype = document.get("dtype")
    if not isinstance(dtype, str) or dtype not in (*FLOATS, *INTEGERS):
        raise ValueError(f"dtype of {name} is {show(dtype)}: it must be one of {', '.join((*FLOATS, *INTEGERS))}")
    shape = read_shape(document.get("shape"), name)
    n_entries = math.prod(shape)
    exact = "hex" if dtype in FLOATS else "text"
    lists = {key: document[key] for key in ("values", exact) if key in document}
    if not lists:
        rule = "it must have values, hex of floats, or text of integers"
        raise ValueError(f"{name} has keys {show(sorted(map(str, document)))}: {rule}")
    number = read_float if dtype in FLOATS else read_integer
    forms = {"values": (name, number), "hex": (f"hex of {name}", number), "text": (f"text of {name}", read_text)}
    read = [read_entries(entries, n_entries, dtype, *forms[key]) for key, entries in lists.items()]
    write: Any = float.hex if dtype in FLOATS else int
    for i, (ours, other) in enumerate(zip(*read, strict=True) if len(read) == 2 else ()):
        if write(ours) != write(other):
            rule = "both must be the same number"
            raise ValueError(f"{name} at entry {i} is {ours!r}, and in {exact} {other!r}: {rule}")
    return np.array(read[0], dtype).reshape(shape)


def read_shape(shape: Any, name: str) -> list[int]:
    """Read the shape of an array."""
    lengths: list[Any] = shape if isinstance(shape, list) else [None]
    if len(lengths) > MOST_DIMENSIONS or not all(type(length) is int and 0 <= length < 2**31 for length in lengths):
        rule = f"it must be a list of at most {MOST_DIMENSIONS} integers of at least 0"
        raise ValueError(f"shape of {name} is {show(shape)}: {rule}")
    return lengths


def read_entries(entries: object, n_entries: int, dtype: str, name: str, read: Callable[..., Any]) -> list[Any]:
    """Read the entries of one list; their number must fit the shape, and each must have the type."""
    if not isinstance(entries, list) or len(entries) != n_entries:
        shown = f"{len(entries)} entries" if isinstance(entries, list) else show(entries)
        raise ValueError(f"{name} is {shown}: its shape wants a list of {n_entries} entries")
    return [read(entry, dtype, f"{name} at entry {i}") for i, entry in enumerate(entries)]


def read_integer(entry: object, dtype: str, name: str) -> int:
    """Read an integer that its type holds."""
    lowest, highest = find_bounds(dtype)
    if type(entry) is not int or not lowest <= entry <= highest:
        raise ValueError(f"{name} is {show(entry)}: it must be {'an' if dtype[0] == 'i' else 'a'} {dtype}")
    return entry


def read_text(entry: object, dtype: str, name: str) -> int:
    """Read an integer in decimal digits."""
    if not isinstance(entry, str) or not re.fullmatch("-?[0-9]{1,20}", entry):
        raise ValueError(f"{name} is {show(entry)}: it must be a text of digits")
    return read_integer(int(entry), dtype, name)


@cache  # NumPy looks them up anew each time
def find_bounds(dtype: str) -> tuple[int, int]:
    """Return the lowest and the highest integer of a type."""
    bounds = np.iinfo(dtype)
    return int(bounds.min), int(bounds.max)


def read_float(entry: object, dtype: str, name: str) -> float:
    """Read a float that its type holds: a number, a hexadecimal text, "nan", "inf" or "-inf"."""
    number = None
    if type(entry) in (int, float):
        number = as_float(entry)
    elif isinstance(entry, str) and (entry in ("nan", "inf", "-inf") or "0x" in entry[:3]) and len(entry) <= 40:
        number = from_hex(entry)
    if number is None or (dtype == "float32" and not holds(number)):
        raise ValueError(f'{name} is {show(entry)}: it must be a {dtype}, as a number, in hex, "nan", "inf" or "-inf"')
    return number


def as_float(entry: Any) -> float | None:
    """Return a JSON number as a float; None if no finite float equals it."""
    try:
        number = float(entry)
    except OverflowError:
        return None
    return number if math.isfinite(number) and number == entry else None


def from_hex(entry: str) -> float | None:
    """Return the float that C's %a writes as this text; None if there is none."""
    try:
        return float.fromhex(entry)
    except (ValueError, OverflowError):
        return None


def holds(number: float) -> bool:
    """Return whether a float32 holds the number."""
    with np.errstate(over="ignore"):
        single = float(np.float32(number))
    return single == number or math.isnan(number)


def show(value: object) -> str:
    """Write a value of an untrusted document in a few printable characters."""
    return print_text(repr(value)[:200], 60)

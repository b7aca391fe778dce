"""Arguments and answers as JSON, by the tables of docs/port/another_language.md: reading them executes nothing."""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np
from numpy.typing import NDArray

from yardstick.numbers.encoding import MOST_DIMENSIONS, SAFE, decode, encode, show

MOST_CHARACTERS = 40  # of a number


def pack(value: Any) -> Any:
    """Write a value in JSON; a TypeError says that it, or something in it, has another type."""
    if isinstance(value, Mapping):
        return {str(name): pack(entry) for name, entry in value.items()}
    if isinstance(value, list | tuple) and value and all(isinstance(entry, str) for entry in value):
        return [*value]
    if isinstance(value, tuple):
        return [pack_array(entry) for entry in value]
    exact = type(value) is int and abs(value) <= SAFE
    if value is None or isinstance(value, bool | str) or exact or (type(value) is float and math.isfinite(value)):
        return value
    return pack_array(value)


def pack_array(values: Any) -> dict[str, Any]:
    """Write an array, or what NumPy makes one of."""
    try:
        array = np.asarray(values)
        document = encode(array.astype(np.int64) if array.dtype.kind == "b" else array)
    except ValueError:
        kind = type(values).__name__
        raise TypeError(f"a value is of type {kind}: it must be a number, a text or an array of numbers") from None
    document.pop("hex", None)
    return document


def unpack(document: Any) -> Any:
    """Read an argument: a list becomes a tuple, and an array without dimensions a number."""
    if isinstance(document, list):
        return tuple(document)
    if isinstance(document, dict) and "dtype" in document:
        array = decode(document)
        return array if array.ndim else array.item()
    return {name: unpack(part) for name, part in document.items()} if isinstance(document, dict) else document


def read_answer(document: Any) -> Any:
    """Read an answer, which a ValueError refuses; several outputs are a mapping or a tuple."""
    if isinstance(document, dict) and "dtype" not in document:
        return {key: read_array(part, "an answer") for key, part in document.items()}
    if isinstance(document, list) and document and isinstance(document[0], dict):
        return tuple(read_array(part, "an answer") for part in document)
    return read_array(document, "an answer")


def read_array(document: Any, name: str) -> NDArray[Any]:
    """Read an array, a number, or numbers in lists of equal lengths."""
    if isinstance(document, dict) and "dtype" in document:
        return decode(document, name)
    try:
        entries = np.array(document, dtype=object)
        numbers = [*map(read_number, entries.flat)]
        if entries.ndim <= MOST_DIMENSIONS:
            is_whole = numbers and all(isinstance(number, int) for number in numbers)
            integers = (np.iinfo(np.int64), np.iinfo(np.uint64)) if is_whole else ()
            holding = (of.dtype for of in integers if of.min <= min(numbers) and max(numbers) <= of.max)
            return np.array(numbers, next(holding, np.float64)).reshape(entries.shape)  # JavaScript writes 1.0 as 1
    except (TypeError, ValueError, OverflowError):  # other lengths; a text, or digits, that are no float64
        pass
    raise ValueError(f"{name} is {show(document)}: it must be numbers, or lists of them of equal lengths")


def read_number(entry: Any) -> float:
    """Read a number, or a text that is one."""
    if isinstance(entry, bool | int | float):
        return entry
    if not isinstance(entry, str) or len(entry) > MOST_CHARACTERS:
        raise TypeError
    if "0x" in entry[:3]:
        return float.fromhex(entry)
    return int(entry) if entry.lstrip("-").isdigit() else float(entry)

"""Fields of XGBoost's model, JSON or UBJSON: each is returned with its type, or refused with its name."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.models.foreign_bytes import refuse, require


def get(held: Any, name: str, kind: type) -> Any:
    """Return a value of an object; refuse it if its type is wrong."""
    require(isinstance(held, dict) and name in held, f"{name} is not there")
    value = held[name]
    if not isinstance(value, kind):
        refuse(name, value, f"of type {kind.__name__}")
    return value


def read_size(held: Any, name: str) -> int:
    """Read a number that is a string of digits.

    >>> read_size({"num_class": "3"}, "num_class")
    3
    """
    text = get(held, name, str)
    if not (text.isascii() and text.isdigit() and len(text) < 12):
        refuse(name, text, "a string of digits")
    return int(text)


def read_row(held: Any, name: str, n: int, kinds: str) -> NDArray[Any]:
    """Read an array of n numbers, (n,), of the type kinds that NumPy names by these letters."""
    require(isinstance(held, dict) and name in held, f"{name} is not there")
    given = held[name]
    plain = isinstance(given, list) and all(type(value) in (bool, int, float) for value in given)
    row = np.array(given) if plain else given
    if not isinstance(row, np.ndarray) or row.ndim != 1:
        refuse(name, given, "a row of numbers")
    require(len(row) == n, f"{name} has {len(row)} numbers: it must have {n}")
    fault = f"{name} has numbers of type {row.dtype}: they must be {'numbers' if 'f' in kinds else 'integers'}"
    require(n == 0 or row.dtype.kind in kinds, fault)
    return row

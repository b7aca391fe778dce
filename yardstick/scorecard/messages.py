"""Arguments and results of functions as JSON: a call passes from one process to another and executes nothing.

value                               in JSON
None, a truth value, a text         as they are
an integer, a finite float          as they are: the digits of a float name it
another float                       {"float": "nan"}, "inf" or "-inf"
a list, a tuple                     {"list": [...]}, {"tuple": [...]}
a mapping of texts                  {"mapping": {...}}
an array, or a number of NumPy      {"array": {...}}    (yardstick/numbers/encoding.py)
"""

import math
from collections.abc import Mapping
from typing import Any

import numpy as np

from yardstick.numbers.encoding import decode, encode

DEEPEST = 20  # levels of nested lists
BEYOND = 10**999  # of integers


def pack(value: Any, depth: int = 0) -> Any:
    """Write a value in JSON.

    Raises
    ------
    TypeError
        If the value, or something in it, has another type.

    Examples
    --------
    >>> pack((1, [0.5, math.inf]))
    {'tuple': [1, {'list': [0.5, {'float': 'inf'}]}]}
    """
    if depth > DEEPEST:
        raise TypeError("lists are nested too deeply")
    if type(value) is int and abs(value) >= BEYOND:
        raise TypeError("an integer has 1000 digits or more")
    if value is None or type(value) in (bool, int, str):
        return value
    if type(value) is float:
        return value if math.isfinite(value) else {"float": str(value)}
    if isinstance(value, list | tuple):
        packed = [pack(entry, depth + 1) for entry in value]
        return {"list" if isinstance(value, list) else "tuple": packed}
    if isinstance(value, Mapping) and all(isinstance(name, str) for name in value):
        return {"mapping": {name: pack(entry, depth + 1) for name, entry in value.items()}}
    if isinstance(value, np.ndarray | np.generic):
        array = np.asarray(value)
        if array.dtype.kind == "b":
            array = array.astype(np.int64)
        try:
            return {"array": encode(array)}
        except ValueError as fault:
            raise TypeError(str(fault)) from None
    kinds = "a number, a text, an array, or a list, tuple or mapping of these"
    raise TypeError(f"a value is of type {type(value).__name__}: it must be {kinds}")


def unpack(document: Any, depth: int = 0) -> Any:
    """Read a value from JSON that `pack` wrote.

    Raises
    ------
    ValueError
        If it has another form.

    Examples
    --------
    >>> unpack({"tuple": [1, {"list": [0.5, {"float": "inf"}]}]})
    (1, [0.5, inf])
    """
    if depth > DEEPEST:
        raise ValueError("a message holds lists that are nested too deeply")
    if not isinstance(document, dict):
        if isinstance(document, list):
            raise ValueError("a message holds a bare list")
        return document
    [(kind, value)] = document.items() if len(document) == 1 else [("", None)]
    if kind == "float" and value in ("nan", "inf", "-inf"):
        return float(value)
    if kind == "array":
        array = decode(value)
        return array if array.ndim else array[()]
    if kind in ("list", "tuple") and isinstance(value, list):
        values = [unpack(entry, depth + 1) for entry in value]
        return values if kind == "list" else tuple(values)
    if kind == "mapping" and isinstance(value, dict):
        return {name: unpack(entry, depth + 1) for name, entry in value.items()}
    raise ValueError("a message holds an object of another kind")

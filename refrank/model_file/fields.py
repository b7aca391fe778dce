"""What a field of a model file may hold. Each fault is a ValueError that names the field."""

import math
from reprlib import repr as shown  # a fault is one line, however long the value
from typing import Any

import numpy as np
from numpy.typing import NDArray


def entry(document: dict[str, Any], name: str, where: str = "") -> Any:
    """Return a field that must be there."""
    if name not in document:
        raise ValueError(f'it has no field "{where}{name}"')
    return document[name]


def read_list(value: Any, where: str, length: int) -> list[Any]:
    """Return a list of that length."""
    if not isinstance(value, list) or len(value) != length:
        raise ValueError(f"{where} must be a list of {length} entries")
    return value


def read_array(value: Any, where: str, kind: type[np.generic]) -> NDArray[Any]:
    """Return a list of numbers, finite and, for an integer type, whole and within its range, as an array."""
    whole = issubclass(kind, np.integer)
    if not isinstance(value, list) or not all(type(item) is int if whole else is_number(item) for item in value):
        raise ValueError(f"{where} must be a list of {'whole' if whole else 'finite'} numbers")
    try:
        return np.array(value, kind)
    except OverflowError:
        raise ValueError(f"{where} holds a number beyond {kind.__name__}") from None


def read_whole(value: Any, where: str, at_least: int) -> int:
    """Return a whole number, no larger than an array can be."""
    if type(value) is not int or not at_least <= value < 2**31:
        raise ValueError(f"{where} is {shown(value)}: it must be a whole number from {at_least} to {2**31 - 1}")
    return value


def read_rate(model: dict[str, Any]) -> float:
    """Return the learning rate."""
    rate = entry(model, "learning_rate", "model.")
    if not is_number(rate) or not 0 < rate <= 1:
        raise ValueError(f'"model.learning_rate" is {shown(rate)}: it must lie above 0 and be at most 1')
    return float(rate)


def is_number(value: Any) -> bool:
    """Tell whether JSON gave a number that float64 holds: no string, no truth value, no NaN."""
    try:
        return type(value) in (int, float) and math.isfinite(value)
    except OverflowError:  # a whole number beyond float64
        return False

"""Numbers in which named arrays differ, and whether they do.

every bit        numbers are equal if their bits are: 0.0 is not -0.0, and every nan equals any other
within ulps      |actual - expected| <= ulps * spacing of the largest finite entry of the expected array
integers         equal; floats without a fraction stand for integers
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Bools
from refrank.trees.numbers.ulps import count_ulps, find_different, write_number

Arrays = Mapping[str, NDArray[Any]]


@dataclass(frozen=True)
class Difference:
    """The first number of an array that differs."""

    name: str  # of the array
    index: tuple[int, ...]  # () of a single number
    expected: Any  # a number; the shape, if shapes differ
    actual: Any
    ulps: int | None = None  # float64 numbers from one to the other; None if one is not finite, and for integers

    def __str__(self) -> str:
        """Describe both numbers, floats in decimal and hexadecimal."""
        place = self.name + (f"[{', '.join(map(str, self.index))}]" if self.index else "")
        away = "" if self.ulps is None else f": {self.ulps} ulp{'s' * (self.ulps != 1)} away"
        return f"{place} is {write_number(self.actual)}, expected {write_number(self.expected)}{away}"


def find_difference(expected: Arrays, actual: Arrays, ulps: int = 0) -> Difference | None:
    """Find the first number that differs, in order of array and index."""
    return next(list_differences(expected, actual, ulps), None)


def list_differences(expected: Arrays, actual: Arrays, ulps: int = 0) -> Iterator[Difference]:
    """Yield the first number of each array that differs."""
    return filter(None, (compare(name, values, actual[name], ulps) for name, values in expected.items()))


def compare(name: str, expected: NDArray[Any], actual: NDArray[Any], ulps: int = 0) -> Difference | None:
    """Compare two arrays; of lists of different lengths, the entries that both have, and then the shapes."""
    if expected.shape != actual.shape:
        of_shape = Difference(f"shape of {name}", (), expected.shape, actual.shape)
        if not expected.ndim == actual.ndim == 1:
            return of_shape
        return compare(name, expected[: len(actual)], actual[: len(expected)], ulps) or of_shape
    wrong = find_wrong(expected, actual, ulps)
    if not wrong.any():
        return None
    index = tuple(np.argwhere(wrong)[0].tolist())
    own, other = expected[index].item(), actual[index].item()
    return Difference(name, index, own, other, count_ulps(own, other))


def find_wrong(expected: NDArray[Any], actual: NDArray[Any], ulps: int) -> Bools:
    """Mark the entries that differ, in their common shape."""
    if expected.dtype.kind != "f" and expected.dtype != actual.dtype:
        return np.asarray(expected.astype(object) != actual.astype(object), bool)  # exact, whereas NumPy rounds
    unequal = find_different(expected, actual.astype(expected.dtype))
    if ulps == 0 or expected.dtype.kind != "f":
        return unequal
    finite = np.isfinite(expected)
    allowed = ulps * np.spacing(float(np.abs(expected[finite]).max(initial=0.0)))
    with np.errstate(invalid="ignore", over="ignore"):
        return unequal & ~(finite & (np.abs(actual - expected) <= allowed))

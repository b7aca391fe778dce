"""Compare a function's answer with an answer of the vectors: find the first number that differs.

every bit        numbers are equal if their bits are: 0.0 is not -0.0, and every nan equals any other
within ulps      |answer - expected| <= ulps * spacing of the largest finite entry of the expected output
integers         equal; floats without a fraction stand for integers
"""

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Bools
from refrank.trees.numbers.ulps import count_ulps, find_different, write_number
from yardstick.vectors.case import Output


@dataclass(frozen=True)
class Difference:
    """The first number that differs."""

    output: str
    index: tuple[int, ...]  # () of a single number
    expected: float | int
    answered: float | int
    ulps: int | None  # float64 numbers from one to the other; None if one is not finite, and for integers

    def __str__(self) -> str:
        """Describe both numbers in decimal and hexadecimal.

        >>> print(Difference("scores", (2, 0), 0.5, 0.25, 2**52))
        scores[2, 0] is 0.25 (0x1.0000000000000p-2), expected 0.5 (0x1.0000000000000p-1): 4503599627370496 ulps away
        """
        place = self.output + (f"[{', '.join(map(str, self.index))}]" if self.index else "")
        away = "" if self.ulps is None else f": {self.ulps} ulp{'s' * (self.ulps != 1)} away"
        return f"{place} is {write_number(self.answered)}, expected {write_number(self.expected)}{away}"


def find_difference(expected: Output, answered: Output, ulps: int = 0) -> Difference | str | None:
    """Find the first number of an answer, as `name_outputs` returns it, that differs; a sentence if a shape does.

    >>> find_difference({"x": np.array([1.0, 2.0])}, {"x": np.array([1.0, np.nextafter(2.0, 3.0)])}).ulps
    1
    >>> find_difference({"x": np.array([1, 2])}, {"x": np.array([1])})
    'x has shape (1,): it must have shape (2,)'
    """
    for name, right in expected.items():
        answer = answered[name]
        if answer.shape != right.shape:
            return f"{name} has shape {answer.shape}: it must have shape {right.shape}"
        wrong = differ(right, answer, ulps)
        if wrong.any():
            index = tuple(int(i) for i in np.unravel_index(int(np.argmax(wrong)), right.shape))
            ours, theirs = right[index].item(), answer[index].item()
            return Difference(name, index, ours, theirs, count_ulps(ours, theirs))
    return None


def differ(right: NDArray[Any], answered: NDArray[Any], ulps: int) -> Bools:
    """Mark the entries that differ, in their common shape."""
    if right.dtype.kind != "f":
        return np.asarray(right.astype(object) != answered.astype(object), bool)  # exact, whereas NumPy rounds
    answered = answered.astype(np.float64)
    unequal = find_different(right, answered)
    if ulps == 0:
        return unequal
    finite = np.isfinite(right)
    largest = float(np.abs(right[finite]).max(initial=0.0))
    with np.errstate(invalid="ignore", over="ignore"):
        near = finite & (np.abs(answered - right) <= ulps * np.spacing(largest))
    return unequal & ~near

"""Arrays as a library in C takes them: of one type, contiguous, and aligned; copied where they lie otherwise."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any, overload

import numpy as np
from numpy.typing import DTypeLike, NDArray

from refrank.arrays import Codes, Ints, Matrix, Rows

UNWRITTEN = 0x5A  # every byte of a result before the call: a number that no port means
MARGIN = 64  # bytes on each side of a result


@overload
def as_array(values: NDArray[Any], dtype: DTypeLike) -> NDArray[Any]: ...
@overload
def as_array(values: None, dtype: DTypeLike) -> None: ...
def as_array(values: NDArray[Any] | None, dtype: DTypeLike) -> NDArray[Any] | None:
    """Return an array in C order; None, which is handed over as NULL, stays None."""
    return None if values is None else np.require(values, dtype, ["C", "A"])


def as_floats(X: Matrix) -> Matrix:
    """Return an array of float32 or float64, in C order."""
    return as_array(X, np.float32 if X.dtype == np.float32 else np.float64)


def as_bins(codes: Codes, offsets: Ints) -> tuple[NDArray[Any], int, int, NDArray[Any], int]:
    """Return the labels in groups or in columns, (.., n_samples, ..), their size, n_samples, offsets and n_features."""
    return np.ascontiguousarray(codes), codes.itemsize, codes.shape[1], as_array(offsets, np.int64), len(offsets) - 1


def as_node(rows: Rows, integers: Ints, *weights: Ints | None) -> tuple[Any, ...]:
    """Return a node's rows, how many they are, and the quantities that are summed over them."""
    return as_array(rows, np.int32), len(rows), *(as_array(one, np.int64) for one in (integers, *weights))


@dataclass(frozen=True, eq=False)
class Result:
    """An array for what a function computes, with a margin on both sides, which must stay as it is."""

    array: NDArray[Any]
    memory: NDArray[np.uint8]

    @property
    def overrun(self) -> bool:
        """Whether something was written beside the array."""
        return bool((self.memory[:MARGIN] != UNWRITTEN).any() or (self.memory[-MARGIN:] != UNWRITTEN).any())


def make_result(shape: int | tuple[int, ...], dtype: DTypeLike) -> Result:
    """Make the array for a result.

    >>> hex(make_result(2, np.int32).array[1])
    '0x5a5a5a5a'
    """
    n_bytes = np.empty(shape, dtype).nbytes
    memory = np.full(n_bytes + 2 * MARGIN, UNWRITTEN, np.uint8)
    return Result(memory[MARGIN : MARGIN + n_bytes].view(dtype).reshape(shape), memory)


@contextmanager
def in_place(values: NDArray[Any]) -> Iterator[NDArray[Any]]:
    """Yield an array that a function writes to, or a contiguous copy of it, which is then copied back.

    >>> values = np.zeros((2, 3))
    >>> with in_place(values.T) as written:
    ...     written[2] = 1.0
    >>> values.tolist()
    [[0.0, 0.0, 1.0], [0.0, 0.0, 1.0]]
    """
    written = np.require(values, requirements=["C", "A", "W"])
    yield written
    if written is not values:
        values[...] = written

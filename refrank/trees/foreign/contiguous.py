"""Arrays for a library in C: of one type, contiguous, and aligned; other arrays are copied."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import DTypeLike, NDArray

UNWRITTEN = 0x5A  # every byte of a result before the call: a number that no port means
MARGIN = 64  # bytes on each side of a result


def as_array(values: Any, dtype: DTypeLike | None) -> Any:
    """Return an array in C order; None, which is passed as NULL, stays None.

    Where `dtype` is None, labels of bins and float32 keep their type, and features of any other become float64.
    """
    if values is None:
        return None
    if dtype is None:
        dtype = values.dtype if values.dtype in (np.uint8, np.uint16, np.float32) else np.float64
    return np.require(values, dtype, ["C", "A"])


@dataclass(frozen=True, eq=False)
class Result:
    """An array for the result of a function, with a margin on both sides that must stay unchanged."""

    array: NDArray[Any]
    memory: NDArray[np.uint8]

    @property
    def overrun(self) -> bool:
        """Whether the function wrote beside the array."""
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

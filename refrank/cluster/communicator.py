"""Joins of shards: each shard holds some of the training rows, and all run the same program on their own.

A program reduces over rows in two steps: over the rows of the shard, and then over the shards, by the communicator.
Sums over rows are integers (docs/reference/numerics.md), so the second step is exact, as the first one is, and no bit
of a model depends on how the rows are cut. Every shard gets the same answer and goes on in the same way, so all of them
arrive at the same joins, in the same order. `ALONE` is the one shard that has all rows.

    symbol    in code     meaning
    -         place       the number of a shard, from 0
    -         n_shards    how many there are
    -         join        one call of `sum`, `maximum`, `gather` or `exchange`, which all shards make together
"""

from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from math import fsum
from typing import Any, NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints

LOWEST = np.iinfo(np.int64).min  # what a shard without rows adds to a maximum
ALL_BUT_THE_SIGN = np.iinfo(np.int64).max


class Progress(NamedTuple):
    """A training, as a progress bar shows it beside the number of turns done."""

    n_turns: int  # in all
    unit: str  # the name of a turn
    note: str | None = None  # on the validation set; None without one


class Communicator(Protocol):
    """The joins of a shard with all others."""

    place: int
    n_shards: int

    def sum(self, values: Ints) -> Ints:
        """Add arrays of one shape, entry by entry."""

    def maximum(self, values: Ints) -> Ints:
        """Find the largest of arrays of one shape, entry by entry."""

    def gather(self, value: Any) -> list[Any]:
        """List the values of all shards in the order of their places."""

    def exchange(self, values: Sequence[Any]) -> list[Any]:
        """Send values[p] to the shard at place p; list what each shard sent here."""

    def report(self, n_done: int, so_far: Callable[[], Any], progress: Progress) -> bool:
        """Report that turns are done; return whether the training ends. `so_far` makes the model if it is asked for."""


class Alone:
    """The communicator of a shard that has all rows."""

    place, n_shards = 0, 1

    def sum(self, values: Ints) -> Ints:
        """Return the array."""
        return values

    def maximum(self, values: Ints) -> Ints:
        """Return the array."""
        return values

    def gather(self, value: Any) -> list[Any]:
        """List the one value."""
        return [value]

    def exchange(self, values: Sequence[Any]) -> list[Any]:
        """List what the shard sent to itself."""
        return [*values]

    def report(self, n_done: int, so_far: Callable[[], Any], progress: Progress) -> bool:
        """Go on: nobody watches."""
        return False


ALONE = Alone()
CURRENT: ContextVar[Communicator] = ContextVar("CURRENT", default=ALONE)


def find_shards() -> Communicator:
    """Return the communicator of the running shard; `ALONE` outside `join_shards`."""
    return CURRENT.get()


def is_alone() -> bool:
    """Return whether the rows are not cut into shards, which even one shard of a cluster is."""
    return CURRENT.get() is ALONE


@contextmanager
def join_shards(communicator: Communicator) -> Iterator[None]:
    """Train as one shard of several within a `with` block: engines made in it reduce over the rows of all.

    >>> with join_shards(ALONE):
    ...     find_shards().n_shards
    1
    """
    token = CURRENT.set(communicator)
    try:
        yield
    finally:
        CURRENT.reset(token)


def count_rows(n_rows: int) -> int:
    """Add up the numbers of rows of all shards."""
    return int(find_shards().sum(np.array([n_rows], np.int64))[0])


def find_place(n_rows: int) -> tuple[int, int]:
    """Find the number of rows on the shards before this one, and on all of them."""
    shards = find_shards()
    counts = shards.gather(n_rows)
    return sum(counts[: shards.place]), sum(counts)


def is_any(marked: Any) -> Any:
    """Mark what at least one shard marks, entry by entry; a bool, or a bool array of any shape."""
    return find_shards().maximum(np.asarray(marked, np.int64)) > 0


def find_span(values: Ints) -> tuple[int, int]:
    """Find the lowest and the highest of the integers of all rows, (n_rows,); of no row at all, the highest is lower.

    >>> find_span(np.array([3, 1, 2]))
    (1, 3)
    """
    ends = [-int(values.min()), int(values.max())] if len(values) else [LOWEST, LOWEST]
    low, high = find_shards().maximum(np.array(ends, np.int64)).tolist()
    return -low, high


def find_largest(values: Floats) -> Floats:
    """Find the largest of the shards' floats, entry by entry, in any shape; none is NaN, and -0.0 is below 0.0.

    The bits of a float, read as an integer, are in the order of the floats where the sign is positive, and in the
    opposite order where it is negative.
    """
    return from_ordered(find_shards().maximum(to_ordered(np.asarray(values, np.float64))))


def to_ordered(values: Floats) -> Ints:
    """Turn floats into integers that are in the same order.

    >>> bool((np.diff(to_ordered(np.array([-np.inf, -1.0, -0.0, 0.0, 5e-324, 2.0]))) > 0).all())
    True
    """
    bits = np.ascontiguousarray(values).view(np.int64).reshape(values.shape)
    return np.where(bits < 0, bits ^ ALL_BUT_THE_SIGN, bits)


def from_ordered(integers: Ints) -> Floats:
    """Turn such integers back into the floats."""
    bits: NDArray[np.int64] = np.where(integers < 0, integers ^ ALL_BUT_THE_SIGN, integers)
    return bits.view(np.float64)


def sum_exactly(values: Floats) -> float:
    """Add the finite floats of all rows, (n_rows,), and round once, as `math.fsum` does.

    A shard sends floats that add up exactly to its sum: the rounded sum, what rounding lost, and so on.

    >>> sum_exactly(np.array([1e16, 1.0, -1e16]))
    1.0
    """
    shards = find_shards()
    if is_alone():
        return fsum(values)
    parts: list[float] = []
    while (rest := fsum([*values, *(-part for part in parts)])) != 0.0:
        parts.append(rest)
    return fsum(part for parts in shards.gather(parts) for part in parts)

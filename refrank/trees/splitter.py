"""Signatures of the splitter's functions, and the engine, which holds a splitter.

`Splitter` is the one table of names, arguments and types in Python; refrank/kernel/refrank_splitter.h is that of C. The
specification (refrank/trees/splitting.py) and the kernel implement it; every layer between a caller and a splitter
takes the names from here (`FUNCTIONS`, `name_arguments`).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from inspect import signature
from itertools import zip_longest
from typing import Any, Protocol, TypeVar, cast

from refrank.arrays import Codes, Flags, Floats, Ints, Matrix, Rows
from refrank.cluster.communicator import Communicator, find_shards


class Splitter(Protocol):
    """The functions of the hot path: `refrank.trees.splitting` specifies them, `refrank/_split.pyx` makes them fast.

    The table at the top of `refrank.trees.splitting` explains their arguments. A cut is a `Split` of that module, or a
    tuple of its fields.
    """

    def bin_starts(self, values: Matrix, length: float, n_bins: int) -> Ints: ...
    def quantize(self, X: Matrix, cuts: Floats, offsets: Ints, codes: Codes, n_threads: int) -> None: ...
    def largest_magnitude(self, value: Floats, n_threads: int) -> float: ...
    def round_to_grid(self, value: Floats, exponent: int, n_threads: int) -> Ints: ...
    def histogram(
        self, codes: Codes, offsets: Ints, rows: Rows, integers: Ints, weights: Ints | None, n_threads: int
    ) -> Ints: ...
    def root_sums(self, codes: Codes, offsets: Ints, quantities: Sequence[Ints], n_threads: int) -> Ints: ...
    def best_split(
        self, sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, n_threads: int, missing: Flags | None
    ) -> tuple[int, int, float, int, int, int]: ...
    def best_split_inside(
        self,
        column_codes: Codes,
        offsets: Ints,
        coarse_offsets: Ints,
        ends: Ints,
        coarse_sums: Ints,
        rows: Rows,
        integers: Ints,
        weights: Ints | None,
        features: Rows,
        min_samples_leaf: int,
        n_threads: int,
        missing: Flags | None,
    ) -> tuple[int, int, float, int, int, int]: ...
    def partition(self, codes: Codes, rows: Rows, feature: int, bin: int, n_threads: int) -> int: ...
    def leaf_sums(self, value: Floats, exponent: int, rows: Rows, starts: Ints, n_threads: int) -> Ints: ...
    def add_to_leaves(self, scores: Floats, rows: Rows, starts: Ints, values: Floats, n_threads: int) -> None: ...
    def add_trees(
        self,
        X: Matrix,
        roots: Ints,
        feature: Rows,
        cut: Floats,
        left: Rows,
        right: Rows,
        value: Floats,
        scores: Floats,
        n_threads: int,
    ) -> None: ...
    def exp(self, x: Floats) -> Floats: ...
    def softmax(self, scores: Floats, first: int, proba: Floats, n_threads: int) -> None: ...
    def grow_deep(
        self,
        row_codes: Codes,
        offsets: Ints,
        rows: Rows,
        integers: Ints,
        counts: Ints,
        weights: Ints | None,
        missing: Flags | None,
        max_depth: int,
        min_samples_leaf: int,
        n_candidates: int,
        key: int,
    ) -> tuple[Rows, Rows, Rows, Rows, Floats, Ints, Ints, Ints]: ...


FUNCTIONS = tuple(name for name in vars(Splitter) if not name.startswith("_"))
ARGUMENTS = {name: tuple(signature(getattr(Splitter, name)).parameters)[1:] for name in FUNCTIONS}


def name_arguments(function: str, arguments: Sequence[Any]) -> dict[str, Any]:
    """Name the arguments of a call; omitted ones are None.

    >>> name_arguments("round_to_grid", ([0.5], 3))
    {'value': [0.5], 'exponent': 3, 'n_threads': None}
    """
    return dict(zip_longest(ARGUMENTS[function], arguments))


Watch = Callable[[Any], object]  # takes each record of refrank/trees/events.py, and may return another in its place
Event = TypeVar("Event")


def ignore(event: object) -> None:
    """Ignore an event."""


@dataclass(frozen=True)
class Engine:
    """A splitter and its number of threads; models are bit-for-bit identical for all of them."""

    splitter: Splitter  # the kernel, the specification, a library, or another object with their functions
    n_threads: int = 1
    in_turn: bool = False  # whether trees that could be grown side by side are grown one after the other
    watch: Watch = ignore  # of the training
    shards: Communicator = field(default_factory=find_shards)  # over whose rows sums go

    def tell(self, event: Event) -> Event:
        """Have an event watched; return the record with which the training goes on."""
        return cast(Event, self.watch(event) or event)

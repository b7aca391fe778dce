"""The engine: the functions that work on rows (the compiled kernel or the NumPy specification), and their threads.

An `Engine` travels with the binned features, so that every sum over rows finds it there. To use a foreign kernel, or to
record the calls, put another splitter in it: any module or object that has the functions of `Splitter`.

    REFRANK_SPLITTER=libport.so    run on this library, which implements `refrank/kernel/refrank_splitter.h`, and on the
                                   specification for what it does not offer; it goes before the compiled kernel
"""

import os
import platform
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import dataclass
from importlib import metadata
from typing import Protocol, cast

from refrank.arrays import Codes, Flags, Floats, Ints, Matrix, Rows
from refrank.checks import print_text
from refrank.kernel import KERNEL, resolve_threads
from refrank.trees import splitting
from refrank.trees.foreign.splitter import ForeignSplitter, UnusableSplitter, load_splitter


class Splitter(Protocol):
    """The functions of the hot path: `refrank.trees.splitting` specifies them, `refrank/_split.pyx` makes them fast.

    The table at the top of `refrank.trees.splitting` explains their arguments.
    """

    def bin_starts(self, values: Matrix, length: float, n_bins: int) -> Ints:
        """Cover ascending values with bins of one length."""

    def quantize(self, X: Matrix, cuts: Floats, offsets: Ints, codes: Codes, n_threads: int) -> None:
        """Write the bin of every entry of X."""

    def largest_magnitude(self, value: Floats, n_threads: int) -> float:
        """Find max |value|."""

    def round_to_grid(self, value: Floats, exponent: int, n_threads: int) -> Ints:
        """Round values to multiples of 2**-exponent."""

    def histogram(
        self, codes: Codes, offsets: Ints, rows: Rows, integers: Ints, weights: Ints | None, n_threads: int
    ) -> Ints:
        """Sum a node's rows in every bin of every feature."""

    def root_sums(self, codes: Codes, offsets: Ints, integers: Sequence[Ints], n_threads: int) -> Ints:
        """Sum several quantities of all rows in every bin of every feature."""

    def best_split(
        self, sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, n_threads: int, missing: Flags | None
    ) -> tuple[int, int, float, int, int, int]:
        """Find the cut with the largest split_gain; a `refrank.trees.splitting.Split`, or a tuple of its fields."""

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
    ) -> tuple[int, int, float, int, int, int]:
        """Find the cut that `best_split` finds, given the histogram of a node's rows over coarse bins."""

    def partition(self, codes: Codes, rows: Rows, feature: int, bin: int, n_threads: int) -> int:
        """Reorder a node's rows in place, those that go left first; return how many these are."""

    def leaf_sums(self, value: Floats, exponent: int, rows: Rows, starts: Ints, n_threads: int) -> Ints:
        """Sum values, rounded to multiples of 2**-exponent, over each leaf."""

    def add_to_leaves(self, scores: Floats, rows: Rows, starts: Ints, values: Floats, n_threads: int) -> None:
        """Add each leaf's value to the scores of its rows, in place."""

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
    ) -> None:
        """Add the values of the leaves that each row falls into to its score, tree after tree, in place."""

    def exp(self, x: Floats) -> Floats:
        """Compute exp, entry by entry."""

    def softmax(self, scores: Floats, first: int, proba: Floats, n_threads: int) -> None:
        """Write some columns of the class probabilities."""

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
    ) -> tuple[Rows, Rows, Rows, Rows, Floats, Ints, Ints, Ints]:
        """Grow a whole tree of a forest."""


@dataclass(frozen=True)
class Engine:
    """A splitter and its number of threads; models are bit-for-bit identical for all of them."""

    splitter: Splitter  # the kernel, the specification, a library, or another object with their functions
    n_threads: int = 1
    in_turn: bool = False  # whether trees that could be grown side by side are grown one after the other


def choose_splitter() -> Splitter:
    """Choose what refrank runs on: the library that REFRANK_SPLITTER names, the kernel, or the specification."""
    path = os.environ.get("REFRANK_SPLITTER")
    if not path:
        return cast(Splitter, splitting if KERNEL is None else KERNEL)
    try:
        return load_splitter(path)
    except (ValueError, OSError) as fault:
        # said where the library is needed: `import refrank` and `refrank --help` work without it
        reason = getattr(fault, "strerror", None) or fault
        return cast(Splitter, UnusableSplitter(ValueError(f"REFRANK_SPLITTER is {print_text(path, 200)}: {reason}")))


DEFAULT_SPLITTER = choose_splitter()
SPECIFICATION = Engine(splitting)  # plain NumPy


CHOSEN: ContextVar[Splitter | None] = ContextVar("CHOSEN", default=None)


def default_engine(n_threads: int | None = None) -> Engine:
    """Make the engine that estimators use: the kernel where it is built, else the specification; or a library."""
    chosen = CHOSEN.get()
    if chosen is not None:
        return Engine(chosen, resolve_threads(n_threads), in_turn=True)
    return Engine(DEFAULT_SPLITTER, resolve_threads(n_threads))


@contextmanager
def use_splitter(splitter: Splitter) -> Iterator[None]:
    """Have estimators run on another splitter within a `with` block; its calls come one at a time, tree after tree.

    >>> with use_splitter(splitting):
    ...     default_engine(1).splitter is splitting
    True
    """
    token = CHOSEN.set(splitter)
    try:
        yield
    finally:
        CHOSEN.reset(token)


def splitter_name() -> str:
    """Return "kernel", "specification", or the name of the library: what estimators run on."""
    if isinstance(DEFAULT_SPLITTER, ForeignSplitter | UnusableSplitter):
        return DEFAULT_SPLITTER.name
    return "specification" if DEFAULT_SPLITTER is splitting else "kernel"


def show_config() -> dict[str, str | int | bool]:
    """Print, and return, which splitter runs, on how many threads, and the versions under it.

    Of a library that REFRANK_SPLITTER names, what it does not offer is said, too.

    Examples
    --------
    >>> config = show_config()  # doctest: +ELLIPSIS
    splitter      ...
    >>> "splitter" in config
    True
    """
    config: dict[str, str | int | bool] = {"splitter": splitter_name()}
    if isinstance(DEFAULT_SPLITTER, ForeignSplitter):
        config["not_offered"] = ", ".join(DEFAULT_SPLITTER.not_offered) or "nothing"
    config |= {
        "openmp": bool(getattr(DEFAULT_SPLITTER, "OPENMP", False)),
        "n_threads": resolve_threads(),
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in ("refrank", "numpy", "scipy", "scikit-learn")},
    }
    for name, value in config.items():
        print(f"{name:<13} {value}")
    return config

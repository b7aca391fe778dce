"""The engine: the functions that work on rows (the compiled kernel or the NumPy specification), and their threads.

An `Engine` travels with the binned features, so that every sum over rows finds it there. To use a foreign kernel, or to
record the calls, put another splitter in it: any module or object that has the functions of `Splitter`.

    REFRANK_NO_EXTENSION=1     run on the specification (at build time: do not build the kernel)
    REFRANK_NUM_THREADS=2      the number of threads, where no argument gives it

A process that is forked after refrank was imported runs on one thread: OpenMP's threads do not survive a fork, and a
loop shared with them would never end.
"""

import os
import platform
import warnings
from dataclasses import dataclass
from importlib import import_module, metadata
from typing import Protocol, cast

import numpy as np
from numpy.typing import NDArray

from refrank.checks import check_integer
from refrank.trees import splitting
from refrank.trees.splitting import Codes, Flags, Floats, Ints, Rows


class Splitter(Protocol):
    """The functions of the hot path: `refrank.trees.splitting` specifies them, `refrank/_split.pyx` makes them fast.

    The table at the top of `refrank.trees.splitting` explains their arguments.
    """

    def bin_starts(self, values: Floats, length: float, n_bins: int) -> Ints:
        """Cover ascending distinct values with bins of one length."""

    def quantize(self, X: NDArray[np.floating], cuts: Floats, offsets: Ints, codes: Codes, n_threads: int) -> None:
        """Write the bin of every entry of X."""

    def histogram(
        self, codes: Codes, offsets: Ints, rows: Rows, integers: Ints, weights: Ints | None, n_threads: int
    ) -> Ints:
        """Sum a node's rows in every bin of every feature."""

    def best_split(
        self, sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, n_threads: int, missing: Flags | None
    ) -> tuple[int, int, float, int, int, int]:
        """Find the cut with the largest split_gain; a `refrank.trees.splitting.Split`, or a tuple of its fields."""

    def partition(self, codes: Codes, rows: Rows, feature: int, bin: int, n_threads: int) -> int:
        """Reorder a node's rows in place, those that go left first; return how many these are."""

    def leaf_sums(self, integers: Ints, rows: Rows, starts: Ints, n_threads: int) -> Ints:
        """Sum gridded integers over each leaf."""

    def add_to_leaves(self, scores: Floats, rows: Rows, starts: Ints, values: Floats, n_threads: int) -> None:
        """Add each leaf's value to the scores of its rows, in place."""

    def add_trees(
        self,
        X: NDArray[np.floating],
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

    splitter: Splitter  # the kernel, the specification, or another module or object with their functions
    n_threads: int = 1


def load_kernel() -> Splitter:
    """Import the kernel, and tell its waiting threads to sleep.

    By default, OpenMP's threads spin for a while at the end of each parallel loop. Where other programs use the cores
    too, a spinning thread keeps out the one it waits for, and two threads become five times slower than one. The
    library reads the variable once, when it is loaded; the environment is then restored.
    """
    policy = os.environ.get("OMP_WAIT_POLICY")
    os.environ["OMP_WAIT_POLICY"] = policy or "passive"
    try:
        return cast(Splitter, import_module("refrank._split"))
    finally:
        if policy is None:
            del os.environ["OMP_WAIT_POLICY"]


try:
    if os.environ.get("REFRANK_NO_EXTENSION", "0") not in ("", "0"):
        raise ImportError("REFRANK_NO_EXTENSION is set")
    DEFAULT_SPLITTER = load_kernel()
except ImportError as reason:
    DEFAULT_SPLITTER = splitting
    message = f"refrank runs on its NumPy specification: bit-for-bit identical, but slow ({reason})"
    warnings.warn(message, RuntimeWarning, stacklevel=2)

IMPORTED_BY = os.getpid()


def default_engine(n_threads: int | None = None) -> Engine:
    """Make the engine that estimators use: the kernel where it is built, else the specification."""
    return Engine(DEFAULT_SPLITTER, resolve_threads(n_threads))


def resolve_threads(n_threads: int | None = None) -> int:
    """Choose the number of threads: the argument, else REFRANK_NUM_THREADS, else all cores allowed to the process.

    A forked process has one, whatever the argument and the variable say. Both must be integers of at least 1.
    """
    variable = os.environ.get("REFRANK_NUM_THREADS")
    if n_threads is not None:
        n_threads = check_integer("n_threads", n_threads, at_least=1)
    elif variable:
        n_threads = check_integer("REFRANK_NUM_THREADS", int(variable) if variable.isdecimal() else variable, 1)
    elif hasattr(os, "sched_getaffinity"):
        n_threads = len(os.sched_getaffinity(0))
    else:
        n_threads = os.cpu_count() or 1
    return n_threads if os.getpid() == IMPORTED_BY else 1


def splitter_name() -> str:
    """Return "kernel" or "specification": what estimators run on."""
    return "specification" if DEFAULT_SPLITTER is splitting else "kernel"


def show_config() -> dict[str, str | int | bool]:
    """Print, and return, which splitter runs, on how many threads, and the versions under it.

    Examples
    --------
    >>> config = show_config()  # doctest: +ELLIPSIS
    splitter      ...
    >>> config["splitter"] in ("kernel", "specification")
    True
    """
    config: dict[str, str | int | bool] = {
        "splitter": splitter_name(),
        "openmp": bool(getattr(DEFAULT_SPLITTER, "OPENMP", False)),
        "n_threads": resolve_threads(),
        "python": platform.python_version(),
        **{package: metadata.version(package) for package in ("refrank", "numpy", "scipy", "scikit-learn")},
    }
    for name, value in config.items():
        print(f"{name:<13} {value}")
    return config

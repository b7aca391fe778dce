"""Which splitter runs, the compiled kernel or the NumPy specification, and on how many threads.

REFRANK_NO_EXTENSION=1     run on the specification (at build time: do not build the kernel)
REFRANK_NUM_THREADS=2      the number of threads where none is given

A process that was forked after refrank was imported runs on one thread: OpenMP's threads stay behind in a fork, and a
loop shared with them would never end.
"""

import os
import platform
import warnings
from importlib import import_module, metadata
from types import ModuleType

from refrank.trees import splitting


def load_kernel() -> ModuleType:
    """Import the kernel, its waiting threads told to sleep.

    OpenMP's default is to spin for a while at the end of each parallel loop. Where other programs use the cores too,
    the thread that spins keeps out the one it waits for, and two threads become five times slower than one. The
    library reads the variable once, when it is loaded; the environment is left as it was.
    """
    told = os.environ.get("OMP_WAIT_POLICY")
    os.environ["OMP_WAIT_POLICY"] = told or "passive"
    try:
        return import_module("refrank._split")
    finally:
        if told is None:
            del os.environ["OMP_WAIT_POLICY"]


try:
    if os.environ.get("REFRANK_NO_EXTENSION", "0") not in ("", "0"):
        raise ImportError("REFRANK_NO_EXTENSION is set")
    DEFAULT_SPLITTER = load_kernel()
except ImportError as reason:
    DEFAULT_SPLITTER = splitting
    warnings.warn(
        f"refrank runs on its NumPy specification: the same bits, but slow ({reason})", RuntimeWarning, stacklevel=2
    )


def splitter_name(splitter: ModuleType = DEFAULT_SPLITTER) -> str:
    """Say "kernel" or "specification"."""
    return "specification" if splitter is splitting else "kernel"


IMPORTED_BY = os.getpid()


def resolve_threads(n_threads: int | None = None) -> int:
    """Choose the number of threads: the argument, else REFRANK_NUM_THREADS, else all cores allowed to the process.

    A forked process has one, whatever is asked for.

    Raises
    ------
    ValueError
        Where the argument or the variable is not a whole number of at least 1.

    Examples
    --------
    >>> resolve_threads(3)
    3
    """
    name, value = ("n_threads", str(n_threads)) if n_threads is not None else ("REFRANK_NUM_THREADS", None)
    value = value or os.environ.get("REFRANK_NUM_THREADS")
    if value and (not value.isdecimal() or int(value) < 1):
        raise ValueError(f"{name} is {value}: it must be a whole number of at least 1")
    if os.getpid() != IMPORTED_BY:
        return 1
    if value:
        return int(value)
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


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
    }
    for package in ("refrank", "numpy", "scipy", "scikit-learn"):
        config[package] = metadata.version(package)
    for name, value in config.items():
        print(f"{name:<13} {value}")
    return config

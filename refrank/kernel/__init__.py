"""The compiled kernel, `refrank/_split.pyx`, where it is built, and the number of its threads.

A package with an extension of its own (`refrank/metrics/_order.pyx`) loads it here, too.

    REFRANK_NO_EXTENSION=1        run on the specifications in NumPy (at build time: do not build the extensions)
    REFRANK_NUM_THREADS=2         the number of threads, where no argument gives it
    REFRANK_SPLITTER=libport.so   run on this library instead of the kernel (refrank/trees/engine.py)

At most eight threads per core allowed to the process are used: more gain nothing, and each takes memory. Where the
system refuses to start that many, those that it starts are used, and a RuntimeWarning says so: OpenMP would end the
process.

A process that is forked after refrank was imported runs on one thread: OpenMP's threads do not survive a fork, and a
loop shared with them would never end.
"""

import os
import threading
import warnings
from contextlib import AbstractContextManager, nullcontext
from functools import cache
from importlib import import_module
from types import ModuleType

import numpy as np

from refrank.checks import check_integer

WAITING = {"OMP_WAIT_POLICY": "passive", "GOMP_SPINCOUNT": "5000"}  # steps of some 10 nanoseconds
MOST_KEPT = 31 << 20  # bytes; glibc keeps none of 32 MB and more
MISSING: list[str] = []  # extensions that were requested and are missing


def load_extension(name: str) -> ModuleType | None:
    """Import an extension; None where its package runs on its specification, and a RuntimeWarning for the first.

    By default, OpenMP's threads spin for a while at the end of each parallel loop. Where other programs use the cores
    too, a spinning thread keeps out the one it waits for, and two threads become five times slower than one. Here they
    spin for about as long as it takes to wake one, and then sleep: the library reads the variables once, when it is
    loaded; the environment is then restored.
    """
    missing = [] if "OMP_WAIT_POLICY" in os.environ else [item for item in WAITING.items() if item[0] not in os.environ]
    os.environ.update(missing)
    try:
        if os.environ.get("REFRANK_NO_EXTENSION", "0") not in ("", "0"):
            raise ImportError("REFRANK_NO_EXTENSION is set")
        return import_module(name)
    except ImportError as reason:
        MISSING.append(name)
        if len(MISSING) == 1:
            message = f"refrank runs on its NumPy specification: bit-for-bit identical, but slow ({reason})"
            warnings.warn(message, RuntimeWarning, stacklevel=3)
        return None
    finally:
        for name, _ in missing:
            del os.environ[name]


def keep_freed_memory() -> None:
    """Make glibc keep the memory of arrays of up to 31 MB, when they are freed, for the next ones.

    Else it gives the system what is as large as the largest that it gave back before; and a round, whose arrays have
    one number per row, spends a quarter of its time on clearing new pages.
    """
    np.empty(MOST_KEPT, np.uint8)  # is given back here: smaller ones will be kept


KERNEL = load_extension("refrank._split")  # None: everything runs on its specification
PAGES = load_extension("refrank.kernel._pages")
keep_freed_memory()
IMPORTED_BY = os.getpid()
MOST_PER_CORE = 8  # threads for each core allowed to the process


def use_large_pages() -> AbstractContextManager[None]:
    """Give NumPy's arrays pages of 2 MB within a `with` block, where the extension is built and the system has them.

    `refrank/kernel/_pages.pyx` says why. Threads have them if they run in a copy of the block's context.
    """
    return nullcontext() if PAGES is None else PAGES.use_large_pages()


def resolve_threads(n_threads: int | None = None) -> int:
    """Choose the number of threads: the argument, else REFRANK_NUM_THREADS, else all cores allowed to the process.

    A forked process has one, whatever the argument and the variable say. Both must be integers of at least 1. They are
    limited to eight per core, and to what the system starts.
    """
    variable = os.environ.get("REFRANK_NUM_THREADS")
    if n_threads is not None:
        n_threads = check_integer("n_threads", n_threads, at_least=1)
    elif variable:
        n_threads = check_integer("REFRANK_NUM_THREADS", int(variable) if variable.isdecimal() else variable, 1)
    else:
        n_threads = count_cores()
    if os.getpid() != IMPORTED_BY:
        return 1
    return find_startable(min(n_threads, MOST_PER_CORE * count_cores()), read_limit())


def count_cores() -> int:
    """Count the cores allowed to the process."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def read_limit() -> int | None:
    """Read how many processes and threads the user may have, which can be lowered at any time; None: there is none."""
    try:
        resource = import_module("resource")
    except ImportError:  # on Windows
        return None
    limit: int = resource.getrlimit(resource.RLIMIT_NPROC)[0]
    return limit


@cache  # checked once per limit: threads that were started then can be expected to start again
def find_startable(n_threads: int, limit: int | None) -> int:
    """Start threads to see how many of `n_threads` the system grants under this limit; warn of fewer."""
    if n_threads == 1:
        return 1
    done, started = threading.Event(), []
    try:
        # Python's pool and OpenMP's may wait side by side: n_threads, and n_threads - 1 beside the main thread.
        for _ in range(2 * n_threads - 1):
            thread = threading.Thread(target=done.wait, daemon=True)
            thread.start()
            started.append(thread)
    except (RuntimeError, MemoryError) as reason:  # "can't start new thread"
        granted = (len(started) + 1) // 2 or 1
        message = f"n_threads is {n_threads}, and the system starts too few ({reason}): refrank runs on {granted}"
        warnings.warn(message, RuntimeWarning, stacklevel=3)
        return granted
    finally:
        done.set()
        for thread in started:
            thread.join()
    return n_threads

"""The engine: the functions that work on rows (the compiled kernel or the NumPy specification), and their threads.

An `Engine` travels with the binned features, so that every sum over rows finds it there. To use a foreign kernel, or to
record the calls, put another splitter in it: any module or object that has the functions of `Splitter`.

    REFRANK_SPLITTER=libport.so    run on this library, which implements `refrank/kernel/refrank_splitter.h`, and on the
                                   specification for what it does not offer; it takes precedence over the kernel
"""

import os
import platform
from collections.abc import Iterator
from contextlib import contextmanager
from contextvars import ContextVar
from dataclasses import replace
from importlib import metadata
from typing import cast

from refrank.checks import print_text
from refrank.cluster.communicator import is_alone
from refrank.kernel import KERNEL, resolve_threads
from refrank.trees import splitting
from refrank.trees.foreign.splitter import ForeignSplitter, UnusableSplitter, load_splitter
from refrank.trees.sharded import ShardedSplitter
from refrank.trees.splitter import Engine as Engine
from refrank.trees.splitter import Splitter as Splitter
from refrank.trees.splitter import Watch, ignore


def choose_splitter() -> Splitter:
    """Choose the splitter of refrank: the library that REFRANK_SPLITTER names, the kernel, or the specification."""
    path = os.environ.get("REFRANK_SPLITTER")
    if not path:
        return cast(Splitter, splitting if KERNEL is None else KERNEL)
    try:
        return load_splitter(path)
    except (ValueError, OSError) as fault:
        # raised where the library is needed: `import refrank` and `refrank --help` work without it
        reason = getattr(fault, "strerror", None) or fault
        return cast(Splitter, UnusableSplitter(ValueError(f"REFRANK_SPLITTER is {print_text(path, 200)}: {reason}")))


DEFAULT_SPLITTER = choose_splitter()
SPECIFICATION = Engine(splitting)  # plain NumPy


CHOSEN: ContextVar[Engine | None] = ContextVar("CHOSEN", default=None)


def default_engine(n_threads: int | None = None) -> Engine:
    """Make the engine that estimators use: the kernel where it is built, else the specification; or a library.

    Within `join_shards`, its sums are those of all shards, and trees are grown one after the other.
    """
    chosen, n_threads = CHOSEN.get(), resolve_threads(n_threads)
    own = Engine(DEFAULT_SPLITTER, n_threads)
    engine = own if chosen is None else replace(chosen, n_threads=n_threads, shards=own.shards)
    if is_alone():
        return engine
    return replace(engine, splitter=ShardedSplitter(engine.splitter, engine.shards), in_turn=True)


@contextmanager
def use_splitter(splitter: Splitter, watch: Watch = ignore) -> Iterator[None]:
    """Run estimators on another splitter within a `with` block; its calls come one at a time, tree after tree.

    `watch` takes the events of the trees (refrank/trees/events.py).

    >>> with use_splitter(splitting):
    ...     default_engine(1).splitter is splitting
    True
    """
    token = CHOSEN.set(Engine(splitter, in_turn=True, watch=watch))
    try:
        yield
    finally:
        CHOSEN.reset(token)


def splitter_name() -> str:
    """Return the name of the splitter that estimators run on: "kernel", "specification", or that of the library."""
    if isinstance(DEFAULT_SPLITTER, ForeignSplitter | UnusableSplitter):
        return DEFAULT_SPLITTER.name
    return "specification" if DEFAULT_SPLITTER is splitting else "kernel"


def show_config() -> dict[str, str | int | bool]:
    """Print and return the splitter, its number of threads, and the versions of what it runs on.

    For a library that REFRANK_SPLITTER names, list the functions that it lacks, too.

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

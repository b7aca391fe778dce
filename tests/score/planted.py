"""A mutant in this process, and each one in a process of its own."""

import json
import os
import signal
import sys
import warnings
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import contextmanager
from importlib import import_module
from importlib.machinery import SourceFileLoader
from types import CodeType, ModuleType
from typing import Any, NamedTuple
from unittest.mock import patch

import numpy  # noqa: F401  imported once, before the forks
import scipy.special  # noqa: F401

from tests.mutants.mutations import Mutant

SECONDS = 20  # of all cases, of a training, or of a function, by the clock of the process
NOWHERE, NOTHING = "", "-"  # first differences: there is none; there is none to find
Place = tuple[str, str]  # family, stage or function, slash, the case or the training; and what is said of it
Find = Callable[[Mutant], Place]  # finds the first difference


class Verdict(NamedTuple):
    """Outcome of a mutant."""

    mutant: Mutant
    first: str
    said: str


def take_modules() -> dict[str, ModuleType]:
    """Have all modules imported once more; return those that were imported."""
    rooms = "refrank", "yardstick", "generators"
    # the digests of a port are right, and its numbers are written as they are
    own = [name for name in sys.modules if name.split(".")[0] in rooms and not name.startswith("yardstick.numbers")]
    return {name: sys.modules.pop(name) for name in own}


@contextmanager
def plant(mutant: Mutant, module: str) -> Iterator[ModuleType]:
    """Import a module, and others from here on, with a mutant planted; it has its time.

    An ImportError says that it cannot be imported.
    """
    warnings.simplefilter("ignore")
    name, get_own = mutant.file.removesuffix(".py").replace("/", "."), SourceFileLoader.get_code

    def get_code(loader: SourceFileLoader, imported: str) -> CodeType | None:
        return compile(mutant.text, imported, "exec") if imported == name else get_own(loader, imported)

    modules = take_modules()
    try:
        with (
            patch.dict(os.environ, {"REFRANK_NO_EXTENSION": "1"}),
            patch.object(SourceFileLoader, "get_code", get_code),
        ):
            try:
                imported = import_module(module)
            except Exception as fault:
                raise ImportError(repr(fault)) from fault
            limit_time()
            yield imported
    finally:
        signal.setitimer(signal.ITIMER_PROF, 0)
        take_modules()
        sys.modules.update(modules)


def limit_time() -> None:
    """Have what this process does from now on end in time, by an error."""
    signal.signal(signal.SIGPROF, raise_timeout)
    signal.setitimer(signal.ITIMER_PROF, SECONDS, SECONDS)


def raise_timeout(*_: Any) -> None:
    """End what takes too long."""
    raise TimeoutError


def judge_all(mutants: Iterable[Mutant], find: Find, jobs: int = 1) -> Iterator[Verdict]:
    """Judge each mutant in a process of its own, some of them at once."""
    running = deque[Callable[[], Verdict]]()
    for mutant in mutants:
        running.append(start(mutant, find))
        if len(running) >= jobs:
            yield running.popleft()()
    yield from (wait() for wait in running)


def start(mutant: Mutant, find: Find) -> Callable[[], Verdict]:
    """Begin to judge a mutant; return a function that waits for the verdict."""
    reader, writer = os.pipe()
    child = os.fork()
    if not child:
        try:
            try:
                place = find(mutant)
            except ImportError as fault:
                place = NOTHING, str(fault)
            os.write(writer, json.dumps([text[:400] for text in place]).encode())
        finally:
            os._exit(0)
    os.close(writer)

    def wait() -> Verdict:
        with open(reader, "rb") as pipe:
            content = pipe.read()
        os.waitpid(child, 0)
        return Verdict(mutant, *(json.loads(content) if content else ("?/ended", "the process ended")))

    return wait

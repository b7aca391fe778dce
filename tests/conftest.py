"""Fixtures of all tests."""

import signal
from collections.abc import Iterator
from pathlib import Path
from types import ModuleType
from typing import Any

import pytest

from refrank.datasets import letor_text
from refrank.kernel import KERNEL
from refrank.metrics import ordering
from refrank.trees import engine, splitting
from refrank.trees.foreign.splitter import ForeignSplitter
from refrank.trees.splitter import FUNCTIONS
from tests.libraries import COMPILER, build_port


class Offered:
    """The functions of a library that REFRANK_SPLITTER names; the first use of one that it lacks skips the test."""

    def __init__(self, splitter: ForeignSplitter) -> None:
        self.splitter = splitter

    def __getattr__(self, name: str) -> Any:
        if name in FUNCTIONS and name not in self.splitter.offered:
            pytest.skip(f"{name} is not offered by {self.splitter.name}")
        return getattr(self.splitter, name)


@pytest.fixture(scope="session")
def kernel() -> Any:
    """The splitter that is compared with the specification: the compiled kernel, or the library of REFRANK_SPLITTER.

    Skip where refrank was told, or has, to run on its specification.
    """
    if engine.DEFAULT_SPLITTER is splitting:
        pytest.skip("refrank runs on its specification: there is no kernel to compare it with")
    if isinstance(engine.DEFAULT_SPLITTER, ForeignSplitter):
        return Offered(engine.DEFAULT_SPLITTER)
    return engine.DEFAULT_SPLITTER


def require(extension: ModuleType | None) -> ModuleType:
    """Skip where an extension is not there."""
    if extension is None:
        pytest.skip("refrank runs on its specification: there is no extension to compare it with")
    return extension


@pytest.fixture
def no_waiting() -> Iterator[None]:
    """Fail a test that waits for five seconds: opening a pipe would wait for its writer for ever."""
    before = signal.signal(signal.SIGALRM, lambda *_: pytest.fail("it waits"))
    signal.alarm(5)
    yield
    signal.alarm(0)
    signal.signal(signal.SIGALRM, before)


@pytest.fixture(scope="session")
def compiled() -> ModuleType:
    """The compiled kernel itself, whatever REFRANK_SPLITTER names."""
    return require(KERNEL)


@pytest.fixture(scope="session")
def compiled_order() -> ModuleType:
    """The extension for rankings."""
    return require(ordering.COMPILED)


@pytest.fixture(scope="session")
def compiled_letor() -> ModuleType:
    """The extension for LETOR text."""
    return require(letor_text.COMPILED)


@pytest.fixture(scope="session")
def port(tmp_path_factory) -> Path:
    """The example port, built."""
    if COMPILER is None:
        pytest.skip("no C compiler: neither cc nor gcc is on the path")
    return build_port(tmp_path_factory.mktemp("port"))

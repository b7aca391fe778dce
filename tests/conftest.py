"""What the tests share."""

from types import ModuleType

import pytest

from refrank.trees import engine, splitting


@pytest.fixture(scope="session")
def kernel() -> ModuleType:
    """Return the compiled kernel; skip where refrank was told, or has, to run on its specification."""
    if engine.DEFAULT_SPLITTER is splitting:
        pytest.skip("refrank runs on its specification: there is no kernel to compare it with")
    return engine.DEFAULT_SPLITTER

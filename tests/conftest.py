"""What the tests share."""

from types import ModuleType

import pytest

from refrank import config, splitting


@pytest.fixture(scope="session")
def kernel() -> ModuleType:
    """Return the compiled kernel; skip where refrank was told, or has, to run on its specification."""
    if config.DEFAULT_SPLITTER is splitting:
        pytest.skip("refrank runs on its specification: there is no kernel to compare it with")
    return config.DEFAULT_SPLITTER

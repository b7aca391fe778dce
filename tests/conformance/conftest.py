"""What the tests of conformance share."""

from pathlib import Path

import pytest

from tests.conformance.libraries import COMPILER, build_port


@pytest.fixture(scope="session")
def port(tmp_path_factory) -> Path:
    """The example port, built."""
    if COMPILER is None:
        pytest.skip("no C compiler: neither cc nor gcc is on the path")
    return build_port(tmp_path_factory.mktemp("port"))

"""Options of tests/ and proofs_check/: `pytest --deep` searches longer and enumerates one size further."""

import pytest
from hypothesis import HealthCheck, settings

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, print_blob=True)
settings.register_profile("brief", settings.get_profile("ci"), max_examples=10)  # pytest --hypothesis-profile=brief
settings.register_profile("deep", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", action="store_true", help="many more examples, exhaustive one size further")


def pytest_configure(config: pytest.Config) -> None:
    settings.load_profile("deep" if config.getoption("--deep") else "ci")


@pytest.fixture(scope="session")
def deep(request: pytest.FixtureRequest) -> bool:
    """Whether the run was asked to search deeply."""
    return bool(request.config.getoption("--deep"))

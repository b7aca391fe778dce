"""Options of tests/ and proofs_check/: `pytest --deep` searches longer and enumerates one size further.

`pytest --fast` is the fast lane of scripts/test: ten examples per property, and without the files of SLOW.
"""

import os
from pathlib import Path

import pytest
from hypothesis import HealthCheck, settings

# Threads of OpenMP that wait for each other sleep: otherwise they keep busy the cores that other tests compute on.
os.environ.setdefault("OMP_WAIT_POLICY", "passive")

settings.register_profile("ci", derandomize=True, deadline=None, max_examples=60, print_blob=True)
settings.register_profile("brief", settings.get_profile("ci"), max_examples=10)  # pytest --hypothesis-profile=brief
settings.register_profile("deep", deadline=None, max_examples=2000, suppress_health_check=[HealthCheck.too_slow])

ROOT = Path(__file__).parent
SITE = ["docs/conf.py", "docs/__main__.py", "docs/site/extension.py"]  # need Sphinx
collect_ignore = [*SITE, "docs/_build", "docs/generated"]


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--deep", action="store_true", help="many more examples, exhaustive one size further")
    parser.addoption("--fast", action="store_true", help="few examples, without the slow files")


def pytest_configure(config: pytest.Config) -> None:
    if config.getoption("--deep") and config.getoption("--fast"):
        raise pytest.UsageError("--deep and --fast exclude each other")
    settings.load_profile("deep" if config.getoption("--deep") else "brief" if config.getoption("--fast") else "ci")


def pytest_ignore_collect(collection_path: Path, config: pytest.Config) -> bool | None:
    """Leave out the slow files in the fast lane."""
    slow = config.getoption("--fast") and collection_path.is_relative_to(ROOT)
    return True if slow and collection_path.relative_to(ROOT).as_posix() in SLOW else None


@pytest.fixture(scope="session")
def deep(request: pytest.FixtureRequest) -> bool:
    """Whether the run was asked to search deeply."""
    return bool(request.config.getoption("--deep"))

"""The fast lane of `pytest --fast` leaves out files that exist, and no more than its list says."""

from pathlib import Path
from types import SimpleNamespace

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture
def plugin(request):
    """The conftest.py at the root."""
    return request.config.pluginmanager.get_plugin(str(ROOT / "conftest.py"))


def ignore(plugin, path, fast):
    return plugin.pytest_ignore_collect(path, SimpleNamespace(getoption=lambda name: fast))


def test_what_is_left_out_exists(plugin):
    assert [name for name in sorted(plugin.SLOW) if not (ROOT / name).exists()] == []


def test_only_the_fast_lane_leaves_out_and_only_what_is_listed(plugin):
    slow, quick = ROOT / min(plugin.SLOW), Path(__file__)
    assert ignore(plugin, slow, fast=True)
    assert ignore(plugin, slow, fast=False) is ignore(plugin, quick, fast=True) is None
    assert ignore(plugin, Path("/elsewhere/test_a.py"), fast=True) is None

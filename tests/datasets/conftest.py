"""Fixtures of the tests of files."""

import pytest

from refrank.datasets import letor_cache, letor_text
from tests.datasets.caches import JUDGED


@pytest.fixture(params=[True, False])
def by_extension(request, monkeypatch):
    """Whether the extension reads text first; else its definition reads all of it."""
    if not request.param:
        monkeypatch.setattr(letor_text, "COMPILED", None)
    return request.param


@pytest.fixture
def own_caches(tmp_path_factory, monkeypatch):
    """A folder of caches for each test."""
    home = tmp_path_factory.mktemp("caches")
    monkeypatch.setenv("XDG_CACHE_HOME", str(home))
    letor_cache.make_folder(home / "refrank")


@pytest.fixture
def path(tmp_path):
    """A small file of rows."""
    path = tmp_path / "data.txt"
    path.write_bytes(JUDGED)
    return path

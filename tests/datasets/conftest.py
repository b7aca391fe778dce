"""Fixtures of the tests of files."""

import pytest

from refrank.datasets import letor_text


@pytest.fixture(params=[True, False])
def by_extension(request, monkeypatch):
    """Whether the extension reads text first; else its definition reads all of it."""
    if not request.param:
        monkeypatch.setattr(letor_text, "COMPILED", None)
    return request.param

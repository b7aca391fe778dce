"""Fixtures of the tests of the reproductions: small collections, cells by name, figures that are caught."""

import pytest

from refrank.reproduce import figures
from tests.reproduce.small_files import write_collection


@pytest.fixture
def drawn(monkeypatch):
    """The figures that would be written."""
    caught = []
    monkeypatch.setattr(figures, "save_picture", lambda figure, _: caught.append(figure))
    return caught


@pytest.fixture(scope="session")
def cell_path():
    """Finds the one file of a cell, whatever its key."""

    def find(folder, name):
        (path,) = folder.glob(f"{name.replace(' ', '-')}-????????????.npz")
        return path

    return find


@pytest.fixture(scope="session")
def write_files():
    """Writes a small collection."""
    return write_collection

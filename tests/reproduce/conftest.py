"""What the tests of the reproductions share: figures that are caught before they are written, and cells by name."""

import matplotlib.figure
import numpy as np
import pytest


@pytest.fixture
def drawn(monkeypatch):
    """The figures that would be written."""
    figures = []
    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    return figures


@pytest.fixture
def cell_path():
    """Finds the one file of a cell, whatever its key."""

    def find(folder, name):
        (path,) = folder.glob(f"{name}-????????????.npz")
        return path

    return find


@pytest.fixture
def read_cell(cell_path):
    """Reads the one cell of a name."""

    def read(folder, name):
        with np.load(cell_path(folder, name)) as arrays:
            return {key: arrays[key] for key in arrays.files}

    return read

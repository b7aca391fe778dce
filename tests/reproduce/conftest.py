"""What the tests of the reproductions share: small collections, cells by name, figures that are caught."""

import matplotlib.figure
import numpy as np
import pytest


@pytest.fixture
def drawn(monkeypatch):
    """The figures that would be written."""
    figures = []
    monkeypatch.setattr(matplotlib.figure.Figure, "savefig", lambda figure, *_, **__: figures.append(figure))
    return figures


@pytest.fixture(scope="session")
def cell_path():
    """Finds the one file of a cell, whatever its key."""

    def find(folder, name):
        (path,) = folder.glob(f"{name.replace(' ', '-')}-????????????.npz")
        return path

    return find


@pytest.fixture(scope="session")
def write_files():
    """Writes files of three queries of eight documents, with three grades, one feature absent now and then."""

    def write(folder, names, unlabelled=False):
        folder.mkdir(exist_ok=True)
        for seed, name in enumerate(names):
            rng, lines = np.random.default_rng(seed), []
            for query in range(3 * seed, 3 * seed + 3):  # in no other file
                for document, x in enumerate(rng.normal(size=(8, 3))):
                    label = document if document < 3 else int(np.clip(np.rint(x[0] + x[1] + 1), 0, 2))
                    label = -1 if unlabelled and document == 7 else label
                    third = f" 3:{x[2]:.6f}" if document % 4 else ""
                    lines.append(f"{label} qid:{query} 1:{x[0]:.6f} 2:{x[1]:.6f}{third}\n")
            (folder / name).write_text("".join(lines))
        return folder

    return write

"""`refrank.reproduce.cells`: what a cell is known by, and what is left of one that was interrupted."""

from dataclasses import replace

import numpy as np
import pytest

from refrank.metrics import PRESETS
from refrank.reproduce import cells
from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.cells import CellStore, compute_checksum

FOLD = make_artificial_fold((2, 1, 1))
SETTING, CONVENTION = {"n_rounds": 2, "rates": (0.1, 0.5)}, PRESETS["paper"]


class Counter:
    """Computes a cell, and counts how often."""

    calls = 0

    def __call__(self):
        self.calls += 1
        return {"a": np.full(3, self.calls), "b": np.array([[0.5, np.nan]])}


def store(folder, fold=FOLD, setting=SETTING, convention=CONVENTION):
    return CellStore(folder, fold, setting, convention)


def change(**arrays):
    """The fold with other arrays in its training part."""
    return {"fold": replace(FOLD, train=replace(FOLD.train, **arrays))}


def test_a_cell_is_computed_once_and_read_afterwards(tmp_path):
    counter = Counter()
    first = store(tmp_path / "new" / "folder").fetch("a cell", counter)
    again = store(tmp_path / "new" / "folder", replace(FOLD, name="of another name")).fetch("a cell", counter)
    assert counter.calls == 1
    assert first.keys() == again.keys()
    for name in first:
        np.testing.assert_array_equal(first[name], again[name])


@pytest.mark.parametrize(
    "other",
    [
        change(X=FOLD.train.X + 1),
        change(y=4 - FOLD.train.y),
        change(qid=FOLD.train.qid + 1),
        change(X=FOLD.train.X.reshape(50, -1)),
        change(y=FOLD.train.y.view(np.uint64)),
        {"fold": replace(FOLD, valid=FOLD.test, test=FOLD.valid)},
        {"setting": SETTING | {"n_rounds": 3}},
        {"convention": replace(CONVENTION, no_relevant=1.0)},
        "release",
    ],
)
def test_other_data_settings_conventions_and_releases_have_other_cells(tmp_path, monkeypatch, other):
    counter = Counter()
    for n_computed in (2, 2):  # both are kept, side by side
        store(tmp_path).fetch("cell", counter)
        with monkeypatch.context() as patch:
            if other == "release":
                patch.setattr(cells.metadata, "version", lambda name: "9.9")
            store(tmp_path, **({} if other == "release" else other)).fetch("cell", counter)
        assert counter.calls == n_computed


@pytest.mark.parametrize(
    "damage", [lambda whole: b"", lambda whole: b"cut short", lambda whole: whole[:-30], lambda whole: whole[30:]]
)
def test_a_missing_or_damaged_cell_is_computed_again(tmp_path, cell_path, damage):
    counter = Counter()
    store(tmp_path).fetch("cell", counter)
    path = cell_path(tmp_path, "cell")
    path.write_bytes(damage(path.read_bytes()))
    assert store(tmp_path).fetch("cell", counter)["a"].tolist() == [2, 2, 2]
    path.unlink()
    assert store(tmp_path).fetch("cell", counter)["a"].tolist() == [3, 3, 3]


def test_a_cell_under_the_name_of_another_is_not_taken(tmp_path, cell_path):
    """The key in a file's name is short; the file itself says in full what it was made with."""
    counter, other = Counter(), store(tmp_path, setting={})
    store(tmp_path).fetch("cell", counter)
    cell_path(tmp_path, "cell").rename(tmp_path / "moved.npz")
    other.fetch("cell", counter)
    (tmp_path / "moved.npz").replace(cell_path(tmp_path, "cell"))
    other.fetch("cell", counter)
    assert counter.calls == 3


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError])
def test_an_interrupt_leaves_whole_cells_only(tmp_path, monkeypatch, fault):
    def write_half(file, **arrays):
        file.write(b"half")
        raise fault

    counter = Counter()
    store(tmp_path).fetch("first", counter)
    there = list(tmp_path.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", write_half)
        with pytest.raises(fault):
            store(tmp_path).fetch("second", counter)
    assert list(tmp_path.iterdir()) == there
    store(tmp_path).fetch("second", counter)
    assert counter.calls == 3


def test_the_checksum_is_of_content_whatever_the_layout_in_memory():
    assert compute_checksum(FOLD) == compute_checksum(change(X=np.asfortranarray(FOLD.train.X))["fold"])

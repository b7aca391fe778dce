"""`refrank.reproduce.cells`: what a cell is known by, and what is left of one that was interrupted."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

import refrank
from refrank.metrics import PRESETS
from refrank.reproduce import cells
from refrank.reproduce.artificial import make_artificial_fold
from refrank.reproduce.cells import CellStore, compute_checksum, compute_code_checksum

FOLD = make_artificial_fold((2, 1, 1))
SETTING, CONVENTION = {"n_rounds": 2, "rates": (0.1, 0.5)}, PRESETS["paper"]


@pytest.fixture
def fetch(tmp_path):
    """Fetches a cell whose array "a" holds how many were computed so far; returns that number."""
    computed = []

    def compute():
        computed.append(None)
        return {"a": np.full(3, len(computed)), "b": np.array([[0.5, np.nan]])}

    def fetch(name="cell", folder=tmp_path, fold=FOLD, setting=SETTING, convention=CONVENTION):
        arrays = CellStore(folder, fold, setting, convention).fetch(name, compute)
        np.testing.assert_array_equal(arrays["b"], [[0.5, np.nan]])
        assert arrays.keys() == {"a", "b"}
        (number,) = set(arrays["a"].tolist())
        return number

    return fetch


def change(**arrays):
    """The fold with other arrays in its training part."""
    return {"fold": replace(FOLD, train=replace(FOLD.train, **arrays))}


def test_a_cell_is_computed_once_and_read_afterwards(fetch, tmp_path):
    folder = tmp_path / "new" / "folder"
    assert fetch("a cell", folder) == fetch("a cell", folder, replace(FOLD, name="of another name")) == 1


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
        "code",
    ],
)
def test_other_data_settings_conventions_releases_and_code_have_other_cells(fetch, monkeypatch, other):
    for _ in range(2):  # both are kept, side by side
        assert fetch() == 1
        with monkeypatch.context() as patch:
            if other == "release":
                patch.setattr(cells.metadata, "version", lambda name: "9.9")
            if other == "code":
                patch.setattr(cells, "compute_code_checksum", lambda: "of other code")
            assert fetch(**({} if isinstance(other, str) else other)) == 2


def test_code_is_known_by_the_content_and_the_place_of_its_files(tmp_path, monkeypatch):
    seen, names = set(), ("reproduce/cells.py", "trees/a.pxi", "trees/b.h", "_split.pyx", "trees/note.txt")
    for place in ("here", "there"):
        folder = tmp_path / place
        for name in names:
            (folder / name).parent.mkdir(parents=True, exist_ok=True)
            (folder / name).write_text("one")
        monkeypatch.setattr(cells, "__file__", str(folder / names[0]))
        seen.add(compute_code_checksum.__wrapped__())
    assert len(seen) == 1  # wherever it is installed
    for name in names[:-1]:
        (folder / name).write_text("two")
        seen.add(compute_code_checksum.__wrapped__())
    (folder / "trees/a.pxi").rename(folder / "trees/c.pxi")
    seen.add(compute_code_checksum.__wrapped__())
    assert len(seen) == len(names) + 1
    (folder / names[-1]).write_text("two")  # no code
    assert compute_code_checksum.__wrapped__() in seen


def test_code_is_known_whatever_its_comments_docstrings_and_layout(tmp_path, monkeypatch):
    """Otherwise an edited docstring would throw hours of training away."""
    monkeypatch.setattr(cells, "__file__", str(tmp_path / "refrank/reproduce/cells.py"))
    path = tmp_path / "refrank/cocr/rankers.py"
    path.parent.mkdir(parents=True)
    source = (Path(refrank.__file__).parent / "cocr/rankers.py").read_text(encoding="utf-8")

    def know(text):
        path.write_text(text, encoding="utf-8")
        return compute_code_checksum.__wrapped__()

    docstring, comment, code = '"""Rank by ', "# COCR Eq. 6", "total += "
    assert all(part in source for part in (docstring, comment, code))
    assert know(source.replace(docstring, f"{docstring}plainly ")) == know(source)
    assert know(source.replace(comment, f"\n    {comment}, in other words")) == know(source)
    assert know(source.replace(code, f"{code}2 * ")) != know(source)
    assert know(f'{source}\n\nUNIT = "a string that is not a docstring"\n') != know(source)


@pytest.mark.parametrize(
    "damage", [lambda whole: b"", lambda whole: b"cut short", lambda whole: whole[:-30], lambda whole: whole[30:]]
)
def test_a_missing_or_damaged_cell_is_computed_again(fetch, tmp_path, cell_path, damage):
    fetch()
    path = cell_path(tmp_path, "cell")
    path.write_bytes(damage(path.read_bytes()))
    assert fetch() == 2
    path.unlink()
    assert fetch() == 3


def test_a_cell_under_the_name_of_another_is_not_taken(fetch, tmp_path, cell_path):
    """The key in a file's name is short; the file itself says in full what it was made with."""
    fetch()
    moved = cell_path(tmp_path, "cell").rename(tmp_path / "moved.npz")
    assert fetch(setting={}) == 2
    moved.replace(cell_path(tmp_path, "cell"))
    assert fetch(setting={}) == 3


def test_a_cell_names_its_queries_in_the_order_of_its_arrays(fetch, tmp_path, cell_path):
    """That of `per_query=True`: first appearance. A file without them is of an earlier layout."""
    mixed = replace(FOLD.test, qid=np.tile([7, 3, 5, 3, 7], 10))
    fetch(fold=replace(FOLD, test=mixed))
    path = cell_path(tmp_path, "cell")
    arrays = dict(np.load(path))
    assert [arrays[f"qid_{split}"].tolist() for split in ("train", "valid", "test")] == [[0, 1], [0], [7, 3, 5]]
    np.savez(path, **{name: array for name, array in arrays.items() if name != "qid_test"})
    assert fetch(fold=replace(FOLD, test=mixed)) == 2


@pytest.mark.parametrize("fault", [KeyboardInterrupt, OSError])
def test_an_interrupt_leaves_whole_cells_only(fetch, tmp_path, monkeypatch, fault):
    def write_half(file, **arrays):
        file.write(b"half")
        raise fault

    fetch("first")
    there = list(tmp_path.iterdir())
    with monkeypatch.context() as patch:
        patch.setattr(np, "savez", write_half)
        with pytest.raises(fault):
            fetch("second")
    assert list(tmp_path.iterdir()) == there
    assert fetch("second") == 3


def test_the_checksum_is_of_content_whatever_the_layout_in_memory():
    assert compute_checksum(FOLD) == compute_checksum(change(X=np.asfortranarray(FOLD.train.X))["fold"])

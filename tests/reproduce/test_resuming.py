"""Every reproduction keeps its finished cells, goes on where it was interrupted, and takes no stale one."""

import json
import shutil
from dataclasses import replace
from functools import cache

import matplotlib.figure
import pytest

from refrank.cli import main
from refrank.datasets import cubic_polynomial
from refrank.datasets.reading import Reading
from refrank.reproduce import artificial
from refrank.reproduce.cells import CellStore
from refrank.reproduce.cocr import rankers as cocr
from refrank.reproduce.cocr import tables as cocr_tables
from refrank.reproduce.igbrt import reproduction as igbrt
from refrank.reproduce.igbrt.runs import Sizes
from refrank.reproduce.mcrank import studies, table_1
from refrank.reproduce.mcrank.rankers import Parameters
from refrank.reproduce.run import Reproduction

PARAMETERS = Parameters(n_rounds=2, n_leaves=3, n_epochs=2, hidden=(3, 2), n_classes=5)
TABLE_1 = table_1.TableSetting("tiny", (8, 4, 6), (0, 1), PARAMETERS)
STUDY = studies.StudySetting("tiny", (8, 4, 6), 4, stages=2, exponents=(3, 9), leaves=(3,), rates=(0.05, 0.5))
SIZES = Sizes("tiny", (2, 4), 6, 4, 2, (0.1, 0.5))
COCR = cocr.CocrSetting("tiny", n_rounds=2, max_depth=2, steps=(0.5,), min_instances=(4, 16), n_bags=2, bag_share=0.9)

COCR_FILES = "figure1-parts-tiny figure2-parts-tiny proxies-parts-tiny tables-parts-tiny"

# reproduction (on folds if its name says so), its setting, how many cells it has, its figures and its text
CASES = {
    "table 1": (table_1.reproduce, TABLE_1, 14, "figure1-tiny hidden-units-tiny table1-tiny"),
    "folds": (table_1.reproduce_folds, PARAMETERS, 18, "figure1-parts-J3-nu0.05-M2-all-folds parts-J3-nu0.05-M2"),
    "studies": (studies.reproduce_studies, STUDY, 20, "figure2 figure3-tiny studies-tiny"),
    "igbrt": (igbrt.reproduce, SIZES, 24, "figure1-tiny figure2-tiny tables-tiny"),
    "igbrt folds": (igbrt.reproduce, SIZES, 44, "figure1-parts-tiny figure2-parts-tiny tables-parts-tiny"),
    "cocr folds": (cocr_tables.reproduce, COCR, 72, COCR_FILES),
}
CHANGES = [  # of the setting; each concerns every cell, or as many as follow
    *(("table 1", {"parameters": replace(PARAMETERS, **c)}) for c in ({"n_rounds": 1}, {"learning_rate": 0.1})),
    *(("table 1", {"n_queries": (8, 4, 5)}), ("folds", {"n_rounds": 1}), ("folds", {"net_learning_rate": 0.002})),
    ("studies", {"n_rounds": 6}),
    *(("studies", change, 5) for change in ({"seed": 1}, {"stages": 4})),  # of Figure 3, not of the losses
    *(("igbrt folds", {"seed": 1}), ("cocr folds", {"n_rounds": 1})),
    *(("igbrt folds", {"max_depth": 3}, 38), ("igbrt folds", {"learning_rates": (0.5,)}, 0)),  # forests stay
]
TRAINED = {}  # what each cell holds: trained once for all tests, as the artificial data are drawn once
DRAW_ONCE = cache(cubic_polynomial)


class ResumedCase:
    """A case, run in folders of choice; counts the cells that are computed."""

    def __init__(self, name, monkeypatch, data):
        self.function, self.setting, self.n_cells, self.written = CASES[name]
        self.data = data if "folds" in name else None
        self.computed, self.interrupt_at = 0, None
        fetch = CellStore.fetch

        def fetch_and_count(store, name, compute):
            def compute_once():
                if self.computed == self.interrupt_at:
                    raise KeyboardInterrupt
                self.computed += 1
                assert json.loads(store.made_with)["convention"].startswith("paper: gain 2^y-1")
                key = store.made_with, name
                TRAINED[key] = TRAINED.get(key) or compute()
                return TRAINED[key]

            return fetch(store, name, compute_once)

        monkeypatch.setattr(CellStore, "fetch", fetch_and_count)
        monkeypatch.setattr(artificial, "cubic_polynomial", DRAW_ONCE)

    def __call__(self, folder, **change):
        self.computed = 0
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(matplotlib.figure.Figure, "savefig", lambda *_, **__: None)
            text = self.run(folder, **change).replace(str(folder), "")
        return [block for block in text.split("\n\n") if not block.startswith("iGBRT Table 4")]  # which has seconds

    def run(self, folder, **change):
        return self.function(replace(self.setting, **change), Reproduction(folder, self.data, n_threads=1))


@pytest.fixture
def make(monkeypatch, tmp_path, write_files):
    """Makes the reproduction of a name."""
    parts = write_files(tmp_path / "parts", ["S1.txt", "S2.txt", "S3.txt"])
    return lambda name: ResumedCase(name, monkeypatch, parts)


@pytest.fixture(params=CASES)
def reproduction(request, make):
    return make(request.param)


def test_the_text_is_in_a_file_and_names_the_figures_which_are_pictures(reproduction, tmp_path):
    folder = tmp_path / "out"
    text = reproduction.run(folder)
    *figures, last = sorted(path for path in folder.iterdir() if path.suffix not in {".npz", ".svg"})
    assert " ".join(path.stem for path in (*figures, last)) == reproduction.written
    assert (last.suffix, last.read_text()) == (".txt", text + "\n")
    assert text.count("\n\n") >= 2  # blocks
    for figure in figures:
        assert figure.suffix == ".png"
        assert figure.read_bytes().startswith(b"\x89PNG\r\n\x1a\n")
        assert f": {figure}" in text
    drawings = {figure.with_name(f"{figure.stem}{ending}.svg") for figure in figures for ending in ("", "_dark")}
    assert drawings == {*folder.glob("*.svg")}


def test_finished_cells_are_kept_and_an_interrupted_run_goes_on(reproduction, tmp_path):
    whole = reproduction(tmp_path / "whole")
    assert reproduction.computed == reproduction.n_cells
    assert reproduction(tmp_path / "whole") == whole
    assert reproduction.computed == 0

    reproduction.interrupt_at = 2
    with pytest.raises(KeyboardInterrupt):
        reproduction(tmp_path / "stopped")
    reproduction.interrupt_at = None
    kept = {path: path.stat().st_mtime_ns for path in (tmp_path / "stopped").iterdir()}
    assert len(kept) == 2
    assert reproduction(tmp_path / "stopped") == whole
    assert reproduction.computed == reproduction.n_cells - 2
    assert {path: path.stat().st_mtime_ns for path in kept} == kept


@pytest.mark.parametrize("changes", CHANGES)
def test_a_changed_setting_has_its_own_cells(changes, make, tmp_path):
    name, change, *n_changed = changes
    reproduction = make(name)
    first = reproduction(tmp_path / "out")
    reproduction(tmp_path / "out", **change)
    assert [reproduction.computed] == (n_changed or [reproduction.n_cells])
    assert reproduction(tmp_path / "out") == first
    assert reproduction.computed == 0  # the other run has left these cells alone


@pytest.mark.parametrize("name", [name for name in CASES if "folds" in name])
def test_files_are_named_after_the_reading(name, make, tmp_path):
    """So a run that reads otherwise leaves them alone; figures and tables alike."""
    reproduction = make(name)
    plain = reproduction.run(tmp_path / "out")
    before = {path: path.read_bytes() for path in (tmp_path / "out").iterdir()}
    given = Reproduction(tmp_path / "out", reproduction.data, Reading("zero", 0.5, "float64"), n_threads=1)
    text = reproduction.function(reproduction.setting, given)
    assert plain != text
    assert all(path.read_bytes() == content for path, content in before.items())
    written = [path for path in (tmp_path / "out").iterdir() if path not in before and path.suffix != ".npz"]
    assert all("-zero-sentinel-0.5-float64" in path.stem for path in written)
    assert len([path for path in written if path.suffix != ".svg"]) == len(reproduction.written.split())


def test_a_smaller_grid_is_of_the_same_models(make, tmp_path):
    reproduction = make("studies")
    reproduction(tmp_path / "out")
    reproduction(tmp_path / "out", rates=(0.5,))
    assert reproduction.computed == 0


@pytest.mark.parametrize("name", [name for name in CASES if "folds" in name])
def test_cells_are_known_by_the_data_and_not_by_name_size_or_place(name, make, tmp_path):
    """A figure of other rows would be stale; one of the same rows in another place is not."""
    reproduction = make(name)
    reproduction(tmp_path / "out")
    (tmp_path / "elsewhere").mkdir()
    reproduction.data = shutil.move(reproduction.data, tmp_path / "elsewhere" / "parts")
    reproduction(tmp_path / "out")
    assert reproduction.computed == 0
    file = reproduction.data / "S2.txt"
    size = file.stat().st_size
    file.write_text(file.read_text().replace("1:0.", "1:9.", 1))
    assert file.stat().st_size == size
    reproduction(tmp_path / "out")
    assert reproduction.computed == reproduction.n_cells  # S2 is in every fold


def test_the_command_says_that_it_was_interrupted(make, tmp_path, monkeypatch, capsys):
    reproduction = make("table 1")
    monkeypatch.setattr(table_1, "SMALL", TABLE_1)
    reproduction.interrupt_at = 2
    command = ["reproduce", "mcrank", "--out", str(tmp_path), "--n-threads", "1"]
    assert main(command) == 130
    kept = tmp_path / "mcrank"
    message = f"refrank: interrupted; finished cells are kept in {kept}; the same command resumes\n"
    assert capsys.readouterr() == ("", message)
    assert len(list(kept.glob("*.npz"))) == 2
    reproduction.interrupt_at = None
    assert main(command) == 0
    assert reproduction.computed == reproduction.n_cells

"""unfinished: a forest of a cell that was killed keeps its trees, and the cell has the bits of one that was not."""

import os
import signal
import subprocess
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from refrank.datasets.whole_file import replace_file
from refrank.reproduce import cells, unfinished
from refrank.reproduce.artificial import make_heavy_tailed_fold, remove_features
from refrank.reproduce.cells import CellStore
from refrank.reproduce.igbrt import reproduction, runs
from refrank.reproduce.igbrt.runs import PreparedFold, Sizes, compare_missing, run_forest
from refrank.reproduce.run import Reproduction
from refrank.reproduce.unfinished import Unfinished, fetch_resumed

ROOT = Path(__file__).parents[2]
SIZES = Sizes("tiny", (2, 4, 5), 2, 2, 2, (0.5,), n_queries=(8, 4, 5))
N_PROBLEMS = 4
KILLED_AFTER = 13  # trees: 5 of the first problem, 5 of the second, and 3 of the third
PROGRAM = """
import os, signal, sys
from tests.reproduce.test_unfinished import KILLED_AFTER, fetch_forest, unfinished

unfinished.SECONDS = 0
grown, write = [], unfinished.Unfinished.write

def write_and_die(self, state):
    write(self, state)
    grown.append(None)
    if len(grown) == KILLED_AFTER:
        os.kill(os.getpid(), signal.SIGKILL)

unfinished.Unfinished.write = write_and_die
fetch_forest(sys.argv[1])
"""


def make_fold():
    return remove_features(make_heavy_tailed_fold(SIZES.n_queries, seed=1), 0.4)


def make_store(folder, **setting):
    return CellStore(Path(folder), make_fold(), {"sizes": SIZES.forest_sizes, **setting}, "")


def fetch_forest(folder, sizes=SIZES, **setting):
    def grow(state):
        return run_forest(PreparedFold(make_fold(), 1), "C", sizes, "test", state)

    return fetch_resumed(make_store(folder, **setting), "forest", grow)


def drop_seconds(arrays):
    """The arrays without those of the clock."""
    return {name: array.tobytes() for name, array in arrays.items() if name != "seconds"}


@pytest.fixture
def grown(monkeypatch):
    """The numbers of the trees that were grown."""
    numbers, grow = [], runs.random_forest

    def watch(*arguments, **options):
        for turn in grow(*arguments, **options):
            numbers.append(turn.number)
            yield turn

    monkeypatch.setattr(runs, "random_forest", watch)
    return numbers


@pytest.mark.skipif(not hasattr(signal, "SIGKILL"), reason="Windows has no such signal")
def test_a_killed_forest_goes_on_with_the_trees_that_it_has(tmp_path, grown):
    whole = fetch_forest(tmp_path / "whole")
    assert grown == [*range(5)] * N_PROBLEMS
    killed = subprocess.run([sys.executable, "-c", PROGRAM, tmp_path / "killed"], cwd=ROOT, check=False)
    assert killed.returncode == -signal.SIGKILL
    [state] = (tmp_path / "killed").iterdir()
    assert state.name.startswith("unfinished-forest-")
    grown.clear()
    assert drop_seconds(fetch_forest(tmp_path / "killed")) == drop_seconds(whole)
    assert grown == [3, 4, *range(5)]
    [cell] = (tmp_path / "killed").iterdir()  # the state is gone
    assert cell.name.startswith("forest-")
    grown.clear()
    fetch_forest(tmp_path / "killed")
    assert grown == []


@pytest.fixture
def stop(monkeypatch):
    """Interrupts a computation after the n-th write of its state."""
    write = Unfinished.write
    monkeypatch.setattr(unfinished, "SECONDS", 0)

    def stop_after(n_writes):
        left = iter(range(n_writes - 1))

        def write_and_stop(self, state):
            write(self, state)
            if next(left, None) is None:
                raise KeyboardInterrupt

        monkeypatch.setattr(Unfinished, "write", write_and_stop)

    return stop_after


@pytest.mark.parametrize("n_trees", [1, 4, 5, 6, 12, 20])  # within a problem, at its end, and at that of all
def test_wherever_it_is_interrupted(tmp_path, grown, stop, n_trees):
    whole = fetch_forest(tmp_path / "whole")
    stop(n_trees)
    with pytest.raises(KeyboardInterrupt):
        fetch_forest(tmp_path / "stopped")
    grown.clear()
    stop(99)
    assert drop_seconds(fetch_forest(tmp_path / "stopped")) == drop_seconds(whole)
    assert len(grown) == 5 * N_PROBLEMS - n_trees


def test_the_seconds_are_those_of_all_runs(tmp_path, monkeypatch, stop):
    """A clock that goes on by one at each look: after each size, and before each write."""
    looks = iter(range(10_000))
    monkeypatch.setattr(runs, "perf_counter", lambda: float(next(looks)))
    stop(99)
    whole = fetch_forest(tmp_path / "whole")["seconds"].tolist()
    for n_trees in (3, 8, 12):
        stop(n_trees)
        with pytest.raises(KeyboardInterrupt):
            fetch_forest(tmp_path / str(n_trees))
        stop(99)
        assert fetch_forest(tmp_path / str(n_trees))["seconds"].tolist() == whole


@pytest.mark.parametrize("fault", ["damaged", "another setting", "other sizes"])
def test_a_state_of_something_else_is_not_taken(tmp_path, grown, stop, fault):
    stop(7)
    with pytest.raises(KeyboardInterrupt):
        fetch_forest(tmp_path)
    stop(99)
    grown.clear()
    [path] = tmp_path.iterdir()
    if fault == "damaged":
        path.write_bytes(path.read_bytes()[:-100])
    setting = {"seed": 1} if fault == "another setting" else {}
    sizes = replace(SIZES, forest_sizes=(2, 5)) if fault == "other sizes" else SIZES
    fetch_forest(tmp_path, sizes, **setting)
    assert grown == [*range(5)] * N_PROBLEMS


def test_a_reproduction_and_its_missing_values_resume(tmp_path, grown, stop):
    """The forests of the tables, and those that compare substitutes of missing values."""
    sizes, fold = replace(SIZES, forest_sizes=(2, 3)), make_fold()
    stop(2)
    with pytest.raises(KeyboardInterrupt):
        reproduction.run_fold(fold, sizes, Reproduction(tmp_path / "out", n_threads=1), True, ("table-4",))
    [state] = (tmp_path / "out").iterdir()
    assert state.name.startswith(f"unfinished-{fold.name}-R-forest".replace(" ", "-"))
    stop(99)
    grown.clear()
    reproduction.run_fold(fold, sizes, Reproduction(tmp_path / "out", n_threads=1), True, ("table-4",))
    assert not state.exists()
    assert grown[0] == 2
    store = CellStore(tmp_path / "missing", fold, {}, "")
    stop(1)
    with pytest.raises(KeyboardInterrupt):
        compare_missing(PreparedFold(fold, 1), sizes, store)
    [state] = (tmp_path / "missing").iterdir()
    stop(99)
    grown.clear()
    compare_missing(PreparedFold(fold, 1), sizes, store)
    assert not state.exists()
    assert grown[0] == 1


def test_a_full_disk_is_a_warning(tmp_path, monkeypatch, grown):
    monkeypatch.setattr(unfinished, "SECONDS", 0)

    def fail(path):
        if "unfinished" in str(path):
            raise OSError(28, "No space left on device", str(path))
        return replace_file(path)

    monkeypatch.setattr(cells, "replace_file", fail)
    with pytest.warns(RuntimeWarning, match="the trees so far are not kept: .*No space left on device"):
        arrays = fetch_forest(tmp_path)
    assert np.isfinite(arrays["values_test"]).all()
    assert os.listdir(tmp_path) == [path.name for path in tmp_path.glob("forest-*")]


def test_a_state_is_written_once_a_minute(tmp_path, monkeypatch):
    clock = [0.0]
    monkeypatch.setattr(unfinished, "monotonic", lambda: clock[0])
    state = Unfinished(make_store(tmp_path), "forest")
    assert not state.is_due()
    clock[0] = 60.0
    assert state.is_due()
    state.write({"a": np.ones(2)})
    assert not state.is_due()
    again = {"a": np.zeros(2)}
    Unfinished(make_store(tmp_path), "forest").fill(again)
    assert again["a"].tolist() == [1, 1]

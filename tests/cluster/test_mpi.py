"""Training over MPI: the bytes of one machine, and an end with one line whatever befalls a process."""

import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from refrank import cluster

ROOT = Path(__file__).parents[2]
EXECUTABLE = shutil.which("mpiexec", path=os.pathsep.join([str(Path(sys.executable).parent), os.environ["PATH"]]))
needs_mpi = pytest.mark.skipif(EXECUTABLE is None, reason="no mpiexec: pip install mpich mpi4py")


def run(folder, n_processes, name):
    """Run the program of the tests in a folder; return its exit code, what it printed, and the lines of refrank."""
    words = [EXECUTABLE, "-n", str(n_processes), sys.executable, "-m", "tests.cluster.mpi_program", name]
    environment = {**os.environ, "PYTHONPATH": str(ROOT), "OMP_WAIT_POLICY": "passive"}
    environment.pop("REFRANK_NUM_THREADS", None)
    ran = subprocess.run(words, cwd=folder, env=environment, capture_output=True, text=True, timeout=120)
    return ran.returncode, ran.stdout, [line for line in ran.stderr.splitlines() if line.startswith("refrank: ")]


@needs_mpi
@pytest.mark.parametrize("n_processes", [1, 2, 3, 7])
def test_every_process_gets_the_model_of_one_machine(n_processes, tmp_path):
    code, printed, lines = run(tmp_path, n_processes, "equal")
    assert (code, lines) == (0, [])
    assert json.loads(printed) == [{"world": [], "part": []}] * n_processes


KEEPS = 3  # finished turns, of the eight
OF_ONE = "shard 2 (number 2)"
RAISED = {
    "label": (f"ValueError: {OF_ONE}: y at row 3 is 2.5: labels must be integers of at least 0", 0),
    "no file": (f"OSError: {OF_ONE}: [Errno 2] No such file or directory: 'absent'", 0),
    "bytes": (f"ValueError: {OF_ONE}: 'utf-8' codec can't decode byte 0xff in position 0: invalid start byte", 0),
    "columns": ("ValueError: shard number 2: number of columns is 2, and that of shard number 0 is 3", 0),
    "parameters": (
        "ValueError: shard number 2: the ranker is SoftmaxBoostRanker(n_leaves=4, n_rounds=7), "
        "and that of shard number 0 is SoftmaxBoostRanker(n_leaves=4, n_rounds=8)",
        0,
    ),
    "number": ("ValueError: shards has 2 entries: there must be one for each of the 3 processes", 0),
    "monitor": ("RuntimeError: the disk is full", 0),
    "arithmetic": (f"ClusterError: {OF_ONE} raised ZeroDivisionError: division by zero", KEEPS),
    "exit": (f"ClusterError: {OF_ONE} raised SystemExit: 3", KEEPS),
    "at once": (f"ClusterError: {OF_ONE} raised ZeroDivisionError: division by zero", 0),
    "interrupt": ("KeyboardInterrupt: ", KEEPS),
    "SIGTERM": ("KeyboardInterrupt: ", KEEPS),
}


@needs_mpi
def test_a_fault_of_one_process_is_raised_on_all_and_the_finished_turns_are_continued(tmp_path):
    code, printed, lines = run(tmp_path, 3, "told")
    assert (code, lines) == (0, [])
    n_threads = str(max(1, len(os.sched_getaffinity(0)) // 3))
    assert json.loads(printed) == {
        **{name: [[*raised, True]] for name, raised in RAISED.items()},
        "continued": [True] * 3,
        "limit": 7.0,
        "warnings": [1, 0, 0],
        "handled": [0, 0, 1],
        "a thread": [True] * 3,
        "threads": [*[n_threads] * 2, None, *["5"] * 3],  # in two turns and after them; the user's holds
    }


def find_line(word):
    """Find a line of the program."""
    program = Path(__file__).with_name("mpi_program.py")
    [number] = [n for n, line in enumerate(program.read_text().splitlines(), start=1) if f'"{word}": lambda' in line]
    return f"{program}:{number}"


LINES = {
    "killed": "",  # mpiexec reports it, and ends the others
    "stopped": "shard 2 (number 2) has not arrived for 1.5",
    "early": "shard 2 joins in the end of its program, and shard 0 in gather",
    "before": f"process 2, {find_line('before')}: KeyError: 'a key'",
    "on all": f"process 0, {find_line('on all')}: KeyError: 'a key'",
    "label": RAISED["label"][0].removeprefix("ValueError: "),
    "twice": "interrupted",
}


@needs_mpi
@pytest.mark.parametrize("name", LINES)
def test_all_processes_end_with_a_line(name, tmp_path):
    code, _, lines = run(tmp_path, 3, name)
    assert code != 0
    assert [line.startswith(f"refrank: {LINES[name]}") for line in lines] == [True] * bool(LINES[name])


@needs_mpi
def test_one_process_ends_as_a_program_without_mpi_does(tmp_path):
    assert run(tmp_path, 1, "before") == (1, "", [])


@pytest.mark.parametrize(
    ("library", "engine", "extra"), [("mpi4py", "mpi", "mpi"), ("distributed", "tcp://localhost:1", "dask")]
)
def test_an_engine_without_its_library_is_refused(library, engine, extra, monkeypatch):
    for name in [library, f"refrank.cluster.{'mpi' if extra == 'mpi' else 'dask_actors'}"]:
        monkeypatch.delitem(sys.modules, name, raising=False)
    monkeypatch.setitem(sys.modules, library, None)
    rule = rf"engine is '{engine}': it needs `pip install 'refrank\[{extra}\]'`"
    with pytest.raises(ValueError, match=rule), cluster.use(engine):
        pass

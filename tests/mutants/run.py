"""Run the tests on mutants, the nearest tests first, and say which mutants survive."""

import math
import multiprocessing
import os
import tempfile
import time
from collections.abc import Iterable, Iterator
from concurrent.futures import ProcessPoolExecutor, as_completed
from functools import cache
from pathlib import Path
from typing import NamedTuple

import pytest

from tests.meta.break_lines import ROOT
from tests.mutants.child import BROKEN, copy_tree, run_in_child
from tests.mutants.mutations import Mutant

STANDING = {"generators": "vectors", "tutor": "tutor"}  # a package that is one room
HOUSE = "house"  # the files that stand in no room
YARDSTICK = {  # a large room is looked at in parts, each by its own tests
    "": "traces",
    "commands": "traces",
    "numbers": "traces",
    "traces": "traces",
    "divergence": "divergence",
    "vectors": "vectors",
    "kernel": "scorecard",
    "scorecard": "scorecard",
}


def name_tests(folder: str, names: str) -> list[str]:
    """Return the files of some tests of a folder."""
    return [f"tests/{folder}/test_{name}.py" for name in names.split()]


# The tests that a room is held by, besides those of its own folder.
ALSO = {
    "bounds": [
        *name_tests("cli", "bounds outputs"),
        "proofs_check/tests/test_new_bounds.py",
        "proofs_check/tests/test_new_err_oerr.py",
        "proofs_check/tests/test_new_one_sided.py",
    ],
    "cli": name_tests("reproduce", "command"),
    "cocr": name_tests("estimators", "m5p weka_linear cocr"),
    "divergence": name_tests("yardstick", "hints comparing judge losses tracing planted_in_training"),
    "igbrt": name_tests("estimators", "igbrt midway_cuts missing_features warm_start"),
    "kernel": ["tests/trees/test_engine.py", "tests/meta/test_limits.py"],
    "mcrank": name_tests("estimators", "mcrank lambdarank warm_start"),
    "metrics": name_tests("cli", "outputs"),
    "models": name_tests("cli", "outputs"),
    "scorecard": [
        *name_tests("yardstick", "ports messages clients scorecard tracing smallest"),
        *name_tests("yardstick", "kernel_cases conform_kernel planted_in_port"),
    ],
    "traces": name_tests("yardstick", "processes planting digest encoding trace_files tracing comparing"),
    "vectors": [*name_tests("yardstick", "vectors streams"), "tests/score/test_branches.py"],
    HOUSE: [
        "tests/meta/test_strict_json.py",
        "tests/datasets",
        "tests/metrics/test_errors.py",
        "tests/trees/test_engine.py",
        *name_tests("estimators", "bad_input contract"),
    ],
}
OF_ALL = ["tests/meta/test_defaults.py", "tests/meta/test_records.py"]  # these hold every room


class Result(NamedTuple):
    """A mutant, and the first test that failed; "" if none did."""

    mutant: Mutant
    found_by: str


def find_files(room: str) -> list[str]:
    """List the files of a room."""
    return [file for file in list_files() if room_of(file) == room]


@cache
def list_files() -> list[str]:
    """List the files of the packages."""
    packages = "refrank", "yardstick", "tutor", "generators"
    return sorted(str(path.relative_to(ROOT)) for package in packages for path in (ROOT / package).rglob("*.py"))


def room_of(file: str) -> str:
    """Return the room in which a file stands."""
    package, *folders = Path(file).parts[:-1]
    room = folders[0] if folders else ""
    if package in STANDING:
        return STANDING[package]
    return YARDSTICK[room] if package == "yardstick" else room or HOUSE


ROOMS = [*sorted({room_of(file) for file in list_files()} - {HOUSE}), HOUSE]


def stages(file: str) -> Iterator[list[str]]:
    """Yield the tests that hold a file: its examples and what has its name, then all that hold its room."""
    package, part = Path(file).parts[:2]
    room, folder = room_of(file), ROOT / "tests" / (package if package in ("yardstick", "tutor") else part)
    own = [str(path.relative_to(ROOT)) for path in sorted(folder.glob(f"test_*{Path(file).stem.strip('_')}*.py"))]
    yield [file, *own]
    tests = [f"tests/{room}"] * (ROOT / "tests" / room).is_dir() + ALSO.get(room, [])
    yield [*(test for test in tests if test not in own), *OF_ALL, *(f"--ignore={test}" for test in own)]


def first_failure(output: str) -> str:
    """Return the test that a run's output says has failed; "" where it names none."""
    failed = [line.split(" ")[1] for line in output.split("\n") if line.startswith(("FAILED ", "ERROR "))]
    return next(iter(failed), "")


def find(folder: Path, mutant: Mutant) -> Result:
    """Make a mutant in this process's copy of the tree, and run its tests, stage by stage, until one fails."""
    tree = own_tree(folder)
    path = tree / mutant.file
    sound = path.read_text(encoding="utf-8")
    path.write_text(mutant.text, encoding="utf-8")
    try:
        for tests in stages(mutant.file):
            code, said = run_in_child(tree, tests)
            if "Error while loading conftest" in said:  # which imports what is changed
                return Result(mutant, "conftest.py")
            if code in (pytest.ExitCode.USAGE_ERROR, BROKEN):
                raise RuntimeError(f"the tests {tests} cannot be run: {said}")
            if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
                break
        else:
            return Result(mutant, "")
    finally:
        path.write_text(sound, encoding="utf-8")
    if code < 0:
        return Result(mutant, f"signal {-code}")
    found_by = first_failure(said)
    check_sound(tree, *([found_by.partition("[")[0]] if found_by else tests))  # an id of a case may hold spaces
    return Result(mutant, found_by or f"exit code {code}")


def own_tree(folder: Path) -> Path:
    """Return this process's copy of the tree."""
    tree = folder / str(os.getpid())
    if not tree.exists():
        copy_tree(tree)
    return tree


@cache
def check_sound(tree: Path, *tests: str) -> None:
    """Make sure that tests pass on the unchanged tree, or that a file without tests can be imported there."""
    code, said = run_in_child(tree, [*tests])
    if code not in (pytest.ExitCode.OK, pytest.ExitCode.NO_TESTS_COLLECTED):
        raise RuntimeError(f"{', '.join(tests)} fails without a change: {said}")


def run_mutants(mutants: Iterable[Mutant], jobs: int, seconds: float = math.inf) -> Iterator[Result]:
    """Yield what becomes of each mutant, in the order in which the tests end; begin none after so many seconds."""
    until = time.monotonic() + seconds
    with (
        tempfile.TemporaryDirectory() as folder,
        ProcessPoolExecutor(jobs, mp_context=multiprocessing.get_context("fork")) as pool,
    ):
        for done in as_completed([pool.submit(find_until, until, Path(folder), mutant) for mutant in mutants]):
            if result := done.result():
                yield result


def find_until(until: float, folder: Path, mutant: Mutant) -> Result | None:
    """Run a mutant's tests, unless the clock has passed `until`."""
    return find(folder, mutant) if time.monotonic() < until else None

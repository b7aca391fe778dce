"""Tests in processes that are forked from one that has imported what the tests need, and only what is not tested.

Starting Python and importing SciPy and scikit-learn takes longer than most tests; a fork has both at once.
"""

import contextlib
import os
import resource
import shutil
import signal
import sys
import time
import traceback
from collections.abc import Iterator
from pathlib import Path

import hypothesis.strategies  # noqa: F401  imported once, before the forks
import pytest
import scipy.stats  # noqa: F401
import sklearn.model_selection  # noqa: F401

from tests.meta.break_lines import ROOT

FOLDERS = ("refrank", "yardstick", "tutor", "generators", "proofs_check", "tests", "docs", "examples", "benchmarks")
TREE = (*FOLDERS, "conftest.py", "pyproject.toml", "README.md")
MEMORY = 8 << 30  # bytes that the tests of a mutant may ask for
SECONDS_OF_TEST = 60  # the slowest test takes 20
SECONDS = 900  # of all tests of a mutant
BROKEN = 70  # the exit code of a child that could not run its tests


def copy_tree(folder: Path) -> None:
    """Copy the tree, with its kernel if it is built."""
    for name in TREE:
        if (ROOT / name).is_dir():
            shutil.copytree(ROOT / name, folder / name, ignore=shutil.ignore_patterns("__pycache__", "_*.c", ".*"))
        else:
            shutil.copy2(ROOT / name, folder / name)


class Clock:
    """A plugin of pytest: the process ends where an import or a test takes too long, as after an endless loop."""

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self) -> Iterator[None]:
        """Set the alarm anew for each test."""
        signal.alarm(SECONDS_OF_TEST)
        return (yield)


def run_tests(tree: Path, tests: list[str]) -> int:
    """Run tests in a tree, in this process, until the first fails; return pytest's exit code."""
    os.chdir(tree)
    sys.path.insert(0, str(tree))
    os.environ |= {"PYTHONPATH": str(tree), "PYTHONDONTWRITEBYTECODE": "1", "OMP_NUM_THREADS": "2"}
    sys.dont_write_bytecode = True
    signal.signal(signal.SIGALRM, signal.SIG_DFL)
    signal.alarm(SECONDS_OF_TEST)
    ours = ("refrank", "yardstick", "tutor", "generators", "tests", "proofs_check")
    for name in [name for name in sys.modules if name.split(".")[0] in ours]:
        del sys.modules[name]
    options = ["-x", "-q", "--no-header", "--tb=line", "-rfE", "-pno:cacheprovider", "-ptests.meta.no_shrinking"]
    imported = "ignore:Module already imported:pytest.PytestAssertRewriteWarning"
    return int(pytest.main([*options, "-W", imported, *tests], plugins=[Clock()]))


def run_in_child(tree: Path, tests: list[str]) -> tuple[int, str]:
    """Run tests in a forked process; return its exit code, negative for a signal, and what it printed."""
    output = tree.with_suffix(".out")
    child = os.fork()
    if not child:
        code = BROKEN
        try:
            os.setsid()
            resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
            with output.open("wb") as file:
                for descriptor in (1, 2):
                    os.dup2(file.fileno(), descriptor)
            code = run_tests(tree, tests)
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(code)
    until = time.monotonic() + SECONDS
    try:
        while not (ended := os.waitpid(child, os.WNOHANG))[0] and time.monotonic() < until:
            time.sleep(0.02)
    finally:
        with contextlib.suppress(ProcessLookupError):  # ends also what it has started
            os.killpg(child, signal.SIGKILL)
    if not ended[0]:
        ended = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(ended[1]), output.read_text(errors="replace")

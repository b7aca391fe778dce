"""Golden traces, each written once for all tests; what is to be damaged is a copy."""

import shutil
from functools import cache
from itertools import count

import pytest

from tests.yardstick.trainings import make, record, rewrite, rows_of
from yardstick.divergence.comparing import Mode, compare_traces


@pytest.fixture(autouse=True)
def no_mistakes(monkeypatch):
    """Look for no mistakes behind differences: it takes time."""
    monkeypatch.setattr("yardstick.divergence.hints.SECONDS", 0.0)


@pytest.fixture
def mistakes(no_mistakes, monkeypatch):
    """Look for them, on a slow machine, too."""
    monkeypatch.setattr("yardstick.divergence.hints.SECONDS", 60.0)


@pytest.fixture(scope="session")
def golden_of(tmp_path_factory):
    """The golden trace of each training, made when it is asked for."""
    return cache(lambda name: record(tmp_path_factory.mktemp("golden") / "trace", make(name), rows=rows_of(name)))


@pytest.fixture(scope="session")
def golden(golden_of):
    return golden_of("ls")


@pytest.fixture
def copied(golden, tmp_path):
    shutil.copytree(golden.folder, tmp_path / "trace")
    return tmp_path / "trace"


@pytest.fixture
def compare(golden_of, tmp_path):
    """Compare a golden trace, or that of a training, with a port whose records are changed."""
    numbers = count()

    def compare_changed(golden, change, mode="bitwise", ulps=0):
        golden = golden_of(golden) if isinstance(golden, str) else golden
        return compare_traces(golden, rewrite(tmp_path / f"theirs {next(numbers)}", golden, change), Mode(mode, ulps))

    return compare_changed

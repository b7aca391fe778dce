"""A fixed small share of the fuzzer, and that it sees what it is there to see."""

import json
import os
import subprocess
import sys
import time
import warnings
from pathlib import Path

import numpy as np
import pytest

from tests.fuzz import target
from tests.fuzz.corpus import COMMANDS, HARD, MODELS, make_rows
from tests.fuzz.run import TARGETS, Run
from tests.fuzz.target import CORPUS, Target

SHARES = {"models": 250, "letor": 150, "scores": 300, "tables": 200, "trec": 200, "traces": 60, "commands": 60}


@pytest.mark.filterwarnings("ignore")  # each target looks at warnings itself
@pytest.mark.parametrize("name", TARGETS)
def test_a_share_of_the_inputs_is_refused_or_harmless(tmp_path, name):
    run = Run(TARGETS[name](tmp_path), tmp_path, seed=0)
    run.repeat(SHARES[name], None)
    assert run.n_inputs == SHARES[name]
    assert not run.failures, run.describe()


def test_a_run_ends_with_nothing_open(tmp_path):
    """The process without the kernel, which reads LETOR files by the definition, ends with the run."""
    words = [sys.executable, "-W", "ignore", "-W", "default::ResourceWarning", "-m", "tests.fuzz"]
    words += ["--inputs", "2", "--targets", "letor", "--folder", str(tmp_path)]
    root = Path(__file__).parents[2]
    environment = os.environ | {"PYTHONPATH": str(root)}
    ran = subprocess.run(words, cwd=root, env=environment, capture_output=True, text=True)
    assert (ran.returncode, ran.stderr) == (0, "")
    assert "letor: 2 inputs" in ran.stdout


@pytest.mark.parametrize("name", TARGETS)
def test_equal_seeds_make_equal_inputs(tmp_path, name):
    target, other = (TARGETS[name](tmp_path) for _ in range(2))
    made = [target.make(np.random.default_rng([seed, 1])) for seed in range(20)]
    assert made == [other.make(np.random.default_rng([seed, 1])) for seed in range(20)]
    assert len(set(made)) > 10


def test_the_corpus_is_what_the_code_writes():
    """But for the models, whose least squares differ between machines in the last bits."""
    assert sorted(path.name for path in (CORPUS / "models").iterdir()) == sorted(
        name.replace(" ", "-") for name in MODELS
    )
    assert (CORPUS / "letor" / "rows").read_bytes() == make_rows()
    assert [(CORPUS / "letor" / f"hard-{n}").read_bytes().decode() for n in range(len(HARD))] == HARD
    assert [json.loads(path.read_text()) for path in sorted((CORPUS / "commands").iterdir())] == COMMANDS


class Reader(Target):
    """A reader with a fault for each input."""

    name = "reader"

    def make(self, rng):
        return b""

    def check(self, content):
        self.refuse_or_return(FAULTS[content.decode()], self)


def waste(_):
    return bytes(64 << 20)


def warn(_):
    warnings.warn("beware", stacklevel=2)


def refuse(*words):
    def fault(reader):
        raise ValueError(" ".join(words).replace("PATH", str(reader.path)))

    return fault


FAULTS = {
    "": refuse("PATH is refused"),
    "TypeError": lambda _: 1 + "1",
    "MemoryError": lambda _: np.ones(2**48),
    "warning: beware": warn,
    "at most": waste,
    "a hang": lambda _: time.sleep(5),
    "not one printable line": refuse("PATH\n"),
    "a message of": refuse("PATH", "a" * 700),
    "a message without": refuse("it is refused"),
}


def test_a_hang_is_counted_on_the_processor(monkeypatch):
    monkeypatch.setattr(target, "SECONDS", 0.2)
    began = time.process_time()
    with pytest.raises(AssertionError, match="a hang"), target.limit_time():
        sum(0 for _ in iter(int, 1))
    assert time.process_time() - began < 1.0  # by the clock alone it is 1.2


@pytest.mark.parametrize("fault", FAULTS)
def test_each_kind_of_fault_is_seen_and_its_input_kept(tmp_path, monkeypatch, fault):
    monkeypatch.setattr(target, "SECONDS", 0.2)
    run = Run(Reader(tmp_path), tmp_path, seed=0)
    run.try_one("reader-0-0", fault.encode())
    if not fault:
        assert not run.failures
        return
    assert fault in run.failures[0]
    assert (tmp_path / "reader-0-0").read_bytes() == fault.encode()
    assert fault in (tmp_path / "reader-0-0.fault").read_text()
    assert fault in run.describe()

"""`--cluster` with real processes, of this machine and of mpiexec, and a real signal."""

import os
import signal
import subprocess
import time
from pathlib import Path
from shutil import which

import pytest

from refrank.models import load_model
from tests.cli.command_line import COMMAND, ENVIRONMENT, run

FLAGS = "--n-rounds 3 --n-leaves 4 --n-threads 1 --verbose 0"
TRAIN = [*COMMAND, "train", "softmax", *FLAGS.split(), "--model"]
SHARDS = ("a.txt", "b.txt", "c.txt.gz")
MPIEXEC = which("mpiexec")


def run_in(folder, words):
    done = subprocess.run([*map(str, words)], cwd=folder, env=ENVIRONMENT, capture_output=True, text=True, timeout=120)
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.fixture(scope="module")
def model(shards, tmp_path_factory):
    """The model of one machine."""
    path = tmp_path_factory.mktemp("whole") / "m"
    run_in(shards, [*TRAIN, path, "whole.txt"])
    return path


def test_processes_of_this_machine_make_the_model_of_one(shards, tmp_path, model):
    assert run_in(shards, [*TRAIN, tmp_path / "m", *SHARDS, "--cluster", "local:2"]) == ""
    assert (tmp_path / "m").read_bytes() == model.read_bytes()


@pytest.mark.skipif(MPIEXEC is None, reason="mpiexec is not installed")
def test_processes_of_mpiexec_make_the_model_of_one_and_the_first_prints(capsys, shards, tmp_path, model):
    pytest.importorskip("mpi4py")
    mpi, each = [MPIEXEC, "-n", "2"], ["--cluster", "mpi"]
    assert run_in(shards, [*mpi, *TRAIN, tmp_path / "m", *SHARDS, *each]) == ""
    assert (tmp_path / "m").read_bytes() == model.read_bytes()
    scores = run_in(shards, [*mpi, *COMMAND, "predict", "--model", model, *SHARDS, *each]).splitlines()
    assert (0, scores, []) == run(capsys, "predict", "--model", model, shards / "whole.txt")


@pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")
def test_a_signal_keeps_the_rounds_and_leaves_no_process(shards, tmp_path):
    words = [
        *TRAIN,
        tmp_path / "m",
        *SHARDS,
        "--cluster",
        "local:2",
        "--n-rounds",
        "1000000",
        "--checkpoint-every",
        "1",
    ]
    process = subprocess.Popen([*map(str, words)], cwd=shards, env=ENVIRONMENT, stderr=subprocess.PIPE, text=True)
    until = time.monotonic() + 100
    while not (tmp_path / "m").exists() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.05)
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children")
    started = children.read_text().split() if children.exists() else []
    process.send_signal(signal.SIGTERM)
    errors = process.communicate(timeout=100)[1]
    n_rounds = load_model(tmp_path / "m").n_rounds_
    assert (
        errors
        == f"refrank: interrupted; {tmp_path / 'm'} holds the {n_rounds} rounds that are done; --resume continues\n"
    )
    assert process.returncode == 143
    assert not [pid for pid in started if Path(f"/proc/{pid}").exists()]

"""`refrank train`, run as a stranger runs it: flags, the files it writes, interrupts."""

import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

import pytest

from refrank import LADBoostRanker, LSBoostRanker, OrdinalBoostRanker, SoftmaxBoostRanker
from refrank.cli.training import ALGORITHMS, ranker_parameters
from refrank.model_file import load_model
from tests.cli.command_line import DATA, ENVIRONMENT, run, shell, trained_folder


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    return trained_folder(tmp_path_factory.mktemp("cli"))


@pytest.mark.parametrize(
    ("algorithm", "kind", "flags", "parameters"),
    [
        ("softmax", SoftmaxBoostRanker, ["--relevance", "2^k-1"], {"relevance": "2^k-1"}),
        ("softmax", SoftmaxBoostRanker, ["--update", "simultaneous"], {"update": "simultaneous"}),
        ("ordinal", OrdinalBoostRanker, ["--n-classes", "6"], {"n_classes": 6}),
        ("ls", LSBoostRanker, ["--target", "k", "--n-bins", "16", "--growth", "1.5"], None),
        ("lad", LADBoostRanker, ["--target", "2^k"], {"target": "2^k"}),
    ],
)
def test_a_trained_file_is_the_estimator_of_the_same_parameters(
    capsys, tmp_path, folder, algorithm, kind, flags, parameters
):
    model = tmp_path / "m.json"
    common = ["--n-rounds", 3, "--n-leaves", 4, "--learning-rate", 0.3, "--min-samples-leaf", 2, "--n-threads", 1]
    found = run(capsys, "train", "--algorithm", algorithm, folder / "train.txt", "--model", model, *common, *flags)
    assert found == (0, [], [])
    parameters = parameters or {"target": "k", "n_bins": 16, "growth": 1.5}
    expected = kind(n_rounds=3, n_leaves=4, learning_rate=0.3, min_samples_leaf=2, **parameters)
    expected.fit(DATA.X, DATA.y, DATA.qid)
    loaded = load_model(model)
    assert loaded.get_params() == expected.get_params()
    assert loaded.predict(DATA.X).tobytes() == expected.predict(DATA.X).tobytes()


def test_every_parameter_of_every_ranker_is_a_flag(capsys):
    code, out, errors = run(capsys, "train", "--help")
    assert (code, errors) == (0, [])
    for ranker in ALGORITHMS.values():
        for name in ranker().get_params():
            assert f"--{name.replace('_', '-')} " in " ".join(out)
    assert ranker_parameters().keys() == {name for ranker in ALGORITHMS.values() for name in ranker().get_params()}


def test_a_flag_of_another_algorithm_is_refused(capsys, tmp_path, folder):
    model = tmp_path / "m.json"
    code, out, errors = run(
        capsys, "train", "--algorithm", "ls", folder / "train.txt", "--model", model, "--relevance", "k"
    )
    assert (code, out, errors) == (2, [], ["refrank: error: --relevance is no parameter of --algorithm ls"])
    assert not model.exists()


def test_a_missing_folder_is_said_before_training(capsys, tmp_path):
    """Before the data are read, even: there is no such file either."""
    model = tmp_path / "nowhere" / "m.json"
    code, out, errors = run(capsys, "train", "--algorithm", "ls", tmp_path / "none.txt", "--model", model)
    assert (code, out) == (1, [])
    assert errors == [f"refrank: error: {model}: there is no such folder to write the model to"]


def test_n_features_widens_a_file_that_lacks_the_last_ones(capsys, tmp_path, folder):
    model = tmp_path / "m.json"
    train = ("train", "--algorithm", "ls", folder / "train.txt", "--model", model, "--n-rounds", 1)
    assert run(capsys, *train, "--n-features", 9)[0] == 0
    assert load_model(model).n_features_in_ == 9
    code, _, errors = run(capsys, *train, "--n-features", 3)
    assert (code, len(errors)) == (2, 1)
    assert "line 1" in errors[0]


def wait_for(condition, process):
    deadline = time.monotonic() + 200
    while not condition():
        assert process.poll() is None
        assert time.monotonic() < deadline
        time.sleep(0.05)


def test_an_interrupt_keeps_the_rounds_that_are_done(tmp_path, folder):
    """A real SIGINT, sent once the progress bar on a terminal has shown a finished round."""
    model = tmp_path / "m.json"
    ours, theirs = pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))  # a terminal without a width shows no bar
    arguments = ["train", "--algorithm", "softmax", folder / "train.txt", "--model", model]
    endless = ["--n-rounds", "100000000", "--n-leaves", "4", "--n-threads", "1"]
    # as in a foreground shell: a job in the background passes on to its children that SIGINT is ignored
    heeding = (
        "import signal, sys; from refrank.cli import main; "
        "signal.signal(signal.SIGINT, signal.default_int_handler); sys.exit(main())"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", heeding, *map(str, arguments), *endless],
        stdout=subprocess.PIPE,
        stderr=theirs,
        env=ENVIRONMENT,
    )
    os.close(theirs)
    shown = b""

    def read_more():
        nonlocal shown
        if select.select([ours], [], [], 0)[0]:
            shown += os.read(ours, 65536)
        return shown

    try:
        wait_for(lambda: re.search(rb" [1-9]\d*/100000000 ", read_more()), process)
        process.send_signal(signal.SIGINT)
        deadline = time.monotonic() + 200
        while process.poll() is None and time.monotonic() < deadline:
            read_more()
            time.sleep(0.02)
        assert process.returncode == 130
        try:
            while chunk := os.read(ours, 65536):
                shown += chunk
        except OSError:  # Linux: the other end of the terminal is closed
            pass
    finally:
        if process.poll() is None:
            process.kill()
        process.communicate()
        os.close(ours)
    loaded = load_model(model)
    n_rounds = loaded.n_rounds_
    assert f"{model} holds the {n_rounds} rounds that are done".encode() in shown
    assert 1 <= n_rounds < 100_000_000
    first = min(n_rounds, 20)  # the rounds are those of an uninterrupted training
    complete = SoftmaxBoostRanker(n_rounds=first, n_leaves=4).fit(DATA.X, DATA.y)
    *_, ours_then = (scores for scores, _ in zip(loaded.staged_predict(DATA.X), range(first), strict=False))
    assert ours_then.tobytes() == complete.predict(DATA.X).tobytes()
    assert list(tmp_path.iterdir()) == [model]


def test_an_interrupt_before_the_first_round_leaves_no_model(capsys, monkeypatch, tmp_path, folder):
    def interrupted(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(SoftmaxBoostRanker, "fit", interrupted)
    model = tmp_path / "m.json"
    code, out, errors = run(capsys, "train", "--algorithm", "softmax", folder / "train.txt", "--model", model)
    assert (code, out, len(errors)) == (130, [], 1)
    assert not model.exists()


def test_no_progress_bar_where_standard_error_is_no_terminal(tmp_path, folder):
    done = shell("train", "--algorithm", "ls", folder / "train.txt", "--model", tmp_path / "m.json", "--n-rounds", 2)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

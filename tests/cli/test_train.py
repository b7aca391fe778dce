"""`refrank train`, run as a stranger runs it: flags, the files it writes, interrupts."""

import inspect
import os
import pty
import re
import select
import signal
import subprocess
import sys
import termios
import time

import numpy as np
import pytest

from refrank import (
    COCRRanker,
    GBRTRanker,
    IGBRTRanker,
    LADBoostRanker,
    LambdaRanker,
    LSBoostRanker,
    M5PRegressor,
    OrdinalBoostRanker,
    RandomForestRanker,
    SoftmaxBoostRanker,
)
from refrank.cli.training import list_parameters
from refrank.datasets import load_letor
from refrank.estimators import base
from refrank.model_file import load_model
from refrank.registry import ALGORITHMS, COCR_BASES
from tests.cli.command_line import DATA, ENVIRONMENT, run, shell

MISSING = "1 qid:1 1:3 2:1\n0 qid:1 1:1\n2 qid:2 1:5 2:4\n0 qid:2 1:2 4:1\n1 qid:3 2:2\n"  # nobody has feature 3


BOOSTED = ["--n-rounds", 3, "--n-leaves", 4, "--learning-rate", 0.3, "--min-samples-leaf", 2, "--n-threads", 1]
SHORT = {"n_rounds": 3, "n_leaves": 4, "learning_rate": 0.3, "min_samples_leaf": 2}


@pytest.mark.parametrize(
    ("algorithm", "flags", "expected"),
    [
        ("softmax", [*BOOSTED, "--relevance", "2^k-1"], SoftmaxBoostRanker(**SHORT, relevance="2^k-1")),
        ("softmax", [*BOOSTED, "--update", "simultaneous"], SoftmaxBoostRanker(**SHORT, update="simultaneous")),
        ("ordinal", [*BOOSTED, "--n-classes", "6"], OrdinalBoostRanker(**SHORT, n_classes=6)),
        ("ls", [*BOOSTED, "--target", "k", "--n-bins", "16", "--growth", "1.5"],
         LSBoostRanker(**SHORT, target="k", n_bins=16, growth=1.5)),
        ("lad", [*BOOSTED, "--target", "2^k"], LADBoostRanker(**SHORT, target="2^k")),
        ("rf", ["--n-trees", 3, "--max-features", 2, "--setting", "classification"],
         RandomForestRanker(n_trees=3, max_features=2, setting="classification")),
        ("gbrt", ["--n-rounds", 3, "--max-depth", 2, "--initial", "mean"],
         GBRTRanker(n_rounds=3, max_depth=2, initial="mean")),
        ("igbrt", ["--n-trees", 2, "--n-rounds", 3, "--clip", "--random-state", 5],
         IGBRTRanker(n_trees=2, n_rounds=3, clip=True, random_state=5)),
        ("lambdarank", ["--n-epochs", 2, "--hidden", 3], LambdaRanker(n_epochs=2, hidden=3)),
        ("ranknet", ["--n-epochs", 2], LambdaRanker(n_epochs=2, objective="ranknet")),
        ("cocr", ["--base", "m5p", "--min-instances", 8, "--cost", "squared"],
         COCRRanker(M5PRegressor(min_instances=8), cost="squared")),
        ("cocr", ["--base", "gbrt", "--n-rounds", 3, "--learning-rate", 0.5],
         COCRRanker(GBRTRanker(n_rounds=3, learning_rate=0.5))),
    ],
    ids=lambda value: value if isinstance(value, str) else "",
)  # fmt: skip
def test_every_algorithm_is_trained_by_its_flags(capsys, tmp_path, folder, algorithm, flags, expected):
    model = tmp_path / "m.refrank"
    train = ("train", "--algorithm", algorithm, folder / "train.txt", "--model", model, "--verbose", 0)
    assert run(capsys, *train, *flags) == (0, [], [])
    loaded = load_model(model)
    assert repr(loaded) == repr(expected)  # a parameter that is not the default is in the repr
    expected.fit(DATA.X, DATA.y, DATA.qid)
    assert loaded.predict(DATA.X).tobytes() == expected.predict(DATA.X).tobytes()


def test_every_parameter_of_every_ranker_is_a_flag_that_lists_its_choices(capsys):
    code, out, errors = run(capsys, "train", "--help")
    text = " ".join(" ".join(out).split())
    assert (code, errors) == (0, [])
    names = {name for algorithm in ALGORITHMS.values() for name in inspect.signature(algorithm.ranker).parameters}
    assert list_parameters().keys() == names - {"base", "cost"}
    for name in names:
        assert f"--{name.replace('_', '-')} " in text
    for choices in ("{sequential,simultaneous}", "{2^k,2^k-1,k}", "{inf,mean,median,three-way,zero}"):
        assert choices in text
    assert "{" + ",".join(ALGORITHMS) + "}" in text
    assert "{" + ",".join(COCR_BASES) + "}" in text


@pytest.mark.paper("COCR Sec. 5.5", at="COCR_BASES")
@pytest.mark.filterwarnings("ignore:Using the fractional value max_samples")  # of 96 rows
def test_a_bag_sees_a_tenth_of_the_rows(capsys, tmp_path, folder):
    model = tmp_path / "m.refrank"
    train = ("train", "--algorithm", "cocr", "--base", "bagging-m5p", "--n-estimators", 3, "--min-instances", 2)
    assert run(capsys, *train, folder / "train.txt", "--model", model)[0] == 0
    bag = load_model(model).base
    assert (bag.max_samples, bag.n_estimators, bag.estimator.min_instances, bag.random_state) == (0.1, 3, 2, 0)


def test_a_flag_of_another_algorithm_is_refused(capsys, tmp_path, folder):
    model = tmp_path / "m.refrank"
    code, out, errors = run(
        capsys, "train", "--algorithm", "ls", folder / "train.txt", "--model", model, "--relevance", "k"
    )
    assert (code, out, errors) == (2, [], ["refrank: error: --relevance does not work with --algorithm ls"])
    assert not model.exists()


def test_a_missing_folder_is_said_before_training(capsys, tmp_path):
    """Before the data are read, even: there is no such file either."""
    model = tmp_path / "nowhere" / "m.refrank"
    code, out, errors = run(capsys, "train", "--algorithm", "ls", tmp_path / "none.txt", "--model", model)
    assert (code, out) == (1, [])
    assert errors == [f"refrank: error: {model}: its folder does not exist"]


def test_n_features_widens_a_file_that_lacks_the_last_ones(capsys, tmp_path, folder):
    model = tmp_path / "m.refrank"
    train = ("train", "--algorithm", "ls", folder / "train.txt", "--model", model, "--n-rounds", 1)
    assert run(capsys, *train, "--n-features", 9)[0] == 0
    assert load_model(model).n_features_in_ == 9
    code, _, errors = run(capsys, *train, "--n-features", 3)
    assert (code, len(errors)) == (2, 1)
    assert "line 1" in errors[0]


def test_an_interrupt_keeps_the_rounds_that_are_done(tmp_path, folder):
    """A real SIGINT, sent once the progress bar on a terminal has shown a finished round."""
    model = tmp_path / "m.refrank"
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

    def read_until(is_done):
        nonlocal shown
        deadline = time.monotonic() + 200
        while not is_done() and time.monotonic() < deadline:
            if select.select([ours], [], [], 0.02)[0]:
                try:
                    shown += os.read(ours, 65536)
                except OSError:  # Linux: the other end of the terminal is closed
                    return

    try:
        a_round = re.compile(rb" [1-9]\d*/100000000 ")
        read_until(lambda: a_round.search(shown) or process.poll() is not None)
        assert a_round.search(shown)
        process.send_signal(signal.SIGINT)
        read_until(lambda: False)
        assert process.wait(timeout=200) == 130
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


def interrupt_after(monkeypatch, n_turns):
    """Let training be interrupted after some turns."""

    def shown(turns, *_):
        for number, turn in enumerate(turns):
            if number == n_turns:
                raise KeyboardInterrupt
            yield turn

    monkeypatch.setattr(base, "show_progress", shown)


@pytest.mark.parametrize(
    ("algorithm", "shorter", "done"),
    [
        ("softmax", SoftmaxBoostRanker(n_rounds=2), "the 2 rounds that are done"),
        ("rf", RandomForestRanker(n_trees=2), "the 2 trees that are done"),
        ("gbrt", GBRTRanker(n_rounds=2), "the 2 rounds that are done"),
        ("igbrt", RandomForestRanker(n_trees=2), "the 2 trees and 0 rounds that are done"),
        ("lambdarank", LambdaRanker(n_epochs=2), "the best of 2 epochs"),
    ],
)
def test_an_interrupt_writes_what_is_done_and_says_so(capsys, monkeypatch, tmp_path, folder, algorithm, shorter, done):
    shorter.fit(DATA.X, DATA.y, DATA.qid)
    interrupt_after(monkeypatch, 2)
    model = tmp_path / "m.refrank"
    code, out, errors = run(capsys, "train", "--algorithm", algorithm, folder / "train.txt", "--model", model)
    assert (code, out, errors) == (130, [], [f"refrank: interrupted; {model} holds {done}"])
    assert load_model(model).predict(DATA.X).tobytes() == shorter.predict(DATA.X).tobytes()


@pytest.mark.parametrize(("algorithm", "n_turns"), [("softmax", 0), ("rf", 0), ("cocr", 0), ("cocr", 1)])
def test_an_interrupt_that_leaves_nothing_says_so(capsys, monkeypatch, tmp_path, folder, algorithm, n_turns):
    interrupt_after(monkeypatch, n_turns)
    model = tmp_path / "m.refrank"
    code, out, errors = run(capsys, "train", "--algorithm", algorithm, folder / "train.txt", "--model", model)
    assert (code, out, len(errors)) == (130, [], 1)
    assert errors[0].startswith(f"refrank: interrupted; {model} was not written: ")
    assert not model.exists()


def test_an_absent_feature_is_a_missing_one(capsys, tmp_path):
    """With --missing, what a line does not list is missing; feature 3, which nobody has, is no obstacle."""
    file, model = tmp_path / "f.txt", tmp_path / "m.refrank"
    file.write_text(MISSING)
    flags = ("--missing", "mean", "--n-trees", 3, "--max-features", 1.0, "--verbose", 0)
    assert run(capsys, "train", "--algorithm", "rf", file, "--model", model, *flags) == (0, [], [])
    data = load_letor(file, absent=float("nan"))
    expected = RandomForestRanker(n_trees=3, max_features=1.0, missing="mean").fit(data.X, data.y, data.qid)
    assert expected.fill_.tolist() == [2.75, np.float32((1 + 4 + 2) / 3), 0.0, 1.0]
    code, out, _ = run(capsys, "predict", file, "--model", model)
    assert (code, [float(score) for score in out]) == (0, expected.predict(data.X).tolist())
    assert run(capsys, "train", "--algorithm", "rf", file, "--model", model, *flags, "--missing-value", 0)[0] == 0


def test_no_progress_bar_where_standard_error_is_no_terminal(tmp_path, folder):
    done = shell("train", "--algorithm", "ls", folder / "train.txt", "--model", tmp_path / "m.refrank", "--n-rounds", 2)
    assert (done.returncode, done.stdout, done.stderr) == (0, "", "")

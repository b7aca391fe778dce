"""`refrank train --checkpoint-every` and `--resume`, with real signals: nothing that was trained is lost."""

import errno
import os
import re
import signal
import subprocess
import sys
import time
from itertools import count

import pytest

from refrank import models
from refrank.cli import training
from refrank.cli.signals import Signals
from refrank.estimators import run as runs
from refrank.estimators.registry import ALGORITHMS
from refrank.models import load_model, save_model
from tests.cli.command_line import DATA, ENVIRONMENT, run

SMALL = {name: "--n-rounds 4 --n-leaves 3" for name in ALGORITHMS} | {
    "rf": "--n-trees 4 --random-state 3",
    "gbrt": "--n-rounds 4 --max-depth 2 --binning exact",
    "igbrt": "--n-trees 2 --n-rounds 3",
    **dict.fromkeys(("lambdarank", "ranknet"), "--hidden 2 --n-epochs 4 --learning-rate .02"),
    "cocr": "--base m5p",
}
AFTER_2 = dict.fromkeys(ALGORITHMS, "the 2 rounds that are done; --resume continues") | {
    "rf": "the 2 trees that are done; --resume continues",
    "igbrt": "the 2 trees and 0 rounds that are done; --resume continues",
    **dict.fromkeys(("lambdarank", "ranknet"), "the best of 2 epochs; --resume continues"),
    "cocr": "the answers to 2 of 4 problems, no model yet; --resume continues",
}
heeds_signals = pytest.mark.skipif(os.name == "nt", reason="Windows has other signals")


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_an_interrupted_training_resumes_to_the_file_of_one_training(
    train, capsys, folder, tmp_path, interrupt_after, algorithm, monkeypatch
):
    words = f"{algorithm} {SMALL[algorithm]} --verbose 0"
    assert train(words) == (0, [], [])
    whole = (tmp_path / "m").read_bytes()
    with monkeypatch.context():
        interrupt_after(2)
        assert train(words) == (130, [], [f"refrank: interrupted; {tmp_path / 'm'} holds {AFTER_2[algorithm]}"])
    monkeypatch.undo()
    assert (tmp_path / "m").read_bytes() != whole
    resumed = "--resume", tmp_path / "m", "--model", tmp_path / "n", "--verbose", "0"
    assert run(capsys, "train", folder / "train.txt", *resumed) == (0, [], [])
    assert (tmp_path / "n").read_bytes() == whole


@pytest.mark.parametrize("algorithm", ALGORITHMS)
def test_checkpoints_are_written_in_the_place_of_the_model(train, tmp_path, monkeypatch, algorithm):
    """After every second turn, and at the end; each is what an interrupt would have left."""
    written = []

    def save(ranker, path):
        save_model(ranker, path)
        written.append((path, training.describe_part(load_model(path))))

    monkeypatch.setattr(models, "save_model", save)
    assert train(f"{algorithm} {SMALL[algorithm]} --verbose 0 --checkpoint-every 2")[0] == 0
    turns = 5 if algorithm == "igbrt" else 4
    assert len(written) == turns // 2 + 1
    assert {path for path, _ in written} == {str(tmp_path / "m")}
    assert written[0][1] == AFTER_2[algorithm]


def test_a_full_disk_at_a_checkpoint_is_a_warning_and_the_next_one_is_written(train, tmp_path, monkeypatch):
    assert train("gbrt --n-rounds 8 --max-depth 2 --verbose 0") == (0, [], [])
    whole = (tmp_path / "m").read_bytes()
    (tmp_path / "m").unlink()
    sync, n_syncs, held = os.fsync, count(1), []

    def fill_disk(descriptor):
        """Fail while checkpoints 1, 2 and 4 are written.

        A model, its folder, the file of its command and the folder are synchronized; that file is written once.
        """
        held.append((tmp_path / "m").exists())
        if next(n_syncs) in (1, 2, 7):
            raise OSError(errno.ENOSPC, "No space left on device")
        sync(descriptor)

    monkeypatch.setattr(os, "fsync", fill_disk)
    code, out, errors = train("gbrt --n-rounds 8 --max-depth 2 --verbose 0 --checkpoint-every 2")
    assert (code, out) == (0, [])
    fault = f"[Errno {errno.ENOSPC}] No space left on device: '{tmp_path / 'm'}'"
    said = f"refrank: warning: no checkpoint: {fault}; the training goes on, and writes the next one"
    assert errors == [said] * 3
    assert held[:7] == [False] * 3 + [True] * 4  # the third checkpoint takes its place, the fourth fails
    assert (tmp_path / "m").read_bytes() == whole


def test_a_full_disk_at_the_end_is_an_error(train, tmp_path, monkeypatch):
    def fill_disk(descriptor):
        raise OSError(errno.ENOSPC, "No space left on device")

    monkeypatch.setattr(os, "fsync", fill_disk)
    code, _, errors = train("gbrt --n-rounds 4 --max-depth 2 --verbose 0 --checkpoint-every 2")
    assert code == 1
    assert [error.startswith("refrank: warning: no checkpoint: ") for error in errors] == [True, True, False]
    assert errors[-1] == f"refrank: error: [Errno {errno.ENOSPC}] No space left on device: '{tmp_path / 'm'}'"
    assert [*tmp_path.iterdir()] == []


def test_more_turns_and_other_threads_may_be_asked_for(train, capsys, folder, tmp_path):
    assert train("gbrt --n-rounds 2 --max-depth 2 --verbose 0")[0] == 0
    flags = ["--n-rounds", "5", "--n-threads", "2", "--verbose", "0"]
    resumed = ["train", folder / "train.txt", "--resume", tmp_path / "m", "--model", tmp_path / "n"]
    assert run(capsys, *resumed, *flags) == (0, [], [])
    assert train("gbrt --n-rounds 5 --max-depth 2 --verbose 0")[0] == 0
    assert (tmp_path / "n").read_bytes() == (tmp_path / "m").read_bytes()


REFUSED = {
    "--resume m --algorithm gbrt": "give either an algorithm, first after `train`, or --resume and a model",
    "": "give either an algorithm, first after `train`, or --resume and a model",
    "--resume m --learning-rate .5": "--learning-rate does not work with --resume",
    "--resume m --n-rounds 1": "--n-rounds is 1: with warm_start it must be at least 2, as in the model",
    "--resume none": "No such file or directory: 'none'",
    "--resume train.txt": "train.txt is not a refrank model",
    "--resume tree": "--resume tree: it holds a M5PRegressor, which is not a ranker",
    "--resume m --checkpoint-every 0": "--checkpoint-every is 0: it must be an integer of at least 1",
    "--resume m --early-stopping-rounds 3": "--early-stopping-rounds works with --valid only",
    "--resume other": "X is not what the model was trained on",
}


@pytest.mark.parametrize("flags", REFUSED)
def test_what_cannot_go_on_is_refused_and_writes_nothing(capsys, monkeypatch, tmp_path, folder, flags):
    from refrank import GBRTRanker, M5PRegressor

    monkeypatch.chdir(tmp_path)
    (tmp_path / "train.txt").write_bytes((folder / "train.txt").read_bytes())
    save_model(GBRTRanker(n_rounds=2).fit(DATA.X, DATA.y), "m")
    save_model(GBRTRanker(n_rounds=2).fit(-DATA.X, DATA.y), "other")
    save_model(M5PRegressor().fit(DATA.X, DATA.y), "tree")
    before = sorted(os.listdir())
    code, out, errors = run(capsys, "train", "train.txt", "--model", "new", *flags.split())
    assert (code in (1, 2), out, len(errors)) == (True, [], 1)
    assert REFUSED[flags] in errors[0]
    assert sorted(os.listdir()) == before


@pytest.mark.parametrize("name", ["train.txt", "./train.txt", "link"])
def test_the_model_is_not_written_over_what_is_read(capsys, monkeypatch, tmp_path, folder, name):
    monkeypatch.chdir(tmp_path)
    text = (folder / "train.txt").read_bytes()
    (tmp_path / "train.txt").write_bytes(text)
    (tmp_path / "link").symlink_to("train.txt")
    code, _, errors = run(capsys, "train", "train.txt", "--algorithm", "ls", "--model", name)
    assert (code, errors) == (
        2,
        [f"refrank: error: --model {name}: it is train.txt, which is read (refrank train ls --help)"],
    )
    assert (tmp_path / "train.txt").read_bytes() == text


# --- real signals ----------------------------------------------------------------------------------------------------

# As in a foreground shell: a job in the background passes on to its children that SIGINT is ignored. Saving takes a
# while, and says when it begins.
PROGRAM = """
import signal, sys, time
from refrank import models
from refrank.cli import training
from refrank.cli.signals import Signals
from refrank.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
save = models.save_model
def slowly(ranker, path):
    print("saving", training.describe_part(ranker), flush=True)
    time.sleep(PAUSE)
    save(ranker, path)
models.save_model = slowly
show = training.SavedTraining.check_in
def check_in(self, n_done, so_far):
    print("turn", n_done, flush=True)
    show(self, n_done, so_far)
training.SavedTraining.check_in = check_in
sys.exit(main())
"""
LONG = "--algorithm softmax --n-rounds 100000000 --n-leaves 4 --n-threads 1 --verbose 0"


def start(folder, model, flags=LONG, pause=0.0, stderr=subprocess.PIPE):
    program = PROGRAM.replace("PAUSE", repr(pause))
    words = [sys.executable, "-c", program, "train", str(folder / "train.txt"), "--model", str(model), *flags.split()]
    return subprocess.Popen(words, stdout=subprocess.PIPE, stderr=stderr, env=ENVIRONMENT, text=True)


def wait_for(process, beginning):
    """Read lines until one begins so."""
    for line in process.stdout:
        if line.startswith(beginning):
            return line
    raise AssertionError(process.stderr.read())


def goes_on(model, folder, capsys, tmp_path):
    """The model so far is that of as many rounds of one training."""
    n_rounds = load_model(model).n_rounds_
    flags = ["--algorithm", "softmax", "--n-rounds", n_rounds, "--n-leaves", "4", "--verbose", "0"]
    assert run(capsys, "train", folder / "train.txt", "--model", tmp_path / "whole", *flags) == (0, [], [])
    expected = load_model(tmp_path / "whole").predict(DATA.X)
    assert load_model(model).predict(DATA.X).tobytes() == expected.tobytes()
    return n_rounds


@heeds_signals
def test_a_terminal_shows_the_rounds_and_an_interrupt_keeps_them(folder, tmp_path, capsys):
    pty, termios = pytest.importorskip("pty"), pytest.importorskip("termios")
    model, (ours, theirs) = tmp_path / "m", pty.openpty()
    termios.tcsetwinsize(theirs, (24, 100))  # a terminal without a width shows no bar
    process = start(folder, model, LONG.removesuffix(" --verbose 0"), stderr=theirs)
    os.close(theirs)
    wait_for(process, "turn 3")
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    shown = os.read(ours, 65536).decode()
    os.close(ours)
    assert (process.returncode, sorted(tmp_path.iterdir())) == (130, [model, tmp_path / f"{model.name}.toml"])
    n_rounds = goes_on(model, folder, capsys, tmp_path)
    assert re.search(r" [1-9]\d*/100000000 ", shown)
    assert f"{model} holds the {n_rounds} rounds that are done" in shown


@heeds_signals
@pytest.mark.parametrize(("sent", "code"), [("SIGINT", 130), ("SIGTERM", 143), ("SIGHUP", 129)])
def test_a_second_signal_while_the_model_is_written_is_held_back(folder, tmp_path, capsys, sent, code):
    model = tmp_path / "m"
    process = start(folder, model, pause=0.3)
    wait_for(process, "turn 3")
    process.send_signal(getattr(signal, sent))
    wait_for(process, "saving")
    for other in ("SIGINT", "SIGTERM", "SIGINT", "SIGHUP"):
        process.send_signal(getattr(signal, other))
        time.sleep(0.02)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == code
    n_rounds = goes_on(model, folder, capsys, tmp_path)
    assert errors == f"refrank: interrupted; {model} holds the {n_rounds} rounds that are done; --resume continues\n"


@heeds_signals
def test_a_signal_while_the_finished_model_is_written_is_held_back(folder, tmp_path):
    model = tmp_path / "m"
    process = start(folder, model, LONG.replace("100000000", "3"), pause=0.3)
    wait_for(process, "saving")
    process.send_signal(signal.SIGINT)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 130
    assert load_model(model).n_rounds_ == 3
    assert errors == f"refrank: interrupted; {model} holds the 3 rounds that are done; --resume continues\n"


@heeds_signals
def test_a_signal_while_a_checkpoint_is_written_loses_no_turn(folder, tmp_path, capsys):
    model = tmp_path / "m"
    process = start(folder, model, LONG + " --checkpoint-every 2", pause=0.3)
    wait_for(process, "saving the 2 rounds")
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=60)
    assert process.returncode == 143
    assert goes_on(model, folder, capsys, tmp_path) == 2
    assert "holds the 2 rounds" in errors


@heeds_signals
def test_killed_at_once_it_loses_one_interval_at_most(folder, tmp_path, capsys):
    """SIGKILL cannot be caught: what the last checkpoint wrote is there."""
    model = tmp_path / "m"
    process = start(folder, model, LONG + " --checkpoint-every 3")
    last = int(re.findall(r"\d+", wait_for(process, "turn 11"))[0])
    process.kill()
    process.communicate()
    n_rounds = goes_on(model, folder, capsys, tmp_path)
    assert n_rounds % 3 == 0
    assert n_rounds >= last - 3


@heeds_signals
def test_a_signal_before_the_first_turn_leaves_the_older_file(folder, tmp_path, capsys, monkeypatch):
    (tmp_path / "m").write_bytes(b"older")

    def stopped(turns, *_):
        signal.raise_signal(signal.SIGTERM)
        yield from turns

    monkeypatch.setattr(runs, "show_progress", stopped)
    words = f"--algorithm ls --n-rounds 2 --model {tmp_path / 'm'}".split()
    kept = "nothing was finished yet; the file of that name is an older one"
    code, _, errors = run(capsys, "train", folder / "train.txt", *words)
    assert (code, errors) == (143, [f"refrank: interrupted; {tmp_path / 'm'} was not written: {kept}"])
    assert (tmp_path / "m").read_bytes() == b"older"


@heeds_signals
def test_the_first_signal_is_raised_and_those_after_it_are_not():
    with Signals() as signals:
        with pytest.raises(KeyboardInterrupt):
            signal.raise_signal(signal.SIGHUP)
        signal.raise_signal(signal.SIGINT)
    assert signals.exit_code == 129
    with Signals() as signals:
        signals.interrupt()  # raised by something else
        signal.raise_signal(signal.SIGTERM)
    assert signals.exit_code == 130


@heeds_signals
def test_handlers_of_signals_are_given_back(folder, tmp_path, capsys):
    before = [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)]
    words = f"--algorithm ls --n-rounds 1 --verbose 0 --model {tmp_path / 'm'}".split()
    assert run(capsys, "train", folder / "train.txt", *words) == (0, [], [])
    assert [signal.getsignal(number) for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP)] == before

"""The monitor and the progress bar of a training on shards: those of `fit`, once, in the driver's process."""

import io
import re
import sys

import numpy as np
import pytest
from sklearn.base import clone

from refrank import COCRRanker, GBRTRanker, LSBoostRanker
from refrank.cluster.communicator import Progress
from refrank.estimators.watching import MonitoredTurns
from refrank.models import save_model
from tests.cluster.schedules import Schedule
from tests.cluster.threads import deal, use_threads

RNG = np.random.default_rng(3)
X, Y = RNG.integers(0, 9, (60, 3)) / 4.0, RNG.integers(0, 3, 60)
SHARDS = deal([X, Y], RNG.integers(0, 3, 60), 3)
VALID = {"X_val": X[::3], "y_val": Y[::3], "qid_val": np.repeat(np.arange(4), 5)}
RANKERS = [LSBoostRanker(n_rounds=5, n_bins=8), COCRRanker(GBRTRanker(n_rounds=2, n_bins=8))]
each = pytest.mark.parametrize("ranker", RANKERS, ids=lambda ranker: ranker.algorithm)
Terminal = type("Terminal", (io.StringIO,), {"isatty": lambda self: True})


def measure_errors(y, score, qid):
    """Measure what each round changes."""
    return -((y - score) ** 2)


def save_bytes(ranker, path):
    save_model(ranker, path)
    return path.read_bytes()


def describe(ranker, path):
    """Return the bytes of a ranker's file, or the answers of one that is not finished."""
    return ranker.unfinished_.answers(X).tolist() if hasattr(ranker, "unfinished_") else save_bytes(ranker, path)


@each
@pytest.mark.parametrize("end_at", [None, 1, 2])
@pytest.mark.parametrize("faults", [{}, {(0, 1, 30): "receive"}, {(0, 0, 40): "send"}], ids=len)
def test_a_monitor_sees_what_it_sees_in_fit(ranker, end_at, faults, tmp_path):
    """A copy of the ranker after each turn, which can be saved; True ends the training, and nothing else does."""

    def train(method, *data):
        own, seen = clone(ranker), []

        def monitor(n_done, so_far):
            copied = so_far()
            assert copied is not own
            seen.append((n_done, describe(copied, tmp_path / "model")))
            return n_done == end_at or "no bool"

        getattr(own, method)(*data, monitor=monitor)
        return [*seen, describe(own, tmp_path / "model")]

    with use_threads(Schedule(faults).start):
        assert train("fit_shards", SHARDS) == train("fit", X, Y)


@each
@pytest.mark.parametrize("faults", [{}, {(0, 1, 30): "receive"}, {(0, 0, 40): "send"}], ids=len)
def test_one_bar_shows_each_turn_once(ranker, faults, monkeypatch, tmp_path):
    """It ends with the lines that that of `fit` ends with; the shards show none."""

    def show(method, *data, n_before=0, **more):
        own, screen = clone(ranker), Terminal()
        if n_before:
            with use_threads():
                own.fit_shards(SHARDS, monitor=lambda n_done, so_far: n_done == n_before).set_params(warm_start=True)
        monkeypatch.setattr(sys, "stderr", screen)
        fitted = getattr(own.set_params(verbose=1), method)(*data, **more)
        last = screen.getvalue().split("\r")[-1]
        without_times = re.sub(r"\[[^]]*?/(s|round|problem)", "[", last)
        return without_times, save_bytes(fitted, tmp_path / "model")

    for more in {}, {**VALID, "eval_metric": measure_errors}, {"n_before": 1}:
        with use_threads(Schedule(faults).start):
            shown = show("fit_shards", SHARDS, **more)
        assert shown == show("fit", X, Y, **more)
        assert "100%" in shown[0]


def test_turns_before_the_training_are_not_those_of_the_monitor():
    seen = []
    turns = MonitoredTurns(lambda n_done, so_far: seen.append(n_done), 0, continues=True)
    for n_done in 3, 4, 4, 3, 4, 5:  # begun with three turns; all lost, and begun again
        assert not turns.notice(n_done, lambda: None, Progress(6, "turn"))
    assert seen == [4, 5]


def test_warm_start_without_a_model_begins_with_the_first_turn():
    seen = []
    with use_threads():
        clone(RANKERS[0]).set_params(warm_start=True).fit_shards(SHARDS, monitor=lambda n_done, _: seen.append(n_done))
    assert seen == [1, 2, 3, 4, 5]


def test_shards_that_are_lost_after_the_last_turn_end_at_it_again():
    turns = MonitoredTurns(lambda n_done, so_far: n_done == 3, 0, continues=False)
    ends = [turns.notice(n_done, lambda: None, Progress(6, "turn")) for n_done in (2, 3, 2, 3)]
    assert ends == [False, True, False, True]


@pytest.mark.parametrize("on", [0, 1, 2, 5])
@pytest.mark.parametrize("kept", [1, 4])
@each
def test_a_training_continues_on_another_number_of_shards_or_on_one_machine(ranker, kept, on, tmp_path):
    """The monitor sees the turns that are new, and the file is that of a training without interruption."""
    expected = save_bytes(clone(ranker).fit(X, Y), tmp_path / "model")
    begun, seen = clone(ranker), []
    kept = min(kept, 1) if ranker.algorithm == "cocr" else kept
    with use_threads():
        begun.fit_shards(SHARDS, monitor=lambda n_done, so_far: n_done == kept)
        begun.set_params(warm_start=True)
        monitor = {"monitor": lambda n_done, so_far: seen.append(n_done)}
        if on:
            begun.fit_shards(deal([X, Y], RNG.integers(0, on, 60), on), **monitor)
        else:
            begun.fit(X, Y, **monitor)
    assert save_bytes(begun.set_params(warm_start=False), tmp_path / "model") == expected
    assert seen == [*range(kept + 1, 6 if ranker.algorithm == "ls" else 3)]


def test_an_interrupt_keeps_the_finished_turns_and_is_raised_again(tmp_path):
    def interrupt(n_done, so_far):
        if n_done == 3:
            raise KeyboardInterrupt

    ranker = clone(RANKERS[0])
    with use_threads(), pytest.raises(KeyboardInterrupt):
        ranker.fit_shards(SHARDS, monitor=interrupt, **VALID)
    assert ranker.n_rounds_ == len(ranker.history_) == 3
    expected = clone(RANKERS[0])
    with pytest.raises(KeyboardInterrupt):
        expected.fit(X, Y, monitor=interrupt, **VALID)
    assert save_bytes(ranker, tmp_path / "model") == save_bytes(expected, tmp_path / "model")


@pytest.mark.parametrize("continues", [False, True])
def test_a_training_that_fails_leaves_the_model_that_fit_leaves(continues):
    """None of other data; with warm_start, the earlier one."""
    for method, data in ("fit", (X, Y + 0.5)), ("fit_shards", ([(X, Y + 0.5)],)):
        ranker = clone(RANKERS[0]).fit(X, Y).set_params(warm_start=continues)
        with use_threads(), pytest.raises(ValueError, match="y at row 0 is"):
            getattr(ranker, method)(*data)
        assert hasattr(ranker, "model_") is continues


def test_no_shards_are_refused():
    with use_threads(), pytest.raises(ValueError, match="shards is"):
        clone(RANKERS[0]).fit_shards([])

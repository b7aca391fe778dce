"""Trainings that do not end well: a failed fit leaves no model, an interrupted one what is done; and what both show."""

import io
import sys
import threading
from contextlib import ExitStack, contextmanager

import numpy as np
import pytest
from sklearn.base import clone
from sklearn.exceptions import NotFittedError

import refrank.mcrank.lambdarank
from refrank import GBRTRanker, RandomForestRanker
from refrank.estimators import base_learners, m5p, run
from refrank.trees.growth import forest_growth
from refrank.trees.growth.grower import Grower
from tests.estimators import cases
from tests.estimators.cases import ESTIMATORS, QID, TURNS, VARIANTS, X, Y, changed, each, fit, learned, same_bits, small

in_parts = cases.which(lambda ranker: ranker.algorithm != "cocr")

# Where a training can be stopped: the functions that its turns call.
STEPS = {
    "gbrt": [(Grower, "finish")],
    "rf": [(forest_growth, "grow_with_means")],
    "igbrt": [(forest_growth, "grow_with_means"), (Grower, "finish")],
    "lambdarank": [(refrank.mcrank.lambdarank, "run_pass")],
    "cocr": [(base_learners, "clone")],
    "m5p": [(m5p, "make_model_tree")],
    "weka-linear": [(m5p, "set_up_regression")],
}


def steps_of(estimator):
    return STEPS.get(estimator.algorithm, [(Grower, "finish")])


@contextmanager
def stopped(step, call=0, fault=KeyboardInterrupt):
    """While this lasts, a step raises in one call, counted from 1; the calls are listed."""
    whole, calls, lock = getattr(*step), [], threading.Lock()

    def stopping(*args, **kwargs):
        with lock:
            calls.append(step)
            if len(calls) == call:
                raise fault
        return whole(*args, **kwargs)

    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(*step, stopping)
        yield calls


WRONG = {"n_rounds": 0, "n_trees": -1, "hidden": 0, "base": None, "min_instances": 0, "ridge": 0.0}
FAILURES = {
    "features": {"X": changed(X, (7, 1), np.inf)[:, :2]},
    "labels": {"y": changed(Y, 5, np.nan)},
    "lengths": {"y": Y[:-1]},
    "weights": {"sample_weight": changed(np.ones(60), 3, -0.5)},
    "queries": {"qid": QID[:-1]},
    **{other: {} for other in ("parameters", "error in step 1", "error in step 2", "interrupt of step 1")},
}


@each(ESTIMATORS)
@pytest.mark.parametrize("failure", FAILURES)
def test_a_second_fit_that_fails_leaves_no_model_of_the_first(make, failure):
    """The trees of the first would read columns that the second fit's rows do not have."""
    estimator, arguments = fit(make()), {"X": X[:, :2], "y": Y} | FAILURES[failure]
    (step, *_), takes_all = steps_of(estimator), all(cases.takes(estimator, name) for name in arguments)
    if not takes_all or (failure.endswith("2") and step[0] is m5p):
        pytest.skip("cannot fail in this way")
    with ExitStack() as stack:
        if failure == "parameters":
            name = next(name for name in WRONG if name in estimator.get_params())
            estimator.set_params(**{name: WRONG[name]})
        elif "step" in failure:
            fault = KeyboardInterrupt if "interrupt" in failure else RuntimeError
            stack.enter_context(stopped(step, int(failure[-1]), fault))
        with pytest.raises((ValueError, RuntimeError, KeyboardInterrupt)):
            estimator.fit(**arguments)
    assert learned(estimator).keys() <= {"n_features_in_"}
    for width in (2, 5):
        with pytest.raises(NotFittedError):
            estimator.predict(X[:, :width])


def turns_of(ranker) -> dict[str, int]:
    """How many turns a fitted ranker has done, by parameter."""
    kept = [name for name in TURNS if name in ranker.get_params()]
    return {name: len(ranker.epochs_) if name == "n_epochs" else getattr(ranker, f"{name}_") for name in kept}


def as_short(ranker):
    """A ranker whose whole training is what this one's interrupted training did; fitted."""
    turns = turns_of(ranker)
    if turns.get("n_rounds") == 0:  # a forest that nothing is added to
        forest, given = RandomForestRanker(), ranker.get_params() | {"n_trees": turns["n_trees"]}
        return fit(forest.set_params(**{name: given[name] for name in forest.get_params() if name in given}))
    return fit(clone(ranker).set_params(**turns))


@pytest.mark.parametrize("refit", [False, True])
@pytest.mark.parametrize(
    ("make", "step"),
    [pytest.param(make, step, id=f"{name}, {step[1]}") for name, make in in_parts.items() for step in steps_of(make())],
)
def test_an_interrupt_keeps_the_turns_done(make, step, refit):
    with stopped(step) as calls:
        whole = turns_of(fit(make()))
    ranker = fit(make(), X[:, ::-2], Y[::-1]) if refit else make()
    with stopped(step, len(calls) // 2 + 1), pytest.raises(KeyboardInterrupt):
        fit(ranker)
    done = turns_of(ranker)
    assert 0 < sum(done.values()) < sum(whole.values())
    assert step[1] != "finish" or 0 < done["n_rounds"] < whole["n_rounds"]
    other = as_short(ranker)
    if "forest_" in vars(ranker) and done["n_rounds"] == 0:
        assert ranker.model_.rounds == ()
        assert learned(ranker)["forest_"] == learned(other)["model_"]
        assert [stage.tobytes() for stage in ranker.staged_predict(X)] == [other.predict(X).tobytes()]
    else:
        assert learned(ranker) == learned(other)
        assert len(list(ranker.staged_predict(X))) == next(iter(done.values()))
    assert same_bits(ranker.predict(X), other.predict(X))
    assert ranker.score(X, Y, QID) == other.score(X, Y, QID)


@pytest.mark.parametrize(("setting", "call"), [("regression", 7), ("classification", 20)])
def test_an_interrupt_of_trees_grown_side_by_side_keeps_those_before_it(setting, call):
    """Trees are asked for in order; those that other threads grew ahead are let go."""
    ranker = small(RandomForestRanker, n_trees=12, n_threads=3, setting=setting)
    with stopped((forest_growth, "grow_with_means"), call), pytest.raises(KeyboardInterrupt):
        ranker.fit(X, Y)
    assert 0 < ranker.n_trees_ < 12
    assert same_bits(ranker.predict(X), as_short(ranker).predict(X))


@each(VARIANTS)
def test_an_interrupt_between_two_turns_lets_go_of_the_algorithm(make, monkeypatch):
    """A traceback that is kept, as notebooks keep the last one, must not hold threads or their limits."""
    threads = threading.active_count()

    def interrupted(turns, *args):
        for number, turn in enumerate(turns):
            if number == 2:
                raise KeyboardInterrupt
            yield turn

    monkeypatch.setattr(run, "show_progress", interrupted)
    ranker = make()
    if "n_threads" in ranker.get_params():
        ranker.set_params(n_threads=3)
    with pytest.raises(KeyboardInterrupt) as kept:
        fit(ranker)
    ended = [entry.frame.f_locals["run"].turns.gi_frame for entry in kept.traceback if "run" in entry.frame.f_locals]
    assert set(ended) == {None}
    assert threading.active_count() == threads
    if ranker.algorithm == "cocr":  # a part of the answers is not a model
        assert not hasattr(ranker, "model_")
    else:
        assert same_bits(ranker.predict(X), as_short(ranker).predict(X))


UNITS = {"lambdarank": "epoch", "cocr": "problem", "rf": "tree", "igbrt": "tree"}


@cases.rankers
def test_progress_counts_every_turn(Ranker, monkeypatch):
    calls = []
    monkeypatch.setattr(run, "show_progress", lambda *args: calls.append(args) or args[0])
    ranker = fit(small(Ranker, verbose=1))
    turns = sum(turns_of(ranker).values()) or 3  # problems of four classes
    assert [how for _, *how in calls] == [[turns, UNITS.get(ranker.algorithm, "round"), 1, 0, None]]


Terminal = type("Terminal", (io.StringIO,), {"isatty": lambda self: True})
Cell = type("Cell", (io.StringIO,), {"__module__": "ipykernel.iostream"})  # where a notebook without widgets prints


@pytest.mark.parametrize("where", ["terminal", "cell", "widget", "pipe"])
@pytest.mark.parametrize("verbose", [0, 1])
def test_progress_is_shown_where_somebody_looks(where, verbose, monkeypatch, capfd):
    screen, widgets = {"terminal": Terminal, "cell": Cell}.get(where, io.StringIO)(), []
    monkeypatch.setattr(sys, "stderr", screen)
    if where == "widget":  # stands for tqdm.notebook's bar, which shows itself in a cell of its own
        monkeypatch.setattr(run.auto, "tqdm", lambda turns, **how: widgets.append(how) or turns)
    assert list(run.show_progress(iter("abc"), 3, "tree", verbose)) == ["a", "b", "c"]
    assert capfd.readouterr() == ("", "")
    assert widgets == [{"initial": 0, "total": 3, "unit": "tree", "disable": False}] * (verbose and where == "widget")
    shown = screen.getvalue()
    if verbose and where in ("terminal", "cell"):
        assert "3/3 [" in shown
        assert "tree/s" in shown
    else:
        assert shown == ""


def test_an_interrupted_bar_shows_how_far_it_came(monkeypatch):
    monkeypatch.setattr(sys, "stderr", Terminal())
    with stopped((Grower, "finish"), 3), pytest.raises(KeyboardInterrupt):
        GBRTRanker(n_rounds=5, verbose=1).fit(X, Y)
    assert "2/5 [" in sys.stderr.getvalue()

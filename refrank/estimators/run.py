"""A training: its turns, their progress, and the turns that an interrupt or an earlier fit left."""

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager
from copy import copy
from dataclasses import dataclass
from itertools import islice
from types import MappingProxyType
from typing import Any, Generic, TypeVar

import numpy as np
from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from tqdm import auto

from refrank.arrays import Bools, Floats, Matrix
from refrank.checks import check_seed
from refrank.cluster.communicator import Progress, find_shards, is_alone
from refrank.estimators.validation import Validation
from refrank.estimators.warm_start import require_same
from refrank.kernel import use_large_pages

NOTHING: Mapping[str, Any] = MappingProxyType({})
# (number of turns done, function that copies the current ranker; on shards, how a bar shows them)
Monitor = Callable[..., object]
Turn = TypeVar("Turn")
Turns = Generator[Turn, None, None]


@dataclass(frozen=True)
class Training:
    """Checked training rows, without rows of weight 0, which thus change nothing."""

    X: Matrix  # (n_samples, n_features)
    y: NDArray[Any]  # (n_samples,) as `_check_target` returned it
    weight: Floats | None  # (n_samples,), all above 0
    kept: Bools  # (rows given to fit,): True for the rows kept here
    earlier: Mapping[str, Any]  # what the last fit learned, if this fit continues it
    qid: ArrayLike | None = None  # the query of each row given to fit, if there are ids
    validation: Validation | None = None


@dataclass(frozen=True)
class Run(Generic[Turn]):
    """A training: its turns, and the model that the first m of them make."""

    turns: Turns[Turn]  # those not yet done
    n_turns: int  # in all
    unit: str  # the name of a turn in the progress bar
    learn: Callable[[list[Turn]], dict[str, Any]]  # the learned attributes after these turns
    earlier: Sequence[Turn] = ()  # the first turns, of an earlier fit
    n_before: int | None = 0  # turns before the first round to be validated; None: the turns validate themselves


def forget(estimator: Any) -> dict[str, Any]:
    """Remove and return what an earlier fit learned, so that a fit that fails leaves no model of other data."""
    return {name: vars(estimator).pop(name) for name in [*vars(estimator)] if name.endswith("_")}


@contextmanager
def keep_earlier(ranker: Any) -> Iterator[None]:
    """With `warm_start`, restore what a ranker had learned before a fit that failed."""
    earlier = {name: value for name, value in vars(ranker).items() if name.endswith("_") and ranker.warm_start}
    try:
        yield
    except BaseException:
        if not hasattr(ranker, "n_queries_"):  # the fit learned nothing
            forget(ranker)
            vars(ranker).update(earlier)
        raise


def train(
    ranker: Any, run: Run[Any], n_queries: int, validation: Validation | None = None, monitor: Monitor | None = None
) -> Any:
    """Train every turn that is not yet done, then assign the learned attributes to the ranker; return it."""
    done, started = [*run.earlier], copy(ranker)  # a fit that fails forgets what it had learned
    scores = iter(()) if validation is None else score_rounds(ranker, run, done, validation.X)

    def assign(to: Any) -> Any:
        n_rounds = len(done) - (run.n_before or 0)
        measured = {} if validation is None or len(validation.history) != n_rounds else validation.learn()
        vars(to).update(run.learn(done), n_queries_=n_queries, **measured)
        return to

    def report() -> bool:
        note = None if validation is None else validation.describe()
        shown = () if is_alone() else (Progress(run.n_turns, run.unit, note),)
        return monitor is not None and is_true(monitor(len(done), lambda: assign(copy(started)), *shown))

    def is_over() -> bool:
        if validation is not None and run.n_before is not None:
            validation.measure_rounds(islice(scores, max(0, len(done) - run.n_before - len(validation.history))))
        return validation is not None and validation.is_over

    try:
        with use_large_pages(), closing(run.turns):  # an interrupt between two turns releases the threads, too
            describe = None if validation is None else validation.describe
            verbose = ranker.verbose if is_alone() else 0  # progress of shards is shown once, where they are watched
            shown = show_progress(run.turns, run.n_turns, run.unit, verbose, len(done), describe)
            begins_anew = not is_alone() and len(done) > 0  # shards ask whether their first turns were the last
            for turn in () if is_over() or (begins_anew and report()) else shown:
                done.append(turn)
                over = is_over()
                if report() or over:
                    break
        assign(ranker)
    except KeyboardInterrupt:  # the first turns make a model, or the beginning of one
        if done:
            if validation is not None:
                validation.cut(max(0, len(done) - (run.n_before or 0)))
            assign(ranker)
        raise
    if validation is not None:
        if run.n_before == len(done) == run.n_turns:  # the turns are no rounds, but together they have rounds
            validation.measure_rounds(scores)
            vars(ranker).update(ranker._cut(validation.best) if validation.patience else {})
        elif run.n_before is not None and validation.patience and validation.best:
            del done[run.n_before + validation.best :]
            assign(ranker)
        vars(ranker).update(validation.learn())
        validation.warn()
    return ranker


def is_true(answer: object) -> bool:
    """Return whether a monitor asks for the end; what other functions happen to return does not."""
    return isinstance(answer, bool | np.bool_) and bool(answer)


def score_rounds(ranker: Any, run: Run[Any], done: list[Any], X: Matrix) -> Iterator[Floats]:
    """Yield the scores of the rows of X, (n_samples,), after each round, which must be done by then."""
    start = copy(ranker)
    vars(start).update(run.learn(done[: run.n_before]))
    yield from start._staged(X, 1, islice(done, run.n_before, None))


def show_progress(
    turns: Iterator[Turn],
    n_turns: int,
    unit: str,
    verbose: int,
    n_done: int = 0,
    describe: Callable[[], str] | None = None,
) -> Iterator[Turn]:
    """Yield the turns; with `verbose`, show a progress bar in a terminal or a notebook, and what `describe` returns."""
    if not verbose:
        return turns
    # with and without widgets: a notebook's standard error is not a terminal
    in_notebook = auto.tqdm is not auto.asyncio_tqdm or type(sys.stderr).__module__.startswith("ipykernel")
    bar = auto.tqdm(turns, initial=n_done, total=n_turns, unit=unit, disable=False if in_notebook else None)
    return bar if describe is None else add_notes(bar, describe)


def add_notes(bar: Any, describe: Callable[[], str]) -> Iterator[Any]:
    """Yield the turns of a bar, and write beside it how the last one went."""
    for turn in bar:
        yield turn
        bar.set_postfix_str(describe(), refresh=False)


def resolve_seed(random_state: int | RandomState | None, earlier: Mapping[str, Any] = NOTHING) -> int:
    """Return an integer unchanged; else return the seed of an earlier fit, or draw one."""
    if isinstance(random_state, RandomState) or random_state is None:
        if "seed_" in earlier:
            return int(earlier["seed_"])
        return int(find_shards().gather(check_random_state(random_state).randint(2**31 - 1))[0])  # one for all shards
    seed = check_seed("random_state", random_state)
    require_same("random_state", seed, earlier.get("seed_", seed))
    return seed

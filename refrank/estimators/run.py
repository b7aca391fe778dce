"""A training: its turns, their progress, and the turns that an interrupt or an earlier fit left."""

import sys
from collections.abc import Callable, Generator, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from types import MappingProxyType
from typing import Any, Generic, TypeVar

from numpy.random import RandomState
from numpy.typing import ArrayLike, NDArray
from sklearn.utils import check_random_state
from tqdm import auto

from refrank.arrays import Bools, Floats, Matrix
from refrank.checks import check_seed
from refrank.estimators.warm_start import require_same

NOTHING: Mapping[str, Any] = MappingProxyType({})
Monitor = Callable[[int, Callable[[], Any]], object]  # (number of turns done, function that copies the current ranker)
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


@dataclass(frozen=True)
class Run(Generic[Turn]):
    """A training: its turns, and the model that the first m of them make."""

    turns: Turns[Turn]  # those not yet done
    n_turns: int  # in all
    unit: str  # the name of a turn in the progress bar
    learn: Callable[[list[Turn]], dict[str, Any]]  # the learned attributes after these turns
    earlier: Sequence[Turn] = ()  # the first turns, of an earlier fit


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


def show_progress(turns: Iterator[Turn], n_turns: int, unit: str, verbose: int, n_done: int = 0) -> Iterator[Turn]:
    """Yield the turns; with `verbose`, show a progress bar in a terminal or a notebook."""
    if not verbose:
        return turns
    # with and without widgets: a notebook's standard error is not a terminal
    in_notebook = auto.tqdm is not auto.asyncio_tqdm or type(sys.stderr).__module__.startswith("ipykernel")
    return auto.tqdm(turns, initial=n_done, total=n_turns, unit=unit, disable=False if in_notebook else None)


def resolve_seed(random_state: int | RandomState | None, earlier: Mapping[str, Any] = NOTHING) -> int:
    """Return an integer unchanged; else return the seed of an earlier fit, or draw one."""
    if isinstance(random_state, RandomState) or random_state is None:
        if "seed_" in earlier:
            return int(earlier["seed_"])
        return int(check_random_state(random_state).randint(2**31 - 1))
    seed = check_seed("random_state", random_state)
    require_same("random_state", seed, earlier.get("seed_", seed))
    return seed

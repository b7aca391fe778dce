"""The workers that grow the trees of a forest: threads, or those of joblib's backends for other machines, as Dask's."""

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from typing import Any

from joblib import Parallel, delayed
from joblib.parallel import get_active_backend

from refrank.estimators.joblib_results import read_results
from refrank.igbrt.random_forest import Each
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.model.tree import Tree

LARGE = 2**30  # bytes


def choose_map(binned: BinnedFeatures) -> Each:
    """Return the function that maps over the trees of a forest on these features: `map`, or one tree per thread.

    Where `joblib.parallel_config` names a backend of other machines, such as "dask", their workers grow the trees. At
    most 2 n_threads trees are grown ahead, so a reader that drops each tree never holds the forest.
    """
    n_threads = 1 if binned.engine.in_turn else binned.engine.n_threads
    if not binned.engine.in_turn and is_elsewhere(get_active_backend(prefer="threads")[0]):
        return map_in_workers
    binned.row_codes  # noqa: B018  computed once, before the threads need it

    def map_in_threads(function: Callable[[int], Tree], numbers: Iterable[int]) -> Iterator[Tree]:
        ahead: deque[Future[Tree]] = deque()
        pool = ThreadPoolExecutor(n_threads)
        try:
            for number in numbers:
                ahead.append(pool.submit(function, number))
                if len(ahead) == 2 * n_threads:
                    yield ahead.popleft().result()
            while ahead:
                yield ahead.popleft().result()
        finally:  # an interrupt or an error does not wait for the trees grown ahead
            pool.shutdown(cancel_futures=True)

    return map if n_threads == 1 else map_in_threads


def is_elsewhere(backend: Any) -> bool:
    """Return whether a backend of joblib has workers on other machines, which those of joblib itself do not.

    >>> from joblib.parallel import get_active_backend
    >>> is_elsewhere(get_active_backend()[0])
    False
    """
    return not type(backend).__module__.startswith("joblib._parallel_backends")


class Carried:
    """A function with the features in it, which declares its size: so a worker of Dask gets it once, not per tree."""

    def __init__(self, function: Callable[[int], Tree]) -> None:
        self.function = function

    def __sizeof__(self) -> int:
        """Return a size at which joblib sends an argument ahead of the calls."""
        return LARGE


def apply_carried(carried: Carried, number: int) -> Tree:
    """Grow a tree, on a worker."""
    return carried.function(number)


def map_in_workers(function: Callable[[int], Tree], numbers: Iterable[int]) -> Iterator[Tree]:
    """Map over the trees in order, on the workers; joblib dispatches few ahead."""
    carried = Carried(function)
    # A backend of its own: of forests that grow side by side, the first that ends stops the results of its backend.
    backend, _ = get_active_backend(prefer="threads")[0].get_nested_backend()
    grown = Parallel(-1, backend, return_as="generator")(delayed(apply_carried)(carried, number) for number in numbers)
    return read_results(grown)

"""Trees of a forest on the workers of joblib's backends for other machines: `joblib.parallel_config("dask")`."""

from collections.abc import Callable, Iterable, Iterator
from typing import Any, cast

from joblib import Parallel, delayed

from refrank.trees.model.tree import Tree

LARGE = 2**30  # bytes


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
    grown = Parallel(return_as="generator")(delayed(apply_carried)(carried, number) for number in numbers)
    return cast(Iterator[Tree], grown)

"""The state of a cell that takes hours, kept in a file beside the cells: after a kill, the computation goes on from it.

A state is a dictionary of arrays that the computation fills in place. It is written now and then, as a whole or not at
all, and found again as a cell is: if data, setting, convention and code are the same. A finished cell has no state.
"""

import warnings
from collections.abc import Callable
from functools import partial
from time import monotonic

from refrank.reproduce.cells import Arrays, CellStore

SECONDS = 60.0  # between two writes


class Unfinished:
    """The state of one cell, and the time of its last write."""

    def __init__(self, store: CellStore, name: str) -> None:
        self.store, self.path, self.written = store, store.place(f"unfinished {name}"), monotonic()

    def fill(self, state: Arrays) -> None:
        """Fill the arrays of a new state with those of the file, if there is one."""
        kept = self.store.read(self.path)
        if kept is not None and all(name in kept and kept[name].shape == state[name].shape for name in state):
            for name, array in state.items():
                array[...] = kept[name]

    def is_due(self) -> bool:
        """Return whether the state should be written now."""
        return monotonic() >= self.written + SECONDS

    def write(self, state: Arrays) -> None:
        """Write the state; if that fails, as on a full disk, warn, and leave it to the next time."""
        try:
            self.store.write(self.path, state)
        except OSError as fault:
            warnings.warn(f"the trees so far are not kept: {fault}", RuntimeWarning, stacklevel=2)
        self.written = monotonic()

    def remove(self) -> None:
        """Remove the file, if there is one."""
        self.path.unlink(missing_ok=True)


def fetch_resumed(store: CellStore, name: str, compute: Callable[[Unfinished], Arrays]) -> Arrays:
    """Return the arrays of a cell as `CellStore.fetch` does; an unfinished computation goes on from its state."""
    unfinished = Unfinished(store, name)
    arrays = store.fetch(name, partial(compute, unfinished))
    unfinished.remove()
    return arrays

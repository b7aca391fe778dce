"""The watch of a training on shards: one monitor and one progress bar, whatever the shards do again."""

from collections.abc import Callable, Iterator
from typing import Any

from refrank.cluster.communicator import Progress
from refrank.estimators.run import Monitor, is_true, show_progress


class MonitoredTurns:
    """The turns that a monitor has seen, each once.

    Shards that start with finished turns report them, too: those of an earlier fit, which are no turns of this one, or
    those that they had before some of them were lost, which the monitor may not have seen yet.
    """

    def __init__(self, monitor: Monitor | None, verbose: int, continues: bool) -> None:
        self.monitor, self.verbose = monitor, verbose
        self.n_seen = None if continues else 0
        self.is_over = False  # the monitor ended the training after turn n_seen
        self.bar: Iterator[int] | None = None
        self.note: str | None = None

    def notice(self, n_done: int, so_far: Callable[[], Any], progress: Progress) -> bool:
        """Take the report of the shards; return whether the training ends."""
        if self.n_seen is None:
            self.n_seen = n_done
        if n_done > self.n_seen:
            self.is_over = self.monitor is not None and is_true(self.monitor(n_done, so_far))
            self.n_seen = n_done
            self.show(n_done, progress)
        return self.is_over and n_done == self.n_seen

    def show(self, n_done: int, progress: Progress) -> None:
        """Show in the bar that one more turn is done."""
        self.note = progress.note
        if self.bar is None:
            turns = iter(range(n_done - 1, progress.n_turns))
            describe = None if self.note is None else lambda: self.note or ""
            self.bar = iter(show_progress(turns, progress.n_turns, progress.unit, self.verbose, n_done - 1, describe))
            next(self.bar)
        next(self.bar, None)

"""A port's tree, as its records tell it: which nodes it cut, and the rows of each.

A port numbers its nodes in the order in which it cut them. The nodes of two trees correspond if the cuts above them do,
so a tree that is cut in another order is the same tree.
"""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints
from yardstick.traces.stages import Place, Record

Records = Mapping[tuple[str, Place], Record]
ALIKE = 2.0**-18  # scores nearer than this, as a share of the largest, moved by the same step


class PortTree:
    """The nodes of a tree of a port.

    Parameters
    ----------
    theirs : mapping of Record
        The records of the port.
    place : Place
        Of the tree.
    n_samples : int
        Rows of the training.
    """

    def __init__(self, theirs: Records, place: Place, n_samples: int) -> None:
        self.records = {stage: theirs.get((stage, place)) for stage in ("histogram", "cut", "partition", "scores")}
        nodes, n_left, rows = (self.read("partition", name) for name in ("nodes", "n_left", "rows"))
        self.cut: list[int] | None = None  # the nodes that are cut, in order; None: the port does not tell them
        self.ranges: list[tuple[int, int]] = []  # of the rows of each node
        self.rows = np.empty(0, np.int64) if rows is None else rows
        self.numbers = {0: 0}  # of the port's nodes, by refrank's
        if nodes is not None and n_left is not None and nodes.shape == n_left.shape and is_order(rows, n_samples):
            self.ranges = find_ranges(nodes.tolist(), n_left.tolist(), n_samples)
            self.cut = nodes.tolist() if len(self.ranges) == 2 * len(nodes) + 1 else None

    def read(self, stage: str, name: str) -> NDArray[Any] | None:
        """Read a field of the tree's record of a stage."""
        record = self.records[stage]
        return None if record is None else record.values(name)

    def find(self, stage: str, number: int | None, names: Sequence[str]) -> list[NDArray[Any]] | None:
        """Read the entries of a node in fields that have one for each of `nodes`; None if one of them is not told."""
        nodes, fields = self.read(stage, "nodes"), [self.read(stage, name) for name in names]
        if number is None or nodes is None or nodes.ndim != 1:
            return None
        at = np.flatnonzero(nodes == number)
        if len(at) == 0 or any(values is None or len(np.atleast_1d(values)) != len(nodes) for values in fields):
            return None
        return [values[at[0]] for values in fields if values is not None]

    def list_rows(self, number: int) -> Ints:
        """List the rows of a node, ascending."""
        start, stop = self.ranges[number]
        return np.sort(self.rows[start:stop]).astype(np.int64)

    def list_children(self, number: int | None) -> tuple[int, int] | None:
        """Return the numbers of a node's children; None if it has none, or the port does not tell them."""
        if self.cut is None or number not in self.cut:
            return None
        left = 2 * self.cut.index(number) + 1
        return left, left + 1

    def find_cut(self, number: int | None) -> float | None:
        """Return the number at which a node is cut; None if the port does not tell it."""
        cuts = self.read("partition", "cut")
        if self.cut is None or number not in self.cut or cuts is None or cuts.shape != (len(self.cut),):
            return None
        return float(cuts[self.cut.index(number)])

    def follow(self, node: int, left: int) -> None:
        """Number the children of one of refrank's nodes, `left` and the next one."""
        children = self.list_children(self.numbers.get(node))
        if children is not None:
            self.numbers[left], self.numbers[left + 1] = children

    def group_rows(self, before: Floats) -> Ints | None:
        """Group the rows by the step that their scores took, given the scores before; None if they are not told."""
        after = self.read("scores", "values")
        if after is None or after.shape != before.shape or not np.isfinite(after).all():
            return None
        step = after - before
        order = np.argsort(step, kind="stable")
        apart = np.diff(step[order]) > ALIKE * max(np.abs(after).max(), np.abs(before).max())
        groups = np.empty(len(step), np.int64)
        groups[order] = np.concatenate([[0], np.cumsum(apart)])
        return groups


def is_order(rows: NDArray[Any] | None, n_samples: int) -> bool:
    """Return whether these are the rows of a training, each one once."""
    return rows is not None and rows.shape == (n_samples,) and np.array_equal(np.sort(rows), np.arange(n_samples))


def find_ranges(nodes: Sequence[int], n_left: Sequence[int], n_samples: int) -> list[tuple[int, int]]:
    """Find the range of rows of each node, given the nodes in the order in which they were cut.

    The list ends before a cut that no tree can have.

    >>> find_ranges([0, 2], [1, 1], 3), find_ranges([0, 3], [1, 1], 3)
    ([(0, 3), (0, 1), (1, 3), (1, 2), (2, 3)], [(0, 3), (0, 1), (1, 3)])
    """
    ranges, done = [(0, n_samples)], set[int]()
    for node, count in zip(nodes, n_left, strict=True):
        if not 0 <= node < len(ranges) or node in done or not 0 < count < ranges[node][1] - ranges[node][0]:
            break
        start, stop = ranges[node]
        ranges += [(start, start + count), (start + count, stop)]
        done.add(node)
    return ranges

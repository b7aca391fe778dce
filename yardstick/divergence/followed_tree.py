"""A growing tree beside that of a port, as the port's records tell it: the best cut of each node, and the one made.

A port numbers its nodes in the order in which it cut them, and those of a forest in any order. The nodes of two trees
correspond if the cuts above them do, so a tree that is cut in another order is the same tree.
"""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Bools, Floats, Ints
from refrank.trees.model.tree import LEAF, Tree
from refrank.trees.numbers.grid import Gridded, GriddedWeights
from refrank.trees.splitting import Split
from yardstick.divergence.judging import Judge, list_arrays
from yardstick.numbers.digest import digest
from yardstick.traces.recording import GrowingTree
from yardstick.traces.stages import Place, Record, make_field

ORDER = "feature", "left", "right"  # the fields that order the nodes of a tree
ALIKE = 2.0**-18  # scores nearer than this, as a share of the largest, moved by the same step


class FollowedTree(GrowingTree):
    """A growing tree, beside that of a port; nodes have refrank's numbers, except in `cut` and `ranges`."""

    def __init__(self, place: Place, root: Gridded, weights: GriddedWeights, judge: Judge) -> None:
        super().__init__(place, root, weights)
        self.judge = judge
        self.histograms: dict[int, Ints] = {}  # by node
        self.best: dict[int, Split] = {}  # refrank's cuts
        self.splits: dict[int, Split] = {}  # the cuts to go on with
        self.in_three: set[int] = set()  # nodes whose cut to go on with goes three ways
        self.chosen: dict[int, Split] = {}  # the port's, where it is another and as good
        self.worse: dict[int, float] = {}  # where refrank cuts a node whose rows the port parts by a worse cut
        self.parted: dict[int, tuple[Ints, int]] = {}  # the rows as the cut parts them, and how many go left
        self.children: dict[int, int] = {}  # the left ones
        self.has_curvature = False  # whether its denominators are sums of p (1 - p)
        self.numbers, self.own = {0: 0}, {0: 0}  # of the port's nodes, by refrank's, and the reverse
        self.cut: dict[int, int] | None = None  # the port's left children, by the node that it cuts; None: not told
        self.ranges: list[tuple[int, int]] = []  # of the rows of each node of the port
        self.order = np.empty(0, np.int64)  # the rows of the port, leaf after leaf
        self.is_broken = False  # whether the port tells cuts that no tree can have
        nodes, n_left, rows = (self.read("partition", name) for name in ("nodes", "n_left", "rows"))
        if nodes is not None and n_left is not None and rows is not None and is_order(rows, len(root.integers)):
            self.order, self.ranges = rows, find_ranges(nodes, n_left, len(rows))
            self.is_broken = len(self.ranges) != 2 * nodes.size + 1
            self.cut = dict(zip(nodes.ravel().tolist(), range(1, len(self.ranges), 2), strict=False))

    def read(self, stage: str, name: str) -> NDArray[Any] | None:
        """Read a field of the port's record of a stage."""
        return self.judge.read(stage, self.place, name)

    def find(self, stage: str, node: int, name: str, shape: tuple[int, ...] = ()) -> NDArray[Any] | None:
        """Read the entry of a node in a field that has one for each of `nodes`; None if it is not told."""
        nodes, values = self.read(stage, "nodes"), self.read(stage, name)
        if node not in self.numbers or nodes is None or values is None or values.shape != (nodes.size, *shape):
            return None
        at = np.flatnonzero(nodes == self.numbers[node])
        return values[at[0]] if len(at) else None

    def find_left(self, node: int) -> int | None:
        """Return the port's number of a left child; None if the port does not cut the node, or does not tell it."""
        return (self.cut or {}).get(self.numbers.get(node, -1))

    def divide(self, node: int) -> tuple[Ints, Ints] | None:
        """List the rows of both children that a node has in the port's tree, ascending; None if it has none."""
        left = self.find_left(node)
        if left is None:
            return None
        first, second = (np.sort(self.order[slice(*rows)]).astype(np.int64) for rows in self.ranges[left : left + 2])
        return first, second

    def is_second(self, number: int | None) -> bool:
        """Return whether the port cuts a node of its own that it did not search: a cut in three is two cuts."""
        nodes = self.read("cut", "nodes")
        return number in (self.cut or {}) and nodes is not None and number not in nodes

    def is_cut_in_three(self, node: int) -> bool:
        """Return whether the port cuts a node, which it does cut, in three, so far as it tells."""
        left = self.find_left(node)
        return left in (self.cut or {}) and (self.read("cut", "nodes") is None or self.is_second(left))

    def follow(self, node: int, left: int) -> None:
        """Number the children of a node, `left` and the next one."""
        self.children[node], own = left, self.find_left(node)
        if own is not None:
            self.numbers |= {left: own, left + 1: own + 1}
            self.own |= {own: left, own + 1: left + 1}

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

    def sum_left(self, rows: Ints, split: Split) -> Split:
        """Return a cut with the sums over the rows that go left."""
        weights = self.weights.integers
        weight = len(rows) if weights is None else int(weights[rows].sum())
        return split._replace(left_sum=int(self.root.integers[rows].sum()), left_count=len(rows), left_weight=weight)

    def number(self, nodes: Sequence[int]) -> Ints:
        """Number nodes as the port does; those that it has not keep refrank's number."""
        return np.array([self.numbers.get(node, node) for node in nodes], np.int64)

    def list_histograms(self, nodes: Sequence[int]) -> dict[str, NDArray[Any]]:
        """List the histograms of nodes, and their digests."""
        sums = [self.histograms[node] for node in nodes]
        digests = np.array([digest(of_node) for of_node in sums], np.uint64)
        return {"nodes": self.number(nodes), "digests": digests, "sums": np.array(sums)}

    def list_best_cuts(self, nodes: Sequence[int], chosen: Mapping[int, Split]) -> dict[str, NDArray[Any]]:
        """List the best cuts of nodes, with those that are chosen in their place."""
        splits = [chosen.get(node, self.best[node]) for node in nodes]
        cuts = np.array([[*split[:2], *split[3:]] for split in splits], np.int64)
        return {"nodes": self.number(nodes), "cut": cuts, "split_gain": np.array([split[2] for split in splits])}

    def list_due(self, n_leaves: int | None, own: Sequence[int]) -> list[int]:
        """List the nodes that are to be cut, given what each gains; of those that gain equally, the port's come first.

        `own` are the nodes that the port cuts, in order. Where n_leaves is None, all nodes that gain are cut.
        """
        gains = {node: split.split_gain for node, split in self.splits.items()}
        if n_leaves is None:  # all that gain, and the second cuts of those that go three ways
            inner = [node for node in self.children if gains.get(node, 1.0) > 0]
            return inner + [node for node, gain in gains.items() if gain > 0 and node not in self.children]
        waiting, due = {0} if gains[0] > 0 else set[int](), list[int]()
        ranks = {node: rank for rank, node in enumerate(own)}
        while fitting := [node for node in waiting if len(due) + 1 + (node in self.in_three) < n_leaves]:
            node = min(fitting, key=lambda node: (-gains[node], ranks.get(node, len(own)), node))
            waiting.remove(node)
            parts = node, self.children.get(node, -2)  # of a cut in three: the second part is to the left of the first
            for cut in parts[: 1 + (node in self.in_three)]:
                due.append(cut)
                left = self.children.get(cut, -2)
                waiting |= {child for child in (left, left + 1) if gains.get(child, 0.0) > 0}
        return due

    def list_parted_rows(self, nodes: Sequence[int]) -> Ints:
        """List the port's rows, (n_samples,), with those of each node whose rows it parts otherwise than by its cut."""
        rows = self.order.copy()
        for node in nodes:
            sides, (parted, n_left) = self.divide(node), self.parted[node]
            if sides is not None and not np.array_equal(np.sort(parted[:n_left]), sides[0]):
                rows[slice(*self.ranges[self.numbers[node]])] = parted
        return rows

    def pick_nodes(self, stage: str) -> tuple[Record | None, list[int]]:
        """Pick the nodes of a port's record that refrank searched, too; those in which no cut gains may be absent.

        Returns the record of these nodes, and refrank's numbers of them, with those that are wanting.
        """
        record, nodes, own = self.judge.theirs.get((stage, self.place)), self.read(stage, "nodes"), self.own
        if record is None or nodes is None or nodes.ndim != 1:
            return record, [*self.best]
        at = [i for i, number in enumerate(nodes.tolist()) if own.get(number) in self.best]
        picked = [own[number] for number in nodes[at].tolist()]
        if not self.is_broken:
            picked += [node for node, split in self.best.items() if split.feature != LEAF and node not in picked]
        arrays = list_arrays(record)
        if len(arrays) < len(record.fields):
            return record, picked
        of_nodes = {name: make_field(of[at]) for name, of in arrays.items() if of.shape[:1] == nodes.shape}
        return replace(record, fields={**record.fields, **of_nodes}), picked


def count_straddling(groups: Ints, goes_left: Bools) -> int:
    """Count the groups of rows that a cut tears apart.

    >>> count_straddling(np.array([0, 0, 1, 1]), np.array([True, False, True, True]))
    1
    """
    return len({*groups[goes_left].tolist()} & {*groups[~goes_left].tolist()})


def is_order(rows: NDArray[Any], n_samples: int) -> bool:
    """Return whether these are the rows of a training, each one once."""
    return rows.shape == (n_samples,) and np.array_equal(np.sort(rows), np.arange(n_samples))


def find_ranges(nodes: NDArray[Any], n_left: NDArray[Any], n_samples: int) -> list[tuple[int, int]]:
    """Find the range of rows of each node, given the nodes in the order in which they were cut.

    The list ends before a cut that no tree can have.

    >>> find_ranges(np.array([0, 2]), np.array([1, 1]), 3)
    [(0, 3), (0, 1), (1, 3), (1, 2), (2, 3)]
    >>> find_ranges(np.array([0, 3]), np.array([1, 1]), 3)
    [(0, 3), (0, 1), (1, 3)]
    """
    ranges, done = [(0, n_samples)], set[int]()
    for node, count in zip(nodes.ravel().tolist(), n_left.ravel().tolist(), strict=False):
        start, stop = ranges[node] if 0 <= node < len(ranges) and node not in done else (0, 0)
        if not 0 < count < stop - start:
            break
        ranges += [(start, start + count), (start + count, stop)]
        done.add(node)
    return ranges


def number_nodes(feature: Any, left: Any, right: Any) -> dict[int, int]:
    """Number the nodes of a port's tree as refrank does: refrank's number, and the port's; {} if it is not a tree.

    >>> number_nodes(np.array([0, -1, -1]), np.array([2, 0, 0]), np.array([1, 0, 0]))
    {0: 0, 1: 2, 2: 1}
    """
    if any(of is None or of.shape != (np.size(feature),) for of in (feature, left, right)):
        return {}
    numbers, stack = {0: 0}, [0]
    while stack:
        own, n_nodes = numbers[stack[-1]], len(numbers)
        stack.pop()
        if not 0 <= own < len(feature) or n_nodes > len(feature):
            return {}
        if feature[own] != LEAF:
            numbers |= {n_nodes: int(left[own]), n_nodes + 1: int(right[own])}
            stack += [n_nodes + 1, n_nodes]
    return numbers


def renumber(record: Record, tree: Tree) -> Record:
    """Put the nodes of a port's tree in the order of refrank's tree."""
    numbers, own = (number_nodes(*map(read, ORDER)) for read in (record.values, vars(tree).get))
    order, nodes = [numbers.get(node, -1) for node in sorted(own, key=lambda node: own[node])], [*range(len(own))]
    arrays = {name: values for name, values in list_arrays(record).items() if values.shape == (len(own),)}
    if order == nodes or sorted(order) != nodes or len(arrays) < len(record.fields):
        return record
    places = dict(zip(order, nodes, strict=True))
    for name in ("left", "right"):
        children = [places.get(child, -1) for child in arrays[name].tolist()]
        arrays[name] = np.where(arrays["feature"] == LEAF, 0, children)
    return Record(record.stage, record.place, {name: make_field(values[order]) for name, values in arrays.items()})

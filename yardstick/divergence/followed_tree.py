"""A growing tree beside that of a port: the best cut of each node, the one that is made, and what is due."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints
from refrank.trees.model.tree import LEAF
from refrank.trees.numbers.grid import Gridded, GriddedWeights
from refrank.trees.splitting import Split
from yardstick.divergence.port_tree import PortTree
from yardstick.numbers.digest import digest
from yardstick.traces.recording import GrowingTree
from yardstick.traces.stages import Field, Place, Record

Arrays = Mapping[str, NDArray[Any]]


class FollowedTree(GrowingTree):
    """A growing tree, beside that of a port."""

    def __init__(self, place: Place, root: Gridded, weights: GriddedWeights, port: PortTree) -> None:
        super().__init__(place, root, weights)
        self.port = port
        self.histograms: dict[int, Ints] = {}  # by node
        self.best: dict[int, Split] = {}  # refrank's cuts
        self.chosen: dict[int, Split] = {}  # the port's, where it is another and as good
        self.worse: dict[int, float] = {}  # where refrank cuts a node whose rows the port parts by a worse cut
        self.gains: dict[int, float] = {}  # of the cuts to go on with
        self.parted: dict[int, tuple[Ints, int]] = {}  # the rows as the cut parts them, and how many go left
        self.children: dict[int, int] = {}  # the left ones
        self.has_curvature = False  # whether its denominators are sums of p (1 - p)

    def sum_left(self, rows: Ints, split: Split) -> Split:
        """Return a cut with the sums over the rows that go left."""
        weights = self.weights.integers
        weight = len(rows) if weights is None else int(weights[rows].sum())
        return split._replace(left_sum=int(self.root.integers[rows].sum()), left_count=len(rows), left_weight=weight)

    def number(self, nodes: Sequence[int]) -> Ints:
        """Number nodes as the port does; those that it has not keep refrank's number."""
        return np.array([self.port.numbers.get(node, node) for node in nodes], np.int64)

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

        Parameters
        ----------
        n_leaves : int, optional
            J; None: all nodes that gain are cut.
        own : sequence of int
            The nodes that the port cuts, in order.
        """
        gains = self.gains
        if n_leaves is None:  # all that gain, and the second cuts of those that go three ways
            inner = [node for node in self.children if gains.get(node, 1.0) > 0]
            return inner + [node for node, gain in gains.items() if gain > 0 and node not in self.children]
        waiting, due = {0} if gains[0] > 0 else set[int](), list[int]()
        while waiting and len(due) + 1 < n_leaves:
            most = max(gains[node] for node in waiting)
            equal = [node for node in waiting if gains[node] == most]
            due.append(next((node for node in own if node in equal), min(equal)))
            waiting.remove(due[-1])
            if due[-1] in self.children:
                left = self.children[due[-1]]
                waiting |= {child for child in (left, left + 1) if gains.get(child, 0.0) > 0}
        return due

    def list_parted_rows(self, nodes: Sequence[int]) -> Ints:
        """List the port's rows, (n_samples,), with those of each node whose rows it parts otherwise than by its cut."""
        port, rows = self.port, self.port.rows.copy()
        for node in nodes:
            number, (parted, n_left) = port.numbers[node], self.parted[node]
            children = port.list_children(number)
            if children is not None and not np.array_equal(np.sort(parted[:n_left]), port.list_rows(children[0])):
                start, stop = port.ranges[number]
                rows[start:stop] = parted
        return rows

    def pick_nodes(self, record: Record) -> tuple[Record, list[int]]:
        """Pick the nodes of a port that refrank searched, too; those in which no cut gains may be absent.

        Returns the record of these nodes, and refrank's numbers of them, with those that are wanting.
        """
        nodes, own = record.values("nodes"), {number: node for node, number in self.port.numbers.items()}
        if nodes is None or nodes.ndim != 1:
            return record, [*self.best]
        at = [i for i, number in enumerate(nodes.tolist()) if own.get(number) in self.best]
        picked = [own[number] for number in nodes[at].tolist()]
        wanting = [node for node, split in self.best.items() if node not in picked and split.feature != LEAF]
        fields = {name: record.values(name) for name in record.fields}
        if any(values is None or len(np.atleast_1d(values)) != len(nodes) for values in fields.values()):
            return record, picked + wanting
        kept = {name: make_field(values[at]) for name, values in fields.items() if values is not None}
        return Record(record.stage, record.place, kept), picked + wanting


def make_field(values: NDArray[Any]) -> Field:
    """Make a field from an array."""
    return Field(str(values.dtype), values.shape, digest(values), values)


def count_straddling(groups: Ints, goes_left: NDArray[np.bool_]) -> int:
    """Count the groups of rows that a cut tears apart.

    >>> count_straddling(np.array([0, 0, 1, 1]), np.array([True, False, True, True]))
    1
    """
    return len({*groups[goes_left].tolist()} & {*groups[~goes_left].tolist()})


def find_scores(scores: Mapping[int | None, Floats], output: int | None, n_samples: int) -> Floats:
    """Return the scores of an output before a tree, (n_samples,): 0 before the first."""
    return scores.get(output, np.zeros(n_samples))

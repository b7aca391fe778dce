"""The tree that grows while it is recorded, and the records that are made of it when it is done.

A tree's records come after it has grown, since only then are its rows parted and its leaves known. Until then each node
keeps its histogram's field and its best cut; residuals are digested when they are made, since they may be overwritten.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Rows
from refrank.trees.numbers.grid import from_grid
from refrank.trees.splitting import Split
from yardstick.traces.contest import Contest
from yardstick.traces.stages import Field, Keep, Place, Record, make_record


@dataclass(frozen=True)
class Residual:
    """A residual, and what became of it on the grid."""

    value: Field
    integers: Ints
    exponent: int


class GrowingTree:
    """The tree that grows: its root's residual, its nodes, and which of them await their best cut."""

    def __init__(self, output: int, root: Residual, proba: Field | None) -> None:
        self.output, self.root, self.proba = output, root, proba
        self.awaited = [0]  # nodes, in the order in which their best cuts are asked for
        self.ranges = [(0, len(root.integers))]  # of each node: its rows are rows[start:stop] of the tree
        self.sums: dict[int, Field] = {}
        self.splits: dict[int, tuple[Split, Contest]] = {}
        self.cut: dict[int, int] = {}  # how many rows went left, by node, in the order in which nodes were cut
        self.denominator: Floats | None = None
        self.address: int | None = None  # of its rows

    def add_node(self, split: Split, sums: Field, contest: Contest) -> None:
        """Keep the histogram and the best cut of the node that waits."""
        node = self.awaited.pop(0)
        self.sums[node] = sums
        self.splits[node] = split, contest

    def cut_node(self, rows: Rows, n_left: int) -> None:
        """Number the children of the node that has these rows, a view of those of the tree."""
        if self.address is None:
            assert isinstance(rows.base, np.ndarray)
            self.address = find_address(rows.base)
        start = (find_address(rows) - self.address) // rows.itemsize
        n_rows = len(rows)
        node = self.ranges.index((start, start + n_rows))
        left = len(self.ranges)
        self.ranges += [(start, start + n_left), (start + n_left, start + n_rows)]
        self.cut[node] = n_left
        # the second cut of a cut three ways: its node is the left child of the first, which is not looked at
        waiting = [other for other in self.awaited if other != node] if node in self.awaited else []
        self.awaited = [*waiting, left + 1, left]


def find_address(array: NDArray[Any]) -> int:
    """Return where the memory of an array begins."""
    address: int = array.__array_interface__["data"][0]
    return address


def record_tree_up_to_leaves(tree: GrowingTree, rows: Rows, keep: Keep) -> Iterator[Record]:
    """Yield the records of a tree from the probabilities to its parted rows, (n_samples,)."""
    place = Place(output=tree.output)
    if tree.proba is not None:
        yield Record("proba", place, {"values": tree.proba})
    yield Record("residual", place, {"values": tree.root.value})
    yield make_record(keep, "grid", place, integers=tree.root.integers, exponent=np.array(tree.root.exponent))
    numbers = sorted(tree.sums)
    nodes = keep(np.array(numbers))
    digests = np.array([tree.sums[node].digest for node in numbers], np.uint64)
    kept = [sums for node in numbers if (sums := tree.sums[node].values) is not None]
    whole = {"sums": keep(np.stack(kept))} if kept else {}
    yield Record("histogram", place, {"nodes": nodes, "digests": keep(digests), **whole})
    splits, contests = zip(*[tree.splits[node] for node in numbers], strict=True)
    yield make_record(
        keep,
        "cut",
        place,
        nodes=nodes,
        cut=np.array([[feature, bin, *left] for feature, bin, _, *left in splits]),
        split_gain=np.array([split.split_gain for split in splits]),
        tied=list_runs(numbers, contests),
        runner_up=np.array([one.runner_up for one in contests]),
        gap=np.array([one.gap for one in contests]),
    )
    cut, n_left = np.array([*tree.cut], np.int64), np.array([*tree.cut.values()], np.int64)
    yield make_record(keep, "partition", place, nodes=cut, n_left=n_left, rows=rows)


def list_runs(numbers: Sequence[int], contests: Sequence[Contest]) -> Ints:
    """List the runs of cuts that tie, (n_runs, 4): their node, and what the contest tells of them."""
    runs = [[node, *run] for node, one in zip(numbers, contests, strict=True) for run in one.tied]
    return np.array(runs, np.int64).reshape(-1, 4)


def record_leaves(
    tree: GrowingTree, rows: Rows, starts: Ints, values: Floats, scores: Floats, weights: Residual | None, keep: Keep
) -> Iterator[Record]:
    """Yield the sums over the leaves, the step and the scores after it.

    Leaf i has rows[starts[i] : starts[i + 1]], and its value is values[i].
    """
    leaf_at = {start: node for node, (start, _) in enumerate(tree.ranges) if node not in tree.cut}
    nodes = np.array([leaf_at[start] for start in starts[:-1].tolist()])
    denominator = tree.denominator
    if denominator is None:
        denominator = np.diff(starts).astype(np.float64) if weights is None else sum_leaves(weights, rows, starts)
    place = Place(output=tree.output)
    sums = {"numerator": sum_leaves(tree.root, rows, starts), "denominator": denominator}
    yield make_record(keep, "leaf_sums", place, nodes=nodes, **sums)
    yield make_record(keep, "step", place, values=values)
    yield make_record(keep, "scores", place, values=scores)


def sum_leaves(residual: Residual, rows: Rows, starts: Ints) -> Floats:
    """Sum a quantity over the rows of each leaf, (n_leaves,)."""
    return from_grid(np.add.reduceat(residual.integers[rows], starts[:-1]), residual.exponent)

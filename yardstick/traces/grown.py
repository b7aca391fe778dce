"""A tree recorded while it grows, and the records made from it when it is complete.

A tree's records are made after its growth, when its rows are divided and its leaves are final. Until then, each node
keeps its histogram's field and its best cut; residuals are digested at once, since they may be overwritten.
"""

from collections.abc import Iterator, Sequence

import numpy as np

from refrank.arrays import Floats, Ints, Rows
from refrank.trees.events import RootMade, ScoresRaised
from refrank.trees.numbers.grid import from_grid
from refrank.trees.splitting import Split
from yardstick.traces.contest import Contest
from yardstick.traces.stages import Field, Keep, Place, Record, make_record


class GrowingTree:
    """A growing tree: its residual, and its nodes as its events have described them so far."""

    def __init__(self, output: int, root: RootMade, residual: Field, proba: Field | None) -> None:
        self.output, self.root, self.residual, self.proba = output, root, residual, proba
        self.sums: dict[int, Field] = {}
        self.splits: dict[int, tuple[Split, Contest]] = {}
        self.n_left: dict[int, int] = {}  # rows that went left, by node, in the order in which nodes were cut
        self.leaves: Ints = np.empty(0, np.int64)  # nodes, from left to right
        self.denominator: Floats | None = None


def record_tree_up_to_leaves(tree: GrowingTree, rows: Rows, keep: Keep) -> Iterator[Record]:
    """Yield the records of a tree from the probabilities to its divided rows, (n_samples,)."""
    place = Place(output=tree.output)
    if tree.proba is not None:
        yield Record("proba", place, {"values": tree.proba})
    yield Record("residual", place, {"values": tree.residual})
    grid = tree.root.tree
    yield make_record(keep, "grid", place, integers=grid.integers, exponent=np.array(grid.exponent))
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
        runner_up=np.array([contest.runner_up for contest in contests]),
        gap=np.array([contest.gap for contest in contests]),
    )
    cut, n_left = np.array([*tree.n_left], np.int64), np.array([*tree.n_left.values()], np.int64)
    yield make_record(keep, "partition", place, nodes=cut, n_left=n_left, rows=rows)


def list_runs(numbers: Sequence[int], contests: Sequence[Contest]) -> Ints:
    """List the runs of tied cuts, (n_runs, 4): their node, and their columns of the contest."""
    runs = [[node, *run] for node, contest in zip(numbers, contests, strict=True) for run in contest.tied]
    return np.array(runs, np.int64).reshape(-1, 4)


def record_leaves(tree: GrowingTree, step: ScoresRaised, keep: Keep) -> Iterator[Record]:
    """Yield the sums over the leaves, the step and the scores after it."""
    residual, weights = tree.root.tree, tree.root.weights
    denominator = tree.denominator
    if denominator is None:
        denominator = np.diff(step.starts).astype(np.float64)
        if weights.integers is not None:
            denominator = sum_leaves(weights.integers, weights.exponent, step)
    place = Place(output=tree.output)
    sums = {"numerator": sum_leaves(residual.integers, residual.exponent, step), "denominator": denominator}
    yield make_record(keep, "leaf_sums", place, nodes=tree.leaves, **sums)
    yield make_record(keep, "step", place, values=step.values)
    yield make_record(keep, "scores", place, values=step.scores)


def sum_leaves(integers: Ints, exponent: int, step: ScoresRaised) -> Floats:
    """Sum a quantity on its grid over the rows of each leaf, (n_leaves,)."""
    return from_grid(np.add.reduceat(integers[step.rows], step.starts[:-1]), exponent)

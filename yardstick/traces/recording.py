"""A recorder of a training: it takes the events of the trees (refrank/trees/events.py), and makes the records.

    FeaturesBinned      bins
    ScoresStarted       start
    RowsDrawn           draws          of a tree of a forest
    ForestTreeGrown     tree
    ProbaMade           proba          a column for each tree that is grown next
    RootMade            residual, grid
    CutFound, CutMade   a node: its histogram, its best cut, and whether it was cut
    TreeGrown           histogram, cut, partition
    LeavesSummed        denominators
    LeavesValued        leaf_sums, leaf_values
    StepTaken           step
    ScoresRaised        scores         the end of a tree

Trees are numbered within a turn of the training as they come: the first is output 0. A judge follows a port's nodes and
trees, too (yardstick/divergence/lockstep.py).
"""

from dataclasses import replace
from typing import Any

import numpy as np

from refrank.arrays import Codes, Ints, Matrix
from refrank.estimators import COCRRanker, IGBRTRanker, RandomForestRanker
from refrank.kernel import KERNEL
from refrank.trees import events, splitting
from refrank.trees.engine import SPECIFICATION
from refrank.trees.model.tree import Tree, quotient, with_values
from refrank.trees.numbers.grid import Gridded, GriddedWeights, to_grid
from refrank.trees.splitting import Split
from yardstick.traces.contest import Contest, compare_cuts, rank_cuts
from yardstick.traces.stages import Field, Place
from yardstick.traces.taking import Taker


class GrowingTree:
    """A growing tree: its root, and its nodes as its events have described them so far."""

    def __init__(self, place: Place, root: Gridded, weights: GriddedWeights) -> None:
        self.place, self.root, self.weights = place, root, weights
        self.sums: dict[int, Field] = {}  # by node
        self.splits: dict[int, Split] = {}
        self.contests: dict[int, Contest] = {}
        self.n_left: dict[int, int] = {}  # rows that went left, in the order in which nodes were cut
        self.nodes: Ints = np.empty(0, np.int64)  # of the leaves, from left to right
        self.numerator, self.denominator = np.empty(0), np.empty(0)


class Recorder:
    """Makes the stages of a training from its events, with their places.

    Parameters
    ----------
    ranker : Ranker
        What is trained.
    taker : Taker
        Takes the stages.
    """

    def __init__(self, ranker: Any, taker: Taker) -> None:
        self.ranker, self.taker = ranker, taker
        self.n_forest = ranker.n_trees if isinstance(ranker, RandomForestRanker | IGBRTRanker) else 0
        self.n_turns, self.counted, self.has_bins = (
            0,
            dict[str, int](),
            False,
        )  # turns done; in this one, records so far
        self.roots: dict[int, GrowingTree] = {}  # by the identity of the residual on the grid
        self.growing: dict[int, GrowingTree] = {}  # complete trees, by the identity of their rows

    def end_turn(self) -> None:
        """Begin the next turn."""
        self.n_turns, self.counted = self.n_turns + 1, {}

    def count(self, kind: str) -> int:
        """Return how many of this kind the turn has had, and count one more."""
        self.counted[kind] = self.counted.get(kind, 0) + 1
        return self.counted[kind] - 1

    def place(self, kind: str) -> Place:
        """Return the place of the next record of a kind."""
        return self.place_at(self.count(kind))

    def place_at(self, number: int) -> Place:
        """Return the place of the tree with this number in the turn."""
        if isinstance(self.ranker, COCRRanker):  # a turn is a problem
            return Place(round=number + 1, output=self.n_turns)
        if self.n_turns < self.n_forest:
            return Place(tree=self.n_turns, output=number)
        return Place(round=self.n_turns + 1 - self.n_forest, output=number)

    def watch(self, event: Any) -> Any:
        """Take an event; return the one with which the training goes on."""
        match event:
            case events.FeaturesBinned():
                return event._replace(binned=self.settle_bins(event.X, event.binned))
            case events.ScoresStarted() if not isinstance(self.ranker, COCRRanker):
                return event._replace(
                    values=tuple(self.taker.settle("start", Place(), np.array(event.values)).tolist())
                )
            case events.RowsDrawn():
                return event._replace(counts=self.taker.settle("draws", self.place("draws"), event.counts, "counts"))
            case events.ForestTreeGrown():
                return event._replace(tree=self.settle_tree(event.tree, self.place("tree")))
            case events.ProbaMade():
                for column in event.proba.T:
                    column[:] = self.taker.settle("proba", self.place("proba"), column)
            case events.RootMade():
                return event._replace(tree=self.settle_root(event))
            case events.CutFound():
                return event._replace(split=self.find_cut(self.roots[id(event.tree)], event))
            case events.CutMade():
                return event._replace(n_left=self.part(self.roots[id(event.tree)], event))
            case events.TreeGrown():
                return self.settle_leaves(self.roots.pop(id(event.tree)), event)
            case events.LeavesSummed():
                tree = self.growing[id(event.rows)]
                tree.denominator = event.sums
                return event._replace(sums=self.taker.adopt("leaf_sums", tree.place, "denominator", event.sums))
            case events.LeavesValued():
                tree = self.growing[id(event.rows)]
                sums = {"numerator": tree.numerator, "denominator": tree.denominator}
                self.taker.take("leaf_sums", tree.place, nodes=tree.nodes, **sums)
                return event._replace(values=self.taker.settle("leaf_values", tree.place, event.values))
            case events.StepTaken():
                return event._replace(
                    values=self.taker.settle("step", self.growing[id(event.rows)].place, event.values)
                )
            case events.ScoresRaised():
                tree = self.growing.pop(id(event.rows))
                event.scores[:] = self.taker.settle("scores", tree.place, event.scores)
        return event

    def settle_bins(self, X: Matrix, binned: Any) -> Any:
        """Take the bins of all features; a problem of COCR that leaves out rows has its own."""
        place = self.place_bins()
        self.taker.take(
            "bins", place, cuts=np.concatenate(binned.cuts), offsets=binned.offsets, codes=list_codes(binned)
        )
        return binned

    def place_bins(self) -> Place:
        """Return the place of bins: that of the whole training, or that of a problem."""
        place, self.has_bins = Place(output=self.n_turns) if self.has_bins else Place(), True
        return place

    def settle_tree(self, tree: Tree, place: Place) -> Tree:
        """Take a tree of a forest."""
        self.taker.take("tree", place, **vars(tree))
        return self.taker.adopt_tree(place, tree, self.ranker.n_features_in_)

    def settle_root(self, event: events.RootMade) -> Gridded:
        """Take a residual, and the same on its grid."""
        place = self.place("root")
        residual, tree = self.taker.settle("residual", place, event.residual), event.tree
        if residual is not event.residual:
            tree = to_grid(residual, SPECIFICATION)
        exponent = np.array(tree.exponent)
        self.taker.take("grid", place, integers=tree.integers, exponent=exponent)
        integers, exponent = (
            self.taker.adopt("grid", place, name, of)
            for name, of in (("integers", tree.integers), ("exponent", exponent))
        )
        tree = replace(tree, integers=integers, exponent=int(exponent))
        self.roots[id(tree)] = GrowingTree(place, tree, event.weights)
        return tree

    def find_cut(self, tree: GrowingTree, event: events.CutFound) -> Split:
        """Take the histogram and the best cut of a node; return the cut to go on with."""
        binned, sums = event.binned, find_histogram(event, tree.weights)
        compare = rank_cuts if event.binned.engine.splitter is KERNEL else compare_cuts
        tree.sums[event.node], tree.splits[event.node] = self.taker.keep(sums), event.split
        tree.contests[event.node] = compare(
            sums, binned.offsets, binned.every_feature, event.min_samples_leaf, binned.missing
        )
        return event.split

    def part(self, tree: GrowingTree, event: events.CutMade) -> int:
        """Take the cut of a node; return how many of its rows go left."""
        tree.n_left[event.node] = event.n_left
        return event.n_left

    def settle_leaves(self, tree: GrowingTree, event: events.TreeGrown) -> events.TreeGrown:
        """Take a complete tree, and the sums over its leaves."""
        leaves, grown = event.leaves, event.grown
        self.growing[id(leaves.rows)] = tree
        tree.nodes, tree.numerator, tree.denominator = leaves.nodes, leaves.residual_sum, leaves.weight_sum
        self.take_growth(tree, event)
        numerator, denominator = (
            self.taker.adopt("leaf_sums", tree.place, name, getattr(tree, name))
            for name in ("numerator", "denominator")
        )
        leaves = replace(leaves, residual_sum=numerator, weight_sum=denominator)
        return event._replace(leaves=leaves, grown=with_values(grown, leaves, quotient(numerator, denominator)))

    def take_growth(self, tree: GrowingTree, event: events.TreeGrown) -> None:
        """Take the nodes of a complete tree."""
        numbers, place = sorted(tree.sums), tree.place
        kept = [sums for node in numbers if (sums := tree.sums[node].values) is not None]
        digests = np.array([tree.sums[node].digest for node in numbers], np.uint64)
        whole = {"sums": np.stack(kept)} if kept else {}
        self.taker.take("histogram", place, nodes=np.array(numbers), digests=digests, **whole)
        splits, contests = [tree.splits[node] for node in numbers], [tree.contests[node] for node in numbers]
        runs = [[node, *run] for node, contest in zip(numbers, contests, strict=True) for run in contest.tied]
        self.taker.take(
            "cut",
            place,
            nodes=np.array(numbers),
            cut=np.array([[feature, bin, *left] for feature, bin, _, *left in splits]),
            split_gain=np.array([split.split_gain for split in splits]),
            tied=np.array(runs, np.int64).reshape(-1, 4),
            runner_up=np.array([contest.runner_up for contest in contests]),
            gap=np.array([contest.gap for contest in contests]),
        )
        nodes, n_left = np.array([*tree.n_left], np.int64), np.array([*tree.n_left.values()], np.int64)
        self.taker.take(
            "partition", place, nodes=nodes, cut=event.grown.cut[nodes], n_left=n_left, rows=event.leaves.rows
        )


def list_codes(binned: Any) -> Codes:
    """List the bins row by row, (n_samples, n_features)."""
    return np.asarray(binned.codes.transpose(1, 0, 2).reshape(binned.n_samples, -1)[:, : binned.n_features])


def find_histogram(event: events.CutFound, weights: GriddedWeights) -> Ints:
    """Return a node's histogram over all bins."""
    binned = event.binned
    if binned.codes.itemsize == 1:
        return event.sums
    # the histogram of the event was over coarse bins
    integers, own = event.tree.integers, weights.integers
    return splitting.histogram(binned.codes, binned.offsets, event.rows, integers, own, 1)

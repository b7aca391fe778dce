"""A recorder of a training: it takes the events of the trees (refrank/trees/events.py), and makes the stages.

Trees are numbered within a turn of the training as they come: the first is output 0. The nodes of a tree are kept until
it is complete. A judge follows a port's nodes and trees, too (yardstick/divergence/lockstep.py).
"""

from collections import Counter
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.estimators import COCRRanker, IGBRTRanker, LambdaRanker, RandomForestRanker
from refrank.metrics.reranking import RerankedRows
from refrank.trees import events, splitting
from refrank.trees.contest import Contest
from refrank.trees.engine import SPECIFICATION
from refrank.trees.model.tree import Tree, quotient, with_values
from refrank.trees.numbers.grid import Gridded, GriddedWeights, to_grid
from refrank.trees.splitting import Split
from yardstick.traces.ranking import RunningOutputs, read_queries, take_ranking
from yardstick.traces.stages import Field, LabelledRows, Place, Taker


class GrowingTree:
    """A growing tree: its root, and its nodes as its events have described them so far."""

    def __init__(self, place: Place, root: Gridded, weights: GriddedWeights) -> None:
        self.place, self.root, self.weights = place, root, weights
        self.searched: dict[int, tuple[Field, Split, Contest]] = {}  # by node: its histogram, and its best cut
        self.n_left: dict[int, int] = {}  # rows that went left, in the order in which nodes were cut
        self.nodes: Ints = np.empty(0, np.int64)  # of the leaves, from left to right
        self.numerator, self.denominator = np.empty(0), np.empty(0)


class Recorder:
    """Makes the stages of the training of a ranker from its events, with their places, and has a taker take them."""

    def __init__(self, ranker: Any, taker: Taker) -> None:
        self.ranker, self.taker = ranker, taker
        self.n_forest = ranker.n_trees if isinstance(ranker, RandomForestRanker | IGBRTRanker) else 0
        self.outputs = RunningOutputs(ranker)
        self.queries: RerankedRows | None = None  # of the rows that are trained on
        self.n_turns, self.has_bins = 0, False  # turns done
        self.counted = Counter[str]()  # records of this turn so far
        self.roots: dict[int, GrowingTree] = {}  # by the identity of the residual on the grid
        self.growing: dict[int, GrowingTree] = {}  # complete trees, by the identity of their rows

    def end_turn(self, rows: LabelledRows, so_far: Callable[[], Any]) -> None:
        """Have the ranking of the rows after a turn taken, and begin the next; `so_far` makes the ranker as it is."""
        place = self.place_at(0)
        turn = place._replace(output=None)
        if isinstance(self.ranker, LambdaRanker):  # no trees: what is known of an epoch is what it scores
            self.rank(self.taker.settle("scores", place, so_far().predict(rows.X)), rows, turn)
        elif not isinstance(self.ranker, COCRRanker):  # whose turns are problems
            self.rank(self.outputs.rank(so_far), rows, turn)
        self.n_turns += 1
        self.counted.clear()

    def rank(self, scores: Floats, rows: LabelledRows, place: Place) -> None:
        """Have the ranking scores of the rows after a turn, (n_samples,), taken, and what follows from them."""
        self.queries = self.queries or read_queries(rows)
        take_ranking(scores, self.queries, self.taker, place)

    def place(self, kind: str) -> Place:
        """Return the place of the next record of a kind."""
        self.counted[kind] += 1
        return self.place_at(self.counted[kind] - 1)

    def place_at(self, number: int) -> Place:
        """Return the place of the tree with this number in the turn."""
        if isinstance(self.ranker, COCRRanker):  # a turn is a problem
            return Place(round=number + 1, output=self.n_turns)
        if self.n_turns < self.n_forest:
            return Place(tree=self.n_turns, output=number)
        return Place(round=self.n_turns + 1 - self.n_forest, output=number)

    def place_bins(self) -> Place:
        """Return the place of bins: that of the whole training, or that of a problem of COCR that leaves out rows."""
        place, self.has_bins = Place(output=self.n_turns) if self.has_bins else Place(), True
        return place

    def watch(self, event: Any) -> Any:
        """Take an event; return the one with which the training goes on."""
        settle = self.taker.settle
        match event:
            case events.FeaturesBinned():
                self.outputs.add(event)
                return event._replace(binned=self.settle_bins(event.X, event.binned))
            case events.ScoresStarted() if not isinstance(self.ranker, COCRRanker):
                event = event._replace(values=tuple(settle("start", Place(), np.array(event.values)).tolist()))
                self.outputs.add(event)
            case events.OutputsKept():
                self.outputs.add(event)
            case events.RowsDrawn():
                return event._replace(counts=settle("draws", self.place("draws"), event.counts, "counts"))
            case events.ForestTreeGrown():
                place = self.place("tree")
                event = event._replace(tree=self.settle_tree(event.tree, place))
                self.outputs.add(event, place.output or 0)
            case events.ProbaMade():
                for column in event.proba.T:
                    column[:] = settle("proba", self.place("proba"), column)
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
                return event._replace(values=settle("leaf_values", tree.place, event.values))
            case events.StepTaken():
                return event._replace(values=settle("step", self.growing[id(event.rows)].place, event.values))
            case events.ScoresRaised():
                place = self.growing.pop(id(event.rows)).place
                event.scores[:] = settle("scores", place, event.scores)
                if not isinstance(self.ranker, COCRRanker):
                    self.outputs.add(event, place.output or 0)
        return event

    def settle_bins(self, X: Matrix, binned: Any) -> Any:
        """Take the bins of all features."""
        cuts, place = np.concatenate(binned.cuts), self.place_bins()
        self.taker.take("bins", place, cuts=cuts, offsets=binned.offsets, codes=binned.row_codes)
        return binned

    def settle_tree(self, tree: Tree, place: Place) -> Tree:
        """Take a tree of a forest."""
        self.taker.take("tree", place, **vars(tree))
        return self.taker.adopt_tree(place, tree, self.ranker.n_features_in_)

    def settle_root(self, event: events.RootMade) -> Gridded:
        """Take a residual, and the same on its grid."""
        place, tree, adopt = self.place("root"), event.tree, self.taker.adopt
        residual = self.taker.settle("residual", place, event.residual)
        if residual is not event.residual:
            tree = to_grid(residual, SPECIFICATION)
        integers, exponent = tree.integers, np.array(tree.exponent)
        self.taker.take("grid", place, integers=integers, exponent=exponent)
        integers, exponent = adopt("grid", place, "integers", integers), adopt("grid", place, "exponent", exponent)
        tree = replace(tree, integers=integers, exponent=int(exponent))
        self.roots[id(tree)] = GrowingTree(place, tree, event.weights)
        return tree

    def find_cut(self, tree: GrowingTree, event: events.CutFound) -> Split:
        """Take the histogram and the best cut of a node; return the cut to go on with."""
        binned, sums = event.binned, find_histogram(event, tree.weights)
        node = sums, binned.offsets, binned.every_feature, event.min_samples_leaf, binned.missing
        contest = binned.engine.splitter.rank_cuts(*node)
        tree.searched[event.node] = self.taker.keep(sums), event.split, contest
        return event.split

    def part(self, tree: GrowingTree, event: events.CutMade) -> int:
        """Take the cut of a node; return how many of its rows go left."""
        tree.n_left[event.node] = event.n_left
        return event.n_left

    def settle_leaves(self, tree: GrowingTree, event: events.TreeGrown) -> events.TreeGrown:
        """Take a complete tree, and the sums over its leaves."""
        leaves, grown, adopt = event.leaves, event.grown, self.taker.adopt
        self.growing[id(leaves.rows)] = tree
        tree.nodes, tree.numerator, tree.denominator = leaves.nodes, leaves.residual_sum, leaves.weight_sum
        self.take_growth(tree, event)
        numerator = adopt("leaf_sums", tree.place, "numerator", tree.numerator)
        denominator = adopt("leaf_sums", tree.place, "denominator", tree.denominator)
        leaves = replace(leaves, residual_sum=numerator, weight_sum=denominator)
        return event._replace(leaves=leaves, grown=with_values(grown, leaves, quotient(numerator, denominator)))

    def take_growth(self, tree: GrowingTree, event: events.TreeGrown) -> None:
        """Take the nodes of a complete tree."""
        nodes, place, take = sorted(tree.searched), tree.place, self.taker.take
        searched = [tree.searched[node] for node in nodes]
        kept = [sums.values for sums, _, _ in searched if sums.values is not None]
        digests = np.array([sums.digest for sums, _, _ in searched], np.uint64)
        take("histogram", place, nodes=np.array(nodes), digests=digests, **{"sums": np.stack(kept)} if kept else {})
        gains = np.array([split.split_gain for _, split, _ in searched])
        runs = [[node, *run] for node, (_, _, contest) in zip(nodes, searched, strict=True) for run in contest.tied]
        take(
            "cut",
            place,
            nodes=np.array(nodes),
            cut=np.array([[feature, bin, *left] for _, (feature, bin, _, *left), _ in searched]),
            split_gain=gains,
            reduction=np.ldexp(gains, tree.weights.exponent - 2 * tree.root.exponent),
            tied=np.array(runs, np.int64).reshape(-1, 4),
            runner_up=np.array([contest.runner_up for _, _, contest in searched]),
            gap=np.array([contest.gap for _, _, contest in searched]),
        )
        cut, n_left = np.array([*tree.n_left], np.int64), np.array([*tree.n_left.values()], np.int64)
        take("partition", place, nodes=cut, cut=event.grown.cut[cut], n_left=n_left, rows=event.leaves.rows)


def find_histogram(event: events.CutFound, weights: GriddedWeights) -> Ints:
    """Return a node's histogram over all bins; that of the event may be over coarse bins."""
    binned, integers = event.binned, event.tree.integers
    if binned.codes.itemsize == 1:
        return event.sums
    return splitting.histogram(binned.codes, binned.offsets, event.rows, integers, weights.integers, 1)

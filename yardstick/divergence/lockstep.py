"""A training in lockstep with a port: it makes the port's cuts, and goes on with the port's numbers.

A recorder (yardstick/traces/recording.py) whose taker is a judge. Where the papers leave a choice open, the port's is
made, whatever the port tells: a cut that ties with the best one is found from its record, else from the rows of its
nodes, else from the scores, which the same step moves in all rows of a leaf.

stage        the choice
cut          which of the cuts that gain equally
partition    which of the nodes whose cuts gain equally is cut, and in which order nodes are cut
tree         of a forest: the choice of cut in every node, by which the whole tree is grown
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Matrix, Rows
from refrank.estimators.igbrt import BoostedRanker
from refrank.trees import events, splitting
from refrank.trees.bins.binning import MOST_BINS
from refrank.trees.contest import Contest, compare_cuts, list_rivals, make_cut
from refrank.trees.model.tree import LEAF, Tree
from refrank.trees.numbers.grid import Gridded
from refrank.trees.splitter import name_arguments
from refrank.trees.splitting import GROUP, NEEDS_CUT, NO_SPLIT, Split
from yardstick.divergence.followed_tree import ORDER, FollowedTree, count_straddling, number_nodes, renumber
from yardstick.divergence.judging import Judge, list_arrays
from yardstick.traces.recording import Recorder, find_histogram
from yardstick.traces.stages import LabelledRows, Place


class Lockstep(Recorder):
    """A recorder that follows a port; a splitter, too: the specification, with the port's choices in a forest."""

    taker: Judge

    def __init__(self, ranker: Any, judge: Judge) -> None:
        super().__init__(ranker, judge)
        self.n_features, self.has_chosen, self.has_lost_tree, self.has_lost_steps = 0, False, False, False
        self.scores: dict[Any, Floats] = {}  # by output: after the last step, (n_samples,)
        # by output: the rows of each step, leaf after leaf, where each leaf begins, and what it adds
        self.steps: dict[Any, list[tuple[Rows, Ints, Floats]]] = {}

    @property
    def has_lost_outputs(self) -> bool:
        """Whether the port has not told numbers that its ranking follows from."""
        return self.has_lost_tree or (self.has_lost_steps and isinstance(self.ranker, BoostedRanker))

    def __getattr__(self, name: str) -> Any:
        """Pass on the functions of the specification."""
        return getattr(splitting, name)

    def compare(self, *node: Any) -> Contest:
        """Compare all cuts of a node; the arguments are those of `compare_cuts`."""
        return compare_cuts(*node)

    def grow_deep(self, *arguments: Any) -> Any:
        """Grow a tree with the port's choices; the arguments are those of the splitter's function."""
        place = Place(tree=self.n_turns, output=self.counted["draws"] - 1)
        feature, bin, left, right = (self.taker.read("tree", place, name) for name in ("feature", "bin", *ORDER[1:]))
        adds_nodes = self.ranker.three_way_cuts.flag == NEEDS_CUT  # when the tree is grown
        numbers = {} if adds_nodes else number_nodes(feature, left, right)
        given, self.has_chosen = name_arguments("grow_deep", arguments), False

        def choose(number: int, drawn: Rows, places: Ints, sums: Ints, best: Split) -> Split:
            own = numbers.get(number)
            if own is None or feature is None or bin is None or not own < bin.size or feature[own] not in drawn:
                return best
            at, missing = int(np.flatnonzero(drawn == feature[own])[0]), given["missing"]
            missing, candidates = None if missing is None else missing[drawn], np.arange(len(drawn), dtype=np.int32)
            cut = at, int(bin.flat[own])
            node = sums, places, candidates, given["min_samples_leaf"], missing
            if cut == best[:2] or not self.compare(*node).holds(*cut):
                return best
            self.has_chosen = True
            return make_cut(sums, places, missing, *cut)

        return splitting.grow_deep(*arguments, choose=choose)

    def settle_tree(self, tree: Tree, place: Place) -> Tree:
        """Compare a tree with the port's; go on with the port's."""
        record, golden = (records.get(("tree", place)) for records in (self.taker.theirs, self.taker.golden))
        usual = vars(tree) if golden is None else list_arrays(golden)
        record = None if record is None else renumber(record, tree)
        self.taker.judge_by("tree", place, record, vars(tree), usual if self.has_chosen else None)
        return self.taker.adopt_tree(place, tree, self.n_features)

    def rank(self, scores: Floats, rows: LabelledRows, place: Place) -> None:
        """Compare the ranking after a turn, from which nothing in the training follows."""
        is_lost = self.taker.is_lost
        self.taker.is_lost |= self.has_lost_outputs
        super().rank(scores, rows, place)
        self.taker.is_lost = is_lost

    def settle_bins(self, X: Matrix, binned: Any) -> Any:
        """Compare the cuts of all features, and the bins of the rows between the port's own cuts; go on with those."""
        place, self.n_features = self.place_bins(), X.shape[1]
        offsets, cuts = binned.offsets, np.concatenate(binned.cuts)
        own_offsets, own_cuts = (self.taker.read("bins", place, name) for name in ("offsets", "cuts"))
        own_offsets = offsets if own_offsets is None else own_offsets
        if own_cuts is not None and are_offsets(own_offsets, X.shape[1], own_cuts):
            offsets, cuts = own_offsets.astype(np.int64), own_cuts.astype(np.float64)
        edges = tuple(cuts[offsets[f] - f : offsets[f + 1] - f - 1] for f in range(X.shape[1]))
        groups = np.zeros(binned.codes.shape, np.uint16)
        splitting.quantize(X, cuts, offsets, groups, 1)
        codes = replace(binned, codes=groups).row_codes
        self.taker.take("bins", place, cuts=np.concatenate(binned.cuts), offsets=binned.offsets, codes=codes)
        own = self.taker.read("bins", place, "codes")
        if own is not None and own.shape == codes.shape and ((own >= 0) & (own < np.diff(offsets))).all():
            for f, column in enumerate(own.T):
                groups[f // GROUP, :, f % GROUP] = column
        groups = groups if groups.max() > 255 or binned.codes.itemsize > 1 else groups.astype(np.uint8)
        return replace(binned, codes=groups, cuts=edges, offsets=offsets)

    def settle_root(self, event: events.RootMade) -> Gridded:
        """Compare a residual, and the same on its grid; begin a tree."""
        self.taker.is_lost |= self.has_lost_tree and self.n_turns == self.n_forest
        root = super().settle_root(event)
        self.roots[id(root)] = FollowedTree(self.roots[id(root)].place, root, event.weights, self.taker)
        return root

    def find_cut(self, tree: Any, event: events.CutFound) -> Split:
        """Find the best cut of a node in the port's histogram, and the cut to go on with."""
        node, binned, best = event.node, event.binned, event.split
        sums = tree.histograms[node] = find_histogram(event, tree.weights).copy()
        own = tree.find("histogram", node, "sums", sums.shape)
        if own is not None and not np.array_equal(own, sums):
            sums = np.ascontiguousarray(own, np.int64)
            limits = binned.every_feature, event.min_samples_leaf, 1, binned.missing
            best = Split(*splitting.best_split(sums, binned.offsets, *limits))
        tree.best[node], sides = best, tree.divide(node)
        split = tree.splits[node] = self.choose_cut(tree, event, sums, best)
        first, end = binned.offsets[max(0, split.feature) :][:2].tolist()
        if split.feature != LEAF and len(binned.take_apart(split, sums[first:end])) > 1:
            tree.in_three.add(node)
        if sides is None:
            return split if tree.cut is None else NO_SPLIT
        if binned.missing is not None and tree.is_second(tree.numbers.get(node)):
            tree.splits[node] = NO_SPLIT
            del tree.best[node]
        # the port may make a cut that gains nothing, and part the rows otherwise
        split = Split(0, 0, 0.0, 0, 0, 0) if split.feature == LEAF else split
        if node in tree.in_three:
            if tree.is_cut_in_three(node):
                return split
            split = split._replace(bin=end - first - 2)
        return tree.sum_left(sides[0], split)

    def choose_cut(self, tree: FollowedTree, event: events.CutFound, sums: Ints, best: Split) -> Split:
        """Choose the port's cut of a node: the one that it tells, or one that parts the rows as the port does."""
        node, binned, offsets, missing = event.node, event.binned, event.binned.offsets, event.binned.missing
        own, gain = tree.find("cut", node, "cut", (5,)), tree.find("cut", node, "split_gain")
        if own is None and (best.feature == LEAF or missing is not None):
            return best
        f, b = best[:2] if own is None else (int(entry) for entry in own[:2])
        if not (0 <= f < binned.n_features and 0 <= b < offsets[f + 1] - offsets[f]):
            return best
        if own is None or (f, b) != best[:2]:
            contest = self.compare(sums, offsets, binned.every_feature, event.min_samples_leaf, missing)
            f, b = next(self.list_choices(tree, event, contest, sums), best[:2]) if own is None else (f, b)
            if (f, b) != best[:2] and contest.holds(f, b):
                tree.chosen[node] = make_cut(sums, offsets, missing, f, b)
            elif (f, b) != best[:2] and own is None:
                tree.worse[node] = float(binned.cuts[best.feature][best.bin])
        split = make_cut(sums, offsets, missing, f, b)
        return split if gain is None else split._replace(split_gain=float(gain))

    def list_choices(
        self, tree: FollowedTree, event: events.CutFound, contest: Contest, sums: Ints
    ) -> Iterator[tuple[int, int]]:
        """List the cuts that part the rows of a node as the port does, those that tie with the best one first."""
        rows, codes, sides = event.rows, event.binned.row_codes, tree.divide(event.node)
        tied = [(f, b) for f, first, last in contest.tied for b in range(first, last + 1)]
        if sides is not None:
            where, cuts = tree.find("partition", event.node, "cut"), event.binned.cuts
            limits = event.binned.every_feature, event.min_samples_leaf, None
            others, left = list_rivals(sums, event.binned.offsets, *limits)[0], np.isin(rows, sides[0])
            choices = [*tied, *map(tuple, others.tolist())]
            equal = [cut for cut in choices if np.array_equal(codes[rows, cut[0]] <= cut[1], left)]
            yield from sorted(equal, key=lambda cut: where is not None and cuts[cut[0]][cut[1]] != where)
        elif tree.cut is None and len(tied) > 1:
            groups = tree.group_rows(self.scores.get(tree.place.output, np.zeros(len(codes))))
            if groups is not None:
                yield min(tied, key=lambda cut: count_straddling(groups[rows], codes[rows, cut[0]] <= cut[1]))

    def part(self, tree: Any, event: events.CutMade) -> int:
        """Divide the rows of a node as the port does; keep what its cut makes of them."""
        tree.parted[event.node], sides = (event.rows.copy(), event.n_left), tree.divide(event.node)
        tree.follow(event.node, event.left)
        if sides is None:
            return event.n_left
        event.rows[:] = np.concatenate(sides)
        return len(sides[0])

    def take_growth(self, tree: Any, event: events.TreeGrown) -> None:
        """Compare the nodes of a complete tree with those that have the same place in the port's tree."""
        record, nodes = tree.pick_nodes("histogram")
        self.taker.judge_by("histogram", tree.place, record, tree.list_histograms(nodes), None)
        record, nodes = tree.pick_nodes("cut")
        usual = tree.list_best_cuts(nodes, {}) if tree.chosen else None
        self.taker.judge_by("cut", tree.place, record, tree.list_best_cuts(nodes, tree.chosen), usual)
        self.take_partition(tree, event)
        tree.nodes = tree.number(tree.nodes.tolist())

    def take_partition(self, tree: FollowedTree, event: events.TreeGrown) -> None:
        """Compare which nodes were cut, where, and into which rows."""
        nodes, own, place = [*tree.children], tree.own, tree.place
        record, tells_cuts = self.taker.theirs.get(("partition", place)), ("cut", place) in self.taker.theirs

        def describe(cut: list[int], due: list[int], rows: Ints) -> dict[str, NDArray[Any]]:
            counts = [tree.best[node].left_count if node in tree.worse else tree.parted[node][1] for node in cut]
            cuts = np.array([tree.worse.get(node, event.grown.cut[node]) for node in cut], np.float64)
            return {"nodes": tree.number(due), "cut": cuts, "n_left": np.array(counts, np.int64), "rows": rows}

        usual = describe(nodes, nodes, event.leaves.rows)
        self.taker.has_untold_choice |= bool(tree.chosen) and record is None and not tells_cuts
        if tree.cut is None or tree.is_broken or not all(own.get(number) in tree.parted for number in tree.cut):
            self.taker.judge_by("partition", place, record, usual, None)
            self.taker.is_lost |= record is not None and self.taker.has_departed
            return
        cut = [own[number] for number in tree.cut]
        n_leaves = getattr(getattr(self.ranker, "base", self.ranker), "n_leaves", None)
        due, rows = tree.list_due(n_leaves and max(n_leaves, len(nodes) + 1), cut), tree.list_parted_rows(cut)
        departs = (tree.chosen and not tells_cuts) or cut != nodes or not np.array_equal(rows, event.leaves.rows)
        expected = describe(cut, cut if {*due} == {*cut} else due, rows)
        self.taker.judge_by("partition", place, record, expected, usual if departs else None)

    def settle_leaves(self, tree: Any, event: events.TreeGrown) -> events.TreeGrown:
        """Compare a complete tree; go on with the numbers at which the port cuts."""
        event, cut = super().settle_leaves(tree, event), event.grown.cut.copy()
        for node in tree.parted:
            own = tree.find("partition", node, "cut")
            if own is not None and not np.isnan(own):
                cut[node] = own
        return event._replace(grown=replace(event.grown, cut=cut))

    def watch(self, event: Any) -> Any:
        """Take an event; keep the steps, and the scores after them. A tree of a forest follows from no other."""
        if isinstance(event, events.RowsDrawn):
            self.has_lost_tree |= self.taker.is_lost
            self.taker.is_lost = False
        if not isinstance(event, events.ScoresRaised):
            return super().watch(event)
        output = self.growing[id(event.rows)].place.output
        self.has_lost_steps |= self.taker.is_lost
        event = super().watch(event)
        self.scores[output] = event.scores.copy()
        self.steps.setdefault(output, []).append((event.rows.copy(), event.starts, event.values))
        return event


def are_offsets(offsets: NDArray[Any], n_features: int, cuts: NDArray[Any]) -> bool:
    """Return whether these may be the first slots of features with bins, (n_features + 1,), between these cuts."""
    if offsets.shape != (n_features + 1,) or offsets[0] != 0 or cuts.shape != (offsets[-1] - n_features,):
        return False
    return bool(((np.diff(offsets) >= 1) & (np.diff(offsets) <= MOST_BINS)).all())

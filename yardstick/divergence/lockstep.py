"""A training in lockstep with a port: it makes the port's cuts, draws its rows, and goes on with its numbers.

A recorder (yardstick/traces/recording.py) whose taker is a judge. Where the papers leave a choice open, the port's is
made, whatever it tells: a cut that ties with the best one is found from its record, else from the rows of its nodes,
else from the scores that its step left equal.

stage        the choice
cut          which of the cuts that gain equally
partition    which of the nodes whose cuts gain equally is cut, and in which order nodes are cut
tree         of a forest: the choice of cut, in every node
"""

from collections.abc import Iterator
from dataclasses import replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Matrix, Rows
from refrank.trees import events, splitting
from refrank.trees.bins.binning import MOST_BINS
from refrank.trees.model.tree import LEAF, Tree
from refrank.trees.numbers.grid import Gridded, GriddedWeights
from refrank.trees.splitter import name_arguments
from refrank.trees.splitting import GROUP, NO_SPLIT, Split
from yardstick.divergence.judging import Arrays, Judge
from yardstick.divergence.port_tree import PortTree
from yardstick.numbers.digest import digest
from yardstick.traces.contest import Contest, compare_cuts, find_gain_at, list_rivals
from yardstick.traces.recording import GrowingTree, Recorder, find_histogram, list_codes
from yardstick.traces.stages import Field, Place, Record

Step = tuple[Rows, Ints, Floats]  # rows leaf after leaf, where each leaf begins, what it adds


class FollowedTree(GrowingTree):
    """A growing tree, beside that of a port."""

    def __init__(self, place: Place, root: Gridded, weights: GriddedWeights, port: PortTree) -> None:
        super().__init__(place, root, weights)
        self.port = port
        self.best: dict[int, Split] = {}  # by node: refrank's cut
        self.chosen: dict[int, Split] = {}  # the cut to go on with, if a port's cut is as good
        self.parted: dict[int, tuple[Ints, int]] = {}  # by node: the rows that the cut makes, and how many go left
        self.children: dict[int, int] = {}  # by node: the left one
        self.gains: dict[int, float] = {}  # by node: of the cut to go on with


class Lockstep(Recorder):
    """A recorder that follows a port; its arguments are those of `Recorder`, with a judge as the taker."""

    taker: Judge

    def __init__(self, ranker: Any, taker: Judge) -> None:
        super().__init__(ranker, taker)
        self.scores: dict[int | None, Floats] = {}  # by output: those after the last step, (n_samples,)
        self.steps: dict[int | None, list[Step]] = {}  # by output
        self.has_chosen, self.was_lost, self.n_features = False, False, 0

    def __getattr__(self, name: str) -> Any:
        """Pass on the functions of the specification, as a splitter."""
        return getattr(splitting, name)

    def read(self, stage: str, place: Place, name: str, shape: tuple[int, ...]) -> NDArray[Any] | None:
        """Read a field of the port, if it has this shape."""
        values = self.taker.read(stage, place, name)
        return values if values is not None and values.shape == shape else None

    def settle_bins(self, X: Matrix, binned: Any) -> Any:
        """Compare the cuts of all features, and the bins of the rows between the port's own cuts; go on with those."""
        place, self.n_features = self.place_bins(), X.shape[1]
        offsets, cuts = binned.offsets, np.concatenate(binned.cuts)
        own_offsets, own_cuts = (self.taker.read("bins", place, name) for name in ("offsets", "cuts"))
        if own_offsets is not None and are_offsets(own_offsets, X.shape[1]):
            if own_cuts is None and np.array_equal(own_offsets, offsets):
                own_cuts = cuts
            if own_cuts is not None and own_cuts.shape == (own_offsets[-1] - X.shape[1],):
                offsets, cuts = own_offsets.astype(np.int64), own_cuts.astype(np.float64)
        edges = [cuts[offsets[f] - f : offsets[f + 1] - f - 1] for f in range(X.shape[1])]
        codes = np.column_stack([np.searchsorted(edges[f], X[:, f], side="right") for f in range(X.shape[1])])
        self.taker.take("bins", place, cuts=np.concatenate(binned.cuts), offsets=binned.offsets, codes=codes)
        own_codes = self.read("bins", place, "codes", codes.shape)
        if own_codes is not None and ((own_codes >= 0) & (own_codes < np.diff(offsets))).all():
            codes = own_codes
        wide = np.zeros((X.shape[0], binned.codes.shape[0] * GROUP), np.uint16 if codes.max() > 255 else np.uint8)
        wide[:, : X.shape[1]] = codes
        groups = np.ascontiguousarray(wide.reshape(len(wide), -1, GROUP).transpose(1, 0, 2))
        return replace(binned, codes=groups, cuts=tuple(edges), offsets=offsets)

    def settle_root(self, event: events.RootMade) -> Gridded:
        """Compare a residual, and the same on its grid; begin a tree."""
        self.taker.is_lost |= self.was_lost and self.n_turns == self.n_forest
        tree = super().settle_root(event)
        place = self.roots[id(tree)].place
        port = PortTree(self.taker.theirs, place, len(tree.integers))
        self.roots[id(tree)] = FollowedTree(place, tree, event.weights, port)
        return tree

    def find_cut(self, tree: Any, event: events.CutFound) -> Split:
        """Find the best cut of a node in the port's histogram, and the cut to go on with."""
        node, port, binned = event.node, tree.port, event.binned
        number = port.numbers.get(node)
        sums, best = find_histogram(event, tree.weights).copy(), event.split
        tree.sums[node] = sums
        told = port.find("histogram", number, ["sums"])
        if told is not None and told[0].shape == sums.shape and not np.array_equal(told[0], sums):
            sums = np.ascontiguousarray(told[0], np.int64)
            best = Split(*splitting.best_split(sums, binned.offsets, *list_limits(event)))
        tree.best[node] = best
        split = self.choose_cut(tree, event, sums, best)
        tree.gains[node] = split.split_gain
        if port.cut is not None and number not in port.cut:
            return NO_SPLIT
        if split.feature == LEAF and port.cut is not None:  # the port makes a cut that gains nothing
            split = Split(0, 0, 0.0, 0, 0, 0)
        if port.cut is None or binned.missing is not None or split.feature == LEAF:
            return split
        left = port.list_rows(port.list_children(number)[0])
        weights = tree.weights.integers
        weight = len(left) if weights is None else int(weights[left].sum())
        return Split(split.feature, split.bin, split.split_gain, int(tree.root.integers[left].sum()), len(left), weight)

    def choose_cut(self, tree: Any, event: events.CutFound, sums: Ints, best: Split) -> Split:
        """Choose the port's cut of a node: the one that it tells, or one that parts the rows as the port does."""
        port, binned, number = tree.port, event.binned, tree.port.numbers.get(event.node)
        contest = compare_cuts(sums, binned.offsets, *list_limits(event)[:2], binned.missing)
        told = port.find("cut", number, ["cut"])
        if told is not None and told[0].shape[0] >= 2:
            feature, bin = int(told[0][0]), int(told[0][1])
            if not (0 <= feature < binned.n_features and 0 <= bin < np.diff(binned.offsets)[feature]):
                return best
            split = make_split(sums, binned, feature, bin)
            gain = port.find("cut", number, ["split_gain"])
            split = split if gain is None else split._replace(split_gain=float(gain[0]))
            if contest.holds(feature, bin) and (feature, bin) != (best.feature, best.bin):
                tree.chosen[event.node] = make_split(sums, binned, feature, bin)
            return split
        if best.feature == LEAF or binned.missing is not None:
            return best
        for feature, bin in self.list_choices(tree, event, contest, sums):
            split = make_split(sums, binned, feature, bin)
            if (feature, bin) != (best.feature, best.bin) and contest.holds(feature, bin):
                tree.chosen[event.node] = split
            return split
        return best

    def list_choices(
        self, tree: Any, event: events.CutFound, contest: Contest, sums: Ints
    ) -> Iterator[tuple[int, int]]:
        """List the cuts that part the rows of a node as the port does, those that tie with the best one first."""
        port, number, codes = tree.port, tree.port.numbers.get(event.node), list_codes(event.binned)
        rows, tied = event.rows, [(f, b) for f, b, _ in contest.tied]
        children = port.list_children(number)
        if children is not None:
            left = np.isin(rows, port.list_rows(children[0]))
            at, *_ = list_rivals(sums, event.binned.offsets, *list_limits(event)[:2], event.binned.missing)
            choices = [*tied, *map(tuple, at.tolist())]
            yield from (cut for cut in choices if np.array_equal(codes[rows, cut[0]] <= cut[1], left))
        elif port.cut is None and len(tied) > 1:
            groups = port.group_rows(self.read_before(tree.place, len(codes)))
            if groups is not None:
                yield min(tied, key=lambda cut: count_straddling(groups[rows], codes[rows, cut[0]] <= cut[1]))

    def read_before(self, place: Place, n_samples: int) -> Floats:
        """Return F before a tree, (n_samples,)."""
        return self.scores.get(place.output, np.zeros(n_samples))

    def part(self, tree: Any, event: events.CutMade) -> int:
        """Part the rows of a node as the port does; keep what its cut makes of them."""
        port, number = tree.port, tree.port.numbers.get(event.node)
        tree.n_left[event.node], tree.children[event.node] = event.n_left, event.left
        tree.parted[event.node] = event.rows.copy(), event.n_left
        children = port.list_children(number)
        port.follow(event.node, event.left)
        if children is None:
            return event.n_left
        left, right = map(port.list_rows, children)
        event.rows[:] = np.concatenate([left, right])
        return len(left)

    def take_growth(self, tree: Any, event: events.TreeGrown) -> None:
        """Compare the nodes of a complete tree with those that have the same place in the port's tree."""
        theirs = {number: node for node, number in tree.port.numbers.items()}
        for stage, list_arrays in (("histogram", list_histograms), ("cut", list_best_cuts)):
            record, searched = self.taker.theirs.get((stage, tree.place)), [*tree.best]
            if record is not None:
                record, searched = pick_nodes(record, theirs, tree)
            numbers = np.array([tree.port.numbers.get(node, node) for node in searched], np.int64)
            expected, usual = ({"nodes": numbers, **arrays} for arrays in list_arrays(tree, searched))
            chosen = usual if stage == "cut" and any(node in tree.chosen for node in searched) else None
            self.taker.judge_by(stage, tree.place, record, expected, chosen)
        self.take_partition(tree, event, theirs)
        tree.nodes = np.array([tree.port.numbers.get(node, node) for node in tree.nodes.tolist()], np.int64)

    def take_partition(self, tree: Any, event: events.TreeGrown, theirs: dict[int, int]) -> None:
        """Compare which nodes were cut, where, and into which rows."""
        port, nodes = tree.port, [*tree.children]
        usual = {
            "nodes": np.array([port.numbers.get(node, node) for node in nodes], np.int64),
            "cut": event.grown.cut[nodes],
            "n_left": np.array([tree.parted[node][1] for node in nodes], np.int64),
            "rows": event.leaves.rows,
        }
        record = self.taker.theirs.get(("partition", tree.place))
        if port.cut is None or not all(number in theirs for number in port.cut):
            self.taker.judge_by("partition", tree.place, record, usual, None)
            self.taker.is_lost |= record is not None and self.taker.has_departed
            return
        own, due = [theirs[number] for number in port.cut], self.list_due(tree, [theirs[number] for number in port.cut])
        rows = port.rows.copy()
        for node in own:
            start, stop = port.ranges[port.numbers[node]]
            made, n_left = tree.parted[node]
            if not np.array_equal(np.sort(made[:n_left]), port.list_rows(port.list_children(port.numbers[node])[0])):
                rows[start:stop] = made
        legal = {*due} == {*own}
        expected = {
            "nodes": np.array([port.numbers[node] for node in (own if legal else due)], np.int64),
            "cut": event.grown.cut[own],
            "n_left": np.array([tree.parted[node][1] for node in own], np.int64),
            "rows": rows,
        }
        cuts_told = self.taker.theirs.get(("cut", tree.place)) is not None
        chosen = own != nodes or (bool(tree.chosen) and not cuts_told) or not np.array_equal(rows, event.leaves.rows)
        self.taker.judge_by("partition", tree.place, record, expected, usual if chosen else None)

    def list_due(self, tree: Any, own: list[int]) -> list[int]:
        """List the nodes that are to be cut, given the gain of each; of those that gain equally, the port's first."""
        ranker: Any = getattr(self.ranker, "base", self.ranker)
        n_leaves, gains = getattr(ranker, "n_leaves", None), tree.gains
        if n_leaves is None:  # all that gain, and the second cuts of those that go three ways
            return [node for node in tree.children if gains.get(node, 1.0) > 0] + [
                node for node, gain in gains.items() if gain > 0 and node not in tree.children
            ]
        waiting, order = {0} if gains[0] > 0 else set[int](), list[int]()
        while waiting and len(order) + 1 < n_leaves:
            most = max(gains[node] for node in waiting)
            equal = [node for node in waiting if gains[node] == most]
            node = next((node for node in own if node in equal), min(equal))
            waiting.remove(node)
            order.append(node)
            left = tree.children.get(node)
            waiting |= {child for child in (left, left + 1) if gains.get(child, 0.0) > 0} if left is not None else set()
        return order

    def watch(self, event: Any) -> Any:
        """Take an event; keep the scores after each step."""
        tree: Any = self.growing.get(id(event.rows)) if isinstance(event, events.ScoresRaised) else None
        if isinstance(event, events.RowsDrawn):  # a tree of a forest follows from no other
            self.was_lost, self.taker.is_lost = self.was_lost or self.taker.is_lost, False
        if isinstance(event, events.ProbaMade):
            self.taker.inputs = {"scores": event.scores, "first": event.first}
        event = super().watch(event)
        if tree is not None:
            output = tree.place.output
            self.scores[output] = event.scores.copy()
            self.steps.setdefault(output, []).append((event.rows.copy(), event.starts, event.values))
        return event

    def settle_leaves(self, tree: Any, event: events.TreeGrown) -> events.TreeGrown:
        """Compare a complete tree; go on with the numbers at which the port cuts."""
        event, port = super().settle_leaves(tree, event), tree.port
        cuts, nodes = port.read("partition", "cut"), {number: node for node, number in port.numbers.items()}
        if port.cut is None or cuts is None or cuts.shape != (len(port.cut),) or np.isnan(cuts).any():
            return event
        cut = event.grown.cut.copy()
        for number, at in zip(port.cut, cuts, strict=True):
            if number in nodes:
                cut[nodes[number]] = at
        return event._replace(grown=replace(event.grown, cut=cut))

    def grow_deep(self, *arguments: Any) -> Any:
        """Grow a tree of a forest with the port's cut in each node where it ties with the best one."""
        place = Place(tree=self.n_turns, output=self.counted["draws"] - 1)
        own = {name: self.taker.read("tree", place, name) for name in ("feature", "bin", "left", "right")}
        self.has_chosen, numbers = False, number_nodes(own["feature"], own["left"], own["right"])
        given = name_arguments("grow_deep", arguments)

        def choose(number: int, drawn: Rows, places: Ints, sums: Ints, best: Split) -> Split:
            if own["bin"] is None or numbers is None or number not in numbers or numbers[number] >= len(own["bin"]):
                return best
            feature, bin = (int(own[name][numbers[number]]) for name in ("feature", "bin"))
            missing = None if given["missing"] is None else given["missing"][drawn]
            candidates = np.arange(len(drawn), dtype=np.int32)
            contest = compare_cuts(sums, places, candidates, given["min_samples_leaf"], missing)
            [at] = np.flatnonzero(drawn == feature) if feature in drawn else [-1]
            if (at, bin) == best[:2] or not contest.holds(at, bin):
                return best
            self.has_chosen = True
            flag = 0 if missing is None else int(missing[at])
            return cut_at(sums[places[at] : places[at + 1]], int(at), bin, flag)

        return splitting.grow_deep(*arguments, choose=choose)

    def settle_tree(self, tree: Tree, place: Place) -> Tree:
        """Compare a tree of a forest with the port's, whose nodes may be numbered otherwise; go on with the port's."""
        arrays = vars(tree)
        record = self.taker.theirs.get(("tree", place))
        golden = None if self.taker.golden is None else self.taker.golden.get(("tree", place))
        usual = arrays if golden is None else {name: golden.values(name) for name in golden.fields}
        numbers = None if record is None else number_nodes(*map(record.values, ("feature", "left", "right")))
        record = record if record is None or numbers is None else renumber(record, numbers)
        has_usual = self.has_chosen and all(values is not None for values in usual.values())
        self.taker.judge_by("tree", place, record, arrays, usual if has_usual else None)
        return self.taker.adopt_tree(place, tree, self.n_features)


def list_limits(event: events.CutFound) -> tuple[Rows, int, int, Any]:
    """List the last arguments of `best_split` for a node."""
    return event.binned.every_feature, event.min_samples_leaf, 1, event.binned.missing


def make_split(sums: Ints, binned: Any, feature: int, bin: int) -> Split:
    """Make a cut of a node, given its histogram."""
    flag = 0 if binned.missing is None else int(binned.missing[feature])
    return cut_at(sums[binned.offsets[feature] : binned.offsets[feature + 1]], feature, bin, flag)


def cut_at(slots: Ints, feature: int, bin: int, flag: int) -> Split:
    """Make the cut after a bin, given the sums of its feature's bins."""
    left = slots[: bin + 1].sum(axis=0)
    return Split(feature, bin, find_gain_at(slots, bin, flag), int(left[0]), int(left[1]), int(left[-1]))


def count_straddling(groups: Ints, goes_left: NDArray[np.bool_]) -> int:
    """Count the groups of rows that a cut tears apart.

    >>> count_straddling(np.array([0, 0, 1, 1]), np.array([True, False, True, True]))
    1
    """
    return len({*groups[goes_left].tolist()} & {*groups[~goes_left].tolist()})


def are_offsets(offsets: NDArray[Any], n_features: int) -> bool:
    """Return whether these may be the first slots of features with bins, (n_features + 1,)."""
    sizes = np.diff(offsets)
    return offsets.shape == (n_features + 1,) and offsets[0] == 0 and bool(((sizes >= 1) & (sizes <= MOST_BINS)).all())


def pick_nodes(record: Record, theirs: dict[int, int], tree: FollowedTree) -> tuple[Record, list[int]]:
    """Pick the nodes of a port that refrank searched, too; those in which no cut gains may be absent.

    Returns the record of these nodes, and refrank's numbers of them, with those that are wanting.
    """
    nodes = record.values("nodes")
    if nodes is None or nodes.ndim != 1:
        return record, [*tree.best]
    at = [i for i, number in enumerate(nodes.tolist()) if theirs.get(number) in tree.best]
    own = [theirs[number] for number in nodes[at].tolist()]
    wanting = [node for node, split in tree.best.items() if node not in own and split.feature != LEAF]
    if any(field.values is None or len(np.atleast_1d(field.values)) != len(nodes) for field in record.fields.values()):
        return record, own + wanting
    kept = {name: keep(values[at]) for name, field in record.fields.items() if (values := field.values) is not None}
    return Record(record.stage, record.place, kept), own + wanting


def keep(values: NDArray[Any]) -> Field:
    """Make a field from an array."""
    return Field(str(values.dtype), values.shape, digest(values), values)


def list_histograms(tree: FollowedTree, nodes: list[int]) -> tuple[Arrays, Arrays]:
    """List the histograms of nodes, and their digests, twice: there is no choice."""
    sums = [tree.sums[node] for node in nodes]
    arrays = {"digests": np.array([digest(own) for own in sums], np.uint64), "sums": np.array(sums)}
    return arrays, arrays


def list_best_cuts(tree: FollowedTree, nodes: list[int]) -> tuple[Arrays, Arrays]:
    """List the best cuts of nodes: by the port's choice where it is as good, and by refrank's."""
    by_choice, usual = (
        {
            "cut": np.array([[*split[:2], *split[3:]] for split in splits], np.int64),
            "split_gain": np.array([split.split_gain for split in splits]),
        }
        for splits in (
            [tree.chosen.get(node, tree.best[node]) for node in nodes],
            [tree.best[node] for node in nodes],
        )
    )
    return by_choice, usual


def number_nodes(feature: Any, left: Any, right: Any) -> dict[int, int] | None:
    """Number the nodes of a port's tree as refrank does: refrank's number, and the port's; None if it is no tree."""
    if feature is None or left is None or right is None or not feature.shape == left.shape == right.shape:
        return None
    numbers, stack = {0: 0}, [0]
    while stack:
        node = stack.pop()
        own, n_nodes = numbers[node], len(numbers)
        if not 0 <= own < len(feature) or n_nodes > len(feature):
            return None
        if feature[own] != LEAF:
            numbers |= {n_nodes: int(left[own]), n_nodes + 1: int(right[own])}
            stack += [n_nodes + 1, n_nodes]
    return numbers


def renumber(record: Record, numbers: dict[int, int]) -> Record:
    """Put the nodes of a port's tree in refrank's order."""
    order = [numbers[node] for node in range(len(numbers))]
    if order == [*range(len(order))] or len({*order}) != len(order):
        return record
    arrays = {name: values for name in record.fields if (values := record.values(name)) is not None}
    if len(arrays) != len(record.fields) or any(len(values) != len(order) for values in arrays.values()):
        return record
    own = {number: node for node, number in numbers.items()}
    for name in {"left", "right"} & arrays.keys():
        arrays[name] = np.where(arrays["feature"] == LEAF, 0, [own.get(node, -1) for node in arrays[name].tolist()])
    return Record(record.stage, record.place, {name: keep(values[order]) for name, values in arrays.items()})

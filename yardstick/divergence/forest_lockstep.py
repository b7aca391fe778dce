"""A forest in lockstep with a port: its draws, and in each node its cut, where it ties with the best one.

The choice among equal cuts decides the later nodes, so the whole tree is grown by the port's choices. A port may number
its nodes otherwise: they correspond if the cuts above them do.
"""

from typing import Any

import numpy as np

from refrank.arrays import Ints, Rows
from refrank.trees import events, splitting
from refrank.trees.model.tree import LEAF, Tree
from refrank.trees.splitter import name_arguments
from refrank.trees.splitting import NEEDS_CUT, Split
from yardstick.divergence.judging import Judge, list_arrays
from yardstick.traces.contest import Contest, compare_cuts, make_cut
from yardstick.traces.recording import Recorder
from yardstick.traces.stages import Place, Record, make_field

ORDER = "feature", "left", "right"  # the fields that order the nodes of a tree


class ForestLockstep(Recorder):
    """A recorder that follows the forest of a port; a splitter, too: the specification, with the port's choices."""

    taker: Judge

    def __init__(self, ranker: Any, judge: Judge) -> None:
        super().__init__(ranker, judge)
        self.n_features, self.has_chosen, self.has_lost_tree = 0, False, False

    def __getattr__(self, name: str) -> Any:
        """Pass on the functions of the specification."""
        return getattr(splitting, name)

    def watch(self, event: Any) -> Any:
        """Take an event; a tree of a forest follows from no other."""
        if isinstance(event, events.RowsDrawn):
            self.has_lost_tree |= self.taker.is_lost
            self.taker.is_lost = False
        return super().watch(event)

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
        record, golden = (records.get(("tree", place)) for records in (self.taker.theirs, self.taker.golden or {}))
        usual = vars(tree) if golden is None else list_arrays(golden)
        record = None if record is None else renumber(record, tree)
        self.taker.judge_by("tree", place, record, vars(tree), usual if self.has_chosen else None)
        return self.taker.adopt_tree(place, tree, self.n_features)


def number_nodes(feature: Any, left: Any, right: Any) -> dict[int, int]:
    """Number the nodes of a port's tree as refrank does: refrank's number, and the port's; none of what is no tree.

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

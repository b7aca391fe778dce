"""A recorder of tree boosting, from which the records of a training are made.

`Recorder` has the functions of another splitter, and receives the events of the trees (refrank/trees/events.py).
Estimators run on it unchanged (`refrank.trees.engine.use_splitter`), tree by tree:

    softmax       columns of p wait for their trees
    RootMade      residuals wait for theirs
    CutFound      the next tree begins, or another node of it: histogram, best cut
    CutMade       the two children are numbered
    LeavesSummed  denominators
    ScoresRaised  the end of a tree: leaves, the step, and the scores after it

Trees of a forest are not boosted: they are read from the model (yardstick/traces/turns.py).
"""

from typing import Any

from refrank.arrays import Codes, Floats, Ints, Matrix
from refrank.kernel import KERNEL
from refrank.trees import splitting
from refrank.trees.engine import Splitter
from refrank.trees.events import CutFound, CutMade, LeavesMade, LeavesSummed, RootMade, ScoresRaised
from yardstick.traces.contest import compare_cuts, rank_cuts
from yardstick.traces.grown import GrowingTree, record_leaves, record_tree_up_to_leaves
from yardstick.traces.stages import Field, Keep, Place, Record, make_record


class Recorder:
    """A splitter that passes calls to another splitter, and records them and the trees that it grows."""

    def __init__(self, splitter: Splitter, keep: Keep) -> None:
        self.splitter, self.keep = splitter, keep
        self.records: list[Record] = []  # of the current turn
        self.proba: list[Field] = []
        self.roots: dict[int, tuple[RootMade, Field]] = {}  # by the identity of the residual on its grid
        self.growing: GrowingTree | None = None
        self.n_grown = 0  # trees in this turn

    def __getattr__(self, name: str) -> Any:
        """Pass on calls that are not recorded."""
        return getattr(self.splitter, name)

    def take(self) -> list[Record]:
        """Return the records of a turn, and begin the next."""
        records, self.records, self.n_grown = self.records, [], 0
        return records

    def quantize(self, X: Matrix, cuts: Floats, offsets: Ints, codes: Codes, n_threads: int) -> None:
        """Record the bins of all features."""
        self.splitter.quantize(X, cuts, offsets, codes, n_threads)
        by_row = codes.transpose(1, 0, 2).reshape(len(X), -1)[:, : X.shape[1]]
        self.records.append(make_record(self.keep, "bins", Place(), cuts=cuts, offsets=offsets, codes=by_row))

    def softmax(self, scores: Floats, first: int, proba: Floats, n_threads: int) -> None:
        """Keep the columns of p for the trees that follow."""
        self.splitter.softmax(scores, first, proba, n_threads)
        self.proba += [self.keep(column) for column in proba.T]

    def watch(self, event: object) -> None:
        """Take an event of a tree."""
        match event:
            case RootMade():
                self.roots[id(event.tree)] = event, self.keep(event.residual)
            case CutFound():
                if self.growing is None:
                    proba = self.proba.pop(0) if self.proba else None
                    self.growing = GrowingTree(self.n_grown, *self.roots.pop(id(event.tree)), proba)
                binned, sums = event.binned, find_histogram(event, self.growing.root)
                where = binned.offsets, binned.every_feature, event.min_samples_leaf
                compare = rank_cuts if self.splitter is KERNEL else compare_cuts
                self.growing.sums[event.node] = self.keep(sums)
                self.growing.splits[event.node] = event.split, compare(sums, *where, binned.missing)
            case _ if self.growing is None:
                return
            case CutMade():
                self.growing.n_left[event.node] = event.n_left
            case LeavesMade():
                self.growing.leaves = event.nodes
            case LeavesSummed():
                self.growing.denominator = event.sums
            case ScoresRaised():
                self.records += record_tree_up_to_leaves(self.growing, event.rows, self.keep)
                self.records += record_leaves(self.growing, event, self.keep)
                self.growing, self.n_grown = None, self.n_grown + 1


def find_histogram(event: CutFound, root: RootMade) -> Ints:
    """Return a node's histogram over all bins."""
    binned = event.binned
    if binned.codes.itemsize == 1:
        return event.sums
    integers, weights = event.tree.integers, root.weights.integers  # the histogram of the event was over coarse bins
    return splitting.histogram(binned.codes, binned.offsets, event.rows, integers, weights, 1)

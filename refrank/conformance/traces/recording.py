"""A splitter that records what passes through it: the seam on which a trace hangs.

`Recorder` has the functions of another splitter. Estimators run on it unchanged (`refrank.trees.engine.use_splitter`),
one tree after the other, so that each call tells by its place in the line to which tree and node it belongs:

    softmax              columns of p wait for their trees
    round_to_grid        residuals wait for their histograms
    root_sums            the roots of one tree, or of all trees of a round
    best_split           the next root, or a child of the node cut last: the right one first
    partition            a cut; the two children are numbered
    leaf_sums            denominators
    add_to_leaves        the end of a tree: leaves, the step, and the scores after it

Trees of a forest do not pass through it: they are read off the model (refrank/conformance/traces/tracing.py).
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.conformance.traces.contest import Contest, compare_cuts, rank_cuts
from refrank.conformance.traces.stages import Field, Place, Record
from refrank.kernel import KERNEL
from refrank.trees.engine import Splitter
from refrank.trees.grid import from_grid
from refrank.trees.splitting import Codes, Flags, Floats, Ints, Rows, Split

Keep = Callable[[NDArray[Any]], Field]  # makes a field of an array, at once: the array may change later


class Growing:
    """The tree that grows: its root's residual, its nodes, and which of them await their best cut."""

    def __init__(self, output: int, root: "Residual", proba: Field | None) -> None:
        self.output, self.root, self.proba = output, root, proba
        self.awaited = [0]  # nodes, in the order in which their best cuts are asked for
        self.ranges = [(0, len(root.integers))]  # of each node: its rows are rows[start:stop] of the tree
        self.sums: dict[int, Field] = {}
        self.splits: dict[int, tuple[Split, Contest]] = {}
        self.cut: dict[int, int] = {}  # how many rows went left, by node, in the order in which nodes were cut
        self.denominator: Floats | None = None


@dataclass(frozen=True)
class Residual:
    """A residual, and what became of it on the grid."""

    value: Field
    integers: Ints
    exponent: int


class Recorder:
    """A splitter that does what another one does, and keeps records of it."""

    def __init__(self, splitter: Splitter, keep: Keep) -> None:
        self.splitter, self.keep = splitter, keep
        self.records: list[Record] = []  # of the turn that runs
        self.proba: list[Field] = []
        self.gridded: list[Residual] = []
        self.roots: list[Residual] = []  # of trees that follow; before the first of them, the weights, if there are any
        self.weights: Residual | None = None
        self.n_roots = 0  # made together
        self.growing: Growing | None = None
        self.n_grown = 0  # trees in this turn

    def __getattr__(self, name: str) -> Any:
        """Pass on what is not recorded."""
        return getattr(self.splitter, name)

    def take(self) -> list[Record]:
        """Hand over the records of a turn, and begin the next."""
        records, self.records, self.n_grown = self.records, [], 0
        return records

    def put(self, stage: str, place: Place, **arrays: Any) -> None:
        """Keep a record; an array that is a field already stays one."""
        fields = {name: a if isinstance(a, Field) else self.keep(np.asarray(a)) for name, a in arrays.items()}
        self.records.append(Record(stage, place, fields))

    def quantize(self, X: NDArray[np.floating], cuts: Floats, offsets: Ints, codes: Codes, n_threads: int) -> None:
        """Record the bins of all features."""
        self.splitter.quantize(X, cuts, offsets, codes, n_threads)
        self.gridded = []  # weights may have placed the cuts
        by_row = codes.transpose(1, 0, 2).reshape(len(X), -1)[:, : X.shape[1]]
        self.put("bins", Place(), cuts=cuts, offsets=offsets, codes=by_row)

    def softmax(self, scores: Floats, first: int, proba: Floats, n_threads: int) -> None:
        """Keep the columns of p for the trees that follow."""
        self.splitter.softmax(scores, first, proba, n_threads)
        self.proba += [self.keep(column) for column in proba.T]

    def round_to_grid(self, value: Floats, exponent: int, n_threads: int) -> Ints:
        """Keep a residual, or the weights, for the roots that follow."""
        integers = self.splitter.round_to_grid(value, exponent, n_threads)
        self.gridded.append(Residual(self.keep(value), integers, exponent))
        return integers

    def root_sums(self, codes: Codes, offsets: Ints, integers: Sequence[Ints], n_threads: int) -> Ints:
        """Begin the trees of these roots; counts of rows and coarse bins come by here as well."""
        if self.gridded and any(self.gridded[-1].integers is quantity for quantity in integers):
            self.roots, self.gridded = self.gridded, []
            self.n_roots = len(self.roots)
        return self.splitter.root_sums(codes, offsets, integers, n_threads)

    def best_split(
        self, sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, n_threads: int, missing: Flags | None
    ) -> tuple[int, int, float, int, int, int]:
        """Record a node's histogram, its best cut, and what that won against."""
        if self.splitter is KERNEL:  # the same cut, found together with its rivals
            split, contest = rank_cuts(sums, offsets, features, min_samples_leaf, n_threads, missing)
        else:
            split = Split(*self.splitter.best_split(sums, offsets, features, min_samples_leaf, n_threads, missing))
            contest = compare_cuts(sums, offsets, features, min_samples_leaf, split.split_gain, missing)
        self.add_node(split, sums, contest)
        return split

    def best_split_inside(
        self,
        column_codes: Codes,
        offsets: Ints,
        coarse_offsets: Ints,
        ends: Ints,
        coarse_sums: Ints,
        rows: Rows,
        integers: Ints,
        weights: Ints | None,
        features: Rows,
        min_samples_leaf: int,
        n_threads: int,
        missing: Flags | None,
    ) -> tuple[int, int, float, int, int, int]:
        """Record the same of a node whose histogram is over coarse bins; the whole one is made for the record."""
        among = features, min_samples_leaf, n_threads, missing
        coarse = column_codes, offsets, coarse_offsets, ends, coarse_sums
        split = Split(*self.splitter.best_split_inside(*coarse, rows, integers, weights, *among))
        sums = np.zeros((int(offsets[-1]), 2 if weights is None else 3), np.int64)
        for f in range(len(offsets) - 1):
            slots, code = sums[offsets[f] : offsets[f + 1]], column_codes[f, rows]
            slots[:, 0] = np.bincount(code, integers[rows], len(slots))
            slots[:, 1] = np.bincount(code, None, len(slots))
            if weights is not None:
                slots[:, 2] = np.bincount(code, weights[rows], len(slots))
        contest = compare_cuts(sums, offsets, features, min_samples_leaf, split.split_gain, missing)
        self.add_node(split, sums, contest)
        return split

    def partition(self, codes: Codes, rows: Rows, feature: int, bin: int, n_threads: int) -> int:
        """Record a cut, and number its children."""
        growing = self.growing
        assert growing is not None
        assert isinstance(rows.base, np.ndarray)
        start = (rows.ctypes.data - rows.base.ctypes.data) // rows.itemsize
        node = growing.ranges.index((start, start + len(rows)))
        n_left = self.splitter.partition(codes, rows, feature, bin, n_threads)
        left = len(growing.ranges)
        growing.ranges += [(start, start + n_left), (start + n_left, start + len(rows))]
        growing.cut[node] = n_left
        # the second cut of a cut three ways: its node is the left child of the first, which is not looked at
        waiting = [other for other in growing.awaited if other != node] if node in growing.awaited else []
        growing.awaited = [*waiting, left + 1, left]
        return n_left

    def leaf_sums(self, value: Floats, exponent: int, rows: Rows, starts: Ints, n_threads: int) -> Ints:
        """Keep the denominators of the leaves."""
        sums = self.splitter.leaf_sums(value, exponent, rows, starts, n_threads)
        if self.growing is not None:
            self.growing.denominator = from_grid(sums, exponent)
        return sums

    def add_to_leaves(self, scores: Floats, rows: Rows, starts: Ints, values: Floats, n_threads: int) -> None:
        """Record the leaves of a tree, the step, and the scores after it; the tree is done."""
        self.splitter.add_to_leaves(scores, rows, starts, values, n_threads)
        growing = self.growing
        assert growing is not None
        self.put_tree(growing, rows)
        leaf_at = {start: node for node, (start, _) in enumerate(growing.ranges) if node not in growing.cut}
        nodes = np.array([leaf_at[start] for start in starts[:-1].tolist()], np.int64)
        denominator = growing.denominator
        if denominator is None:
            counts = np.diff(starts).astype(np.float64)
            denominator = counts if self.weights is None else sum_leaves(self.weights, rows, starts)
        place = Place(output=growing.output)
        sums = {"numerator": sum_leaves(growing.root, rows, starts), "denominator": denominator}
        self.put("leaf_sums", place, nodes=nodes, **sums)
        self.put("step", place, values=values)
        self.put("scores", place, values=scores)
        self.growing, self.n_grown = None, self.n_grown + 1

    def grow_deep(self, *arguments: Any) -> Any:
        """Grow the tree of a forest, whose residual no histogram follows."""
        self.gridded = []
        return self.splitter.grow_deep(*arguments)

    def add_node(self, split: Split, sums: Ints, contest: Contest) -> None:
        """Keep the histogram and the best cut of the node that waits; where no tree grows, of the root of the next."""
        if self.growing is None:
            if len(self.roots) == self.n_roots:
                self.weights = self.roots.pop(0) if sums.shape[1] == 3 else None
            root = self.roots.pop(0)
            proba = self.proba.pop(0) if self.proba else None
            self.growing = Growing(self.n_grown, root, proba)
        node = self.growing.awaited.pop(0)
        self.growing.sums[node] = self.keep(sums)
        self.growing.splits[node] = split, contest

    def put_tree(self, growing: Growing, rows: Rows) -> None:
        """Keep the records of a tree up to its leaves."""
        place = Place(output=growing.output)
        if growing.proba is not None:
            self.put("proba", place, values=growing.proba)
        self.put("residual", place, values=growing.root.value)
        self.put("grid", place, integers=growing.root.integers, exponent=np.int64(growing.root.exponent))
        nodes = np.array(sorted(growing.sums), np.int64)
        digests = np.array([growing.sums[node].digest for node in nodes.tolist()], np.uint64)
        kept = [growing.sums[node].values for node in nodes.tolist()]
        whole = {"sums": np.stack([sums for sums in kept if sums is not None])} if kept[0] is not None else {}
        self.put("histogram", place, nodes=nodes, digests=digests, **whole)
        splits, contests = zip(*(growing.splits[node] for node in nodes.tolist()), strict=True)
        runs = [[node, *run] for node, one in zip(nodes.tolist(), contests, strict=True) for run in one.tied.tolist()]
        self.put(
            "cut",
            place,
            nodes=nodes,
            cut=np.array([[*split[:2], *split[3:]] for split in splits], np.int64),
            split_gain=np.array([split.split_gain for split in splits]),
            tied=np.array(runs, np.int64).reshape(-1, 4),
            runner_up=np.array([one.runner_up for one in contests], np.int64),
            gap=np.array([one.gap for one in contests]),
        )
        cut, n_left = np.array([*growing.cut], np.int64), np.array([*growing.cut.values()], np.int64)
        self.put("partition", place, nodes=cut, n_left=n_left, rows=rows)


def sum_leaves(residual: Residual, rows: Rows, starts: Ints) -> Floats:
    """Sum a quantity over the rows of each leaf, (n_leaves,)."""
    return from_grid(np.add.reduceat(residual.integers[rows], starts[:-1]), residual.exponent)

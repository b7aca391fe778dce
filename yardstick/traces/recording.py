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

Trees of a forest do not pass through it: they are read off the model (yardstick/traces/turns.py).
"""

from collections.abc import Sequence
from typing import Any

import numpy as np

from refrank.arrays import Codes, Flags, Floats, Ints, Matrix, Rows
from refrank.kernel import KERNEL
from refrank.trees.engine import Splitter
from refrank.trees.numbers.grid import from_grid
from refrank.trees.splitting import Split
from yardstick.traces.contest import Contest, compare_cuts, rank_cuts
from yardstick.traces.grown import GrowingTree, Residual, record_leaves, record_tree_up_to_leaves
from yardstick.traces.stages import Field, Keep, Place, Record, make_record


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
        self.growing: GrowingTree | None = None
        self.n_grown = 0  # trees in this turn

    def __getattr__(self, name: str) -> Any:
        """Pass on what is not recorded."""
        return getattr(self.splitter, name)

    def take(self) -> list[Record]:
        """Hand over the records of a turn, and begin the next."""
        records, self.records, self.n_grown = self.records, [], 0
        return records

    def quantize(self, X: Matrix, cuts: Floats, offsets: Ints, codes: Codes, n_threads: int) -> None:
        """Record the bins of all features."""
        self.splitter.quantize(X, cuts, offsets, codes, n_threads)
        self.gridded = []  # weights may have placed the cuts
        by_row = codes.transpose(1, 0, 2).reshape(len(X), -1)[:, : X.shape[1]]
        self.records.append(make_record(self.keep, "bins", Place(), cuts=cuts, offsets=offsets, codes=by_row))

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
        assert self.growing is not None
        n_left = self.splitter.partition(codes, rows, feature, bin, n_threads)
        self.growing.cut_node(rows, n_left)
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
        tree = self.growing
        assert tree is not None
        self.records += record_tree_up_to_leaves(tree, rows, self.keep)
        self.records += record_leaves(tree, rows, starts, values, scores, self.weights, self.keep)
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
            self.growing = GrowingTree(self.n_grown, root, proba)
        self.growing.add_node(split, self.keep(sums), contest)

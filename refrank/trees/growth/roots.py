"""Start of a tree: its residual on a grid, and the sums over the rows of its nodes, in bins or in coarse bins.

    symbol    in code     shape
    -         residual    (n_samples,): the values to fit, times the weights, on their grid
    w         weights     (n_samples,): on their grid
    -         sums        (n_slots, 2 or 3) int64: the histogram of all rows, or of a node (refrank/trees/splitting.py)

Where labels have one byte, histograms are over bins; where they have two, over coarse bins
(refrank/trees/bins/coarse.py). Either root answers the same two questions about a node: its histogram and its best cut.

All rows fall into the same bins in every tree, so the counts of the root's histogram are counted once. Trees that are
fitted at the same time, as the K trees of a round, have their roots made together, in one pass over the bins.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace

import numpy as np

from refrank.arrays import Floats, Ints, Rows
from refrank.cluster.communicator import ALONE
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.bins.lists import sum_lists
from refrank.trees.engine import Engine
from refrank.trees.events import RootMade
from refrank.trees.numbers.grid import Gridded, GriddedWeights, put_weights, to_grid, weigh
from refrank.trees.splitting import Split


@dataclass(frozen=True, eq=False)
class Root:
    """The root of a tree whose histograms are over bins; the growing tree writes to its sums."""

    binned: BinnedFeatures
    residual: Gridded  # weight * residual
    weights: GriddedWeights
    sums: Ints  # of all rows

    def on(self, engine: Engine) -> "Root":
        """Return the same root on another engine."""
        return self if engine is self.binned.engine else replace(self, binned=self.binned.on(engine))

    def histogram(self, rows: Rows) -> Ints:
        """Sum the rows of a node in each bin of each feature."""
        binned, integers, weights = self.binned, self.residual.integers, self.weights.integers
        n_threads = binned.engine.n_threads
        if binned.lists is not None:
            return sum_lists(binned.lists, binned.offsets, rows, integers, weights, n_threads)
        return binned.engine.splitter.histogram(binned.codes, binned.offsets, rows, integers, weights, n_threads)

    def best_split(self, rows: Rows, sums: Ints, min_samples_leaf: int) -> Split:
        """Find the best cut of a node, given its rows and its histogram."""
        binned, engine = self.binned, self.binned.engine
        limits = binned.every_feature, min_samples_leaf, engine.n_threads, binned.missing
        return Split(*engine.splitter.best_split(sums, binned.offsets, *limits))

    def list_slots(self, sums: Ints, feature: int) -> Ints:
        """List the sums of a node in the bins of a feature, (n_bins, 2 or 3)."""
        return sums[self.binned.offsets[feature] : self.binned.offsets[feature + 1]]


@dataclass(frozen=True, eq=False)
class CoarseRoot(Root):
    """The root of a tree whose histograms are over coarse bins."""

    def histogram(self, rows: Rows) -> Ints:
        """Sum the rows of a node in each coarse bin of each feature."""
        coarse, integers, weights = self.binned.coarse, self.residual.integers, self.weights.integers
        engine = self.binned.engine
        return engine.splitter.histogram(coarse.codes, coarse.offsets, rows, integers, weights, engine.n_threads)

    def best_split(self, rows: Rows, sums: Ints, min_samples_leaf: int) -> Split:
        """Find the best cut of a node, given its rows and its histogram over coarse bins."""
        binned, coarse, engine = self.binned, self.binned.coarse, self.binned.engine
        bins = binned.column_codes, binned.offsets, coarse.offsets, coarse.ends, sums
        node = rows, self.residual.integers, self.weights.integers
        features, n_threads, flags = binned.every_feature, engine.n_threads, binned.missing
        return Split(*engine.splitter.best_split_inside(*bins, *node, features, min_samples_leaf, n_threads, flags))

    def list_slots(self, sums: Ints, feature: int) -> Ints:
        """List the sums of a node in the coarse bins of a feature; the last one is the last bin where rows lack it."""
        offsets = self.binned.coarse.offsets
        return sums[offsets[feature] : offsets[feature + 1]]


def make_roots(binned: BinnedFeatures, residuals: Iterable[Floats], weight: Floats | None) -> list[Root]:
    """Make the roots of trees that are fitted to these residuals, (n_samples,) each, with the same weights."""
    # Paper is silent: weights of rows. A row of weight w counts as w rows in every sum.
    # docs/reference/numerics.md, rule 1: what will be summed goes on its grid once
    weights = put_weights(weight, binned.engine)
    gridded = (put_residual(binned, weigh(residual, weight), weights) for residual in residuals)
    return sum_roots(binned, list(gridded), [weights])


def make_newton_roots(binned: BinnedFeatures, slopes: Iterable[tuple[Floats, Floats]]) -> list[Root]:
    """Make the roots of trees that take Newton steps, each given the first and second derivatives of its loss.

    Both are (n_samples,), and have the weights of the rows in them; the first are those of the loss, negated, and the
    second are at least 0. A tree minimises the second-order approximation of the loss: the gain of a cut is the sum
    over its sides, less that of the node, of (sum of the first)^2 / (sum of the second). It is the gain of a residual
    first / second with the weight second, which needs no quotient.
    """
    gridded, weights = [], []
    for first, second in slopes:
        weights.append(put_weights(second, binned.engine))
        gridded.append(put_residual(binned, first, weights[-1]))
    return sum_roots(binned, gridded, weights)


def put_residual(binned: BinnedFeatures, weighed: Floats, weights: GriddedWeights) -> Gridded:
    """Put the values that a tree sums over its rows on their grid."""
    engine = binned.engine
    return engine.tell(RootMade(to_grid(weighed, engine), weighed, weights)).tree


def sum_roots(binned: BinnedFeatures, gridded: list[Gridded], weights: list[GriddedWeights]) -> list[Root]:
    """Sum all rows, in one pass over the bins; the weights are those of each tree, or of all trees, one entry."""
    engine = binned.engine
    # the rows inside a coarse bin lie on all shards: these sum over the bins themselves
    is_coarse = binned.codes.itemsize > 1 and engine.shards is ALONE
    if is_coarse:
        binned.column_codes  # noqa: B018  made here, once, before the threads ask for it
    bins = binned.coarse if is_coarse else binned
    if not is_coarse and binned.lists is not None and len(gridded) == 1:
        return [sum_listed_root(binned, gridded[0], weights[0])]
    of_weights = [column for weight in weights for column in weight.columns]
    quantities = of_weights + [residual.integers for residual in gridded]
    sums = engine.splitter.root_sums(bins.codes, bins.offsets, quantities, engine.n_threads)
    n_weights, roots, make = len(of_weights), list[Root](), CoarseRoot if is_coarse else Root
    for k, residual in enumerate(gridded):
        weighs = [sums[k % n_weights]] if n_weights else []
        whole = np.stack([sums[n_weights + k], bins.bin_counts, *weighs], axis=1)
        roots.append(make(binned, residual, weights[k % len(weights)], whole))
    return roots


def sum_listed_root(binned: BinnedFeatures, residual: Gridded, weights: GriddedWeights) -> Root:
    """Sum all rows of listed features."""
    root = Root(binned, residual, weights, np.empty((0, 2), np.int64))
    return replace(root, sums=root.histogram(np.arange(binned.n_rows, dtype=np.int32)))

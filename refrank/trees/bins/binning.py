"""Features as bin labels: each feature value is replaced by the small number of its bin, as in McRank App. I.

`refrank.trees.bins.cuts` decides where bins end: by App. I's equal lengths, or another function, such as quantiles.

    bin b holds x  where  cuts[b - 1] <= x < cuts[b]

    symbol       in code    shape
    B            n_bins     int, the largest number of bins per feature
    bin label    codes      (n_groups, n_samples, 8) uint8 or uint16
    -            cuts       n_features arrays, each (number of bins - 1,) float64
"""

from concurrent.futures import ThreadPoolExecutor
from copy import copy
from dataclasses import dataclass
from functools import cached_property
from itertools import accumulate
from typing import cast

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Codes, Floats, Ints, Matrix, Rows
from refrank.checks import check_integer, check_table_size
from refrank.cluster.communicator import ALONE
from refrank.kernel import use_large_pages
from refrank.trees.bins.coarse import CoarseBins, coarsen
from refrank.trees.bins.cuts import APP_I, PlaceCuts, find_cuts
from refrank.trees.bins.joint_cuts import find_joint_cuts
from refrank.trees.bins.labels import allocate_labels
from refrank.trees.bins.lists import Lists, make_lists
from refrank.trees.bins.sorted_columns import list_ascending
from refrank.trees.engine import Engine
from refrank.trees.events import FeaturesBinned
from refrank.trees.numbers.grid import to_grid
from refrank.trees.splitting import GROUP, Split, take_apart

MOST_BINS = 65_536  # as many as two bytes can tell apart


@dataclass(frozen=True)
class BinnedFeatures:
    """Features as bin labels, on which trees are grown, and the engine that grows them."""

    codes: Codes  # (n_groups, n_samples, 8): feature f is codes[f // 8, :, f % 8]
    cuts: tuple[Floats, ...]  # one array per feature
    offsets: Ints  # (n_features + 1,): first slot of each feature in a histogram, then the number of slots
    engine: Engine
    # (n_features,): 1 (PARTED) or 2 (NEEDS_CUT) where the last bin holds the rows that lack it
    missing: NDArray[np.int8] | None = None
    joint_counts: Ints | None = None  # (n_slots,): `bin_counts` of all shards; no property may join, at its own time

    def on(self, engine: Engine) -> "BinnedFeatures":
        """Return the same features on another engine, with all that was made on first access."""
        moved = copy(self)
        object.__setattr__(moved, "engine", engine)
        if engine.splitter is not self.engine.splitter:
            vars(moved).pop("lists", None)
        return moved

    @cached_property
    def lists(self) -> Lists | None:
        """The entries outside the most frequent bins, where they are few; made on first access."""
        return make_lists(self.codes, self.offsets, self.bin_counts, self.engine)

    @cached_property
    def row_codes(self) -> Codes:
        """The same labels row by row, (n_samples, n_features), for deep trees; made on first access."""
        words = np.ascontiguousarray(self.codes.view(np.uint64).transpose(1, 0, 2))  # moves eight bytes at a time
        by_row = words.view(self.codes.dtype).reshape(self.n_rows, len(self.codes) * GROUP)
        return cast(Codes, np.ascontiguousarray(by_row[:, : self.n_features]))

    @cached_property
    def column_codes(self) -> Codes:
        """The same labels column by column, (n_features, n_samples), for reading a few features of a node.

        Made on first access.
        """
        by_column = self.codes.transpose(0, 2, 1).reshape(-1, self.n_rows)
        return cast(Codes, np.ascontiguousarray(by_column[: self.n_features]))

    @cached_property
    def bin_counts(self) -> Ints:
        """Number of rows in each bin of each feature, of all shards, (n_slots,); made on first access."""
        return count_bins(self.codes, self.offsets, self.engine) if self.joint_counts is None else self.joint_counts

    @property
    def n_ways(self) -> int:
        """Number of nodes into which a cut may divide one."""
        return 2 if self.missing is None else 3

    def take_apart(self, split: Split, slots: Ints) -> list[Split]:
        """List the two-way cuts that make up a cut, given the sums of the node's rows in the bins of its feature."""
        if self.missing is None or self.missing[split.feature] == 0:
            return [split]
        n_bins = int(self.offsets[split.feature + 1] - self.offsets[split.feature])
        return take_apart(split, n_bins, slots.sum(axis=0), slots[-1])

    @cached_property
    def every_feature(self) -> Rows:
        """Numbers of all features, (n_features,)."""
        return np.arange(self.n_features, dtype=np.int32)

    @cached_property
    def coarse(self) -> CoarseBins:
        """Runs of neighbouring bins, at most 256 per feature; made on first access."""
        return coarsen(self.codes, self.offsets, self.bin_counts, self.missing)

    def cut_values(self, feature: NDArray[np.int32], bin: NDArray[np.int32]) -> Floats:
        """Look up the cut of each node, (n_nodes,): rows with x below it go left; 0 in leaves."""
        cut, inner = np.zeros(len(feature)), feature >= 0
        first = self.offsets[feature[inner]] - feature[inner]  # where each feature's cuts begin among all
        cut[inner] = self.all_cuts[first + bin[inner]]
        return cut

    @cached_property
    def all_cuts(self) -> Floats:
        """The cuts of all features, one after the other."""
        return np.concatenate(self.cuts)

    @property
    def n_rows(self) -> int:
        """Number of rows of this shard."""
        return self.codes.shape[1]

    @property
    def n_samples(self) -> int:
        """Number of rows of all shards: each is in a bin of the first feature."""
        return self.n_rows if self.joint_counts is None else int(self.joint_counts[: self.offsets[1]].sum())

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.cuts)


def bin_features(
    X: Matrix,
    n_bins: int,
    place_cuts: PlaceCuts = APP_I,
    weight: Floats | None = None,
    *,
    engine: Engine,
) -> BinnedFeatures:
    """Replace every feature value by the label of its bin.

    X, (n_samples, n_features), is finite, except for -inf, which has the first bin to itself, and +inf, which has the
    last. It is never copied as a whole. B is from 2 to 65,536: up to 256, a label takes one byte; above, two.
    `place_cuts` places the cuts of one feature: McRank's `equal_lengths` with doubled lengths, `quantiles`, or `exact`.
    Weights of the rows, (n_samples,), of at least 0, move quantiles, and no other cuts. The engine sorts the columns
    and writes the labels; it travels with the result.

    Raises a ValueError if n_bins is out of range, or X has more rows or columns than an int32 can number.

    Examples
    --------
    >>> from refrank.trees import splitting
    >>> X = np.array([[0.0], [0.25], [1.0], [1.5]])
    >>> binned = bin_features(X, n_bins=2, engine=Engine(splitting))
    >>> binned.codes[0, :, 0]  # two bins, [0, length) and [1, 1 + length)
    array([0, 0, 1, 1], dtype=uint8)
    >>> binned.cuts[0]  # the middle of the gap between them; the length is 1e-8 * 2**26 = 0.671
    array([0.83554432])
    >>> from refrank.trees.bins.cuts import quantiles
    >>> bin_features(X, 2, quantiles, engine=Engine(splitting)).cuts[0]
    array([0.625])
    """
    check_integer("n_bins", n_bins, 2, MOST_BINS)
    check_table_size(X.shape)  # rows and features are int32 in trees
    with use_large_pages():
        if engine.shards is not ALONE:
            integers = None if weight is None else to_grid(weight, engine).integers
            cuts = find_joint_cuts(X, integers, n_bins, place_cuts, engine)
        elif weight is None:
            cuts = tuple(find_cuts(values, n_bins, place_cuts, engine.splitter) for values in list_ascending(X, engine))
        else:
            cuts = find_weighted_cuts(X, to_grid(weight, engine).integers, n_bins, place_cuts, engine)
        offsets = np.array([0, *accumulate(len(cut) + 1 for cut in cuts)], np.int64)
        n_groups = -(-X.shape[1] // GROUP)
        # McRank App. I: with B = 2^8 "we only need one byte per data entry"
        codes = allocate_labels((n_groups, len(X), GROUP), n_bins)
        engine.splitter.quantize(X, np.concatenate(cuts), offsets, codes, engine.n_threads)
    joint_counts = None if engine.shards is ALONE else count_bins(codes, offsets, engine)
    binned = BinnedFeatures(codes, cuts, offsets, engine, joint_counts=joint_counts)
    return engine.tell(FeaturesBinned(X, binned)).binned


def count_bins(codes: Codes, offsets: Ints, engine: Engine) -> Ints:
    """Count the rows in each bin of each feature, (n_slots,)."""
    return engine.splitter.root_sums(codes, offsets, [np.ones(codes.shape[1], np.int64)], engine.n_threads)[0]


def find_weighted_cuts(
    X: Matrix, weights: Ints, n_bins: int, place_cuts: PlaceCuts, engine: Engine
) -> tuple[Floats, ...]:
    """Find the cuts of each column of X, whose rows have weights, (n_samples,), on their grid; a column per thread."""

    def find(f: int) -> Floats:
        values = np.ascontiguousarray(X[:, f])
        order = values.argsort()  # equal values in any order: their weights are added
        return find_cuts(values[order], n_bins, place_cuts, engine.splitter, weights[order])

    with ThreadPoolExecutor(engine.n_threads) as pool:
        return tuple(pool.map(find, range(X.shape[1])))

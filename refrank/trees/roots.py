"""What a tree starts from: its residual on a grid, and the histogram of all rows.

All rows fall into the same bins in every tree, so the counts of the root's histogram are counted once. Trees that are
fitted at the same time, as the K trees of a round, have their roots made together, in one pass over the bins.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from refrank.trees.binning import BinnedFeatures
from refrank.trees.coarse import CoarseBins
from refrank.trees.grid import Gridded, to_grid, weigh
from refrank.trees.splitting import Floats, Ints


@dataclass(frozen=True, eq=False)
class Root:
    """The residual of one tree, and the histogram of all rows; the growing tree writes to the latter."""

    residual: Gridded  # weight * residual, (n_samples,)
    weights: Gridded | None  # (n_samples,); None where all rows weigh the same
    sums: Ints | None  # (n_slots, 2 or 3); None where nodes are cut straight from their rows
    coarse: CoarseBins | None = None  # the bins of the histogram, where they are coarse ones
    positive: Ints | None = None  # (n_samples,): the positive residuals, and 0; the third column over coarse bins


def make_roots(binned: BinnedFeatures, residuals: Iterable[Floats], weight: Floats | None) -> list[Root]:
    """Make the roots of trees that are fitted to these residuals, (n_samples,) each, with the same weights.

    Where labels have one byte, histograms are over bins; where they have two, over coarse bins. With weights or cuts
    three ways, whose gains coarse bins do not bound, nodes with labels of two bytes keep no histograms.
    """
    engine = binned.engine
    # Paper is silent: weights of rows. A row of weight w counts as w rows in every sum.
    # docs/numerics.md, rule 1: what will be summed goes on its grid once
    weights = None if weight is None else to_grid(weight, engine)
    gridded = [to_grid(weigh(residual, weight), engine) for residual in residuals]
    integers = [one.integers for one in gridded]
    if binned.codes.itemsize == 1:
        shared = [] if weights is None else [weights.integers]
        sums = engine.splitter.root_sums(binned.codes, binned.offsets, integers + shared, engine.n_threads)
        of_all = [binned.bin_counts, *sums[len(integers) :]]  # the columns that the roots share
        stacked = [np.column_stack([own, *of_all]) for own in sums[: len(integers)]]
        return [Root(residual, weights, own) for residual, own in zip(gridded, stacked, strict=True)]
    if weights is not None or binned.missing is not None:
        return [Root(residual, weights, None) for residual in gridded]
    coarse, positive = binned.coarse, [np.maximum(q, 0) for q in integers]
    sums = engine.splitter.root_sums(coarse.codes, coarse.offsets, integers + positive, engine.n_threads)
    stacked = [np.column_stack([sums[k], coarse.counts, sums[len(integers) + k]]) for k in range(len(integers))]
    return [
        Root(residual, None, own, coarse, above)
        for residual, own, above in zip(gridded, stacked, positive, strict=True)
    ]

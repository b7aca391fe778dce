"""Start of a tree: its residual on a grid, and the histogram of all rows.

All rows fall into the same bins in every tree, so the counts of the root's histogram are counted once. Trees that are
fitted at the same time, as the K trees of a round, have their roots made together, in one pass over the bins.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.bins.coarse import CoarseBins
from refrank.trees.numbers.grid import Gridded, to_grid, weigh


@dataclass(frozen=True, eq=False)
class Root:
    """The residual of one tree, and the histogram of all rows; the growing tree writes to the latter."""

    residual: Gridded  # weight * residual, (n_samples,)
    weights: Gridded | None  # (n_samples,); None where all rows weigh the same
    sums: Ints  # (n_slots, 2 or 3), over coarse bins one more
    coarse: CoarseBins | None = None  # the bins of the histogram, where they are coarse ones
    positive: Ints | None = None  # (n_samples,): the positive residuals, and 0; the last column over coarse bins


def make_roots(binned: BinnedFeatures, residuals: Iterable[Floats], weight: Floats | None) -> list[Root]:
    """Make the roots of trees that are fitted to these residuals, (n_samples,) each, with the same weights.

    Where labels have one byte, histograms are over bins; where they have two, over coarse bins.
    """
    engine = binned.engine
    # Paper is silent: weights of rows. A row of weight w counts as w rows in every sum.
    # docs/reference/numerics.md, rule 1: what will be summed goes on its grid once
    weights = None if weight is None else to_grid(weight, engine)
    gridded = [to_grid(weigh(residual, weight), engine) for residual in residuals]
    coarse = None if binned.codes.itemsize == 1 else binned.coarse
    if coarse is not None:
        binned.column_codes  # noqa: B018  made here, once, before the threads ask for it
    bins = coarse or binned
    integers = [one.integers for one in gridded]
    shared = [] if weights is None else [weights.integers]
    positive = [] if coarse is None else [np.maximum(q, 0) for q in integers]
    quantities = shared + integers + positive
    sums = engine.splitter.root_sums(bins.codes, bins.offsets, quantities, engine.n_threads)
    of_all, own = [bins.bin_counts, *sums[: len(shared)]], sums[len(shared) :]  # of_all: the columns that roots share
    return [
        Root(
            residual,
            weights,
            np.column_stack([own[k], *of_all, *own[k + len(integers) :: len(integers)]]),
            coarse,
            None if coarse is None else positive[k],
        )
        for k, residual in enumerate(gridded)
    ]

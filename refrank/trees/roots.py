"""What a tree starts from: its residual on a grid, and the histogram of all rows.

All rows fall into the same bins in every tree, so the counts of the root's histogram are counted once. Trees that are
fitted at the same time, as the K trees of a round, have their roots made together, in one pass over the bins.
"""

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np

from refrank.trees.binning import BinnedFeatures
from refrank.trees.grid import Gridded, to_grid, weigh
from refrank.trees.splitting import Floats, Ints


@dataclass(frozen=True, eq=False)
class Root:
    """The residual of one tree, and its histogram; the growing tree writes to the latter."""

    residual: Gridded  # weight * residual, (n_samples,)
    weights: Gridded | None  # (n_samples,); None where all rows weigh the same
    sums: Ints | None  # (n_slots, 2 or 3); None where nodes are cut straight from their rows


def keeps_histograms(binned: BinnedFeatures) -> bool:
    """Return whether nodes keep their histograms; where labels have two bytes, a node is cut straight from its rows.

    A histogram of up to 65,536 bins per feature is larger than what most nodes hold, and subtracting one takes longer
    than summing the rows anew.
    """
    return binned.codes.itemsize == 1


def make_roots(binned: BinnedFeatures, residuals: Iterable[Floats], weight: Floats | None) -> list[Root]:
    """Make the roots of trees that are fitted to these residuals, (n_samples,) each, with the same weights."""
    engine = binned.engine
    # Paper is silent: weights of rows. A row of weight w counts as w rows in every sum.
    # docs/numerics.md, rule 1: what will be summed goes on its grid once
    weights = None if weight is None else to_grid(weight, engine)
    gridded = [to_grid(weigh(residual, weight), engine) for residual in residuals]
    if not keeps_histograms(binned):
        return [Root(residual, weights, None) for residual in gridded]
    integers = [one.integers for one in gridded] + ([] if weights is None else [weights.integers])
    sums = engine.splitter.root_sums(binned.codes, binned.offsets, integers, engine.n_threads)
    of_all = [binned.bin_counts, *sums[len(gridded) :]]  # the columns that the roots share
    return [
        Root(residual, weights, np.column_stack([own, *of_all])) for residual, own in zip(gridded, sums, strict=False)
    ]

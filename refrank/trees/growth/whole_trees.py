"""Whole trees in one call of the kernel: the loop of refrank/trees/growth/grower.py, to the same bits.

On a few thousand rows, a step of Python between two functions of the kernel takes longer than either.
"""

from collections.abc import Iterator, Sequence
from typing import Any, cast

from refrank.arrays import Rows
from refrank.cluster.communicator import ALONE
from refrank.kernel import KERNEL
from refrank.trees.bins.binning import BinnedFeatures
from refrank.trees.growth.growing import Nodes
from refrank.trees.growth.roots import CoarseRoot, Root
from refrank.trees.splitter import ignore


def can_grow_at_once(root: Root) -> bool:
    """Check whether the kernel can grow the tree of a root in one call.

    Nobody watches, all rows are here, and cuts go two ways.
    """
    engine = root.binned.engine
    is_plain = root.binned.missing is None and engine.splitter is KERNEL
    return is_plain and engine.watch is ignore and engine.shards is ALONE


def grow_at_once(
    binned: BinnedFeatures,
    roots: Sequence[Root],
    n_leaves: int | None,
    max_depth: int | None,
    min_samples_leaf: int,
    most_held: int,
) -> Iterator[tuple[Rows, Nodes]]:
    """Grow the trees of roots side by side; yield the rows of each, leaf after leaf, and its nodes.

    At most `most_held` nodes of a tree keep their histograms while they wait.
    """
    limits = [-1 if limit is None else limit for limit in (n_leaves, max_depth)]
    of_roots = [(root.sums, root.residual.integers, root.weights.integers) for root in roots]
    bins: tuple[Any, ...] = binned.codes, binned.offsets, binned.lists, None
    if isinstance(roots[0], CoarseRoot):
        fine = binned.column_codes, binned.offsets, binned.coarse.ends
        bins = binned.coarse.codes, binned.coarse.offsets, None, fine
    given = *bins, of_roots, *limits, min_samples_leaf, most_held, binned.engine.n_threads
    for rows, *fields in cast(Any, KERNEL).grow_trees(*given):
        feature, bin, left, split_gain, start, *sums = fields
        yield rows, Nodes(feature, bin, left, split_gain, start, start, *sums)

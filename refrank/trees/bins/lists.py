"""Lists of the entries that are not in the most frequent bin of their feature, for histograms of sparse features.

The sums of a node in that bin are those of all its rows less those in the other bins. Where most entries are there, as
the zeros of sparse features, the kernel adds the others alone, a row's from a list. Lists cost two bytes per entry
beside the labels, by which rows are parted.
"""

from typing import Any, NamedTuple, cast

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Codes, Ints, Rows
from refrank.cluster.communicator import ALONE
from refrank.kernel import KERNEL
from refrank.trees.splitter import Engine

MOST_SLOTS = 65_536  # as many as two bytes can tell apart
LEAST_ENTRIES = 1 << 22  # of all; with fewer, the kernel grows a whole tree faster than histograms are asked for
MOST_LISTED = 0.5  # of all entries; a listed one takes the time of about one and a half


class Lists(NamedTuple):
    """The slots of each row's entries outside the most frequent bins; row i has entries[starts[i]:starts[i + 1]]."""

    starts: NDArray[np.uint32]  # (n_samples + 1,)
    entries: NDArray[np.uint16]  # (n_listed,)
    frequent: Ints  # (n_features,): the most frequent bin of each feature, the first of equal ones


def make_lists(codes: Codes, offsets: Ints, bin_counts: Ints, engine: Engine) -> Lists | None:
    """List the entries, given the number of rows in each bin, (n_slots,); None where dense sums are faster.

    A splitter other than the kernel, which may watch the kernel's calls, and shards, whose sums are joined, have none.
    """
    if KERNEL is None or engine.splitter is not KERNEL or engine.shards is not ALONE:
        return None
    counts, n_rows = np.split(bin_counts, offsets[1:-1]), codes.shape[1]
    n_entries, n_listed = n_rows * len(counts), sum(n_rows - int(count.max()) for count in counts)
    if codes.itemsize > 1 or offsets[-1] > MOST_SLOTS or n_entries < LEAST_ENTRIES:
        return None
    if n_listed > min(MOST_LISTED * n_entries, 2**32 - 1):
        return None
    frequent = np.array([count.argmax() for count in counts], np.int64)
    starts, entries = cast(Any, KERNEL).list_entries(codes, offsets, frequent, engine.n_threads)
    return Lists(starts, entries, frequent)


def sum_lists(lists: Lists, offsets: Ints, rows: Rows, integers: Ints, weights: Ints | None, n_threads: int) -> Ints:
    """Sum the rows of a node, as `histogram` of the splitter does."""
    return cast(Ints, cast(Any, KERNEL).sum_lists(*lists, offsets, rows, integers, weights, n_threads))

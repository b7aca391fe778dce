"""Coarse bins: runs of neighbouring bins, at most 256 per feature, that say where the best cut cannot be.

With up to 65,536 bins per feature, summing the rows of a node in all of them takes many times as long as in 256. Nodes
therefore keep histograms over coarse bins, and `best_split_inside` of the splitter looks into the few of them inside
which a cut may gain as much as the best one between them. It finds the very cut that the bins themselves have.

A cut gains most from one row more where few rows lie beside it. So coarse bins hold few rows at both ends of a feature,
and the most in the middle: with n rows, the first i of 256 hold 2 n (i / 256)**2, up to the middle.
"""

from dataclasses import dataclass
from itertools import pairwise

import numpy as np
from numpy.typing import NDArray

from refrank.trees.splitting import GROUP, Codes, Ints

N_COARSE = 256


@dataclass(frozen=True, eq=False)
class CoarseBins:
    """The coarse bin of every entry, and the bins that each of them holds."""

    codes: NDArray[np.uint8]  # (n_groups, n_samples, 8)
    offsets: Ints  # (n_features + 1,): first slot of each feature in a histogram over coarse bins
    ends: Ints  # (n_coarse_slots,): the last bin of each coarse bin
    bin_counts: Ints  # (n_coarse_slots,): number of rows in each


def coarsen(codes: Codes, offsets: Ints, bin_counts: Ints) -> CoarseBins:
    """Join neighbouring bins, given the number of rows in each, (n_slots,).

    Examples
    --------
    >>> codes = np.zeros((1, 1000, 8), np.uint16)
    >>> codes[0, :, 0] = np.arange(1000)
    >>> found = coarsen(codes, np.array([0, 1000]), np.ones(1000, np.int64))
    >>> found.ends[:4].tolist(), found.ends[117:121].tolist()
    ([0, 1, 2, 3], [491, 499, 507, 515])
    """
    ends = [end_coarse(bin_counts[first:stop]) for first, stop in pairwise(offsets.tolist())]
    coarse = np.zeros(codes.shape, np.uint8)
    for f, last in enumerate(ends):
        of_bin = np.repeat(np.arange(len(last), dtype=np.uint8), np.diff(last, prepend=-1))  # (n_bins,)
        coarse[f // GROUP, :, f % GROUP] = of_bin[codes[f // GROUP, :, f % GROUP]]
    starts = [first + np.concatenate([[0], last[:-1] + 1]) for first, last in zip(offsets[:-1], ends, strict=True)]
    counts = np.add.reduceat(bin_counts, np.concatenate(starts))
    return CoarseBins(coarse, np.cumsum([0, *map(len, ends)]), np.concatenate(ends), counts)


def end_coarse(counts: Ints) -> Ints:
    """Find the last bin of each coarse bin of one feature, ascending, given the number of rows in its bins."""
    up_to, i = np.cumsum(counts), np.arange(1, N_COARSE // 2 + 1)
    half = up_to[-1] * i * i * 2 // (N_COARSE * N_COARSE)  # (128,), the last one the middle
    places = np.concatenate([half, up_to[-1] - half[-2::-1]])
    last, n_places = np.unique(up_to.searchsorted(places), return_counts=True)
    # A bin of so many rows that several places fall into it is a coarse bin alone: nothing is left to look into.
    found = np.unique([*last, *(last[n_places > 1] - 1), len(counts) - 1])
    return found[found >= 0].astype(np.int64)

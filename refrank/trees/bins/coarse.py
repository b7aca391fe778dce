"""Coarse bins: runs of neighbouring bins, at most 256 per feature, that show where the best cut cannot be.

With up to 65,536 bins per feature, summing the rows of a node in all of them takes many times as long as in 256. Nodes
therefore keep histograms over coarse bins, and `best_split_inside` of the splitter looks into those of them inside
which a cut may gain as much as the best one between them: first into 16 pieces of each, then into the bins of the few
pieces that are left. It finds exactly the best cut between the bins themselves.

One more row raises the gain of a cut most where few rows lie beside it. The best cuts of a feature that decides are in
the middle, where the fewest coarse bins remain if all hold equally many rows. So they hold somewhat fewer at both ends
of a feature: with n rows, the first i of 256 hold n / 2 (i / 128)**1.25, up to the middle.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Codes, Flags, Ints
from refrank.trees.splitting import GROUP

N_COARSE = 256


@dataclass(frozen=True, eq=False)
class CoarseBins:
    """The coarse bin of every entry, and the bins that each coarse bin holds."""

    codes: NDArray[np.uint8]  # (n_groups, n_samples, 8)
    offsets: Ints  # (n_features + 1,): first slot of each feature in a histogram over coarse bins
    ends: Ints  # (n_coarse_slots,): the last bin of each coarse bin
    bin_counts: Ints  # (n_coarse_slots,): number of rows in each


def coarsen(codes: Codes, offsets: Ints, bin_counts: Ints, missing: Flags | None = None) -> CoarseBins:
    """Join neighbouring bins, given the number of rows in each, (n_slots,).

    Where `missing`, (n_features,), is not 0, the last bin holds the rows that lack the feature: a coarse bin alone.

    Examples
    --------
    >>> codes = np.zeros((1, 1000, 8), np.uint16)
    >>> codes[0, :, 0] = np.arange(1000)
    >>> coarse = coarsen(codes, np.array([0, 1000]), np.ones(1000, np.int64))
    >>> coarse.ends[:4].tolist(), coarse.ends[126:130].tolist()
    ([0, 1, 3, 5], [494, 499, 504, 509])
    """
    counts = np.split(bin_counts, offsets[1:-1])
    parted = [0] * len(counts) if missing is None else missing
    ends = [
        end_beside_missing(n) if last_apart else end_coarse(n) for n, last_apart in zip(counts, parted, strict=True)
    ]
    coarse = np.zeros(codes.shape, np.uint8)
    for f, last in enumerate(ends):
        of_bin = np.repeat(np.arange(len(last), dtype=np.uint8), np.diff(last, prepend=-1))  # (n_bins,)
        coarse[f // GROUP, :, f % GROUP] = of_bin[codes[f // GROUP, :, f % GROUP]]
    starts = [first + np.concatenate([[0], last[:-1] + 1]) for first, last in zip(offsets[:-1], ends, strict=True)]
    coarse_counts = np.add.reduceat(bin_counts, np.concatenate(starts))
    return CoarseBins(coarse, np.cumsum([0, *map(len, ends)]), np.concatenate(ends), coarse_counts)


def end_coarse(counts: Ints, n_coarse: int = N_COARSE) -> Ints:
    """Find the last bin of each of at most n_coarse coarse bins, ascending, given the number of rows in each bin."""
    up_to, share = np.cumsum(counts), np.arange(1, n_coarse // 2 + 1) / (n_coarse // 2)
    half = (up_to[-1] // 2 * share * np.sqrt(np.sqrt(share))).astype(np.int64)  # the last one is the middle
    places = np.concatenate([half, up_to[-1] - half[-2::-1]])
    last, n_places = np.unique(up_to.searchsorted(places), return_counts=True)
    # A bin with so many rows that several places fall into it is a coarse bin by itself: no cut lies inside.
    ends = np.unique([*last, *(last[n_places > 1] - 1), len(counts) - 1])
    return ends[ends >= 0].astype(np.int64)


def end_beside_missing(counts: Ints) -> Ints:
    """Find the same where a feature's last bin holds the rows that lack it, and is a coarse bin by itself."""
    present = end_coarse(counts[:-1], N_COARSE - 2) if len(counts) > 1 else np.empty(0, np.int64)
    return np.append(present, len(counts) - 1)

"""Rivals of a cut: all cuts that gain exactly as much, and the best of those that gain less.

    symbol        in code       shape
    histogram     sums          (n_slots, 2 or 3) int64 (refrank/trees/splitting.py)
    best gain     best          float, in units of the grids; the gain of the cut that was made
    ties          tied          (n_runs, 3): feature, and the first and last bin of a run of neighbours
    next          runner_up     feature and bin; -1 if every other cut gains nothing
    -             gap           best less the gain of the runner-up

A bin without rows repeats the gain of the bin before it, so runs are common. A port whose cut lies in `tied` makes
another lawful choice: the papers say nothing about ties.
"""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from refrank.arrays import Bools, Flags, Floats, Ints, Rows
from refrank.kernel import KERNEL
from refrank.trees.splitting import NEEDS_CUT, Split, best_split, compute_gains


class Contest(NamedTuple):
    """The rivals of a node's best cut."""

    tied: Sequence[tuple[int, int, int]]  # runs, the best cut among them; ascending
    runner_up: tuple[int, int]  # feature, bin
    gap: float

    def holds(self, feature: int, bin: int) -> bool:
        """Return whether a cut gains as much as the best one."""
        return any(f == feature and first <= bin <= last for f, first, last in self.tied)


def rank_cuts(
    sums: Ints,
    offsets: Ints,
    features: Rows,
    min_samples_leaf: int,
    n_threads: int = 1,
    missing: Flags | None = None,
) -> tuple[Split, Contest]:
    """Find the cut that `best_split` finds, and compare it with all others; the arguments are those of `best_split`.

    Examples
    --------
    >>> sums, offsets = np.array([[4, 1], [0, 1], [-4, 2]]), np.array([0, 3])
    >>> split, contest = rank_cuts(sums, offsets, np.zeros(1, np.int32), min_samples_leaf=1)
    >>> split.bin, contest
    (0, Contest(tied=[(0, 0, 0)], runner_up=(0, 1), gap=5.333333333333332))
    """
    if KERNEL is None or missing is not None:
        split = best_split(sums, offsets, features, min_samples_leaf, n_threads, missing)
        return split, compare_cuts(sums, offsets, features, min_samples_leaf, split.split_gain, missing)
    cut, tied, (gain, f, b) = KERNEL.rank_cuts(sums, offsets, features, min_samples_leaf, n_threads)
    split = Split._make(cut)
    return split, Contest(tied, (f, b), split.split_gain - gain)


def compare_cuts(
    sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, best: float, missing: Flags | None = None
) -> Contest:
    """Compare the best gain of a node with those of all cuts."""
    tied: list[tuple[int, int, int]] = []
    second, runner_up = 0.0, (-1, -1)
    for f in features.tolist() if best > 0.0 else ():
        flag = 0 if missing is None else int(missing[f])
        gains = gain_of_each(sums[offsets[f] : offsets[f + 1]], min_samples_leaf, flag)
        for b in np.flatnonzero(gains == best).tolist():
            if tied and tied[-1][0] == f and tied[-1][2] == b - 1:
                tied[-1] = (f, tied[-1][1], b)
            else:
                tied.append((f, b, b))
        below = np.where(gains < best, gains, 0.0)
        if len(below) and below.max() > second:
            second, runner_up = float(below.max()), (f, int(below.argmax()))
    return Contest(tied, runner_up, best - second)


def gain_of_each(slots: Ints, min_samples_leaf: int, flag: int = 0) -> Floats:
    """Compute the gain of the cut after each bin but the last, (n_bins - 1,); 0 for a cut that cannot be made."""
    if flag and slots[-1, 1] > 0:
        return gain_three_ways(slots, min_samples_leaf, flag)
    left = slots.cumsum(axis=0)[:-1]
    right = slots.sum(axis=0) - left
    enough = allow(left, right, min_samples_leaf)
    gains = np.zeros(len(left))
    gains[enough] = compute_gains(left[enough], right[enough])
    return gains


def gain_three_ways(slots: Ints, min_samples_leaf: int, flag: int) -> Floats:
    """Compute the same for a feature whose last bin holds the rows that lack it."""
    gains = np.zeros(len(slots) - 1)
    present, missed = slots[:-1].sum(axis=0), slots[-1]
    if not allow(present[np.newaxis], missed[np.newaxis], min_samples_leaf)[0]:
        return gains
    parting, among = float(compute_gains(present, missed)), gain_of_each(slots[:-1], min_samples_leaf)
    gains[:-1] = np.where(among > 0, parting + among, 0.0)
    gains[-1] = 0.0 if flag == NEEDS_CUT else parting
    return gains


def allow(left: Ints, right: Ints, min_samples_leaf: int) -> Bools:
    """Return which cuts leave enough rows, and some weight, on both sides; (n, 2 or 3) each, (n,)."""
    enough = (left[:, 1] >= min_samples_leaf) & (right[:, 1] >= min_samples_leaf)
    return enough & (left[:, -1] > 0) & (right[:, -1] > 0)

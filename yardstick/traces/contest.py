"""Rivals of a cut: all cuts that gain exactly as much, and the best of those that gain less.

    symbol        in code       shape
    histogram     sums          (n_slots, 2 or 3) int64 (refrank/trees/splitting.py)
    sides         sides         (n_slots, 3, 2) int64: sum and weight of the rows on each side of the cut after each
                                bin, those that lack the feature last; 0 where there are none
    gains         gains         (n_slots,), of these cuts, in units of the grids; 0 where there is none
    ties          tied          (n_runs, 3): feature, and the first and last bin of a run of neighbours
    next          runner_up     feature and bin; -1 if every other cut gains nothing
    -             gap           the best gain less that of the runner-up

Gains are compared as fractions. A bin without rows repeats the cut after the bin before it, so runs are common. A port
whose cut lies in `tied` makes another lawful choice: the papers say nothing about ties.
"""

from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np

from refrank.arrays import Bools, Flags, Floats, Ints, Rows
from refrank.trees.numbers.exact_gain import bound_rounding, exact_gain
from refrank.trees.splitting import NEEDS_CUT, compute_gains


class Contest(NamedTuple):
    """The rivals of a node's best cut."""

    tied: Sequence[tuple[int, int, int]]  # runs, the best cut among them; ascending
    runner_up: tuple[int, int]  # feature, bin
    gap: float

    def holds(self, feature: int, bin: int) -> bool:
        """Return whether a cut gains as much as the best one."""
        return any(f == feature and first <= bin <= last for f, first, last in self.tied)


def compare_cuts(
    sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, missing: Flags | None = None
) -> Contest:
    """Compare all cuts of a node; the arguments are those of `best_split`.

    Examples
    --------
    >>> sums, offsets = np.array([[4, 1], [0, 1], [-4, 2]]), np.array([0, 3])
    >>> compare_cuts(sums, offsets, np.zeros(1, np.int32), min_samples_leaf=1)
    Contest(tied=[(0, 0, 0)], runner_up=(0, 1), gap=5.333333333333333)
    """
    gains, sides = np.zeros(len(sums)), np.zeros((len(sums), 3, 2), np.int64)
    for f in features.tolist():
        slots, flag = slice(offsets[f], offsets[f + 1] - 1), 0 if missing is None else int(missing[f])
        gains[slots], sides[slots] = gain_of_each(sums[offsets[f] : offsets[f + 1]], min_samples_leaf, flag)
    best, ties = find_largest(gains, sides)
    gains[ties] = 0.0
    second, others = find_largest(gains, sides)
    runs = np.split(ties, np.flatnonzero(np.diff(ties) != 1) + 1) if len(ties) else []
    tied = [(*place_of(offsets, run[0]), place_of(offsets, run[-1])[1]) for run in map(np.ndarray.tolist, runs)]
    return Contest(tied, place_of(offsets, int(others[0])) if len(others) else (-1, -1), float(best - second))


def find_largest(gains: Floats, sides: Ints) -> tuple[Fraction, Ints]:
    """Find the largest gain, as a fraction, and the slots of all cuts with this gain, ascending; none if it is 0."""
    [gaining] = gains.nonzero()
    if len(gaining) == 0:
        return Fraction(0), gaining
    node, present = sides[gaining].sum(axis=1).T.astype(np.float64), sides[gaining, :2].sum(axis=1).T.astype(np.float64)
    slack = bound_rounding(gains[gaining], *node) + bound_rounding(gains[gaining], *present)
    near = gaining[gains[gaining] + slack >= (gains[gaining] - slack).max()]
    distinct, which = np.unique(sides[near].reshape(len(near), 6), axis=0, return_inverse=True)
    exact = [exact_gain(*((s, w) for s, w in cut if w)) for cut in distinct.reshape(-1, 3, 2).tolist()]
    best = max(exact)
    return best, near[[exact[cut] == best for cut in which.ravel().tolist()]]


def place_of(offsets: Ints, slot: int) -> tuple[int, int]:
    """Return the feature and the bin of a slot."""
    f = int(offsets.searchsorted(slot, side="right")) - 1
    return f, slot - int(offsets[f])


def gain_of_each(slots: Ints, min_samples_leaf: int, flag: int) -> tuple[Floats, Ints]:
    """Compute the gain and the sides of the cut after each bin but the last, given the slots of one feature."""
    if flag and slots[-1, 1] > 0:
        return gain_three_ways(slots, min_samples_leaf, flag)
    left = slots.cumsum(axis=0)[:-1]
    right = slots.sum(axis=0) - left
    enough = allow(left, right, min_samples_leaf)
    gains, nothing = np.zeros(len(left)), np.zeros_like(left)
    gains[enough] = compute_gains(left[enough], right[enough])
    return gains, np.stack([left, right, nothing], axis=1)[:, :, [0, -1]]


def gain_three_ways(slots: Ints, min_samples_leaf: int, flag: int) -> tuple[Floats, Ints]:
    """Compute the same for a feature whose last bin holds the rows that lack it."""
    gains, sides = np.zeros(len(slots) - 1), np.zeros((len(slots) - 1, 3, 2), np.int64)
    present, missed = slots[:-1].sum(axis=0), slots[-1]
    if not allow(present[np.newaxis], missed[np.newaxis], min_samples_leaf)[0]:
        return gains, sides
    parting = float(compute_gains(present, missed))
    among, sides[:-1] = gain_of_each(slots[:-1], min_samples_leaf, 0)
    gains[:-1] = np.where(among > 0, parting + among, 0.0)
    gains[-1] = 0.0 if flag == NEEDS_CUT else parting
    sides[-1, 0], sides[:, 2] = present[[0, -1]], missed[[0, -1]]
    return gains, sides


def allow(left: Ints, right: Ints, min_samples_leaf: int) -> Bools:
    """Return which cuts leave enough rows, and some weight, on both sides; (n, 2 or 3) each, (n,)."""
    enough = (left[:, 1] >= min_samples_leaf) & (right[:, 1] >= min_samples_leaf)
    return enough & (left[:, -1] > 0) & (right[:, -1] > 0)

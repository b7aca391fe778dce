"""Rivals of a cut: all cuts that gain exactly as much, and the best of those that gain less.

    symbol        in code       shape
    histogram     sums          (n_slots, 2 or 3) int64 (refrank/trees/splitting.py)
    cuts          at            (n_cuts, 2): feature and bin, ascending
    gains         gains         (n_cuts,), in units of the grids
    sides         sides         (n_cuts, 3, 2) int64: sum and weight of the rows on each side, the last one for those
                                that lack the feature; 0 where they are not parted from the others

Gains are compared as fractions. A bin without rows repeats the cut after the bin before it, so runs are common. A port
whose cut lies in `tied` makes another lawful choice: the papers say nothing about ties.
"""

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np

from refrank.arrays import Flags, Floats, Ints, Rows
from refrank.kernel import KERNEL
from refrank.trees.numbers.exact_gain import bound_rounding, compute_exact_gain
from refrank.trees.splitting import NEEDS_CUT, Split, compute_gains, list_cuts, take_apart


class Contest(NamedTuple):
    """The rivals of a node's best cut."""

    tied: Sequence[tuple[int, int, int]]  # feature, and first and last bin of a run of neighbours; ascending
    runner_up: tuple[int, int]  # feature and bin; -1 if every other cut gains nothing
    gap: float  # the best gain less that of the runner-up; may be 0 where fractions differ

    def holds(self, feature: int, bin: int) -> bool:
        """Return whether a cut gains as much as the best one."""
        return any(f == feature and first <= bin <= last for f, first, last in self.tied)


class ComparingSplitter:
    """A splitter that compares the cuts of nodes, too; the kernel does so while it searches a node for its best cut."""

    def __init__(self, splitter: Any) -> None:
        self.splitter = splitter
        self.last: tuple[Any, Any] = None, None  # the histogram that the kernel searched last, and the contest in it

    def __getattr__(self, name: str) -> Any:
        """Pass on the functions of the splitter."""
        return getattr(self.splitter, name)

    def best_split(self, *node: Any) -> Any:
        """Find the best cut of a node; the arguments are those of the splitter's function."""
        *limits, _, missing = node
        if KERNEL is None or self.splitter is not KERNEL or missing is not None:
            return self.splitter.best_split(*node)
        split, *contest = KERNEL.rank_cuts(*limits)
        self.last = node[0], Contest(*contest)
        return split

    def rank_cuts(self, sums: Ints, *limits: Any) -> Contest:
        """Compare all cuts of a node; the arguments are those of `compare_cuts`."""
        of, contest = self.last
        if of is sums:
            return contest
        return (rank_cuts if self.splitter is KERNEL else compare_cuts)(sums, *limits)


def rank_cuts(
    sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, missing: Flags | None = None
) -> Contest:
    """Compare all cuts of a node as `compare_cuts` does, by the kernel where it is built and no row lacks a feature."""
    if KERNEL is None or missing is not None:
        return compare_cuts(sums, offsets, features, min_samples_leaf, missing)
    return Contest._make(KERNEL.rank_cuts(sums, offsets, features, min_samples_leaf)[1:])


def compare_cuts(
    sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, missing: Flags | None = None
) -> Contest:
    """Compare all cuts of a node; the arguments are those of `best_split`."""
    at, gains, sides = list_rivals(sums, offsets, features, min_samples_leaf, missing)
    ties = find_largest(gains, sides)
    tied: list[tuple[int, int, int]] = []
    for f, b in at[ties].tolist():
        following = sums[offsets[f] + b + 1 : offsets[f + 1] - 1, 1].nonzero()[0]
        last = b + int(following[0]) if len(following) else int(offsets[f + 1] - offsets[f]) - 2
        if tied and tied[-1][0] == f and tied[-1][2] == b - 1:
            tied[-1] = (f, tied[-1][1], last)
        else:
            tied.append((f, b, last))
    best, gains[ties] = float(gains[ties[0]]) if tied else 0.0, 0.0
    others = find_largest(gains, sides)
    if len(others) == 0:
        return Contest(tied, (-1, -1), best)
    f, b = at[others[0]].tolist()
    return Contest(tied, (f, b), best - float(gains[others[0]]))


def find_largest(gains: Floats, sides: Ints) -> Ints:
    """Find the cuts, ascending, whose gain is the largest fraction; none where no gain is above 0."""
    if gains.max(initial=0.0) == 0.0:
        return np.empty(0, np.int64)
    sums = sides.astype(np.float64).cumsum(axis=1)  # of the left side, of the rows that have the feature, of the node
    slack = sum(bound_rounding(gains, *sums[:, n].T) for n in (1, 2))
    near = ((gains > 0.0) & (gains + slack >= (gains - slack).max())).nonzero()[0]
    if len(near) == 1:
        return near
    exact = [compute_exact_gain(*((s, w) for s, w in cut if w)) for cut in sides[near].tolist()]
    most = max(exact)
    return near[[gain == most for gain in exact]]


def list_rivals(
    sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, missing: Flags | None
) -> tuple[Ints, Floats, Ints]:
    """List the cuts of a node with their gains and sides; the arguments are those of `best_split`."""
    listed, last = np.zeros(len(offsets) - 1, np.bool_), offsets[1:] - 1
    listed[features] = True
    flags = 0 * last if missing is None else missing
    missed = sums[last] * (flags > 0)[:, np.newaxis]  # (n_features, 2 or 3), as are the sums of the other rows
    others = sums.copy()
    others[last] -= missed
    present = np.add.reduceat(others, offsets[:-1])
    parted, fewer = listed & (missed[:, 1] > 0), np.minimum(present, missed)
    listed &= ~parted | ((fewer[:, 1] >= min_samples_leaf) & (fewer[:, -1] > 0))
    parting = np.zeros(len(listed))  # the gains of parting the rows that lack a feature from the others
    parting[parted & listed] = compute_gains(present[parted & listed], missed[parted & listed])
    feature, bin, left, right = list_cuts(np.ascontiguousarray(others.T), offsets, listed, min_samples_leaf)
    among, alone = compute_gains(left, right), ((parting > 0.0) & (flags != NEEDS_CUT)).nonzero()[0]
    gains = parting[feature] + among
    adds = np.where(flags[feature] == NEEDS_CUT, among > 0.0, gains > parting[feature])  # as `best_split` has it
    at = np.column_stack([np.append(feature, alone), np.append(bin, np.diff(offsets)[alone] - 2)])
    sides = np.stack([left, right, missed[feature]], axis=1)
    whole = np.stack([present[alone], 0 * present[alone], missed[alone]], axis=1)
    gains, sides = np.append(np.where(adds, gains, 0.0), parting[alone]), np.vstack([sides, whole])[..., [0, -1]]
    order = np.lexsort(at.T[::-1])
    return at[order], gains[order], sides[order]


def make_cut(sums: Ints, offsets: Ints, missing: Flags | None, feature: int, bin: int) -> Split:
    """Make the cut of a node after a bin of a feature; the first three arguments are those of `best_split`."""
    slots = sums[offsets[feature] : offsets[feature + 1]]
    node, left = slots.sum(axis=0), slots[: bin + 1].sum(axis=0)
    missed = slots[-1] if missing is not None and missing[feature] else np.zeros_like(node)
    split = Split(feature, bin, float(compute_gains(left, node - left)), *left[[0, 1, -1]].tolist())
    gains = [cut.split_gain for cut in take_apart(split, len(slots), node, missed)]
    return split._replace(split_gain=float(np.nansum(gains)))  # a cut that parts nothing gains nothing


def choose_cut(
    feature: int, bin: int, sums: Ints, offsets: Ints, features: Rows, min_samples_leaf: int, missing: Flags | None
) -> Split | None:
    """Make a port's cut of a node if it gains as much as the best; the other arguments are those of `best_split`."""
    contest = compare_cuts(sums, offsets, features, min_samples_leaf, missing)
    return make_cut(sums, offsets, missing, feature, bin) if contest.holds(feature, bin) else None

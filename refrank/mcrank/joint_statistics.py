"""Order statistics of rows that are cut into shards: bisection of the 64 bits of a float, for all groups at once.

A join adds up the weights at or below a middle, on all shards; 64 of them leave one float, which is that of a row.
"""

from collections.abc import Callable, Sequence

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.cluster.communicator import LOWEST, find_shards, from_ordered, to_ordered
from refrank.trees.numbers.grid import to_grid

Group = tuple[Floats, Floats | None]  # values, (n,), and their weights; None: 1 each


def find_ranked(groups: Sequence[Group], ranks: Callable[[Ints], Sequence[Ints]]) -> Floats:
    """Find values by their ranks in each group of the rows of all shards, (n_ranks, n_groups); 0 in an empty group.

    `ranks` turns the whole weights of the groups, (n_groups,), in units of their grids, into ranks, (n_groups,) each: a
    value of rank r is the lowest that has a weight of at least r at or below it.

    >>> find_ranked([(np.array([4.0, 1.0, 2.0]), None)], lambda whole: [whole - whole + 1, whole]).tolist()
    [[1.0], [4.0]]
    """
    shards = find_shards()
    own = [accumulate_ordered(*group) for group in groups]
    whole = shards.sum(np.array([below[-1] for _, below in own], np.int64))
    needed = np.array(ranks(whole), np.int64)
    low, high = np.full(needed.shape, LOWEST), np.full(needed.shape, np.iinfo(np.int64).max)
    for _ in range(64):
        middle = (low & high) + ((low ^ high) >> 1)  # of the two, rounded down, without overflow
        columns = zip(own, middle.T, strict=True)
        at_most = [below[ascending.searchsorted(at, side="right")] for (ascending, below), at in columns]
        suffices = shards.sum(np.array(at_most).T) >= needed
        low, high = np.where(suffices, low, middle + 1), np.where(suffices, middle, high)
    return np.where(whole > 0, from_ordered(high), 0.0)


def accumulate_ordered(values: Floats, weight: Floats | None) -> tuple[Ints, Ints]:
    """Sort a shard's values of positive weight as integers, (n,), and add up the weights below each place, (n + 1,)."""
    if weight is None:
        return np.sort(to_ordered(values)), np.arange(len(values) + 1)
    values, weight = values[weight > 0], weight[weight > 0]
    ordered = to_ordered(values)
    order = ordered.argsort()
    return ordered[order], np.append(0, to_grid(weight).integers[order].cumsum())

"""Cuts of features whose rows are cut into shards: no column travels, only its distinct values and what they weigh.

Each feature has an owner among the shards, which gets the distinct values of all, and finds the cuts that one machine
finds (refrank/trees/bins/cuts.py): a value of weight k is as good as k equal values. As many features as there are
shards are worked on at a time.

    symbol    in code    shape
    v         values     (n_values,): the distinct values of a column, ascending
    w         weights    (n_values,) int64: the rows of each value, or what they weigh on their grid
"""

from collections.abc import Sequence

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.trees.bins.cuts import PlaceCuts, find_cuts
from refrank.trees.engine import Engine

Distinct = tuple[Matrix, Ints]  # values and weights


def find_joint_cuts(
    X: Matrix, weights: Ints | None, n_bins: int, place_cuts: PlaceCuts, engine: Engine
) -> tuple[Floats, ...]:
    """Find the cuts of each column of all shards' rows; X and the weights on their grid are those of this shard."""
    shards, n_features = engine.shards, X.shape[1]
    own: list[Floats] = []
    for first in range(0, n_features, shards.n_shards):
        columns = [X[:, f] for f in range(first, min(first + shards.n_shards, n_features))]
        sent = [count_distinct(column, weights) for column in columns]
        received = shards.exchange(sent + [None] * (shards.n_shards - len(sent)))
        if received[0] is not None:
            values, of_values = merge_distinct(received)
            own.append(find_cuts(values, n_bins, place_cuts, engine.splitter, of_values))
    by_owner = shards.gather(own)
    return tuple(by_owner[f % shards.n_shards][f // shards.n_shards] for f in range(n_features))


def count_distinct(column: Matrix, weights: Ints | None) -> Distinct:
    """Find the distinct values of a column, (n_rows,), and what the rows of each weigh; by default, 1 each.

    >>> count_distinct(np.array([2.0, 1.0, 2.0]), None)
    (array([1., 2.]), array([1, 2]))
    """
    if weights is None:
        return np.unique(column, return_counts=True)
    return merge_distinct([(column, weights)])


def merge_distinct(parts: Sequence[Distinct]) -> Distinct:
    """Add up the weights of equal values.

    >>> merge_distinct([(np.array([1.0, 2.0]), np.array([5, 1])), (np.array([2.0]), np.array([3]))])
    (array([1., 2.]), array([5, 4]))
    """
    values, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = values.argsort()
    ascending = values[order]
    starts = np.flatnonzero(np.append(True, ascending[1:] != ascending[:-1])[: len(values)])
    return ascending[starts], np.add.reduceat(weights[order], starts) if len(starts) else weights

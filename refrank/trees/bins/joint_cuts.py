"""Cuts of features whose rows are cut into shards: no column travels, only its distinct values and what they weigh.

Each feature has an owner among the shards, which gets the distinct values of all, and finds the cuts that one machine
finds (refrank/trees/bins/cuts.py): a value of weight k is as good as k equal values. As many features as there are
shards are worked on at a time.

    symbol    in code    shape
    v         values     (n_values,): the distinct values of a column, ascending
    w         weights    (n_values,) int64: the rows of each value, or what they weigh on their grid
"""

from collections.abc import Iterator, Sequence
from itertools import islice

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.trees.bins.cuts import PlaceCuts, find_cuts, find_starts
from refrank.trees.bins.sorted_columns import list_ascending
from refrank.trees.engine import Engine

Distinct = tuple[Matrix, Ints]  # values and weights


def find_joint_cuts(
    X: Matrix, weights: Ints | None, n_bins: int, place_cuts: PlaceCuts, engine: Engine
) -> tuple[Floats, ...]:
    """Find the cuts of each column of all shards' rows; X and the weights on their grid are those of this shard."""
    shards, n_features = engine.shards, X.shape[1]
    own: list[Floats] = []
    columns = list_distinct(X, weights, engine)
    for _ in range(0, n_features, shards.n_shards):
        sent = [*islice(columns, shards.n_shards)]
        received = shards.exchange(sent + [None] * (shards.n_shards - len(sent)))
        if received[0] is not None:
            values, of_values = merge_distinct(received)
            own.append(find_cuts(values, n_bins, place_cuts, engine.splitter, of_values))
    by_owner = shards.gather(own)
    return tuple(by_owner[f % shards.n_shards][f // shards.n_shards] for f in range(n_features))


def list_distinct(X: Matrix, weights: Ints | None, engine: Engine) -> Iterator[Distinct]:
    """List the distinct values of each column of X, and what the rows of each weigh; by default, 1 each."""
    if weights is None:
        for ascending in list_ascending(X, engine):
            starts = find_starts(ascending)
            yield ascending[starts], np.diff(starts, append=len(ascending))
    else:
        yield from (merge_distinct([(X[:, f], weights)]) for f in range(X.shape[1]))


def merge_distinct(parts: Sequence[Distinct]) -> Distinct:
    """Add up the weights of equal values.

    >>> merge_distinct([(np.array([1.0, 2.0]), np.array([5, 1])), (np.array([2.0]), np.array([3]))])
    (array([1., 2.]), array([5, 4]))
    """
    values, weights = (np.concatenate(column) for column in zip(*parts, strict=True))
    order = values.argsort()
    ascending = values[order]
    starts = find_starts(ascending)
    return ascending[starts], np.add.reduceat(weights[order], starts) if len(starts) else weights

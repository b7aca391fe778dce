"""Counts, per query, of the pairs of documents that two scores order differently, or that only one of them ties.

    symbol    in code    shape
    a, b      a, b       (n_samples,): two scores of the same rows

With the rows of a query sorted by a, then by b, a pair is reversed if it is an inversion of b: its first row has the
higher b. Inversions are counted by halves, so a query of n rows takes n log(n)^2 steps.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats
from refrank.metrics.queries import group_rows

SMALL = 64  # up to this many rows are compared pair by pair


@dataclass(frozen=True)
class ChangedPairs:
    """Numbers of pairs of documents of one query."""

    n_pairs: int
    reversed: int  # the two scores order them in opposite ways
    tied_in_one: int  # one of the scores ties them, the other does not


def count_changed_pairs(a: Floats, b: Floats, qid: ArrayLike | None = None) -> ChangedPairs:
    """Count the pairs that two scores, (n_samples,) each, order differently; without qid all rows are one query.

    >>> count_changed_pairs(np.array([1.0, 2.0, 3.0]), np.array([2.0, 1.0, 1.0]))
    ChangedPairs(n_pairs=3, reversed=2, tied_in_one=1)
    """
    queries = group_rows(qid, len(a))
    ends = np.append(queries.starts[1:], len(a))
    n_pairs = n_reversed = n_tied = 0
    for start, end in zip(queries.starts.tolist(), ends.tolist(), strict=True):
        rows = queries.rows[start:end]
        of_a, of_b = a[rows], b[rows]
        n_pairs += len(rows) * (len(rows) - 1) // 2
        if np.array_equal(of_a, of_b):
            continue
        n_reversed += count_inversions(of_b[np.lexsort((of_b, of_a))])
        both = count_ties(np.column_stack([of_a, of_b]))
        n_tied += count_ties(of_a[:, None]) + count_ties(of_b[:, None]) - 2 * both
    return ChangedPairs(n_pairs, n_reversed, n_tied)


def count_inversions(values: Floats) -> int:
    """Count the pairs whose first is larger, (n_values,).

    >>> count_inversions(np.array([3.0, 1.0, 1.0, 2.0]))
    3
    """
    if len(values) <= SMALL:
        return int(np.count_nonzero(np.triu(values[:, None] > values)))
    half = len(values) // 2
    first, second = values[:half], values[half:]
    not_larger = np.searchsorted(np.sort(first), second, side="right")
    between = half * len(second) - int(not_larger.sum())
    return between + count_inversions(first) + count_inversions(second)


def count_ties(values: Floats) -> int:
    """Count the pairs of equal rows of a table, (n_values, n_columns)."""
    _, counts = np.unique(values, axis=0, return_counts=True)
    return int((counts * (counts - 1) // 2).sum())

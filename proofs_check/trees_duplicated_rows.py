"""Rows that occur more than once: a weight of 2 is the row twice, and every row twice changes nothing.

Sums of w r and of w are the same for a row of weight 2 and for the row twice, and a tree sees nothing else; so the
cuts are the same, and a leaf has one of the copies where it has the other (the bare statement). Every row twice
doubles every split_gain and leaves means alone: no comparison changes (variant-twice). Under App. I too: the bins
depend on the set of values.

What counts rows and not weights tells them apart: a leaf of at least 2 rows (variant-min-samples-leaf).

In float64 whole labels are exact, and so are doubled ones (variant-refrank). Others are put on a grid whose step
grows with the number of rows: a value may change in its last bit, at one row of y = 3/10 (variant-any-labels).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import product

import numpy as np

from proofs_check.exact_tree import grow_best_first, leaves, mean
from proofs_check.instances import Cases
from proofs_check.records import Comparison, Row
from proofs_check.refrank_trees import tree
from proofs_check.tree_cases import (
    agree,
    compare,
    lines,
    one_feature,
    scaled,
    settle_trees,
    two_features,
    with_column,
)

PAPER = "trees"


def copies(values: list, counts: list[int]) -> list:
    """Each value as often as its count says, copies side by side."""
    return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]


def predictions(x, y, w, n_leaves: int, min_rows: int = 1) -> list[Fraction]:
    """What the exact tree predicts for its rows."""
    grown = grow_best_first(x, y, w, n_leaves=n_leaves, min_rows=min_rows)
    value = {i: mean(y, w or [1] * len(y), rows) for rows in leaves(grown) for i in rows}
    return [value[i] for i in range(len(y))]


def weighted_or_twice(n_leaves: int, min_rows: int = 1) -> Callable[[Cases], Comparison]:
    """Predictions of the rows by weights, and of their copies."""

    def claim(cases: Cases) -> Comparison:
        pairs = []
        for x, y, w in lines(cases):
            repeated = predictions(copies(x, w), copies(y, w), None, n_leaves, min_rows)
            pairs.append((copies(predictions(x, y, w, n_leaves, min_rows), w), repeated))
        return agree(pairs)

    return claim


def every_row_twice(cases: Cases) -> Comparison:
    pairs = []
    for x, y in lines(cases):
        two = [2] * len(y)
        once = predictions(x, y, None, 3)
        pairs.append((copies(once, two), predictions(copies(x, two), copies(y, two), None, 3)))
    return agree(pairs)


def of_refrank(cases: Cases) -> Comparison:
    """Every bit of the predictions, by weights and by copies; X and y as they are."""
    pairs = []
    for x, y, w in lines(cases):
        repeated = tree(copies(x, w), copies(y, w), None, 3)
        pairs.append((copies(tree(x, y, w, 3).tolist(), w), repeated.tolist()))
    return agree(pairs)


def any_labels(cases: Cases) -> Comparison:
    """Labels y/10 as float64: the first row's prediction, from every row once and from every row twice."""
    pairs = []
    for x, y in lines(cases):
        labels, two = [value / 10 for value in y], [2] * len(y)
        once, twice = tree(x, labels, None, 3), tree(copies(x, two), copies(labels, two), None, 3)
        pairs.append((Fraction(float(once[0])), Fraction(float(twice[0]))))
    return compare(pairs, "==", "y/10, prediction of row 1")


def weights(n: int) -> np.ndarray:
    return np.array(list(product((1, 2), repeat=n)))


def weighted(instances: Callable[[int], Iterator[Cases]]) -> Callable[[int], Iterator[Cases]]:
    return with_column(instances, "w", weights)


ROWS = [
    Row("trees.duplicated_rows", PAPER, "a row of weight 2 is the row twice: the same predictions", "",
        settle_trees(3, weighted_or_twice(3), weighted(two_features((0, 1))))),
    Row("trees.duplicated_rows.variant-one-feature", PAPER, "the bare statement, labels 0..2, J = 2", "",
        settle_trees(4, weighted_or_twice(2), weighted(one_feature((0, 1, 2))))),
    Row("trees.duplicated_rows.variant-twice", PAPER, "every row twice: the same predictions", "",
        settle_trees(4, every_row_twice, one_feature((0, 1, 2, 3)))),
    Row("trees.duplicated_rows.variant-min-samples-leaf", PAPER,
        "the bare statement with at least 2 rows in a leaf",
        "", settle_trees(3, weighted_or_twice(2, min_rows=2), weighted(one_feature((0, 1))))),
    Row("trees.duplicated_rows.variant-refrank", PAPER, "the bare statement, every bit, whole labels",
        "refrank", settle_trees(4, of_refrank, weighted(one_feature((0, 1, 4))))),
    Row("trees.duplicated_rows.variant-any-labels", PAPER, "every row twice, every bit, labels y/10",
        "refrank", settle_trees(4, any_labels, scaled(one_feature((0, 1, 2, 3)), "y", 10))),
]  # fmt: skip

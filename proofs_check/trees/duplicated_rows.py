"""Repeated rows: a weight of 2 equals the row twice, and doubling all rows changes nothing.

The sums of w r and of w are the same for a row of weight 2 and for the row twice, and a tree uses nothing else. So the
cuts are the same, and the leaves hold the same rows up to copies (the bare statement). Doubling all rows doubles every
split_gain and keeps the means of leaves: no comparison changes (variant-twice). This holds under App. I, too: the bins
depend on the set of values.

A limit on the number of rows, not of weights, tells them apart: at least 2 rows in a leaf (variant-min-samples-leaf).

In float64, integer labels are exact, and so are doubled ones (variant-refrank). Other labels are put on a grid whose
step grows with the number of rows: a value may change in its last bit, with one row of y = 3/10 (variant-any-labels).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact_tree import grow_best_first, leaves, mean
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.refrank_trees import tree
from proofs_check.engine.tree_cases import (
    compare,
    lines,
    one_feature,
    same,
    scaled,
    settle_trees,
    two_features,
    weights_of,
    with_column,
)


def copies(values: list, counts: list[int]) -> list:
    """Repeat each value as often as its count says, copies side by side."""
    return [value for value, count in zip(values, counts, strict=True) for _ in range(count)]


def predictions(x, y, w, n_leaves: int, min_rows: int = 1) -> list[Fraction]:
    """Predict the rows by the exact tree."""
    grown = grow_best_first(x, y, w, n_leaves=n_leaves, min_rows=min_rows)
    value = {i: mean(y, w or [1] * len(y), rows) for rows in leaves(grown) for i in rows}
    return [value[i] for i in range(len(y))]


def weighted_or_twice(n_leaves: int, min_rows: int = 1) -> Callable[[Cases], Comparison]:
    """Compare the predictions of the rows by weights with those of their copies."""

    @same
    def claim(x, y, w):
        repeated = predictions(copies(x, w), copies(y, w), None, n_leaves, min_rows)
        return copies(predictions(x, y, w, n_leaves, min_rows), w), repeated

    return claim


@same
def every_row_twice(x, y):
    two = [2] * len(y)
    return copies(predictions(x, y, None, 3), two), predictions(copies(x, two), copies(y, two), None, 3)


@same
def of_refrank(x, y, w):
    """Compare every bit of the predictions, by weights and by copies, for unchanged X and y."""
    return copies(tree(x, y, w, 3).tolist(), w), tree(copies(x, w), copies(y, w), None, 3).tolist()


def any_labels(cases: Cases) -> Comparison:
    """Compare the first row's prediction, labels y/10 as float64, with all rows once and with all rows twice."""
    pairs = []
    for x, y in lines(cases):
        labels, two = [value / 10 for value in y], [2] * len(y)
        once, twice = tree(x, labels, None, 3), tree(copies(x, two), copies(labels, two), None, 3)
        pairs.append((Fraction(float(once[0])), Fraction(float(twice[0]))))
    return compare(pairs, "==", "y/10, prediction of row 1")


def weighted(instances: Callable[[int], Iterator[Cases]]) -> Callable[[int], Iterator[Cases]]:
    return with_column(instances, "w", weights_of(1, 2))


ROWS = table("trees.duplicated_rows", "trees",
    Line("", "a row of weight 2 gives the same predictions as the row twice",
     "", settle_trees(3, weighted_or_twice(3), weighted(two_features((0, 1))))),
    Line("variant-one-feature", "the statement with labels 0..2, J = 2",
     "", settle_trees(4, weighted_or_twice(2), weighted(one_feature((0, 1, 2))))),
    Line("variant-twice", "all rows twice: the same predictions",
     "", settle_trees(4, every_row_twice, one_feature((0, 1, 2, 3)))),
    Line("variant-min-samples-leaf", "the statement with at least 2 rows in a leaf",
     "", settle_trees(3, weighted_or_twice(2, min_rows=2), weighted(one_feature((0, 1))))),
    Line("variant-refrank", "the statement for every bit, integer labels",
     "refrank", settle_trees(4, of_refrank, weighted(one_feature((0, 1, 4))))),
    Line("variant-any-labels", "all rows twice: the same bits, labels y/10",
     "refrank", settle_trees(4, any_labels, scaled(one_feature((0, 1, 2, 3)), "y", 10))),
    source=OURS,
)  # fmt: skip

"""The order of rows: it changes no tree, but it changes a forest with a fixed seed.

Every quantity from which a tree is grown is a sum over rows, or a count of them. So the leaves of permuted rows are the
permuted leaves (the bare statement). In float64 this would be false for sums taken in row order: 0.1 + 0.2 + 0.3 is not
0.3 + 0.2 + 0.1. The sums of refrank are sums of integers, and every bit stays (variant-refrank, labels y/10).

A forest draws rows by their number. If two rows are exchanged, the same seed draws other rows (variant-forest).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact_tree import grow_best_first, leaves
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.refrank_trees import random_forest, tree
from proofs_check.engine.tree_cases import (
    compare,
    lines,
    one_feature,
    same,
    scaled,
    settle_trees,
    two_features,
    with_column,
)


def partition(x: list, y: list, n_leaves: int = 3) -> list[tuple[int, ...]]:
    return leaves(grow_best_first(x, y, n_leaves=n_leaves))


@same
def exact(x, y, order):
    """Compare the leaves by the old row numbers: row i of the permuted data is row order[i]."""
    moved = partition([x[i] for i in order], [y[i] for i in order])
    return partition(x, y), sorted(tuple(sorted(order[i] for i in rows)) for rows in moved)


@same
def of_refrank(x, y, order):
    """Compare every bit of the predictions, labels y/10, none of which except 0 is exact in float64."""
    labels = np.array(y) / 10
    once = tree(x, labels, None, 3)
    return once[order].tobytes(), tree([x[i] for i in order], labels[order], None, 3).tobytes()


def of_a_forest(cases: Cases) -> Comparison:
    """Compare the prediction of the first row before and after: one tree, seed 0."""
    pairs = []
    for x, y, order in lines(cases):
        once = random_forest(x, y, 1, seed=0)
        moved = random_forest([x[i] for i in order], [y[i] for i in order], 1, seed=0)
        pairs.append((Fraction(float(once[0])), Fraction(float(moved[order.index(0)]))))
    return compare(pairs, "==", "prediction of row 0")


def permuted(instances: Callable[[int], Iterator[Cases]]) -> Callable[[int], Iterator[Cases]]:
    return with_column(instances, "order", lambda n: np.array(list(permutations(range(n)))))


ROWS = table("trees.permuted_rows", "trees",
    Line("", "permuted rows: the same leaves, permuted", "", settle_trees(3, exact, permuted(two_features((0, 1))))),
    Line("variant-one-feature", "the statement with labels 0..2",
     "", settle_trees(4, exact, permuted(one_feature((0, 1, 2))))),
    Line("variant-refrank", "the statement for every bit of the predictions, labels y/10",
     "refrank", settle_trees(3, of_refrank, permuted(scaled(one_feature((0, 1, 2, 3)), "y", 10)))),
    Line("variant-forest", "the statement for a forest of one tree, with the same seed",
     "refrank", settle_trees(3, of_a_forest, permuted(one_feature((0, 1))))),
    source=OURS,
)  # fmt: skip

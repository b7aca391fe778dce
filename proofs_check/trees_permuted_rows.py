"""The order of rows: no tree sees it, a forest with a fixed seed does.

Every quantity that a tree is grown from is a sum over rows, or a count of them. So the leaves of permuted rows are the
permuted leaves (the bare statement). In float64 this would be false for sums taken in row order: 0.1 + 0.2 + 0.3
is not 0.3 + 0.2 + 0.1. Those of refrank are sums of integers, and every bit stays (variant-refrank, labels y/10).

A forest draws rows by their number. Exchange two rows and the same seed draws others (variant-forest).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction
from itertools import permutations

import numpy as np

from proofs_check.exact_tree import grow_best_first
from proofs_check.exact_tree import leaves as leaves_of
from proofs_check.instances import Cases
from proofs_check.records import Comparison, Row
from proofs_check.refrank_trees import random_forest, tree
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


def partition(x: list, y: list, n_leaves: int = 3) -> list[tuple[int, ...]]:
    return leaves_of(grow_best_first(x, y, n_leaves=n_leaves))


def exact(cases: Cases) -> Comparison:
    """Row i of the permuted data is row order[i]: the leaves, in the old numbers."""
    pairs = []
    for x, y, order in lines(cases):
        moved = partition([x[i] for i in order], [y[i] for i in order])
        renamed = sorted(tuple(sorted(order[i] for i in rows)) for rows in moved)
        pairs.append((partition(x, y), renamed))
    return agree(pairs)


def of_refrank(cases: Cases) -> Comparison:
    """Every bit of the predictions; labels y/10, none of which but 0 a float64 holds exactly."""
    pairs = []
    for x, y, order in lines(cases):
        labels = np.array(y) / 10
        once = tree(x, labels, None, 3)
        pairs.append((once[order].tobytes(), tree([x[i] for i in order], labels[order], None, 3).tobytes()))
    return agree(pairs)


def of_a_forest(cases: Cases) -> Comparison:
    """One tree, seed 0: the prediction of the first row, before and after."""
    pairs = []
    for x, y, order in lines(cases):
        once = random_forest(x, y, 1, seed=0)
        moved = random_forest([x[i] for i in order], [y[i] for i in order], 1, seed=0)
        pairs.append((Fraction(float(once[0])), Fraction(float(moved[order.index(0)]))))
    return compare(pairs, "==", "prediction of row 0")


def permuted(instances: Callable[[int], Iterator[Cases]]) -> Callable[[int], Iterator[Cases]]:
    return with_column(instances, "order", lambda n: np.array(list(permutations(range(n)))))


ROWS = [
    Row("trees.permuted_rows", PAPER, "permuted rows: the same leaves, permuted", "",
        settle_trees(3, exact, permuted(two_features((0, 1))))),
    Row("trees.permuted_rows.variant-one-feature", PAPER, "the bare statement, labels 0..2", "",
        settle_trees(4, exact, permuted(one_feature((0, 1, 2))))),
    Row("trees.permuted_rows.variant-refrank", PAPER, "every bit of the predictions, labels y/10", "refrank",
        settle_trees(3, of_refrank, permuted(scaled(one_feature((0, 1, 2, 3)), "y", 10)))),
    Row("trees.permuted_rows.variant-forest", PAPER, "a forest of one tree, the same seed", "refrank",
        settle_trees(3, of_a_forest, permuted(one_feature((0, 1))))),
]  # fmt: skip

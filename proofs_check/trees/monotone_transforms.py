"""A strictly increasing transform of a feature: it keeps the tree under rank bins, not under those of App. I.

A tree only asks "is x below the cut?", so log x and x should give the same tree. They do if the bins are ranks, one bin
per value: ranks, histograms, cuts and leaves are the same (the bare statement). A decreasing transform swaps left and
right in every cut, and with them which of two equal cuts comes first (variant-decreasing).

McRank's App. I measures in units of the feature: a bin has a length. Which values share a bin changes with the
transform as soon as there are more values than bins (variant-app-I), and, because of the absolute initial length of
1e-8, even if there are not (variant-app-I-small-scale): a feature times 1e-9 is constant.

Between the training rows no transform is harmless, with any bins: the transform does not map the middle of a gap, where
the cut lies, to the middle of its image, so an unseen x may change its leaf (variant-unseen).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact_tree import grow_best_first, leaves
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.refrank_trees import tree_leaves
from proofs_check.engine.tree_cases import one_feature, same, settle_trees

Partition = Callable[[list[int], list[int]], list[tuple[int, ...]]]


def increasing(n: int, largest: int, grades: tuple[int, ...]) -> Cases:
    """List every n values below `largest`, every strictly increasing image of them, every y."""
    values = np.array(list(combinations(range(largest), n)))
    y = np.array(list(product(grades, repeat=n)))
    before = np.repeat(values, len(values) * len(y), axis=0)
    after = np.tile(np.repeat(values, len(y), axis=0), (len(values), 1))
    return Cases({"x": before, "T(x)": after, "y": np.tile(y, (len(values) ** 2, 1))})


def transforms(grades: tuple[int, ...] = (0, 1)) -> Callable[[int], Iterator[Cases]]:
    def instances(n: int) -> Iterator[Cases]:
        yield increasing(n, n + 2, grades)

    return instances


def unchanged(partition: Partition) -> Callable[[Cases], Comparison]:
    """Compare the leaves on x and on T(x)."""
    return same(lambda x, t, y: (partition(x, y), partition(t, y)))


def by_rank(x: list[int], y: list[int]) -> list[tuple[int, ...]]:
    ranks = sorted(set(x))
    return leaves(grow_best_first([[ranks.index(v)] for v in x], y, n_leaves=2))


def app_i(n_bins: int) -> Partition:
    return lambda x, y: tree_leaves([[v] for v in x], y, None, 2, n_bins=n_bins)


@same
def decreasing(x, y):
    """Compare the leaves on x and on -x, J = 2."""
    mirrored = [[-row[0]] for row in x]
    return leaves(grow_best_first(x, y, n_leaves=2)), leaves(grow_best_first(mirrored, y, n_leaves=2))


@same
def small_scale(x, y):
    """Compare the leaves on x and on x times 1e-9, with enough bins for all values."""
    flat = [row[0] for row in x]
    return app_i(256)(flat, y), app_i(256)([v * 1e-9 for v in flat], y)


def two_rows(n: int) -> Iterator[Cases]:
    """Yield training values a < b with y = 0, 1, an unseen u elsewhere, and an increasing image of all three."""
    values = np.array([(a, b, u) for a, b, u in product(range(4), repeat=3) if a < b and u not in (a, b)])
    pairs = [(first, second) for first in values for second in values if same_order(first, second)]
    before, after = (np.array([pair[k] for pair in pairs]) for k in (0, 1))
    yield Cases({"x": before[:, :2], "u": before[:, 2], "T(x)": after[:, :2], "T(u)": after[:, 2]})


def same_order(first: np.ndarray, second: np.ndarray) -> bool:
    return bool((np.argsort(first) == np.argsort(second)).all())


@same
def unseen(x, u, t, moved):
    """Compare the sides of the middle of the gap on which u falls, before and after."""
    return 2 * u > sum(x), 2 * moved > sum(t)


ROWS = table("trees.monotone_transforms", "McRank",
    Line("", "rank bins: x and T(x) give the same leaves, T strictly increasing",
     "", settle_trees(4, unchanged(by_rank), transforms())),
    Line("variant-refrank", "the statement for refrank with one bin per value",
     "refrank, B = 256", settle_trees(4, unchanged(app_i(256)), transforms())),
    Line("variant-app-I", "App. I with B = 2: x and T(x) give the same leaves",
     "App. I", settle_trees(4, unchanged(app_i(2)), transforms())),
    Line("variant-app-I-small-scale", "App. I with B = 256: x and x/10^9 give the same leaves",
     "App. I", settle_trees(3, small_scale, one_feature((0, 1)))),
    Line("variant-decreasing", "rank bins: x and -x give the same leaves, J = 2",
     "decreasing", settle_trees(4, decreasing, one_feature((0, 1)))),
    Line("variant-unseen", "two rows: an unseen x keeps its leaf",
     "cut in the middle", settle_trees(2, unseen, two_rows, smallest=2)),
    source=OURS,
)  # fmt: skip

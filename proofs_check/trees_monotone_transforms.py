"""A strictly increasing transform of a feature: it leaves the tree under rank bins, not under those of App. I.

A tree asks only "is x below the cut?", so it should not see log x for x. It does not when the bins are ranks, a bin
for each value: ranks, histograms, cuts and leaves are the same (the bare statement). A decreasing transform swaps left
and right in every cut, and with them which of two equal cuts comes first (variant-decreasing).

McRank's App. I measures in units of the feature: a bin has a length. Which values share a bin changes with the
transform as soon as there are more values than bins (variant-app-I), and by the absolute initial length of 1e-8
even when there are not (variant-app-I-small-scale): a feature times 1e-9 is constant.

And between the training rows no transform is harmless, bins or not: the cut in the middle of a gap is not where the
transform takes it, so an unseen x may change its leaf (variant-unseen).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations, product

import numpy as np

from proofs_check.exact_tree import grow_best_first, leaves
from proofs_check.instances import Cases
from proofs_check.records import Comparison, Row
from proofs_check.refrank_trees import tree_leaves
from proofs_check.tree_cases import agree, lines, one_feature, settle_trees

PAPER = "McRank"
Partition = Callable[[list[int], list[int]], list[tuple[int, ...]]]


def increasing(n: int, largest: int, grades: tuple[int, ...]) -> Cases:
    """Every n values below `largest`, every strictly increasing image of them, every y."""
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
    """The leaves on x and on T(x)."""
    return lambda cases: agree([(partition(x, y), partition(t, y)) for x, t, y in lines(cases)])


def by_rank(x: list[int], y: list[int]) -> list[tuple[int, ...]]:
    ranks = sorted(set(x))
    return leaves(grow_best_first([[ranks.index(v)] for v in x], y, n_leaves=2))


def app_i(n_bins: int) -> Partition:
    return lambda x, y: tree_leaves([[v] for v in x], y, None, 2, n_bins=n_bins)


def decreasing(cases: Cases) -> Comparison:
    """The leaves on x and on -x, J = 2."""
    pairs = []
    for x, y in lines(cases):
        mirrored = [[-row[0]] for row in x]
        pairs.append((leaves(grow_best_first(x, y, n_leaves=2)), leaves(grow_best_first(mirrored, y, n_leaves=2))))
    return agree(pairs)


def small_scale(cases: Cases) -> Comparison:
    """The leaves on x and on x times 1e-9, with a bin for each value to be had."""
    pairs = []
    for x, y in lines(cases):
        flat = [row[0] for row in x]
        pairs.append((app_i(256)(flat, y), app_i(256)([v * 1e-9 for v in flat], y)))
    return agree(pairs)


def two_rows(n: int) -> Iterator[Cases]:
    """Training values a < b with y = 0, 1, an unseen u between or beyond, and an increasing image of all three."""
    values = np.array([(a, b, u) for a, b, u in product(range(4), repeat=3) if a < b and u not in (a, b)])
    pairs = [(one, other) for one in values for other in values if same_order(one, other)]
    before, after = (np.array([pair[k] for pair in pairs]) for k in (0, 1))
    yield Cases({"x": before[:, :2], "u": before[:, 2], "T(x)": after[:, :2], "T(u)": after[:, 2]})


def same_order(one: np.ndarray, other: np.ndarray) -> bool:
    return bool((np.argsort(one) == np.argsort(other)).all())


def unseen(cases: Cases) -> Comparison:
    """Does u fall to the right of the middle of the gap, before and after?"""
    return agree([(2 * u > sum(x), 2 * moved > sum(t)) for x, u, t, moved in lines(cases)])


ROWS = [
    Row("trees.monotone_transforms", PAPER, "rank bins: x and T(x) give the same leaves, T strictly increasing",
        "", settle_trees(4, unchanged(by_rank), transforms())),
    Row("trees.monotone_transforms.variant-refrank", PAPER,
        "the same for refrank with a bin for each value",
        "refrank, B = 256", settle_trees(4, unchanged(app_i(256)), transforms())),
    Row("trees.monotone_transforms.variant-app-I", PAPER, "App. I with B = 2: x and T(x) give the same leaves",
        "App. I", settle_trees(4, unchanged(app_i(2)), transforms())),
    Row("trees.monotone_transforms.variant-app-I-small-scale", PAPER,
        "App. I with B = 256: x and x/10^9 give the same leaves",
        "App. I", settle_trees(3, small_scale, one_feature((0, 1)))),
    Row("trees.monotone_transforms.variant-decreasing", PAPER, "rank bins: x and -x give the same leaves, J = 2",
        "decreasing", settle_trees(4, decreasing, one_feature((0, 1)))),
    Row("trees.monotone_transforms.variant-unseen", PAPER, "two rows: an unseen x keeps its leaf",
        "cut in the middle", settle_trees(2, unseen, two_rows, smallest=2)),
]  # fmt: skip

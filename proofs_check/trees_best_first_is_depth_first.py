"""Best-first (McRank: J leaves) and depth-first (Mohan et al.: depth d) growing make the same tree when J is large.

McRank's tree cuts the waiting node that gains most until it has J leaves; iGBRT's cuts every node down to depth
d. Which cut a node gets depends on its rows alone, so the order of cutting changes no cut. Without a limit both
stop where no cut gains: the same tree, the nodes numbered in another order.

*Proof.* By induction over the way from the root: a node that both have holds the same rows, so both find the same best
cut, and neither stops before all of them are made. QED The same argument gives the prefix: the tree with J
leaves is the first J - 1 cuts of any larger one, whatever its J (variant-prefix).

With limits they differ: J = 4 leaves and depth 2 from four rows on, where best-first goes on down one side
(variant-small-J), though both make at most 4 leaves.
"""

from __future__ import annotations

from collections.abc import Callable

import numpy as np

from proofs_check.exact_tree import grow_best_first, grow_depth_first, shape
from proofs_check.instances import Cases
from proofs_check.records import Comparison, Row
from proofs_check.refrank_trees import binned
from proofs_check.tree_cases import agree, lines, one_feature, settle_trees, two_features
from refrank.trees import growth
from refrank.trees.engine import DEFAULT_SPLITTER
from refrank.trees.tree import Leaves, Tree

PAPER = "trees"


def unlimited(min_rows: int) -> Callable[[Cases], Comparison]:
    """J = n against no depth limit."""

    def claim(cases: Cases) -> Comparison:
        pairs = []
        for x, y in lines(cases):
            best = grow_best_first(x, y, n_leaves=len(y), min_rows=min_rows)
            pairs.append((shape(best), shape(grow_depth_first(x, y, min_rows=min_rows))))
        return agree(pairs)

    return claim


def prefix(cases: Cases) -> Comparison:
    """The nodes that the first J - 1 cuts made, for every J."""
    pairs = []
    for x, y in lines(cases):
        whole = grow_best_first(x, y, n_leaves=len(y))
        for n_leaves in range(1, len(y)):
            part = grow_best_first(x, y, n_leaves=n_leaves)
            made = [(node.rows, part[node.left].rows) for node in part if node.feature >= 0]
            same = [(whole[n].rows, whole[whole[n].left].rows) for n, node in enumerate(part) if node.feature >= 0]
            pairs.append((made, same))
    return every_line(pairs, cases.m)


def every_line(pairs: list[tuple[object, object]], m: int) -> Comparison:
    """Of m instances with the same number of pairs each, of which all must agree."""
    differs = agree(pairs).left.reshape(m, -1).sum(axis=1)
    return Comparison(differs, np.zeros_like(differs), "==")


def limited(cases: Cases) -> Comparison:
    """J = 4 against depth 2."""
    return agree(
        [
            (shape(grow_best_first(x, y, n_leaves=4)), shape(grow_depth_first(x, y, max_depth=2)))
            for x, y in lines(cases)
        ]
    )


def of_refrank(cases: Cases) -> Comparison:
    """refrank.trees.growth's two functions, every float of the leaves included, min_samples_leaf 1 and 2."""
    pairs = []
    for x, y in lines(cases):
        bins, labels = binned(x), np.array(y, dtype=float)
        for least in (1, 2):
            options = {"min_samples_leaf": least, "splitter": DEFAULT_SPLITTER}
            best = growth.grow_best_first(bins, labels, n_leaves=len(y), **options)
            pairs.append(
                (whole_tree(*best), whole_tree(*growth.grow_to_depth(bins, labels, max_depth=None, **options)))
            )
    return every_line(pairs, cases.m)


def whole_tree(tree: Tree, leaves: Leaves, node: int = 0) -> tuple:
    """All that a refrank tree is but the numbers of its nodes."""
    if tree.feature[node] < 0:
        (at,) = np.flatnonzero(leaves.nodes == node)
        rows = tuple(sorted(leaves.rows[leaves.starts[at] : leaves.starts[at + 1]].tolist()))
        return rows, float(tree.value[node])
    here = (int(tree.feature[node]), int(tree.bin[node]), float(tree.cut[node]), float(tree.split_gain[node]))
    return *here, *(whole_tree(tree, leaves, int(child[node])) for child in (tree.left, tree.right))


WIDE = two_features((0, 1))

ROWS = [
    Row("trees.best_first_is_depth_first", PAPER, "J = n and no limit of depth: the same tree, up to numbering",
        "", settle_trees(4, unlimited(1), WIDE)),
    Row("trees.best_first_is_depth_first.variant-min-samples-leaf", PAPER,
        "the same with at least 2 rows in a leaf", "", settle_trees(5, unlimited(2), one_feature((0, 1, 2)))),
    Row("trees.best_first_is_depth_first.variant-prefix", PAPER,
        "J leaves: the first J - 1 cuts of any larger tree",
        "best-first", settle_trees(4, prefix, one_feature((0, 1, 2, 3)), smallest=2)),
    Row("trees.best_first_is_depth_first.variant-small-J", PAPER, "J = 4 and depth 2 make the same tree",
        "with limits", settle_trees(5, limited, one_feature((0, 1, 2)))),
    Row("trees.best_first_is_depth_first.variant-refrank", PAPER, "the bare statement, every bit of the leaves",
        "refrank", settle_trees(4, of_refrank, one_feature((0, 1, 4)))),
]  # fmt: skip

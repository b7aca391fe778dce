"""Best-first growth (McRank: J leaves) and depth-first growth (Mohan et al.: depth d) give the same tree if J is large.

McRank cuts the waiting node that gains most until the tree has J leaves; iGBRT cuts every node down to depth d. The cut
of a node depends on its rows alone, so the order of cutting changes no cut. Without a limit both stop where no cut
gains: they make the same tree, with the nodes numbered in another order.

*Proof.* By induction over the path from the root: a node that both have holds the same rows, so both find the same best
cut, and neither stops before all of them are made. QED The same argument gives the prefix: the tree with J leaves is
the first J - 1 cuts of any larger one, whatever its J (variant-prefix).

With limits they differ: J = 4 leaves and depth 2 from four rows on, where best-first growth continues on one side
(variant-small-J), although both make at most 4 leaves.
"""

from __future__ import annotations

from collections.abc import Callable

from proofs_check.engine import refrank_trees
from proofs_check.engine.comparison import Comparison
from proofs_check.engine.exact_tree import grow_best_first, grow_depth_first, shape
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.tree_cases import one_feature, same, settle_trees, two_features


def unlimited(min_rows: int) -> Callable[[Cases], Comparison]:
    """Compare J = n with unlimited depth."""
    return same(
        lambda x, y: (
            shape(grow_best_first(x, y, n_leaves=len(y), min_rows=min_rows)),
            shape(grow_depth_first(x, y, min_rows=min_rows)),
        )
    )


@same
def prefix(x, y):
    """Compare the nodes that the first J - 1 cuts make, for every J, with those of the whole tree."""
    whole = grow_best_first(x, y, n_leaves=len(y))
    made, expected = [], []
    for n_leaves in range(1, len(y)):
        part = grow_best_first(x, y, n_leaves=n_leaves)
        cut = [number for number, node in enumerate(part) if node.feature >= 0]
        made.append([(part[n].rows, part[part[n].left].rows) for n in cut])
        expected.append([(whole[n].rows, whole[whole[n].left].rows) for n in cut])
    return made, expected


@same
def limited(x, y):
    """Compare J = 4 with depth 2."""
    return shape(grow_best_first(x, y, n_leaves=4)), shape(grow_depth_first(x, y, max_depth=2))


@same
def of_refrank(x, y):
    """Compare refrank's two growers, including every float of the leaves, with at least 1 and 2 rows per leaf."""
    ways = (refrank_trees.best_first, refrank_trees.to_depth)
    return tuple([grow(x, y, min_rows) for min_rows in (1, 2)] for grow in ways)


WIDE = two_features((0, 1))

ROWS = table("trees.best_first_is_depth_first", "trees",
    Line("", "J = n and no limit of depth: the same tree, up to numbering", "", settle_trees(4, unlimited(1), WIDE)),
    Line("variant-min-samples-leaf", "the statement with at least 2 rows in a leaf",
     "", settle_trees(5, unlimited(2), one_feature((0, 1, 2)))),
    Line("variant-prefix", "J leaves: the first J - 1 cuts of any larger tree",
     "best-first", settle_trees(4, prefix, one_feature((0, 1, 2, 3)), smallest=2)),
    Line("variant-small-J", "J = 4 and depth 2 make the same tree",
     "with limits", settle_trees(5, limited, one_feature((0, 1, 2)))),
    Line("variant-refrank", "the statement for every bit of the leaves",
     "refrank", settle_trees(4, of_refrank, one_feature((0, 1, 4)))),
    source=OURS,
)  # fmt: skip

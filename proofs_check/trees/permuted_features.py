"""The order of features: it matters only if features tie.

Of cuts that gain the same, the tree makes the one on the first feature. If the columns are exchanged, the other is
first, and if it separates the rows differently, the tree differs: three rows, two features (the bare statement
fails).

The exact condition. Call the candidates of a node, for each feature whose best cut gains the most of all, the first
such cut of the feature. One cut (J = 2) makes the same leaves under every order of the features if and only if all
candidates separate the rows in the same way (variant-one-cut). *Proof.* The cut that is made is the candidate of the
first feature that has one, and every feature that has one can come first. QED

If at every node of a tree all candidates separate its rows in the same way, then growing without a limit of leaves
gives the same leaves under every order (variant-no-ties): by induction, the nodes hold the same rows. The converse is
false, since different cuts may end in the same leaves. With a limit J the condition is not enough: candidates that
separate in the same way but exchange left and right exchange the numbers of the children, and of two waiting nodes that
gain the same the one with the lower number is cut (variant-no-ties-J).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from proofs_check.engine.exact_tree import RowSet, cuts, grow_best_first, leaves
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import OURS, Line, table
from proofs_check.engine.refrank_trees import tree_leaves
from proofs_check.engine.tree_cases import same, settle_trees, two_features


def exchanged(x: list[list[int]]) -> list[list[int]]:
    return [row[::-1] for row in x]


def partition(x: list[list[int]], y: list[int], n_leaves: int) -> list[RowSet]:
    return leaves(grow_best_first(x, y, n_leaves=n_leaves))


def alike(x: list[list[int]], y: list[int], rows: RowSet) -> bool:
    """Return whether all candidates of a node separate its rows in the same way, up to exchanging the sides."""
    node_cuts = list(cuts(x, y, [1] * len(y), rows))
    most = max((cut.gain for cut in node_cuts), default=0)
    candidates = {}
    for cut in node_cuts:
        if cut.gain == most > 0:
            candidates.setdefault(cut.feature, frozenset(cut.sides))
    return len(set(candidates.values())) <= 1


def alike_everywhere(x: list[list[int]], y: list[int]) -> bool:
    return all(alike(x, y, node.rows) for node in grow_best_first(x, y, n_leaves=len(y)))


@same
def same_leaves(x, y):
    """Compare the two orders of two features, J = 2."""
    return partition(x, y, 2), partition(exchanged(x), y, 2)


@same
def same_leaves_of_refrank(x, y):
    return tree_leaves(x, y, None, 2), tree_leaves(exchanged(x), y, None, 2)


@same
def exactly_when(x, y):
    return partition(x, y, 2) == partition(exchanged(x), y, 2), alike(x, y, tuple(range(len(y))))


def without_ties(x, y, n_leaves: int) -> tuple[bool, bool]:
    """Claim the same leaves if all candidates separate the rows in the same way."""
    changed = partition(x, y, n_leaves) != partition(exchanged(x), y, n_leaves)
    return changed and alike_everywhere(x, y), False


@same
def converse(x, y):
    """Claim other leaves, J = n, if some candidates do not separate the rows in the same way."""
    unchanged = partition(x, y, len(y)) == partition(exchanged(x), y, len(y))
    return unchanged and not alike_everywhere(x, y), False


def all_different(n: int) -> Iterator[Cases]:
    """Yield two features without equal values: the second is any permutation of the first; labels 0..3."""
    second, y = list(permutations(range(n))), np.array(list(product((0, 1, 2, 3), repeat=n)))
    x = np.array([np.transpose((range(n), order)) for order in second])
    yield Cases({"x": np.repeat(x, len(y), axis=0), "y": np.tile(y, (len(x), 1))})


WIDE, TERNARY = two_features((0, 1)), two_features((0, 1, 2))

ROWS = table("trees.permuted_features", "trees",
    Line("", "features in a different order: the same leaves", "J = 2", settle_trees(4, same_leaves, WIDE)),
    Line("variant-refrank", "the statement for refrank", "refrank", settle_trees(4, same_leaves_of_refrank, WIDE)),
    Line("variant-one-cut", "one cut: the same leaves if and only if all candidates separate the rows in the same way",
     "exactly when", settle_trees(4, exactly_when, WIDE)),
    Line("variant-one-cut-three-labels", "the condition with labels 0..2",
     "exactly when", settle_trees(3, exactly_when, TERNARY)),
    Line("variant-no-ties", "all candidates of all nodes separate in the same way, no limit J: the same leaves",
     "sufficient", settle_trees(4, same(lambda x, y: without_ties(x, y, len(y))), WIDE)),
    Line("variant-no-ties-converse", "no limit J: the same leaves only if all candidates of all nodes do so",
     "not necessary", settle_trees(4, converse, WIDE)),
    Line("variant-no-ties-J", "all candidates of all nodes separate in the same way, J = 3: the same leaves",
     "not sufficient", settle_trees(4, same(lambda x, y: without_ties(x, y, 3)), all_different)),
    source=OURS,
)  # fmt: skip

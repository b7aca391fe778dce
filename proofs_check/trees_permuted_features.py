"""The order of features: seen where features tie, and nowhere else.

Of cuts that gain the same, the one on the first feature is made. With the columns exchanged the other is first, and
if it parts the rows otherwise, the tree is another: three rows, two features (the bare statement is refuted).

Exactly when. Call the candidates of a node, for each feature whose best cut gains the most of all, the first such cut
of the feature. One cut (J = 2) makes the same leaves under every order of the features if and only if all candidates
part the rows alike (variant-one-cut). *Proof.* The cut that is made is the candidate of the first feature that has one;
every feature that has one can be put first. QED

If at every node of a tree all candidates part its rows alike, then growing without a limit of leaves gives the same
leaves under every order (variant-no-ties): by induction, the nodes hold the same rows. The converse is false, since
different cuts may end in the same leaves. With a limit J it is not enough: candidates that part alike but exchange
left and right exchange the numbers of the children, and of two waiting nodes that gain the same the first made
is cut (variant-no-ties-J).
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import permutations, product

import numpy as np

from proofs_check.exact_tree import Rows, cuts, grow_best_first, leaves
from proofs_check.instances import Cases
from proofs_check.records import Comparison, Row
from proofs_check.refrank_trees import tree_leaves
from proofs_check.tree_cases import agree, lines, settle_trees, two_features

PAPER = "trees"


def exchanged(x: list[list[int]]) -> list[list[int]]:
    return [row[::-1] for row in x]


def partition(x: list[list[int]], y: list[int], n_leaves: int) -> list[Rows]:
    return leaves(grow_best_first(x, y, n_leaves=n_leaves))


def alike(x: list[list[int]], y: list[int], rows: Rows) -> bool:
    """Whether all candidates of a node part its rows alike, whichever side is called left."""
    found = list(cuts(x, y, [1] * len(y), rows))
    most = max((cut.gain for cut in found), default=0)
    candidates = {}
    for cut in found:
        if cut.gain == most > 0:
            candidates.setdefault(cut.feature, frozenset(cut.sides))
    return len(set(candidates.values())) <= 1


def alike_everywhere(x: list[list[int]], y: list[int]) -> bool:
    return all(alike(x, y, node.rows) for node in grow_best_first(x, y, n_leaves=len(y)))


def same_leaves(cases: Cases) -> Comparison:
    """J = 2, the two orders of two features."""
    return agree([(partition(x, y, 2), partition(exchanged(x), y, 2)) for x, y in lines(cases)])


def same_leaves_of_refrank(cases: Cases) -> Comparison:
    pairs = [(tree_leaves(x, y, None, 2), tree_leaves(exchanged(x), y, None, 2)) for x, y in lines(cases)]
    return agree(pairs)


def exactly_when(cases: Cases) -> Comparison:
    pairs = []
    for x, y in lines(cases):
        same = partition(x, y, 2) == partition(exchanged(x), y, 2)
        pairs.append((same, alike(x, y, tuple(range(len(y))))))
    return agree(pairs)


def without_ties(cases: Cases) -> Comparison:
    """Where all candidates part alike, J = n."""
    pairs = []
    for x, y in lines(cases):
        changed = partition(x, y, len(y)) != partition(exchanged(x), y, len(y))
        pairs.append((changed and alike_everywhere(x, y), False))
    return agree(pairs)


def converse(cases: Cases) -> Comparison:
    """Where some candidates do not part alike, J = n gives other leaves."""
    pairs = []
    for x, y in lines(cases):
        same = partition(x, y, len(y)) == partition(exchanged(x), y, len(y))
        pairs.append((same and not alike_everywhere(x, y), False))
    return agree(pairs)


def without_ties_limited(cases: Cases) -> Comparison:
    """Where all candidates part alike, J = 3."""
    pairs = []
    for x, y in lines(cases):
        changed = partition(x, y, 3) != partition(exchanged(x), y, 3)
        pairs.append((changed and alike_everywhere(x, y), False))
    return agree(pairs)


def all_different(n: int) -> Iterator[Cases]:
    """Two features without equal values: the second is any permutation of the first; labels 0..3."""
    second, y = list(permutations(range(n))), np.array(list(product((0, 1, 2, 3), repeat=n)))
    x = np.array([np.transpose((range(n), order)) for order in second])
    yield Cases({"x": np.repeat(x, len(y), axis=0), "y": np.tile(y, (len(x), 1))})


WIDE, TERNARY = two_features((0, 1)), two_features((0, 1, 2))

ROWS = [
    Row("trees.permuted_features", PAPER, "features in another order: the same leaves", "J = 2",
        settle_trees(4, same_leaves, WIDE)),
    Row("trees.permuted_features.variant-refrank", PAPER, "the bare statement", "refrank",
        settle_trees(4, same_leaves_of_refrank, WIDE)),
    Row("trees.permuted_features.variant-one-cut", PAPER,
        "one cut: the same leaves if and only if all candidates part the rows alike",
        "exactly when", settle_trees(4, exactly_when, WIDE)),
    Row("trees.permuted_features.variant-one-cut-three-labels", PAPER, "the same with labels 0..2", "exactly when",
        settle_trees(3, exactly_when, TERNARY)),
    Row("trees.permuted_features.variant-no-ties", PAPER,
        "all candidates of all nodes part alike, no limit J: the same leaves", "sufficient",
        settle_trees(4, without_ties, WIDE)),
    Row("trees.permuted_features.variant-no-ties-converse", PAPER,
        "no limit J: the same leaves only if all candidates of all nodes part alike", "not necessary",
        settle_trees(4, converse, WIDE)),
    Row("trees.permuted_features.variant-no-ties-J", PAPER,
        "all candidates of all nodes part alike, J = 3: the same leaves", "not sufficient",
        settle_trees(4, without_ties_limited, all_different)),
]  # fmt: skip

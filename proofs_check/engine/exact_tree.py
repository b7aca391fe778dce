"""Regression trees and least-squares boosting in fractions, one row at a time: the transcription that trees.* check.

Data are X[i][f], integers with one bin per value, residuals r[i] and weights w[i] (integers or fractions). A cut
(f, b) sends the rows with X[i][f] <= b to the left, and reduces the sum of squared errors by

    split_gain = (mean_left - mean_right)^2 W_left W_right / (W_left + W_right),      W the sum of weights.

Ties are broken as in docs/reference/numerics.md, rule 3: lowest feature, lowest bin, lowest node number. A cut must
gain more than 0. Gains are compared as fractions, as refrank compares the cuts of a node; of the waiting nodes, it cuts
the one whose float64 gain is largest. The argument `gain` replaces the function that scores cuts, and `order` the one
by which they are compared: tests/oracles/trees.py rounds scores as refrank does, and compares fractions.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction

RowSet = tuple[int, ...]
Subset = tuple[int, ...] | None  # None: all
Table = Sequence[Sequence[int]]
Numbers = Sequence[int | Fraction]
Gain = Callable[[Numbers, Numbers, RowSet, RowSet], Fraction | float]  # (r, w, left, right) -> gain of the cut


@dataclass(frozen=True)
class ExactNode:
    """A node: its rows and, if it was cut, the cut, its gain and the children."""

    rows: RowSet
    feature: int = -1
    bin: int = 0
    gain: Fraction | float = Fraction(0)
    left: int = 0
    right: int = 0
    depth: int = 0


@dataclass(frozen=True)
class ExactCut:
    gain: Fraction | float
    feature: int
    bin: int
    sides: tuple[RowSet, RowSet]


def mean(r: Numbers, w: Numbers, rows: RowSet) -> Fraction:
    return Fraction(sum(w[i] * r[i] for i in rows)) / sum(w[i] for i in rows)


def gain_of(r: Numbers, w: Numbers, left: RowSet, right: RowSet) -> Fraction:
    """Compute the split_gain of a cut into these rows."""
    n_left, n_right = sum(w[i] for i in left), sum(w[i] for i in right)
    s_left, s_right = sum(w[i] * r[i] for i in left), sum(w[i] * r[i] for i in right)
    return Fraction((s_left * n_right - s_right * n_left) ** 2) / (n_left * n_right * (n_left + n_right))


def cuts(
    X: Table, r: Numbers, w: Numbers, rows: RowSet, min_rows: int = 1, features: Subset = None, gain: Gain = gain_of
) -> Iterator[ExactCut]:
    """Yield every cut of a node by feature (of all, by default) and bin, also those that gain nothing.

    A cut leaves at least `min_rows` rows on both sides.
    """
    for f in range(len(X[0])) if features is None else features:
        for b in sorted({X[i][f] for i in rows})[:-1]:
            left, right = (tuple(i for i in rows if (X[i][f] <= b) == low) for low in (True, False))
            if min(len(left), len(right)) >= min_rows:
                yield ExactCut(gain(r, w, left, right), f, b, (left, right))


def best_cut(
    X: Table,
    r: Numbers,
    w: Numbers,
    rows: RowSet,
    min_rows: int = 1,
    features: Subset = None,
    gain: Gain = gain_of,
    order: Gain | None = None,
) -> ExactCut | None:
    """Find the cut with the largest gain above 0, or the largest `order` among those; the first of equals."""
    gaining = (cut for cut in cuts(X, r, w, rows, min_rows, features, gain) if cut.gain > 0)
    return max(gaining, key=lambda cut: order(r, w, *cut.sides) if order else cut.gain, default=None)


def grow_best_first(
    X: Table,
    r: Numbers,
    w: Numbers | None = None,
    *,
    n_leaves: int,
    max_depth: int | None = None,
    min_rows: int = 1,
    gain: Gain = gain_of,
    order: Gain | None = None,
) -> list[ExactNode]:
    """Grow J leaves by cutting the waiting node whose best cut gains most (McRank Alg. 1, line 5)."""
    w = [1] * len(r) if w is None else w
    nodes, waiting = [ExactNode(tuple(range(len(r))))], {}

    def consider(number: int) -> None:
        node = nodes[number]
        if node.depth != max_depth:
            cut = best_cut(X, r, w, node.rows, min_rows, gain=gain, order=order)
            if cut is not None:
                waiting[number] = cut

    consider(0)
    while waiting and len(nodes) < 2 * n_leaves - 1:
        number = min(waiting, key=lambda waits: (-waiting[waits].gain, waits))
        for child in cut_node(nodes, number, waiting.pop(number)):
            consider(child)
    return nodes


def grow_depth_first(
    X: Table, r: Numbers, w: Numbers | None = None, *, max_depth: int | None = None, min_rows: int = 1
) -> list[ExactNode]:
    """Grow a tree by cutting every node that a cut improves, left before right (Mohan et al., Alg. 2, line 3)."""
    w = [1] * len(r) if w is None else w
    nodes, stack = [ExactNode(tuple(range(len(r))))], [0]
    while stack:
        number = stack.pop()
        node = nodes[number]
        if node.depth != max_depth and (cut := best_cut(X, r, w, node.rows, min_rows)) is not None:
            left, right = cut_node(nodes, number, cut)
            stack += [right, left]
    return nodes


def cut_node(nodes: list[ExactNode], number: int, cut: ExactCut) -> tuple[int, int]:
    node, left, right = nodes[number], len(nodes), len(nodes) + 1
    nodes[number] = replace(node, feature=cut.feature, bin=cut.bin, gain=cut.gain, left=left, right=right)
    nodes.extend(ExactNode(side, depth=node.depth + 1) for side in cut.sides)
    return left, right


def leaves(nodes: Sequence[ExactNode]) -> list[RowSet]:
    """List the rows of each leaf, leaves by their first row: the partition of the rows."""
    return sorted(node.rows for node in nodes if node.feature < 0)


def leaf_at(nodes: Sequence[ExactNode], x: Sequence[int]) -> RowSet:
    """Find the leaf into which x falls, and return its rows."""
    node = nodes[0]
    while node.feature >= 0:
        node = nodes[node.left if x[node.feature] <= node.bin else node.right]
    return node.rows


def shape(nodes: Sequence[ExactNode], number: int = 0) -> tuple:
    """Describe a tree without node numbers: (feature, bin, left, right), or the rows of a leaf."""
    node = nodes[number]
    if node.feature < 0:
        return node.rows
    return node.feature, node.bin, shape(nodes, node.left), shape(nodes, node.right)


@dataclass(frozen=True)
class ExactRound:
    """One round: its tree, the residuals before it, and the scores after it."""

    tree: list[ExactNode]
    residual: list[Fraction]
    scores: list[Fraction]

    def after(self, y: Numbers) -> list[Fraction]:
        """Compute the residuals after the round."""
        return [label - score for label, score in zip(y, self.scores, strict=True)]


def ls_boosting(
    X: Table,
    y: Numbers,
    nu: Fraction,
    n_leaves: int,
    w: Numbers | None = None,
    at: Callable[[list[ExactNode]], list[RowSet]] = lambda tree: [],
) -> Iterator[tuple[ExactRound, list[Fraction]]]:
    """Boost by McRank Alg. 2; yield each round with the scores of more places, whose leaves `at` finds in a tree."""
    w = [1] * len(y) if w is None else w
    # McRank Alg. 2, line 1
    start = mean(y, w, tuple(range(len(y))))
    scores, elsewhere = [start] * len(y), None
    while True:
        # McRank Alg. 2, line 3
        residual = [label - score for label, score in zip(y, scores, strict=True)]
        tree = grow_best_first(X, residual, w, n_leaves=n_leaves)
        for rows in leaves(tree):
            # McRank Alg. 2, lines 4 and 5
            for i in rows:
                scores[i] += nu * mean(residual, w, rows)
        added = [nu * mean(residual, w, rows) for rows in at(tree)]
        elsewhere = [s + a for s, a in zip(elsewhere or [start] * len(added), added, strict=True)]
        yield ExactRound(tree, residual, list(scores)), list(elsewhere)

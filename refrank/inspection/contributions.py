"""Contributions of the features to a score, cut by cut, which add up to it in every bit.

    symbol        in code        shape
    v             value          (n_nodes,): mean of the leaves below a node (`average_leaves`)
    F_c           outputs        (n_samples, n_outputs)
    c_{c,f}       parts          (n_outputs, n_samples, n_features)
    w_c           weights        (n_samples, n_outputs), of `refrank.inspection.weights`
    S             scores         (n_samples,)

A row goes from the root of a tree to a leaf, and each cut on its way moves v from that of the node to that of its
child. The move belongs to the feature of the cut (Saabas 2014). So the value of the leaf is that of the root plus the
moves, and, with the learning rate, an output is the sum of the roots plus a part per feature:

    F_c = base_c + sum_f c_{c,f}

Where several outputs make a score, S - S(base) = sum_c w_c (F_c - base_c), and the part of feature f is
sum_c w_c c_{c,f}.

*In every bit.* These sums are rounded, and would miss S by some units in the last place. So the parts of a row are
rounded to multiples of one step, a power of two, at most 2^-51 of their magnitudes and that of S. Then their sums are
exact, and so is the base: S on that grid, less the parts. What the grid does not hold of S, at most half a step, is the
last column. It must be a column of its own: no float64 is 0.001 - 0.901 to the last bit of 0.001.
"""

from collections.abc import Callable, Sequence
from itertools import count, takewhile
from typing import NamedTuple

import numpy as np

from refrank.arrays import Floats, Matrix
from refrank.inspection.node_values import average_leaves
from refrank.inspection.sums import TreeSum
from refrank.trees.model.tree import LEAF, Tree

BLOCK = 2**22  # entries of the parts that are held at once
Weigh = Callable[[Floats, Floats], Floats]  # base, (n_outputs,), and outputs, (n_samples, n_outputs) -> weights


class Step(NamedTuple):
    """A tree of an output."""

    output: int
    tree: Tree
    value: Floats  # (n_nodes,): the mean of the leaves below, times the factor of the tree


def compute_contributions(sums: Sequence[TreeSum], X: Matrix, scores: Floats, weigh: Weigh) -> Floats:
    """Split the scores of the rows of X, (n_samples, n_features), into parts: (n_samples, n_features + 2).

    The last two columns are the base value and the rest of the rounding. `scores`, (n_samples,), are those of the
    ranker, to which each row adds up; `weigh` is its rule for several outputs.
    """
    n_samples, n_features = X.shape
    n_outputs = len(sums[0].ensemble.initial)
    steps = [[*list_steps(part)] for part in sums]
    base = np.zeros(n_outputs)
    for part, of_part in zip(sums, steps, strict=True):
        base += np.array(part.ensemble.initial) / part.divisor
        for step in of_part:
            base[step.output] += step.value[0]
    table = np.empty((n_samples, n_features + 2))
    n_rows = max(1, BLOCK // (n_outputs * n_features))
    for start in takewhile(lambda start: start < n_samples, count(step=n_rows)):
        rows = slice(start, start + n_rows)
        parts = np.zeros((n_outputs, len(X[rows]), n_features))
        for part, of_part in zip(sums, steps, strict=True):
            columns = part.read(X[rows])
            for step in of_part:
                add_moves(step, columns, parts[step.output])
        weights = weigh(base, base + parts.sum(axis=2).T)
        combined = np.zeros(parts.shape[1:])
        for c in range(n_outputs):
            combined += weights[:, c, np.newaxis] * parts[c]
        table[rows] = add_up(combined, scores[rows])
    return table


def list_steps(part: TreeSum) -> list[Step]:
    """List the trees of a sum with the values of their nodes, round by round."""
    rounds = part.ensemble.rounds
    return [Step(c, tree, part.factor * average_leaves(tree)) for trees in rounds for c, tree in enumerate(trees)]


def add_moves(step: Step, columns: Matrix, parts: Floats) -> None:
    """Add the moves of the rows in a tree to the parts of its output, (n_samples, n_features), in place."""
    tree, n_features = step.tree, parts.shape[1]
    rows, node = np.arange(len(columns)), np.zeros(len(columns), np.int32)
    while True:
        inner = tree.feature[node] != LEAF
        rows, node = rows[inner], node[inner]
        if not len(rows):
            return
        feature = tree.feature[node]
        child = np.where(columns[rows, feature] < tree.cut[node], tree.left[node], tree.right[node])
        parts[rows, feature % n_features] += step.value[child] - step.value[node]
        node = child


def add_up(parts: Floats, scores: Floats) -> Floats:
    """Round parts, (n_samples, n_features), to a grid, and add the two columns with which a row is its score exactly.

    >>> import math
    >>> table = add_up(np.array([[-0.75, 1 / 3]]), np.array([0.1]))
    >>> (table.round(3) + 0.0).tolist(), math.fsum(table[0])
    ([[-0.75, 0.333, 0.517, 0.0]], 0.1)
    """
    sizes = np.abs(parts).sum(axis=1) + np.abs(scores)
    exponent = np.maximum(np.frexp(sizes)[1] - 52, -1074)  # a step: with it, all sums are integers below 2^53
    units = np.rint(np.ldexp(parts, -exponent[:, np.newaxis]))
    whole = np.rint(np.ldexp(scores, -exponent))
    base = whole - units.sum(axis=1)
    table = np.ldexp(np.column_stack([units, base, whole]), exponent[:, np.newaxis])
    table[:, -1] = scores - table[:, -1]
    return table + 0.0

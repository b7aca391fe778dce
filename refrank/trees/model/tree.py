"""A regression tree, the rows of its leaves, and the predictions of trees.

symbol                      in code            shape
{R_j}                       Leaves             the rows of each leaf
beta_j                      Tree.value         (n_nodes,), 0 except in the leaves
sum_j beta_j 1[x in R_j]    add_predictions    (n_samples,)
"""

from collections.abc import Sequence
from dataclasses import dataclass, fields, replace
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints, Matrix, Rows
from refrank.checks import check_shape
from refrank.trees.engine import Engine
from refrank.trees.events import LeavesSummed, LeavesValued, ScoresRaised, StepTaken
from refrank.trees.numbers.grid import find_exponent, from_grid

MOST_LEAVES = 2**30  # of a tree, which then has 2**31 - 1 nodes: an int32 can number no more
LEAF = -1  # the feature of a node without a cut


@dataclass(frozen=True, repr=False)
class Tree:
    """A regression tree; each field has one entry per node, (n_nodes,).

    Nodes are numbered in the order in which they are made: the root is 0, left before right, children after
    their parent.
    """

    feature: NDArray[np.int32]  # the feature that the node cuts on, -1 in a leaf
    bin: NDArray[np.int32]  # rows with code <= bin go left
    cut: Floats  # rows with x < cut go left: the same rows
    left: NDArray[np.int32]  # numbers of the children, 0 in a leaf
    right: NDArray[np.int32]
    split_gain: Floats  # reduction of the sum of squared errors, 0 in a leaf
    n_node_samples: Ints  # number of training rows
    value: Floats  # prediction of a leaf, 0 in a node with a cut

    def __repr__(self) -> str:
        """Return the tree's size; its arrays are fields."""
        return f"Tree({len(self.feature)} nodes, {int(np.count_nonzero(self.feature == LEAF))} leaves)"


@dataclass(frozen=True)
class Leaves:
    """The training rows of each leaf of a tree just grown, and their exact sums."""

    nodes: Ints  # (n_leaves,): number of each leaf's node
    rows: NDArray[np.int32]  # (n_rows,): rows, leaf after leaf
    starts: Ints  # (n_leaves + 1,): the rows of leaf j are rows[starts[j]:starts[j + 1]]
    residual_sum: Floats  # (n_leaves,): sums of weight * residual
    weight_sum: Floats  # (n_leaves,): sums of weight; the counts of rows where they have none
    engine: Engine

    def sum_of(self, value: Floats) -> Floats:
        """Sum another quantity, (n_samples,), over the rows of each leaf, on its own grid; (n_leaves,)."""
        engine, exponent = self.engine, find_exponent(value, self.engine)
        integers = engine.splitter.leaf_sums(value, exponent, self.rows, self.starts, engine.n_threads)
        sums = from_grid(integers, exponent)
        return engine.tell(LeavesSummed(self.rows, sums)).sums

    def add_to(self, scores: Floats, factor: float, values: Floats) -> None:
        """Add factor * value of each leaf, (n_leaves,), to the scores, (n_samples,), of its rows, in place."""
        engine = self.engine
        values = engine.tell(LeavesValued(self.rows, values)).values
        step = engine.tell(StepTaken(self.rows, factor * values)).values
        engine.splitter.add_to_leaves(scores, self.rows, self.starts, step, engine.n_threads)
        engine.tell(ScoresRaised(self.rows, self.starts, step, scores))


def with_values(tree: Tree, leaves: Leaves, values: Floats) -> Tree:
    """Return the tree with other values, (n_leaves,), in its leaves."""
    value = np.zeros(len(tree.feature))
    value[leaves.nodes] = values
    return replace(tree, value=value)


def add_predictions(trees: Sequence[Tree], X: Matrix, learning_rate: float, scores: Floats, engine: Engine) -> None:
    """Add learning_rate * tree(x), for each row of X, (n_samples, n_features), to the scores, (n_samples,), in place.

    The additions are those of training, tree after tree: the scores of training rows are bit-for-bit identical to those
    in training. Trees that rows cannot be sent down (`check_trees`) raise a ValueError before any score has changed.
    """
    if not trees:
        return
    check_trees(trees, X.shape[1])
    check_shape("scores", scores, (len(X),), "(n_samples,), one score per row of X")
    engine.splitter.add_trees(X, *join_trees(trees, learning_rate), scores, engine.n_threads)


class JoinedTrees(NamedTuple):
    """The nodes of one tree after the other, (n_nodes,), and the numbers of the roots, (n_trees,)."""

    roots: Ints
    feature: Rows
    cut: Floats
    left: Rows
    right: Rows
    value: Floats  # times the learning rate


def join_trees(trees: Sequence[Tree], learning_rate: float) -> JoinedTrees:
    """Join one or more trees as `add_trees` of the splitter takes them."""
    roots = np.cumsum([0, *(len(tree.feature) for tree in trees[:-1])])
    feature, cut, left, right, value = (
        np.concatenate([getattr(tree, name) for tree in trees]) for name in ("feature", "cut", "left", "right", "value")
    )
    return JoinedTrees(roots, feature, cut, left, right, learning_rate * value)


def check_trees(trees: Sequence[Tree], n_features: int) -> None:
    """Refuse trees that do not send every row of n_features features from the root to a leaf.

    Each field has one entry per node, cuts read existing features, and the children of a node are later nodes of its
    tree. Then every path ends, and no entry outside the arrays is read.
    """
    for field in fields(Tree):
        for t, tree in enumerate(trees):
            name, shape = f"{field.name} of tree {t}", (max(1, tree.feature.size),)
            check_shape(name, getattr(tree, field.name), shape, "(n_nodes,), one entry per node")
    sizes = np.array([len(tree.feature) for tree in trees])
    number = np.repeat(np.arange(len(trees)), sizes)  # of each node of all trees: its tree
    size, place = sizes[number], np.arange(len(number)) - (np.cumsum(sizes) - sizes)[number]
    feature, left, right = (
        np.concatenate([getattr(tree, name) for tree in trees]) for name in ("feature", "left", "right")
    )
    inner = feature != LEAF
    later = "a later node of its tree, which has {}"
    for name, values, wrong, rule in (
        ("feature", feature, (feature < LEAF) | (feature >= n_features), f"{LEAF}, or a feature below {n_features}"),
        ("left", left, inner & ((left <= place) | (left >= size)), later),
        ("right", right, inner & ((right <= place) | (right >= size)), later),
    ):
        if wrong.any():
            at = int(np.argmax(wrong))
            node = f"node {place[at]} in tree {number[at]}"
            raise ValueError(f"{name} of {node} is {values[at]}: it must be {rule.format(size[at])}")


def quotient(numerator: Floats, denominator: Floats) -> Floats:
    """Divide; the quotient is 0 where the denominator is 0 (docs/reference/numerics.md, rule 5)."""
    return np.divide(numerator, denominator, out=np.zeros_like(numerator), where=denominator != 0)


def check_leaves(n_rows: int, min_samples_leaf: int, max_depth: int | None, n_leaves: int | None, n_ways: int) -> None:
    """Refuse limits under which a tree may have more leaves than there are numbers for its nodes.

    The tree is grown on `n_rows` rows, and a cut divides a node into at most `n_ways`. A depth or a number of leaves of
    None is without limit.

    Examples
    --------
    >>> check_leaves(2**30, 1, max_depth=None, n_leaves=None, n_ways=2)
    >>> check_leaves(2**30 + 1, 1, max_depth=30, n_leaves=None, n_ways=2)
    >>> check_leaves(2**30 + 1, 1, max_depth=31, n_leaves=None, n_ways=2)
    Traceback (most recent call last):
    ValueError: min_samples_leaf is 1: it must be at least 2, or a tree of 1073741825 rows may have over 2^30 leaves
    """
    most = n_rows // max(1, min_samples_leaf)
    if max_depth is not None:
        most = min(most, n_ways ** min(max_depth, 31))
    if n_leaves is not None:
        most = min(most, n_leaves)
    if most > MOST_LEAVES:
        rule = f"it must be at least {n_rows // (MOST_LEAVES + 1) + 1}"
        reason = f"or a tree of {n_rows} rows may have over 2^30 leaves"
        raise ValueError(f"min_samples_leaf is {min_samples_leaf}: {rule}, {reason}")


def scale_gains(split_gain: Floats, residual_exponent: int, weight_exponent: int) -> Floats:
    """Scale split gains, (n_nodes,), back from the grids: squares of sums of residuals over sums of weights."""
    with np.errstate(over="ignore"):  # a square: it may be infinite where no residual is
        return np.ldexp(split_gain, weight_exponent - 2 * residual_exponent)


def read_only(values: Floats) -> Floats:
    """Return a view of an array of a running algorithm that cannot be written to."""
    view = values.view()
    view.flags.writeable = False
    return view

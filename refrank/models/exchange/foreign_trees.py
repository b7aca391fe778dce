"""Conversion of other programs' trees, given node by node, to trees of refrank, and the checks before it.

    symbol       in code               shape
    -            left, right           (n_nodes,): numbers of children, of any order; 0 in a leaf
    rule         rule                  (n_nodes,): the one of `RULES` by which a cut reads its feature

A program may number nodes in any order and leave some unused. refrank numbers children after their parents
(`refrank.trees.model.tree.check_trees`), so nodes are numbered anew, breadth first. A child that is reached twice
or does not exist is refused.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Floats, Ints
from refrank.checks import MOST_STATED_CLASSES, check_integer
from refrank.estimators.imported import RULES, ImportedRanker, Source
from refrank.trees.model.ensemble import Ensemble, check_ensemble
from refrank.trees.model.tree import LEAF, Tree

NAMES = (*RULES,)


@dataclass(frozen=True)
class ForeignTree:
    """A tree as it is in a file; each field has one entry per node, (n_nodes,), the root first."""

    feature: Ints  # LEAF in a leaf
    rule: Ints  # place in NAMES
    cut: Floats  # x < cut goes left
    left: Ints
    right: Ints
    value: Floats
    split_gain: Floats
    n_node_samples: Ints


def make_ranker(
    rounds: Sequence[Sequence[ForeignTree]],
    n_features: int,
    source: Source,
    initial: tuple[float, ...],
    averages: bool = False,
    names: Sequence[str] = (),
) -> ImportedRanker:
    """Make a ranker from the trees of each round, one per output; the sums start at `initial`, (n_outputs,).

    `names` are those of the features; they are dropped unless there are n_features different ones.
    """
    check_integer("the number of outputs", len(initial), 1, MOST_STATED_CLASSES)
    held = [tree for trees in rounds for tree in trees]
    if not held:
        raise ValueError("it has no trees")
    for number, tree in enumerate(held):
        wrong = (tree.feature < LEAF) | (tree.feature >= n_features)
        if wrong.any():
            node = int(np.argmax(wrong))
            rule = f"it must be below {n_features}, the number of features"
            raise ValueError(f"the feature of node {node} of tree {number} is {tree.feature[node]}: {rule}")
    used = sorted({int(rule) for tree in held for rule in np.unique(tree.rule[tree.feature != LEAF])})
    used = used or [NAMES.index("nan right")]
    block = np.zeros(len(NAMES), np.int64)
    block[used] = np.arange(len(used))
    check_integer("the number of features, once per rule for missing entries", n_features * len(used), 1)
    numbers = iter(range(len(held)))
    trees = tuple(tuple(number_anew(tree, block, n_features, next(numbers)) for tree in turn) for turn in rounds)
    model = Ensemble(initial, trees, 1.0)
    check_ensemble(model, n_features * len(used))
    ranker = ImportedRanker()
    ranker.n_features_in_, ranker.n_queries_ = n_features, 1
    ranker.model_, ranker.source_, ranker.averages_ = model, source, averages
    ranker.rules_ = tuple(NAMES[rule] for rule in used)
    if len({*names}) == n_features == len(names):
        vars(ranker)["feature_names_in_"] = np.array(names, object)
    return ranker


def number_anew(tree: ForeignTree, block: Ints, n_features: int, number: int) -> Tree:
    """Number the nodes reachable from the root, breadth first; `block` gives the columns that each rule reads."""
    n_nodes = len(tree.feature)
    place = [-1] * n_nodes
    order, place[0] = [0], 0
    feature, left, right = tree.feature.tolist(), tree.left.tolist(), tree.right.tolist()
    for node in order:  # it grows in the loop
        if feature[node] == LEAF:
            continue
        for child in (left[node], right[node]):
            if not 0 <= child < n_nodes or place[child] >= 0:
                rule = f"it must be one of its {n_nodes} nodes, and the child of one node only"
                raise ValueError(f"a child of node {node} of tree {number} is {child}: {rule}")
            place[child] = len(order)
            order.append(child)
    rows, places = np.array(order), np.array(place)
    inner = tree.feature[rows] != LEAF
    column = np.where(inner, block[tree.rule[rows]] * n_features + tree.feature[rows], LEAF)
    gain = tree.split_gain[rows]

    def in_cuts(values: NDArray[Any], kind: Any) -> NDArray[Any]:
        return np.where(inner, values, 0).astype(kind)

    return Tree(
        feature=column.astype(np.int32),
        bin=np.zeros(len(rows), np.int32),
        cut=in_cuts(tree.cut[rows], np.float64),
        left=in_cuts(places[tree.left[rows] * inner], np.int32),
        right=in_cuts(places[tree.right[rows] * inner], np.int32),
        split_gain=in_cuts(np.where(np.isfinite(gain) & (gain > 0), gain, 0.0), np.float64),
        n_node_samples=np.maximum(tree.n_node_samples[rows], 0),
        value=np.where(inner, 0.0, tree.value[rows]),
    )


def deal_out(trees: Sequence[Any], outputs: Sequence[int], n_outputs: int) -> list[tuple[Any, ...]]:
    """Group trees, in order, into rounds of one tree per output, given the output of each tree.

    >>> deal_out(["a", "b", "c", "d"], [0, 0, 1, 1], 2)
    [('a', 'c'), ('b', 'd')]
    """
    columns: list[list[Any]] = [[] for _ in range(n_outputs)]
    for tree, output in zip(trees, outputs, strict=True):
        columns[output].append(tree)
    sizes = [len(column) for column in columns]
    if len({*sizes}) > 1:
        raise ValueError(f"its outputs have {min(sizes)} to {max(sizes)} trees: each must have as many")
    return list(zip(*columns, strict=True))

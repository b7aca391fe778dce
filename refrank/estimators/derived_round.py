"""A round of a model derived once more from shards, and the first place where the two differ.

A model that was trained on a cluster, by refrank or by a port of it, can be checked against the rows, round by round: a
round follows from the rounds before it. Each number of a tree follows from one join, which a difference names.
"""

from collections.abc import Iterator, Sequence
from copy import copy
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from refrank.arrays import Ints
from refrank.checks import check_integer
from refrank.cluster.recording import Join, record_joins
from refrank.trees.model.tree import LEAF, Tree

FIELDS = ("n_node_samples", "split_gain", "feature", "bin", "cut", "left", "right", "value")  # what a node is, in order


@dataclass(frozen=True)
class DerivedRound:
    """A round, derived from shards."""

    trees: tuple[Tree, ...]  # one per output
    joins: list[Join]


def derive_round(ranker: Any, shards: Sequence[Any], number: int) -> DerivedRound:
    """Derive a round of a model, counted from 1, from the shards; the rounds before it are taken from the model.

    `shards` are those of `fit_shards`. Raises a ValueError if the model has no such round, was not trained on these
    rows, or is not one whose rounds are trees on shards.
    """
    rounds = getattr(getattr(ranker, "model_", None), "rounds", ())
    if not rounds or "n_rounds" not in ranker.get_params():
        raise ValueError(f"{type(ranker).__name__} has no rounds of trees: a round cannot be derived")
    check_integer("number", number, 1, len(rounds))
    before = copy(ranker).set_params(n_rounds=number, warm_start=True, verbose=0)
    before.model_ = replace(ranker.model_, rounds=rounds[: number - 1])
    with record_joins(len(shards)) as recording:
        before.fit_shards(shards)
    return DerivedRound(before.model_.rounds[-1], recording.list_joins())


def find_tree_difference(trees: Sequence[Tree], derived: Sequence[Tree]) -> str | None:
    """Describe the first number in which trees of a round differ from the derived ones; None where none does.

    >>> from refrank.trees.model.tree import Tree
    >>> node, none = np.zeros(1, np.int32), np.zeros(1)
    >>> tree = Tree(node - 1, node, none, node, node, none, np.array([7]), none)
    >>> find_tree_difference([tree], [replace(tree, value=none + 0.5)])
    'tree 0, node 0: value is 0.0, and the shards give 0.5; it follows from the sums of the leaves'
    """
    for t, (own, other) in enumerate(zip(trees, derived, strict=True)):
        for node in range(min(len(own.feature), len(other.feature))):
            for name in FIELDS:
                value, right = getattr(own, name)[node], getattr(other, name)[node]
                if value != right:
                    about = f"tree {t}, node {node}: {name} is {value}, and the shards give {right}"
                    return f"{about}; it follows from {name_join(other, node, name)}"
        if len(own.feature) != len(other.feature):
            return f"tree {t} has {len(own.feature)} nodes, and the shards give {len(other.feature)}"
    return None


def name_join(tree: Tree, node: int, name: str) -> str:
    """Name the join from which a number of a node follows."""
    if name == "value" and tree.feature[node] == LEAF:
        return "the sums of the leaves"
    if node == 0:
        return "the sums of the root"
    parent = int(np.flatnonzero((tree.left == node) | (tree.right == node))[0])
    return f"the histogram joined after node {parent} was cut"


def find_join_difference(joins: Sequence[Join], others: Iterator[tuple[str, Ints]]) -> str | None:
    """Describe the first join in which another program differs: its kind, or an integer; None where none does.

    `others` are the kinds and the joined integers, (n_integers,), of its joins.
    """
    n_joins = 0
    for place, (kind, integers) in enumerate(others):
        if place == len(joins):
            return f"join {place} ({kind}): the shards give no more than {place}"
        join, n_joins = joins[place], place + 1
        about = f"join {place} ({join.kind})"
        if kind != join.kind:
            return f"{about}: it is {kind!r}"
        if len(integers) != len(join.joined):
            return f"{about}: it has {len(integers)} integers, and the shards give {len(join.joined)}"
        if (wrong := integers != join.joined).any():
            at = int(np.argmax(wrong))
            return f"{about}: integer {at} is {integers[at]}, and the shards give {join.joined[at]}"
    return None if n_joins == len(joins) else f"join {n_joins} ({joins[n_joins].kind}) is missing"

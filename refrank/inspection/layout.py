"""The places of a tree's nodes, in a text or a drawing, and the words that stand there.

A tree sees a missing entry as its substitute. So each cut sends missing entries to one side, unless a cut above has
already parted them from the rows that come here:

    match < 0.5                 match is there            a cut at the substitute, infinity: cuts go three ways
    |-- yes                     |-- yes
    '-- no, or missing          '-- no
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

from refrank.arrays import Matrix
from refrank.trees.model.tree import LEAF, Tree


@dataclass(frozen=True)
class PlacedNode:
    """A node in its place."""

    node: int
    above: int  # the place of the node above in the list; -1 for the root
    answer: str  # to the question of the node above, by which rows come here
    depth: int
    x: float  # in leaves, from the left
    heading: str  # the question of a cut, or the value of a leaf
    details: tuple[str, ...]
    is_end: bool  # nothing below is shown


def lay_out(
    tree: Tree, names: Sequence[str] | None = None, fill: Matrix | None = None, max_depth: int | None = None
) -> list[PlacedNode]:
    """List the nodes of a tree, each before those below it, left before right.

    `names` are those of the features; by default x0, x1, ... `fill`, (n_features,), holds the substitutes of missing
    entries, if there are any. Nodes below max_depth cuts are left out.
    """
    highest = int(tree.feature.max())
    if names is not None and len(names) <= highest:
        raise ValueError(f"feature_names has {len(names)} names: the tree cuts on feature {highest}, counted from 0")
    places: list[PlacedNode] = []
    waiting = [(0, -1, "", 0, frozenset[int]())]  # with the features that rows here are sure to have
    while waiting:
        node, above, answer, depth, sure = waiting.pop()
        feature, cut = int(tree.feature[node]), float(tree.cut[node])
        n_rows = int(tree.n_node_samples[node])
        count = f"{n_rows:,} row{'s' * (n_rows != 1)}"
        is_end = feature == LEAF or depth == max_depth
        if feature == LEAF:
            heading, details = f"{tree.value[node]:.6g}", [count]
        else:
            name = f"x{feature}" if names is None else str(names[feature])
            heading, details = f"{name} < {cut:.6g}", [count, f"gain {tree.split_gain[node]:.4g}"]
            below = int(tree.left[node]), int(tree.right[node])
            answers, present = ["yes", "no"], sure
            if fill is not None and fill[feature] == cut == np.inf:
                heading, present = f"{name} is there", sure | {feature}
            elif fill is not None and feature not in sure:
                answers[0 if fill[feature] < cut else 1] += ", or missing"
            if not is_end:
                waiting.append((below[1], len(places), answers[1], depth + 1, sure))
                waiting.append((below[0], len(places), answers[0], depth + 1, present))
        places.append(PlacedNode(node, above, answer, depth, 0.0, heading, tuple(details), is_end))
    return center(places)


def center(places: Sequence[PlacedNode]) -> list[PlacedNode]:
    """Number the ends from the left, and put each cut in the middle of the two nodes below it."""
    x = [0.0] * len(places)
    ends = iter(range(len(places)))
    for number, place in enumerate(places):
        if place.is_end:
            x[number] = float(next(ends))
    for number in range(len(places) - 1, 0, -1):  # both halves arrive before the place itself is passed on
        x[places[number].above] += x[number] / 2
    return [replace(place, x=at) for place, at in zip(places, x, strict=True)]

"""Shared by the pages of this folder: a program's tree as a round of refrank, and the ranking at the end.

Each program is trained on the golden bins in place of the features, so that all of them choose among the same cuts.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass

import numpy as np


@dataclass(frozen=True)
class Node:
    """A node of a tree: a leaf, or a cut, by which rows with code <= bin go left."""

    value: float = 0.0  # of a leaf
    turn: float = 0.0  # of the nodes that wait, the one with the lowest turn is cut: its number, or less what it gains
    feature: int = -1
    bin: int = 0
    left: "Node | None" = None
    right: "Node | None" = None


def read_codes(case) -> np.ndarray:
    """Return the golden bin of every entry of X, (n_samples, n_features)."""
    codes = np.empty(case.X.shape)
    for f, (first, last) in enumerate(zip(case.offsets[:-1], case.offsets[1:], strict=True)):
        codes[:, f] = np.searchsorted(case.cuts[first - f : last - f - 1], case.X[:, f], side="right")
    return codes


def read_target(case) -> tuple[np.ndarray, int]:
    """Return what is learned, (n_samples,), and how many trees a round has; raise NotImplementedError for other cases.

    They are LS boost, which learns 2^y - 1 by one tree, and softmax boosting where all trees of a round start from one
    p, as in every program of this folder: it learns y by a tree per class.
    """
    if case.weight is None and case.algorithm == "ls":
        return 2.0**case.y - 1.0, 1
    if case.weight is None and case.algorithm == "softmax" and case.parameters["update"] == "simultaneous":
        return case.y.astype(float), int(case.y.max()) + 1
    raise NotImplementedError


def make_node(at: int, left: Sequence[int], right: Sequence[int], feature, cut, value, turn) -> Node:
    """Make the tree below a node, given arrays of all nodes; left is -1 in a leaf, and integers <= cut go left."""
    if left[at] < 0 or left[at] == right[at]:
        return Node(float(value[at]))
    below = [make_node(int(child[at]), left, right, feature, cut, value, turn) for child in (left, right)]
    return Node(0.0, float(turn[at]), int(feature[at]), int(np.floor(cut[at])), *below)


def part_rows(node: Node, codes: np.ndarray, rows: np.ndarray) -> Iterator[tuple[Node, np.ndarray]]:
    """Yield every node of a tree with its rows: a node before those below it, left before right."""
    yield node, rows
    if node.feature >= 0:
        goes_left = codes[rows, node.feature] <= node.bin
        yield from part_rows(node.left, codes, rows[goes_left])
        yield from part_rows(node.right, codes, rows[~goes_left])


def tell_tree(
    tell: Callable, case, codes: np.ndarray, tree: Node, m: int, output: int, stage: str, dtype=float
) -> None:
    """Describe how a tree parts the rows, and the values of its leaves, as "leaf_values" or as "step".

    A cut lies between two rows of its node, and it is told as the lowest bin that parts them so: where in a gap a
    program puts it makes no difference in training.
    """
    parted = list(part_rows(tree, codes, np.arange(len(codes))))
    rows_of = {id(node): rows for node, rows in parted}
    leaves = [node for node, _ in parted if node.feature < 0]
    in_turn, waiting = [], [tree]
    while waiting := [node for node in waiting if node.feature >= 0]:
        in_turn.append(min(waiting, key=lambda node: node.turn))
        waiting.remove(in_turn[-1])
        waiting += [in_turn[-1].left, in_turn[-1].right]
    number = {id(tree): 0}
    for i, node in enumerate(in_turn):
        number |= {id(node.left): 2 * i + 1, id(node.right): 2 * i + 2}
    cuts = []
    for node in in_turn:
        bin = int(codes[rows_of[id(node.left)], node.feature].max())
        cuts.append(case.cuts[case.offsets[node.feature] - node.feature + bin])
    tell(
        "partition",
        round=m,
        output=output,
        nodes=np.array([number[id(node)] for node in in_turn], int),
        cut=np.array(cuts),
        n_left=np.array([len(rows_of[id(node.left)]) for node in in_turn], int),
        rows=np.concatenate([rows_of[id(node)] for node in leaves]),
    )
    tell(stage, round=m, output=output, values=np.array([node.value for node in leaves], dtype))


def tell_ranking(tell: Callable, case, scores: np.ndarray) -> None:
    """Return the scores that rows are ranked by, (n_samples,), and the order of the rows of each query."""
    tell("prediction", values=scores)
    tell("order", rows=np.lexsort((-scores, case.qid)))


def expect_relevance(proba: np.ndarray) -> np.ndarray:
    """Return the expected grade of each row, given its probabilities, (n_samples, n_classes)."""
    return sum(k * proba[:, k] for k in range(proba.shape[1]))

"""Cases of one step of McRank's algorithms, with the leaves of the trees given: a port needs no tree learner here.

    symbol    in code          shape
    R_j       leaf             (n,) int64: number of the leaf of each row; (n, n_trees) where a round grows several
    F         scores           (n, n_classes), or (n,)
    nu        learning_rate    float64
    w         weight           (n,) float64, or null

All sums over rows are sums on their grids (family numbers).
"""

from collections.abc import Iterable, Iterator
from dataclasses import fields, replace
from functools import partial
from typing import Any, cast

import numpy as np

from generators.cases.making import Cases, Family, Named
from refrank.mcrank.ordinal_boosting import (
    binary_mirrored,
    binary_sequential,
    find_one_sided_constants,
    ordinal_boosting,
)
from refrank.mcrank.softmax_boosting import softmax_boosting_sequential, softmax_boosting_simultaneous, take_step
from refrank.trees.engine import SPECIFICATION
from refrank.trees.model.tree import Leaves, Tree
from refrank.trees.numbers.grid import weigh

FAMILY = Family("rounds", "One round of Algorithm 1 and of Sec. 4, the leaves of the trees given.")

LEAF = "number of the leaf of each row, int64"
WEIGHT = "float64, (n,), or null"
RATE = "nu, float64"
VALUES = FAMILY.function(
    "leaf_values",
    "Newton step of each leaf: (K-1)/K times its sum of residuals over its sum of p (1 - p); 0 where that is 0.",
    "McRank Alg. 1, line 6",
    {
        "residual": "y~ - p of one class, float64, (n,)",
        "proba": "p of the class, float64, (n,)",
        "leaf": f"{LEAF}, (n,), from 0",
        "n_classes": "K, an integer",
        "weight": WEIGHT,
    },
    {"values": "float64, (n_leaves,)"},
    lambda residual, proba, leaf, n_classes, weight: leaf_values(residual, proba, leaf, n_classes, weight),
)
SOFTMAX = FAMILY.function(
    "softmax_round",
    "F after one round of Algorithm 1, where the tree of class k has the leaves leaf[:, k].",
    "McRank Alg. 1, lines 3 to 7",
    {
        "y": "classes, int64, (n,)",
        "scores": "F before the round, float64, (n, n_classes)",
        "leaf": f"{LEAF} of each class's tree, (n, n_classes)",
        "learning_rate": RATE,
        "weight": WEIGHT,
    },
    {"scores": "float64, (n, n_classes)"},
    lambda **input: softmax_round(**input),
)
ORDINAL = FAMILY.function(
    "ordinal_round",
    "Pr(y <= k) for k = 0..K-2 after one round from F = 0: Algorithm 1 with two classes for each k.",
    "McRank Sec. 4",
    {
        "y": "classes, int64, (n,)",
        "n_classes": "K, an integer",
        "leaf": "(n, n_classes - 1), int64: number of the leaf of each row in the trees of each problem",
        "learning_rate": RATE,
    },
    {"cumulative_proba": "float64, (n, n_classes - 1)"},
    lambda **input: ordinal_round(**input),
)


class GivenLeaves:
    """A grower whose trees have given leaves: a number of each row, (n,), for each tree in its turn."""

    engine = SPECIFICATION

    def __init__(self, leaf: Iterable[Any]) -> None:
        self.leaf = iter(leaf)

    def on(self, engine: Any) -> "GivenLeaves":
        """Return itself: there is one engine."""
        return self

    def make_roots(self, residuals: Iterable[Any], weight: Any) -> list[Any]:
        """Keep the residuals and weights of trees."""
        return [(residual, weight) for residual in residuals]

    def grow_from(self, root: Any) -> Any:
        """Sum residuals and weights over the leaves of the next tree."""
        residual, weight = root
        leaf = next(self.leaf)
        rows, n_leaves = np.argsort(leaf, kind="stable").astype(np.int32), int(leaf.max()) + 1
        starts, none = leaf[rows].searchsorted(np.arange(n_leaves + 1)), np.zeros(n_leaves)
        leaves = Leaves(np.arange(n_leaves), rows, starts, none, none, self.engine)
        sums = leaves.sum_of(weigh(residual, weight)), leaves.sum_of(weigh(np.ones(len(leaf)), weight))
        fields_of_nodes: Any = (none,) * len(fields(Tree))
        tree = Tree(*fields_of_nodes)
        return tree, replace(leaves, residual_sum=sums[0], weight_sum=sums[1])

    def grow_all(self, roots: Iterable[Any]) -> Iterator[Any]:
        """Grow the next trees."""
        return map(self.grow_from, roots)

    def __call__(self, residual: Any, weight: Any) -> Any:
        """Grow the next tree."""
        return self.grow_from((residual, weight))


def as_grower(leaf: Iterable[Any]) -> Any:
    """Return a grower with given leaves, for any type."""
    return GivenLeaves(leaf)


def leaf_values(residual: Any, proba: Any, leaf: Any, n_classes: int, weight: Any) -> Any:
    """Compute Newton steps."""
    grow, root = as_grower([leaf]), cast(Any, (residual, weight))
    tree, leaves = grow.grow_from(root)
    return take_step(tree, leaves, np.zeros(len(leaf)), proba, n_classes, 1.0, weight).value


def softmax_round(
    y: Any, scores: Any, leaf: Any, learning_rate: float, weight: Any, boost: Any = softmax_boosting_sequential
) -> Any:
    """Run one round."""
    [last] = boost(y, scores.shape[1], as_grower(leaf.T), 1, learning_rate, weight, scores)
    return last.scores.copy()


def ordinal_round(y: Any, n_classes: int, leaf: Any, learning_rate: float, binary: Any = binary_sequential) -> Any:
    """Run one round of each binary problem."""
    learned = [column for column, c in zip(leaf.T, find_one_sided_constants(y, n_classes), strict=True) if c is None]
    twice = [column for column in learned for _ in range(2 if binary is binary_sequential else 1)]
    [last] = ordinal_boosting(y, n_classes, as_grower(twice), 1, learning_rate, binary=binary)
    return last.cumulative_proba


ONCE = partial(softmax_round, boost=softmax_boosting_simultaneous)
MIRRORED = partial(ordinal_round, binary=binary_mirrored)
OF_A_ROUND = "shrinkage-missing shrinkage-twice factor-missing curvature-missing float32-sums gradient-for-residual"
ROWS: dict[str, Any] = {
    "y": [0, 1, 2, 2, 0, 1],
    "scores": [
        [0.0, 0.0, 0.0],
        [0.5, -0.25, 0.1],
        [-1.0, 0.2, 0.8],
        [0.1, 0.1, -0.3],
        [2.0, -1.0, 0.0],
        [0.0, 0.7, 0.3],
    ],
    "leaf": [[0, 0, 1], [1, 1, 0], [1, 0, 1], [0, 0, 1], [0, 1, 0], [1, 1, 1]],
    "learning_rate": 0.1,
    "weight": None,
}
PLAIN = {"residual": [0.7, -0.3, 0.6, -0.1, -0.9], "proba": [0.3, 0.3, 0.4, 0.1, 0.9], "leaf": [0, 1, 0, 1, 1]}


@FAMILY.part
def list_leaf_cases() -> Cases:
    """Yield the cases of Newton steps."""
    mutants = "factor-missing curvature-missing float32-sums"
    input = {**PLAIN, "n_classes": 3, "weight": None}
    yield from VALUES.valid("two-leaves", input, "K = 3: the factor is 2/3.", mutants=mutants)
    yield from VALUES.valid("two-classes", {**input, "n_classes": 2}, "K = 2: the factor is 1/2.", mutants=mutants)
    weight = {**input, "weight": [0.5, 2.0, 1.0, 0.0, 3.0]}
    yield from VALUES.valid("weighted", weight, "Both sums are weighted.", mutants="weights-ignored")
    sure = {"residual": [0.0, 0.0, 0.4], "proba": [1.0, 0.0, 0.6], "leaf": [0, 0, 1], "n_classes": 3, "weight": None}
    yield from VALUES.valid("certain", sure, "Without curvature, the step is 0.")


@FAMILY.part
def list_softmax_cases() -> Cases:
    """Yield the cases of rounds of Algorithm 1."""
    both: Named = {"sequential": softmax_round, "simultaneous": ONCE}
    said = "As printed, p is computed anew for each class; in Friedman's Algorithm 6 once per round."
    yield from SOFTMAX.acceptable("three-classes", ROWS, said, both, mutants=OF_A_ROUND)
    start = {**ROWS, "scores": np.zeros((6, 3))}
    said = "The first round: every p is 1/3 until the first class has moved."
    yield from SOFTMAX.acceptable("first-round", start, said, both, mutants=OF_A_ROUND)
    yield from SOFTMAX.acceptable("weighted", {**ROWS, "weight": [1.0, 0.5, 2.0, 0.0, 1.0, 3.0]}, "With weights.", both)
    two = {
        "y": [0, 1, 1],
        "scores": np.zeros((3, 2)),
        "leaf": [[0, 0], [1, 1], [1, 1]],
        "learning_rate": 0.5,
        "weight": None,
    }
    yield from SOFTMAX.acceptable("two-classes", two, "K = 2.", both)
    empty = {**ROWS, "y": [0, 2, 2, 2, 0, 2]}
    yield from SOFTMAX.acceptable("empty-class", empty, "No row has class 1; its tree is grown all the same.", both)


@FAMILY.part
def list_ordinal_cases() -> Cases:
    """Yield the cases of cumulative problems."""
    input = {
        "y": [0, 1, 2, 3, 2, 0],
        "n_classes": 4,
        "leaf": [[0, 0, 0], [1, 0, 1], [1, 1, 0], [1, 1, 1], [1, 0, 1], [0, 0, 0]],
    }
    input["learning_rate"] = 0.1
    both: Named = {"sequential": ordinal_round, "one-tree": MIRRORED}
    mutants = "shrinkage-missing factor-missing groups-shifted groups-swapped one-class-against-the-rest"
    said = "Two trees per problem as printed, or one p for both, whose trees mirror each other."
    yield from ORDINAL.acceptable("four-classes", input, said, both, mutants=mutants)
    sided = {**input, "y": [1, 1, 2, 2, 2, 1]}
    said = "Grades 0 and 3 do not occur: Pr(y <= 0) is 0, Pr(y <= 2) is 1."
    yield from ORDINAL.acceptable("empty-classes", sided, said, both)

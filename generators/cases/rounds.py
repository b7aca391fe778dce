"""Cases of one step of McRank's algorithms, with the leaves of the trees given: a port needs no tree learner here.

    symbol    in code          shape
    R_j       leaf             (n,) int64: number of the leaf of each row; (n, n_trees) where a round grows several
    F         scores           (n, n_classes), or (n,)
    nu        learning_rate    float64
    w         weight           (n,) float64, or null

All sums over rows are sums on their grids (family numbers).
"""

from functools import partial
from typing import Any

import numpy as np

from generators.cases.making import Cases, Family, Named
from refrank.mcrank.softmax_boosting import compute_residual, proba_of_class, softmax
from refrank.trees.model.tree import quotient
from refrank.trees.numbers.grid import from_grid, to_grid, weigh

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


def leaf_sums(value: Any, leaf: Any, weight: Any) -> Any:
    """Sum a quantity times the weights over each leaf, on its grid."""
    gridded = to_grid(weigh(value, weight))
    sums = np.zeros(int(leaf.max()) + 1, np.int64)
    np.add.at(sums, leaf, gridded.integers)
    return from_grid(sums, gridded.exponent)


def leaf_values(
    residual: Any, proba: Any, leaf: Any, n_classes: int, weight: Any, *, factor: bool = True, sums: Any = leaf_sums
) -> Any:
    """Compute Newton steps; faults omit (K-1)/K or use other sums."""
    share = (n_classes - 1) / n_classes if factor else 1.0
    return quotient(share * sums(residual, leaf, weight), sums((1.0 - proba) * proba, leaf, weight))


def mean_steps(residual: Any, proba: Any, leaf: Any, n_classes: int, weight: Any) -> Any:
    """Divide by the number or weight of the rows instead of the curvature."""
    share = (n_classes - 1) / n_classes
    return quotient(share * leaf_sums(residual, leaf, weight), leaf_sums(np.ones(len(residual)), leaf, weight))


def make_float_sums(kind: Any) -> Any:
    """Make a function that sums floats of a type, row by row."""

    def sum_rows(value: Any, leaf: Any, weight: Any) -> Any:
        total = np.zeros(int(leaf.max()) + 1, kind)
        for addend, j in zip(weigh(value, weight).astype(kind), leaf, strict=True):
            total[j] = kind(total[j] + addend)
        return total.astype(np.float64)

    return sum_rows


def softmax_round(
    y: Any,
    scores: Any,
    leaf: Any,
    learning_rate: float,
    weight: Any,
    *,
    sequential: bool = True,
    values: Any = leaf_values,
    sign: float = 1.0,
    residual_of: Any = compute_residual,
) -> Any:
    """Run one round, as printed or with one p for all classes; faults change steps or residuals."""
    before = softmax(scores)
    for k in range(scores.shape[1]):
        proba = proba_of_class(scores, k) if sequential else before[:, k]
        beta = values(residual_of(y, k, proba), proba, leaf[:, k], scores.shape[1], weight)
        scores[:, k] += sign * learning_rate * beta[leaf[:, k]]
    return scores


def ordinal_round(y: Any, n_classes: int, leaf: Any, learning_rate: float, *, group: Any = None, **choices: Any) -> Any:
    """Run one round of each binary problem."""
    cumulative = np.empty((len(y), n_classes - 1))
    for k in range(n_classes - 1):
        over = (y > k if group is None else group(y, k)).astype(np.int64)
        if over.min() == over.max():
            cumulative[:, k] = 1 - over[0]
        else:
            both = np.column_stack([leaf[:, k]] * 2)
            F = softmax_round(over, np.zeros((len(y), 2)), both, learning_rate, None, **choices)
            cumulative[:, k] = proba_of_class(F, 0)
    return cumulative


def scale_rate(step: Any) -> Any:
    """Make a fault that replaces the learning rate."""
    return lambda compute: lambda learning_rate, **input: compute(learning_rate=step(learning_rate), **input)


MISSING, TWICE = scale_rate(lambda nu: 1.0), scale_rate(lambda nu: nu * nu)
FACTORLESS = partial(leaf_values, factor=False)

SINGLE = partial(leaf_values, sums=make_float_sums(np.float32))
ROUND_FAULTS: dict[str, Any] = {
    "shrinkage-missing": MISSING(softmax_round),
    "shrinkage-twice": TWICE(softmax_round),
    "factor-missing": partial(softmax_round, values=FACTORLESS),
    "curvature-missing": partial(softmax_round, values=mean_steps),
    "float32-sums": partial(softmax_round, values=SINGLE),
    "gradient-for-residual": partial(softmax_round, sign=-1.0),
}
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
    faults: Named = {"factor-missing": FACTORLESS, "curvature-missing": mean_steps, "float32-sums": SINGLE}
    input = {**PLAIN, "n_classes": 3, "weight": None}
    yield from VALUES.valid("two-leaves", input, "K = 3: the factor is 2/3.", faults=faults)
    yield from VALUES.valid("two-classes", {**input, "n_classes": 2}, "K = 2: the factor is 1/2.", faults=faults)
    weight = {**input, "weight": [0.5, 2.0, 1.0, 0.0, 3.0]}
    faults = {"weights-ignored": lambda weight, **input: leaf_values(weight=None, **input)}
    yield from VALUES.valid("weighted", weight, "Both sums are weighted.", faults=faults)
    sure = {"residual": [0.0, 0.0, 0.4], "proba": [1.0, 0.0, 0.6], "leaf": [0, 0, 1], "n_classes": 3, "weight": None}
    yield from VALUES.valid("certain", sure, "Without curvature, the step is 0.")


@FAMILY.part
def list_softmax_cases() -> Cases:
    """Yield the cases of rounds of Algorithm 1."""
    both: Named = {"sequential": softmax_round, "simultaneous": partial(softmax_round, sequential=False)}
    said = "As printed, p is computed anew for each class; in Friedman's Algorithm 6 once per round."
    yield from SOFTMAX.acceptable("three-classes", ROWS, said, both, faults=ROUND_FAULTS)
    other: Named = {
        f"{name}-simultaneous": partial(fault, sequential=False)
        for name, fault in ROUND_FAULTS.items()
        if isinstance(fault, partial)
    }
    start = {**ROWS, "scores": np.zeros((6, 3))}
    said = "The first round: every p is 1/3 until the first class has moved."
    yield from SOFTMAX.acceptable("first-round", start, said, both, faults=other)
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
    both: Named = {"sequential": ordinal_round, "one-tree": partial(ordinal_round, sequential=False)}
    faults: Named = {
        "shrinkage-missing": MISSING(ordinal_round),
        "shrinkage-missing-one-tree": MISSING(partial(ordinal_round, sequential=False)),
        "factor-missing": partial(ordinal_round, values=FACTORLESS),
        "factor-missing-one-tree": partial(ordinal_round, values=FACTORLESS, sequential=False),
        "groups-shifted": partial(ordinal_round, group=lambda y, k: y >= k),
        "groups-swapped": partial(ordinal_round, group=lambda y, k: y <= k),
        "one-class-against-the-rest": partial(ordinal_round, group=lambda y, k: y != k),
    }
    said = "Two trees per problem as printed, or one p for both, whose trees mirror each other."
    yield from ORDINAL.acceptable("four-classes", input, said, both, faults=faults)
    sided = {**input, "y": [1, 1, 2, 2, 2, 1]}
    said = "Grades 0 and 3 do not occur: Pr(y <= 0) is 0, Pr(y <= 2) is 1."
    yield from ORDINAL.acceptable("empty-classes", sided, said, both)

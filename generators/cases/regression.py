"""Cases of McRank's Algorithm 2 and Friedman's Algorithm 3, step by step, with the leaves of the trees given.

symbol    in code          shape
y~        target           (n,) float64
S         scores           (n,) float64
R_j       leaf             (n,) int64: number of the leaf of each row
"""

from functools import partial
from typing import Any

import numpy as np

from generators.cases.fused import add_fused
from generators.cases.making import Cases, Family, Named
from generators.cases.rounds import LEAF, MISSING, RATE, TWICE, WEIGHT, leaf_sums
from refrank.mcrank.order_statistics import median, quantile
from refrank.trees.model.tree import quotient
from refrank.trees.numbers.grid import exact_mean

FAMILY = Family(
    "regression", "One round of Algorithm 2 and of least absolute deviation, the leaves of the trees given; medians."
)

LS = FAMILY.function(
    "ls_round",
    "S after one round of Algorithm 2.",
    "McRank Alg. 2, lines 3 to 5",
    {
        "target": "y~, float64, (n,)",
        "scores": "S, float64, (n,)",
        "leaf": LEAF,
        "learning_rate": RATE,
        "weight": WEIGHT,
    },
    {"scores": "float64, (n,)"},
    lambda **input: ls_round(**input),
)
LS_START = FAMILY.function(
    "ls_start",
    "S before the first round: the mean of 2^y - 1.",
    "McRank Alg. 2, lines 0 and 1",
    {"y": "classes, int64, (n,)", "weight": WEIGHT},
    {"start": "float64"},
    lambda y, weight: exact_mean(np.ldexp(1.0, y) - 1.0, weight),
)
LAD = FAMILY.function(
    "lad_round",
    "F after one round of least absolute deviation: leaves step to the median of their residuals.",
    "Friedman 2001 Alg. 3, lines 3 to 6",
    LS.inputs,
    {"scores": "float64, (n,)"},
    lambda **input: ls_round(**input, step=median),
)
MEDIAN = FAMILY.function(
    "median",
    "The middle value, or the mean of the middle two; weights count as numbers of rows; 0 without weight.",
    "Friedman 2001 Alg. 3, line 1",
    {"values": "float64, (n,)", "weight": WEIGHT},
    {"median": "float64"},
    median,
)
QUANTILE = FAMILY.function(
    "quantile",
    "The lowest value with a share of the weight at or below it; 0 without weight.",
    "Friedman 2001 Alg. 4, line 4",
    {"values": "float64, (n,)", "share": "float64, above 0 and at most 1", "weight": WEIGHT},
    {"quantile": "float64"},
    lambda values, share, weight: quantile(values, share, weight),
)


def ls_round(
    target: Any, scores: Any, leaf: Any, learning_rate: float, weight: Any, *, step: Any = None, add: Any = None
) -> Any:
    """Run one round of a regression: a leaf's step is the mean of its residuals, or `step` of them."""
    residual = target - scores
    if step is None:
        ones = np.ones(len(target))
        values = quotient(leaf_sums(residual, leaf, weight), leaf_sums(ones, leaf, weight))
    else:
        inside = [leaf == j for j in range(int(leaf.max()) + 1)]
        values = np.array([step(residual[rows], None if weight is None else weight[rows]) for rows in inside])
    return scores + learning_rate * values[leaf] if add is None else add(scores, learning_rate, values[leaf])


@FAMILY.part
def list_cases() -> Cases:
    """Yield the cases of Algorithm 2, and of medians."""
    input = {
        "target": [0.0, 1.0, 3.0, 7.0, 1.0],
        "scores": [2.4, 2.0, 2.9, 2.4, 0.3],
        "leaf": [0, 0, 1, 1, 0],
        "learning_rate": 0.1,
    }
    plain = {**input, "weight": None}
    for function, compute, name in ((LS, ls_round, "ls"), (LAD, partial(ls_round, step=median), "lad")):
        faults: Named = {"shrinkage-missing": MISSING(compute), "shrinkage-twice": TWICE(compute)}
        if name == "ls":
            faults["median-for-mean"] = partial(ls_round, step=median)
            faults["root-for-leaf"] = lambda leaf, **input: ls_round(leaf=0 * leaf, **input)
        else:
            faults["mean-for-median"] = ls_round
            faults["lower-median"] = partial(
                ls_round, step=lambda values, weight: float(np.sort(values)[(len(values) - 1) // 2])
            )
        yield from function.valid("two-leaves", plain, "Two leaves.", faults=faults)
        weighted = {**input, "weight": [1.0, 0.0, 2.0, 0.5, 3.0]}
        faults = {"weights-ignored": ignore_weights(compute)}
        yield from function.valid("weighted", weighted, "With weights.", faults=faults)
    thirds = {**plain, "target": [70.1, 50.7, 33.3, 7.9, 91.2], "scores": [0.1, 0.2, 0.3, 0.7, 0.9]}
    faults = {"fused-multiply-add": partial(ls_round, add=add_fused)}
    yield from LS.valid("two-roundings", thirds, "nu beta is rounded, and then added.", faults=faults)
    faults = {"gain-linear": lambda y, weight: exact_mean(y.astype(np.float64), weight)}
    grades = {"y": [0, 1, 2, 4, 4, 0, 3], "weight": None}
    yield from LS_START.valid("plain", grades, "The mean of 2^y - 1.", faults=faults)
    weighted = {**grades, "weight": [1.0, 0.1, 0.0, 2.0, 0.3, 1.0, 1.0]}
    yield from LS_START.valid("weighted", weighted, "A weighted mean.", faults=faults)
    for name, values, weight, said in (
        ("odd", [4.0, 1.0, 2.0], None, "The middle value."),
        ("even", [4.0, 1.0, 2.0, 0.5], None, "The mean of the middle two."),
        ("one", [0.3], None, "One value."),
        ("signed-zeros", [-0.0, 0.0, -0.0], None, "A median of zero is 0.0."),
        ("weighted", [4.0, 1.0, 2.0], [2.0, 1.0, 1.0], "Exactly half of the weight is at or below 2."),
        ("one-heavy", [4.0, 1.0, 2.0], [5.0, 1.0, 0.0], "More than half of the weight is on one value."),
        ("no-weight", [4.0, 1.0], [0.0, 0.0], "Without weight, the median is 0."),
    ):
        yield from MEDIAN.valid(name, {"values": values, "weight": weight}, said)


@FAMILY.part
def list_quantile_cases() -> Cases:
    """Yield the cases of quantiles."""
    faults: Named = {"quantile-one-late": lambda values, share, weight: np.sort(values)[int(share * len(values))]}
    for name, share, weight, said in (
        ("at-a-value", 0.5, None, "Exactly half of the values are at or below 2."),
        ("between", 0.51, None, "A share beyond a value asks for the next."),
        ("lowest", 1e-300, None, "Any share asks for the lowest value at least."),
        ("highest", 1.0, None, "The whole weight."),
        ("weighted", 0.5, [1.0, 2.0, 0.5, 0.0], "Of weighted values."),
        ("no-weight", 0.5, [0.0] * 4, "Without weight, it is 0."),
    ):
        input = {"values": [4.0, 1.0, 2.0, 3.0], "share": share, "weight": weight}
        yield from QUANTILE.valid(name, input, said, faults=faults if name == "at-a-value" else {})


def ignore_weights(compute: Any) -> Any:
    """Make the fault that counts every row once."""
    return lambda weight, **input: compute(weight=None, **input)

"""Cases of McRank's Algorithm 2 and Friedman's Algorithm 3, step by step, with the leaves of the trees given.

symbol    in code          shape
y~        target           (n,) float64
S         scores           (n,) float64
R_j       leaf             (n,) int64: number of the leaf of each row
"""

from functools import partial
from typing import Any

import numpy as np

from generators.cases.making import Cases, Family
from generators.cases.rounds import LEAF, RATE, WEIGHT, GivenLeaves
from refrank.mcrank.lad_boosting import LAD as LAD_LOSS
from refrank.mcrank.loss_boosting import boost
from refrank.mcrank.ls_boosting import ls_boosting
from refrank.mcrank.order_statistics import median, quantile
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
    lambda **input: run_round(ls_boosting, **input),
)
LS_START = FAMILY.function(
    "ls_start",
    "S before the first round: the mean of 2^y - 1.",
    "McRank Alg. 2, lines 0 and 1",
    {"y": "classes, int64, (n,)", "weight": WEIGHT},
    {"start": "float64"},
    lambda y, weight: average_gain(y, weight),
)
LAD = FAMILY.function(
    "lad_round",
    "F after one round of least absolute deviation: leaves step to the median of their residuals.",
    "Friedman 2001 Alg. 3, lines 3 to 6",
    LS.inputs,
    {"scores": "float64, (n,)"},
    lambda **input: run_round(partial(boost, LAD_LOSS), **input),
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


def run_round(boost: Any, target: Any, scores: Any, leaf: Any, learning_rate: float, weight: Any) -> Any:
    """Run one round on leaves that are given."""
    grow = GivenLeaves([leaf])
    *_, last = boost(target, grow, 1, learning_rate, weight, scores)
    return last.scores.copy()


def average_gain(y: Any, weight: Any) -> Any:
    """Compute line 1 of Algorithm 2."""
    return exact_mean(np.ldexp(1.0, y) - 1.0, weight)


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
    for function, mutants in (
        (LS, "shrinkage-missing shrinkage-twice median-for-mean root-for-leaf"),
        (LAD, "shrinkage-missing shrinkage-twice mean-for-median lower-median"),
    ):
        yield from function.valid("two-leaves", plain, "Two leaves.", mutants=mutants)
        weighted = {**input, "weight": [1.0, 0.0, 2.0, 0.5, 3.0]}
        yield from function.valid("weighted", weighted, "With weights.", mutants="weights-ignored")
    thirds = {**plain, "target": [70.1, 50.7, 33.3, 7.9, 91.2], "scores": [0.1, 0.2, 0.3, 0.7, 0.9]}
    yield from LS.valid("two-roundings", thirds, "nu beta is rounded, and then added.", mutants="fused-multiply-add")
    grades = {"y": [0, 1, 2, 4, 4, 0, 3], "weight": None}
    yield from LS_START.valid("plain", grades, "The mean of 2^y - 1.", mutants="gain-linear")
    weighted = {**grades, "weight": [1.0, 0.1, 0.0, 2.0, 0.3, 1.0, 1.0]}
    yield from LS_START.valid("weighted", weighted, "A weighted mean.", mutants="gain-linear")
    for name, values, weight, said in (
        ("odd", [4.0, 1.0, 2.0], None, "The middle value."),
        ("even", [4.0, 1.0, 2.0, 0.5], None, "The mean of the middle two."),
        ("one", [0.3], None, "One value."),
        ("signed-zeros", [-0.0, 0.0, -0.0], None, "A median of zero is 0.0."),
        ("huge", [1.7e308, 1.7e308], None, "The mean of two equal values is that value."),
        ("weighted", [4.0, 1.0, 2.0], [2.0, 1.0, 1.0], "Exactly half of the weight is at or below 2."),
        ("one-heavy", [4.0, 1.0, 2.0], [5.0, 1.0, 0.0], "More than half of the weight is on one value."),
        ("no-weight", [4.0, 1.0], [0.0, 0.0], "Without weight, the median is 0."),
    ):
        flags = ("order-of-operations",) if name == "huge" else ()
        yield from MEDIAN.valid(name, {"values": values, "weight": weight}, said, flags=flags)


@FAMILY.part
def list_quantile_cases() -> Cases:
    """Yield the cases of quantiles."""
    for name, share, weight, said in (
        ("at-a-value", 0.5, None, "Exactly half of the values are at or below 2."),
        ("between", 0.51, None, "A share beyond a value asks for the next."),
        ("lowest", 1e-300, None, "Any share asks for the lowest value at least."),
        ("highest", 1.0, None, "The whole weight."),
        ("weighted", 0.5, [1.0, 2.0, 0.5, 0.0], "Of weighted values."),
        ("weighted-high", 0.9, [1.0, 2.0, 0.5, 0.25], "A high share of weighted values."),
        ("no-weight", 0.5, [0.0] * 4, "Without weight, it is 0."),
    ):
        input = {"values": [4.0, 1.0, 2.0, 3.0], "share": share, "weight": weight}
        yield from QUANTILE.valid(name, input, said, mutants="quantile-one-late" if name == "at-a-value" else "")

"""Cases of iGBRT: forests, GBRT, boosting that starts from a forest, classification, and missing features."""

from functools import partial
from typing import Any

import numpy as np

from generators.cases.boosting import WEIGHT, X, Y
from generators.cases.growing import ALL_TREES, TABLE, bin_rows, concatenate, make_grow
from generators.cases.making import Cases, Family
from refrank.igbrt.classification import binary_target, count_violations, hold_proba, staged_proba
from refrank.igbrt.gbrt import gbrt, keep
from refrank.igbrt.igbrt import igbrt
from refrank.igbrt.missing_values import SUBSTITUTES, fill_missing, fill_values
from refrank.igbrt.random_forest import predict_out_of_bag, random_forest
from refrank.trees.engine import SPECIFICATION
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.model.ensemble import Ensemble

FAMILY = Family("igbrt", "Forests, GBRT, boosting that starts from a forest, classification, and missing features.")

TARGET = "float64, (n,)"
RATE = "alpha, float64"
BOOST = {
    "max_depth": "d, an integer",
    "n_rounds": "M_B, an integer",
    "learning_rate": RATE,
    "weight": "float64, (n,), or null",
}
FOREST = FAMILY.function(
    "random_forest",
    "Algorithm 1: the trees, and for each training row the sum of the trees, in their order, over their number.",
    "iGBRT Alg. 1",
    {
        **TABLE,
        "target": TARGET,
        "n_trees": "M_RF, an integer",
        "n_candidates": "K, an integer",
        "seed": "integer",
        "weight": "float64, (n,), or null",
    },
    {
        "scores": "float64, (n,)",
        "out_of_bag": "float64, (n,): mean of the trees that did not draw the row, or nan",
        **ALL_TREES,
    },
    lambda **input: grow_forest(**input),
)
GBRT = FAMILY.function(
    "gbrt",
    "Algorithm 2: the residual after the last round, and the trees, whose leaves hold mean residuals.",
    "iGBRT Alg. 2",
    {**TABLE, "target": TARGET, **BOOST},
    {"residual": TARGET, **ALL_TREES},
    lambda **input: boost(**input),
)
IGBRT = FAMILY.function(
    "igbrt",
    "Algorithm 3 after its line 1: the residual after the last round, and the boosted trees.",
    "iGBRT Alg. 3",
    {**TABLE, "target": TARGET, "forest_scores": "F of the training rows, float64, (n,)", **BOOST},
    {"residual": TARGET, **ALL_TREES},
    lambda **input: boost(**input),
)
START = FAMILY.function(
    "igbrt_start",
    "The residuals from which boosting starts: y minus the mean of the trees, added in their order.",
    "iGBRT Alg. 1, line 5, and Alg. 3, line 2",
    {"y": TARGET, "predictions": "float64, (n_trees, n): what each tree predicts"},
    {"residual": TARGET},
    lambda y, predictions: start(y, predictions),
)
CLASSIFY = FAMILY.function(
    "classify_by_gbrt",
    "T^1, T^2, ... of the training rows: GBRT on each binary target, clipped to [0, 1] after each round.",
    "iGBRT Sec. 6",
    {
        **TABLE,
        "y": "grades, int64, (n,)",
        "max_grade": "integer",
        **BOOST,
        "every": "stages are every `every` rounds, and the last",
    },
    {"stages": "float64, (n_stages, n, max_grade)"},
    lambda **input: classify(**input),
)
BINARY = FAMILY.function(
    "binary_target",
    "b^c: 1 where y < c, else 0.",
    "iGBRT Sec. 6",
    {"y": "grades, int64, (n,)", "c": "integer, from 1"},
    {"target": TARGET},
    binary_target,
)
HOLD = FAMILY.function(
    "hold_proba",
    "The residual after clipping target - residual to [0, 1].",
    "iGBRT Sec. 6, footnote 2",
    {"target": TARGET, "residual": TARGET},
    {"residual": TARGET},
    lambda target, residual: hold(target, residual),
)
VIOLATIONS = FAMILY.function(
    "count_violations",
    "How many T^c lie outside [0, 1], and how many class probabilities are negative.",
    "iGBRT Sec. 6, footnote 2",
    {"cumulative_proba": "float64, (n, max_grade)"},
    {"outside": "integer", "negative": "integer"},
    lambda cumulative_proba: tuple(count_violations(cumulative_proba)),
)
FILL = FAMILY.function(
    "fill_values",
    "The substitute of each feature's missing values, and X with them filled in.",
    "iGBRT Sec. 7",
    {
        "X": "float64, (n, n_features)",
        "missing": ", ".join(f'"{name}"' for name in SUBSTITUTES),
        "missing_value": "float64: nan, or the number that says missing",
    },
    {"fill": "float64, (n_features,)", "X": "float64, (n, n_features)"},
    lambda X, missing, missing_value: fill_in(X, missing, missing_value),
)


def grow_forest(target: Any, n_trees: int, n_candidates: int, seed: int, weight: Any, **table: Any) -> Any:
    """Run Algorithm 1."""
    binned = bin_rows(**table, weight=weight)
    grow = partial(grow_forest_tree, binned, n_candidates=n_candidates)
    trees = [turn.tree for turn in random_forest(target, grow, n_trees, seed, weight)]
    forest = Ensemble((0.0,), tuple((tree,) for tree in trees), 1.0)
    rows = table["X"]
    scored = {"scores": forest.scores(rows, SPECIFICATION)[:, 0] / len(trees), **concatenate(forest)}
    return {**scored, "out_of_bag": predict_out_of_bag(trees, rows, seed, SPECIFICATION)}


def boost(
    target: Any,
    max_depth: int,
    n_rounds: int,
    learning_rate: float,
    weight: Any,
    forest_scores: Any = None,
    hold: Any = keep,
    **table: Any,
) -> Any:
    """Run Algorithm 2, or 3."""
    grow = make_grow(table["X"], "bins", None, bin_rows(**table, weight=weight), max_depth=max_depth)
    settings = {"grow": grow, "n_rounds": n_rounds, "learning_rate": learning_rate, "weight": weight, "hold": hold}
    run = gbrt(target, **settings) if forest_scores is None else igbrt(target, forest_scores, **settings)
    turns = [(turn.tree, turn.residual.copy()) for turn in run]
    trees = Ensemble((0.0,), tuple((tree,) for tree, _ in turns), learning_rate)
    return {"residual": turns[-1][1] if turns else target, **(concatenate(trees) if turns else {})}


def start(y: Any, predictions: Any) -> Any:
    """Subtract the mean of the trees."""
    total = np.zeros(len(y))
    for tree in predictions:
        total += tree
    return y - total / len(predictions)


def classify(
    y: Any, max_grade: int, max_depth: int, n_rounds: int, learning_rate: float, weight: Any, every: int, **table: Any
) -> Any:
    """Run Algorithm 2 on each binary problem, clipped to [0, 1], and pass the rows through the trees again."""
    grow = make_grow(table["X"], "bins", None, bin_rows(**table, weight=weight), max_depth=max_depth)
    problems = [binary_target(y, c) for c in range(1, max_grade + 1)]
    grown = [
        [turn.tree for turn in gbrt(b, grow, n_rounds, learning_rate, weight, partial(hold_proba, b))] for b in problems
    ]
    ensemble = Ensemble((0.0,) * max_grade, tuple(zip(*grown, strict=True)), learning_rate)
    before = np.zeros((len(y), max_grade))
    return np.array([proba.copy() for proba in staged_proba(ensemble, before, table["X"], SPECIFICATION, every)])


def hold(target: Any, residual: Any) -> Any:
    """Clip T^c through the residual."""
    hold_proba(target, residual)
    return residual


def fill_in(X: Any, missing: str, missing_value: float) -> Any:
    """Choose the substitutes, and fill them in."""
    fill = fill_values(X, missing, missing_value)
    return fill, fill_missing(X, missing_value, fill)


ROWS: dict[str, Any] = {"X": X, "n_bins": 256, "binning": "exact"}
FOREST_INPUT = {
    **ROWS,
    "target": [float(label) for label in Y],
    "n_trees": 3,
    "n_candidates": 2,
    "seed": 5,
    "weight": None,
}
BOOST_INPUT: dict[str, Any] = {
    **ROWS,
    **{"target": [float(label) for label in Y], "max_depth": 2, "n_rounds": 3, "learning_rate": 0.1, "weight": None},
}
SCORES = [0.25 * ((5 * i) % 11) for i in range(12)]
HOLES = [[1.0, np.nan, np.nan], [2.0, np.nan, -0.0], [6.0, np.nan, 0.1], [np.nan, np.nan, 0.2], [-4.0, np.nan, 1e300]]


@FAMILY.part
def list_forest_cases() -> Cases:
    """Yield the cases of Algorithm 1."""
    mutants = "trees-from-1 all-features other-seed"
    yield from FOREST.valid("three-trees", FOREST_INPUT, "Two features per node.", mutants=mutants)
    weighted = {**FOREST_INPUT, "weight": WEIGHT, "n_trees": 2, "binning": "quantile", "n_bins": 4}
    yield from FOREST.valid("weighted", weighted, "Weights, and few bins.")
    single = {**FOREST_INPUT, "X": [[1.0, 2.0]], "target": [3.0]}
    yield from FOREST.valid("one-row", single, "One row is never out of its bag.")
    many = {**FOREST_INPUT, "n_candidates": 4}
    yield from FOREST.refused("too-many-features", many, "There are three features to draw from.")
    trees = {"y": [1.0, 0.0, 2.0], "predictions": [[0.1, 0.2, 0.3], [0.7, 0.0, 1.5], [0.2, 0.1, 1.9]]}
    yield from START.valid(
        "three-trees", trees, "The mean of the forest is taken off.", mutants="sum-for-mean forest-minus-y"
    )
    yield from START.valid("one-tree", {"y": [0.3], "predictions": [[0.1]]}, "One tree, one row.")


@FAMILY.part
def list_boosting_cases() -> Cases:
    """Yield the cases of Algorithms 2 and 3."""
    for function, more in ((GBRT, {}), (IGBRT, {"forest_scores": SCORES})):
        input = {**BOOST_INPUT, **more}
        mutants = (
            f"shrinkage-missing root-is-depth-1 last-round-missing {'forest-ignored' if more else 'start-at-mean'}"
        )
        yield from function.valid("three-rounds", input, "Trees of depth 2.", mutants=mutants)
        yield from function.valid("weighted", {**input, "weight": WEIGHT, "n_rounds": 2}, "With weights.")
        flat = {**input, "X": [[1.0]] * 12, "n_rounds": 1}
        yield from function.valid("constant-feature", flat, "The tree is its root: the mean.")


@FAMILY.part
def list_classification_cases() -> Cases:
    """Yield the cases of Sec. 6."""
    for every, n_rounds in ((1, 2), (2, 3)):
        input = {
            **ROWS,
            "y": Y,
            "max_grade": 3,
            "max_depth": 2,
            "n_rounds": n_rounds,
            "learning_rate": 0.9,
            "weight": None,
        }
        said = f"A stage every {every} round(s), and the last."
        yield from CLASSIFY.valid(f"every-{every}", {**input, "every": every}, said)
    none = {**input, "n_rounds": 0, "every": 1}
    yield from CLASSIFY.valid("no-round", none, "Without a round, T^c is where it starts.")
    for c in (1, 3):
        yield from BINARY.valid(
            f"{c}", {"y": [0, 1, 2, 3, 4, 1], "c": c}, "Is the grade below c?", mutants="at-most-c at-least-c"
        )
    held = {"target": [1.0, 1.0, 0.0, 0.0, 1.0], "residual": [-0.25, 0.25, 0.5, -0.5, 1.5]}
    yield from HOLD.valid("five-rows", held, "T^c is clipped, the residual follows.", mutants="residual-clipped")
    crossed = {"cumulative_proba": [[0.25, 1.25], [0.75, 0.5], [-0.1, 1.0], [0.0, 1.0]]}
    yield from VIOLATIONS.valid("four-rows", crossed, "0 and 1 themselves are inside.")


@FAMILY.part
def list_missing_cases() -> Cases:
    """Yield the cases of missing features."""
    for missing in SUBSTITUTES:
        input = {"X": HOLES, "missing": missing, "missing_value": np.nan}
        yield from FILL.valid(missing, input, f"NaN says missing; substitute: {missing}. No row has feature 1.")
    zeros = {"X": [[0.0, 1.0], [4.0, -0.0], [2.0, 5.0]], "missing": "mean", "missing_value": 0.0}
    yield from FILL.valid("zero-says-missing", zeros, "Where 0 says missing, so does -0.0.")

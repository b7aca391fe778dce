"""Cases of whole trees: best first to a number of leaves, to a depth, with three-way cuts, and of a forest."""

from typing import Any

import numpy as np

from generators.cases.growing import FIELDS, LIMITS, TABLE, WAYS, bin_rows, list_fields, make_grow, place_cuts
from generators.cases.making import Cases, Family
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.growth.mean_leaves import THREE_WAY

FAMILY = Family("trees", "Whole trees: best first, to a depth, three ways, of a forest.")

RESIDUAL = {"residual": "float64, (n,)", "weight": "float64, (n,), or null"}
TREE = FAMILY.function(
    "grow_tree",
    "The tree that greedily reduces the weighted squared error of the residual; its leaves hold means.",
    "McRank Alg. 1, line 5; iGBRT Alg. 2, line 3",
    {**TABLE, **RESIDUAL, **LIMITS, **WAYS},
    FIELDS,
    lambda **input: grow_tree(**input),
)
FOREST_TREE = FAMILY.function(
    "grow_forest_tree",
    "A tree on rows that count several times; each cut is the best among K features drawn for its node.",
    "iGBRT Alg. 1, line 3",
    {
        **TABLE,
        **RESIDUAL,
        "counts": "int64, (n,): how often each row was drawn",
        "n_candidates": "K, an integer",
        "key": "uint64, key of the root's stream",
        "max_depth": "integer, or null",
        "min_samples_leaf": "integer",
        **WAYS,
    },
    FIELDS,
    lambda **input: grow_deep(**input),
)


def grow_tree(
    X: Any, n_bins: int, binning: str, residual: Any, weight: Any, cut_at: str, three_way: Any, **limits: Any
) -> Any:
    """Grow a tree."""
    binned = bin_rows(X, n_bins, binning, weight, three_way)
    tree, _ = make_grow(X, cut_at, three_way, binned, **limits)(residual, weight)
    return list_fields(tree)


def grow_deep(
    X: Any, n_bins: int, binning: str, residual: Any, weight: Any, cut_at: str, three_way: Any, **limits: Any
) -> Any:
    """Grow a tree of a forest."""
    binned = bin_rows(X, n_bins, binning, weight, three_way)
    grow = THREE_WAY[three_way].grow_forest_tree if three_way else grow_forest_tree
    counts, n_candidates, key = (limits.pop(name) for name in ("counts", "n_candidates", "key"))
    given = {"n_candidates": n_candidates, "key": key, "cut_at": place_cuts(X, cut_at), **limits}
    return list_fields(grow(binned, residual, weight, counts, **given))


BASE: dict[str, Any] = {
    "X": [[0.0, 3.0], [1.0, 1.0], [2.0, 4.0], [3.0, 1.0], [4.0, 5.0], [5.0, 9.0], [6.0, 2.0], [7.0, 6.0]],
    "n_bins": 256,
    "binning": "exact",
    "residual": [0.1, 0.2, 1.5, 1.25, -0.7, -0.75, 2.0, 2.1],
    "weight": None,
    "n_leaves": 4,
    "max_depth": None,
    "min_samples_leaf": 1,
    "cut_at": "bins",
    "three_way": None,
}
HOLES = [[np.inf, 1.0], [1.0, 1.0], [2.0, np.inf], [3.0, 0.0], [4.0, 2.0], [np.inf, 3.0], [6.0, 1.5], [7.0, 0.5]]
ONE_COMPLETE = [[x, float((3 * i) % 8)] for i, (x, _) in enumerate(HOLES)]
WEIGHT = [1.0, 0.5, 2.0, 0.25, 3.0, 1.0, 0.0, 0.1]


@FAMILY.part
def list_size_cases() -> Cases:
    """Yield the cases of trees by leaves and by depth."""
    mutants = "leaves-one-more float32-residuals leaf-sums-for-means grown-to-depth"
    yield from TREE.valid("four-leaves", BASE, "The node that gains most is cut next.", mutants=mutants)
    depth = {**BASE, "n_leaves": None, "max_depth": 2}
    yield from TREE.valid("depth-2", depth, "max_depth cuts above a leaf.", mutants="root-is-depth-1")
    yield from TREE.valid("leaves-and-depth", {**BASE, "n_leaves": 5, "max_depth": 2}, "Both limits.")
    yield from TREE.valid("no-limit", {**BASE, "n_leaves": None}, "Growth ends where no cut gains.")
    few = {**BASE, "n_leaves": 5, "weight": WEIGHT}
    yield from TREE.valid("weighted", few, "A row of weight 0 has no say.", mutants="weights-ignored")
    least = {**BASE, "n_leaves": None, "min_samples_leaf": 3}
    yield from TREE.valid("min-samples-leaf", least, "Three rows on either side.", mutants="min-samples-leaf-ignored")
    midway = {**BASE, "binning": "app-i", "n_bins": 3, "cut_at": "midpoint"}
    yield from TREE.valid("midpoint", midway, "The middle itself goes left.", mutants="middle-goes-right cut-at-bins")
    coarse = {**BASE, "binning": "quantile", "n_bins": 3, "weight": WEIGHT, "n_leaves": 3}
    yield from TREE.valid("weighted-quantiles", coarse, "Weights move the quantiles.")


@FAMILY.part
def list_edge_cases() -> Cases:
    """Yield the edge cases."""
    single = {**BASE, "X": [[1.0]], "residual": [0.3]}
    yield from TREE.valid("one-row", single, "The root is a leaf, its value the residual.")
    flat = {**BASE, "X": [[1.0], [1.0], [1.0]], "residual": [0.3, 0.1, 0.2]}
    yield from TREE.valid("constant-feature", flat, "A constant feature has no cut.")
    yield from TREE.valid("zero-residual", {**BASE, "residual": [0.0, -0.0] * 4}, "Nothing to learn.")
    signed = {**BASE, "X": [[-0.0], [0.0], [5e-324], [-5e-324]], "residual": [1.0, 1.0, 5.0, -2.0], "n_leaves": 3}
    yield from TREE.valid("signed-zeros", signed, "-0.0 and 0.0 are one value; subnormals are others.")
    zeros = {**signed, "X": [[-5e-324], [-0.0], [-5e-324], [-0.0]], "cut_at": "midpoint"}
    yield from TREE.valid("midpoint-at-zero", zeros, "No float lies between: the cut is 0.0, whichever zero is there.")
    ulp = {**BASE, "X": [[1.0], [1.0 + 2.0**-52], [1.0 - 2.0**-53]], "residual": [0.0, 3.0, 1.0], "n_leaves": 3}
    yield from TREE.valid("one-ulp-apart", ulp, "Neighbouring floats are different values.")
    tied = {**BASE, "X": [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]], "residual": [1.0, 1.0, -1.0, -1.0]}
    said = "Both features make the same cut; the paper names neither."
    yield from TREE.valid("tied-features", tied, said)
    nodes = {**BASE, "X": [[float(i)] for i in range(4)], "residual": [-3.0, -1.0, 1.0, 3.0], "n_leaves": 3}
    yield from TREE.valid("tied-nodes", nodes, "Two nodes gain the same.")
    huge = {**BASE, "residual": [1e300, -1e300, 1e-300, 0.0, 5e299, 1.0, -1e299, 2.0]}
    yield from TREE.valid("huge-residual", huge, "Small values vanish on the grid of the large ones.")
    small = {**BASE, "residual": [5e-324, 0.0, 1e-323, 0.0, 5e-324, 0.0, 0.0, 2e-323]}
    yield from TREE.valid("subnormal-residual", small, "Gains of squares vanish, cuts do not.")
    yield from TREE.refused("nan-residual", {**BASE, "residual": [np.nan] * 8}, "A sum of NaN has no grid.")
    ways = {**BASE, "X": HOLES, "three_way": "parting", "n_leaves": 2}
    yield from TREE.refused("leaves-three-ways", ways, "A cut three ways adds two leaves.")


@FAMILY.part
def list_three_way_cases() -> Cases:
    """Yield the cases of missing features."""
    for rule in THREE_WAY:
        base = {**BASE, "X": HOLES, "n_leaves": None, "max_depth": 2, "three_way": rule}
        for name, changes, said in (
            ("", {}, f"Rows that miss a feature are parted from the others; rule {rule}."),
            ("-weighted", {"weight": WEIGHT, "min_samples_leaf": 2, "max_depth": None}, f"With weights; rule {rule}."),
            ("-complete", {"X": BASE["X"]}, f"No feature is missed; rule {rule}."),
            ("-one-complete", {"X": ONE_COMPLETE}, f"One feature is missed, and the other is not; rule {rule}."),
            ("-midpoint", {"cut_at": "midpoint"}, "A cut at +inf stays there."),
            ("-leaves", {"n_leaves": 4, "max_depth": None}, "A cut three ways does not fit into one leaf."),
        ):
            input, mutants = {**base, **changes}, "" if name else "missing-as-a-value"
            yield from TREE.valid(f"three-way-{rule}{name}", input, said, mutants=mutants, flags=("three-way",))
    lone = {**BASE, "X": [[np.inf], [np.inf], [1.0], [1.0]], "residual": [1.0, 2.0, 3.0, 4.0], "n_leaves": None}
    for rule in THREE_WAY:
        input, said = {**lone, "three_way": rule}, f"One value, or none; rule {rule}."
        yield from TREE.valid(f"three-way-{rule}-one-value", input, said, flags=("three-way",))


@FAMILY.part
def list_many_bin_cases() -> Cases:
    """Yield trees on more than 256 bins."""
    n = 300
    X = [[float((7 * i) % n), float((i * i) % 263), 1.0] for i in range(n)]
    residual = [float(((13 * i) % 29) - 14) + (40.0 if (7 * i) % n < 77 else 0.0) for i in range(n)]
    weight = [float((5 * i) % 4) for i in range(n)]
    heavy = [[float(i if i < 270 else 100)] for i in range(n)]
    holes = [[np.inf if i % 11 == 0 else x, np.inf if i % 2 else 1.0] for i, (x, _, _) in enumerate(X)]
    ways = {"X": holes, "n_leaves": None, "max_depth": 2, "three_way": "parting"}
    for name, changes, said in (
        ("", {}, "Two bytes per label; one feature has fewer than 256 values, and one is constant."),
        ("-weighted", {"weight": weight}, "The same with weights."),
        ("-heavy", {"X": heavy, "n_leaves": 3}, "A value with many rows among many values."),
        ("-three-way", ways, "Two bytes, and cuts three ways."),
        (
            "-three-way-weighted",
            {**ways, "weight": weight, "max_depth": 1},
            "Two bytes, weights, and cuts three ways.",
        ),
    ):
        input = {**BASE, "X": X, "residual": residual, "n_bins": 65536, "n_leaves": 6, **changes}
        flags = ("many-bins", "three-way") if "three-way" in name else ("many-bins",)
        yield from TREE.valid(f"two-bytes{name}", input, said, flags=flags)


@FAMILY.part
def list_forest_cases() -> Cases:
    """Yield trees of a forest."""
    limits = {name: BASE[name] for name in ("X", "n_bins", "binning", "residual", "weight", "cut_at", "three_way")}
    base = {
        **limits,
        "counts": [1, 0, 2, 1, 1, 0, 3, 0],
        "n_candidates": 1,
        "key": np.uint64(2**63 + 11),
        "max_depth": None,
        "min_samples_leaf": 1,
    }

    mutants = "counts-ignored rows-not-drawn-included all-features"
    yield from FOREST_TREE.valid("bootstrap", base, "Rows count as often as drawn.", mutants=mutants)
    for name, changes, said in (
        ("all-features", {"n_candidates": 2}, "K may be all features."),
        ("depth", {"max_depth": 1}, "A limit on the depth."),
        ("min-samples-leaf", {"min_samples_leaf": 3, "n_candidates": 2}, "Copies count as rows."),
        ("weighted", {"weight": WEIGHT, "n_candidates": 2}, "Weights beside the counts."),
        ("midpoint", {"cut_at": "midpoint", "binning": "app-i", "n_bins": 3}, "The rows drawn decide the middle."),
        ("one-row", {"counts": [0, 0, 8, 0, 0, 0, 0, 0]}, "Eight copies of one row are a leaf."),
    ):
        yield from FOREST_TREE.valid(name, {**base, **changes}, said)
    for rule in THREE_WAY:
        ways = {**base, "X": HOLES, "three_way": rule, "n_candidates": 2, "counts": [1, 1, 2, 1, 0, 1, 1, 1]}
        yield from FOREST_TREE.valid(f"three-way-{rule}", ways, f"Cuts three ways; rule {rule}.", flags=("three-way",))
        said = f"Cuts three ways, with weights; rule {rule}."
        yield from FOREST_TREE.valid(
            f"three-way-{rule}-weighted", {**ways, "weight": WEIGHT}, said, flags=("three-way",)
        )
    many = {**base, "n_candidates": 3}
    yield from FOREST_TREE.refused("too-many-features", many, "There are two features to draw from.")

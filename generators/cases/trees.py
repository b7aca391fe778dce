"""Cases of whole trees: best first to a number of leaves, to a depth, three ways, and those of a forest."""

from collections.abc import Iterator
from typing import Any

import numpy as np

from generators.cases.growing import (
    FIELDS,
    LIMITS,
    TABLE,
    WAYS,
    bin_rows,
    fields_of,
    make_grow,
    place_cuts,
)
from generators.cases.making import Case, Family, Function, Named, acceptable, refused, valid
from refrank.trees.growth.forest_growth import grow_forest_tree
from refrank.trees.growth.mean_leaves import THREE_WAY

RESIDUAL = {"residual": "float64, (n,)", "weight": "float64, (n,), or null"}
TREE = Function(
    "grow_tree",
    "The tree that greedily reduces the weighted squared error of the residual; its leaves hold means.",
    "McRank Alg. 1, line 5; iGBRT Alg. 2, line 3",
    {**TABLE, **RESIDUAL, **LIMITS, **WAYS},
    FIELDS,
    lambda **input: grow_tree(**input),
)
FOREST_TREE = Function(
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
    return fields_of(tree)


def grow_deep(
    X: Any, n_bins: int, binning: str, residual: Any, weight: Any, cut_at: str, three_way: Any, **limits: Any
) -> Any:
    """Grow a tree of a forest."""
    binned = bin_rows(X, n_bins, binning, weight, three_way)
    grow = THREE_WAY[three_way].grow_forest_tree if three_way else grow_forest_tree
    counts, n_candidates, key = (limits.pop(name) for name in ("counts", "n_candidates", "key"))
    given = {"n_candidates": n_candidates, "key": key, "cut_at": place_cuts(X, cut_at), **limits}
    return fields_of(grow(binned, residual, weight, counts, **given))


def with_other(**changes: Any) -> Any:
    """Make the fault that reads some inputs as others."""
    return lambda **input: grow_tree(**{**input, **{name: change(input) for name, change in changes.items()}})


def leaves_of_sums(**input: Any) -> Any:
    """Leave sums in the leaves."""
    fields = grow_tree(**input)
    return {**fields, "value": fields["value"] * fields["n_node_samples"]}


def midway_itself(**input: Any) -> Any:
    """Cut at the middle itself, whose row goes right."""
    fields = grow_tree(**input)
    return {**fields, "cut": np.where(fields["feature"] >= 0, np.nextafter(fields["cut"], -np.inf), 0.0)}


SINGLE = {"residual": lambda input: input["residual"].astype(np.float32).astype(np.float64)}
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
WEIGHT = [1.0, 0.5, 2.0, 0.25, 3.0, 1.0, 0.0, 0.1]


def cases() -> Iterator[Case]:
    """Yield the cases of trees."""
    yield from in_two()
    yield from edges()
    yield from three_ways()
    yield from many_bins()
    yield from forests()


def in_two() -> Iterator[Case]:
    """Yield the cases of trees by leaves and by depth."""
    faults: Named = {
        "leaves-one-more": with_other(n_leaves=lambda input: input["n_leaves"] + 1),
        "float32-residuals": with_other(**SINGLE),
        "leaf-sums-for-means": leaves_of_sums,
        "grown-to-depth": with_other(n_leaves=lambda input: None, max_depth=lambda input: 2),
    }
    yield from valid(TREE, "trees/grow_tree/four-leaves", BASE, "The node that gains most is cut next.", faults=faults)
    depth = {**BASE, "n_leaves": None, "max_depth": 2}
    faults = {"root-is-depth-1": with_other(max_depth=lambda input: input["max_depth"] - 1)}
    yield from valid(TREE, "trees/grow_tree/depth-2", depth, "max_depth cuts above a leaf.", faults=faults)
    both = {**BASE, "n_leaves": 5, "max_depth": 2}
    yield from valid(TREE, "trees/grow_tree/leaves-and-depth", both, "Both limits.")
    whole = {**BASE, "n_leaves": None}
    yield from valid(TREE, "trees/grow_tree/no-limit", whole, "Growth ends where no cut gains.")
    few = {**BASE, "n_leaves": 5, "weight": WEIGHT}
    faults = {"weights-ignored": with_other(weight=lambda input: None)}
    yield from valid(TREE, "trees/grow_tree/weighted", few, "A row of weight 0 has no say.", faults=faults)
    least = {**BASE, "n_leaves": None, "min_samples_leaf": 3}
    faults = {"min-samples-leaf-ignored": with_other(min_samples_leaf=lambda input: 1)}
    yield from valid(TREE, "trees/grow_tree/min-samples-leaf", least, "Three rows on either side.", faults=faults)
    midway = {**BASE, "binning": "app-i", "n_bins": 3, "cut_at": "midpoint"}
    faults = {"middle-goes-right": midway_itself, "cut-at-bins": with_other(cut_at=lambda input: "bins")}
    yield from valid(TREE, "trees/grow_tree/midpoint", midway, "The middle itself goes left.", faults=faults)
    coarse = {**BASE, "binning": "quantile", "n_bins": 3, "weight": WEIGHT, "n_leaves": 3}
    yield from valid(TREE, "trees/grow_tree/weighted-quantiles", coarse, "Weights move the quantiles.")


def edges() -> Iterator[Case]:
    """Yield the edges."""
    one = {**BASE, "X": [[1.0]], "residual": [0.3]}
    yield from valid(TREE, "trees/grow_tree/one-row", one, "The root is a leaf, its value the residual.")
    flat = {**BASE, "X": [[1.0], [1.0], [1.0]], "residual": [0.3, 0.1, 0.2]}
    yield from valid(TREE, "trees/grow_tree/constant-feature", flat, "A constant feature has no cut.")
    zero = {**BASE, "residual": [0.0, -0.0] * 4}
    yield from valid(TREE, "trees/grow_tree/zero-residual", zero, "Nothing to learn.")
    signed = {**BASE, "X": [[-0.0], [0.0], [5e-324], [-5e-324]], "residual": [1.0, 1.0, 5.0, -2.0], "n_leaves": 3}
    yield from valid(TREE, "trees/grow_tree/signed-zeros", signed, "-0.0 and 0.0 are one value; subnormals are others.")
    ulp = {**BASE, "X": [[1.0], [1.0 + 2.0**-52], [1.0 - 2.0**-53]], "residual": [0.0, 3.0, 1.0], "n_leaves": 3}
    yield from valid(TREE, "trees/grow_tree/one-ulp-apart", ulp, "Neighbouring floats are different values.")
    tied = {**BASE, "X": [[0.0, 0.0], [0.0, 0.0], [1.0, 1.0], [1.0, 1.0]], "residual": [1.0, 1.0, -1.0, -1.0]}
    lawful: Named = {"lowest-feature-and-bin": grow_tree, "last-of-the-tied": last_feature}
    said = "Both features make the same cut; the paper names neither."
    yield from acceptable(TREE, "trees/grow_tree/tied-features", tied, said, lawful)
    nodes = {**BASE, "X": [[float(i)] for i in range(4)], "residual": [-3.0, -1.0, 1.0, 3.0], "n_leaves": 3}
    said = "Two nodes gain the same: the one made first is cut."
    yield from valid(TREE, "trees/grow_tree/tied-nodes", nodes, said, flags=("tie",))
    huge = {**BASE, "residual": [1e300, -1e300, 1e-300, 0.0, 5e299, 1.0, -1e299, 2.0]}
    yield from valid(TREE, "trees/grow_tree/huge-residual", huge, "Small values vanish on the grid of the large ones.")
    small = {**BASE, "residual": [5e-324, 0.0, 1e-323, 0.0, 5e-324, 0.0, 0.0, 2e-323]}
    yield from valid(TREE, "trees/grow_tree/subnormal-residual", small, "Gains of squares vanish, cuts do not.")
    bad = {**BASE, "residual": [np.nan] * 8}
    yield from refused(TREE, "trees/grow_tree/nan-residual", bad, "A sum of NaN has no grid.")
    ways = {**BASE, "X": HOLES, "three_way": "parting"}
    yield from refused(TREE, "trees/grow_tree/leaves-three-ways", ways, "A cut three ways adds two leaves.")


def last_feature(**input: Any) -> Any:
    """Grow the tied tree on its other feature."""
    fields = grow_tree(**input)
    return {**fields, "feature": np.where(fields["feature"] >= 0, 1, -1)}


def three_ways() -> Iterator[Case]:
    """Yield the cases of missing features."""
    for rule in THREE_WAY:
        input = {**BASE, "X": HOLES, "n_leaves": None, "max_depth": 2, "three_way": rule}
        faults: Named = {"missing-as-a-value": with_other(three_way=lambda input: None)}
        said = f"Rows that miss a feature are parted from the others; rule {rule}."
        yield from valid(TREE, f"trees/grow_tree/three-way-{rule}", input, said, faults=faults, flags=("three-way",))
        weighted = {**input, "weight": WEIGHT, "min_samples_leaf": 2, "max_depth": None}
        said = f"With weights; rule {rule}."
        yield from valid(TREE, f"trees/grow_tree/three-way-{rule}-weighted", weighted, said, flags=("three-way",))
        whole = {**input, "X": BASE["X"]}
        said = f"No feature is missed; rule {rule}."
        yield from valid(TREE, f"trees/grow_tree/three-way-{rule}-complete", whole, said, flags=("three-way",))
        midway = {**input, "cut_at": "midpoint"}
        yield from valid(
            TREE,
            f"trees/grow_tree/three-way-{rule}-midpoint",
            midway,
            "A cut at +inf stays there.",
            flags=("three-way",),
        )
    lone = {**BASE, "X": [[np.inf], [np.inf], [1.0], [1.0]], "residual": [1.0, 2.0, 3.0, 4.0], "n_leaves": None}
    for rule in THREE_WAY:
        input = {**lone, "three_way": rule}
        said = f"One value, or none; rule {rule}."
        yield from valid(TREE, f"trees/grow_tree/three-way-{rule}-one-value", input, said, flags=("three-way",))


def many_bins() -> Iterator[Case]:
    """Yield trees on more than 256 bins."""
    n = 300
    X = [[float((7 * i) % n), float((i * i) % 263), 1.0] for i in range(n)]
    residual = [float(((13 * i) % 29) - 14) + (40.0 if (7 * i) % n < 77 else 0.0) for i in range(n)]
    input = {**BASE, "X": X, "residual": residual, "n_bins": 65536, "n_leaves": 6}
    said = "Two bytes per label; one feature has fewer than 256 values, and one is constant."
    yield from valid(TREE, "trees/grow_tree/two-bytes", input, said, flags=("many-bins",))
    weight = [float((5 * i) % 4) for i in range(n)]
    said = "The same with weights."
    yield from valid(
        TREE, "trees/grow_tree/two-bytes-weighted", {**input, "weight": weight}, said, flags=("many-bins",)
    )
    heavy = [[float(i if i < 270 else 100)] for i in range(n)]
    said = "A value with many rows among many values."
    yield from valid(
        TREE, "trees/grow_tree/two-bytes-heavy", {**input, "X": heavy, "n_leaves": 3}, said, flags=("many-bins",)
    )
    holes = [[np.inf if i % 11 == 0 else x, np.inf if i % 2 else 1.0] for i, (x, _, _) in enumerate(X)]
    ways = {**input, "X": holes, "n_leaves": None, "max_depth": 2, "three_way": "parting"}
    said = "Two bytes, and cuts three ways."
    yield from valid(TREE, "trees/grow_tree/two-bytes-three-way", ways, said, flags=("many-bins", "three-way"))
    with_weights = {**ways, "weight": weight, "max_depth": 1}
    said = "Two bytes, weights, and cuts three ways."
    yield from valid(
        TREE, "trees/grow_tree/two-bytes-three-way-weighted", with_weights, said, flags=("many-bins", "three-way")
    )


def forests() -> Iterator[Case]:
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

    def wrongly(**changes: Any) -> Any:
        return lambda **input: grow_deep(**{**input, **{name: change(input) for name, change in changes.items()}})

    faults: Named = {
        "counts-ignored": wrongly(counts=lambda input: np.minimum(input["counts"], 1)),
        "rows-not-drawn-included": wrongly(counts=lambda input: input["counts"] + (input["counts"] == 0)),
        "all-features": wrongly(n_candidates=lambda input: 2),
    }
    of = "trees/grow_forest_tree"
    yield from valid(FOREST_TREE, f"{of}/bootstrap", base, "Rows count as often as drawn.", faults=faults)
    for name, changes, said in (
        ("all-features", {"n_candidates": 2}, "K may be all features."),
        ("depth", {"max_depth": 1}, "A limit on the depth."),
        ("min-samples-leaf", {"min_samples_leaf": 3, "n_candidates": 2}, "Copies count as rows."),
        ("weighted", {"weight": WEIGHT, "n_candidates": 2}, "Weights beside the counts."),
        ("midpoint", {"cut_at": "midpoint", "binning": "app-i", "n_bins": 3}, "The rows drawn decide the middle."),
        ("one-row", {"counts": [0, 0, 8, 0, 0, 0, 0, 0]}, "Eight copies of one row are a leaf."),
    ):
        yield from valid(FOREST_TREE, f"{of}/{name}", {**base, **changes}, said)
    for rule in THREE_WAY:
        ways = {**base, "X": HOLES, "three_way": rule, "n_candidates": 2, "counts": [1, 1, 2, 1, 0, 1, 1, 1]}
        said = f"Cuts three ways; rule {rule}."
        yield from valid(FOREST_TREE, f"{of}/three-way-{rule}", ways, said, flags=("three-way",))
        said = f"Cuts three ways, with weights; rule {rule}."
        yield from valid(
            FOREST_TREE, f"{of}/three-way-{rule}-weighted", {**ways, "weight": WEIGHT}, said, flags=("three-way",)
        )
    many = {**base, "n_candidates": 3}
    yield from refused(FOREST_TREE, f"{of}/too-many-features", many, "There are two features to draw from.")


FAMILY = Family("trees", "Whole trees: best first, to a depth, three ways, of a forest.", (TREE, FOREST_TREE), cases)

"""Cases of the steps after a cut: dividing the rows of a node, sums and values of leaves, and scores of whole trees."""

from typing import Any

import numpy as np

from generators.cases.making import Cases, Family
from generators.cases.splits import CODES, CODES_6, ROWS, lay_out
from refrank.trees import splitting

FAMILY = Family(
    "leaves", "After a cut: parting the rows of a node, sums and values of leaves, and the scores of whole trees."
)

PARTITION = FAMILY.function(
    "partition",
    "The rows of a node, those with code <= bin first, each side in its order; and how many these are.",
    "McRank App. I",
    {"codes": CODES, "rows": ROWS, "feature": "integer", "bin": "integer"},
    {"rows": "int64, (n_rows,)", "n_left": "integer"},
    lambda codes, rows, feature, bin: partition(codes, rows, feature, bin),
)
LEAVES = FAMILY.function(
    "leaf_sums",
    "Sum of rint(value * 2^exponent) over the rows of each leaf.",
    "McRank Alg. 1, line 6",
    {
        "value": "float64, (n,)",
        "exponent": "integer",
        "rows": "rows, leaf after leaf, int64, (n_rows,)",
        "starts": "int64, (n_leaves + 1,): leaf j has rows[starts[j]:starts[j + 1]]",
    },
    {"sums": "int64, (n_leaves,)"},
    lambda value, exponent, rows, starts: splitting.leaf_sums(value, exponent, rows.astype(np.int32), starts, 1),
)
ADD = FAMILY.function(
    "add_to_leaves",
    "The scores, with the value of its leaf added to each row.",
    "McRank Alg. 1, line 7",
    {"scores": "float64, (n,)", "rows": LEAVES.inputs["rows"], "starts": LEAVES.inputs["starts"], "values": "float64"},
    {"scores": "float64, (n,)"},
    lambda scores, rows, starts, values: add_to_leaves(scores, rows, starts, values),
)
TREES = FAMILY.function(
    "add_trees",
    "The scores, with the leaf of every tree that a row falls into added, tree after tree; x < cut goes left.",
    "iGBRT Alg. 2, line 8",
    {
        "X": "float64, (n, n_features)",
        "roots": "first node of each tree, int64, (n_trees,)",
        "feature": "int64, (n_nodes,): -1 in a leaf",
        "cut": "float64, (n_nodes,)",
        "left": "int64, (n_nodes,), counted from the tree's root",
        "right": "int64, (n_nodes,)",
        "value": "float64, (n_nodes,)",
        "scores": "float64, (n,)",
    },
    {"scores": "float64, (n,)"},
    lambda **input: add_trees(**input),
)


def partition(codes: Any, rows: Any, feature: int, bin: int) -> Any:
    """Divide the rows of a node."""
    parted = rows.astype(np.int32)
    n_left = splitting.partition(lay_out(codes), parted, feature, bin, 1)
    return parted, n_left


def add_to_leaves(scores: Any, rows: Any, starts: Any, values: Any) -> Any:
    """Add the values of leaves."""
    splitting.add_to_leaves(scores, rows.astype(np.int32), starts, values, 1)
    return scores


def add_trees(**input: Any) -> Any:
    """Add trees to scores."""
    scores = input.pop("scores")
    numbers = {name: input[name].astype(np.int32) for name in ("feature", "left", "right")}
    splitting.add_trees(**{**input, **numbers}, scores=scores, n_threads=1)
    return scores


TREE = {
    "roots": [0, 5],
    "feature": [0, -1, 1, -1, -1, 1, -1, -1],
    "cut": [0.5, 0.0, 2.0, 0.0, 0.0, np.inf, 0.0, 0.0],
    "left": [1, 0, 3, 0, 0, 1, 0, 0],
    "right": [2, 0, 4, 0, 0, 2, 0, 0],
    "value": [0.0, 0.1, 0.0, 0.2, 0.7, 0.0, 1e-17, -3.0],
}


@FAMILY.part
def list_cases() -> Cases:
    """Yield the cases of leaves and of scores."""
    part = {"codes": CODES_6, "rows": [5, 0, 3, 1], "feature": 1, "bin": 1}
    yield from PARTITION.valid("stable", part, "Each side keeps its order.", mutants="cut-goes-right")
    yield from PARTITION.valid("all-left", {**part, "bin": 2}, "All rows may go left.")
    leaves = {"rows": [4, 0, 2, 3, 1], "starts": [0, 2, 3, 5]}
    values = {"value": [0.4, -0.2, 0.3, 2.0**-40, 0.5], "exponent": 50, **leaves}
    coarse = {**values, "exponent": 0}
    yield from LEAVES.valid(
        "coarse-grid", coarse, "Each value is rounded, then they are added.", mutants="rounded-after-adding"
    )
    yield from LEAVES.valid("three-leaves", values, "Sums of integers.")
    scores = {"scores": [0.1, 0.2, 0.3, 0.4, 1e16], **leaves, "values": [0.7, -1e-20, 3.0]}
    yield from ADD.valid("three-leaves", scores, "One addition per row.")
    below = float(np.nextafter(0.5, 0))
    X = [[below, 9.0], [0.5, 1.0], [0.5, 2.0], [-0.0, np.inf], [3.0, np.inf], [-np.inf, -np.inf]]
    input = {"X": X, **TREE, "scores": [0.0, 0.1, 0.2, 0.3, 0.4, 1.0]}
    said = "x = cut goes right; +inf is not below the cut at +inf."
    yield from TREES.valid("at-the-cuts", input, said, mutants="cut-goes-left")
    stump = {
        "X": [[1.0], [2.0]],
        "roots": [0],
        "feature": [-1],
        "cut": [0.0],
        "left": [0],
        "right": [0],
        "value": [0.5],
    }
    yield from TREES.valid("one-leaf", {**stump, "scores": [0.1, 0.2]}, "A tree may be a leaf.")

"""Cases of the draws: SplitMix64, bootstraps, and the features of a node (refrank/trees/numbers/draws.py)."""

from typing import Any

import numpy as np

from generators.cases.making import Cases, Family
from refrank.igbrt.classification import problem_seeds
from refrank.igbrt.random_forest import bootstrap_counts
from refrank.trees.numbers.draws import (
    BOOTSTRAP,
    FEATURES,
    child_key,
    tree_key,
)
from yardstick.vectors.own import OWN

FAMILY = Family("draws", "Random draws of forests, which are functions of seed, tree and node alone.")

PLACE = "iGBRT Alg. 1, line 2"
KEY = "a 64-bit key, uint64"
TREE = {"seed": "integer, below 2^63", "tree": "integer, from 0"}
STREAM = FAMILY.function(
    "splitmix64",
    "The first numbers of the stream that starts at a key.",
    "docs/learn/trees.md",
    {"key": KEY, "n": "integer"},
    {"numbers": "uint64, (n,)"},
    OWN["splitmix64"],
)
BELOW = FAMILY.function(
    "below",
    "bits * n over 2^64, rounded down: one of 0..n-1.",
    "docs/learn/trees.md",
    {"bits": "uint64, (m,)", "n": "integer"},
    {"drawn": "int64, (m,)"},
    OWN["below"],
)
KEYS = FAMILY.function(
    "tree_key",
    "draw(draw(draw(0, seed), tree), stream); stream 0 draws rows, stream 1 the features of the root.",
    PLACE,
    {**TREE, "stream": "0 or 1"},
    {"key": "uint64"},
    lambda seed, tree, stream: np.uint64(tree_key(seed, tree, stream)),
)
CHILD = FAMILY.function(
    "child_key",
    "Key of a child of a node: draw(key, 0) left, draw(key, 1) right.",
    "iGBRT Alg. 1, line 3",
    {"key": KEY, "child": "0 or 1"},
    {"key": "uint64"},
    lambda key, child: np.uint64(child_key(key, child)),
)
ROWS = FAMILY.function(
    "bootstrap",
    "The rows that tree t of a forest draws: n of n with replacement, in the order drawn.",
    PLACE,
    {**TREE, "n_samples": "integer"},
    {"rows": "int64, (n_samples,)"},
    OWN["bootstrap"],
)
COUNTS = FAMILY.function(
    "bootstrap_counts",
    "How often tree t draws each row.",
    PLACE,
    {**TREE, "n_samples": "integer"},
    {"counts": "int64, (n_samples,)"},
    lambda seed, tree, n_samples: bootstrap_counts(seed, tree, n_samples),
)
SUBSET = FAMILY.function(
    "feature_subset",
    "The features drawn for a node, ascending: a partial Fisher-Yates shuffle by the numbers 2, 3, ... of its stream.",
    "iGBRT Alg. 1, line 3",
    {"key": KEY, "n_candidates": "K, an integer", "n_features": "integer"},
    {"features": "int64, (n_candidates,)"},
    OWN["feature_subset"],
)
SEEDS = FAMILY.function(
    "problem_seeds",
    "Seed of the forest of each binary problem: the seed itself, then draw(seed, c) / 2, rounded down.",
    "iGBRT Sec. 6",
    {"seed": "integer, below 2^63", "n_problems": "integer"},
    {"seeds": "int64, (n_problems,)"},
    lambda seed, n_problems: np.array(problem_seeds(seed, n_problems), np.int64),
)


@FAMILY.part
def list_cases() -> Cases:
    """Yield the cases of draws."""
    keys = (("published", 1234567), ("zero", 0), ("largest", 2**64 - 1))
    for name, key in keys:
        yield from STREAM.valid(name, {"key": np.uint64(key), "n": 5}, "Sums and products are modulo 2^64.")
    bits = np.array([0, 1, 2**63, 2**64 - 1, 0x0123456789ABCDEF, 0x924924924924924A], np.uint64)
    for n in (1, 7, 2**31 - 1):
        yield from BELOW.valid(f"{n}", {"bits": bits, "n": n}, "The high half of a product of 128 bits.")
    for seed, tree in ((0, 0), (0, 1), (2**63 - 1, 1000)):
        for stream in (BOOTSTRAP, FEATURES):
            input: dict[str, Any] = {"seed": seed, "tree": tree, "stream": stream}
            yield from KEYS.valid(f"{seed}-{tree}-{stream}", input, "Each stream of each tree has a key of its own.")
    for child, side in enumerate(("left", "right")):
        input = {"key": np.uint64(2**63 + 5), "child": child}
        yield from CHILD.valid(side, input, "It depends on the path from the root alone.")
    mutants = "bootstrap-by-remainder trees-from-1 bootstrap-off-by-one"
    for name, seed, tree, n in (("ten-rows", 0, 0, 10), ("later-tree", 7, 33, 12), ("large-seed", 2**63 - 1, 2, 9)):
        input = {"seed": seed, "tree": tree, "n_samples": n}
        yield from ROWS.valid(name, input, "n draws, in their order.", mutants=mutants)
        yield from COUNTS.valid(name, input, "The same rows, counted.")
    yield from ROWS.valid("one-row", {"seed": 3, "tree": 0, "n_samples": 1}, "One row can only be drawn.")
    mutants = "features-from-number-0 features-with-replacement"
    root = tree_key(0, 0, FEATURES)
    for name, key, n_candidates, n_features in (("three-of-ten", root, 3, 10), ("seven-of-nine", 99, 7, 9)):
        input = {"key": np.uint64(key), "n_candidates": n_candidates, "n_features": n_features}
        yield from SUBSET.valid(name, input, "K different features.", mutants=mutants)
    for name, n_candidates in (("one", 1), ("all", 5)):
        input = {"key": np.uint64(5), "n_candidates": n_candidates, "n_features": 5}
        yield from SUBSET.valid(name, input, "From one feature to all of them.")
    for n_problems in (1, 4):
        input = {"seed": 12, "n_problems": n_problems}
        yield from SEEDS.valid(f"{n_problems}", input, "The first problem has the seed itself.")
    too_many = {"key": np.uint64(5), "n_candidates": 6, "n_features": 5}
    yield from SUBSET.refused("too-many", too_many, "There are five features to draw from.")
    yield from ROWS.refused("no-rows", {"seed": 0, "tree": 0, "n_samples": 0}, "At least one row is drawn from.")

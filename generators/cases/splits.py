"""Cases of one node: its histogram, the gain of a cut, and the best cut.

symbol          in code    shape
bin labels      codes      (n, n_features) int64
slots of bins   offsets    (n_features + 1,) int64; feature f has slots offsets[f] .. offsets[f + 1] - 1
histogram       sums       (n_slots, 2 or 3) int64: sum of residuals, count of rows, and with weights their sum
-               missing    (n_features,): 1 or 2 if the last bin holds the rows that lack the feature; or null
"""

from collections.abc import Iterator
from typing import Any

import numpy as np

from generators.cases.making import Cases, Family
from refrank.trees import splitting
from refrank.trees.contest import compare_cuts, make_cut
from yardstick.vectors.own import OWN

FAMILY = Family("splits", "One node: its histogram, the gain of a cut, and the best cut.")

LINE_5 = "McRank Alg. 1, line 5; docs/reference/numerics.md, rule 3"
CODES = "bin labels, int64, (n, n_features)"
OFFSETS = "int64, (n_features + 1,): feature f has the slots offsets[f] .. offsets[f + 1] - 1"
GRIDDED = "residuals on their grid, int64, (n,)"
ROWS = "the rows of the node, int64, (n_rows,)"
HISTOGRAM = FAMILY.function(
    "histogram",
    "Per slot: the sum of the residuals of the node's rows, their number, and with weights the sum of the weights.",
    "McRank App. I",
    {"codes": CODES, "offsets": OFFSETS, "rows": ROWS, "integers": GRIDDED, "weights": "int64, (n,), or null"},
    {"sums": "int64, (n_slots, 2), or with weights (n_slots, 3)"},
    lambda codes, offsets, rows, integers, weights: histogram(codes, offsets, rows, integers, weights),
)
BEST = FAMILY.function(
    "best_split",
    "The cut with the largest split_gain, of equal ones the first; feature and bin -1, and zeros, where none gains.",
    LINE_5,
    {
        "sums": "int64, (n_slots, 2 or 3)",
        "offsets": OFFSETS,
        "min_samples_leaf": "integer",
        "missing": "int64, (n_features,), 0, 1 or 2; or null",
    },
    {
        "feature": "integer",
        "bin": "integer; rows with code <= bin go left",
        "split_gain": "float64",
        "left_sum": "integer",
        "left_count": "integer",
        "left_weight": "integer; left_count without weights",
    },
    OWN["best_split"],
    lambda **input: list_tied(**input),
)
GAIN = FAMILY.function(
    "split_gain",
    "d = S_left/n_left - S_right/n_right; d d (n_left n_right / n_node), in this order of operations.",
    "docs/reference/numerics.md, rule 3",
    {"left": "sums of the left side, int64, (m, 2 or 3)", "right": "int64, (m, 2 or 3)"},
    {"split_gain": "float64, (m,)"},
    OWN["split_gain"],
)


def lay_out(codes: Any) -> Any:
    """Lay codes out in groups of eight columns."""
    n, n_features = codes.shape
    n_groups = -(-n_features // splitting.GROUP)
    grouped = np.zeros((n_groups, n, splitting.GROUP), np.uint16)
    for f in range(n_features):
        grouped[f // splitting.GROUP, :, f % splitting.GROUP] = codes[:, f]
    return grouped


def histogram(codes: Any, offsets: Any, rows: Any, integers: Any, weights: Any) -> Any:
    """Compute a node's histogram."""
    return splitting.histogram(lay_out(codes), offsets, rows.astype(np.int32), integers, weights, 1)


def pose(sums: Any, sizes: list[int], min_samples_leaf: int = 1, missing: Any = None) -> dict[str, Any]:
    """Make the input of a search."""
    offsets = np.cumsum([0, *sizes])
    return {"sums": sums, "offsets": offsets, "min_samples_leaf": min_samples_leaf, "missing": missing}


def list_tied(sums: Any, offsets: Any, min_samples_leaf: int, missing: Any) -> Iterator[Any]:
    """List all cuts that gain as much as the best one."""
    flags = None if missing is None else missing.astype(np.int8)
    contest = compare_cuts(sums, offsets, np.arange(len(offsets) - 1, dtype=np.int32), min_samples_leaf, flags)
    for feature, first, last in contest.tied:
        for bin in range(first, last + 1):
            yield tuple(make_cut(sums, offsets, flags, feature, bin))


CODES_6 = [[0, 2, 1], [1, 0, 1], [2, 1, 0], [1, 1, 2], [0, 0, 2], [2, 2, 0]]
INTEGERS_6 = [5, -3, 2**50, -7, 0, 11]


@FAMILY.part
def list_histogram_cases() -> Cases:
    """Yield the cases of histograms."""
    every = {"codes": CODES_6, "offsets": [0, 3, 6, 9], "rows": list(range(6)), "integers": INTEGERS_6, "weights": None}
    yield from HISTOGRAM.valid(
        "all-rows", every, "Three features of three bins.", mutants="float32-sums bins-off-by-one"
    )
    some = {**every, "rows": [1, 2, 5], "weights": [1, 2, 3, 4, 5, 2**52]}
    yield from HISTOGRAM.valid("weighted", some, "The rows of a node, with weights.", mutants="all-rows")
    large = {**every, "integers": [2**52, 2**51, 2**50, 2**51, -1, 1]}
    yield from HISTOGRAM.valid("2-to-the-53", large, "Sums stay below 2^53, and are exact.")


@FAMILY.part
def list_best_split_cases() -> Cases:
    """Yield the cases of two-way cuts."""
    plain = [[6, 2], [-3, 1], [1, 2], [4, 1], [8, 4], [-4, 2]]
    mutants = "last-cut-missed gain-is-variance gain-difference-of-means"
    yield from BEST.valid("two-features", pose(plain, [3, 3]), "Sums of 8 over 6 rows.", mutants=mutants)
    first = pose([[9, 2], [0, 2], [1, 2]], [3])
    yield from BEST.valid("first-bin", first, "The first cut is the best.", mutants="first-cut-missed")
    copies = [[3, 1], [0, 2], [-3, 1], [3, 1], [0, 2], [-3, 1]]
    said = "Both features, and both cuts of each, gain the same."
    yield from BEST.valid("ties", pose(copies, [3, 3]), said, mutants="min-samples-leaf-exceeded")
    apart = pose([[0, 1], [4, 3], [2, 3], [2, 1]], [2, 2])
    said = "Both cuts gain 4/3, which float64 rounds to two numbers."
    yield from BEST.valid("ties-of-fractions", apart, said)
    apart = pose([[0, 1], [2**42, 3], [2**41, 3], [2**41, 1]], [2, 2])
    yield from BEST.valid("ties-of-large-fractions", apart, "The same in large units.")
    near = [[4495844241132605, 8], [-2509014488939016, 1], [4052668432934265, 2], [-2065838680740676, 7]]
    said = "The gain of feature 0 is larger by a quarter of a unit in the last place, and rounded it is smaller."
    flags = ("order-of-operations",)
    yield from BEST.valid("near-fractions", pose(near, [2, 2]), said, mutants="ties-by-rounding", flags=flags)
    near = [[3096224743817218, 11], [844424930131969, 3], [1970324836974595, 7]]
    said = "Means agree to 50 bits: the first cut gains 96/385, which is rounded to 0.184, the second 3/14, to 0.292."
    yield from BEST.valid("near-means", pose(near, [3]), said, mutants="ties-by-rounding", flags=flags)
    said = "The paper does not say which of equal cuts is made; docs/reference/numerics.md, rule 3, does."
    yield from BEST.valid("tie-rule", pose([[2, 1], [0, 1], [-2, 1]], [3]), said)
    yield from BEST.valid("equal-means", pose([[2, 1], [4, 2], [2, 1]], [3]), "No cut gains: feature -1.")
    yield from BEST.valid("zero-residuals", pose([[0, 2], [0, 1]], [2]), "A constant residual is not cut.")
    yield from BEST.valid("one-bin", pose([[7, 3]], [1]), "A constant feature has no cut.")
    sparse = pose([[5, 1], [0, 0], [0, 0], [-5, 3]], [4])
    yield from BEST.valid("empty-bins", sparse, "Cuts beside empty bins part the same rows.")
    leaf = [[10, 1], [2, 1], [-3, 2], [-4, 2]]
    mutants = "min-samples-leaf-ignored min-samples-leaf-exceeded"
    yield from BEST.valid("min-samples-leaf", pose(leaf, [4], 2), "Two rows on either side.", mutants=mutants)
    yield from BEST.valid("min-samples-leaf-too-large", pose(leaf, [4], 4), "No cut leaves four rows on both sides.")
    weighted = [[6, 2, 9], [-3, 1, 1], [1, 2, 3], [4, 1, 1], [8, 4, 10], [-8, 2, 2]]
    mutants = "counts-for-weights"
    said = "Sums of weights in place of numbers of rows."
    yield from BEST.valid("weighted", pose(weighted, [3, 3]), said, mutants=mutants)
    weightless = pose([[0, 2, 0], [4, 1, 3], [-4, 1, 1]], [3])
    yield from BEST.valid("weight-zero", weightless, "Each side needs some weight.")
    big = 2**50
    near = [[big + 1, 3], [big - 1, 3], [big, 3], [big + 2, 3]]
    mutants = "gain-cancels"
    said = "Means agree to 50 bits: squares of sums cancel, the difference of means does not."
    yield from BEST.valid("near-tie", pose(near, [4]), said, mutants=mutants, flags=("order-of-operations",))
    sides = {"left": [[3, 1], [7, 3], [-(2**52), 5], [1, 1]], "right": [[1, 2], [-7, 3], [2**52 - 1, 7], [1, 1]]}
    yield from GAIN.valid(
        "plain", sides, "Equal means gain exactly 0.", mutants="gain-is-variance gain-cancels gain-difference-of-means"
    )
    weights = {"left": [[3, 1, 7], [10, 2, 2**40]], "right": [[1, 2, 5], [-10, 5, 3]]}
    yield from GAIN.valid("weighted", weights, "The last column is the weight.")


@FAMILY.part
def list_three_way_cases() -> Cases:
    """Yield the cases of features that some rows lack."""
    slots = [[3, 1], [-3, 1], [6, 2], [1, 2], [0, 2]]
    for flag, rule in ((1, "parting"), (2, "a cut among the others is needed")):
        for name, sums, least, said in (
            ("both", slots, 1, f"Three ways ({rule}): both gains add."),
            ("equal", [[2, 1], [2, 1], [-6, 2], [0, 2], [-2, 2]], 1, f"The others are equal ({rule})."),
            ("too-few", slots, 3, f"Too few rows miss the feature ({rule})."),
            ("none-missed", [[3, 1], [-3, 1], [0, 0], [1, 1], [-1, 1]], 1, f"No row of the node misses it ({rule})."),
            ("worse", [[0, 1], [0, 1], [6, 2], [1, 2], [-1, 2]], 1, f"Nothing among the others ({rule})."),
            (
                "weightless-others",
                [[3, 1, 0], [-3, 2, 0], [6, 2, 2], [1, 2, 1], [-1, 2, 2]],
                1,
                f"The others weigh nothing ({rule}).",
            ),
            (
                "weight-zero",
                [[3, 1, 1], [-3, 1, 2], [0, 2, 0], [1, 2, 1], [-1, 2, 2]],
                1,
                f"The rows that miss it weigh nothing ({rule}).",
            ),
        ):
            input, mutants = pose(sums, [3, 2], least, [flag, 0]), "missing-as-a-value" if name == "both" else ""
            yield from BEST.valid(f"missing-{flag}-{name}", input, said, mutants=mutants, flags=("three-way",))
    apart = pose([[-2, 3], [3, 1], [2, 1], [-2, 1], [2, 3], [3, 1]], [3, 3], 1, [1, 1])
    said = "Both features gain 188/15 by three ways, which float64 rounds to two numbers."
    yield from BEST.valid("missing-tied", apart, said, flags=("three-way",))
    for name, sums in (
        ("above", [[-1, 2], [2, 3], [4, 1], [5, 2], [0, 4]]),
        ("below", [[0, 1], [0, 3], [3, 3], [6, 1], [-3, 6]]),
        ("tied-with", [[-4, 2], [4, 3], [-4, 3], [-6, 2], [2, 6]]),
    ):
        said = f"A gain by three ways {name} that by two, of another feature: as fractions, of all their sides."
        yield from BEST.valid(f"missing-{name}-a-cut", pose(sums, [3, 2], 1, [1, 0]), said, flags=("three-way",))
    for flag, end in ((2, "the cut among them is still made."), (1, "the rows are parted, no more.")):
        tiny = pose([[1, 2**26], [0, 2**26], [2**52, 1]], [3], 1, [flag])
        said = f"The gain among the others is lost in rounding: {end}"
        yield from BEST.valid(f"missing-{flag}-rounded-away", tiny, said, flags=("three-way",))

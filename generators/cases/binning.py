"""Cases of bins: McRank App. I's lengths, quantiles, a bin per value, and the bin of each value.

bin b holds x  where  cuts[b - 1] <= x < cuts[b]
"""

from typing import Any

import numpy as np

from generators.cases.making import Cases, Family, Named, change, find_mutant
from refrank.trees import splitting
from refrank.trees.bins.binning import bin_features
from refrank.trees.bins.cuts import PlaceCuts, equal_lengths, exact, quantiles
from refrank.trees.engine import SPECIFICATION
from yardstick.vectors.own import OWN

FAMILY = Family("binning", "Where bins end, and the bin of each value.")

APP_I = "McRank App. I"
VALUES = "float64, (n,), in any order; finite, or +-inf, which have a bin to themselves"
BINS = "B, the largest number of bins, an integer of at least 2"
CUTS = "float64, ascending, (number of bins - 1,)"


def cut_one(place_cuts: PlaceCuts, values: Any, n_bins: int, weight: Any = None) -> Any:
    """Find the cuts of one feature."""
    table = np.asarray(values, np.float64)[:, np.newaxis]
    return bin_features(table, n_bins, place_cuts, weight, engine=SPECIFICATION).cuts[0]


LENGTHS = FAMILY.function(
    "cuts_app_i",
    "Cuts between the bins of the shortest length 1e-8, 1e-8 growth, 1e-8 growth^2, ... of which B suffice.",
    APP_I,
    {"values": VALUES, "n_bins": BINS, "growth": "float64"},
    {"cuts": CUTS},
    lambda values, n_bins, growth: cut_one(equal_lengths(growth), values, n_bins),
)
QUANTILES = FAMILY.function(
    "cuts_quantile",
    "Cuts midway above each of the B - 1 quantiles below the highest value; with at most B values, above each.",
    "docs/learn/trees.md",
    {"values": VALUES, "n_bins": BINS, "weight": "float64, (n,), or null"},
    {"cuts": CUTS},
    lambda values, n_bins, weight: cut_one(quantiles, values, n_bins, weight),
)
EXACT = FAMILY.function(
    "cuts_exact",
    "Cuts midway between neighbouring values; of more than B values, at quantiles of the distinct ones.",
    "docs/learn/trees.md",
    {"values": VALUES, "n_bins": BINS},
    {"cuts": CUTS},
    lambda values, n_bins: cut_one(exact, values, n_bins),
)
STARTS = FAMILY.function(
    "bin_starts",
    "Cover ascending values with bins [start, start + length): the place of each start; empty if B do not suffice.",
    APP_I,
    {"values": "float64, ascending, (n,)", "length": "float64", "n_bins": BINS},
    {"starts": "int64; of equal values the place of the first"},
    splitting.bin_starts,
)
QUANTIZE = FAMILY.function(
    "quantize",
    "The bin of each value: the number of cuts that are at most x.",
    APP_I,
    {"x": "float64, (n,)", "cuts": CUTS},
    {"codes": "int64, (n,)"},
    OWN["quantize"],
)
FEATURES = FAMILY.function(
    "bin_features",
    "Bins of a whole table.",
    APP_I,
    {"X": "float64, (n, n_features)", "n_bins": BINS, "binning": '"app-i" (growth 2), "quantile" or "exact"'},
    {
        "codes": "int64, (n, n_features)",
        "offsets": "int64, (n_features + 1,): sums of the numbers of bins",
        "cuts": "float64, those of feature 0, then of feature 1, ...",
    },
    lambda X, n_bins, binning: bin_table(X, n_bins, binning),
)
METHODS: dict[str, PlaceCuts] = {"app-i": equal_lengths(), "quantile": quantiles, "exact": exact}


def bin_table(X: Any, n_bins: int, binning: str) -> Any:
    """Bin a table."""
    binned = bin_features(X, n_bins, METHODS[binning], engine=SPECIFICATION)
    return binned.row_codes, binned.offsets, np.concatenate(binned.cuts)


@FAMILY.part
def list_length_cases() -> Cases:
    """Yield the cases of App. I."""
    mutants = "cut-midway-between-values cut-at-end-of-bin bins-of-the-whole-range first-length-not-1e-8"
    clusters = {"values": [0.0, 0.25, 1.0, 1.5, 4.0, 4.5, 9.0], "n_bins": 3, "growth": 2.0}
    yield from LENGTHS.valid("clusters", clusters, "Bins only where there are data; a gap is halved.", mutants=mutants)
    thousandth = {"values": [3.0, -1.0, 0.1, 0.2, 8.0, 0.15], "n_bins": 4, "growth": 1.001}
    yield from LENGTHS.valid("slow-growth", thousandth, "The slowest growth that is allowed.")
    for name, values, n_bins, said in (
        ("few-values", [2.0, 0.0, 1.0, 1.0], 256, "The first length, 1e-8, suffices."),
        ("constant", [1.5, 1.5, 1.5], 4, "A constant feature has one bin and no cut."),
        ("one-row", [0.25], 4, "One row has no cut."),
        ("within-1e-8", [0.0, 4e-9, 9e-9], 4, "Values within the first length are merged."),
        ("signed-zeros", [-0.0, 0.0, 1.0, -0.0], 4, "-0.0 and 0.0 share a bin."),
        ("infinite", [-np.inf, 0.0, 1.0, np.inf, 2.0], 4, "Each infinity has a bin to itself."),
        ("only-infinite", [-np.inf, -np.inf, np.inf], 4, "Nothing finite is left to cut."),
        ("subnormal", [0.0, 5e-324, 1e-8], 4, "The end of a bin is start + length: 1e-8 is beyond it."),
        (
            "huge-neighbours",
            [1e18, 1e18 + 128, 1e18 + 256, 1e18 + 384, 3e18],
            5,
            "No float lies between: the cut is the upper one.",
        ),
        ("huge", [1e18, 1e18 + 256, 3e18], 4, "start + length is start in float64: a bin holds its start alone."),
    ):
        yield from LENGTHS.valid(name, {"values": values, "n_bins": n_bins, "growth": 2.0}, said)
    gap = {"values": [0.0, 1.0, 5.0, 6.0], "n_bins": 2, "growth": 2.0}
    lawful: Named = {
        "gap-halved": LENGTHS.compute,
        "gap-to-the-right": change(LENGTHS.compute, find_mutant("cut-at-end-of-bin", "cuts_app_i")),
        "gap-between-values": change(LENGTHS.compute, find_mutant("cut-midway-between-values", "cuts_app_i")),
    }
    said = "The paper does not say where a value in a gap between two bins belongs."
    yield from LENGTHS.acceptable("gap", gap, said, lawful)
    ascending = [0.0, 0.5, 0.5, 1.0, 2.0, 2.25]
    for name, length, n_bins, said in (
        ("half", 0.5, 4, "x = start + length begins the next bin."),
        ("zero", 0.0, 5, "A bin of no length holds one value."),
        ("too-few", 0.0, 4, "Four bins do not suffice for five values."),
        ("all", 10.0, 2, "One bin covers all."),
    ):
        yield from STARTS.valid(name, {"values": ascending, "length": length, "n_bins": n_bins}, said)
    slow = {"values": [0.0, 1.0], "n_bins": 2, "growth": 1.0}
    yield from LENGTHS.refused("no-growth", slow, "The length would never grow.")
    yield from LENGTHS.refused("one-bin", {"values": [0.0, 1.0], "n_bins": 1, "growth": 2.0}, "One bin parts nothing.")


@FAMILY.part
def list_quantile_cases() -> Cases:
    """Yield the cases of quantiles and of a bin per value."""
    tail = [1.0, 2.0, 3.0, 4.0, 10.0, 1000.0, 2.0, 5.0]
    weights = [1.0, 0.5, 2.0, 0.0, 0.25, 3.0, 1.0, 0.1]
    for name, values, n_bins, weight, said in (
        ("tail", tail, 3, None, "ceil(b n / B) rows are at or below the b-th quantile."),
        ("weighted", tail, 3, weights, "Rows weigh at least b W / B, up to and including the quantile."),
        ("weights-of-one", tail, 3, [1.0] * 8, "Weights of one change no bit."),
        ("zeros", [0.0] * 6 + [1.0, 2.0, 3.0, 4.0], 3, None, "A value with more than its share has a bin alone."),
        ("rare-values", [0.0] * 7 + [1.0, 2.0], 3, None, "With at most B values, rare ones have a bin, too."),
        ("few-values", [2.0, 0.0, 2.0, 1.0], 8, None, "With at most B values, each has a bin."),
        (
            "neighbours",
            [1.0, 1.0 + 2.0**-52, 1.0 + 2.0**-51],
            8,
            None,
            "No float lies between: the cut is the upper one.",
        ),
        ("signed-zeros", [-0.0, 0.0, -1.0, 5e-324], 8, None, "A cut at zero is 0.0, whichever zero is there."),
        (
            "infinite-weighted",
            [np.inf, 0.0, 1.0, -np.inf, 3.0],
            3,
            [1.0, 2.0, 1.0, 1.0, 4.0],
            "Infinities, with weights.",
        ),
        ("infinite", [np.inf, 0.0, 1.0, 2.0, 3.0], 3, None, "The last bin is that of infinity."),
    ):
        mutants = {"tail": "rows-rounded-down", "weighted": "weights-ignored"}.get(name, "")
        yield from QUANTILES.valid(name, {"values": values, "n_bins": n_bins, "weight": weight}, said, mutants=mutants)
    for name, values, n_bins, said in (
        ("all-values", [1.0, 1.0, 1.0, 4.0, 1000.0], 256, "A cut between every two values."),
        (
            "too-many",
            [float(i * i) for i in range(9)] + [4.0] * 5,
            4,
            "Each value counts once, however often it occurs.",
        ),
    ):
        yield from EXACT.valid(name, {"values": values, "n_bins": n_bins}, said)


@FAMILY.part
def list_label_cases() -> Cases:
    """Yield the cases of bin labels."""
    x = [0.0, 0.5, np.nextafter(0.5, 0), 1.0, -3.0, 7.0, 2.0]
    cuts = [0.5, 1.0, 2.0]
    said = "x = cut goes right; one unit below it goes left."
    yield from QUANTIZE.valid("at-the-cuts", {"x": x, "cuts": cuts}, said, mutants="cut-goes-left bins-from-1")
    ends = {"x": [-np.inf, np.inf, 0.0, -1e308], "cuts": [-np.finfo(np.float64).max, 0.0, np.inf]}
    yield from QUANTIZE.valid("infinite", ends, "Infinities have the outermost bins.")
    zeros = {"x": [-0.0, 0.0, -5e-324, 5e-324], "cuts": [0.0]}
    yield from QUANTIZE.valid("signed-zeros", zeros, "-0.0 is not below 0.0.", mutants="cut-goes-left bins-from-1")
    yield from QUANTIZE.valid("no-cut", {"x": [1.0, 2.0], "cuts": np.empty(0)}, "A constant feature has one bin.")
    table = [[float((5 * i) % 7), 1.0, float(i * i) / 4] for i in range(9)]
    for binning in METHODS:
        input = {"X": table, "n_bins": 4, "binning": binning}
        yield from FEATURES.valid(binning, input, "Three features, one of them constant; more values than bins.")
    nine = [[float((i * (f + 2)) % 5) for f in range(9)] for i in range(6)]
    input = {"X": nine, "n_bins": 256, "binning": "quantile"}
    yield from FEATURES.valid("nine-features", input, "More features than one group of columns.")
    many = {"X": [[float(i)] for i in range(260)], "n_bins": 300, "binning": "exact"}
    yield from FEATURES.valid("two-bytes", many, "More than 256 bins do not fit into one byte.")
    yield from FEATURES.valid("257-bins", {**many, "n_bins": 257}, "Neither do 257.")
    bad = {"X": [[0.0], [1.0]], "n_bins": 65537, "binning": "exact"}
    yield from FEATURES.refused("too-many-bins", bad, "Two bytes tell 65,536 bins apart.")

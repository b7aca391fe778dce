"""Nodes for the cases of a port: labels, rows, residuals and weights of many shapes, from a seed and a name.

kind                                 what it tests
one row, one feature                 the smallest sizes
300 features                         more than one group of eight, and a last group that is not full
constant features                    features of one bin; no cut between equal labels
all tied                             equal gains in every feature and bin
whose equal gains round apart        gains that are equal as fractions, and not in float64: in a node, and in small ones
sums near 2**53                      the largest residuals of the grid
"""

from dataclasses import dataclass
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np
from numpy.typing import NDArray

from refrank.arrays import Codes, Floats, Ints, Rows
from refrank.trees.numbers.grid import to_grid
from refrank.trees.splitting import GROUP

# name: rows, rows of the node, features, bins, type of labels, residuals, weights
KINDS: dict[str, tuple[int, int, int, int, str, str, str]] = {
    "one row": (1, 1, 3, 4, "uint8", "normal", "none"),
    "two rows": (2, 2, 2, 2, "uint8", "normal", "none"),
    "one row of many": (50, 1, 3, 4, "uint8", "normal", "any"),
    "one feature": (60, 41, 1, 256, "uint8", "normal", "none"),
    "eight features": (60, 60, 8, 17, "uint8", "signs", "none"),
    "nine features and weights": (60, 33, 9, 17, "uint8", "normal", "any"),
    "two bins": (50, 41, 4, 2, "uint8", "normal", "none"),
    "300 features": (40, 39, 300, 5, "uint8", "normal", "none"),
    "labels of two bytes": (150, 149, 5, 3000, "uint16", "normal", "none"),
    "labels of two bytes and weights": (150, 101, 3, 65_536, "uint16", "normal", "any"),
    "constant features": (30, 30, 10, 1, "uint8", "normal", "none"),
    "all tied": (64, 64, 4, 8, "uint8", "tied", "none"),
    "four rows whose equal gains round apart": (4, 4, 28, 2, "uint8", "0112", "none"),
    "grades whose equal gains round apart": (80, 80, 33, 5, "uint8", "grades", "none"),
    "equal residuals": (40, 40, 4, 8, "uint8", "equal", "any"),
    "residuals of zero": (40, 40, 4, 8, "uint8", "zeros", "none"),
    "dyadic residuals, which tie": (80, 70, 11, 6, "uint8", "dyadic", "none"),
    "signs and whole weights": (80, 80, 4, 9, "uint8", "signs", "whole"),
    "weights of zero": (60, 60, 6, 6, "uint8", "normal", "zeros"),
    "sums near 2**53": (64, 64, 3, 4, "uint8", "largest", "none"),
    "sums and weights near 2**53": (64, 64, 3, 4, "uint8", "largest", "largest"),
    "far from zero": (100, 100, 5, 30, "uint8", "far", "none"),
    "all scales": (200, 200, 5, 256, "uint8", "scales", "scales"),
    "subnormal": (40, 40, 3, 9, "uint8", "subnormal", "none"),
    "many rows": (5000, 4999, 9, 256, "uint8", "normal", "none"),
    "many rows and weights": (5000, 4321, 9, 300, "uint16", "normal", "any"),
    "200,001 rows": (200_001, 199_999, 3, 256, "uint8", "normal", "any"),
}


@dataclass(frozen=True, eq=False)
class SampleNode:
    """Bin labels, which need not come from a binning, and the rows of a node."""

    codes: Codes  # (n_groups, n_samples, 8)
    offsets: Ints
    rows: Rows
    integers: Ints
    weights: Ints | None

    @property
    def n_samples(self) -> int:
        """Number of rows, in the node and outside it."""
        return self.codes.shape[1]

    @property
    def n_features(self) -> int:
        """Number of features."""
        return len(self.offsets) - 1

    def label(self, f: int) -> NDArray[Any]:
        """The labels of one feature, (n_samples,)."""
        return self.codes[f // GROUP, :, f % GROUP]

    @property
    def column_codes(self) -> Codes:
        """The labels column by column, (n_features, n_samples)."""
        return np.stack([self.label(f) for f in range(self.n_features)])


def make_rng(*words: object) -> np.random.Generator:
    """Make the random generator for these words."""
    return np.random.default_rng(crc32(" ".join(map(str, words)).encode()))


@cache
def make_node(kind: str) -> SampleNode:
    """Make the node of a kind; its arrays are shared, and must not be changed."""
    n_samples, n_rows, n_features, n_bins, dtype, _, weighing = KINDS[kind]
    rng = make_rng(kind)
    sizes = np.array([n_bins, *rng.integers(1, n_bins + 1, n_features - 1)])
    if kind == "all tied":
        sizes[:] = n_bins
    codes = np.zeros((-(-n_features // GROUP), n_samples, GROUP), dtype)
    for f, size in enumerate(sizes.tolist()):
        few = rng.choice([0, size - 1, size // 2], n_samples)  # most rows in few bins, and many bins empty
        drawn = np.where(rng.random(n_samples) < 0.5, few, rng.integers(0, size, n_samples))
        codes[f // GROUP, :, f % GROUP] = np.arange(n_samples) % size if kind == "all tied" else drawn
    rows = rng.permutation(n_samples)[:n_rows].astype(np.int32)
    weight = make_weights(weighing, n_samples)
    value = make_values(kind, n_samples)
    integers = to_grid(value if weight is None else value * weight).integers
    gridded = None if weight is None else to_grid(weight).integers
    return SampleNode(codes, np.array([0, *np.cumsum(sizes)], np.int64), rows, integers, gridded)


def make_values(kind: str, n: int) -> Floats:
    """Make the residuals of a kind, (n,)."""
    rng, residuals = make_rng("values", kind), KINDS[kind][5]
    normal = rng.normal(size=n)
    made = {
        "normal": normal,
        "signs": rng.choice([-1.0, 1.0], n),
        "dyadic": rng.integers(-8, 9, n) / 8,
        "0112": np.resize([0.0, 1.0, 1.0, 2.0], n),  # one row or three on the left gain 4/3, in two floats
        "grades": rng.integers(0, 5, n).astype(np.float64),
        "tied": np.where(np.arange(n) % 2 == 0, 1.0, -1.0),
        "equal": np.full(n, 0.1),
        "zeros": rng.choice([0.0, -0.0], n),
        "largest": np.where(rng.random(n) < 0.9, np.nextafter(1.0, 0.0), 0.75),
        "far": 1e6 + normal,
        "scales": normal * 10.0 ** rng.integers(-12, 13, n),
        "subnormal": normal * 1e-310,
    }
    return made[residuals]


def make_weights(kind: str, n: int) -> Floats | None:
    """Make the weights of a kind, (n,), at least one of them above 0; None if rows have none."""
    rng = make_rng("weights", kind)
    made = {
        "none": None,
        "any": rng.uniform(0.1, 5.0, n),
        "whole": rng.integers(1, 4, n).astype(np.float64),
        "zeros": np.maximum(rng.integers(-2, 3, n).astype(np.float64), np.arange(n) == 0),
        "largest": np.full(n, np.nextafter(1.0, 0.0)),
        "scales": 10.0 ** rng.integers(-12, 13, n),
    }
    return made[kind]

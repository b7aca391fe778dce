"""Nodes for the cases of a port: bins, rows, residuals and weights of many shapes, from a seed and a name.

kind                                 what it tests
one row, one feature                 the smallest sizes
300 features                         more than one group of eight, and a last group that is not full
constant features                    features of one bin; no cut between equal labels
all tied                             equal gains in every feature and bin
whose equal gains round apart        gains that are equal as fractions, and not in float64: in a node, and in small ones
sums near 2**53                      the largest residuals of the grid
"""

from collections.abc import Mapping
from functools import cache
from typing import Any
from zlib import crc32

import numpy as np

from refrank.arrays import Floats
from refrank.trees import splitting
from refrank.trees.engine import SPECIFICATION
from refrank.trees.numbers.grid import find_exponent, to_grid

KINDS: dict[str, tuple[int, int, int, int, str, str]] = {  # rows, rows of the node, features, bins, and two of draw
    "one row": (1, 1, 3, 4, "normal", "none"),
    "two rows": (2, 2, 2, 2, "normal", "none"),
    "one row of many": (50, 1, 3, 4, "normal", "any"),
    "one feature": (60, 41, 1, 256, "normal", "none"),
    "eight features": (60, 60, 8, 17, "signs", "none"),
    "nine features and weights": (60, 33, 9, 17, "normal", "any"),
    "two bins": (50, 41, 4, 2, "normal", "none"),
    "300 features": (40, 39, 300, 5, "normal", "none"),
    "labels of two bytes": (150, 149, 5, 3000, "normal", "none"),
    "labels of two bytes and weights": (150, 101, 3, 65_536, "normal", "any"),
    "constant features": (30, 30, 10, 1, "normal", "none"),
    "all tied": (64, 64, 4, 8, "tied", "none"),
    "four rows whose equal gains round apart": (4, 4, 28, 2, "0112", "none"),
    "grades whose equal gains round apart": (80, 80, 33, 5, "grades", "none"),
    "equal residuals": (40, 40, 4, 8, "equal", "any"),
    "residuals of zero": (40, 40, 4, 8, "signed zeros", "none"),
    "dyadic residuals, which tie": (80, 70, 11, 6, "dyadic", "none"),
    "signs and whole weights": (80, 80, 4, 9, "signs", "whole"),
    "weights of zero": (60, 60, 6, 6, "normal", "some zeros"),
    "sums near 2**53": (64, 64, 3, 4, "largest", "none"),
    "sums and weights near 2**53": (64, 64, 3, 4, "largest", "largest weight"),
    "far from zero": (100, 100, 5, 30, "far", "none"),
    "all scales": (200, 200, 5, 256, "scales", "scaled"),
    "subnormal": (40, 40, 3, 9, "subnormal", "none"),
    "huge": (40, 40, 4, 9, "huge", "none"),
    "many rows": (5000, 4999, 9, 256, "normal", "none"),
    "many rows and weights": (5000, 4321, 9, 300, "normal", "any"),
    "200,001 rows": (200_001, 199_999, 3, 256, "normal", "any"),
}


def make_rng(*words: object) -> np.random.Generator:
    """Make the random generator for these words."""
    return np.random.default_rng(crc32(" ".join(map(str, words)).encode()))


@cache
def make_node(kind: str) -> Mapping[str, Any]:
    """Make the node of a kind: arguments of the splitter's functions, by name, which must not be changed."""
    n_samples, n_rows, n_features, n_bins, residuals, weighing = KINDS[kind]
    rng = make_rng(kind)
    sizes = np.array([n_bins, *rng.integers(1, n_bins + 1, n_features - 1)])
    if kind == "all tied":
        sizes[:] = n_bins
    columns = np.zeros((-(-n_features // 8) * 8, n_samples), np.uint8 if n_bins <= 256 else np.uint16)
    for labels, size in zip(columns, sizes.tolist(), strict=False):  # they need not come from a binning
        few = rng.choice([0, size - 1, size // 2], n_samples)  # most rows in few bins, and many bins empty
        labels[:] = np.where(rng.random(n_samples) < 0.5, few, rng.integers(0, size, n_samples))
        if kind == "all tied":
            labels[:] = np.arange(n_samples) % size
    codes = np.ascontiguousarray(columns.reshape(-1, 8, n_samples).transpose(0, 2, 1))
    X, cuts = zip(*(draw_column(rng, size, n_samples) for size in sizes.tolist()), strict=True)
    rows = rng.permutation(n_samples)[:n_rows].astype(np.int32)
    value, weight = draw(residuals, n_samples, kind), None if weighing == "none" else draw(weighing, n_samples, kind)
    integers = to_grid(value if weight is None else value * weight).integers
    gridded = None if weight is None else to_grid(weight).integers
    offsets, widest = np.array([0, *np.cumsum(sizes)], np.int64), int(np.argmax(sizes))
    quantities = [integers, -integers, np.ones(n_samples, np.int64), integers[::-1].copy()]
    starts = np.array([0, *np.sort(rng.permutation(np.arange(1, n_rows))[: min(9, n_rows // 2)]), n_rows])
    return {
        "X": np.column_stack(X),
        "cuts": np.concatenate(cuts),
        "codes": codes,
        "column_codes": columns[:n_features],
        "offsets": offsets,
        "features": np.arange(n_features, dtype=np.int32),
        "rows": rows,
        "integers": integers,
        "weights": gridded,
        "sums": splitting.histogram(codes, offsets, rows, integers, gridded, 1),
        "quantities": quantities[: 1 + n_features % 4],
        "feature": widest,
        "bin": int(np.median(columns[widest])),
        "value": value,
        "exponent": find_exponent(value, SPECIFICATION),
        "starts": starts,
        "scores": draw("normal", n_samples, "scores"),
        "values": draw("normal", len(starts) - 1, "values"),
        "n_threads": 1,
        "missing": None,
    }


def draw_column(rng: np.random.Generator, n_bins: int, n: int) -> tuple[Floats, Floats]:
    """Draw the cuts of a feature, and n values that lie on them, one unit beside them, and between them."""
    cuts = np.cumsum(rng.uniform(0.5, 1.5, n_bins - 1)) - n_bins / 2
    if rng.random() < 0.5:
        cuts = cuts.astype(np.float32).astype(np.float64)
    between = rng.normal(size=n) * n_bins
    on = rng.choice(cuts, n) if n_bins > 1 else between
    return np.choose(rng.integers(0, 3, n), [on, np.nextafter(on, rng.choice([-np.inf, np.inf], n)), between]), cuts


def draw(law: str, n: int, *words: object) -> Floats:
    """Draw n residuals, or weights, of which one is above 0."""
    rng = make_rng(law, *words)
    normal, powers = rng.normal(size=n), 10.0 ** rng.integers(-12, 13, n)
    drawn = {
        "normal": normal,
        "signs": rng.choice([-1.0, 1.0], n),
        "dyadic": rng.integers(-8, 9, n) / 8,
        "0112": np.resize([0.0, 1.0, 1.0, 2.0], n),  # one row or three on the left gain 4/3, in two floats
        "grades": rng.integers(0, 5, n).astype(np.float64),
        "tied": np.resize([1.0, -1.0], n),
        "equal": np.full(n, 0.1),
        "signed zeros": rng.choice([0.0, -0.0], n),
        "largest": np.where(rng.random(n) < 0.9, np.nextafter(1.0, 0.0), 0.75),
        "far": 1e6 + normal,
        "scales": normal * powers,
        "subnormal": normal * 1e-310,
        "huge": normal * 1e300,
        "any": rng.uniform(0.1, 5.0, n),
        "whole": rng.integers(1, 4, n).astype(np.float64),
        "some zeros": np.maximum(rng.integers(-2, 3, n).astype(np.float64), np.arange(n) == 0),
        "largest weight": np.full(n, np.nextafter(1.0, 0.0)),
        "scaled": powers,
    }
    return drawn[law]

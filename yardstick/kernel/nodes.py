"""Nodes for the cases of a port: rows, bins, residuals and weights of many sizes and laws, drawn from a seed.

The lists of sizes and laws are counted around; no two lengths have a common factor, so that each entry of one meets
those of the others. In a node, most rows lie in few bins; every sixth feature repeats the first one, so that cuts tie
between features; and x lies on cuts, one unit beside them, between them, and at the ends of the floats.
"""

from collections.abc import Mapping
from functools import cache
from itertools import cycle, islice
from typing import Any
from zlib import crc32

import numpy as np

from refrank.arrays import Floats
from refrank.trees import splitting
from refrank.trees.engine import SPECIFICATION
from refrank.trees.numbers.grid import find_exponent, to_grid
from refrank.trees.splitter import ARGUMENTS

Node = dict[str, Any]
LEAST, LARGEST = 5e-324, np.finfo(np.float64).max
CUTS = [-LARGEST, -1.0, 0.0, LEAST, 1.0, np.inf]  # among those drawn
ROWS, FEATURES, BINS = (1, 2, 4, 5, 7, 12, 41, 60, 200), (1, 2, 3, 4, 9, 17, 28), (1, 2, 3, 5, 8, 17, 256, 300)
RESIDUALS = "normal", "signs", "grades", "eighths", "largest", "equal", "far", "zero", "scaled", "subnormal", "huge"
WEIGHTS = "no", "no", "uneven", "no", "whole", "no", "no", "some zero", "no", "full", "no", "no", "10^k as"
N_NODES = 78  # and those of `MORE`
MORE = (
    (4, 28, 2, "grades", "no"),
    (12, 28, 3, "far", "no"),
    (60, 28, 2, "far", "no"),
    (5, 28, 5, "normal", "some zero"),
    (7, 28, 3, "scaled", "no"),
    (40, 300, 5, "normal", "no"),
    (150, 5, 3000, "normal", "no"),
    (150, 3, 65_536, "normal", "uneven"),
    (5000, 9, 256, "normal", "uneven"),
    (200_001, 3, 256, "normal", "no"),
)


@cache
def list_nodes() -> Mapping[str, tuple[int, int, int, str, str]]:
    """List the nodes by their names: rows, features, bins of a feature at most, and laws."""
    counted = islice(zip(*map(cycle, (ROWS, FEATURES, BINS, RESIDUALS, WEIGHTS)), strict=False), N_NODES)
    words = "{} rows, {} features of {} bins, {} residuals, {} weights"
    return {words.format(*node): node for node in (*counted, *MORE)}


def make_rng(*words: object) -> np.random.Generator:
    """Make the random generator for these words."""
    return np.random.default_rng(crc32(" ".join(map(str, words)).encode()))


@cache
def make_node(name: str) -> Node:
    """Make a node: arguments of the splitter's functions, by name, which must not be changed."""
    n_samples, n_features, n_bins, residuals, weights = list_nodes()[name]
    rng = make_rng(name)
    sizes = rng.integers(1, n_bins + 1, n_features)
    sizes[::3] = n_bins
    columns = np.zeros((-(-n_features // 8) * 8, n_samples), np.uint8 if n_bins <= 256 else np.uint16)
    for labels, size in zip(columns, sizes.tolist(), strict=False):  # they need not come from a binning
        few = rng.choice([0, size - 1, size // 2], n_samples)
        labels[:] = np.where(rng.random(n_samples) < 0.5, few, rng.integers(0, size, n_samples))
    columns[3:n_features:6] = columns[0]
    X, cuts = zip(*(draw_column(rng, size, n_samples) for size in sizes.tolist()), strict=True)
    n_rows, n_listed = (int(rng.choice([n, int(rng.integers(1, n + 1))])) for n in (n_samples, n_features))
    value, weight = (draw(law, n_samples, rng) for law in (residuals, weights))
    weighs = weights != "no"
    integers = to_grid(value * weight if weighs else value).integers
    node: Node = {
        "X": np.column_stack(X),
        "cuts": np.concatenate(cuts),
        "codes": np.ascontiguousarray(columns.reshape(-1, 8, n_samples).transpose(0, 2, 1)),
        "column_codes": columns[:n_features],
        "offsets": np.array([0, *np.cumsum(sizes)], np.int64),
        "features": np.sort(rng.permutation(n_features)[:n_listed]).astype(np.int32),
        "rows": rng.permutation(n_samples)[:n_rows].astype(np.int32),
        "integers": integers,
        "weights": to_grid(weight).integers if weighs else None,
        "quantities": [integers, -integers, np.ones(n_samples, np.int64)][: 1 + n_features % 3],
        "feature": n_features - 1,
        "bin": int(np.median(columns[n_features - 1])),
        "value": value,
        "exponent": find_exponent(value, SPECIFICATION),
        "starts": np.array([0, *np.sort(rng.permutation(np.arange(1, n_rows))[: min(9, n_rows // 2)]), n_rows]),
        "scores": rng.normal(size=n_samples),
        "min_samples_leaf": 1,
        "n_threads": 1,
        "missing": None,
    }
    sums = splitting.histogram(*(node[name] for name in ARGUMENTS["histogram"]))
    return node | {"sums": sums, "values": rng.normal(size=len(node["starts"]) - 1)}


def draw_column(rng: np.random.Generator, n_bins: int, n: int) -> tuple[Floats, Floats]:
    """Draw n values of a feature, and its cuts."""
    drawn = np.cumsum(rng.uniform(0.5, 1.5, n_bins)) - n_bins / 2
    if rng.random() < 0.5:
        drawn = drawn.astype(np.float32).astype(np.float64)
    cuts = np.sort(rng.permutation(np.append(drawn, CUTS))[: n_bins - 1])
    on = rng.choice([*cuts, np.nan, np.inf, -np.inf, 0.0, -0.0], n)
    beside = np.nextafter(on, rng.choice([-np.inf, np.inf], n))
    return np.choose(rng.integers(0, 3, n), [on, beside, rng.normal(size=n) * n_bins]), cuts


def draw(law: str, n: int, rng: np.random.Generator) -> Floats:
    """Draw n residuals, or weights, one of them above 0."""
    normal, whole, below_1 = rng.normal(size=n), rng.integers(-8, 9, n).astype(np.float64), np.nextafter(1.0, 0.0)
    drawn: dict[str, Floats] = {
        "normal": normal,
        "signs": np.sign(whole + 0.5),
        "grades": whole % 3.0,  # their gains may be equal as fractions, and not in float64
        "eighths": whole / 8.0,
        "largest": np.where(whole < 6.0, below_1, 0.75),
        "equal": np.full(n, 0.1),
        "far": 2.0**45 + whole,  # gains of different fractions may be equal in float64
        "zero": np.copysign(0.0, normal),
        "scaled": normal * 10.0**whole,
        "subnormal": normal * 1e-310,
        "huge": normal * 1e290,
        "uneven": rng.uniform(0.1, 5.0, n),
        "whole": whole % 3.0 + 1.0,
        "some zero": np.maximum(whole % 3.0, np.arange(n) == 0),
        "full": np.full(n, below_1),
        "10^k as": 10.0**whole,
        "no": np.ones(n),
    }
    return drawn[law]

"""Sums over rows that do not depend on the order of addition (docs/reference/numerics.md, rule 1).

A float64 sum depends on the order of its terms. Before a tree is grown, each quantity that is summed over rows is
therefore rounded, once, to a multiple of one power of two, such that no sum of rows exceeds 2**53:

    q = rint(value * 2**e),   e = 53 - L - E,   n_samples <= 2**L,   max |value| < 2**E

Where the rows are cut into shards, n_samples and the maximum are those of all rows, so that a grid is the same on every
shard.

Every partial sum is then an integer that int64 and float64 both hold exactly. Scaling by 2**-e is exact too.

    symbol    in code     shape
    value     value       (n_samples,) float64
    q         integers    (n_samples,) int64
    e         exponent    int
"""

import math
import sys
from dataclasses import dataclass
from typing import cast

import numpy as np

from refrank.arrays import Floats, Ints
from refrank.checks import check_entries
from refrank.cluster.communicator import count_rows, find_shards
from refrank.trees.splitter import Engine, Splitter


def largest_magnitude(value: Floats, n_threads: int) -> float:
    """Find max |value|; it is not finite where one of the values is not."""
    return max(float(value.max()), -float(value.min()))


def round_to_grid(value: Floats, exponent: int, n_threads: int) -> Ints:
    """Compute rint(value * 2**exponent), whose size is at most 2**53."""
    return np.rint(np.ldexp(value, exponent)).astype(np.int64)


def make_specified() -> Engine:
    """Make an engine of the two functions above."""
    return Engine(cast(Splitter, sys.modules[__name__]))


@dataclass(frozen=True)
class Gridded:
    """Values on the grid: value is `integers * 2**-exponent`, to within half a step of 2**-exponent."""

    integers: Ints  # (n_samples,)
    exponent: int


def to_grid(value: Floats, engine: Engine | None = None) -> Gridded:
    """Put a quantity, one finite value per row, (n_samples,), on its grid.

    Each value is off by at most half a step, 2**-(e + 1), which is below n_samples * 2**-52 * max |value|; a sum over m
    rows by at most m half steps. A value that is not finite raises a ValueError that names its row.
    """
    engine = engine or make_specified()
    exponent = find_exponent(value, engine)
    return Gridded(engine.splitter.round_to_grid(value, exponent, engine.n_threads), exponent)


@dataclass(frozen=True)
class GriddedWeights:
    """Weights of rows on their grid."""

    integers: Ints | None  # (n_samples,); None: each row weighs 1
    exponent: int

    @property
    def columns(self) -> list[Ints]:
        """The weights, if there are any."""
        return [] if self.integers is None else [self.integers]


def put_weights(weight: Floats | None, engine: Engine) -> GriddedWeights:
    """Put the weights of rows, (n_samples,), on their grid; None: each row weighs 1."""
    if weight is None:
        return GriddedWeights(None, 0)
    gridded = to_grid(weight, engine)
    return GriddedWeights(gridded.integers, gridded.exponent)


def find_exponent(value: Floats, engine: Engine) -> int:
    """Find e, the exponent of a quantity's grid; 0 where all its values are 0."""
    largest = engine.splitter.largest_magnitude(value, engine.n_threads) if len(value) else 0.0
    if not math.isfinite(largest):
        check_entries("value", value, ~np.isfinite(value), "a quantity that is summed over rows must be finite")
    counts, sizes = zip(*engine.shards.gather((len(value), largest)), strict=True)
    largest = max(sizes)
    if largest == 0.0:
        return 0
    n_bits = (sum(counts) - 1).bit_length()  # L
    return 53 - n_bits - math.frexp(largest)[1]  # e = 53 - L - E


def weigh(value: Floats, weight: Floats | None) -> Floats:
    """Multiply a quantity, (n_samples,), by the weights of the rows, if they have any."""
    return value if weight is None else weight * value


def from_grid(sums: Ints, exponent: int) -> Floats:
    """Scale sums of gridded integers back; exact, except where a result is below the normal floats."""
    return np.ldexp(np.asarray(sums, np.float64), -exponent)


def exact_sum(value: Floats) -> float:
    """Sum a quantity, (n_samples,), over all rows, on its grid: bit-for-bit identical in any order of rows."""
    gridded = to_grid(value)
    total = find_shards().sum(gridded.integers.sum(keepdims=True))
    return float(from_grid(total, gridded.exponent)[0])


def exact_mean(value: Floats, weight: Floats | None = None) -> float:
    """Average a quantity, (n_samples,) as its weights are: two sums on their grids, and one division."""
    if weight is None:
        return exact_sum(value) / count_rows(len(value))
    return exact_sum(weight * value) / exact_sum(weight)

"""Oracles: sums on their grids, scores of cuts and trees once more, from the definitions, over Python numbers.

Sums over rows are sums of integers or `fractions.Fraction`, hence exact; where a result is a float64, it is rounded
where the contract (docs/reference/numerics.md) rounds it, and the tests ask for equality. Trees are grown by the
grower of `proofs_check`, which tries every cut: gains are rounded, and the cuts of a node compared by how much they
reduce the error, as fractions. Nothing here imports refrank.
"""

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from fractions import Fraction

from proofs_check.engine.exact_tree import ExactNode, RowSet, grow_best_first

Columns = Sequence[Sequence[int]]  # bin labels, (n_features, n_samples)

# --- docs/reference/numerics.md, rule 1 ------------------------------------------------------------------------------


def grid_exponent(values: Sequence[float]) -> int:
    """Exponent e = 53 - L - E: smallest L with n <= 2**L, smallest E with max |value| < 2**E; 0 where all are 0."""
    largest = max(abs(Fraction(value)) for value in values)
    if largest == 0:
        return 0
    n_bits = 0
    while len(values) > 2**n_bits:
        n_bits += 1
    magnitude = math.floor(math.log2(largest)) - 2  # a place to begin; log2 itself may round
    while largest >= Fraction(2) ** magnitude:
        magnitude += 1
    return 53 - n_bits - magnitude


def grid_units(values: Sequence[float]) -> list[int]:
    """Each value in units of 2**-e, rounded to the nearest integer (of two as near, to the even one)."""
    scale = Fraction(2) ** grid_exponent(values)
    return [round(Fraction(value) * scale) for value in values]


def grid_sum(units: Sequence[int], exponent: int) -> float:
    """The sum of numbers on a grid, exact until it becomes a float64."""
    return float(sum(units) * Fraction(2) ** -exponent)


def grid_total(values: Sequence[float], rows: Sequence[int]) -> float:
    """Sum over rows as the contract has it."""
    units = grid_units(values)
    return grid_sum([units[i] for i in rows], grid_exponent(values))


# --- scores of cuts --------------------------------------------------------------------------------------------------


def split_gain(product: Sequence[int], weight: Sequence[int], left: RowSet, right: RowSet) -> float:
    """Score a cut as docs/reference/numerics.md, rule 3, does: exact sums, then float64; 0 where a side has no weight.

    `product` holds w_i r_i.
    """
    s_left, s_right = (float(sum(product[i] for i in side)) for side in (left, right))
    n_left, n_right = (float(sum(weight[i] for i in side)) for side in (left, right))
    if min(n_left, n_right) == 0:
        return 0.0
    d = s_left / n_left - s_right / n_right
    return d * d * (n_left * n_right / (n_left + n_right))


def error_reduction(product: Sequence[int], weight: Sequence[int], left: RowSet, right: RowSet) -> Fraction:
    """How much a cut reduces the sum of squared errors, from the definition; 0 where a side has no weight.

    The minimum over c of sum_i w_i (r_i - c)^2 is sum_i w_i r_i^2, the same before and after, less (sum w r)^2 / sum w.
    """
    if min(sum(weight[i] for i in side) for side in (left, right)) == 0:
        return Fraction(0)
    node, *sides = (
        Fraction(sum(product[i] for i in rows) ** 2, sum(weight[i] for i in rows))
        for rows in (left + right, left, right)
    )
    return sum(sides) - node


# --- trees -----------------------------------------------------------------------------------------------------------


@dataclass
class Growth:
    """Inputs of a growing tree, in units of the grids, and its nodes."""

    product: list[int]  # w_i r_i
    weight: list[int]
    product_exponent: int
    weight_exponent: int
    nodes: list[ExactNode] = field(default_factory=list)

    @property
    def units(self) -> tuple[list[int], list[int]]:
        return self.product, self.weight

    def mean(self, number: int) -> float:
        """The weighted mean of a node: two exact sums and one division; 0 where nothing weighs."""
        rows = self.nodes[number].rows
        total = grid_sum([self.weight[i] for i in rows], self.weight_exponent)
        return grid_sum([self.product[i] for i in rows], self.product_exponent) / total if total else 0.0


def growth_of(residual: Sequence[float], weight: Sequence[float] | None) -> Growth:
    """Put on their grids what is summed."""
    if weight is None:
        return Growth(grid_units(residual), [1] * len(residual), grid_exponent(residual), 0)
    product = [w * r for w, r in zip(weight, residual, strict=True)]
    return Growth(grid_units(product), grid_units(weight), grid_exponent(product), grid_exponent(weight))


def newton_regions(columns: Columns, n_leaves: int) -> Callable[[Sequence[float], Sequence[float]], list[list[int]]]:
    """The regions {R_j} of a tree of the second order, fitted to first and second derivatives: no quotient of rows."""

    def fit(first: Sequence[float], second: Sequence[float]) -> list[list[int]]:
        units, X = (grid_units(first), grid_units(second)), list(zip(*columns, strict=True))
        nodes = grow_best_first(X, *units, n_leaves=n_leaves, gain=split_gain, order=error_reduction)
        return [[*node.rows] for node in nodes if node.feature == -1]

    return fit


def best_first_tree(
    columns: Columns,
    residual: Sequence[float],
    weight: Sequence[float] | None = None,
    *,
    min_samples_leaf: int = 1,
    **limits: int | None,
) -> Growth:
    """Make, of every cut of every leaf, the one that gains most, to `n_leaves` (and `max_depth`) of `limits`."""
    growth, X = growth_of(residual, weight), list(zip(*columns, strict=True))
    growth.nodes = grow_best_first(
        X, *growth.units, min_rows=min_samples_leaf, gain=split_gain, order=error_reduction, **limits
    )
    return growth

"""Oracles: sums, splits and trees once more, from the definitions, in plain loops over Python numbers.

Sums over rows are sums of `fractions.Fraction`, hence exact; where a result is a float64, it is rounded where the
contract (docs/numerics.md) rounds it, and the tests ask for equality. Nothing here imports refrank.
"""

import math
from collections.abc import Sequence
from dataclasses import dataclass, field
from fractions import Fraction

Columns = Sequence[Sequence[int]]  # bin labels, (n_features, n_samples)

# --- docs/numerics.md, rule 1 ---------------------------------------------------------------------------------------


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


# --- splits ----------------------------------------------------------------------------------------------------------


@dataclass(frozen=True)
class Cut:
    """Rows with label <= bin go left."""

    feature: int
    bin: int
    left: list[int]
    right: list[int]


def all_cuts(columns: Columns, rows: Sequence[int], features: Sequence[int], min_samples_leaf: int) -> list[Cut]:
    """Every cut that leaves enough rows on both sides, lowest feature first, then lowest bin.

    A cut after a bin without rows parts them as the cut before it does, whose bin is lower: it is left out.
    """
    cuts = []
    for f in features:
        for b in sorted({columns[f][i] for i in rows})[:-1]:
            left = [i for i in rows if columns[f][i] <= b]
            right = [i for i in rows if columns[f][i] > b]
            if len(left) >= min_samples_leaf and len(right) >= min_samples_leaf:
                cuts.append(Cut(f, b, left, right))
    return cuts


def squared_error(rows: Sequence[int], product: Sequence[int], weight: Sequence[int]) -> Fraction:
    """Minimum over c of sum_i w_i (r_i - c)^2, less the constant sum_i w_i r_i^2: that is -(sum w r)^2 / sum w.

    `product` holds w_i r_i. The constant is the same for every cut of a node, so reductions do not see it.
    """
    return -Fraction(sum(product[i] for i in rows) ** 2, sum(weight[i] for i in rows))


def error_reduction(cut: Cut, product: Sequence[int], weight: Sequence[int]) -> Fraction:
    """How much the cut reduces the sum of squared errors: exact, from the definition."""
    before = squared_error(cut.left + cut.right, product, weight)
    return before - squared_error(cut.left, product, weight) - squared_error(cut.right, product, weight)


def split_gain(cut: Cut, product: Sequence[int], weight: Sequence[int]) -> float:
    """The same number as docs/numerics.md, rule 3, rounds it: sums are exact, float64 operations follow."""
    s_left, s_right = (float(sum(product[i] for i in side)) for side in (cut.left, cut.right))
    n_left, n_right = (float(sum(weight[i] for i in side)) for side in (cut.left, cut.right))
    n_node = float(sum(weight[i] for i in cut.left + cut.right))
    d = s_left / n_left - s_right / n_right
    return d * d * (n_left * n_right / n_node)


def best_cut(
    columns: Columns,
    rows: Sequence[int],
    features: Sequence[int],
    min_samples_leaf: int,
    product: Sequence[int],
    weight: Sequence[int],
) -> tuple[float, Cut] | None:
    """Try every cut; None where none gains. Both sides need some weight. Of equal gains the first is kept."""
    best = None
    for cut in all_cuts(columns, rows, features, min_samples_leaf):
        if sum(weight[i] for i in cut.left) > 0 and sum(weight[i] for i in cut.right) > 0:
            gain = split_gain(cut, product, weight)
            if gain > (best[0] if best else 0.0):
                best = gain, cut
    return best


# --- trees -----------------------------------------------------------------------------------------------------------


@dataclass
class Node:
    """A node of an oracle's tree."""

    rows: list[int]
    feature: int = -1
    bin: int = 0
    left: int = 0
    right: int = 0
    gain: float = 0.0
    depth: int = 0


@dataclass
class Growth:
    """What a tree is grown from, in units of the grids, and the nodes so far."""

    columns: Columns
    product: list[int]  # w_i r_i
    weight: list[int]
    product_exponent: int
    weight_exponent: int
    min_samples_leaf: int
    nodes: list[Node] = field(default_factory=list)

    def cut(self, number: int, gain: float, cut: Cut) -> tuple[int, int]:
        left, right = len(self.nodes), len(self.nodes) + 1
        node = self.nodes[number]
        self.nodes += [Node(side, depth=node.depth + 1) for side in (cut.left, cut.right)]
        self.nodes[number] = Node(node.rows, cut.feature, cut.bin, left, right, gain, node.depth)
        return left, right

    def mean(self, number: int) -> float:
        """The weighted mean of a node: two exact sums and one division; 0 where nothing weighs."""
        rows = self.nodes[number].rows
        total = grid_sum([self.weight[i] for i in rows], self.weight_exponent)
        return grid_sum([self.product[i] for i in rows], self.product_exponent) / total if total else 0.0


def growth_of(
    columns: Columns, residual: Sequence[float], weight: Sequence[float] | None, min_samples_leaf: int
) -> Growth:
    """Put on their grids what is summed, and start with the root."""
    root = Node(list(range(len(residual))))
    if weight is None:
        product, weight_units, weight_exponent = list(residual), [1] * len(residual), 0
    else:
        product = [w * r for w, r in zip(weight, residual, strict=True)]
        weight_units, weight_exponent = grid_units(weight), grid_exponent(weight)
    exponents = grid_exponent(product), weight_exponent
    return Growth(columns, grid_units(product), weight_units, *exponents, min_samples_leaf, [root])


def best_first_tree(
    columns: Columns,
    residual: Sequence[float],
    weight: Sequence[float] | None = None,
    *,
    n_leaves: int,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
) -> Growth:
    """At each step look at every cut of every leaf anew, and make the one that gains most (ties: the earliest leaf)."""
    growth = growth_of(columns, residual, weight, min_samples_leaf)
    product, weight_units, features = growth.product, growth.weight, range(len(columns))
    for _ in range(n_leaves - 1):
        best = None
        for number, node in enumerate(growth.nodes):
            if node.feature == -1 and node.depth != max_depth:
                found = best_cut(columns, node.rows, features, min_samples_leaf, product, weight_units)
                if found and (best is None or found[0] > best[1]):
                    best = number, *found
        if best is None:
            break
        growth.cut(*best)
    return growth

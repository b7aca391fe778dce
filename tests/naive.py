"""Oracles: refrank's core once more, from the definitions and the paper's text, in plain loops over Python numbers.

Sums over rows are sums of `fractions.Fraction`, hence exact; where a result is a float64, it is rounded where the
contract (docs/numerics.md) rounds it, and the tests ask for equality. Nothing here imports refrank.
"""

import math
from collections.abc import Callable, Sequence
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
    """Each value in units of 2**-e, rounded to the nearest whole number (of two as near, to the even one)."""
    scale = Fraction(2) ** grid_exponent(values)
    return [round(Fraction(value) * scale) for value in values]


def grid_sum(units: Sequence[int], exponent: int) -> float:
    """The sum of numbers on a grid, exact until it becomes a float64."""
    return float(sum(units) * Fraction(2) ** -exponent)


# --- McRank App. I ---------------------------------------------------------------------------------------------------


def bins_of_length(values: Sequence[float], length: float) -> list[list[float]]:
    """Cover the sorted data with bins [start, start + length): "we only bin the data where there are indeed data"."""
    bins: list[list[float]] = []
    for x in sorted(set(values)):
        if not bins or not (x < bins[-1][0] + length or x == bins[-1][0]):
            bins.append([])  # the lowest value not covered starts a bin, and belongs to it
        bins[-1].append(x)
    return bins


def adaptive_bins(values: Sequence[float], n_bins: int, growth: float) -> tuple[list[list[float]], float]:
    """Return bins and their length: "We start with a very small initial bin length, e.g., 1e-8. [...] If the bin length
    is so small that we need more than B bins, we simply increment the bin length and re-do the quantization."
    """
    length = 1e-8
    while len(bins := bins_of_length(values, length)) > n_bins:
        length = length * growth
    return bins, length


def bin_of(x: float, bins: Sequence[Sequence[float]], length: float) -> int:
    """The bin that covers x; in a gap, the nearer (from the middle on, the right one); beyond all, the outermost."""
    for b, members in enumerate(bins):
        start, end = members[0], members[0] + length
        if x < start:  # so b is 0, or x lies in the gap before bin b
            if b == 0:
                return 0
            gap_begins = Fraction(bins[b - 1][0] + length)
            return b if 2 * Fraction(x) >= gap_begins + Fraction(start) else b - 1
        if x < end or x == start:
            return b
    return len(bins) - 1


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

    def best_cut(self, number: int, features: Sequence[int]) -> tuple[float, Cut] | None:
        rows = self.nodes[number].rows
        return best_cut(self.columns, rows, features, self.min_samples_leaf, self.product, self.weight)

    def cut(self, number: int, gain: float, cut: Cut) -> tuple[int, int]:
        left, right = len(self.nodes), len(self.nodes) + 1
        self.nodes += [Node(cut.left), Node(cut.right)]
        rows = self.nodes[number].rows
        self.nodes[number] = Node(rows, cut.feature, cut.bin, left, right, gain)
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
    return Growth(
        columns,
        grid_units(product),
        weight_units,
        grid_exponent(product),
        weight_exponent,
        min_samples_leaf,
        [root],
    )


def best_first_tree(
    columns: Columns,
    residual: Sequence[float],
    weight: Sequence[float] | None = None,
    *,
    n_leaves: int,
    min_samples_leaf: int = 1,
) -> Growth:
    """At each step look at every cut of every leaf anew, and make the one that gains most (ties: the earliest leaf)."""
    growth = growth_of(columns, residual, weight, min_samples_leaf)
    features = range(len(columns))
    for _ in range(n_leaves - 1):
        best = None
        for number, node in enumerate(growth.nodes):
            if node.feature == -1:
                found = growth.best_cut(number, features)
                if found and (best is None or found[0] > best[1]):
                    best = number, *found
        if best is None:
            break
        growth.cut(*best)
    return growth


def depth_first_tree(
    columns: Columns,
    residual: Sequence[float],
    weight: Sequence[float] | None = None,
    *,
    max_depth: int | None,
    candidates: Callable[[int], Sequence[int]],
    min_samples_leaf: int = 1,
) -> Growth:
    """Cut the root, then all of its left side, then all of its right side."""
    growth = growth_of(columns, residual, weight, min_samples_leaf)

    def grow(number: int, place: int, depth: int) -> None:
        found = None if depth == max_depth else growth.best_cut(number, candidates(place))
        if found:
            left, right = growth.cut(number, *found)
            grow(left, 2 * place, depth + 1)
            grow(right, 2 * place + 1, depth + 1)

    grow(0, 1, 0)
    return growth


# --- McRank Alg. 1, Sec. 4, Alg. 2 -----------------------------------------------------------------------------------

Regions = Callable[[Sequence[float]], list[list[int]]]  # fits a J-terminal node regression tree, returns {R_j}
Exp = Callable[[float], float]
Total = Callable[[Sequence[float], Sequence[int]], float]  # sum of a quantity over some rows


def regions(columns: Columns, n_leaves: int) -> Regions:
    """The J-terminal node regression tree of lines 5 and 3."""

    def fit(residual: Sequence[float]) -> list[list[int]]:
        growth = best_first_tree(columns, residual, n_leaves=n_leaves)
        return [node.rows for node in growth.nodes if node.feature == -1]

    return fit


def grid_total(values: Sequence[float], rows: Sequence[int]) -> float:
    """Sum over rows as the contract has it."""
    units = grid_units(values)
    return grid_sum([units[i] for i in rows], grid_exponent(values))


def plain_total(values: Sequence[float], rows: Sequence[int]) -> float:
    """Sum over rows, correctly rounded: what the paper's formula means."""
    return math.fsum(values[i] for i in rows)


def softmax(row: Sequence[float], exp: Exp) -> list[float]:
    """Line 4. The largest F is taken off each, which changes nothing but the rounding."""
    highest = max(row)
    terms = [exp(F - highest) for F in row]
    total = 0.0
    for term in terms:
        total += term
    return [term / total for term in terms]


def softmax_as_printed(row: Sequence[float], exp: Exp) -> list[float]:
    """Line 4, to the letter."""
    return [exp(F) / math.fsum(exp(other) for other in row) for F in row]


def algorithm_1(
    y: Sequence[int],
    K: int,
    M: int,
    nu: float,
    tree: Regions,
    exp: Exp,
    *,
    sequential: bool = True,
    total: Total = grid_total,
    line_4: Callable[[Sequence[float], Exp], list[float]] = softmax,
) -> list[list[float]]:
    """F, (n_samples, K). Sequential: line by line as printed. Simultaneous: line 4 moved out of the loop over k."""
    N = len(y)
    y_tilde = [[1.0 if y[i] == k else 0.0 for k in range(K)] for i in range(N)]  # line 0
    F = [[0.0] * K for i in range(N)]  # line 1
    for _m in range(1, M + 1):  # line 2
        p = [line_4(F[i], exp) for i in range(N)]
        for k in range(K):  # line 3
            if sequential:
                p = [line_4(F[i], exp) for i in range(N)]  # line 4
            residual = [y_tilde[i][k] - p[i][k] for i in range(N)]
            R = tree(residual)  # line 5
            curvature = [(1.0 - p[i][k]) * p[i][k] for i in range(N)]
            for R_j in R:
                denominator = total(curvature, R_j)
                beta = (K - 1) / K * total(residual, R_j) / denominator if denominator else 0.0  # line 6
                for i in R_j:
                    F[i][k] = F[i][k] + nu * beta  # line 7
    return F


def section_4(
    y: Sequence[int], K: int, M: int, nu: float, tree: Regions, exp: Exp, *, sequential: bool = True
) -> list[list[float]]:
    """Pr(y <= k), (n_samples, K - 1): "partition the training data points into two groups", then Algorithm 1."""
    N = len(y)
    cumulative = [[0.0] * (K - 1) for i in range(N)]
    for k in range(K - 1):
        group = [1 if y[i] > k else 0 for i in range(N)]
        if len(set(group)) == 1:  # nothing to learn: Pr(y <= k) is 0 or 1
            for i in range(N):
                cumulative[i][k] = float(group[i] == 0)
            continue
        F = (
            algorithm_1(group, 2, M, nu, tree, exp, sequential=True)
            if sequential
            else mirrored(group, M, nu, tree, exp)
        )
        for i in range(N):
            cumulative[i][k] = softmax(F[i], exp)[0]
    return cumulative


def mirrored(y: Sequence[int], M: int, nu: float, tree: Regions, exp: Exp) -> list[list[float]]:
    """Algorithm 1, simultaneous, with K = 2, whose second tree is not grown: F_1 = -F_0."""
    N = len(y)
    F = [[0.0, 0.0] for i in range(N)]
    for _m in range(1, M + 1):
        p = [softmax(F[i], exp)[0] for i in range(N)]
        residual = [(1.0 if y[i] == 0 else 0.0) - p[i] for i in range(N)]
        curvature = [(1.0 - p[i]) * p[i] for i in range(N)]
        for R_j in tree(residual):
            denominator = grid_total(curvature, R_j)
            beta = 1 / 2 * grid_total(residual, R_j) / denominator if denominator else 0.0
            for i in R_j:
                F[i][0] = F[i][0] + nu * beta
                F[i][1] = -F[i][0]
    return F


def equation_8(cumulative: Sequence[float]) -> list[float]:
    """p_k = Pr(y <= k) - Pr(y <= k - 1); nothing lies below 0, everything at or below K - 1."""
    K = len(cumulative) + 1
    at_most = {-1: 0.0, **dict(enumerate(cumulative)), K - 1: 1.0}
    return [at_most[k] - at_most[k - 1] for k in range(K)]


def equation_5(p: Sequence[float], T: Sequence[float]) -> float:
    """S = sum_k p_k T(k)."""
    S = 0.0
    for k in range(len(p)):
        S = S + p[k] * T[k]
    return S


def algorithm_2(y: Sequence[int], M: int, nu: float, tree: Regions, *, total: Total = grid_total) -> list[list[float]]:
    """S after each round 0..M, (M + 1, n_samples)."""
    N = len(y)
    everyone = range(N)
    y_tilde = [float(2 ** y[i] - 1) for i in range(N)]  # line 0
    S = [total(y_tilde, everyone) / N for i in range(N)]  # line 1
    rounds = [list(S)]
    for _m in range(1, M + 1):  # line 2
        residual = [y_tilde[i] - S[i] for i in range(N)]
        for R_j in tree(residual):  # line 3
            beta = total(residual, R_j) / len(R_j)  # line 4
            for i in R_j:
                S[i] = S[i] + nu * beta  # line 5
        rounds.append(list(S))
    return rounds

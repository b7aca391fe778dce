"""Oracles of the iGBRT rooms: its draws, trees, forests and boosting once more, from the definitions, in plain loops.

Sums over rows are exact (integers on a grid); floats are rounded where the contract rounds them
(docs/reference/numerics.md). Nothing here imports refrank.
"""

import math
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction

from proofs_check.engine.exact_tree import ExactCut, ExactNode, RowSet, Table, best_cut, cut_node
from tests.oracles.trees import Columns, Growth, error_reduction, growth_of, split_gain

# --- draws -----------------------------------------------------------------------------------------------------------


def splitmix64(state: int) -> Iterator[int]:
    """SplitMix64 (Steele, Lea and Flood 2014): the state advances by the golden ratio, its image is mixed twice."""
    while True:
        state = (state + 0x9E3779B97F4A7C15) % 2**64
        z = state
        z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) % 2**64
        z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) % 2**64
        yield z ^ (z >> 31)


def number(key: int, i: int) -> int:
    """Number i, from 0, of a stream: the state advances by the same step each time, so i steps are one."""
    return next(splitmix64((key + i * 0x9E3779B97F4A7C15) % 2**64))


def root_key(seed: int, tree: int, purpose: int) -> int:
    """The key of a tree's bootstrap (purpose 0) or of its root's features (1)."""
    return number(number(number(0, seed), tree), purpose)


def drawn_rows(seed: int, tree: int, n: int) -> list[int]:
    """A bootstrap sample: n numbers, each scaled down to a row."""
    stream = splitmix64(root_key(seed, tree, 0))
    return [scaled_down(next(stream), n) for _ in range(n)]


def drawn_row(seed: int, tree: int, n: int, i: int) -> int:
    """Number i of a bootstrap sample, alone."""
    return scaled_down(number(root_key(seed, tree, 0), i), n)


def scaled_down(bits: int, n: int) -> int:
    """One of 0..n-1, from 64 bits: the whole part of n times bits / 2**64."""
    return bits * n // 2**64


def drawn_features(key: int, n_drawn: int, n_features: int) -> list[int]:
    """Numbers 2, 3, ... of a node's stream pick features out of an urn; the last one fills the gap that is left."""
    urn, drawn = list(range(n_features)), []
    for j in range(n_drawn):
        place = j + number(key, 2 + j) * (n_features - j) // 2**64
        urn[j], urn[place] = urn[place], urn[j]
        drawn.append(urn[j])
    return sorted(drawn)


# --- trees with cuts of two and of three ways -----------------------------------------------------------------------

MissedBin = Sequence[int | None]  # of each feature, the bin of the rows that miss it


def best_ways(
    X: Table, growth: Growth, rows: RowSet, features: RowSet, missed_bin: MissedBin, min_rows: int, needs_cut: bool
) -> list[ExactCut]:
    """Try every feature in turn: a cut, or one that parts the rows that miss it, and perhaps one among the others.

    With `needs_cut`, a cut among the others there must be.
    """
    best, most = [], Fraction(0)
    for f in features:
        present, missed = (tuple(i for i in rows if (X[i][f] == missed_bin[f]) == misses) for misses in (False, True))
        among = best_cut(X, *growth.units, present, min_rows, (f,), split_gain, error_reduction)
        ways = [among] if among else []
        if missed:
            lightest = min(sum(growth.weight[i] for i in side) for side in (present, missed))
            if min(len(present), len(missed)) < min_rows or lightest == 0:
                continue
            parting = ExactCut(split_gain(*growth.units, present, missed), f, missed_bin[f] - 1, (present, missed))
            adds = among and (needs_cut or parting.gain + among.gain > parting.gain)
            ways = [parting, among] if adds else [] if needs_cut else [parting]
        reduction = sum((error_reduction(*growth.units, *cut.sides) for cut in ways), Fraction(0))
        if reduction > most and sum(cut.gain for cut in ways) > 0:
            best, most = ways, reduction
    return best


def deep_tree(
    columns: Columns,
    residual: Sequence[float],
    weight: Sequence[float] | None = None,
    rows: Sequence[int] | None = None,
    *,
    features_of: Callable[[int], Sequence[int]] | None = None,
    key: int = 0,
    missed_bin: MissedBin | None = None,
    needs_cut: bool = False,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
) -> Growth:
    """Cart(D_t, K, d) on rows that may repeat: a node, its left side, then its right side; those that miss, last.

    By default every row once, all features at every node, and none of them missed.
    """
    growth, X = growth_of(residual, weight), list(zip(*columns, strict=True))
    growth.nodes = [ExactNode(tuple(range(len(residual)) if rows is None else rows))]
    missed_bin = [None] * len(columns) if missed_bin is None else missed_bin

    def grow(at: int, key: int, depth: int) -> None:
        if depth == max_depth:
            return
        features = features_of(key) if features_of else range(len(columns))
        children = []
        rows = growth.nodes[at].rows
        for cut in best_ways(X, growth, rows, features, missed_bin, min_samples_leaf, needs_cut):
            at, right = cut_node(growth.nodes, at, cut)
            children.append((right, number(key, 1)))
            key = number(key, 0)
        if children:
            for child, child_key in [(at, key), *reversed(children)]:
                grow(child, child_key, depth + 1)

    grow(0, key, 0)
    return growth


def leafwise_tree(
    columns: Columns,
    residual: Sequence[float],
    weight: Sequence[float] | None,
    missed_bin: MissedBin,
    needs_cut: bool,
    *,
    n_leaves: int,
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
) -> Growth:
    """Of the nodes whose best cut fits, cut the one that gains most; a cut three ways adds two leaves."""
    growth, X = growth_of(residual, weight), list(zip(*columns, strict=True))
    growth.nodes = [ExactNode(tuple(range(len(residual))))]
    features, depths, waiting, left = range(len(columns)), {0: 0}, {}, n_leaves - 1
    new = [0]
    while True:
        for at in new:
            rows = growth.nodes[at].rows
            if depths[at] != max_depth:
                waiting[at] = best_ways(X, growth, rows, features, missed_bin, min_samples_leaf, needs_cut)
        gains = {at: sum(cut.gain for cut in ways) for at, ways in waiting.items() if 0 < len(ways) <= left}
        if not gains:
            return growth
        at = min(gains, key=lambda at: (-gains[at], at))
        ways, depth, new = waiting.pop(at), depths.pop(at) + 1, []
        for cut in ways:
            at, right = cut_node(growth.nodes, at, cut)
            new.append(right)
        new.append(at)
        depths |= dict.fromkeys(new, depth)
        left -= len(ways)


# --- iGBRT Alg. 1, 2 and 3 -------------------------------------------------------------------------------------------


def value_at(growth: Growth, codes: Sequence[int]) -> float:
    """The leaf that a row of bin labels falls into, its mean: the row misses no feature."""
    return value_or_mean(growth, (), (), codes)


def value_or_mean(growth: Growth, columns: Columns, missed_bin: MissedBin, codes: Sequence[int | None]) -> float:
    """The same for a row of bin labels, None where it misses the feature: RT-Rank's way.

    It goes with the rows of the node that miss the feature, if there are any. Else it stays: the mean of the node.
    """
    at = 0
    while growth.nodes[at].feature != -1:
        node, f = growth.nodes[at], growth.nodes[at].feature
        if codes[f] is not None:
            at = node.left if codes[f] <= node.bin else node.right
        elif any(columns[f][i] == missed_bin[f] for i in node.rows):
            at = node.right
        else:
            break
    return growth.mean(at)


def value_midway(growth: Growth, X: Sequence[Sequence[float]], x: Sequence[float]) -> float:
    """The mean of the leaf that row x falls into, where cuts lie midway between the rows of their own node.

    The tree has been grown on the values X themselves. A row in the middle goes left; below +inf is no middle.
    """
    at = 0
    while growth.nodes[at].feature != -1:
        node = growth.nodes[at]
        highest = max(X[i][node.feature] for i in growth.nodes[node.left].rows)
        lowest = min(X[i][node.feature] for i in growth.nodes[node.right].rows)
        middle = lowest if lowest == math.inf else float((Fraction(highest) + Fraction(lowest)) / 2)
        at = node.left if x[node.feature] <= middle and x[node.feature] < lowest else node.right
    return growth.mean(at)


def forest_scores(trees: Sequence[Growth], rows: Sequence[Sequence[int]]) -> list[float]:
    """Alg. 1, line 5: T(.) = 1/M sum_t h_t(.)."""
    scores = []
    for codes in rows:
        total = 0.0
        for tree in trees:
            total += value_at(tree, codes)
        scores.append(total / len(trees))
    return scores


Cart = Callable[[list[float]], Growth]


def algorithm_2(
    y: Sequence[float], cart: Cart, n_rounds: int, alpha: float, bounds: Sequence[tuple[float, float]] | None = None
) -> Iterator[tuple[Growth, list[float]]]:
    """Alg. 2, line by line; yields T_t and the residuals after it, which stay within their bounds, if there are any."""
    r = list(y)
    for _ in range(n_rounds):
        tree = cart(r)
        r = list(r)
        for at, node in enumerate(tree.nodes):
            if node.feature == -1:
                for i in node.rows:
                    r[i] = r[i] - alpha * tree.mean(at)
        if bounds is not None:
            r = [min(max(r_i, low), high) for r_i, (low, high) in zip(r, bounds, strict=True)]
        yield tree, r


def algorithm_3(
    y: Sequence[float], forest: Sequence[float], cart: Cart, n_rounds: int, alpha: float
) -> Iterator[tuple[Growth, list[float]]]:
    """Alg. 3 after its line 1: r_i = y_i - F(x_i), and then the loop of Alg. 2, which both print."""
    return algorithm_2([y_i - f_i for y_i, f_i in zip(y, forest, strict=True)], cart, n_rounds, alpha)

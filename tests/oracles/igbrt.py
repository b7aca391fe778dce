"""Oracles of the iGBRT rooms: its draws, trees, forests and boosting once more, from the definitions, in plain loops.

Sums over rows are exact (integers on a grid, or fractions); floats are rounded where the contract rounds them
(docs/numerics.md). Nothing here imports refrank.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from fractions import Fraction

from tests.oracles.trees import Columns, Cut, Growth, Node, best_cut, growth_of, split_gain, squared_error

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
    return [next(stream) * n // 2**64 for _ in range(n)]


def drawn_features(key: int, n_drawn: int, n_features: int) -> list[int]:
    """Numbers 2, 3, ... of a node's stream pick features out of an urn; the last one fills the gap that is left."""
    urn, found = list(range(n_features)), []
    for j in range(n_drawn):
        place = j + number(key, 2 + j) * (n_features - j) // 2**64
        urn[j], urn[place] = urn[place], urn[j]
        found.append(urn[j])
    return sorted(found)


# --- trees with cuts of two and of three ways -----------------------------------------------------------------------

MissedBin = Sequence[int | None]  # of each feature, the bin of the rows that miss it


@dataclass(frozen=True)
class Ways:
    """A cut of a node: of two ways, or first those that miss the feature and then, perhaps, one among the others."""

    gain: float
    parting: Cut | None
    among: Cut | None


def best_ways(growth: Growth, rows: Sequence[int], features: Sequence[int], missed_bin: MissedBin) -> Ways | None:
    """Try every feature in turn; one that rows of the node miss is cut in no other way than apart from them."""
    best = None
    product, weight, least = growth.product, growth.weight, growth.min_samples_leaf
    for f in features:
        missed = [i for i in rows if growth.columns[f][i] == missed_bin[f]]
        present = [i for i in rows if growth.columns[f][i] != missed_bin[f]]
        found = best_cut(growth.columns, present, [f], least, product, weight)
        ways = None
        if not missed:
            ways = Ways(found[0], None, found[1]) if found else None
        elif min(len(present), len(missed)) >= least and all(
            sum(weight[i] for i in side) > 0 for side in (present, missed)
        ):
            parting = Cut(f, missed_bin[f] - 1, present, missed)
            gain = split_gain(parting, product, weight)
            ways = Ways(gain, parting, None)
            if found and gain + found[0] > gain:
                ways = Ways(gain + found[0], parting, found[1])
        if ways and ways.gain > (best.gain if best else 0.0):
            best = ways
    return best


def ways_of_parting(columns: Columns, rows: Sequence[int], f: int, missed_bin: int | None) -> Iterator[list[list[int]]]:
    """Every way a cut on one feature may part rows: two sides, or with some missing, two or three."""
    missed = [i for i in rows if columns[f][i] == missed_bin]
    present = [i for i in rows if columns[f][i] != missed_bin]
    if missed and present:
        yield [present, missed]
    for b in {columns[f][i] for i in present}:
        low, high = [i for i in present if columns[f][i] <= b], [i for i in present if columns[f][i] > b]
        if high:
            yield [low, high, missed] if missed else [low, high]


def largest_reduction(growth: Growth, rows: Sequence[int], features: Sequence[int], missed_bin: MissedBin) -> Fraction:
    """From the definition: the most that a cut takes off the sum of squared errors, exactly."""
    weight, best = growth.weight, Fraction(0)
    for f in features:
        for sides in ways_of_parting(growth.columns, rows, f, missed_bin[f]):
            if all(len(side) >= growth.min_samples_leaf and sum(weight[i] for i in side) > 0 for side in sides):
                after = sum(squared_error(side, growth.product, weight) for side in sides)
                best = max(best, squared_error(rows, growth.product, weight) - after)
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
    max_depth: int | None = None,
    min_samples_leaf: int = 1,
) -> Growth:
    """Cart(D_t, K, d) on rows that may repeat: a node, its left side, then its right side; those that miss, last.

    By default every row once, all features at every node, and none of them missed.
    """
    growth = growth_of(columns, residual, weight, min_samples_leaf)
    growth.nodes = [Node(list(range(len(residual)) if rows is None else rows))]
    missed_bin = [None] * len(columns) if missed_bin is None else missed_bin

    def grow(number_of_node: int, key: int, depth: int) -> None:
        inside = growth.nodes[number_of_node].rows
        features = features_of(key) if features_of else range(len(columns))
        ways = None if depth == max_depth else best_ways(growth, inside, features, missed_bin)
        if ways is None:
            return
        missed = None
        if ways.parting and ways.among:
            gain = split_gain(ways.parting, growth.product, growth.weight)
            number_of_node, missed = growth.cut(number_of_node, gain, ways.parting)
            missed_key, key = number(key, 1), number(key, 0)
        cut = ways.among or ways.parting
        left, right = growth.cut(number_of_node, split_gain(cut, growth.product, growth.weight), cut)
        grow(left, number(key, 0), depth + 1)
        grow(right, number(key, 1), depth + 1)
        if missed is not None:
            grow(missed, missed_key, depth + 1)

    grow(0, key, 0)
    return growth


# --- iGBRT Alg. 1, 2 and 3 -------------------------------------------------------------------------------------------


def value_at(growth: Growth, codes: Sequence[int]) -> float:
    """The leaf that a row of bin labels falls into, its mean."""
    at = 0
    while growth.nodes[at].feature != -1:
        node = growth.nodes[at]
        at = node.left if codes[node.feature] <= node.bin else node.right
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


def algorithm_2(y: Sequence[float], cart: Cart, n_rounds: int, alpha: float) -> Iterator[tuple[Growth, list[float]]]:
    """Alg. 2, line by line; yields T_t and the residuals after it."""
    r = list(y)
    for _ in range(n_rounds):
        tree = cart(r)
        r = list(r)
        for at, node in enumerate(tree.nodes):
            if node.feature == -1:
                for i in node.rows:
                    r[i] = r[i] - alpha * tree.mean(at)
        yield tree, r


def algorithm_3(
    y: Sequence[float], forest: Sequence[float], cart: Cart, n_rounds: int, alpha: float
) -> Iterator[tuple[Growth, list[float]]]:
    """Alg. 3 after its line 1: r_i = y_i - F(x_i), and then the loop of Alg. 2, which both print."""
    return algorithm_2([y_i - f_i for y_i, f_i in zip(y, forest, strict=True)], cart, n_rounds, alpha)

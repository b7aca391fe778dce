"""Inputs of the splitter's functions: each maker returns the arguments of a call, from a few words and numbers."""

import math
from collections.abc import Sequence
from functools import cache
from itertools import product
from typing import Any

import numpy as np

from refrank.arrays import Flags, Floats, Ints, Matrix
from refrank.trees import splitting
from refrank.trees.bins.coarse import coarsen
from refrank.trees.splitter import ARGUMENTS
from refrank.trees.splitting import NEEDS_CUT, PARTED
from yardstick.kernel.nodes import draw, make_node, make_rng

Arguments = tuple[Any, ...]
LEAST, LARGEST = 5e-324, np.finfo(np.float64).max
FLAGS = {"none missing": None, "parted": PARTED, "a cut is needed": NEEDS_CUT, "flags of all kinds": -1}
BY_HAND: dict[str, list[list[list[int]]]] = {  # features, bins, (sum, count) or (sum, count, weight)
    "one bin": [[[5, 3]]],
    "no rows": [[[0, 0], [0, 0], [0, 0]]],
    "equal means": [[[2, 1], [4, 2], [6, 3]]],
    "equal cuts of one feature": [[[1, 1], [0, 1], [1, 1]]],
    "equal cuts of two features": [[[-3, 2], [3, 2]], [[3, 2], [-3, 2]]],
    "a better cut in the second feature": [[[-3, 2], [3, 2]], [[4, 2], [-4, 2]]],
    "empty bins between": [[[0, 0], [-5, 2], [0, 0], [0, 0], [5, 2], [0, 0]]],
    "a side of no weight": [[[0, 2, 0], [7, 1, 4], [-7, 1, 4], [0, 2, 0]]],
    "all of one side without weight": [[[0, 2, 0], [7, 3, 4]]],
    "rows that miss it alone": [[[0, 0], [0, 0], [9, 4]]],
    "a cut that parting swallows": [[[0, 1], [1, 1], [0, 1], [2**41, 3]]],
    "a cut among the others beside parting": [[[-4, 2], [4, 2], [30, 2]], [[-4, 2], [4, 2], [0, 0]]],
    "parting is best, without a cut": [[[4, 2], [4, 2], [30, 2]], [[-1, 2], [12, 4], [27, 0]]],
    "sums of 2**53 and -2**53": [[[2**53, 1], [-(2**53), 1], [2**53, 1]]],
    "gains one unit apart": [[[2**52 + 1, 3], [7, 5]], [[2**52 + 2, 3], [7, 5]], [[2**52 + 1, 3], [8, 5]]],
    "equal fractions that round apart": [[[0, 1], [4, 3]], [[2, 3], [2, 1]]],
    "three ways, equal fractions that round apart": [[[-2, 3], [3, 1], [2, 1]], [[-2, 1], [2, 3], [3, 1]]],
    "weights of 1 and 2**53": [[[5, 1, 1], [-5, 1, 2**53 - 1]], [[5, 1, 2**52], [-5, 1, 2**52]]],
}


def take(function: str, kind: str, **chosen: Any) -> Arguments:
    """Take the arguments of a function from a node, but for those chosen, flags and features by words."""
    node = make_node(kind)
    if "missing" in chosen:
        chosen["missing"] = make_flags(chosen["missing"], len(node["features"]))
    if "features" in chosen:
        chosen["features"] = node["features"][::2]
    given = {**node, **chosen}
    return tuple(given[name] for name in ARGUMENTS[function])


def make_flags(words: str, n_features: int) -> Flags | None:
    """Make `missing`."""
    flag = FLAGS[words]
    if flag is None:
        return None
    return np.arange(n_features, dtype=np.int8) % 3 if flag == -1 else np.full(n_features, flag, np.int8)


def label_rows(kind: str, dtype: str = "float64", layout: str = "C", n_threads: int = 1) -> Arguments:
    """Take rows of a type, in some layout; the columns of no feature are to keep their labels."""
    X: Matrix = make_node(kind)["X"].astype(dtype)
    laid_out = {"C": X, "F": np.asfortranarray(X), "every other row": np.repeat(X, 2, axis=0)[::2]}
    blank = np.full_like(make_node(kind)["codes"], 201)
    return take("quantize", kind, X=laid_out[layout], codes=blank, n_threads=n_threads)


def label_special() -> Arguments:
    """Make one feature with cuts at 0 and at the ends of the floats."""
    cuts = np.array([-LARGEST, -1.0, 0.0, LEAST, 1.0, np.inf])
    x = np.concatenate([cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf), [np.nan, -0.0, -np.inf]])
    return x[:, np.newaxis], cuts, np.array([0, 7]), np.zeros((1, len(x), 8), np.uint8), 1


def measure_odd(value: str) -> Arguments:
    """Put a value that is not finite among others."""
    return np.insert(draw("normal", 100), 40, float(value)), 1


def round_values(kind: str, shift: int, n_threads: int) -> Arguments:
    """Take values on their grid, or on one that is coarser."""
    exponent = max(make_node(kind)["exponent"] + shift, -1080)
    return take("round_to_grid", kind, exponent=exponent, n_threads=n_threads)


def round_exactly(value: str) -> Arguments:
    """List halves, numbers beside them, or those at the end of the grid."""
    halves = np.arange(-9, 10) / 2
    large = np.array([2.0**53, -(2.0**53), 2.0**53 - 1, -0.0])
    listed = {"halves": halves, "one unit off a half": np.nextafter(halves, np.inf), "2**53 and below": large}
    return listed[value], 0, 1


def cut_inside(kind: str, min_samples_leaf: int, missing: str) -> Arguments:
    """Take a node with coarse bins."""
    return take(
        "best_split_inside", kind, **sum_coarse_bins(kind, missing), min_samples_leaf=min_samples_leaf, missing=missing
    )


@cache
def sum_coarse_bins(kind: str, missing: str) -> dict[str, Ints]:
    """Make the coarse bins of a node, where they end, and the node's histogram over them."""
    codes, offsets, rows, integers, weights, _ = take("histogram", kind)
    bin_counts = splitting.root_sums(codes, offsets, [np.ones(len(integers), np.int64)], 1)[0]
    coarse = coarsen(codes, offsets, bin_counts, make_flags(missing, len(offsets) - 1))
    sums = splitting.histogram(coarse.codes, coarse.offsets, rows, integers, weights, 1)
    positive = splitting.histogram(coarse.codes, coarse.offsets, rows, np.maximum(integers, 0), None, 1)
    coarse_sums = np.column_stack([sums, positive[:, 0]])
    return {"coarse_offsets": coarse.offsets, "ends": coarse.ends, "coarse_sums": coarse_sums}


def cut_histogram(sums: str, min_samples_leaf: int = 1, missing: str = "none missing") -> Arguments:
    """Take a histogram by its name."""
    features = BY_HAND.get(sums) or make_histograms()[sums]
    offsets, every = np.cumsum([0, *map(len, features)], dtype=np.int64), np.arange(len(features), dtype=np.int32)
    slots = np.array([slot for bins in features for slot in bins], np.int64)
    return slots, offsets, every, min_samples_leaf, 1, make_flags(missing, len(features))


@cache
def make_histograms() -> dict[str, Sequence[Any]]:
    """Make the histograms; features have equal gains at both ends, or means that are large beside their difference."""
    made = dict[str, Sequence[Any]]()
    for n_bins in (2, 255, 256, 257, 65_536):
        made[f"equal gains at both ends of {n_bins} bins"] = [[[5, 1], *[[0, 1]] * (n_bins - 2), [5, 1]]] * 3
    for total, spread in product((1000, -(2**40) + 1, 2**53 - 1, -(2**53)), (1, 4, 100)):
        rng = make_rng("rounding", total, spread)
        n_rows = int(rng.integers(60, 1000))
        n_left = rng.integers(1, n_rows, 50)
        left_sum = [total * n // n_rows for n in n_left.tolist()] + rng.integers(-spread, spread + 1, 50)
        left = np.column_stack([left_sum, n_left])
        name = f"means near {total} that differ by rounding, spread {spread}"
        made[name] = np.stack([left, [total, n_rows] - left], axis=1).tolist()
    return made


def grow(kind: str, missing: str, max_depth: int, min_samples_leaf: int) -> Arguments:
    """Make the rows of a node, some repeated, the root of a deep tree."""
    node, rng = make_node(kind), make_rng("grow", kind)
    counts = np.zeros_like(node["integers"])
    counts[node["rows"]] = rng.integers(1, 4, len(node["rows"]))
    # a quarter of a sum has room for three copies of a row
    rows, columns = np.sort(node["rows"]), np.ascontiguousarray(node["column_codes"].T)
    sums = {name: node[name] if node[name] is None else node[name] // 4 for name in ("integers", "weights")}
    drawn = {"n_candidates": int(rng.integers(1, columns.shape[1] + 1)), "key": int(rng.integers(2**63)) * 2 + 1}
    limits = {"max_depth": max_depth, "min_samples_leaf": min_samples_leaf, "missing": missing}
    return take("grow_deep", kind, row_codes=columns, rows=rows, counts=counts, **sums, **drawn, **limits)


def start_bins(values: str, dtype: str, length: float, n_bins: int) -> Arguments:
    """Make ascending values of a type."""
    made: Matrix = make_ascending()[values].astype(dtype)
    return np.sort(made[np.isfinite(made)]), length, n_bins


@cache
def make_ascending() -> dict[str, Floats]:
    """Make the values to be binned."""
    lengths = np.arange(40) * 0.3
    return {
        "one value": np.array([3.0]),
        "all equal": np.full(9, -1.5),
        "far apart": np.array([-LARGEST / 4, -1.0, 0.0, 1.0, LARGEST / 4]),
        "signed zeros": np.array([-1.0, -0.0, 0.0, -0.0, LEAST, 1.0]),
        "multiples of a length": lengths,
        "one unit off a length": np.nextafter(lengths, np.repeat([-np.inf, np.inf], 20)),
        "beyond its start by less than a unit": 3e30 * (1 + np.arange(6) * 2.0**-23),
        "random": draw("normal", 300),
        "with repeats": make_rng("repeats").integers(0, 9, 300) / 7,
    }


def walk(leaves: str, dtype: str, n_samples: int, n_threads: int = 1, order: Any = "C") -> Arguments:
    """Make random trees with cuts at values of X, one unit beside them, and at infinities and zeros; X has them all."""
    rng = make_rng("walk", leaves)
    pool: Matrix = np.concatenate([rng.normal(size=9), [0.0, -0.0, np.inf, -np.inf, LEAST, 1e30]]).astype(dtype)
    cuts = np.concatenate([pool, np.nextafter(pool, pool.dtype.type(np.inf))]).astype(np.float64)
    roots, nodes = [], list[list[float]]()
    for n in map(int, leaves.split()[1:]):
        roots.append(len(nodes))
        tree: list[list[float]] = [[-1, 0.0, 0, 0, rng.normal()]]
        while len(tree) < 2 * n - 1:
            leaf = rng.choice([number for number, node in enumerate(tree) if node[0] == -1])
            tree[leaf] = [int(rng.integers(3)), float(rng.choice(cuts)), len(tree), len(tree) + 1, 0.0]
            tree += [[-1, 0.0, 0, 0, rng.normal()] for _ in range(2)]
        nodes += tree
    types = (np.int32, np.float64, np.int32, np.int32, np.float64)
    columns = [np.array([node[c] for node in nodes], of_column) for c, of_column in enumerate(types)]
    X: Matrix = np.asarray(rng.choice([*pool, np.nan], (n_samples, 3)), dtype, order=order)
    return X, np.array(roots, np.int64), *columns, rng.normal(size=n_samples), n_threads


def list_arguments(x: str) -> Arguments:
    """List arguments of exp: drawn over its domain, where k changes and where r is nearly 0, at the ends of the domain.

    NaN is outside the domain.
    """
    rng, k, powers = make_rng("exp"), np.arange(-1076, 1026), 2.0 ** np.arange(-1074, 1024)
    ends = np.array([709.782712893384, -708.3964185322641, -745.1332191019411, -744.4400719213812, 710.0, -746.0])
    drawn = [rng.uniform(-746, 710, 20_000), -rng.exponential(3.0, 20_000), rng.normal(size=20_000) * 1e-3]
    steps = np.concatenate([(k + 0.5) * math.log(2), k * math.log(2)])
    beside = {
        name: [x + ulps * np.spacing(x) for ulps in range(-2, 3)] for name, x in (("steps", steps), ("ends", ends))
    }
    listed = {
        "random": drawn,
        "steps of k": beside["steps"],
        "edges": [*beside["ends"], powers, -powers, [0.0, -0.0, np.inf, -np.inf, 1e308, -1e308]],
        "none": [[]],
        "two dimensions": [drawn[0][:60]],
    }
    values = np.concatenate(listed[x])
    return (values.reshape(5, 12) if x == "two dimensions" else values,)


def share_out(shape: str, columns: str, scale: float, n_threads: int) -> Arguments:
    """Draw scores, some of them tied, and make an array for some columns of their probabilities."""
    n_samples, n_classes = map(int, shape.split(" x "))
    first = {"all columns": 0, "the last column": n_classes - 1, "all but the first": 1}[columns]
    scores = make_rng("softmax", n_samples, n_classes).normal(size=(n_samples, n_classes)) * scale
    scores[::5] = scores[::5, :1]
    scores[0, 0] = -0.0
    return np.asfortranarray(scores), first, np.zeros((n_samples, n_classes - first), order="F"), n_threads

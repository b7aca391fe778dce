"""Cases of `add_trees`, `grow_deep`, `exp` and `softmax`: prediction, deep trees, probabilities."""

import math
from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from refrank.arrays import Floats, Matrix
from yardstick.kernel.case import KernelCase
from yardstick.kernel.cut_cases import FLAGS, make_flags
from yardstick.kernel.nodes import KINDS, make_node, make_rng


def list_tree_cases() -> Iterator[KernelCase]:
    """List the cases of each of these functions."""
    for n_leaves in ([1], [2], [10] * 4, [1, 2, 33, 1, 7]):
        for dtype in (np.float64, np.float32):
            for n_samples in (1, 257):
                words = f"trees of {', '.join(map(str, n_leaves))} leaves, {n_samples} row(s) of {dtype.__name__}"
                for n_threads in (1, 3):
                    made = partial(walk, tuple(n_leaves), n_samples, dtype, n_threads)
                    yield KernelCase("add_trees", f"{words}, {n_threads} thread(s)", made)
    yield KernelCase("add_trees", "no tree", partial(walk, (), 5, np.float64, 1))
    yield KernelCase("add_trees", "X in another layout", partial(walk, (9, 9), 40, np.float64, 1, "F"))
    for turn, kind in enumerate(kind for kind, (n_samples, *_) in KINDS.items() if n_samples < 10_000):
        for i, (words, flag) in enumerate(FLAGS.items()):
            depth, least = ((-1, 1), (3, 2), (-1, 5), (0, 1))[(i + turn) % 4]  # each flag with each limit, in some kind
            depth = 3 if KINDS[kind][1] > 500 else depth  # the specification is slow on many rows
            name = f"{kind}, {words}, max_depth {depth}, min_samples_leaf {least}"
            yield KernelCase("grow_deep", name, partial(grow, kind, flag, depth, least))
    for name, x in {
        "random": draw_numbers(),
        "steps of k": list_steps(),
        "edges": list_edges(),
        "none": np.zeros(0),
    }.items():
        yield KernelCase("exp", name, partial(hand_over, x))
    yield KernelCase("exp", "two dimensions", partial(hand_over, draw_numbers()[:60].reshape(5, 12)))
    for n_samples, n_classes in ((1, 2), (7, 5), (513, 3), (40, 64)):
        for first, n_columns in sorted({(0, n_classes), (n_classes - 1, 1), (1, n_classes - 1)}):
            for scale in (0.0, 1.0, 300.0, 1e5):
                name = (
                    f"{n_samples} x {n_classes}, columns {first} to {first + n_columns - 1}, scores of size {scale:g}"
                )
                for n_threads in (1, 3):
                    made = partial(share_out, n_samples, n_classes, first, n_columns, scale, n_threads)
                    yield KernelCase("softmax", f"{name}, {n_threads} thread(s)", made)


def walk(n_leaves: tuple[int, ...], n_samples: int, dtype: type, n_threads: int, order: Any = "C") -> tuple[Any, ...]:
    """Make random trees with cuts at values of X, one unit beside them, and at infinities and zeros; X has them all."""
    rng = make_rng("walk", n_leaves)
    pool: Matrix = np.concatenate([rng.normal(size=9), [0.0, -0.0, np.inf, -np.inf, 5e-324, 1e30]]).astype(dtype)
    cuts = np.concatenate([pool, np.nextafter(pool, dtype(np.inf))]).astype(np.float64)
    roots: list[int] = []
    nodes: list[list[float]] = []
    for n in n_leaves:
        roots.append(len(nodes))
        tree: list[list[float]] = [[-1, 0.0, 0, 0, rng.normal()]]
        while len(tree) < 2 * n - 1:
            leaf = rng.choice([number for number, node in enumerate(tree) if node[0] == -1])
            tree[leaf] = [int(rng.integers(3)), float(rng.choice(cuts)), len(tree), len(tree) + 1, 0.0]
            tree += [[-1, 0.0, 0, 0, rng.normal()] for _ in range(2)]
        nodes += tree
    types = (np.int32, np.float64, np.int32, np.int32, np.float64)
    columns = [np.array([node[c] for node in nodes], dtype) for c, dtype in enumerate(types)]
    X: Matrix = np.asarray(rng.choice([*pool, np.nan], (n_samples, 3)), dtype, order=order)
    return X, np.array(roots, np.int64), *columns, rng.normal(size=n_samples), n_threads


def grow(kind: str, flag: int | None, max_depth: int, least: int) -> tuple[Any, ...]:
    """Make the rows of a node, some repeated, as the root of a deep tree."""
    node, rng = make_node(kind), make_rng("grow", kind)
    counts = np.zeros(node.n_samples, np.int64)
    counts[node.rows] = rng.integers(1, 4, len(node.rows))
    weights = None if node.weights is None else node.weights // 4  # room for three copies of a row
    limits = max_depth, least, int(rng.integers(1, node.n_features + 1)), int(rng.integers(2**63)) * 2 + 1
    flags = make_flags(flag, node.n_features)
    row_codes = np.ascontiguousarray(node.column_codes.T)
    return row_codes, node.offsets, np.sort(node.rows), node.integers // 4, counts, weights, flags, *limits


def hand_over(x: Floats) -> tuple[Any, ...]:
    """Return the argument of exp."""
    return (x.copy(),)


def draw_numbers() -> Floats:
    """Draw numbers over the whole domain, below 0, and near it."""
    rng = make_rng("exp")
    return np.concatenate(
        [rng.uniform(-746, 710, 20_000), -rng.exponential(3.0, 20_000), rng.normal(size=20_000) * 1e-3]
    )


def list_steps() -> Floats:
    """List where k changes and where r is nearly 0, and their neighbours."""
    k = np.arange(-1076, 1026)
    x = np.concatenate([(k + 0.5) * math.log(2), k * math.log(2)])
    return np.concatenate([x + ulps * np.spacing(x) for ulps in (-2, -1, 0, 1, 2)])


def list_edges() -> Floats:
    """List the ends of the domain, infinities, powers of two and signed zeros; NaN is outside the domain."""
    ends = np.array([709.782712893384, -708.3964185322641, -745.1332191019411, -744.4400719213812, 710.0, -746.0])
    powers = 2.0 ** np.arange(-1074, 1024)
    beside = np.concatenate([ends + ulps * np.spacing(ends) for ulps in (-2, -1, 0, 1, 2)])
    return np.concatenate([beside, powers, -powers, [0.0, -0.0, np.inf, -np.inf, 1e308, -1e308]])


def share_out(
    n_samples: int, n_classes: int, first: int, n_columns: int, scale: float, n_threads: int
) -> tuple[Any, ...]:
    """Draw scores, some of them tied, and make an array for some columns of their probabilities."""
    scores = make_rng("softmax", n_samples, n_classes).normal(size=(n_samples, n_classes)) * scale
    scores[::5] = scores[::5, :1]
    scores[0, 0] = -0.0
    return np.asfortranarray(scores), first, np.zeros((n_samples, n_columns), order="F"), n_threads

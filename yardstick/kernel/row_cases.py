"""Cases of the functions over rows: bins, grids, histograms, parts of a node, leaves."""

from collections.abc import Iterator
from functools import partial
from typing import Any

import numpy as np

from refrank.arrays import Floats, Ints, Matrix
from refrank.trees.engine import SPECIFICATION
from refrank.trees.numbers.grid import find_exponent
from yardstick.kernel.case import KernelCase
from yardstick.kernel.nodes import KINDS, SampleNode, make_node, make_rng, make_values

UNTOUCHED = 201  # in the columns of a group without a feature
LEAST, LARGEST = 5e-324, np.finfo(np.float64).max


def list_row_cases() -> Iterator[KernelCase]:
    """List the cases of each of these functions."""
    for kind in KINDS:
        for n_threads in (1, 3):
            name = f"{kind}, {n_threads} thread(s)"
            yield KernelCase("histogram", name, partial(sum_node, kind, n_threads))
            yield KernelCase("root_sums", name, partial(sum_roots, kind, n_threads))
            yield KernelCase("partition", name, partial(part_node, kind, n_threads))
            yield KernelCase("leaf_sums", name, partial(sum_leaves, kind, n_threads))
            yield KernelCase("add_to_leaves", name, partial(raise_leaves, kind, n_threads))
    for name, values in make_ascending().items():
        for dtype in (np.float64, np.float32):
            for length in (0.0, 1e-8, 0.3, 2.0, 1e300):
                for n_bins in (1, 2, 7, 65_536):
                    made = partial(start_bins, values, dtype, length, n_bins)
                    yield KernelCase("bin_starts", f"{name}, {dtype.__name__}, length {length}, {n_bins} bins", made)
    for n_features in (1, 7, 8, 9, 300):
        for dtype in (np.float64, np.float32):
            for n_threads in (1, 3):
                name = f"{n_features} feature(s) of {dtype.__name__}, {n_threads} thread(s)"
                yield KernelCase("quantize", name, partial(label_rows, n_features, dtype, 9, n_threads))
    for order in ("F", "every other row"):
        yield KernelCase("quantize", f"X in another layout: {order}", partial(label_rows, 9, np.float64, 9, 1, order))
    yield KernelCase("quantize", "labels of two bytes", partial(label_rows, 3, np.float64, 65_536, 1))
    yield KernelCase("quantize", "256 bins in one byte", partial(label_rows, 3, np.float64, 256, 1))
    yield KernelCase("quantize", "NaN, infinities, signed zeros, and neighbours of cuts", label_special)
    for name, scale in {"normal": 1.0, "subnormal": 1e-310, "huge": 1e300, "one row": 3.0, "zeros": 0.0}.items():
        for n_threads in (1, 3):
            made = partial(measure, name, scale, n_threads)
            yield KernelCase("largest_magnitude", f"{name}, {n_threads} thread(s)", made)
            for shift in (0, -40, -3000):
                made = partial(round_values, name, scale, shift, n_threads)
                yield KernelCase("round_to_grid", f"{name}, exponent {shift:+d}, {n_threads} thread(s)", made)
    yield KernelCase("round_to_grid", "halves", lambda: (np.arange(-9, 10) / 2, 0, 1))
    yield KernelCase(
        "round_to_grid", "one unit off a half", lambda: (np.nextafter(np.arange(-9, 10) / 2, np.inf), 0, 1)
    )
    yield KernelCase(
        "round_to_grid", "2**53 and below", lambda: (np.array([2.0**53, -(2.0**53), 2.0**53 - 1, -0.0]), 0, 1)
    )
    for name, odd in {"NaN": np.nan, "NaN with a sign": -np.nan, "infinite": np.inf, "-infinite": -np.inf}.items():
        yield KernelCase("largest_magnitude", f"a value is {name}", partial(measure_odd, odd))


def make_ascending() -> dict[str, Floats]:
    """Make the values to be binned, by name."""
    lengths = np.arange(40) * 0.3
    return {
        "one value": np.array([3.0]),
        "all equal": np.full(9, -1.5),
        "far apart": np.array([-LARGEST / 4, -1.0, 0.0, 1.0, LARGEST / 4]),
        "signed zeros": np.array([-1.0, -0.0, 0.0, -0.0, LEAST, 1.0]),
        "multiples of a length": lengths,
        "one unit off a length": np.nextafter(lengths, np.repeat([-np.inf, np.inf], 20)),
        "beyond its start by less than a unit": 3e30 * (1 + np.arange(6) * 2.0**-23),
        "random": make_rng("random").normal(size=300),
        "with repeats": make_rng("repeats").integers(0, 9, 300) / 7,
    }


def start_bins(values: Floats, dtype: type, length: float, n_bins: int) -> tuple[Any, ...]:
    """Make ascending values of a type."""
    typed: Matrix = values.astype(dtype)
    return np.sort(typed[np.isfinite(typed)] if np.isfinite(typed).any() else np.zeros(1, dtype)), length, n_bins


def label_rows(
    n_features: int, dtype: type, n_bins: int, n_threads: int, layout: str = "C", n_samples: int = 67
) -> tuple[Any, ...]:
    """Make rows that lie on cuts, next to them, and between them; features have one bin to n_bins."""
    rng = make_rng("label", n_features, n_bins)
    sizes = np.where(np.arange(n_features) % 5 == 3, 1, rng.integers(1, n_bins + 1, n_features))
    sizes[0] = n_bins
    cuts = [np.unique(rng.normal(size=4 * size))[: size - 1] for size in sizes]
    cuts = [cut.astype(np.float32).astype(np.float64) if f % 2 else cut for f, cut in enumerate(cuts)]
    cuts = [np.unique(cut) for cut in cuts]
    offsets = np.array([0, *np.cumsum([len(cut) + 1 for cut in cuts])], np.int64)
    X: Matrix = np.column_stack([draw_on_cuts(rng, cut, n_samples) for cut in cuts]).astype(dtype)
    X = {"C": X, "F": np.asfortranarray(X)}.get(layout, np.repeat(X, 2, axis=0)[::2])
    codes = np.full((-(-n_features // 8), n_samples, 8), UNTOUCHED, np.uint8 if n_bins <= 256 else np.uint16)
    return X, np.concatenate(cuts), offsets, codes, n_threads


def draw_on_cuts(rng: np.random.Generator, cut: Floats, n: int) -> Floats:
    """Draw values, (n,), on cuts, one unit below or above them, and elsewhere."""
    some = rng.choice(cut, n) if len(cut) else rng.normal(size=n)
    beside = np.nextafter(some, rng.choice([-np.inf, np.inf], n))
    return np.choose(rng.integers(0, 3, n), [some, beside, rng.normal(size=n)])


def label_special() -> tuple[Any, ...]:
    """Make one feature with cuts at 0 and at the ends of the floats."""
    cuts = np.array([-LARGEST, -1.0, 0.0, LEAST, 1.0, np.inf])
    x = np.concatenate([cuts, np.nextafter(cuts, -np.inf), np.nextafter(cuts, np.inf), [np.nan, -0.0, -np.inf]])
    return x[:, np.newaxis], cuts, np.array([0, 7]), np.zeros((1, len(x), 8), np.uint8), 1


def measure(kind: str, scale: float, n_threads: int) -> tuple[Any, ...]:
    """Draw values of which the largest is negative and among the last."""
    value = make_rng("measure", kind).normal(size=1 if kind == "one row" else 1001) * scale
    value[-1] = -9.0 * scale
    return value, n_threads


def measure_odd(odd: float) -> tuple[Any, ...]:
    """Draw values, one of which is not finite."""
    value = make_rng("odd").normal(size=101)
    value[40] = odd
    return value, 1


def round_values(kind: str, scale: float, shift: int, n_threads: int) -> tuple[Any, ...]:
    """Draw values on their grid, or on one that is coarser."""
    value, _ = measure(kind, scale, 1)
    return value, max(find_exponent(value, SPECIFICATION) + shift, -1080), n_threads


def sum_node(kind: str, n_threads: int) -> tuple[Any, ...]:
    """Sum the rows of a node in its bins."""
    node = make_node(kind)
    return node.codes, node.offsets, node.rows, node.integers, node.weights, n_threads


def sum_roots(kind: str, n_threads: int) -> tuple[Any, ...]:
    """Sum several quantities over all rows."""
    node = make_node(kind)
    quantities = [node.integers, -node.integers, np.ones(node.n_samples, np.int64), node.integers[::-1].copy()]
    return node.codes, node.offsets, quantities[: 1 + len(kind) % 4], n_threads


def part_node(kind: str, n_threads: int) -> tuple[Any, ...]:
    """Divide a node at the middle bin of its widest feature."""
    node = make_node(kind)
    sizes = np.diff(node.offsets)
    f = int(np.argmax(sizes))
    return node.codes, node.rows, f, int(np.median(node.label(f))), n_threads


def make_leaves(node: SampleNode) -> Ints:
    """Choose where leaves begin among the rows of a node."""
    n_rows = len(node.rows)
    inner = make_rng("leaves", n_rows).permutation(np.arange(1, n_rows))[: min(9, n_rows // 2)]
    return np.array([0, *np.sort(inner), n_rows], np.int64)


def sum_leaves(kind: str, n_threads: int) -> tuple[Any, ...]:
    """Sum values over leaves, on their grid."""
    node = make_node(kind)
    value = make_values(kind, node.n_samples)
    return value, find_exponent(value, SPECIFICATION), node.rows, make_leaves(node), n_threads


def raise_leaves(kind: str, n_threads: int) -> tuple[Any, ...]:
    """Add values to the scores of leaves."""
    node = make_node(kind)
    starts, scores = make_leaves(node), make_rng("scores").normal(size=node.n_samples)
    return scores, node.rows, starts, make_rng("values").normal(size=len(starts) - 1) * 0.1, n_threads

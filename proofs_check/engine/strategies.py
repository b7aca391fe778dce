"""Hypothesis strategies: rankings too large to enumerate, discounts, and small data sets for trees.

The draws favour the instances where the bounds are tight: labels from the two ends, few errors, and ties in the wrong
order.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
from hypothesis import strategies as st

from proofs_check.engine.instances import MAX_GRADE, Rankings, batch

Data = tuple[list, list, list | None]  # X, y, weights
Wide = Callable[[np.random.Generator], dict[str, Any]]  # draws an instance
EDGES = (64, 65, 97, 128, 131, 256, 300)  # of whole blocks, and with odd tails
FEW = 8  # values are drawn one by one
SWEPT = range(1, 151)  # each size is asked of a port once: a block may end anywhere
SIZES = st.integers(1, 12) | st.integers(13, SWEPT[-1])
# near 0, near 1 and far off, both signs; sums of a few are exact in float64
REALS = tuple(st.integers(-(2**45), 2**45).map(lambda v, unit=unit: v * unit) for unit in (2.0**-40, 2.0**-20, 1.0))


@st.composite
def some_ranking(draw: st.DrawFn, min_n: int = 1, max_n: int = 14, max_grade: int = MAX_GRADE) -> Rankings:
    """Draw one instance: documents in the order of pi, ties of pi and of g in any order."""
    n = draw(st.integers(min_n, min(min_n + 2, max_n)) | st.integers(min_n, max_n))
    ends = st.sampled_from((0, max_grade))
    grades = ends if draw(st.booleans()) else st.integers(0, max_grade)
    y = draw(st.lists(grades, min_size=n, max_size=n))
    wrong = draw(st.sets(st.integers(0, n - 1), max_size=2) | st.sets(st.integers(0, n - 1)))
    other = st.just(0) if draw(st.booleans()) else ends | st.integers(0, max_grade)
    y_hat = [draw(other) if i in wrong else y[i] for i in range(n)]
    order = sorted(draw(orders_of_ties(n, y)), key=lambda i: -y_hat[i])
    y, y_hat = [y[i] for i in order], [y_hat[i] for i in order]
    g = np.empty(n, dtype=np.int64)
    g[sorted(draw(orders_of_ties(n, range(n))), key=lambda i: -y[i])] = np.arange(1, n + 1)
    return batch(np.array([y]), np.array([y_hat]), g, max_grade)


def orders_of_ties(n: int, worst: Sequence[int]) -> st.SearchStrategy[list[int]]:
    """Draw the order of documents that tie: any, or ascending in `worst`."""
    return st.just(sorted(range(n), key=lambda i: worst[i])) | st.permutations(range(n))


@st.composite
def some_discount(draw: st.DrawFn, n: int) -> np.ndarray:
    """Draw n non-increasing, non-negative integers, plateaus and trailing zeros included, (n,)."""
    drops = draw(st.lists(st.sampled_from((0, 0, 1)) | st.integers(0, 40), min_size=n, max_size=n))
    return np.array([sum(drops[i:]) for i in range(n)], dtype=object)


@st.composite
def some_data(draw: st.DrawFn, max_n: int = 10, weighted: bool = False) -> Data:
    """Draw X, y and weights (or None) of up to max_n rows and three features."""
    n, n_features = draw(st.integers(1, max_n)), draw(st.integers(1, 3))
    x = draw(st.lists(st.lists(st.integers(0, 4), min_size=n_features, max_size=n_features), min_size=n, max_size=n))
    y = draw(st.lists(st.integers(-9, 9), min_size=n, max_size=n))
    w = draw(st.lists(st.integers(1, 5), min_size=n, max_size=n)) if weighted else None
    return x, y, w


def wide_data(n: int, n_features: int, seed: int, weighted: bool = False) -> Data:
    """Draw n rows of features that differ in scale and in the number of their values, zeros of both signs among them.

    A feature has up to 256 values, some of them nearer to each other than float32 can tell.
    Labels are eighths, that tie, or reals, or all but follow a feature. The first rows come again with weight 0 and
    other labels: they change nothing.
    """
    rng = np.random.default_rng(seed)
    size, kind = rng.choice((2.0**-24, 1, 1, 2.0**20), n_features), rng.random(n_features)
    x = rng.integers(-9, np.where(kind < 0.3, 4, min(4 * n, 240)), (n, n_features))
    x = np.where(kind > 0.8, rng.permutation(n)[:, None] % 256, x) / 4 * size
    x = x + size * np.where(rng.random(n_features) < 0.2, 2.0**32, 0)
    x = np.where((x == 0) & (rng.random(x.shape) < 0.5), -0.0, x)
    real = rng.integers(-(2**40), 2**40, n) * 2.0**-36
    y = (rng.integers(-99, 99, n) / 8, real, (x[:, 0] > np.median(x[:, 0])) + real / 64)[rng.integers(3)]
    y = y * rng.choice((1, 1, 1, 2.0**-10))
    if not weighted:
        return x.tolist(), y.tolist(), None
    w = rng.integers(1, 2**30, n) * 2.0 ** (rng.integers(-3, 3, n) - rng.choice((26, 36)))
    again = slice(0, n // 4)
    return np.r_[x, x[again]].tolist(), np.r_[y, 9 - y[again]].tolist(), np.r_[w, 0 * w[again]].tolist()


def wide(max_n: int = 300, max_features: int = 11, weighted: bool = False, **options: Sequence) -> Wide:
    """Make a function that draws `wide_data`, half of the times of at most 40 rows, and one of each of the options."""

    def draw(rng: np.random.Generator) -> dict[str, Any]:
        sizes = [n for n in EDGES if n <= max_n]
        n = int(rng.choice(sizes)) if rng.random() < 0.5 else int(rng.integers(2, 41))
        data = wide_data(n, int(rng.integers(1, max_features + 1)), int(rng.integers(2**20)), weighted)
        return {"data": data, **{name: values[rng.integers(len(values))] for name, values in options.items()}}

    return draw


@st.composite
def many(draw: st.DrawFn, values: st.SearchStrategy[Any], sizes: st.SearchStrategy[int] = SIZES) -> list[Any]:
    """Draw a list of values; a long one repeats a few by a seed, which takes much less time."""
    n = draw(sizes)
    drawn = draw(st.lists(values, min_size=min(n, FEW), max_size=min(n, FEW)))
    return drawn if n <= FEW else [drawn[i] for i in shuffle(draw, FEW, n)]


def shuffle(draw: st.DrawFn, n: int, count: int) -> list[int]:
    """Draw a seed, and with it `count` numbers below n, each as often as any other, in any order."""
    order = np.random.default_rng(draw(st.integers(0, 10**6))).permutation(count) % n
    return [int(i) for i in order]


def tables(least: int, most: int, *numbers: st.SearchStrategy) -> st.SearchStrategy[list[list]]:
    """Draw a table with `least` to `most` columns of numbers of one kind."""
    widths = st.integers(least, most)
    return st.one_of(
        widths.flatmap(lambda k, kind=kind: many(st.lists(kind, min_size=k, max_size=k))) for kind in numbers
    )


def swept(least: int, most: int) -> list[list[list[float]]]:
    """List a table of sixteenths, beyond 0 and 1, of each number of rows, with `least` to `most` columns.

    Rows that are 32 apart are equal up to their fourth column.
    """
    widths = [least + n % (most - least + 1) for n in SWEPT]
    return [
        [[(3 * i + 5 * k + i // 32 * (k == 3)) % 32 / 16 - 0.5 for k in range(width)] for i in range(n)]
        for n, width in zip(SWEPT, widths, strict=True)
    ]


@st.composite
def with_order(
    draw: st.DrawFn, instances: st.SearchStrategy, count: Callable[[Any], int] | None = None
) -> tuple[Any, list[int]]:
    """Draw an instance and an order of its parts, 0..n-1; `count` is their number, by default its length or its n."""
    drawn = draw(instances)
    n = count(drawn) if count is not None else drawn.n if isinstance(drawn, Rankings) else len(drawn)
    return drawn, draw(st.permutations(range(n))) if n <= FEW else shuffle(draw, n, n)

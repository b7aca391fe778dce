"""Hypothesis strategies: rankings too large to enumerate, discounts, and small data sets for trees.

The draws favour the instances where the bounds are tight: labels from the two ends, and predictions that copy the
label or tie.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from hypothesis import strategies as st

from proofs_check.engine.instances import GRADES, Rankings, batch

Data = tuple[list, list, list | None]  # X, y, weights
grades = st.sampled_from(GRADES) | st.sampled_from((0, 4))


@st.composite
def some_ranking(draw: st.DrawFn, min_n: int = 1, max_n: int = 14) -> Rankings:
    """Draw one instance: documents in the order of pi, ties of pi and of g in any order."""
    n = draw(st.integers(min_n, max_n))
    y = draw(st.lists(grades, min_size=n, max_size=n))
    y_hat = [draw(st.just(label) | grades) for label in y]
    tie = draw(st.permutations(range(n)))
    by_prediction = sorted(range(n), key=lambda i: (-y_hat[i], tie[i]))
    y, y_hat = [y[i] for i in by_prediction], [y_hat[i] for i in by_prediction]
    tie = draw(st.permutations(range(n)))
    g = np.empty(n, dtype=np.int64)
    g[sorted(range(n), key=lambda i: (-y[i], tie[i]))] = np.arange(1, n + 1)
    return batch(np.array([y]), np.array([y_hat]), g)


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


@st.composite
def with_order(
    draw: st.DrawFn, instances: st.SearchStrategy, count: Callable[[Any], int] | None = None
) -> tuple[Any, list[int]]:
    """Draw an instance and an order of its parts, 0..n-1; `count` is their number, by default its length or its n."""
    drawn = draw(instances)
    n = count(drawn) if count is not None else drawn.n if isinstance(drawn, Rankings) else len(drawn)
    return drawn, draw(st.permutations(range(n)))

"""Discounts c_1 >= ... >= c_n >= 0, as integers where possible, (n,)."""

from __future__ import annotations

import math

import numpy as np

from proofs_check.engine.instances import Rankings, dtype_at
from refrank.metrics.discounts import tabulate_discounts


def steps(n: int) -> np.ndarray:
    """Build the n step discounts (1,..,1,0,..,0), (n, n); above n = 6 as Python integers, like the labels.

    Every non-increasing, non-negative c is a sum of them with weights c_i - c_{i+1} >= 0. A claim whose two
    sides are linear in c therefore holds for all c when it holds for these.
    """
    return np.tril(np.ones((n, n), dtype=np.int64)).astype(dtype_at(n))


def reciprocal(n: int) -> np.ndarray:
    """Compute 1/1, ..., 1/n times lcm(1..n): integers, (n,)."""
    unit = math.lcm(*range(1, n + 1))
    return np.array([unit // i for i in range(1, n + 1)], dtype=dtype_at(n))


def logarithmic(n: int) -> np.ndarray:
    """Compute McRank Eq. 2 without truncation: 1/log2(1+i), floats, (n,). The base cancels in every statement."""
    return tabulate_discounts(n)


def truncated(discount: np.ndarray, level: int) -> np.ndarray:
    """Set c_i = 0 for i > level."""
    return np.where(np.arange(1, len(discount) + 1) <= level, discount, 0)


def integer_discounts(n: int) -> list[np.ndarray]:
    """List the step discounts, 1/i, and 1/i truncated at every level; above n = 6, at a few levels."""
    levels = range(1, n + 1) if n <= 6 else (1, 2, n // 2, n)
    return [steps(n)[level - 1] for level in levels] + [truncated(reciprocal(n), level) for level in levels]


def name(c: np.ndarray) -> str:
    """Show a discount in a counterexample."""
    return f"c=({', '.join(f'{v:g}' if isinstance(v, float) else str(v) for v in c.tolist())})"


def at(discount: np.ndarray, position: np.ndarray) -> np.ndarray:
    """Look up c_[position_i], same shape as position (positions from 1)."""
    return discount[position.astype(np.int64) - 1]


def swap_gain(c: np.ndarray, m: np.ndarray) -> np.ndarray:
    """Compute S(m) = sum_{i <= min(m, n/2)} (c_i - c_{n+1-i}), the largest gain of m swaps, same shape as m."""
    half = len(c) // 2
    gains = np.concatenate([[0], np.cumsum((c - c[::-1])[:half])])
    return gains[np.minimum(np.asarray(m, dtype=np.int64), half)]


def discount_difference(c: np.ndarray, r: Rankings) -> np.ndarray:
    """Compute c_[g_i] - c_[pi_i], (m, n)."""
    return at(c, r.g) - c

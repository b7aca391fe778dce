"""Fused multiply-add, which a compiler may use for a * b + c: one rounding instead of two, here computed in fractions.

Ports are built with -ffp-contract=off; these are the answers of ports built without it.
"""

import math
from fractions import Fraction
from typing import Any

import numpy as np

from refrank.trees.numbers.exponential import COEFFICIENTS, INVERSE_LN_2, LOWER, UPPER


def fuse(a: float, b: float, c: float) -> float:
    """Compute a * b + c, rounded once.

    >>> fuse(0.1, 10.0, -1.0), 0.1 * 10.0 - 1.0
    (5.551115123125783e-17, 0.0)
    """
    return float(Fraction(a) * Fraction(b) + Fraction(c))


def exp_fused(x: Any) -> Any:
    """Compute exp by the steps of refrank/trees/numbers/exponential.py, with each product fused with the next sum."""
    return np.array([exp_of_one(float(number)) for number in x])


def exp_of_one(x: float) -> float:
    """Compute exp of a number whose result is a normal float."""
    k = float(np.rint(x * INVERSE_LN_2))
    high, low = fuse(-k, UPPER, x), k * LOWER
    r = fuse(-k, LOWER, high)
    series = COEFFICIENTS[0]
    for coefficient in COEFFICIENTS[1:]:
        series = fuse(series, r, coefficient)
    return math.ldexp(1.0 + (high + fuse(r * r, series, -low)), int(k))


def add_fused(scores: Any, learning_rate: float, steps: Any) -> Any:
    """Add the learning rate times a step to each score, rounding once."""
    return np.array([fuse(learning_rate, float(step), float(score)) for score, step in zip(scores, steps, strict=True)])

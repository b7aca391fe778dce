"""Checks and norms that the bounds share; each array is of one query, (n,)."""

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.checks import check_column, check_entries, check_labels, check_shape

PER_DISCOUNT = "(n,), one label per discount"


def check_discount(discount: ArrayLike, may_be_negative: bool = True) -> Floats:
    """Return the discount as float64, (n,): finite and non-increasing."""
    c = check_column("discount", discount).astype(np.float64)
    wrong = ~np.isfinite(c)
    wrong[1:] |= c[1:] > c[:-1]
    if not may_be_negative:
        wrong |= c < 0
    sign = "" if may_be_negative else ", >= 0"
    check_entries("discount", c, wrong, f"discounts must be finite{sign} and non-increasing")
    return c


def check_grades(y: ArrayLike, y_hat: ArrayLike, highest: int | None = None) -> tuple[Ints, Ints]:
    """Return labels and predicted grades of one query as int64, (n,) each, at most `highest`."""
    labels, grades = check_labels(y, highest), check_labels(y_hat, highest, name="y_hat")
    check_shape("y_hat", grades, labels.shape, "(n,), one grade per entry of y")
    return labels, grades


def check_ranked(discount: ArrayLike, y: ArrayLike) -> tuple[Floats, Ints]:
    """Return the discount and the labels in the order of the ranking, (n,) each."""
    c, labels = check_discount(discount), check_labels(y)
    check_shape("y", labels, c.shape, PER_DISCOUNT)
    return c, labels


def check_predictions(c: Floats, gain: ArrayLike, prediction: ArrayLike) -> tuple[Floats, Floats]:
    """Return gains and their predictions as arrays of the discount's shape, (n,) each."""
    z, f = np.asarray(gain), np.asarray(prediction)
    check_shape("gain", z, c.shape, "(n,), one entry per discount")
    check_shape("prediction", f, c.shape, "(n,), one entry per discount")
    return z, f


def multiply_norms(u: Floats, v: Floats, p: float) -> float:
    """Return the p-norm of u times the q-norm of v, 1/p + 1/q = 1, which by Hoelder is at least their inner product."""
    if not p >= 1:
        raise ValueError(f"p is {p!r}: it must be a number from 1 to infinity")
    q = np.inf if p == 1 else 1.0 if p == np.inf else p / (p - 1.0)
    return float(np.linalg.norm(u, ord=p)) * float(np.linalg.norm(v, ord=q))

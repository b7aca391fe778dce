"""Checks and norms that the bounds share; each array is of one query, (n,)."""

import numpy as np
from numpy.typing import ArrayLike

from refrank.arrays import Floats, Ints
from refrank.checks import (
    LARGEST_SUMMED,
    check_column,
    check_entries,
    check_labels,
    check_numbers,
    check_scores,
    check_shape,
)

PER_DISCOUNT = "(n,), one label per discount"


def check_discount(discount: ArrayLike, may_be_negative: bool = True) -> Floats:
    """Return the discount as float64, (n,): finite and non-increasing."""
    sign = "" if may_be_negative else ", >= 0"
    rule = f"discounts must be finite{sign} and non-increasing"
    c = check_numbers("discount", check_column("discount", discount), rule)
    wrong = ~np.isfinite(c)
    wrong[1:] |= c[1:] > c[:-1]
    if not may_be_negative:
        wrong |= c < 0
    check_entries("discount", c, wrong, rule)
    return c


def check_values(name: str, values: ArrayLike, n: int) -> Floats:
    """Return one finite number per discount as float64, (n,)."""
    rule = "numbers must be finite"
    numbers = check_numbers(name, values, rule)
    check_shape(name, numbers, (n,), "(n,), one entry per discount")
    check_entries(name, numbers, ~np.isfinite(numbers), rule)
    return numbers


def check_loss_scores(score: ArrayLike, n: int) -> Floats:
    """Return the scores of a loss as float64, (n,), whose differences are finite."""
    s = check_scores(score, n)
    rule = f"the scores of a loss must be at most {LARGEST_SUMMED:g} in size"
    check_entries("score", s, np.abs(s) > LARGEST_SUMMED, rule)
    return s


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
    """Return gains and their predictions, finite, of the discount's shape, (n,) each."""
    return check_values("gain", gain, len(c)), check_values("prediction", prediction, len(c))


def multiply_norms(u: Floats, v: Floats, p: float) -> float:
    """Return the p-norm of u times the q-norm of v, 1/p + 1/q = 1, which by Hoelder is at least their inner product."""
    if not p >= 1:
        raise ValueError(f"p is {p!r}: it must be a number from 1 to infinity")
    q = np.inf if p == 1 else 1.0 if p == np.inf else p / (p - 1.0)
    return float(np.linalg.norm(u, ord=p)) * float(np.linalg.norm(v, ord=q))

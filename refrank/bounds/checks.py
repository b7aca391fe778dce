"""Discounts, exponents and norms, checked: what the bounds share."""

import numpy as np
from numpy.typing import ArrayLike


def norm(values: np.ndarray, exponent: float) -> float:
    """Sum of |v|^exponent to the power 1/exponent, or the largest |v|."""
    return float(np.linalg.norm(values, ord=exponent))


def check_exponent(p: float) -> float:
    """Return p if it is from 1 to infinity."""
    if not p >= 1:
        raise ValueError(f"p={p!r}: must be from 1 to infinity")
    return p


def conjugate(p: float) -> float:
    """Return q with 1/p + 1/q = 1."""
    return np.inf if p == 1 else 1.0 if p == np.inf else p / (p - 1.0)


def check_discount(discount: ArrayLike, may_be_negative: bool = True) -> np.ndarray:
    """Return the discount as float64, (n,), if it is finite and does not rise."""
    c = np.asarray(discount, dtype=float)
    if c.ndim != 1 or len(c) == 0:
        raise ValueError(f"discount has shape {c.shape}: it must be (n,), one entry a place, n >= 1")
    bad = ~np.isfinite(c)
    bad[1:] |= c[1:] > c[:-1]
    if not may_be_negative:
        bad |= c < 0
    if bad.any():
        i = int(np.argmax(bad))
        rule = "finite and non-increasing" + ("" if may_be_negative else ", and not negative")
        raise ValueError(f"discount[{i}] is {c[i].item()!r}: discounts must be {rule}")
    return c


def check_grades(highest: int | None = None, **arrays: ArrayLike) -> list[np.ndarray]:
    """Return each array as int64, (n,), if its entries are integers from 0 to `highest`."""
    rule = "integers from 0" + (f" to {highest}" if highest is not None else " on")
    checked = []
    for name, array in arrays.items():
        values = np.asarray(array)
        if values.ndim != 1 or len(values) == 0:
            raise ValueError(f"{name} has shape {values.shape}: it must be (n,), a grade a document, n >= 1")
        bad = ~(values >= 0) | (values != np.rint(values))
        if highest is not None:
            bad |= values > highest
        if bad.any():
            i = int(np.argmax(bad))
            raise ValueError(f"{name}[{i}] is {values[i].item()!r}: grades must be {rule}")
        checked.append(values.astype(np.int64))
    check_lengths(**dict(zip(arrays, checked, strict=True)))
    return checked


def check_lengths(**arrays: np.ndarray) -> None:
    """Refuse arrays of different lengths."""
    lengths = {name: len(array) for name, array in arrays.items()}
    if len(set(lengths.values())) > 1:
        raise ValueError(f"lengths differ: {lengths}; all must be one entry a document of the query")

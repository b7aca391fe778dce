"""All rankings of n documents up to symmetry, in batches.

Renaming documents changes no side of any statement, so documents are listed in the order of pi: document i
(0-based) is at position pi_i = i + 1, and the predicted grades are non-increasing. Every order of ties of pi then
appears as an arrangement of the true labels. The perfect ranking g is any permutation along which y is
non-increasing, so its orders of ties are enumerated too: `with_ties` yields n! C(n+K, n)^2 instances, `rankings`
(one g each) (K+1)^n C(n+K, n), with grades 0..K.

    symbol    in code      shape
    y         y            (m, n)    labels
    yhat      y_hat        (m, n)    predicted grades, non-increasing in each line
    g         g            (m, n)    position of document i in the perfect ranking, from 1
    K         max_grade              the highest grade, 4 in all three papers
    2^K       scale                  the unit of the relevances R(y) = (2^y - 1)/2^K
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field
from fractions import Fraction
from itertools import combinations_with_replacement, permutations, product

import numpy as np

MAX_GRADE = 4  # of the papers
GRADES = tuple(range(MAX_GRADE + 1))


@dataclass(frozen=True)
class Rankings:
    """A batch of m instances of n documents, all integers."""

    y: np.ndarray
    y_hat: np.ndarray
    g: np.ndarray
    max_grade: int = MAX_GRADE

    @property
    def scale(self) -> int:
        return int(2**self.max_grade)

    @property
    def m(self) -> int:
        return self.y.shape[0]

    @property
    def n(self) -> int:
        return self.y.shape[1]

    @property
    def errors(self) -> np.ndarray:
        """Count the documents with y_i != yhat_i, (m,)."""
        return (self.y != self.y_hat).sum(axis=1).astype(self.y.dtype)

    def take(self, rows: np.ndarray) -> Rankings:
        return Rankings(self.y[rows], self.y_hat[rows], self.g[rows], self.max_grade)

    def describe(self, row: int) -> str:
        """Show one instance: labels and predictions in the order of pi, and g."""
        y, y_hat, g = (tuple(int(v) for v in part[row]) for part in (self.y, self.y_hat, self.g))
        return f"n={self.n}, in the order of pi: y={y}, yhat={y_hat}, g={g}"

    def size(self) -> np.ndarray:
        """Compute sort keys, smallest counterexample first: errors, grades, predictions, distance of g, (m, 4 + 2n)."""
        far = abs(self.g - np.arange(1, self.n + 1)).sum(axis=1)
        sums = np.stack([self.errors, self.y.sum(axis=1), self.y_hat.sum(axis=1), far], axis=1)
        return np.concatenate([sums, -self.y, -self.y_hat], axis=1).astype(np.int64)


@dataclass(frozen=True)
class Cases:
    """A batch of m other instances: named integer columns, (m,) or (m, ...), divided by `scale` when shown.

    >>> Cases({"y": np.array([3, 0]), "p": np.array([[1, 3], [2, 2]])}, {"p": 4}).describe(0)
    'y=3, p=(1/4, 3/4)'
    """

    columns: dict[str, np.ndarray]
    scale: dict[str, int] = field(default_factory=dict)

    @property
    def m(self) -> int:
        return len(next(iter(self.columns.values())))

    def take(self, rows: np.ndarray) -> Cases:
        return Cases({name: column[rows] for name, column in self.columns.items()}, self.scale)

    def describe(self, row: int) -> str:
        return ", ".join(
            f"{name}={fractions(column[row], self.scale.get(name, 1))}" for name, column in self.columns.items()
        )

    def size(self) -> np.ndarray:
        """Compute sort keys: the sum of all magnitudes, then the columns in order, (m, k)."""
        flat = np.concatenate([c.reshape(self.m, -1) for c in self.columns.values()], axis=1)
        return np.concatenate([abs(flat).sum(axis=1, keepdims=True), flat], axis=1).astype(np.int64)


def fractions(values: np.ndarray, unit: int) -> str:
    """Show integers over a common denominator: 3/4, (1/2, 0), ((1, 0), (0, 1))."""
    if np.ndim(values) == 0:
        return str(Fraction(int(values), unit))
    return f"({', '.join(fractions(value, unit) for value in values)})"


def grade_vectors(n: int, max_grade: int = MAX_GRADE) -> np.ndarray:
    """List all label vectors, ((max_grade + 1)**n, n)."""
    return np.array(list(product(range(max_grade + 1), repeat=n)), dtype=np.int64).reshape(-1, n)


def sorted_grades(n: int, grades: Iterable[int] = GRADES) -> np.ndarray:
    """List all non-increasing label vectors, (C(n + len(grades) - 1, n), n).

    >>> sorted_grades(2, (0, 1)).tolist()
    [[1, 1], [1, 0], [0, 0]]
    """
    descending = sorted(grades, reverse=True)
    return np.array(list(combinations_with_replacement(descending, n)), dtype=np.int64).reshape(-1, n)


def stable_g(y: np.ndarray) -> np.ndarray:
    """Compute the perfect ranking that keeps pi's order among equal labels: g_i, from 1, same shape as y."""
    order = np.argsort(-y.astype(np.int64), axis=1, kind="stable")
    g = np.empty_like(order)
    np.put_along_axis(g, order, np.broadcast_to(np.arange(1, y.shape[1] + 1), y.shape), axis=1)
    return g


def rankings(n: int, max_grade: int = MAX_GRADE) -> Iterator[Rankings]:
    """Yield all labels, predictions and orders of ties of pi; g keeps pi's order among equal labels."""
    y = grade_vectors(n, max_grade)
    g = stable_g(y)
    predicted = sorted_grades(n, range(max_grade + 1))
    per_batch = max(1, 200_000 // len(y))
    for start in range(0, len(predicted), per_batch):
        y_hat = predicted[start : start + per_batch]
        repeated = np.tile(y, (len(y_hat), 1)), np.repeat(y_hat, len(y), axis=0), np.tile(g, (len(y_hat), 1))
        yield Rankings(*repeated, max_grade)


def with_ties(n: int, max_grade: int = MAX_GRADE) -> Iterator[Rankings]:
    """Yield the same with all orders of ties of g: one batch per permutation g."""
    ordered = sorted_grades(n, range(max_grade + 1))
    along_g = np.repeat(ordered, len(ordered), axis=0)
    y_hat = np.tile(ordered, (len(ordered), 1))
    for g in permutations(range(1, n + 1)):
        position = np.array(g)
        yield Rankings(along_g[:, position - 1], y_hat, np.broadcast_to(position, y_hat.shape), max_grade)


def permuted(n: int, max_grade: int = MAX_GRADE) -> Iterator[Rankings]:
    """Yield all g, one instance each, for claims on c_g and c_pi that involve no label."""
    g = np.array(list(permutations(range(1, n + 1))), dtype=np.int64)
    yield Rankings(np.zeros_like(g), np.zeros_like(g), g, max_grade)


def in_order_of_pi(n: int, max_grade: int = MAX_GRADE) -> Iterator[Rankings]:
    """Yield all labels in the order of pi; the predictions are 0, so that every pi is lawful."""
    y = grade_vectors(n, max_grade)
    yield batch(y, np.zeros_like(y), max_grade=max_grade)


def batch(y: np.ndarray, y_hat: np.ndarray, g: np.ndarray | None = None, max_grade: int = MAX_GRADE) -> Rankings:
    """Build Rankings from (m, n) arrays in the order of pi; exact at any n and max_grade."""
    y, y_hat = np.atleast_2d(y), np.atleast_2d(y_hat)
    g = stable_g(y) if g is None else np.atleast_2d(g)
    dtype = dtype_at(y.shape[1], max_grade)
    return Rankings(y.astype(dtype), y_hat.astype(dtype), g.astype(dtype), max_grade)


def dtype_at(n: int, max_grade: int = MAX_GRADE) -> type:
    """Choose the type of integers: Python integers, which do not overflow, above n = 6 and above grade 4."""
    return np.int64 if n <= 6 and max_grade <= MAX_GRADE else object

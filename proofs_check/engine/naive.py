"""Oracles of the tests: the quantities of `exact` from their definitions, in fractions, one document at a time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

MAX_GRADE = 4


def relevance(y: int) -> Fraction:
    """Compute R(y) = (2^y - 1) / 2^K."""
    return Fraction(2**y - 1, 2**MAX_GRADE)


def stop(labels: Sequence[int], position: Sequence[int], i: int) -> Fraction:
    """Compute F_i of COCR Sec. 4.2: the probability that the user stops at document i; document j is at position[j]."""
    f = relevance(labels[i])
    for j, y in enumerate(labels):
        if position[j] < position[i]:
            f *= 1 - relevance(y)
    return f


def err(labels: Sequence[int], position: Sequence[int]) -> Fraction:
    """Compute ERR, COCR Eq. 10."""
    return sum((stop(labels, position, i) / position[i] for i in range(len(labels))), Fraction(0))

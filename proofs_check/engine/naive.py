"""Oracles of the tests: the quantities of `exact` from their definitions, in fractions, one document at a time."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction


def relevance(y: int, max_grade: int = 4) -> Fraction:
    """Compute R(y) = (2^y - 1) / 2^K."""
    return Fraction(2**y - 1, 2**max_grade)


def stop(labels: Sequence[int], position: Sequence[int], i: int, max_grade: int = 4) -> Fraction:
    """Compute F_i of COCR Sec. 4.2: the probability that the user stops at document i; document j is at position[j]."""
    f = relevance(labels[i], max_grade)
    for j, y in enumerate(labels):
        if position[j] < position[i]:
            f *= 1 - relevance(y, max_grade)
    return f


def err(labels: Sequence[int], position: Sequence[int], max_grade: int = 4) -> Fraction:
    """Compute ERR, COCR Eq. 10."""
    return sum((stop(labels, position, i, max_grade) / position[i] for i in range(len(labels))), Fraction(0))


def err_of(relevance: Sequence[Fraction]) -> Fraction:
    """Compute ERR of any relevances in the order of a ranking, place by place."""
    total, reached = Fraction(0), Fraction(1)
    for place, value in enumerate(relevance, start=1):
        total += reached * value / place
        reached *= 1 - value
    return total

"""All small data sets for the statements on trees, up to the order of rows and increasing transforms of values.

Neither changes a tree, as trees.permuted_rows and trees.monotone_transforms settle. So rows are listed by their first
feature, and values are ranks 0, 1, ...

    symbol    in code    shape
    x         x          (m, n, n_features)    ranks
    y         y          (m, n)                labels
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from functools import cache
from itertools import product
from math import lcm

import numpy as np

from proofs_check.engine.comparison import Comparison
from proofs_check.engine.evidence import Claim
from proofs_check.engine.instances import Cases
from proofs_check.engine.records import Effort, Finding
from proofs_check.engine.search import settle_cases


@cache
def weak_orders(n: int) -> tuple[tuple[int, ...], ...]:
    """List every way to rank n rows with ties: 1, 3, 13, 75, 541 ways for n = 1, 2, 3, 4, 5.

    >>> weak_orders(2)
    ((0, 0), (0, 1), (1, 0))
    """
    ranked = product(range(n), repeat=n)
    return tuple(ranks for ranks in ranked if set(ranks) == set(range(max(ranks) + 1)))


def one_feature(grades: Sequence[int]) -> Callable[[int], Iterator[Cases]]:
    """Enumerate the data of one feature, labels in `grades`."""
    return data_sets(lambda n: [()], grades)


def two_features(grades: Sequence[int]) -> Callable[[int], Iterator[Cases]]:
    """Enumerate the data of two features, labels in `grades`."""
    return data_sets(lambda n: [(second,) for second in weak_orders(n)], grades)


def data_sets(
    others: Callable[[int], Sequence[tuple[tuple[int, ...], ...]]], grades: Sequence[int]
) -> Callable[[int], Iterator[Cases]]:
    def instances(n: int) -> Iterator[Cases]:
        first = [ranks for ranks in weak_orders(n) if list(ranks) == sorted(ranks)]
        x = [np.transpose((ranks, *more)) for ranks in first for more in others(n)]
        y = np.array(list(product(grades, repeat=n)))
        yield Cases({"x": np.repeat(np.array(x), len(y), axis=0), "y": np.tile(y, (len(x), 1))})

    return instances


def with_column(
    instances: Callable[[int], Iterator[Cases]], name: str, values: Callable[[int], np.ndarray]
) -> Callable[[int], Iterator[Cases]]:
    """Combine every instance with every line of one more column, such as weights."""

    def more(n: int) -> Iterator[Cases]:
        for cases in instances(n):
            lines = values(n)
            columns = {key: np.repeat(column, len(lines), axis=0) for key, column in cases.columns.items()}
            yield Cases({**columns, name: np.tile(lines, (cases.m, *[1] * (lines.ndim - 1)))}, cases.scale)

    return more


def weights_of(*values: int) -> Callable[[int], np.ndarray]:
    """List all weights out of `values`, for `with_column`."""
    return lambda n: np.array(list(product(values, repeat=n)))


def scaled(instances: Callable[[int], Iterator[Cases]], name: str, unit: int) -> Callable[[int], Iterator[Cases]]:
    """Yield the same instances with a column read as numerators over `unit`."""
    return lambda n: (Cases(cases.columns, {**cases.scale, name: unit}) for cases in instances(n))


def lines(cases: Cases) -> Iterator[list]:
    """Yield the columns of each instance as lists of Python integers."""
    yield from zip(*(column.tolist() for column in cases.columns.values()), strict=True)


def settle_trees(
    largest: int, claim: Claim, instances: Callable[[int], Iterator[Cases]], smallest: int = 1
) -> Callable[[Effort], Finding]:
    """Build a row's `check`: every instance of smallest..largest rows, one row more with --deep."""

    def check(effort: Effort) -> Finding:
        return settle_cases(claim, instances, largest + effort.deep, smallest=smallest)(effort)

    return check


def compare(
    sides: Sequence[tuple[Fraction | int, Fraction | int]], relation: str = "<=", label: str = "", slack: float = 0
) -> Comparison:
    """Compare fractions, one pair per instance, as integers over their common denominator."""
    unit = lcm(*(Fraction(side).denominator for pair in sides for side in pair))
    left, right = (np.array([int(pair[k] * unit) for pair in sides], dtype=object) for k in (0, 1))
    return Comparison(left, right, relation, unit=unit, label=label, slack=slack)


def agree(pairs: Sequence[tuple[object, object]]) -> Comparison:
    """Claim that both members of each pair are equal: 0 where they are, 1 where they are not."""
    differs = np.array([int(first != second) for first, second in pairs])
    return Comparison(differs, np.zeros_like(differs), "==")


def same(pair: Callable[..., tuple[object, object]]) -> Callable[[Cases], Comparison]:
    """Claim that both members of `pair(*columns)` are equal for every instance."""
    return lambda cases: agree([pair(*line) for line in lines(cases)])

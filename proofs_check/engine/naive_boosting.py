"""Boosting from its definition, one row at a time, as far as no choice between cuts is close.

Between two cuts whose gains are nearly equal, another implementation may choose differently and be right, too. Trees
stop here where this could happen. Residuals are fractions; p and the scores of Alg. 1 are floats.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from fractions import Fraction
from math import exp, lcm
from typing import NamedTuple

from proofs_check.engine.exact_tree import Numbers, RowSet

Values = Sequence[Sequence[float]]
CLOSE = 1e-6  # gains that differ by less than this share are close; rounding is below
FLAT = 1e-6  # a denominator below which rounding shows in the step, or the papers say nothing of it


class CloseCuts(ArithmeticError):
    """Two cuts gain nearly the same, or a step is as good as undefined."""


class Gap(NamedTuple):
    """A cut of one feature: values up to `low` go left, from `high` on right, and between them as a port likes."""

    feature: int
    low: float
    high: float


class Way(NamedTuple):
    """A partition of a node, and every gap that makes it; `flipped` where the gap's left rows are the second side."""

    gain: float  # as a share of the sum of squares of all rows
    close: bool  # whether another partition gains nearly the same
    sides: tuple[RowSet, RowSet]
    gaps: tuple[tuple[Gap, bool], ...]


class Leaf(NamedTuple):
    rows: RowSet
    path: tuple[tuple[Way, int], ...]  # the ways taken, and the side of each


def grow(X: Values, r: Numbers, n_leaves: int, w: Numbers | None = None) -> list[Leaf]:
    """Grow J leaves best first; CloseCuts if another implementation may cut otherwise."""
    w = [1] * len(r) if w is None else in_units(w)
    r = in_units(r)
    total = sum(v * value * value for v, value in zip(w, r, strict=True))
    new, best = [Leaf(tuple(range(len(r))), ())], []
    while True:
        best += [(best_cut(X, r, w, leaf.rows, total), leaf) for leaf in new]
        way, leaf = max(best, key=lambda cut: cut[0].gain)
        if way.gain == 0 or len(best) == n_leaves:
            return [leaf for _, leaf in best]
        if way.close or way.gain < CLOSE or sum(other.gain > way.gain * (1 - CLOSE) for other, _ in best) > 1:
            raise CloseCuts
        best.remove((way, leaf))
        new = [Leaf(side, (*leaf.path, (way, number))) for number, side in enumerate(way.sides)]


def grow_to_depth(X: Values, r: Numbers, max_depth: int) -> list[RowSet]:
    """Cut every node above this depth that a cut improves, and return the rows of the leaves; CloseCuts as above."""
    r = in_units(r)
    total = sum(value * value for value in r)

    def leaves(rows: RowSet, depth: int) -> list[RowSet]:
        way = best_cut(X, r, [1] * len(r), rows, total) if depth < max_depth else None
        if way is None or way.gain == 0:
            return [rows]
        if way.close or way.gain < CLOSE:
            raise CloseCuts
        return [leaf for side in way.sides for leaf in leaves(side, depth + 1)]

    return leaves(tuple(range(len(r))), 0)


def in_units(r: Numbers) -> list[int]:
    """Multiply numbers by their common denominator: cuts do not change."""
    unit = lcm(*(Fraction(value).denominator for value in r))
    return [int(value * unit) for value in r]


def best_cut(X: Values, r: Sequence[int], w: Sequence[int], rows: RowSet, total: int) -> Way:
    """Find the best way to part a node, of gain 0 if none gains."""
    s_node, w_node = sum(w[i] * r[i] for i in rows), sum(w[i] for i in rows)
    cuts: list[tuple[float, Gap]] = []
    for f in range(len(X[0])):
        ordered = sorted(rows, key=lambda i: X[i][f])
        s_left = w_left = 0
        for at, i in enumerate(ordered[:-1], start=1):
            s_left, w_left = s_left + w[i] * r[i], w_left + w[i]
            low, high = X[i][f], X[ordered[at]][f]
            if low == high:
                continue
            w_right = w_node - w_left
            apart = s_left * w_right - (s_node - s_left) * w_left
            cuts.append((apart**2 / (w_left * w_right * w_node * max(1, total)), Gap(f, low, high)))
    gain = max((gain for gain, _ in cuts), default=0.0)
    if gain == 0:
        return Way(0.0, False, (rows, ()), ())
    ways: dict[RowSet, list[tuple[Gap, bool]]] = {}
    for gap in (gap for other, gap in cuts if other > gain * (1 - CLOSE)):
        flipped = X[rows[0]][gap.feature] > gap.low
        side = tuple(i for i in rows if (X[i][gap.feature] > gap.low) == flipped)  # one, whichever feature makes it
        ways.setdefault(side, []).append((gap, flipped))
    first, gaps = next(iter(ways.items()))
    return Way(gain, len(ways) > 1, (first, tuple(sorted({*rows} - {*first}))), tuple(gaps))


def mean_of(y: Numbers, w: Numbers, rows: RowSet) -> Fraction:
    return sum(Fraction(w[i]) * Fraction(y[i]) for i in rows) / sum(Fraction(w[i]) for i in rows)


def tree(X: Values, y: Numbers, n_leaves: int, w: Numbers | None = None) -> list[Fraction]:
    """Predict the rows of X by the means of their leaves."""
    predicted = [Fraction(0)] * len(y)
    for leaf in grow(X, y, n_leaves, w):
        mean = mean_of(y, w or [1] * len(y), leaf.rows)
        for i in leaf.rows:
            predicted[i] = mean
    return predicted


def tree_at(X: Values, y: Numbers, n_leaves: int, w: Numbers | None, rows: Values) -> list[Fraction | None]:
    """Predict new rows; None where a value is inside a gap, or the features that make one partition disagree."""
    leaves = grow(X, y, n_leaves, w)
    means = [mean_of(y, w or [1] * len(y), leaf.rows) for leaf in leaves]
    reached = [[all(side_of(way, row) == side for way, side in leaf.path) for leaf in leaves] for row in rows]
    return [means[marks.index(True)] if True in marks else None for marks in reached]


def side_of(way: Way, row: Sequence[float]) -> int | None:
    """Find the side on which a row falls, 0 or 1, or None where a port may choose."""
    sides = {None if g.low < row[g.feature] < g.high else (row[g.feature] > g.low) != flip for g, flip in way.gaps}
    side = sides.pop() if len(sides) == 1 else None
    return None if side is None else int(side)


def ls_boosting(X: Values, y: Numbers, n_leaves: int, nu: Fraction) -> Iterator[list[Fraction]]:
    """Yield the scores of Alg. 2 after 0, 1, ... rounds."""
    # McRank Alg. 2, line 1
    scores = [Fraction(sum(y)) / len(y)] * len(y)
    while True:
        yield list(scores)
        # McRank Alg. 2, lines 3 to 5
        residual = [label - score for label, score in zip(y, scores, strict=True)]
        scores = [s + nu * step for s, step in zip(scores, tree(X, residual, n_leaves), strict=True)]


def softmax_boosting(X: Values, y: list[int], n_classes: int, n_leaves: int, nu: float) -> Iterator[list[list[float]]]:
    """Yield F of Alg. 1, as printed, after 1, 2, ... rounds: one row per document, one column per class."""
    # McRank Alg. 1, line 1
    scores = [[0.0] * n_classes for _ in y]
    while True:
        # McRank Alg. 1, line 3
        for k in range(n_classes):
            # McRank Alg. 1, line 4
            p = [softmax(row)[k] for row in scores]
            residual = [Fraction(int(label == k)) - Fraction(share) for label, share in zip(y, p, strict=True)]
            # McRank Alg. 1, line 5
            for rows, _ in grow(X, residual, n_leaves):
                # McRank Alg. 1, line 6
                beta = (n_classes - 1) / n_classes * float(sum(residual[i] for i in rows))
                curvature = sum(p[i] * (1 - p[i]) for i in rows)
                if curvature < FLAT:
                    raise CloseCuts
                beta /= curvature
                # McRank Alg. 1, line 7
                for i in rows:
                    scores[i][k] += nu * beta
        yield [list(row) for row in scores]


def gbrt(X: Values, y: Numbers, start: Numbers, max_depth: int, nu: Fraction) -> Iterator[list[Fraction]]:
    """Yield the predictions of iGBRT Alg. 3 after 0, 1, ... rounds, from the forest's; with zeros, of Alg. 2."""
    # iGBRT Alg. 3, line 2
    scores = [Fraction(value) for value in start]
    while True:
        yield list(scores)
        residual = [Fraction(label) - score for label, score in zip(y, scores, strict=True)]
        # iGBRT Alg. 2, lines 3 and 5
        for rows in grow_to_depth(X, residual, max_depth):
            mean = mean_of(residual, [1] * len(y), rows)
            for i in rows:
                scores[i] += nu * mean


def softmax(scores: list[float]) -> list[float]:
    """Compute p from the scores of one document."""
    powers = [exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]

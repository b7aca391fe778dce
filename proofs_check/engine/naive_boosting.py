"""Boosting from its definition, one row at a time, as far as no choice between cuts is close.

Between two cuts whose gains are nearly equal, another implementation may choose differently and be right, too. Trees
stop here where this could happen. Residuals are fractions; p and the scores of Alg. 1 are floats.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from math import exp

from proofs_check.engine.exact_tree import Numbers, RowSet, Table, cuts

CLOSE = Fraction(1, 10**6)  # gains that differ by less than this share are close; rounding is far below


class CloseCuts(ArithmeticError):
    """Two cuts gain nearly the same."""


def grow(X: Table, r: Numbers, n_leaves: int) -> list[RowSet]:
    """Grow J leaves best first and return their rows; CloseCuts if another implementation may cut otherwise."""
    leaves: list[RowSet] = [tuple(range(len(r)))]
    total = sum(value * value for value in r)
    while len(leaves) < n_leaves:
        best = [(*best_cut(X, r, rows), rows) for rows in leaves]
        gain, left, rows = max(best, key=lambda cut: cut[0])
        if gain == 0:
            break
        if gain < CLOSE * total or sum(other[0] > gain * (1 - CLOSE) for other in best) > 1:
            raise CloseCuts
        leaves.remove(rows)
        leaves += [left, tuple(i for i in rows if i not in left)]
    return leaves


def best_cut(X: Table, r: Numbers, rows: RowSet) -> tuple[Fraction, RowSet]:
    """Find the gain and the left rows of the best cut, (0, ()) if none gains; CloseCuts if another is close to it."""
    gains: dict[RowSet, Fraction] = {}
    for cut in cuts(X, r, [1] * len(r), rows):
        gains[min(cut.sides)] = Fraction(cut.gain)  # one partition, whichever feature makes it
    ranked = sorted(gains, key=lambda side: -gains[side])
    if not ranked or gains[ranked[0]] == 0:
        return Fraction(0), ()
    if len(ranked) > 1 and gains[ranked[1]] > gains[ranked[0]] * (1 - CLOSE):
        raise CloseCuts
    return gains[ranked[0]], ranked[0]


def tree(X: Table, y: Numbers, n_leaves: int) -> list[Fraction]:
    """Predict the rows of X by the means of their leaves."""
    predicted = [Fraction(0)] * len(y)
    for rows in grow(X, y, n_leaves):
        mean = Fraction(sum(y[i] for i in rows)) / len(rows)
        for i in rows:
            predicted[i] = mean
    return predicted


def ls_boosting(X: Table, y: Numbers, n_leaves: int, nu: Fraction) -> Iterator[list[Fraction]]:
    """Yield the scores of Alg. 2 after 0, 1, ... rounds."""
    # McRank Alg. 2, line 1
    scores = [Fraction(sum(y)) / len(y)] * len(y)
    while True:
        yield list(scores)
        # McRank Alg. 2, lines 3 to 5
        residual = [label - score for label, score in zip(y, scores, strict=True)]
        scores = [s + nu * step for s, step in zip(scores, tree(X, residual, n_leaves), strict=True)]


def softmax_boosting(X: Table, y: list[int], n_classes: int, n_leaves: int, nu: float) -> Iterator[list[list[float]]]:
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
            for rows in grow(X, residual, n_leaves):
                # McRank Alg. 1, line 6
                beta = (n_classes - 1) / n_classes * float(sum(residual[i] for i in rows))
                beta /= sum(p[i] * (1 - p[i]) for i in rows)
                # McRank Alg. 1, line 7
                for i in rows:
                    scores[i][k] += nu * beta
        yield [list(row) for row in scores]


def softmax(scores: list[float]) -> list[float]:
    """Compute p from the scores of one document."""
    powers = [exp(score - max(scores)) for score in scores]
    return [power / sum(powers) for power in powers]

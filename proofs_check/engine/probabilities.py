"""Documents with labels and class probabilities, in the order of a score.

Probabilities are fractions of a small denominator, its `parts`: y is (m, n), p is (m, n, K + 1) in parts. All labels,
all probabilities and all orders of ties are listed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from itertools import combinations

import numpy as np

from proofs_check.engine.exact import relevance_gain
from proofs_check.engine.instances import Cases

Score = Callable[[np.ndarray], np.ndarray]  # p, (m, K + 1), to the numbers by which pi sorts, (m,)
# (K, parts of the probabilities) by the number of documents
GRIDS = {1: ((1, 8), (2, 8), (3, 8), (4, 4)), 2: ((1, 8), (2, 6), (3, 4), (4, 4)), 3: ((1, 4), (2, 3)), 4: ((1, 3),)}


def expected_gain(p: np.ndarray) -> np.ndarray:
    """Compute sum_k p_k (2^k - 1), the probabilities in parts."""
    return p @ relevance_gain(np.arange(p.shape[-1]))


def expected_relevance(p: np.ndarray) -> np.ndarray:
    """Compute sum_k p_k k."""
    return p @ np.arange(p.shape[-1])


def ranked_by(score: Score, n: int) -> Iterator[Cases]:
    """Yield all labels and probabilities of n documents in the order of descending scores."""
    for max_grade, parts in GRIDS[n]:
        p = distributions(max_grade + 1, parts)
        y = np.repeat(np.arange(max_grade + 1), len(p))
        p = np.tile(p, (max_grade + 1, 1))  # one line per document that there can be
        which = np.indices((len(p),) * n).reshape(n, -1).T
        which = which[(np.diff(score(p)[which], axis=1) <= 0).all(axis=1)]
        yield Cases({"y": y[which], "p": p[which]}, {"p": parts})


def distributions(n_classes: int, parts: int) -> np.ndarray:
    """List all probabilities of n_classes in parts, (m, n_classes).

    >>> distributions(2, 2).tolist()
    [[0, 2], [1, 1], [2, 0]]
    """
    bars = np.array(list(combinations(range(parts + n_classes - 1), n_classes - 1))).reshape(-1, n_classes - 1)
    edges = np.pad(bars, ((0, 0), (1, 1)), constant_values=((0, 0), (-1, parts + n_classes - 1)))
    return np.diff(edges, axis=1) - 1


def parts_of(case: Cases) -> tuple[np.ndarray, np.ndarray, int, int]:
    """Return y, (m, n), p, (m, n, K + 1), the denominator of p (its parts), and K."""
    p = case.columns["p"]
    return case.columns["y"], p, case.scale["p"], p.shape[2] - 1


def left_over(case: Cases) -> np.ndarray:
    """Compute e_i = 1 - p_{i,y_i}, in parts, (m, n)."""
    y, p, parts, _ = parts_of(case)
    return parts - np.take_along_axis(p, y[:, :, np.newaxis], axis=2)[:, :, 0]

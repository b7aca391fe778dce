"""McRank Algorithm 2: least-squares boosted trees, which regress on a transform of the labels (Sec. 5).

symbol       in code                  shape
y~           target                   (n_samples,) float64, by default 2^y - 1
M, nu        n_rounds, learning_rate
J            inside `grow`            grow(residual, weight) -> tree, leaves
S            scores                   (n_samples,)
R_j, beta_j  leaves, values           (n_leaves,)
"""

from collections.abc import Iterator
from dataclasses import dataclass
from types import ModuleType

import numpy as np
from numpy.typing import NDArray

from refrank.mcrank.softmax_boosting import Grow, read_only
from refrank.trees.grid import exact_mean
from refrank.trees.growth import quotient
from refrank.trees.tree import Tree, add_predictions, with_values


@dataclass(frozen=True)
class LSRound:
    """What one turn of the outer loop, line 2, leaves behind."""

    number: int  # m, from 1; 0 is line 1, before any tree
    tree: Tree | None  # the leaves hold beta, before the shrinkage nu
    scores: NDArray[np.float64]  # (n_samples,) S: a read-only view, which the next round writes to


def ls_boosting(
    target: NDArray[np.float64],
    grow: Grow,
    n_rounds: int,
    learning_rate: float,
    weight: NDArray[np.float64] | None = None,
) -> Iterator[LSRound]:
    """Algorithm 2 as printed. The first record, number 0, holds the mean of line 1.

    Parameters
    ----------
    target : float64 array of shape (n_samples,)
        y~, already transformed.
    grow, n_rounds, learning_rate, weight
        As in `softmax_boosting_sequential`.

    Yields
    ------
    LSRound

    Examples
    --------
    >>> from functools import partial
    >>> from refrank.trees import splitting
    >>> from refrank.trees.binning import bin_features
    >>> from refrank.trees.growth import grow_best_first
    >>> binned = bin_features(np.array([[0.0], [1.0], [2.0]]), 256, splitter=splitting)
    >>> grow = partial(grow_best_first, binned, n_leaves=3, splitter=splitting)
    >>> [turn.scores.tolist() for turn in ls_boosting(np.array([0.0, 1.0, 5.0]), grow, 2, learning_rate=0.5)]
    [[2.0, 2.0, 2.0], [1.0, 1.5, 3.5], [0.5, 1.25, 4.25]]
    """
    # McRank Alg. 2, line 1
    scores = np.full(len(target), exact_mean(target, weight))
    yield LSRound(0, None, read_only(scores.copy()))
    # McRank Alg. 2, line 2
    for m in range(1, n_rounds + 1):
        # McRank Alg. 2, line 3
        tree, leaves = grow(target - scores, weight)
        # McRank Alg. 2, line 4
        values = quotient(leaves.residual_sum, leaves.weight_sum)
        # McRank Alg. 2, line 5
        leaves.add_to(scores, learning_rate * values)
        yield LSRound(m, with_values(tree, leaves, values), read_only(scores))


@dataclass(frozen=True)
class LSModel:
    """A trained Algorithm 2."""

    initial: float  # the mean of line 1
    rounds: tuple[Tree, ...]
    learning_rate: float

    def staged_scores(
        self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int, every: int = 1
    ) -> Iterator[NDArray[np.float64]]:
        """Yield S, (n_samples,), after each `every` rounds: the same array each time, written to."""
        scores = np.full(len(X), self.initial)
        for start in range(0, len(self.rounds), every):
            add_predictions(self.rounds[start : start + every], X, self.learning_rate, scores, splitter, n_threads)
            yield scores

    def scores(self, X: NDArray[np.floating], splitter: ModuleType, n_threads: int) -> NDArray[np.float64]:
        """Compute S after the last round, (n_samples,)."""
        return next(self.staged_scores(X, splitter, n_threads, every=len(self.rounds)))

"""A sum of trees per output: the form of every boosted model and every forest.

symbol     in code         shape
F_c(x)     scores          (n_samples, n_outputs): F_c = initial_c + learning_rate * sum_m T_{m,c}(x)
T_{m,c}    rounds[m][c]    one tree per round and output
"""

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from refrank.trees.engine import Engine
from refrank.trees.tree import Tree, add_predictions


@dataclass(frozen=True, repr=False)
class Ensemble:
    """Trees, round by round, and the start of their sum; a prefix of the rounds is an ensemble too."""

    initial: tuple[float, ...]  # F of each output before the first round
    rounds: tuple[tuple[Tree, ...], ...]  # (n_rounds, n_outputs)
    learning_rate: float  # factor of each tree; 1 in a forest

    def staged_scores(self, X: NDArray[np.floating], engine: Engine, every: int = 1) -> Iterator[NDArray[np.float64]]:
        """Yield F, (n_samples, n_outputs), after every `every` rounds and after the last.

        Every stage is the same array, which the next stage writes to. Without rounds, yield F once as it starts.
        """
        scores = np.full((len(X), len(self.initial)), self.initial, order="F")
        if not self.rounds:
            yield scores
        for start in range(0, len(self.rounds), every):
            for c in range(len(self.initial)):
                trees = [trees[c] for trees in self.rounds[start : start + every]]
                add_predictions(trees, X, self.learning_rate, scores[:, c], engine)
            yield scores

    def scores(self, X: NDArray[np.floating], engine: Engine) -> NDArray[np.float64]:
        """Compute F after the last round, (n_samples, n_outputs)."""
        return next(self.staged_scores(X, engine, every=max(1, len(self.rounds))))

    def __repr__(self) -> str:
        """Return the ensemble's size; its trees are in `rounds`."""
        return f"Ensemble({len(self.rounds)} rounds, {len(self.initial)} outputs, learning_rate={self.learning_rate})"
